"""Tables become the facts that SQL would find in them, and bad ones a sentence with file and line."""

from __future__ import annotations

import csv
import sqlite3
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import duckdb
import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from arcaneqa.kb.build import build_index
from arcaneqa.kb.index import Index
from arcaneqa.kb.open import open_kb
from arcaneqa.kb.schema import ValueKind
from arcaneqa.kb.terms import Iri, Literal, Term
from arcaneqa.support.errors import ArcaneError, InputError

XSD = "http://www.w3.org/2001/XMLSchema#"
PRODUCTS = """product_id,product_name,supplier_id,Unit_Price,discontinued,added,weight,rate
1,Chai,1,"$1,800.00",yes,03/14/2020,12 kg,5%
2,"Ani""seed
Syrup",1,$10.00,no,12/31/2019,3 kg,10%
3,Tofu,2,$23.25,no,,1 kg,N/A
"""
SUPPLIERS = "supplier_id;company name;country\n1;Exotic Liquids;UK\n2;Mayumi's;Japan\n"
PAIRS = "product_id,category\n1,1\n2,1\n3,2\n"
CATEGORIES = "id\tname\n1\tDrinks\n2\tProduce\n"


@pytest.fixture
def shop(tmp_path: Path) -> Iterator[Index]:
    folder = tmp_path / "shop"
    folder.mkdir()
    (folder / "products.csv").write_text(PRODUCTS)
    (folder / "suppliers.csv").write_text("\ufeff" + SUPPLIERS)
    (folder / "product_categories.csv").write_text(PAIRS)
    (folder / "categories.tsv").write_text(CATEGORIES)
    build_index([folder], tmp_path / "kb")
    with open_kb(tmp_path / "kb") as kb:
        assert isinstance(kb, Index)
        yield kb


def values(kb: Index, relation: str, row: str) -> list[Term]:
    node = kb.node(Iri(row))
    assert node is not None
    objects = kb.objects(kb.schema.relation_ids[relation], kb.nodes(np.array([node])))
    return kb.terms(objects.ids)


def test_cells_are_what_their_column_is(shop: Index) -> None:
    chai = "urn:row:products.1"
    assert values(shop, "urn:column:products.Unit_Price", chai) == [Literal("1800.00", XSD + "decimal")]
    assert values(shop, "urn:column:products.discontinued", chai) == [Literal("true", XSD + "boolean")]
    assert values(shop, "urn:column:products.added", chai) == [Literal("2020-03-14", XSD + "date")]
    assert values(shop, "urn:column:products.weight", chai) == [Literal("12", XSD + "decimal")]
    assert values(shop, "urn:column:products.product_name", "urn:row:products.2") == [
        Literal('Ani"seed\nSyrup')
    ]
    assert values(shop, "urn:column:products.rate", "urn:row:products.3") == []


def test_headers_become_words_with_units(shop: Index) -> None:
    labels = {relation.iri: relation.label for relation in shop.schema.relations}
    assert labels["urn:column:products.Unit_Price"] == "unit price in dollars"
    assert labels["urn:column:products.weight"] == "weight in kg"
    assert labels["urn:column:products.rate"] == "rate in percent"
    assert labels["urn:column:suppliers.company_name"] == "company name"
    assert labels["urn:column:products.supplier_id"] == "supplier"


def test_foreign_keys_are_found_by_inclusion_and_name(shop: Index) -> None:
    assert values(shop, "urn:column:products.supplier_id", "urn:row:products.3") == [
        Iri("urn:row:suppliers.2")
    ]


def test_a_table_of_two_foreign_keys_is_a_relation(shop: Index) -> None:
    assert values(shop, "urn:column:product_categories", "urn:row:products.3") == [
        Iri("urn:row:categories.2")
    ]
    assert "urn:table:product_categories" not in shop.schema.class_ids


