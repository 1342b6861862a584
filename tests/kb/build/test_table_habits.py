"""Habits of those who export tables: commas for points, row numbers without a name, lists in a cell, keys of
rows that are gone."""

from __future__ import annotations

import csv
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import pytest

from arcaneqa.kb.build import build_index
from arcaneqa.kb.index import Index
from arcaneqa.kb.interface import Step
from arcaneqa.kb.open import open_kb
from arcaneqa.kb.schema import ValueKind
from arcaneqa.kb.terms import Iri, Literal
from tests.kb.build.test_tables import XSD, values

CODES = ["AT", "BE", "CH", "DE", "ES", "FR", "GB", "HU", "IT", "LU", "PT", "SK"]


@contextmanager
def indexed(folder: Path, **tables: str) -> Iterator[Index]:
    """The tables as files of one folder."""
    (folder / "tables").mkdir()
    for name, text in tables.items():
        (folder / "tables" / f"{name}.csv").write_text(text)
    build_index([folder / "tables"], folder / "kb")
    with open_kb(folder / "kb") as kb:
        assert isinstance(kb, Index)
        yield kb


def quoted(header: str, rows: Sequence[Sequence[str]], folder: Path) -> str:
    with (folder / "quoted").open("w", newline="") as file:
        csv.writer(file).writerows([header.split(), *rows])
    return (folder / "quoted").read_text()


def kinds(kb: Index, relation: str) -> frozenset[ValueKind]:
    return frozenset(kb.schema.relations[kb.schema.relation_ids[relation]].kinds)


def test_commas_are_points_where_nothing_else_can_be_meant(tmp_path: Path) -> None:
    text = "name;sales;debt;weight\nA;94,71;1,234;1.264,5 kg\nB;0,5;2,345;12 kg\n"
    with indexed(tmp_path, firms=text) as kb:
        told = [
            values(kb, f"urn:column:firms.{column}", "urn:row:firms.A")
            for column in ("sales", "debt", "weight")
        ]
    assert told == [[Literal(said, XSD + "decimal")] for said in ("94.71", "1.234", "1264.5")]


def test_commas_that_may_group_thousands_do(tmp_path: Path) -> None:
    with indexed(tmp_path, firms="name;sales\nA;94,710\nB;1,234,567\n") as kb:
        assert values(kb, "urn:column:firms.sales", "urn:row:firms.A") == [Literal("94710", XSD + "integer")]


@pytest.mark.parametrize("header", ["", "Unnamed: 0", "rownames"])
def test_numbers_of_rows_are_nobodys_value(tmp_path: Path, header: str) -> None:
    with indexed(tmp_path, cats=f"{header},cat,lives\n1,Tom,9\n2,Kit,7\n3,Max,9\n") as kb:
        shown = {relation.label for relation in kb.schema.relations if not relation.hidden}
    assert shown == {"cat", "lives"}


def test_names_of_rows_need_no_header(tmp_path: Path) -> None:
    with indexed(tmp_path, cats=',lives\n"Tom",9\n"Kit",7\n"Max",9\n') as kb:
        (relation,) = (one for one in kb.schema.relations if one.label == "name")
        assert values(kb, relation.iri, "urn:row:cats.Tom") == [Literal("Tom")]


def test_what_is_blank_among_numbers_is_blank_among_texts(tmp_path: Path) -> None:
    text = "name,weight,diet\nTom,4.5,NA\nKit,NA,milk\nMax,5,fish\n"
    with indexed(tmp_path, cats=text) as kb:
        assert values(kb, "urn:column:cats.diet", "urn:row:cats.Tom") == []
        assert values(kb, "urn:column:cats.diet", "urn:row:cats.Kit") == [Literal("milk")]


def test_namibia_is_no_blank(tmp_path: Path) -> None:
    with indexed(tmp_path, lands="name,code,area\nNamibia,NA,825615\nOman,OM,309500\n") as kb:
        assert values(kb, "urn:column:lands.code", "urn:row:lands.NA") == [Literal("NA")]


def test_commas_without_spaces_make_lists_of_any_length(tmp_path: Path) -> None:
    spoken = ["Dutch,French,German", "French", "Dutch,English", "Farsi", "Hindi,Urdu", "Thai", "Lao", "Malay"]
    text = quoted("name languages", [(f"L{n}", cell) for n, cell in enumerate(spoken)], tmp_path)
    with indexed(tmp_path, lands=text) as kb:
        told = values(kb, "urn:column:lands.languages", "urn:row:lands.L0")
    assert set(told) == {Literal("Dutch"), Literal("French"), Literal("German")}


