"""Where: the first places that a program comes to are the answer."""

from __future__ import annotations

import pytest

from arcaneqa.induction.found import Outcome
from arcaneqa.judgement.ways import at_the_first_places
from arcaneqa.judgement.weighing import weighed
from arcaneqa.kb.index import Index
from arcaneqa.kb.short_names import Names
from arcaneqa.language.run import execute
from arcaneqa.language.text import parse
from arcaneqa.links import Links
from tests.judgement.found_programs import found

FACTS = """@prefix : <http://example.org/> .
:peru a :Place, :Country ; :grows :coffee ; :continent :america . :kenya a :Place, :Country ; :grows :coffee .
:kenya :continent :africa . :africa a :Place . :america a :Place .
:lime a :Firm ; :grows :tea ; :seat :kenya . :rose a :Place, :Farm ; :grows :tea ; :continent :africa .
"""
CONTINENTS = "(JOIN :continent_inv (JOIN :grows :coffee))"


@pytest.mark.parametrize(
    ("question", "program", "expected"),
    [
        ("where is coffee cultivated?", CONTINENTS, "(JOIN :grows :coffee)"),
        (
            "where is coffee cultivated?",
            "(JOIN :continent_inv (AND :Country (JOIN :grows :coffee)))",
            "(AND :Country (JOIN :grows :coffee))",
        ),
        ("on which continents is coffee grown?", CONTINENTS, None),  # no question of where
        ("where, by continent, is coffee cultivated?", CONTINENTS, None),
        ("where are the countries that grow coffee?", CONTINENTS, None),
        ("where are the firms with tea?", "(JOIN :seat_inv (JOIN :grows :tea))", None),
        ("where is tea from?", "(JOIN :seat_inv (JOIN :grows :tea))", None),  # a firm is no place
        ("where is Peru?", "(JOIN :continent_inv :peru)", None),
    ],
)
def test_a_place_is_where_it_is_first_found(
    kb: Index, question: str, program: str, expected: str | None
) -> None:
    first = at_the_first_places(question, found(program, kb), kb)
    assert first.program == parse(expected or program, Names(kb.profile), kb.schema)
    assert first.nodes.ids.tolist() == execute(first.program, kb).nodes.ids.tolist()


def test_two_that_become_one_are_one(kb: Index) -> None:
    question = "where is coffee cultivated?"
    both = (found(CONTINENTS, kb), found("(JOIN :grows :coffee)", kb, score=-3.0))
    (one,) = weighed(question, Links(question), Outcome(both, is_complete=True), kb).found
    assert one.program == both[1].program
    assert one.score == -1.0