@pytest.mark.parametrize(
    ("header", "cells", "other", "others", "links"),
    [
        ("play,stuid", ("a,1", "b,2"), "Student.csv", "StuID,name\n1,Ann\n2,Bob\n3,Cid\n", True),
        ("play,StuID", ("a,1", "b,2"), "Student.csv", "StuID,name\n1,Ann\n2,Bob\n3,Cid\n", True),
        ("play,club_id_2", ("a,1", "b,1"), "clubs.csv", "club_id,name\n1,Ann\n2,Bob\n", True),
        ("play,company_id", ("a,1", "b,1"), "touring_companies.csv", "id,name\n1,Ann\n2,Bob\n", True),
        ("play,grape", ("a,red", "b,red"), "vines.csv", "Grape,colour\nred,1\nblue,2\n", True),
        ("play,rank", ("a,1", "b,1"), "marks.csv", "rank,colour\n1,x\n2,y\n", False),
        ("id,play", ("1,a", "2,b"), "towns.csv", "id,town\n1,Oslo\n2,Rome\n3,Bern\n", False),
    ],
)
def test_names_of_columns_tell_of_links(
    tmp_path: Path, header: str, cells: tuple[str, ...], other: str, others: str, links: bool
) -> None:
    folder = tmp_path / "tables"
    folder.mkdir()
    (folder / "plays.csv").write_text("\n".join([header, *cells]) + "\n")
    (folder / other).write_text(others)
    build_index([folder], tmp_path / "kb")
    column = next(name for name in header.split(",") if name != "play")
    with open_kb(tmp_path / "kb") as kb:
        relation = kb.schema.relations[kb.schema.relation_ids[f"urn:column:plays.{column}"]]
        assert (relation.kinds == {ValueKind.ENTITY}) is links


def test_letters_before_all_names_of_a_table_are_not_said(tmp_path: Path) -> None:
    folder = tmp_path / "tables"
    folder.mkdir()
    (folder / "nation.csv").write_text("n_nationkey,n_name,n_comment\n7,Peru,big\n8,Chile,long\n")
    (folder / "supplier.csv").write_text("s_suppkey,s_name,s_nationkey\n1,Ann,7\n2,Bob,7\n3,Cid,8\n")
    (folder / "trips.csv").write_text("d_time,distance,nationkey\n5,100,7\n6,200,8\n")
    build_index([folder], tmp_path / "kb")
    with open_kb(tmp_path / "kb") as kb:
        known = {one.iri.removeprefix("urn:column:"): one for one in kb.schema.relations}
        nation = known["supplier.s_nationkey"]
        assert nation.label == "nation"
        assert nation.kinds == {ValueKind.ENTITY}
        assert known["supplier.s_name"].label == "name"
        assert known["supplier.s_suppkey"].is_identifier
        assert known["trips.d_time"].label == "d time", "not all names of the table begin so"
        assert known["trips.nationkey"].range == kb.schema.class_ids["urn:table:nation"]


def test_dates_are_written_without_a_comma_too(tmp_path: Path) -> None:
    (tmp_path / "films.csv").write_text("title,released\nJaws,Jun 20 1975\nHook,Dec 11 1991\n")
    build_index([tmp_path / "films.csv"], tmp_path / "kb")
    with open_kb(tmp_path / "kb") as kb:
        released = kb.schema.relations[kb.schema.relation_ids["urn:column:films.released"]]
        assert released.kinds == {ValueKind.TIME}


def test_a_pairing_leads_the_same_way_from_sqlite_and_csv(tmp_path: Path) -> None:
    path = tmp_path / "club.sqlite"
    with sqlite3.connect(path) as database:
        database.executescript(
            """
            CREATE TABLE people (id INTEGER PRIMARY KEY, name TEXT);
            CREATE TABLE games (gid INTEGER PRIMARY KEY, title TEXT);
            CREATE TABLE plays (pid REFERENCES people (id), game REFERENCES games (gid));
            INSERT INTO people VALUES (1, 'Ann'), (2, 'Bob');
            INSERT INTO games VALUES (1, 'Chess'), (2, 'Go');
            INSERT INTO plays VALUES (1, 2), (2, 2);
            """
        )
    database.close()
    build_index([path], tmp_path / "kb")
    with open_kb(tmp_path / "kb") as kb:
        assert isinstance(kb, Index)
        assert values(kb, "urn:column:plays", "urn:row:people.1") == [Iri("urn:row:games.2")]


