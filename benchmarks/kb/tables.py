"""What was measured, as Markdown, and where it is what the index is meant to be."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from benchmarks.kb.measure import Table

_MOST = 300_000
_BY_NAME = {"outgoing relations": 100.0, "incoming relations": 40.0}
_GROWTH = 1.5


@dataclass(frozen=True)
class Load:
    """Seconds that filling a store took, and the GiB its process held at most (None: not asked)."""

    name: str
    seconds: float
    memory: float | None


@dataclass(frozen=True)
class Opening:
    """Milliseconds that opening takes, and the MiB that the process then holds, numpy and all."""

    milliseconds: float
    memory: float


def loading(loads: Iterable[Load]) -> str:
    lines = ["| store | seconds to load | GiB in memory at most |", "|---|---|---|"]
    for load in loads:
        memory = "" if load.memory is None else f"{load.memory:.1f}"
        lines.append(f"| {load.name} | {load.seconds:.1f} | {memory} |")
    return "\n".join(lines)


def portrait(folder: Path, opening: Opening) -> str:
    size = sum(path.stat().st_size for path in folder.rglob("*") if path.is_file()) / 2**30
    return (
        f"The index folder has {size:.2f} GiB. Opening it takes {opening.milliseconds:.0f} ms "
        f"and then holds {opening.memory:.0f} MiB."
    )


def times(table: Table, names: list[str]) -> str:
    """Milliseconds, and how many times longer the others take than the first."""
    lines = [f"| question | entities | {' | '.join(names)} |", "|---|---|" + "---|" * len(names)]
    for question, size in table.rows():
        base = table.cells.get((question, size, names[0]))
        row = []
        for name in names:
            cell = table.cells.get((question, size, name))
            ratio = "" if cell is None or base is None or name == names[0] else f" ({_plain(cell / base)}×)"
            row.append("" if cell is None else f"{_plain(cell)}{ratio}")
        lines.append(f"| {question} | {f'{size:,}' if size else ''} | {' | '.join(row)} |")
    return "\n".join(lines)


def agreement(table: Table) -> str:
    if not table.disagreements:
        return "All engines gave the same answers to everything they were asked."
    return "Not everything agreed:\n" + "\n".join(f"- {line}" for line in table.disagreements)


def bars(table: Table, loads: list[Load]) -> str:
    """The least ratio of each kind beside what it should be."""
    lines = ["| the index should be | the least it is | |", "|---|---|---|"]

    def ratios(other: str, sizes: set[int], wanted: Iterable[str]) -> list[tuple[float, str]]:
        found = []
        for question, size in table.rows():
            if size in sizes and question in wanted and (question, size, other) in table.cells:
                ratio = table.cells[question, size, other] / table.cells[question, size, "index"]
                found.append((ratio, question + (f", {size:,}" if size else "")))
        return found

    def row(text: str, found: list[tuple[float, str]], bar: float) -> None:
        least, where = min(found, default=(0.0, "not measured"))
        lines.append(f"| {text} | {_plain(least)}× ({where}) | {'met' if least >= bar else 'not met'} |")

    everything = dict.fromkeys(question for question, _ in table.rows())
    rest = [question for question in everything if question not in _BY_NAME]
    for question, bar in _BY_NAME.items():
        row(f"{bar:.0f}× Virtuoso, {question} of {_MOST:,}", ratios("Virtuoso", {_MOST}, [question]), bar)
    row(f"4× Virtuoso, everything else of {_MOST:,} or of no set", ratios("Virtuoso", {_MOST, 0}, rest), 4)
    row("10× Virtuoso, one entity", ratios("Virtuoso", {1}, everything), 10)
    row("1× pyoxigraph in process, one entity", ratios("pyoxigraph", {1}, everything), 1)
    sizes = {size for _, size in table.rows()}
    row("1× DuckDB, everything", ratios("DuckDB", sizes, everything), 1)
    seconds = {load.name: load.seconds for load in loads}
    ratio = seconds["`oxigraph load`"] / seconds["`arcaneqa index`"]
    row("1× `oxigraph load`, building", [(ratio, "the whole file")], 1)
    return "\n".join(lines)


def growth(table: Table, small: str, large: str) -> str:
    """Whether the large graph costs what the small one does."""

    grown = [
        (table.cells[question, size, large] / table.cells[question, size, small], question, size)
        for question, size in table.rows()
        if size
    ]

    def answers(question: str, size: int) -> str:
        many, few = table.answers[question, size, large], table.answers[question, size, small]
        return f"{many:,.0f} answers in place of {few:,.0f}"

    over = [
        f"{question} of {size:,} ({ratio:.1f}×, {answers(question, size)})"
        for ratio, question, size in grown
        if ratio > _GROWTH
    ]
    most = max(grown)
    return (
        f"Questions about a set, {len(grown)} in all, should take no more than {_GROWTH} times as long on "
        f"the larger graph; the most is {most[0]:.2f}× ({most[1]} of {most[2]:,}). "
        + (f"Above it, {len(over)}: {'; '.join(over)}." if over else "None is above.")
    )


def _plain(value: float) -> str:
    return f"{value:,.0f}" if value >= 100 else f"{value:.1f}" if value >= 10 else f"{value:.3g}"
