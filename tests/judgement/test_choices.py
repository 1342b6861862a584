"""Questions that offer two, and answers that are neither."""

from __future__ import annotations

import pytest

from arcaneqa.judgement.choices import chooses_neither, offered
from arcaneqa.judgement.rules import Asked
from arcaneqa.links import Links
from tests.judgement.test_coverage import KB, found, mention


def asked(question: str, *names: str) -> Asked:
    return Asked(question, Links(question, tuple(mention(question, name) for name in names)), KB)


@pytest.mark.parametrize(
    ("question", "names", "two"),
    [
        ("who is taller, anna or bert?", ("anna", "bert"), ("anna", "bert")),
        ("Which has more credits? anna or bert", ("anna", "bert"), ("anna", "bert")),
        ("who is the oldest, “anna” or the “bert”?", ("anna", "bert"), ("anna", "bert")),
        ("which workers know anna or bert?", ("anna", "bert"), None),
        ("is the taller one anna or bert?", ("anna", "bert"), None),
        ("who is taller, anna or bert, of all workers?", ("anna", "bert"), None),
        ("who is taller, anna and bert?", ("anna", "bert"), None),
    ],
)
def test_a_choice_is_offered_at_the_end_behind_words_that_compare(
    question: str, names: tuple[str, ...], two: tuple[str, str] | None
) -> None:
    assert offered(asked(question, *names)) == two


@pytest.mark.parametrize(
    ("program", "is_neither"),
    [
        ("(ARGMAX (OR ex:anna ex:bert) ex:height)", False),
        ("(JOIN ex:boss_inv ex:anna)", False),
        ("(JOIN ex:gender_inv (OR ex:anna ex:bert))", True),
        ("(COUNT (OR ex:anna ex:bert))", True),
    ],
)
def test_what_is_neither_answers_no_choice(program: str, is_neither: bool) -> None:
    assert (
        chooses_neither(asked("who is taller, anna or bert?", "anna", "bert"), found(program)) is is_neither
    )


def test_where_nothing_is_offered_everything_may_answer() -> None:
    assert not chooses_neither(asked("who is anna's boss?", "anna"), found("(COUNT ex:Worker)"))