def test_lines_may_end_in_several_ways(tmp_path: Path) -> None:
    (tmp_path / "mixed.csv").write_bytes(b'name,size\r\nAnn,1\n"Bo\r\nb",2\r\n')
    build_index([tmp_path / "mixed.csv"], tmp_path / "kb")
    with open_kb(tmp_path / "kb") as kb:
        assert isinstance(kb, Index)
        assert values(kb, "urn:column:mixed.size", "urn:row:mixed.Ann") == [Literal("1", XSD + "integer")]
        assert len(kb.members(kb.schema.class_ids["urn:table:mixed"]).ids) == 2
    (tmp_path / "mixed.csv").write_bytes(b"name,size\r\nAnn,1\nBob,2,3\n")
    with pytest.raises(InputError, match="line 3: the row has another number of cells"):
        build_index([tmp_path / "mixed.csv"], tmp_path / "kb")


def test_any_text_of_sqlite_is_read_as_it_is(tmp_path: Path) -> None:
    odd = ["\\N", 'a "quoted"\r\nline', "x,y", "'"]
    with sqlite3.connect(tmp_path / "odd.sqlite") as database:
        database.execute("CREATE TABLE odd (id INTEGER PRIMARY KEY, said TEXT)")
        database.executemany("INSERT INTO odd VALUES (?, ?)", enumerate(odd))
    database.close()
    build_index([tmp_path / "odd.sqlite"], tmp_path / "kb")
    with open_kb(tmp_path / "kb") as kb:
        assert isinstance(kb, Index)
        for number, text in enumerate(odd):
            assert values(kb, "urn:column:odd.said", f"urn:row:odd.{number}") == [Literal(text)]


@pytest.mark.parametrize("name", ["t.parquet", "t.csv", "t.sqlite"])
def test_without_the_extra_the_sentence_names_it(
    tmp_path: Path, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "duckdb", None)
    (tmp_path / name).write_bytes(b"a,b\n1,2\n")
    with pytest.raises(ArcaneError, match=r"tables"):
        build_index([tmp_path / name], tmp_path / "kb")


def test_inclusion_without_a_name_is_chance(tmp_path: Path) -> None:
    (tmp_path / "people.csv").write_text("id,name,age\n1,Ann,2\n2,Bob,1\n")
    (tmp_path / "towns.csv").write_text("id,town,rank\n1,Oslo,2\n2,Rome,1\n")
    build_index([tmp_path / "people.csv", tmp_path / "towns.csv"], tmp_path / "kb")
    with open_kb(tmp_path / "kb") as kb:
        assert isinstance(kb, Index)
        assert values(kb, "urn:column:people.age", "urn:row:people.1") == [Literal("2", XSD + "integer")]
        assert values(kb, "urn:column:towns.rank", "urn:row:towns.1") == [Literal("2", XSD + "integer")]


def test_codes_with_leading_zeros_stay_text(tmp_path: Path) -> None:
    (tmp_path / "places.csv").write_text("name,zip\nA,01234\nB,56789\n")
    build_index([tmp_path / "places.csv"], tmp_path / "kb")
    with open_kb(tmp_path / "kb") as kb:
        assert isinstance(kb, Index)
        assert values(kb, "urn:column:places.zip", "urn:row:places.A") == [Literal("01234")]


