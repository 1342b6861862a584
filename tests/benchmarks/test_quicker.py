"""What is compared with another checkout, and which way a ratio goes."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from arcaneqa.support.errors import InputError
from benchmarks.quicker import WARM, Asked, Checkout, Table

DEMO = Path(__file__).parents[2] / "demo" / "questions.jsonl"


def test_each_checkout_may_have_its_own_index() -> None:
    asked = Asked.read(f"old-index,new-index={DEMO}", 3)
    assert (asked.kbs, asked.name, len(asked.questions)) == (
        ("old-index", "new-index"),
        "new-index",
        3 + WARM,
    )
    assert Asked.read(f"demo={DEMO}", 1).kbs == (None, None)


@pytest.mark.parametrize("given", ["demo", "=questions.jsonl", "demo="])
def test_what_names_no_index_or_no_questions_is_refused(given: str) -> None:
    with pytest.raises(InputError, match="QUESTIONS"):
        Asked.read(given, 1)


def test_a_ratio_above_one_is_better() -> None:
    table = Table()
    table.add("one question", [90, 30], "ms")
    table.add("answers", [8, 24], "/s")
    assert [row.rpartition("|")[0].rpartition("|")[2].strip() for row in table.rows] == ["3.00×", "3.00×"]


def test_another_checkout_runs_with_its_own_packages_where_it_has_some(tmp_path: Path) -> None:
    source = tmp_path / "src"
    assert Checkout.of(source).python == sys.executable
    own = tmp_path / ".venv" / "bin" / "python"
    own.parent.mkdir(parents=True)
    own.touch()
    assert Checkout.of(source).python == str(own)
