"""Names of which the question says the opposite."""

from __future__ import annotations

import pytest

from arcaneqa.judgement.polarity import says_opposite
from arcaneqa.kb.short_names import Names
from arcaneqa.kb.terms import Literal
from arcaneqa.language.text import parse
from tests.induction.plain import PlainKb

KB = PlainKb(
    [
        ("anna", "type", "Pupil"),
        ("anna", "lastName", Literal("Berg")),
        ("anna", "firstGrade", Literal("B")),
        ("anna", "end", Literal("noon")),
    ]
)


@pytest.mark.parametrize(
    ("question", "program", "expected"),
    [
        ("what are the first names of the pupils?", "(JOIN ex:lastName_inv ex:Pupil)", True),
        ("first name and grade of each pupil", "(SHOW ex:Pupil ex:lastName ex:firstGrade)", True),
        ("what are the last names of the pupils?", "(JOIN ex:lastName_inv ex:Pupil)", False),
        # Both are said: the program may give one of them.
        ("first name and last name of each pupil", "(JOIN ex:lastName_inv ex:Pupil)", False),
        # The opposite of a word stands beside another noun.
        ("names of the pupils of the first room", "(JOIN ex:lastName_inv ex:Pupil)", False),
        # A name of one word has no noun that would be the same.
        ("when does it start?", "(JOIN ex:end_inv ex:Pupil)", False),
    ],
)
def test_the_opposite_of_a_name(question: str, program: str, expected: bool) -> None:
    assert says_opposite(question, parse(program, Names(KB.profile), KB.schema), KB) is expected