def test_sqlite_keys_links_and_truths_are_as_declared(tmp_path: Path) -> None:
    path = tmp_path / "shop.sqlite"
    with sqlite3.connect(path) as database:
        database.executescript(
            """
            CREATE TABLE staff (
                no INTEGER PRIMARY KEY, name TEXT, boss INTEGER REFERENCES staff, on_leave BOOLEAN
            );
            INSERT INTO staff VALUES (1, 'Ann', NULL, 1), (2, 'Bob "B"', 1, 0);
            CREATE TABLE stock (shop TEXT, item TEXT, amount REAL, PRIMARY KEY (shop, item));
            INSERT INTO stock VALUES ('Oslo', 'tea', 1.5), ('Oslo', 'rice', 2), ('Rome', 'tea', NULL);
            """
        )
    database.close()
    build_index([path], tmp_path / "kb")
    with open_kb(tmp_path / "kb") as kb:
        assert isinstance(kb, Index)
        assert values(kb, "urn:column:staff.boss", "urn:row:staff.2") == [Iri("urn:row:staff.1")]
        assert values(kb, "urn:column:staff.on_leave", "urn:row:staff.1") == [
            Literal("true", XSD + "boolean")
        ]
        assert values(kb, "urn:column:staff.name", "urn:row:staff.2") == [Literal('Bob "B"')]
        assert values(kb, "urn:column:stock.amount", "urn:row:stock.Oslo.rice") == [
            Literal("2.0", XSD + "decimal")
        ]


def test_a_column_means_what_one_of_its_name_is_declared_to_mean(tmp_path: Path) -> None:
    path = tmp_path / "chemistry.sqlite"
    with sqlite3.connect(path) as database:
        database.executescript(
            """
            CREATE TABLE elements (atomic_number INTEGER PRIMARY KEY, name TEXT);
            INSERT INTO elements VALUES (1, 'Hydrogen'), (2, 'Helium');
            CREATE TABLE isotopes (id INTEGER PRIMARY KEY, mass INTEGER,
                atomic_number INTEGER REFERENCES elements (atomic_number));
            INSERT INTO isotopes VALUES (7, 1, 1), (8, 2, 1), (9, 4, 2);
            CREATE TABLE phases (id INTEGER PRIMARY KEY, atomic_number INTEGER, year INTEGER);
            INSERT INTO phases VALUES (4, 2, 1908), (5, 1, 1898);
            """
        )
    database.close()
    build_index([path], tmp_path / "kb")
    with open_kb(tmp_path / "kb") as kb:
        assert isinstance(kb, Index)
        assert values(kb, "urn:column:phases.atomic_number", "urn:row:phases.4") == [
            Iri("urn:row:elements.2")
        ]


def test_a_column_of_a_key_of_several_may_lead_further(tmp_path: Path) -> None:
    path = tmp_path / "firm.sqlite"
    with sqlite3.connect(path) as database:
        database.executescript(
            """
            CREATE TABLE country (country TEXT PRIMARY KEY, currency TEXT);
            INSERT INTO country VALUES ('Italy', 'euro'), ('Japan', 'yen');
            CREATE TABLE job (code TEXT, job_country TEXT, pay INTEGER, PRIMARY KEY (code, job_country));
            INSERT INTO job VALUES ('Sales', 'Italy', 1), ('Sales', 'Japan', 2);
            CREATE TABLE staff (id INTEGER PRIMARY KEY, code TEXT, job_country TEXT,
                FOREIGN KEY (code, job_country) REFERENCES job (code, job_country));
            INSERT INTO staff VALUES (7, 'Sales', 'Japan');
            """
        )
    database.close()
    build_index([path], tmp_path / "kb")
    with open_kb(tmp_path / "kb") as kb:
        assert isinstance(kb, Index)
        assert values(kb, "urn:column:staff.job_country", "urn:row:staff.7") == [Iri("urn:row:country.Japan")]


def test_numbered_rows_are_called_by_the_text_that_tells_them_apart(tmp_path: Path) -> None:
    makes = ["Acura Integra", "Audi Quattro", "Buick Century", "Ford Festiva", "Honda Civic"]
    rows = "".join(f"{n},{'sporty' if n % 2 else 'small'},{make}\n" for n, make in enumerate(makes, 1))
    (tmp_path / "cars.csv").write_text(f"number,type,make\n{rows}")
    build_index([tmp_path / "cars.csv"], tmp_path / "kb")
    with open_kb(tmp_path / "kb") as kb:
        node = kb.node(Iri("urn:row:cars.3"))
        assert node is not None
        assert kb.labels(np.array([node])) == ["Buick Century"]


