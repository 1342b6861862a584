"""Execution on a small graph, worked out by hand."""

from __future__ import annotations

import tracemalloc
from collections.abc import Iterator

import pytest

from arcaneqa.kb.interface import KnowledgeBase
from arcaneqa.kb.short_names import Names
from arcaneqa.kb.terms import XSD, Iri, Literal
from arcaneqa.language.run import Budget, execute
from arcaneqa.language.sparql import to_sparql
from arcaneqa.language.text import parse
from arcaneqa.support.errors import BudgetExceeded, ProgramError
from tests.language.worlds import EX, PROFILE, found_by_query, indexed, stored


def _facts() -> str:
    """Presidents of a club: terms with both ends, an open one, one without dates; NOW is 15 June 2000."""
    rows = [
        "club office ann_term", "club office bob_term", "club office cat_term", "club office dan_term",
        "ann_term holder ann", "bob_term holder bob", "cat_term holder cat", "dan_term holder dan",
        "ann_term from 1990^^gYear", "ann_term to 1995-03-31^^date",
        "bob_term from 1995-04^^gYearMonth", "bob_term to 2000-06-14^^date",
        "cat_term from 2000-06-15T09:00:00Z^^dateTime",
        "ann gender female", "bob gender male", "cat gender female", "dan gender male",
        "ann size 3^^integer", "bob size 7.5^^decimal", "cat size 7.5^^double",
        "ann friend bob", "bob friend cat", "cat friend cat",
        "ann born 1950-12-31^^date", "bob born 1950^^gYear", "cat born 1960-02-29^^date",
        "ann member_since when_it_began^^string",
    ]  # fmt: skip
    lines = []
    for row in rows:
        subject, predicate, value = row.split(" ")
        text, _, datatype = value.partition("^^")
        written = f'"{text}"^^<{XSD}{datatype}>' if datatype else f"<{EX}{text}>"
        lines.append(f"<{EX}{subject}> <{EX}{predicate}> {written} .")
    kind = "http://www.w3.org/1999/02/22-rdf-syntax-ns#type"
    lines += [f"<{EX}{name}> <{kind}> <{EX}Person> ." for name in ("ann", "bob", "cat", "dan")]
    return "\n".join(lines) + "\n"


@pytest.fixture(scope="module")
def kb() -> Iterator[KnowledgeBase]:
    with indexed(_facts()) as opened:
        yield opened


TERMS = "(JOIN ex:office_inv ex:club)"
CASES = [
    # TC: a term meets the moment; a year is all of it; without dates it passes.
    (f"(JOIN ex:holder_inv (TC {TERMS} ex:from 1995^^xsd:gYear))", "ann bob dan"),
    (f"(JOIN ex:holder_inv (TC {TERMS} ex:from 1995-03-31^^xsd:date))", "ann dan"),
    (f"(JOIN ex:holder_inv (TC {TERMS} ex:from 1995-04^^xsd:gYearMonth))", "bob dan"),
    (f"(JOIN ex:holder_inv (TC {TERMS} ex:from 1989^^xsd:gYear))", "dan"),
    (f"(JOIN ex:holder_inv (TC {TERMS} ex:from 2000-06-15T08:59:59Z^^xsd:dateTime))", "dan"),
    (f"(JOIN ex:holder_inv (TC {TERMS} ex:from 2030^^xsd:gYear))", "cat dan"),
    (f"(JOIN ex:holder_inv (TC {TERMS} ex:from NOW))", "cat dan"),
    # Without a partner the relation marks a point in time.
    ("(TC ex:Person ex:born 1950-12-31^^xsd:date)", "ann bob dan"),
    ("(TC ex:Person ex:born 1960^^xsd:gYear)", "cat dan"),
    # CONS is AND with JOIN.
    ("(CONS ex:Person ex:gender ex:female)", "ann cat"),
    ("(AND ex:Person (JOIN ex:gender ex:female))", "ann cat"),
    ("(CONS ex:Person ex:friend_inv ex:bob)", "cat"),
    ("(CONS ex:Person ex:size 7.50^^xsd:float)", "bob cat"),
    # Ties are kept; a path is read from the set outwards.
    ("(ARGMAX ex:Person ex:size)", "bob cat"),
    ("(ARGMIN ex:Person ex:size)", "ann"),
    ("(ARGMAX ex:Person (JOIN ex:friend ex:size))", "ann bob cat"),
    ("(ARGMIN ex:Person (JOIN ex:friend_inv ex:size))", "bob"),
    ("(ARGMIN ex:Person ex:born)", "bob"),
    ("(ARGMAX (LT ex:born 1955^^xsd:gYear) ex:born)", "ann bob"),
    # Comparison: numbers with numbers, times as the stretches they name.
    ("(GT ex:size 3^^xsd:integer)", "bob cat"),
    ("(GE ex:size 3.0^^xsd:float)", "ann bob cat"),
    ("(LT ex:born 1950-12-31^^xsd:date)", ""),
    ("(LE ex:born 1950-12-31^^xsd:date)", "ann bob"),
    ("(GT ex:born 1950^^xsd:gYear)", "cat"),
    ("(GE ex:born 1950-12-31^^xsd:date)", "ann cat"),
    ("(JOIN ex:size 7.5^^xsd:double)", "bob cat"),
    ("(JOIN ex:size (JOIN ex:size_inv ex:bob))", "bob cat"),
    ('(JOIN ex:member_since "when_it_began")', "ann"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "expected"), CASES)
