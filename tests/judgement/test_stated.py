"""What a question states or names and a search has left out is taken up; what only sorts people, or counts
the one that is named, is no answer."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from arcaneqa.induction.found import Outcome
from arcaneqa.judgement.answer_kinds import is_sort_of_it
from arcaneqa.judgement.counting import counts_the_named
from arcaneqa.judgement.weighing import weighed
from arcaneqa.kb.build import build_index
from arcaneqa.kb.index import Index
from arcaneqa.kb.short_names import Names
from arcaneqa.language.text import parse, print_program
from arcaneqa.linking.linker import Linker
from tests.judgement.found_programs import found

PRIZES = "prize id,name,age,award,field id,played by\n" + "".join(
    f"{n},Rower {chr(65 + n % 26)}{chr(65 + n // 26)},{20 + n},"
    f"{'Best oar' if n % 3 else 'Best boat'},{n % 4},{'North' if n % 2 else 'South'}\n"
    for n in range(60)
)
FIELDS = "field id,field\n0,Lakes\n1,Rivers\n2,Canals\n3,Coasts\n"
P, F = "column:prizes.", "column:fields."
OARS = f'(JOIN {P}award "Best oar")'


@pytest.fixture(scope="module")
def kb(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Index]:
    folder = tmp_path_factory.mktemp("prizes")
    (folder / "prizes.csv").write_text(PRIZES)
    (folder / "fields.csv").write_text(FIELDS)
    build_index([folder / "prizes.csv", folder / "fields.csv"], folder / "index")
    with Index(folder / "index") as opened:
        yield opened


def best(question: str, kb: Index, *programs: str) -> str:
    readings = tuple(found(program, kb, -1.0 - place) for place, program in enumerate(programs))
    outcome = weighed(question, Linker(kb).link(question), Outcome(readings, is_complete=True), kb)
    return print_program(outcome.found[0].program, Names(kb.profile))


@pytest.mark.parametrize(
    ("question", "program", "expected"),
    [
        (
            "how many prizes for best oar are there?",
            "(COUNT table:prizes)",
            f"(COUNT (AND table:prizes {OARS}))",
        ),
        (
            "what is the average age of the best oar?",
            f"(AVG table:prizes {P}age)",
            f"(AVG (AND table:prizes {OARS}) {P}age)",
        ),
        (
            "the largest age of the best oar in the North",
            f"(MAX (AND table:prizes {OARS}) {P}age)",
            f'(MAX (AND (AND table:prizes (JOIN {P}played_by "North")) {OARS}) {P}age)',
        ),
        # What is called so may be a row of another table.
        (
            "how many prizes were won on canals?",
            "(COUNT table:prizes)",
            f"(COUNT (AND table:prizes (JOIN {P}field_id row:fields.2)))",
        ),
        # What is denied, or one of several, is no condition more; nor is another value of the same column.
        ("how many prizes are not for the best oar?", "(COUNT table:prizes)", None),
        ("how many prizes are for best oar or best boat?", "(COUNT table:prizes)", None),
        ("how many prizes are for best oar?", '(COUNT (JOIN column:prizes.award "Best boat"))', None),
    ],
)
def test_what_is_stated_is_taken_up(kb: Index, question: str, program: str, expected: str | None) -> None:
    read = best(question, kb, program)
    if expected is None:
        assert "AND" not in read
    else:
        assert parse(read, Names(kb.profile), kb.schema) == parse(expected, Names(kb.profile), kb.schema)


@pytest.mark.parametrize(
    ("question", "program", "is_sort"),
    [
        ("who was the oldest?", f"(JOIN {P}award_inv (ARGMAX table:prizes {P}age))", True),
        ("who was the oldest?", f"(JOIN {P}name_inv (ARGMAX table:prizes {P}age))", False),
        ("what was won by the oldest?", f"(JOIN {P}award_inv (ARGMAX table:prizes {P}age))", False),
        # What is said is the name of the column, or whose row it is.
        ("who has the award of the oldest?", f"(JOIN {P}award_inv (ARGMAX table:prizes {P}age))", False),
        ("who played with the oldest?", f"(JOIN {P}played_by_inv (ARGMAX table:prizes {P}age))", False),
        ("who is Rower AA for?", f'(JOIN {P}award_inv (JOIN {P}name "Rower AA"))', False),
    ],
)
def test_nobody_is_what_only_sorts_people(kb: Index, question: str, program: str, is_sort: bool) -> None:
    assert is_sort_of_it(question, found(program, kb), kb) is is_sort


@pytest.mark.parametrize(
    ("question", "program", "is_named"),
    [
        ("how many boats has Rower AA?", f'(COUNT (JOIN {P}name "Rower AA"))', True),
        ("how many boats has Rower AA?", f'(COUNT (AND table:prizes (JOIN {P}name "Rower AA")))', True),
        ("how many rowers are called Rower AA?", f'(COUNT (JOIN {P}name "Rower AA"))', False),
        ("how many prizes are for the best oar?", f"(COUNT {OARS})", False),
        ("how many rowers are 20 years old?", f"(COUNT (JOIN {P}age 20))", False),
    ],
)
def test_the_one_that_is_named_is_not_counted(kb: Index, question: str, program: str, is_named: bool) -> None:
    assert counts_the_named(question, found(program, kb), kb) is is_named