@pytest.mark.parametrize(
    "cells",
    [
        ["12.5,-69.9", "33,65", "-8.8,13.2", "18.2,-63.1", "60.1,19.9", "41,20"],
        ["1,2-xylene", "toluene", "1,2,4-trimethylbenzene", "benzene", "1,3-xylene", "phenol"],
        ["Bonn,Germany", "Nice,France", "Ulm,Germany", "Köln,Germany", "Bern", "Rome,Italy"],
    ],
)
def test_pairs_and_names_are_no_lists(tmp_path: Path, cells: list[str]) -> None:
    text = quoted("number said", [(str(n), cell) for n, cell in enumerate(cells)], tmp_path)
    with indexed(tmp_path, t=text) as kb:
        relation = kb.schema.relations[kb.schema.relation_ids["urn:column:t.said"]]
        assert relation.facts == len(cells)


def test_lists_of_codes_lead_to_the_rows_that_have_them(tmp_path: Path) -> None:
    around = [",".join(CODES[max(0, n - 1 - n % 3) : n] + CODES[n + 1 : n + 2]) for n in range(len(CODES))]
    rows = [(code, f"Land {code.lower()}", cell) for code, cell in zip(CODES, around, strict=True)]
    with indexed(tmp_path, lands=quoted("iso name neighbours", rows, tmp_path)) as kb:
        told = values(kb, "urn:column:lands.neighbours", "urn:row:lands.BE")
    assert set(told) == {Iri(f"urn:row:lands.{code}") for code in ("AT", "CH")}


def test_many_texts_that_are_all_keys_refer_to_them(tmp_path: Path) -> None:
    lands = "code,land\n" + "".join(f"{code},Land {code.lower()}\n" for code in CODES)
    trips = "trip,origin\n" + "".join(f"{n},{CODES[n % len(CODES)]}\n" for n in range(30))
    with indexed(tmp_path, lands=lands, trips=trips) as kb:
        assert values(kb, "urn:column:trips.origin", "urn:row:trips.0") == [Iri("urn:row:lands.AT")]


def test_few_texts_or_texts_that_name_rows_refer_to_nothing(tmp_path: Path) -> None:
    lands = "code,land\n" + "".join(f"{code},Land {code.lower()}\n" for code in CODES)
    trips = "trip,origin\n" + "".join(f"{n},{CODES[n % 3]}\n" for n in range(30))
    teams = "team,points\n" + "".join(f"{code},{n}\n" for n, code in enumerate(CODES))
    with indexed(tmp_path, lands=lands, trips=trips, teams=teams) as kb:
        assert kinds(kb, "urn:column:trips.origin") == {ValueKind.TEXT}
        assert kinds(kb, "urn:column:teams.team") == {ValueKind.TEXT}


def test_a_few_keys_may_lead_nowhere_where_the_name_says_what_they_are(tmp_path: Path) -> None:
    teams = "team_id,town\n" + "".join(f"{n},Town {n}\n" for n in range(1, 5))
    players = "player,team_id,rank\n" + "".join(
        f"P{n},{n % 4 + 1 if n else 0},{n % 4 + 1}\n" for n in range(40)
    )
    with indexed(tmp_path, teams=teams, players=players) as kb:
        assert values(kb, "urn:column:players.team_id", "urn:row:players.P1") == [Iri("urn:row:teams.2")]
        assert values(kb, "urn:column:players.team_id", "urn:row:players.P0") == []


def test_keys_that_often_lead_nowhere_are_none(tmp_path: Path) -> None:
    teams = "team_id,town\n" + "".join(f"{n},Town {n}\n" for n in range(1, 5))
    players = "player,team_id\n" + "".join(f"P{n},{n}\n" for n in range(1, 40))
    with indexed(tmp_path, teams=teams, players=players) as kb:
        assert ValueKind.NUMBER in kinds(kb, "urn:column:players.team_id")


CASTS = [
    "Ann Lee, Bob Ray, Cy Dow",
    "Ann Lee, Cy Dow",
    "Bob Ray",
    "Al Fox, Bob Ray, Cy Dow, Di Poe",
    "Ann Lee, Bob Ray",
    "Al Fox, Cy Dow, Di Poe",
    "Al Fox",
    "Ann Lee, Di Poe",
]
"""By the alphabet, so that Di Poe never comes first."""


