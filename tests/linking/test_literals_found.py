from decimal import Decimal
from pathlib import Path
from typing import cast

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from arcaneqa.kb.build import build_index
from arcaneqa.kb.index import Index
from arcaneqa.kb.interface import KnowledgeBase, NodeSet
from arcaneqa.kb.schema import Schema
from arcaneqa.kb.terms import XSD, Iri, Literal
from arcaneqa.linking.linker import Linker
from arcaneqa.linking.literals import USUAL, find_literals, numbers, times, used_types


class Empty:
    """The one question literals ask of a knowledge base, which holds none of them."""

    schema = Schema((), ())

    def equal(self, _: Literal) -> NodeSet:
        return NodeSet(np.array([], dtype=np.int64))


EMPTY = cast(KnowledgeBase, Empty())


def readings(question: str, *names: str) -> list[list[tuple[str, str]]]:
    used = {XSD + name: 1 for name in names}
    return [
        [(reading.lexical, reading.datatype.removeprefix(XSD)) for reading in link.readings]
        for link in find_literals(question, EMPTY, used)
    ]


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("over 1,234.5 people", "1234.5"),
        ("3 million euros", "3000000"),
        ("twelve angry men", "12"),
        ("the 5th season", "5"),
        ("10^6 metres", "1000000"),
        ("6.02 x 10^23 atoms", "6.02E+23"),
        ("3.479e+25 amperes", "3.479E+25"),
        ("1e-06 kelvins", "0.000001"),
        ("two hundred and fifty thousand", "250000"),
        ("twenty-five km", "25"),
        ("half a million", "500000"),
        ("a hundred years", "100"),
        ("larger than1.66?", "1.66"),
        ("79.0kg", "79"),
        ("minus 5 degrees", "-5"),
        ("$20k", "20000"),
    ],
)
def test_numbers(text: str, value: str) -> None:
    [number] = numbers(text)
    assert number.values[0] == Decimal(value)


def test_a_percentage_may_be_a_share() -> None:
    [number] = numbers("25% of the votes")
    assert number.values == (Decimal(25), Decimal("0.25"))
    assert number.unit == "percent"


def test_facts_may_be_counted_in_millions() -> None:
    [number] = numbers("200 million km")
    assert number.values == (Decimal(200_000_000), Decimal(200))


def test_two_numbers_may_be_counted_alike() -> None:
    low, high = numbers("between 5 and 6.5 million passengers")
    assert (low.values[0], high.values[0]) == (Decimal(5_000_000), Decimal(6_500_000))
    twelve, _ = numbers("12 cities with 5 million people")
    assert twelve.values == (Decimal(12),)


def test_units_are_remembered() -> None:
    assert [number.unit for number in numbers("5 km, 6kg, €7 and 8 apples")] == ["km", "kg", "euros", None]


@pytest.mark.parametrize("text", ["which one", "R2D2", "a 3D film", "747s", "one of them", "second to none"])
def test_not_numbers(text: str) -> None:
    assert list(numbers(text)) == []


@pytest.mark.parametrize(
    ("text", "reading"),
    [
        ("on 2001-06-11", ("date", "2001-06-11")),
        ("01/02/1999", ("date", "1999-01-02")),
        ("31/12/1999", ("date", "1999-12-31")),
        ("March 3rd, 1999", ("date", "1999-03-03")),
        ("aug. the 15th, 1990", ("date", "1990-08-15")),
        ("the 3rd of march 1999", ("date", "1999-03-03")),
        ("june 2004", ("gYearMonth", "2004-06")),
        ("in 1999?", ("gYear", "1999")),
        ("the 1990s", ("gYear", "1990")),
        ("44 BC", ("gYear", "-0044")),
        ("AD 79", ("gYear", "0079")),
        ("at 2010-09-22t21:57:22z?", ("dateTime", "2010-09-22T21:57:22Z")),
        ("at 2010-09-22 21:57", ("dateTime", "2010-09-22T21:57:00")),
    ],
)
def test_times(text: str, reading: tuple[str, str]) -> None:
    [time] = times(text)
    assert time.readings[0] == reading


def test_a_date_with_two_readings_has_both() -> None:
    [time] = times("01/02/1999")
    assert [lexical for _, lexical in time.readings] == ["1999-01-02", "1999-02-01"]


def test_a_decade_ends() -> None:
    [time] = times("the nineties")
    assert [lexical for _, lexical in time.readings] == ["1990", "1999"]


def test_impossible_dates_are_no_dates() -> None:
    assert [time.readings[0][0] for time in times("2001-02-30")] == []


