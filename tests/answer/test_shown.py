"""What is shown of answers, and the facts behind them, the same through every interface."""

from __future__ import annotations

import asyncio
import csv
import io
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
from mcp import Client
from rich.console import Console

from arcaneqa.answer.arcaneqa import ArcaneQA
from arcaneqa.answer.describe import written
from arcaneqa.answer.explain import draw_items
from arcaneqa.answer.export import Format, exported
from arcaneqa.apps.http.app import create_app
from arcaneqa.apps.mcp import create_server
from arcaneqa.kb.build import build_index
from arcaneqa.kb.index import Index
from arcaneqa.kb.terms import XSD, Literal
from arcaneqa.verdict.fitted import Fitted
from tests.apps.http.service_world import SteadyScorer, serving

TABLES = {
    "orders": """order_id,customer,order_date,city,total_eur,comment
1,Ada Berg,2021-03-05,Oslo,120.50,leave at the door
2,Bo Lund,2021-04-06,Bergen,80.25,
3,Ada Berg,2022-01-02,Oslo,33.10,call first
4,Cy Dahl,2022-07-09,Tromso,15200.00,
""",
    "life": """country,year,life expectancy
Peru,2010,73.9
Peru,1990,65.9
Peru,2000,70.5
Chile,1990,72.7
""",
    "shops": """name,city,staff,opened,owner,rooms,floors,area
North Shop,Oslo,12,2001,Ada,3,1,90
Harbour Shop,Bergen,7,2010,Bo,2,2,60
Fjord Shop,Tromso,30,1987,Cy,9,3,400
""",
}
TOP = "(ARGMAX table:orders column:orders.total_eur 2)"
SERIES = 'column:life.life_expectancy_inv (JOIN column:life.country "Peru")'
PROGRAMS = (
    "table:orders",
    "table:shops",
    TOP,
    f"(JOIN {SERIES})",
    "(PER table:orders column:orders.city COUNT)",
)


@pytest.fixture(scope="module")
def qa(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ArcaneQA]:
    folder = tmp_path_factory.mktemp("tables")
    paths: list[str | Path] = []
    for name, text in TABLES.items():
        paths.append(folder / f"{name}.csv")
        Path(paths[-1]).write_text(text)
    build_index(paths, folder / "kb")
    with Index(folder / "kb") as kb:
        yield ArcaneQA(kb, SteadyScorer(), Fitted(answer=0.0))


def _labels(qa: ArcaneQA, program: str, is_whole: bool = False) -> tuple[tuple[str, ...], list[list[str]]]:
    shown = qa.run(program).shown(is_whole)
    assert shown is not None
    return shown.table.columns, [list(row) for row in shown.table.told]


def test_rows_come_with_their_telling_columns(qa: ArcaneQA) -> None:
    columns, rows = _labels(qa, "table:orders")
    assert columns[0] == "order id", "rows without a name go by what identifies them"
    assert {"customer", "order date", "city", "total eur"} < set(columns)
    assert rows[3][columns.index("total eur")] == "15,200"
    assert rows[0][columns.index("order date")] == "5 March 2021"
    columns, rows = _labels(qa, "table:shops")
    assert (columns[0], len(columns)) == ("name", 6)
    assert [row[0] for row in rows] == ["North Shop", "Harbour Shop", "Fjord Shop"]
    shown = qa.run("table:shops").shown()
    assert shown is not None
    assert len(shown.more) == 2
    whole, _ = _labels(qa, "table:shops", is_whole=True)
    assert set(whole) == {*columns, *shown.more}
    assert "name" not in whole[1:], "the name stands there once"


@pytest.mark.parametrize("program", ["table:orders", TOP, "(PER table:orders column:orders.city COUNT)"])
def test_the_total_is_that_of_all_rows(qa: ArcaneQA, program: str) -> None:
    whole, first = qa.run(program).shown(), qa.run(program).shown(most=1)
    assert whole is not None
    assert first is not None
    assert first.table.cells == whole.table.cells[:1]
    assert first.total == whole.total == len(whole.table.cells) > 1