def test_who_stands_now_last_and_now_before_others_is_in_a_list(tmp_path: Path) -> None:
    text = quoted("film cast", [(f"F{n}", cell) for n, cell in enumerate(CASTS)], tmp_path)
    with indexed(tmp_path, films=text) as kb:
        told = values(kb, "urn:column:films.cast", "urn:row:films.F0")
    assert set(told) == {Literal("Ann Lee"), Literal("Bob Ray"), Literal("Cy Dow")}


@pytest.mark.parametrize(
    "cells",
    [
        [
            "Rome, Italy",
            "Bari, Italy",
            "Main St, Austin, Texas, USA",
            "Dallas, Texas, USA",
            "Waco, Texas, USA",
        ]
        * 2,
        [
            "Doe, Ann",
            "Doe, Bob",
            "Fox, Ann",
            "Ray, Bob, Jr",
            "Lee, Ann",
            "Poe, Bob, Jr",
            "Dow, Bob, Jr",
            "Di",
        ],
        ["h2H,1H3", "h1H,(H,2,3)", "h2H,1H3,h3", "h3", "h2H,h3,1H3", "h3,1H3", "h3,h2H", "1H3, h3"],
    ],
)
def test_what_closes_a_place_or_a_name_makes_no_list(tmp_path: Path, cells: list[str]) -> None:
    text = quoted("number said", [(str(n), cell) for n, cell in enumerate(cells)], tmp_path)
    with indexed(tmp_path, t=text) as kb:
        assert kb.schema.relations[kb.schema.relation_ids["urn:column:t.said"]].facts == len(cells)


def test_a_second_table_of_one_key_tells_more_of_the_same_rows(tmp_path: Path) -> None:
    films = "id,title\n" + "".join(f"{n * n + 70},Film {n}\n" for n in range(12))
    takings = "id,earned\n" + "".join(f"{n * n + 70},{n}000\n" for n in reversed(range(12)))
    seats = "film,seat\n" + "".join(f"{n * n + 70},{n}\n" for n in range(5))
    with indexed(tmp_path, films=films, seats=seats, takings=takings) as kb:
        assert values(kb, "urn:column:takings.earned", "urn:row:films.74") == [
            Literal("2000", XSD + "integer")
        ]
        assert values(kb, "urn:column:films.title", "urn:row:films.74") == [Literal("Film 2")]
        assert kb.node(Iri("urn:row:takings.74")) is None


def test_row_numbers_that_all_tables_have_are_no_common_key(tmp_path: Path) -> None:
    films = "id,title\n" + "".join(f"{n},Film {n}\n" for n in range(12))
    shops = "id,street\n" + "".join(f"{n},Street {n}\n" for n in range(12))
    with indexed(tmp_path, films=films, shops=shops) as kb:
        assert kb.node(Iri("urn:row:shops.4")) is not None


def test_what_nothing_else_names_is_called_by_its_make_and_model(tmp_path: Path) -> None:
    rows = ("Ford,GT,647", "BMW,i8,357", "BMW,M5,560", "Audi,R8,430")
    with indexed(tmp_path, cars="mfr,model,hp\n" + "\n".join(rows) + "\n") as kb:
        assert kb.labels(kb.members(kb.schema.class_ids["urn:table:cars"]).ids)[0] == "Ford GT"


def test_places_beside_a_code_are_what_rows_are_called(tmp_path: Path) -> None:
    crimes = "state,abb,region\nOhio,OH,North\nUtah,UT,West\nIowa,IA,North\nMaine,ME,North\n"
    sales = "sale,state\n1,Ohio\n2,Ohio\n3,Utah\n4,Iowa\n5,Utah\n"
    with indexed(tmp_path, crimes=crimes, sales=sales) as kb:
        named, nameless = (
            kb.labels(kb.members(kb.schema.class_ids[f"urn:table:{table}"]).ids)
            for table in ("crimes", "sales")
        )
    assert set(named) == {"Ohio", "Utah", "Iowa", "Maine"}
    assert set(nameless) == {None}


def test_rows_that_are_told_apart_by_words_are_called_by_them(tmp_path: Path) -> None:
    regions = "Country,Group,ID\nChad,Africa,TD\nPeru,America,PE\nMali,Africa,\nCôte d'Ivoire,Africa,CI\n"
    codes = "code,colour\nA7,red\nB8,red\nC9,blue\n"
    with indexed(tmp_path, regions=regions, codes=codes) as kb:
        named, nameless = (
            kb.labels(kb.members(kb.schema.class_ids[f"urn:table:{table}"]).ids)
            for table in ("regions", "codes")
        )
    assert set(named) == {"Chad", "Peru", "Mali", "Côte d'Ivoire"}
    assert set(nameless) == {None}


