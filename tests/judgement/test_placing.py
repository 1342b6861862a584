"""Numbers beside the names of columns, against programs over a small table."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from arcaneqa.induction.found import Found, Trace
from arcaneqa.judgement.placing import idle, misplaced, misscaled, on_its_scale
from arcaneqa.kb.build import build_index
from arcaneqa.kb.interface import KnowledgeBase
from arcaneqa.kb.open import open_kb
from arcaneqa.kb.short_names import Names
from arcaneqa.language.run import execute
from arcaneqa.language.text import parse
from arcaneqa.linking.literals import find_literals, used_types

ROWS = "name,cylinders,horsepower,weight in lbs,year,growth,discount\n" + "".join(
    f"car {n},{4 + n % 5},{100 + n},{2000 + n},{1970 + n},{n * 2.5},{n / 25}\n" for n in range(20)
)


@pytest.fixture(scope="module")
def kb(tmp_path_factory: pytest.TempPathFactory) -> Iterator[KnowledgeBase]:
    folder: Path = tmp_path_factory.mktemp("cars")
    (folder / "cars.csv").write_text(ROWS)
    build_index([folder / "cars.csv"], folder / "kb")
    with open_kb(str(folder / "kb")) as opened:
        yield opened


def powerful(number: int) -> str:
    return f"(GT column:cars.horsepower {number}^^http://www.w3.org/2001/XMLSchema#integer)"


@pytest.mark.parametrize(
    ("question", "program", "expected"),
    [
        ("cars with 8 cylinders and over 110 horsepower", f"(AND {powerful(8)} {powerful(110)})", 1),
        ("cars with over 110 horsepower", powerful(110), 0),
        ("cars with horsepower over 110", powerful(110), 0),
        # One place may be another's.
        ("cars with cylinders 8 horsepower", "(JOIN column:cars.cylinders 8)", 0),
        ("cars with over 8 cylinders or horsepower over 8", powerful(8), 0),
        # What follows belongs to another condition.
        ("cars with horsepower over 110 or cylinders over 5", powerful(110), 0),
        # Only the whole name says whose the number is.
        ("cars with 110 weight watchers inside", powerful(110), 0),
        ("1980 horsepower records", powerful(1980), 0),
        ("cars with more than 110", powerful(110), 0),
        ("cars with over 60 horsepower", "(AND table:cars (LT (COUNT column:cars.horsepower) 60))", 1),
        ("cars with over 60 owners", "(AND table:cars (LT (COUNT column:cars.horsepower) 60))", 0),
    ],
)
def test_a_number_belongs_to_the_name_right_behind_it(
    kb: KnowledgeBase, question: str, program: str, expected: int
) -> None:
    assert misplaced(question, parse(program, Names(kb.profile), kb.schema), kb) == expected


@pytest.mark.parametrize(
    ("question", "program", "expected"),
    [
        ("cars that grew by more than 20 percent", "(GT column:cars.growth 0.2)", 1),
        ("cars that grew by more than 20 percent", "(GT column:cars.growth 20)", 0),
        ("cars with more than 20% discount", "(GT column:cars.discount 0.2)", 0),
        ("cars with more than 20% discount", "(GT column:cars.discount 20)", 1),
        ("cars over 2 thousand lbs", "(GE column:cars.weight_in_lbs 2)", 1),
        ("cars over 2 thousand lbs", "(GE column:cars.weight_in_lbs 2000)", 0),
        # Neither lies between the values, so nothing tells.
        ("cars over 2 million lbs", "(GE column:cars.weight_in_lbs 2)", 0),
        ("cars over 20", "(GT column:cars.growth 20)", 0),
        ("cars heavier than 0.95 tons", "(GT column:cars.weight_in_lbs 0.95)", 0),
        ("cars heavier than 0.91 tons", "(GT column:cars.weight_in_lbs 0.91)", 1),
    ],
)
def test_a_number_is_on_the_scale_of_the_facts(
    kb: KnowledgeBase, question: str, program: str, expected: int
) -> None:
    stated = find_literals(question, kb, used_types(kb))
    assert misscaled(stated, parse(program, Names(kb.profile), kb.schema), kb) == expected


@pytest.mark.parametrize(
    ("program", "meant"),
    [
        ("(GE column:cars.weight_in_lbs 2)", "(GE column:cars.weight_in_lbs 2000)"),
        ("(GE column:cars.weight_in_lbs 2000)", "(GE column:cars.weight_in_lbs 2000)"),
        ("(GE column:cars.growth 2)", "(GE column:cars.growth 2)"),
    ],
)
def test_a_number_is_put_on_the_scale_of_the_facts(kb: KnowledgeBase, program: str, meant: str) -> None:
    stated = find_literals("cars over 2 thousand lbs", kb, used_types(kb))
    read, expected = (parse(text, Names(kb.profile), kb.schema) for text in (program, meant))
    found = Found(read, -1.0, execute(read, kb), (), Trace((), []))
    assert execute(on_its_scale(stated, found, kb).program, kb).nodes.ids.tolist() == (
        execute(expected, kb).nodes.ids.tolist()
    )


@pytest.mark.parametrize(
    ("question", "program", "expected"),
    [
        ("cars with more than 60 owners", powerful(60), 1),
        ("cars with more than 105 owners", powerful(105), 0),  # it leaves some out
        ("cars with a horsepower above 60", powerful(60), 0),  # that is what was said
        ("cars that were weighted above 60", powerful(60).replace("horsepower", "weight_in_lbs"), 0),
        ("cars with fewer than 60 owners", powerful(60).replace("GT", "LT"), 0),
        ("cars with fewer than 900 owners", powerful(900).replace("GT", "LT"), 1),
        ("cars heavier than 60", powerful(60).replace("horsepower", "weight_in_lbs"), 0),
    ],
)
def test_a_comparison_that_all_pass_was_not_meant(
    kb: KnowledgeBase, question: str, program: str, expected: int
) -> None:
    assert idle(question, parse(program, Names(kb.profile), kb.schema), kb) == expected