def test_what_is_compared_stands_beside_the_name(qa: ArcaneQA) -> None:
    columns, rows = _labels(qa, "(AND table:shops (GT column:shops.area 70))")
    assert columns[:2] == ("name", "area")
    assert sorted(row[1] for row in rows) == ["400", "90"]


def test_a_superlative_is_in_order_with_what_decides(qa: ArcaneQA) -> None:
    columns, rows = _labels(qa, TOP)
    assert columns[:2] == ("order id", "total eur")
    assert [row[:2] for row in rows] == [["4", "15,200"], ["1", "120.5"]]
    assert _labels(qa, "(ARGMIN table:shops column:shops.opened 2)") == (
        ("name", "opened"),
        [["Fjord Shop", "1987"], ["North Shop", "2001"]],
    )


def test_a_series_has_its_dates_in_order(qa: ArcaneQA) -> None:
    assert _labels(qa, f"(JOIN {SERIES})") == (
        ("year", "life expectancy"),
        [["1990", "65.9"], ["2000", "70.5"], ["2010", "73.9"]],
    )


def test_names_and_values_alone_are_no_table(qa: ArcaneQA) -> None:
    for program in ("(COUNT table:orders)", "(AVG table:orders column:orders.total_eur)"):
        assert qa.run(program).shown() is None


def test_values_are_written_as_people_write_them() -> None:
    said = {"2022": "2022", "43250": "43,250", "33.333333333333336": "33.33", "0.00012345678": "0.0001235"}
    assert {text: written(Literal(text, XSD + "decimal")) for text in said} == said
    assert written(Literal("12.50", XSD + "decimal")) == "12.5"
    assert written(Literal("-0044-03-15", XSD + "date")) == "15 March 44 BC"
    assert written(Literal("2021-13-01", XSD + "date")) == "2021-13-01", "no month: it stays as it is"


@pytest.mark.parametrize(
    ("text", "kind", "said"),
    [
        ("66987244", "integer", "66,987,244"),
        ("1889", "integer", "1889"),
        ("-12345.60", "decimal", "-12,345.6"),
        ("2.5e6", "double", "2,500,000"),
        ("4.2E-3", "double", "0.0042"),
        ("6.02214076e23", "double", "6.02214076e23"),
        ("123456789012345678901", "integer", "123,456,789,012,345,678,901"),
        ("NaN", "double", "NaN"),
        ("1968-10-05", "date", "5 October 1968"),
        ("1968-10", "gYearMonth", "October 1968"),
        ("1968", "gYear", "1968"),
        ("-0044-03-15", "date", "15 March 44 BC"),
        ("2024-02-29T13:45:00Z", "dateTime", "29 February 2024, 13:45"),
        ("2024-02-29T00:00:00", "dateTime", "29 February 2024"),
        ("1968-13-05", "date", "1968-13-05"),
        ("soon", "date", "soon"),
        ("true", "boolean", "Yes"),
        ("12345", "string", "12345"),
    ],
)
def test_values_of_every_kind(text: str, kind: str, said: str) -> None:
    assert written(Literal(text, XSD + kind)) == said


