"""Ask every engine every question, check that they agree, and write down what it took."""

from __future__ import annotations

import json
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path

from arcaneqa.bench.kb.engines import (
    DuckDb,
    Engine,
    IndexEngine,
    InProcess,
    load_oxigraph,
    missing,
    oxigraph_server,
    virtuoso,
)
from arcaneqa.bench.kb.graph import SET_SIZES, Graph, write_graph
from arcaneqa.bench.kb.questions import Asked, Question, asked_sets, questions
from arcaneqa.bench.report import write_section
from arcaneqa.errors import InputError
from arcaneqa.kb.index import Index

_REPEATS = 9
_BUDGET = 3.0
"""Seconds after which an engine is not asked the same again: its figure is then of fewer repeats."""
_LONG = 30.0
"""Whoever took longer than this for a smaller set is not asked about a larger one."""

_MEMORY = (
    "import re, pathlib; status = pathlib.Path('/proc/self/status').read_text(); "
    "print(int(re.search(r'VmHWM:\\s+(\\d+)', status)[1]) / 1024)"
)
"""Prints the most MiB that the process has held."""

Say = Callable[[str], None]


@dataclass
class Table:
    """Median milliseconds by question, set size (0 where there is no set) and engine."""

    cells: dict[tuple[str, int, str], float] = field(default_factory=dict)
    disagreements: list[str] = field(default_factory=list)


class Loads(dict[str, tuple[float, str]]):
    """Seconds to fill each store. Stores are kept between runs, and so is what filling them took."""

    def __init__(self, path: Path) -> None:
        known = json.loads(path.read_text()) if path.exists() else {}
        super().__init__({name: (seconds, note) for name, (seconds, note) in known.items()})
        self._path = path

    def add(self, name: str, seconds: float, note: str) -> None:
        self[name] = (seconds, note)
        self._path.write_text(json.dumps(self))


def run(work: Path, triples: int, document: Path, alone: bool, say: Say) -> None:
    """Build and measure; `alone` leaves the other stores out."""
    if not alone and (wanted := missing()):
        raise InputError(f"The comparison needs {', '.join(wanted)}; or give --alone for the index only.")
    work.mkdir(parents=True, exist_ok=True)
    say(f"writing a graph of {triples:,} triples")
    graph = write_graph(work / f"graph-{triples}.nt", triples)
    folder = work / f"index-{triples}"
    loads = Loads(work / f"loads-{triples}.json")
    if "index" not in loads:
        say("building the index")
        loads.add("index", *_build(graph.path, folder))
    opening = _opening(folder)
    with ExitStack() as stack:
        kb = stack.enter_context(Index(folder))
        engines: list[Engine] = [IndexEngine(kb)]
        if not alone:
            engines += _others(graph, kb, work, loads, stack, say)
        table = _measure(kb, engines, say)
    title = f"The index on {triples:,} triples" + ("" if alone else " against other stores")
    command = f"arcaneqa bench kb --triples {triples}" + (" --alone" if alone else "")
    body = "\n\n".join(
        [
            _loading(loads, opening, folder),
            _times(table, [engine.name for engine in engines]),
            *([] if alone else [_agreement(table)]),
        ]
    )
    write_section(document, f"kb-{triples}", title, command, body)


def _build(source: Path, folder: Path) -> tuple[float, str]:
    """Seconds, and the most it held in memory (its helpers hold less), in a process of its own."""
    code = f"from arcaneqa.kb.build import build_index; build_index([{str(source)!r}], {str(folder)!r})"
    start = time.perf_counter()
    done = subprocess.run(
        [sys.executable, "-c", f"{code}; {_MEMORY}"], check=True, capture_output=True, text=True
    )
    return time.perf_counter() - start, f"{float(done.stdout) / 1024:.1f} GiB at most in memory"