def test_by_hand(kb: KnowledgeBase, text: str, expected: str) -> None:
    program = parse(text, Names(PROFILE), kb.schema)
    result = execute(program, kb)
    terms = kb.terms(result.nodes.ids)
    assert " ".join(sorted(t.value.removeprefix(EX) for t in terms if isinstance(t, Iri))) == expected
    query = found_by_query(stored(_facts()), to_sparql(program, PROFILE, kb.schema))
    assert query == [f"<{EX}{name}>" for name in expected.split()]


def test_count_is_of_distinct_nodes(kb: KnowledgeBase) -> None:
    def counted(text: str) -> Literal | None:
        return execute(parse(text, Names(PROFILE), kb.schema), kb).value

    assert counted("(COUNT (JOIN ex:gender_inv ex:Person))") == Literal("2", XSD + "integer")
    assert counted("(COUNT (JOIN ex:friend ex:dan))") == Literal("0", XSD + "integer")


def test_mentioned_entities_are_left_out_before_a_superlative_or_a_count(kb: KnowledgeBase) -> None:
    def found(text: str, exclude: bool) -> object:
        result = execute(parse(text, Names(PROFILE)), kb, exclude_mentioned=exclude)
        names = [term.value.removeprefix(EX) for term in kb.terms(result.nodes.ids) if isinstance(term, Iri)]
        return names if result.value is None else int(result.value.lexical)

    friends = "(JOIN ex:friend ex:cat)"
    assert found(friends, False) == ["bob", "cat"]
    assert found(friends, True) == ["bob"]
    assert found(f"(COUNT {friends})", True) == 1
    assert found(f"(ARGMAX (AND ex:Person {friends}) ex:size)", True) == ["bob"]
    # What is not asked for may well be the entity itself.
    assert found(f"(JOIN ex:friend {friends})", True) == ["ann", "bob"]


def test_over_budget_is_an_error(kb: KnowledgeBase) -> None:
    program = parse("(AND ex:Person (JOIN ex:gender ex:male))", Names(PROFILE))
    with pytest.raises(BudgetExceeded, match="4 nodes; 3 are allowed"):
        execute(program, kb, Budget(rows=3))
    with pytest.raises(BudgetExceeded, match="more than 0 seconds"):
        execute(program, kb, Budget(seconds=0))


def test_a_table_too_large_for_memory_is_refused_before_it_is_made() -> None:
    """One member with 120 values in each of three columns has 1.7 million rows."""
    facts = [f"<{EX}hub> <{EX}{c}> <{EX}{c}{n}> ." for c in "abc" for n in range(120)]
    program = parse("(SHOW (JOIN ex:a ex:a0) ex:a ex:b ex:c)", Names(PROFILE))
    with indexed("\n".join(facts)) as hub:
        tracemalloc.start()
        try:
            with pytest.raises(BudgetExceeded, match="more than 1,000,000 cells"):
                execute(program, hub)
            assert tracemalloc.get_traced_memory()[1] < 20_000_000
        finally:
            tracemalloc.stop()


def test_what_the_knowledge_base_lacks_is_an_error(kb: KnowledgeBase) -> None:
    with pytest.raises(ProgramError, match="no relation ex:colour"):
        execute(parse("(JOIN ex:colour ex:ann)", Names(PROFILE)), kb)


def test_an_entity_nobody_mentions_has_no_answers(kb: KnowledgeBase) -> None:
    assert not execute(parse("(JOIN ex:friend ex:nobody)", Names(PROFILE)), kb).nodes
