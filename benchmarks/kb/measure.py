"""How long each engine takes for each question, and whether all answer the same."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from arcaneqa.kb.index import Index
from benchmarks.kb.engines import Engine, IndexEngine
from benchmarks.kb.graph import SET_SIZES
from benchmarks.kb.questions import Asked, Question, asked_sets, questions

_REPEATS = 9
_ROUNDS = 5
_BUDGET = 3.0
"""Seconds after which an engine is not asked the same again: its figure is then of fewer repeats."""
_LONG = 10.0
"""Whoever took longer than this for a smaller set is not asked about a larger one."""

Say = Callable[[str], None]


@dataclass
class Table:
    """Milliseconds by question, set size (0 where there is no set) and engine; and how many answers."""

    cells: dict[tuple[str, int, str], float] = field(default_factory=dict)
    answers: dict[tuple[str, int, str], float] = field(default_factory=dict)
    disagreements: list[str] = field(default_factory=list)

    def rows(self) -> list[tuple[str, int]]:
        return list(dict.fromkeys((question, size) for question, size, _ in self.cells))


def measure(kb: Index, engines: list[Engine], table: Table, say: Say, only: Sequence[str] = ()) -> None:
    """Ask every engine everything, or only some, about the sets of this index; the first one is believed."""
    asked = {size: asked_sets(kb, size, count) for size, count in SET_SIZES.items()}
    for question in questions(kb):
        if only and question.name not in only:
            continue
        for size in SET_SIZES if question.of_set else (0,):
            sets: list[Asked | None] = list(asked[size]) if size else [None]
            say(f"asking for {question.name}" + (f", {size:,} entities" if size else ""))
            expected = None
            for engine in engines:
                smaller = table.cells.get((question.name, _below(size), engine.name), 0.0)
                if smaller > _LONG * 1000 or (engine.name == "pyoxigraph" and size > 100):
                    continue
                try:
                    seconds, answers = _time(engine, question, sets)
                except Exception as error:
                    table.disagreements.append(f"{engine.name} failed on {question.name}, {size:,}: {error}")
                    continue
                table.cells[question.name, size, engine.name] = seconds * 1000
                table.answers[question.name, size, engine.name] = statistics.mean(map(len, answers))
                if expected is None:
                    expected = answers
                differing = sum(left != right for left, right in zip(answers, expected, strict=False))
                if differing:
                    table.disagreements.append(
                        f"{engine.name} answers {question.name} otherwise for {differing} of {len(answers)} "
                        f"sets of {size:,}"
                    )


def alternate(kbs: dict[str, Index], table: Table, say: Say) -> None:
    """Ask several indexes the same, each about its own sets, in turn and several times over: so that a moment
    in which the machine is slow is as likely to be the one's as the other's."""
    engines = {name: IndexEngine(kb, name) for name, kb in kbs.items()}
    asked = {
        name: {size: asked_sets(kb, size, count) for size, count in SET_SIZES.items()}
        for name, kb in kbs.items()
    }
    for own in zip(*(questions(kb) for kb in kbs.values()), strict=True):
        name = own[0].name
        for size in SET_SIZES if own[0].of_set else (0,):
            say(f"asking for {name}" + (f", {size:,} entities" if size else ""))
            times: dict[str, list[float]] = {kb: [] for kb in kbs}
            for _ in range(_ROUNDS):
                for kb, question in zip(kbs, own, strict=True):
                    sets: list[Asked | None] = list(asked[kb][size]) if size else [None]
                    seconds, answers = _time(engines[kb], question, sets)
                    times[kb].append(seconds)
                    table.answers[name, size, kb] = statistics.mean(map(len, answers))
            for kb in kbs:
                table.cells[name, size, kb] = statistics.median(times[kb]) * 1000


def _below(size: int) -> int:
    smaller = [each for each in SET_SIZES if each < size]
    return smaller[-1] if smaller else -1


def _time(
    engine: Engine, question: Question, sets: list[Asked | None]
) -> tuple[float, list[frozenset[object]]]:
    """The mean over sets of the median over repeats, after one round that warms up; that round's answers."""
    times, answers = [], []
    for asked in sets:
        engine.prepare(asked)
        start = time.perf_counter()
        raw = engine.ask(question, asked)
        spent = time.perf_counter() - start
        answers.append(engine.answer(question, raw))
        if spent > _BUDGET:  # long enough to count as it is, and too long to ask again
            times.append(spent)
            break
        repeats: list[float] = []
        while len(repeats) < _REPEATS and spent < _BUDGET:
            start = time.perf_counter()
            engine.ask(question, asked)
            repeats.append(time.perf_counter() - start)
            spent += repeats[-1]
        times.append(statistics.median(repeats))
    return statistics.mean(times), answers