@pytest.mark.parametrize("program", PROGRAMS)
def test_every_interface_shows_the_same(qa: ArcaneQA, program: str) -> None:
    answer = qa.run(program)
    telling, whole = answer.shown(), answer.shown(is_whole=True)
    assert telling is not None
    assert whole is not None

    screen = Console(file=io.StringIO(), width=200)
    draw_items(screen, answer)
    assert isinstance(screen.file, io.StringIO)
    printed = screen.file.getvalue()
    for row in telling.table.told:
        assert any(all(cell in line for cell in row) for line in printed.splitlines())

    with serving(create_app(qa)) as (url, _), httpx.Client(base_url=url, timeout=30) as client:
        found = client.post("/v1/run", json={"program": program}).raise_for_status().json()
        text = client.post("/v1/run", json={"program": program, "format": "csv"}).raise_for_status().text
    sent = found["table"] or found["shown"]
    assert tuple(sent["columns"]) == telling.table.columns
    assert [[cell and cell["label"] for cell in row] for row in sent["cells"]] == [
        [cell and cell.label for cell in row] for row in telling.table.cells
    ]
    assert sent["total"] == whole.total
    assert text == exported(answer, Format.CSV, qa.names)
    head, *lines = csv.reader(io.StringIO(text))
    own = head[2:] if whole.is_of_things else head[1:]
    assert own == list(whole.table.columns[1:])
    assert len(lines) == whole.total
    assert list(answer.to_pandas().columns) == head

    async def ran() -> dict[str, object]:
        async with Client(create_server(qa)) as tools:
            called = await tools.call_tool("run", {"program": program})
            assert called.structured_content is not None
            table: dict[str, object] = called.structured_content["table"]
            return table

    table = asyncio.run(ran())
    assert tuple(table["columns"]) == whole.table.columns  # type: ignore[arg-type]
    assert table["total"] == whole.total


# The facts behind an answer ------------------------------------------------------------------------


def test_support_of_a_count_is_what_was_counted(qa: ArcaneQA) -> None:
    facts = [fact.to_json() for fact in qa.run('(COUNT (JOIN column:orders.city "Oslo"))').support]
    assert facts == [
        ["row:orders.1", "column:orders.city", "Oslo", "table orders"],
        ["row:orders.3", "column:orders.city", "Oslo", "table orders"],
    ]


def test_support_holds_every_part_of_the_way(qa: ArcaneQA) -> None:
    answer = qa.run(
        '(AND table:orders (AND (JOIN column:orders.city "Oslo") (GT column:orders.total_eur 50)))'
    )
    assert {tuple(fact.to_json()[:3]) for fact in answer.support} == {
        ("row:orders.1", "is a", "table:orders"),
        ("row:orders.1", "column:orders.city", "Oslo"),
        ("row:orders.1", "column:orders.total_eur", "120.50"),
    }


@pytest.mark.parametrize(
    "program",
    [
        *PROGRAMS,
        "(SORT table:shops column:shops.staff DESC)",
        "(AVG (HAS column:shops.staff) column:shops.staff)",
        '(MEET table:orders (JOIN column:orders.city "Oslo"))',
        '(NOT table:shops (JOIN column:shops.city "Oslo"))',
        "(SHOW table:shops SELF column:shops.staff)",
        "(GT column:shops.staff (AVG table:shops column:shops.staff))",
        '(OR (LIKE column:shops.name "north") (JOIN column:shops.city "Bergen"))',
    ],
)
def test_support_are_facts_of_the_knowledge_base(qa: ArcaneQA, program: str) -> None:
    facts = qa.run(program).support
    assert facts
    for fact in facts:
        subject, predicate, object_, source = fact.to_json()
        assert source is not None
        assert source.startswith("table ")
        if predicate == "is a":
            known = qa.run(str(object_)).items
        else:
            told = object_ if fact.object.id is not None else f'"{object_}"'
            if fact.object.datatype is not None and not fact.object.datatype.endswith("string"):
                told = f'"{object_}"^^<{fact.object.datatype}>'
            known = qa.run(f"(JOIN {predicate} {told})").items
        assert subject in {item.id for item in known}


def test_where_facts_come_from_one_file_it_is_named(tmp_path: Path) -> None:
    (tmp_path / "towns.ttl").write_text(
        "@prefix ex: <http://example.org/> . ex:a a ex:Town ; ex:mayor ex:b . ex:b <http://www.w3.org/2000/01/"
        'rdf-schema#label> "Bo" .'
    )
    build_index([tmp_path / "towns.ttl"], tmp_path / "kb")
    with Index(tmp_path / "kb") as kb:
        answer = ArcaneQA(kb, SteadyScorer(), Fitted(answer=0.0)).run("(JOIN ex:mayor_inv ex:a)")
        assert [fact.to_json() for fact in answer.support] == [["ex:a", "ex:mayor", "ex:b", "towns.ttl"]]
        assert answer.support[0].words[2] == "Bo"
