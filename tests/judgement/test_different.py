"""What rows only repeat: the countries of a table of countries and years, and the dates of deaths."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from arcaneqa.induction.found import Found, Trace
from arcaneqa.judgement.different import counted_not_dated, different_values
from arcaneqa.judgement.placing import mistimed
from arcaneqa.kb.build import build_index
from arcaneqa.kb.index import Index
from arcaneqa.kb.short_names import Names
from arcaneqa.language.run import execute
from arcaneqa.language.text import parse, print_program

WHERE = (("Chad", "Africa"), ("Mali", "Africa"), ("Peru", "America"), ("Spain", "Europe"))
FIGURES = "country,continent,year,people,births,measured\n" + "".join(
    f"{country},{continent},{year},{year * 7 + len(country)},{year % 7},{year}-0{len(country)}-01\n"
    for country, continent in WHERE
    for year in (1990, 1995, 2000)
)
C = "column:figures."
AFRICA = f'(AND table:figures (JOIN {C}continent "Africa"))'


@pytest.fixture(scope="module")
def kb(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Index]:
    folder: Path = tmp_path_factory.mktemp("figures")
    (folder / "figures.csv").write_text(FIGURES)
    build_index([folder / "figures.csv"], folder / "index")
    with Index(folder / "index") as opened:
        yield opened


def found(program: str, kb: Index) -> Found:
    parsed = parse(program, Names(kb.profile), kb.schema)
    return Found(parsed, -1.0, execute(parsed, kb), (), Trace((), []))


def text(one: Found, kb: Index) -> str:
    return print_program(one.program, Names(kb.profile))


@pytest.mark.parametrize(
    ("question", "rows", "column"),
    [
        ("how many countries are in Africa?", AFRICA, "country"),
        ("number of different countries in Africa", AFRICA, "country"),
        ("how many distinct countries are in Africa?", AFRICA, "country"),
        ("how many years are covered?", "table:figures", "year"),
        # Rows are called so, or nothing is.
        ("how many figures are from Africa?", AFRICA, None),
        ("how many births were there in Africa?", AFRICA, None),
        # The one continent that the condition names.
        ("how many continents are Africa?", AFRICA, None),
    ],
)
def test_what_stands_in_several_rows_is_counted_once(
    kb: Index, question: str, rows: str, column: str | None
) -> None:
    read = found(f"(COUNT {rows})", kb)
    expected = f"(COUNT {rows} {C}{column})" if column else text(read, kb)
    assert text(different_values(question, read, kb), kb) == expected


def test_a_count_of_values_is_left_alone(kb: Index) -> None:
    read = found(f"(COUNT {AFRICA} {C}year)", kb)
    assert different_values("how many countries are in Africa?", read, kb) is read


@pytest.mark.parametrize(
    ("question", "is_counted"),
    [
        ("which continent has the most countries?", True),
        ("which continent had the fewest figures", True),
        ("which continent has the most recent figures?", False),
        ("which continent was measured last?", False),
    ],
)
def test_most_of_something_is_no_latest_date(kb: Index, question: str, is_counted: bool) -> None:
    read = found(f"(JOIN {C}continent_inv (ARGMAX table:figures {C}measured))", kb)
    counted = f"(ARGMAX (JOIN {C}continent_inv (CLASS table:figures)) (COUNT {C}continent_inv))"
    assert text(counted_not_dated(question, read, kb), kb) == (counted if is_counted else text(read, kb))


def test_among_some_rows_those_are_counted(kb: Index) -> None:
    read = found(f"(JOIN {C}country_inv (ARGMAX {AFRICA} {C}measured))", kb)
    some = f"(JOIN {C}country_inv {AFRICA})"
    counted = f"(ARGMAX {some} (COUNT {C}country_inv {AFRICA}))"
    assert text(counted_not_dated("which country in Africa has the most figures?", read, kb), kb) == counted


def test_a_largest_number_is_no_date(kb: Index) -> None:
    read = found(f"(JOIN {C}country_inv (ARGMAX table:figures {C}people))", kb)
    assert counted_not_dated("which country has the most people?", read, kb) is read


@pytest.mark.parametrize(
    ("question", "program", "wrong"),
    [
        ("people of Chad in 2000", f"(LT {C}year 2000)", 1),
        ("people of Chad in 2000", f"(JOIN {C}year 2000)", 0),
        ("people of Chad before 2000", f"(LT {C}year 2000)", 0),
        ("people of Chad in 2000", f"(AND (GE {C}year 2000) (LE {C}year 2000))", 0),
    ],
)
def test_in_a_year_is_not_in_all_before(kb: Index, question: str, program: str, wrong: int) -> None:
    assert mistimed(question, found(program, kb).program, kb) == wrong