def test_quotes_may_be_escaped_by_backslashes_and_stand_behind_spaces(tmp_path: Path) -> None:
    source = tmp_path / "t.csv"
    source.write_text('Name,   Country\n"Jim",     "USA"\n"H. \\"Barney\\" Ewell", "USA"\n')
    build_index([source], tmp_path / "kb")
    with open_kb(tmp_path / "kb") as kb:
        assert isinstance(kb, Index)
        node = kb.node(Literal('H. "Barney" Ewell'))
        assert node is not None
        assert kb.node(Literal("USA")) is not None


@pytest.mark.parametrize(
    ("column", "cells", "is_truth"),
    [
        ("landlocked", "01" * 20, True),
        ("has_pets", "01" * 20, True),
        ("is_open", "011", True),
        ("is_open", "111", True),
        ("is_open", "012", False),
        ("landlocked", "01" * 4, False),
        ("landlocked", "1" * 40, False),
        ("landlocked", "01" * 20 + "2", False),
        ("goals", "01" * 20, False),
        ("pet count", "01" * 20, False),
    ],
)
def test_ones_and_zeros_say_yes_or_no_where_the_name_is_no_amount(
    tmp_path: Path, column: str, cells: str, is_truth: bool
) -> None:
    rows = "".join(f"thing {n},{cell}\n" for n, cell in enumerate(cells))
    (tmp_path / "t.csv").write_text(f"name,{column}\n{rows}")
    build_index([tmp_path / "t.csv"], tmp_path / "kb")
    with open_kb(tmp_path / "kb") as kb:
        kinds = {one.label: one.kinds for one in kb.schema.relations}[column.replace("_", " ")]
        assert kinds == ({ValueKind.BOOLEAN} if is_truth else {ValueKind.NUMBER})


def test_parquet_is_read_like_the_same_csv(tmp_path: Path) -> None:
    source, target = tmp_path / "t.csv", tmp_path / "p" / "t.parquet"
    source.write_text("id,name,day\n1,Ann,2020-01-02\n2,Bob,2021-03-04\n")
    target.parent.mkdir()
    duckdb.execute(f"COPY (SELECT * FROM read_csv('{source}')) TO '{target}' (FORMAT parquet)")
    facts = []
    for path in (source, target):
        build_index([path], tmp_path / "kb")
        with open_kb(tmp_path / "kb") as kb:
            assert isinstance(kb, Index)
            facts.append([values(kb, f"urn:column:t.{c}", "urn:row:t.2") for c in ("id", "name", "day")])
    assert facts[0] == facts[1]


TEXT = st.text(st.characters(blacklist_categories=["Cs", "Cc"], blacklist_characters="\ufeff"), max_size=12)
ROWS = st.lists(st.tuples(TEXT, st.one_of(st.none(), st.integers(-(10**6), 10**6))), min_size=1, max_size=12)


@settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(rows=ROWS)
def test_every_cell_comes_back(tmp_path: Path, rows: Sequence[tuple[str, int | None]]) -> None:
    path = tmp_path / "anything.csv"
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, quoting=csv.QUOTE_ALL)
        writer.writerow(["word", "amount"])
        writer.writerows(("x" + word, "" if number is None else number) for word, number in rows)
    build_index([path], tmp_path / "kb")
    words = {"x" + word for word, _ in rows}
    with open_kb(tmp_path / "kb") as kb:
        assert isinstance(kb, Index)
        everything = kb.members(kb.schema.class_ids["urn:table:anything"])
        assert len(everything.ids) == len(rows)
        said = kb.terms(kb.objects(kb.schema.relation_ids["urn:column:anything.word"], everything).ids)
        assert {term.lexical for term in said if isinstance(term, Literal)} == {
            word.strip() for word in words
        }


@pytest.mark.parametrize(
    ("name", "content", "says"),
    [
        ("ragged.csv", b"a,b\n1,2\n3,4,5\n", "line 3: the row has another number of cells"),
        ("damaged.csv", b"a,b\n1,caf\xe9\n2,caf\xc3\xa9\n", "line 2: this is not UTF-8"),
        ("empty.csv", b"", "is empty"),
        ("broken.sqlite", b"SQLite format 3\x00" + b"x" * 200, "cannot be read"),
        ("broken.parquet", b"PAR1xxxx", "cannot be read as Parquet"),
    ],
)
def test_bad_tables_are_refused_with_a_sentence(tmp_path: Path, name: str, content: bytes, says: str) -> None:
    (tmp_path / name).write_bytes(content)
    with pytest.raises(InputError) as refused:
        build_index([tmp_path / name], tmp_path / "kb")
    assert says in str(refused.value)
    assert name in str(refused.value)