def test_literals_have_the_types_of_the_knowledge_base() -> None:
    assert readings("more than 5", "integer", "double") == [[("5", "integer"), ("5.0", "double")]]
    assert readings("more than 5.0", "integer", "double") == [[("5.0", "double"), ("5", "integer")]]
    assert readings("more than 5", "decimal") == [[("5", "decimal")]]
    assert readings("in 1999", "gYear", "integer") == [[("1999", "gYear"), ("1999", "integer")]]
    assert readings("in 1999", "integer") == [[("1999", "integer")]]


def test_a_year_stays_a_year_where_facts_are_dates() -> None:
    assert readings("after 1999", "date")[0][0] == ("1999", "gYear")


@given(st.text(max_size=200))
def test_any_question_is_read(question: str) -> None:
    for link in find_literals(question, EMPTY, USUAL):
        assert question[link.start : link.end] == link.text
        assert link.readings


@given(st.decimals(allow_nan=False, allow_infinity=False, min_value=-(10**12), max_value=10**12, places=3))
def test_every_decimal_is_found_as_itself(value: Decimal) -> None:
    [number] = numbers(f"is it {value} then")
    assert number.values[0] == value


def test_a_text_is_stated_beside_an_entity_that_only_holds_its_word(tmp_path: Path) -> None:
    facts = [
        '<http://x.example/s> <http://www.w3.org/2000/01/rdf-schema#label> "France Foods" .',
        '<http://x.example/s> <http://x.example/country> "Norway" .',
        '<http://x.example/t> <http://x.example/country> "France" .',
    ]
    (tmp_path / "facts.nt").write_text("\n".join(facts), encoding="utf-8")
    build_index([tmp_path / "facts.nt"], tmp_path / "index")
    with Index(tmp_path / "index") as kb:
        links = Linker(kb).link("which shops are in France?")
    assert [literal.text for literal in links.literals] == ["France"]


def test_a_unit_is_converted_into_those_that_columns_are_called_by(tmp_path: Path) -> None:
    rows = "".join(f"penguin {n},{3000 + n},{n}.5,0.{n}\n" for n in range(5))
    (tmp_path / "penguins.csv").write_text(f"name,body mass (g),bill (cm),wing (m)\n{rows}")
    build_index([tmp_path / "penguins.csv"], tmp_path / "kb")
    with Index(tmp_path / "kb") as kb:

        def values(question: str) -> set[float]:
            (link,) = find_literals(question, kb, used_types(kb))
            return {float(reading.lexical) for reading in link.readings}

        assert values("penguins over 6 kg") == {6, 6000}
        assert values("bills longer than 40 mm") == {40, 4, 0.04}
        # A column has this unit already.
        assert values("bills longer than 4 cm") == {4}
        assert values("bills longer than 2 inches") == {2, 5.08, 0.0508}
        assert values("older than 6 years") == {6}


def test_a_year_may_only_say_which_column_is_meant(tmp_path: Path) -> None:
    rows = "Lyon,80,90,1010\nNice,70,60,2010\n"
    (tmp_path / "towns.csv").write_text(f"town,visitors_2010,visitors_2020,founded\n{rows}")
    build_index([tmp_path / "towns.csv"], tmp_path / "kb")
    with Index(tmp_path / "kb") as kb:
        linker = Linker(kb)
        assert not linker.link("how many visitors were there in 2020?").literals
        # Something was in that year, or it is in no name.
        assert linker.link("what was founded in 2010?").literals
        assert linker.link("what was founded in 2015?").literals


def test_how_long_something_runs_is_told_in_minutes(tmp_path: Path) -> None:
    (tmp_path / "films.csv").write_text("title,runtime\nAlien,117\nJaws,124\n")
    build_index([tmp_path / "films.csv"], tmp_path / "kb")
    with Index(tmp_path / "kb") as kb:
        (link,) = find_literals("films longer than 2 hours", kb, used_types(kb))
    assert {float(reading.lexical) for reading in link.readings} == {2, 120}


def test_words_of_the_schema_are_not_misspelt(tmp_path: Path) -> None:
    rows = "Grimes,Hungary,theft\nEvers,Norway,arson\nBulgarian,Spain,fraud\n"
    (tmp_path / "cases.csv").write_text(f"name,country,crime\n{rows}")
    build_index([tmp_path / "cases.csv"], tmp_path / "index")
    with Index(tmp_path / "index") as kb:
        for question in ("Which crimes are there?", "who never lost?", "list the Hungarian ones"):
            assert Linker(kb).link(question).mentions == (), question
        (misspelt,) = Linker(kb).link("What did Grymes do?").mentions
        assert misspelt.candidates[0].label == "Grimes"