@pytest.mark.parametrize(
    ("table", "column"),
    [
        ("pokemon_species", "evolves_from_species_id"),
        ("stops", "parent_station_id"),
        ("employees", "mngr_no"),
        ("staff", "ReportsTo"),
        ("terms", "parent"),
        ("parts", "replaced_by"),
    ],
)
def test_numbers_name_rows_of_their_own_table_where_their_name_says_so(
    tmp_path: Path, table: str, column: str
) -> None:
    text = f"id,label,{column}\n1,One,\n" + "".join(f"{n},Thing {n},{n // 2}\n" for n in range(2, 9))
    with indexed(tmp_path, **{table: text}) as kb:
        assert values(kb, f"urn:column:{table}.{column}", f"urn:row:{table}.6") == [Iri(f"urn:row:{table}.3")]


@pytest.mark.parametrize(
    ("table", "column"),
    [
        ("species", "generation"),
        ("species", "generation_id"),
        ("species", "species_count"),
        ("charts", "previous"),
        ("charts", "parent_age"),
        # The manager of a department, or of a customer, is none of them.
        ("departments", "mngr_no"),
        ("customers", "manager_id"),
    ],
)
def test_small_numbers_are_among_the_keys_by_chance(tmp_path: Path, table: str, column: str) -> None:
    text = f"id,label,{column}\n1,One,\n" + "".join(f"{n},Thing {n},{n // 2}\n" for n in range(2, 9))
    staff = "emp_no,last_name\n" + "".join(f"{n},Name {n}\n" for n in range(1, 9))
    with indexed(tmp_path, **{table: text, "staff": staff}) as kb:
        assert ValueKind.NUMBER in kinds(kb, f"urn:column:{table}.{column}")


@pytest.mark.parametrize(("column", "shift"), [("customer_order_no", 3), ("parent_id", 0)])
def test_numbers_that_only_count_or_say_their_own_key_again_name_no_other_rows(
    tmp_path: Path, column: str, shift: int
) -> None:
    rows = "".join(f"{n},Order {n},{n % shift + 1 if shift else n}\n" for n in range(1, 9))
    with indexed(tmp_path, orders=f"id,label,{column}\n{rows}") as kb:
        assert kinds(kb, f"urn:column:orders.{column}") == {ValueKind.NUMBER}