@pytest.mark.parametrize("encoding", ["cp1252", "utf-16", "utf-8-sig"])
def test_spreadsheets_may_be_saved_in_other_letters(tmp_path: Path, encoding: str) -> None:
    (tmp_path / "towns.csv").write_bytes("name;région\nGenève;“west”\nBâle;north\n".encode(encoding))
    build_index([tmp_path / "towns.csv"], tmp_path / "kb")
    with open_kb(tmp_path / "kb") as kb:
        assert isinstance(kb, Index)
        (region,) = (one for one in kb.schema.relations if one.label == "région")
        assert values(kb, region.iri, "urn:row:towns.Gen%C3%A8ve") == [Literal("“west”")]


def test_columns_of_one_name_are_told_apart_by_numbers(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("name,score,Score,score\nAnn,1,2,3\nBob,4,5,6\n")
    build_index([tmp_path / "t.csv"], tmp_path / "kb")
    with open_kb(tmp_path / "kb") as kb:
        assert {"score", "score 2", "score 3"} <= {one.label for one in kb.schema.relations}


def test_a_locked_database_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "busy.sqlite"
    writer = sqlite3.connect(path, isolation_level=None)
    writer.execute("CREATE TABLE t (a)")
    writer.execute("BEGIN EXCLUSIVE")
    try:
        with pytest.raises(InputError, match=r"locked.*close the program"):
            build_index([path], tmp_path / "kb")
    finally:
        writer.close()


def _table(tmp_path: Path, header: str, rows: Sequence[Sequence[str]]) -> Index:
    with (tmp_path / "t.csv").open("w", newline="") as file:
        csv.writer(file).writerows([header.split(), *rows])
    build_index([tmp_path / "t.csv"], tmp_path / "kb")
    kb = open_kb(tmp_path / "kb")
    assert isinstance(kb, Index)
    return kb


def test_cells_that_are_lists_hold_several_values(tmp_path: Path) -> None:
    lines = ["1, 5, 8", "1", "5", "8 , 1", "5,8", "8", "1, 5", "1"]
    genres = ["war|drama", "drama", "war", "comedy|war", "comedy", "drama|comedy", "war", "drama"]
    rows = [(f"Stop{n}", line, genre) for n, (line, genre) in enumerate(zip(lines, genres, strict=True))]
    with _table(tmp_path, "name lines genre", rows) as kb:
        told = [values(kb, f"urn:column:t.{column}", "urn:row:t.Stop0") for column in ("lines", "genre")]
    assert set(told[0]) == {Literal(line, XSD + "integer") for line in ("1", "5", "8")}
    assert set(told[1]) == {Literal("drama"), Literal("war")}


@pytest.mark.parametrize(
    "cells",
    [
        ["Paris, France", "Lyon, France", "Bonn, Germany", "Ulm, Germany", "Nice, France", "Köln, Germany"],
        ["Curie, Marie", "Curie, Pierre", "Bohr, Niels", "Bohr, Aage", "Braun, Karl", "Bragg, Lawrence"],
        ["Food, Beef & Beef", "Food, Duck", "Toy", "Toy, large", "Food, Tuna", "Webcam"],
        ["a, b", "c", "d", "e", "f", "g"],  # one cell says nothing
    ],
)
def test_a_comma_alone_makes_no_list(tmp_path: Path, cells: list[str]) -> None:
    with _table(tmp_path, "number said", [(str(n), cell) for n, cell in enumerate(cells)]) as kb:
        relation = kb.schema.relations[kb.schema.relation_ids["urn:column:t.said"]]
        assert (relation.facts, relation.objects) == (len(cells), len(cells))