def _opening(folder: Path) -> tuple[float, float]:
    """Milliseconds to open, and MiB that the process then has, numpy and all."""
    code = (
        "import time; from arcaneqa.kb.index import Index; start = time.perf_counter(); "
        f"kb = Index({str(folder)!r}); print(time.perf_counter() - start); {_MEMORY}"
    )
    runs = []
    for _ in range(5):
        done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
        seconds, memory = map(float, done.stdout.split())
        runs.append((seconds * 1000, memory))
    return sorted(runs)[len(runs) // 2]


def _others(graph: Graph, kb: Index, work: Path, loads: Loads, stack: ExitStack, say: Say) -> list[Engine]:
    say("filling DuckDB")
    duckdb = DuckDb(kb)
    store = work / f"oxigraph-{graph.triples}"
    if "Oxigraph" not in loads:
        say("loading Oxigraph")
        loads.add("Oxigraph", load_oxigraph(graph.path, store), "`oxigraph load`")
    server = stack.enter_context(oxigraph_server(store))
    say("loading Virtuoso")
    # Virtuoso itself remembers what it has loaded.
    other, seconds = stack.enter_context(virtuoso(graph.path, work / f"virtuoso-{graph.triples}"))
    if "Virtuoso" not in loads:
        loads.add("Virtuoso", seconds, "`rdf_loader_run`")
    return [duckdb, other, server, InProcess(store)]


def _measure(kb: Index, engines: list[Engine], say: Say) -> Table:
    table = Table()
    asked = {size: asked_sets(kb, size, count) for size, count in SET_SIZES.items()}
    for question in questions(kb):
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
                if expected is None:
                    expected = answers
                differing = sum(left != right for left, right in zip(answers, expected, strict=False))
                if differing:
                    table.disagreements.append(
                        f"{engine.name} answers {question.name} otherwise for {differing} of {len(answers)} "
                        f"sets of {size:,}"
                    )
    return table


def _below(size: int) -> int:
    smaller = [each for each in SET_SIZES if each < size]
    return smaller[-1] if smaller else -1


def _time(
    engine: Engine, question: Question, sets: list[Asked | None]
) -> tuple[float, list[frozenset[object]]]:
    """The median over sets and repeats, after one round that warms up; the answers of that round."""
    times, answers = [], []
    for asked in sets:
        engine.prepare(asked)
        start = time.perf_counter()
        raw = engine.ask(question, asked)
        first = time.perf_counter() - start
        answers.append(engine.answer(question, raw))
        if first > _BUDGET:  # long enough to count as it is, and too long to ask again
            times.append(first)
            break
        spent, repeats = first, 0
        while repeats < _REPEATS and spent < _BUDGET:
            start = time.perf_counter()
            engine.ask(question, asked)
            times.append(time.perf_counter() - start)
            spent += times[-1]
            repeats += 1
    return statistics.median(times), answers


def _loading(loads: Loads, opening: tuple[float, float], folder: Path) -> str:
    size = sum(path.stat().st_size for path in folder.rglob("*") if path.is_file()) / 2**30
    lines = ["| store | seconds to load | |", "|---|---|---|"]
    lines += [f"| {name} | {seconds:.0f} | {note} |" for name, (seconds, note) in loads.items()]
    milliseconds, memory = opening
    lines.append(
        f"\nThe index folder has {size:.2f} GiB. Opening it takes {milliseconds:.0f} ms and then holds "
        f"{memory:.0f} MiB."
    )
    return "\n".join(lines)


def _times(table: Table, names: list[str]) -> str:
    """Milliseconds, and how many times longer the others take than the index."""
    lines = [f"| question | entities | {' | '.join(names)} |", "|---|---|" + "---|" * len(names)]
    for question, size in dict.fromkeys((question, size) for question, size, _ in table.cells):
        base = table.cells.get((question, size, "index"))
        row = []
        for name in names:
            cell = table.cells.get((question, size, name))
            ratio = "" if cell is None or base is None or name == "index" else f" ({_plain(cell / base)}×)"
            row.append("" if cell is None else f"{_plain(cell)}{ratio}")
        lines.append(f"| {question} | {f'{size:,}' if size else ''} | {' | '.join(row)} |")
    note = (
        "Median milliseconds, warm; in brackets how many times the index's. The index and DuckDB hold the "
        "set and answer with ids; the others find the set by its pattern and answer with strings over HTTP "
        "(pyoxigraph: in this process)."
    )
    return "\n".join([*lines, "", note])


def _plain(value: float) -> str:
    return f"{value:,.0f}" if value >= 100 else f"{value:.1f}" if value >= 10 else f"{value:.3g}"


def _agreement(table: Table) -> str:
    if not table.disagreements:
        return "All engines gave the same answers to everything they were asked."
    return "Not everything agreed:\n" + "\n".join(f"- {line}" for line in table.disagreements)
