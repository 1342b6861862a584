"""Who is alive has not died."""

from __future__ import annotations

import pytest

from arcaneqa.judgement.alive import living
from arcaneqa.kb.index import Index
from tests.judgement.found_programs import found

FACTS = """@prefix : <http://example.org/> .
:ann a :Author ; :birthYear 1950 ; :nationality "Swiss" .
:eve a :Author ; :birthYear 1960 ; :nationality "Dane" .
:bob a :Author ; :birthYear 1900 ; :deathYear 1970 ; :nationality "Swiss" . :book a :Book ; :by :bob .
"""


@pytest.mark.parametrize(
    ("question", "program", "meant"),
    [
        ("authors still alive", "(ARGMAX :Author :deathYear)", "(NOT :Author (HAS :deathYear))"),
        ("which authors are not dead?", ":Author", "(NOT :Author (HAS :deathYear))"),
        ("how many authors haven't died?", "(COUNT :Author)", "(COUNT (NOT :Author (HAS :deathYear)))"),
        (
            "Swiss authors still living",
            '(AND :Author (JOIN :nationality "Swiss"))',
            '(AND (NOT :Author (HAS :deathYear)) (JOIN :nationality "Swiss"))',
        ),
        # Said already, not asked, of others, or nobody is left.
        ("authors still alive", "(NOT :Author (HAS :deathYear))", None),
        ("who died last?", "(ARGMAX :Author :deathYear)", None),
        ("authors living in Bern", ":Author", None),
        ("which books are alive?", ":Book", None),
        ("who wrote the book and is alive?", "(AND :Author (JOIN :by_inv :book))", None),
    ],
)
def test_the_living_have_no_year_of_death(kb: Index, question: str, program: str, meant: str | None) -> None:
    assert living(question, found(program, kb), kb).program == found(meant or program, kb).program