def test_a_value_before_the_noun_of_a_kind_is_not_one_with_it(tmp_path: Path) -> None:
    rows = "A1,Switzerland,Swiss Airlines\nB2,Switzerland,Bee\nC3,Norway,Sea\n"
    (tmp_path / "airlines.csv").write_text(f"code,country,alias\n{rows}")
    build_index([tmp_path / "airlines.csv"], tmp_path / "index")
    with Index(tmp_path / "index") as kb:
        (land,) = Linker(kb).link("How many Swiss airlines are there?").literals
        assert [one.lexical for one in land.readings] == ["Switzerland"]
        (name,) = Linker(kb).link("Which code has Swiss Airlines?").literals
        assert [one.lexical for one in name.readings] == ["Swiss Airlines"]


def test_a_word_that_often_only_asks_is_a_value_before_a_kind(tmp_path: Path) -> None:
    (tmp_path / "g.ttl").write_text(
        "@prefix : <http://example.org/> . "
        ':a a :Species ; :size "Large" . :b a :Species ; :size "Small" ; :sex "male" .'
    )
    build_index([tmp_path / "g.ttl"], tmp_path / "index")
    with Index(tmp_path / "index") as kb:
        for question, value in (("Which large species are there?", "Large"), ("male species", "male")):
            (text,) = Linker(kb).link(question).literals
            assert [one.lexical for one in text.readings] == [value]
        assert Linker(kb).link("How large are species?").literals == ()


def test_a_kind_and_the_small_word_behind_it_are_no_row(tmp_path: Path) -> None:
    (tmp_path / "murders.csv").write_text("code,total\nIN,142\nOH,310\nUT,22\n")
    build_index([tmp_path / "murders.csv"], tmp_path / "index")
    with Index(tmp_path / "index") as kb:
        assert Linker(kb).link("total murders in the country").mentions == ()
        (row,) = Linker(kb).link("what is the total of murders OH?").mentions
        assert kb.terms(np.array([row.candidates[0].node])) == [Iri("urn:row:murders.OH")]


def test_a_word_that_often_only_asks_may_be_a_sort_in_the_plural(tmp_path: Path) -> None:
    rows = "".join(f"place {n},{('city', 'town', 'village')[n % 3]},{n}\n" for n in range(9))
    (tmp_path / "ontario.csv").write_text(f"name,type,area\n{rows}")
    (tmp_path / "other.csv").write_text(f"name,city type,area\n{rows}")
    for table, values in (("ontario", ["city"]), ("other", [])):  # where cities have a column, it is meant
        build_index([tmp_path / f"{table}.csv"], tmp_path / table)
        with Index(tmp_path / table) as kb:
            linked = Linker(kb).link("How many cities are there?").literals
            assert [one.lexical for text in linked for one in text.readings] == values
            assert Linker(kb).link("In which city is place 3?").literals == ()


def test_peoples_of_a_part_of_the_world_are_no_peoples_of_another(tmp_path: Path) -> None:
    rows = "Peru,South America\nKenya,Africa\nSouth Africa,Africa\nCuba,North America\n"
    (tmp_path / "countries.csv").write_text(f"name,continent\n{rows}")
    build_index([tmp_path / "countries.csv"], tmp_path / "index")
    with Index(tmp_path / "index") as kb:
        for said, meant in (("South American", "South America"), ("North American", "North America")):
            for asked in (f"Which {said} countries are there?", f"How many {said}s are there?"):
                (value,) = Linker(kb).link(asked).literals
                assert [one.lexical for one in value.readings] == [meant]


def test_a_number_within_a_stated_text_is_a_part_of_it(tmp_path: Path) -> None:
    rows = "".join(f"film {n},{'PG-13' if n % 2 else 'R'},{n % 30}\n" for n in range(60))
    (tmp_path / "films.csv").write_text(f"title,rated,score\n{rows}")
    build_index([tmp_path / "films.csv"], tmp_path / "index")
    with Index(tmp_path / "index") as kb:
        (stated,) = Linker(kb).link("How many films are rated PG-13?").literals
        assert (stated.text, stated.readings) == ("PG-13", (Literal("PG-13"),))
        (number,) = Linker(kb).link("How many films have a score of 13?").literals
        assert {reading.datatype for reading in number.readings} == {XSD + "integer"}