def test_texts_name_rows_of_their_own_table(tmp_path: Path) -> None:
    stops = "stop,title,parent_station\nport,Airport,\nport-1,Platform 1,port\nport-2,Platform 2,port\n"
    names = [f"Ann {chr(97 + n)}" for n in range(24)]
    staff = [(str(n), name, "" if n == 0 else names[n // 2], name) for n, name in enumerate(names)]
    staff[1] = ("1", names[1], names[0], names[0])  # not every name is as unique as the other
    with indexed(
        tmp_path, stops=stops, staff=quoted("number full_name team known_as", staff, tmp_path)
    ) as kb:
        assert values(kb, "urn:column:stops.parent_station", "urn:row:stops.port-2") == [
            Iri("urn:row:stops.port")
        ]
        assert values(kb, "urn:column:staff.team", "urn:row:staff.9") == [Iri("urn:row:staff.4")]
        assert kinds(kb, "urn:column:staff.known_as") == {ValueKind.TEXT}


@pytest.mark.parametrize(
    ("column", "cells", "is_date"),
    [
        ("end_date", ["20190720", "20190720"], True),
        ("valid until", ["20190720", "20191231", "18991231"], False),
        ("valid until", ["20190720", "20191231", "", "20200229"], True),
        ("end_date", ["20190720", "20190732"], False),
        ("end_date", ["20190228", "20190230"], False),
        ("inhabitants", ["20190720", "20190720"], False),
        ("order_no", ["20190720", "20190721", "20190722", "20190720"], False),
        ("date_id", ["20190720", "20190721", "20190722", "20190720"], True),
    ],
)
def test_eight_digits_may_be_a_day(tmp_path: Path, column: str, cells: list[str], is_date: bool) -> None:
    rows = "".join(f"Row {n},{cell}\n" for n, cell in enumerate(cells))
    with indexed(tmp_path, t=f"name,{column}\n{rows}") as kb:
        iri = f"urn:column:t.{column.replace(' ', '_')}"
        told = values(kb, iri, "urn:row:t.Row%200")
    assert told == [Literal("2019-07-20", XSD + "date") if is_date else Literal(cells[0], XSD + "integer")]


def test_days_of_a_week_in_ones_and_zeros_say_yes_or_no(tmp_path: Path) -> None:
    timetable = (
        "service,monday,tuesday,wednesday,thursday,friday,sunday\nWorking days,1,1,1,1,1,0\nAll,1,1,1,1,1,1\n"
    )
    visits = timetable.replace("1,0\n", "1,2\n")
    some = "pub,monday,sunday\nBlue Bear,1,0\nRed Lion,0,1\n"
    with indexed(tmp_path, timetable=timetable, visits=visits, some=some) as kb:
        truths = [
            one.iri.removeprefix("urn:column:")
            for one in kb.schema.relations
            if one.kinds == {ValueKind.BOOLEAN}
        ]
    assert sorted(truths) == [
        f"timetable.{day}" for day in ("friday", "monday", "sunday", "thursday", "tuesday", "wednesday")
    ]


@pytest.mark.parametrize(
    ("file", "label"),
    [
        ("data (1)", "row"),
        ("Sheet1", "row"),
        ("export-2024-05-01_final", "row"),
        ("3f9a1c", "row"),
        ("hurricanes", "hurricanes"),
        ("hurricane data 2024", "hurricane data 2024"),
        ("facade", "facade"),
    ],
)
def test_a_lone_table_whose_name_says_nothing_has_rows(tmp_path: Path, file: str, label: str) -> None:
    with indexed(tmp_path, **{file: "name,wind\nKatrina,175\nHugo,140\n"}) as kb:
        assert [klass.label for klass in kb.schema.classes if klass.members] == [label]
        assert kb.schema.is_of_rows == (label == "row")


def test_of_several_tables_each_keeps_its_name(tmp_path: Path) -> None:
    storms, data = "name,wind\nKatrina,175\nHugo,140\n", "item,price\nhat,3\nbag,4\n"
    with indexed(tmp_path, storms=storms, data=data) as kb:
        assert {klass.label for klass in kb.schema.classes if klass.members} == {"storms", "data"}
        assert not kb.schema.is_of_rows


@pytest.mark.parametrize(
    ("cells", "expected"),
    [
        (["1/8/60 0:00", "3/9/90 0:00"], ["1960-01-08T00:00:00", "1990-03-09T00:00:00"]),
        (["Sep-63", "Jan-05"], ["1963-09", "2005-01"]),
        (["12/31/68", "1/2/15"], ["1968-12-31", "2015-01-02"]),
        (["12/31/1968", "1/2/2015"], ["1968-12-31", "2015-01-02"]),
        (
            ["1848-00-00", "1850-05-00", "1851-06-07", "1852-01-01"],
            ["1848", "1850-05", "1851-06-07", "1852-01-01"],
        ),
        (["(450.25)", "12.5"], ["-450.25", "12.5"]),
        (["−50%", "20%"], ["-50", "20"]),
        (["5 million", "2k", "300"], ["5000000", "2000", "300"]),
        (["$1.5bn", "$20 million"], ["1500000000", "20000000"]),
        (["12", "unknown", "?"], ["12"]),
    ],
)
def test_dates_and_amounts_as_people_write_them(
    tmp_path: Path, cells: list[str], expected: list[str]
) -> None:
    lines = ["name;told", *(f"row {number};{cell}" for number, cell in enumerate(cells))]
    (tmp_path / "things.csv").write_text("\n".join(lines) + "\n")
    build_index([tmp_path / "things.csv"], tmp_path / "index")
    with Index(tmp_path / "index") as kb:
        (told,) = [r for r in kb.schema.relations if r.label.startswith("told")]
        values = kb.values(told.id, kb.having(Step(told.id))).objects
        literals = [term for term in kb.terms(values) if isinstance(term, Literal)]
        assert sorted(each.lexical for each in literals) == sorted(expected)
        assert told.comparable


def test_a_stray_cell_takes_no_column_of_numbers_away(tmp_path: Path) -> None:
    lines = ["name,length", *(f"row {number},{number}" for number in range(99)), "row 99,as below"]
    (tmp_path / "things.csv").write_text("\n".join(lines) + "\n")
    report = build_index([tmp_path / "things.csv"], tmp_path / "index")
    assert any("1 of things.length, such as “as below”" in line for line in report.diagnosis.oddities())
    with Index(tmp_path / "index") as kb:
        (length,) = [r for r in kb.schema.relations if r.label == "length"]
        assert length.kinds == {ValueKind.NUMBER}
