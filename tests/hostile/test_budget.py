"""Programs that would take the machine: stopped before the memory is asked for, and within their seconds."""

from __future__ import annotations

import time
from itertools import count
from pathlib import Path
from types import SimpleNamespace

import pytest

from arcaneqa.kb import allowance
from arcaneqa.kb.allowance import allowing, left, spend
from arcaneqa.kb.build import build_index
from arcaneqa.kb.index import Index
from arcaneqa.kb.short_names import Names
from arcaneqa.language.run import Budget, execute
from arcaneqa.language.text import parse
from arcaneqa.support.errors import BudgetExceeded

from .limited import run

SPOKES = 6_000
"""Enough for the compiled loops, too."""
X = "http://x/"
SPOKE, AT, SIZE, AGE = (f"<{X}{name}>" for name in ("Spoke", "at", "size", "age"))


def path(*steps: str) -> str:
    """One after the other, as a program writes it: halves, so that none is nested deep."""
    half = len(steps) // 2
    return steps[0] if len(steps) == 1 else f"(JOIN {path(*steps[:half])} {path(*steps[half:])})"


ROUND = (AT, f"(R {AT})")
SAME = (AGE, f"(R {AGE})")
PROGRAMS = {
    "SUM": f"(SUM {SPOKE} {path(*ROUND, *ROUND, SIZE)})",
    "AVG": f"(AVG {SPOKE} {path(*ROUND, SIZE)})",
    "SUM over literals of one value": f"(SUM {SPOKE} {path(*SAME, *SAME, SIZE)})",
    "ARGMAX by COUNT": f"(ARGMAX {SPOKE} (COUNT {path(*ROUND)}))",
    "ARGMAX by SUM": f"(ARGMAX {SPOKE} (SUM {path(*ROUND, SIZE)}))",
    "the third": f"(ARGMAX {SPOKE} {path(*ROUND, SIZE)} 3)",
    "GT of COUNT": f"(AND {SPOKE} (GT (COUNT {path(*ROUND)}) 2))",
    "SORT": f"(SORT {SPOKE} (SUM {path(*ROUND, SIZE)}))",
    "PER": f"(PER {SPOKE} {AT} (COUNT {path(*ROUND)}))",
    "SHOW of many values": f"(SHOW {SPOKE} {path(*ROUND)})",
    "SHOW of many columns": f"(SHOW {SPOKE} {' '.join([SIZE] * 400)})",
}


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    lines = [f"<{X}s{n}> a {SPOKE} ; {AT} <{X}hub> ; {SIZE} {n} ; {AGE} 7 ." for n in range(SPOKES)]
    (folder / "wheel.ttl").write_text("\n".join(lines))
    build_index([folder / "wheel.ttl"], folder / "kb")
    return folder / "kb"


@pytest.mark.parametrize("program", PROGRAMS.values(), ids=PROGRAMS.keys())
def test_walks_are_counted_before_they_are_made(program: str, wheel: Path) -> None:
    with Index(wheel) as kb:
        expression = parse(program, Names(kb.profile), kb.schema)
        started = time.monotonic()
        with pytest.raises(BudgetExceeded, match=r"memory|cells"):
            execute(expression, kb, Budget(seconds=60))
        assert time.monotonic() - started < 20


def test_the_command_line_has_the_same_budget(wheel: Path) -> None:
    ended = run("run", PROGRAMS["SUM"], "--kb", str(wheel), memory=4 << 30)
    assert ended.is_a_sentence
    assert "memory" in ended.err


def test_every_step_of_a_path_looks_at_the_clock(wheel: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A clock that goes on a second whenever somebody looks: 800 steps do not fit into 100 of them."""
    clock = count(time.monotonic())
    monkeypatch.setattr(allowance, "time", SimpleNamespace(monotonic=lambda: next(clock)))
    with Index(wheel) as kb:
        expression = parse(f"(COUNT {SPOKE} {path(*ROUND * 400)})", Names(kb.profile), kb.schema)
        with pytest.raises(BudgetExceeded, match="more than 100 seconds"):
            execute(expression, kb, Budget(seconds=100))


def test_cells_are_for_the_whole_execution_and_no_longer() -> None:
    with allowing(time.monotonic() + 60, 60, cells=10):
        spend(6)
        with pytest.raises(BudgetExceeded):
            spend(6)
        assert left() == 4
    spend(6)


def test_what_fits_is_answered_as_before(wheel: Path) -> None:
    with Index(wheel) as kb:
        names = Names(kb.profile)
        for program, value in ((f"(SUM {SPOKE} {SIZE})", SPOKES * (SPOKES - 1) // 2),):
            found = execute(parse(program, names, kb.schema), kb)
            assert found.value is not None
            assert int(found.value.lexical) == value


def test_of_a_wide_table_only_what_is_sent_is_put_into_words(wheel: Path) -> None:
    """The rows that a request may have, times as many columns as its program may have."""
    from arcaneqa.answer.arcaneqa import ArcaneQA
    from arcaneqa.apps.http.answering import response_of
    from arcaneqa.apps.http.contract import MOST_CELLS, RunRequest

    program = f"(SHOW {SPOKE} {' '.join([SIZE] * 150)})"
    qa = ArcaneQA.load(wheel)
    found = response_of(qa, RunRequest(program=program, rows=10_000), time.monotonic() + 60)
    assert found.table is not None
    assert found.table.total == SPOKES
    assert 0 < len(found.table.rows) * 150 <= MOST_CELLS
