"""Numbers beside the names of columns, against programs over a small table."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from arcaneqa.judgement.placing import misplaced
from arcaneqa.kb.build import build_index
from arcaneqa.kb.interface import KnowledgeBase
from arcaneqa.kb.open import open_kb
from arcaneqa.kb.short_names import Names
from arcaneqa.program.text import parse

ROWS = "name,cylinders,horsepower,weight in lbs,year\n" + "".join(
    f"car {number},{4 + number % 5},{100 + number},{2000 + number},{1970 + number}\n" for number in range(20)
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
