"""Fill the stores, ask them, write down what it took. Graphs and stores are kept for the next run."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import asdict
from pathlib import Path

from arcaneqa.kb.index import Index
from arcaneqa.lab.figures import write_section
from arcaneqa.support.errors import InputError
from benchmarks.kb.engines import (
    DuckDb,
    Engine,
    IndexEngine,
    InProcess,
    load_oxigraph,
    missing,
    oxigraph_server,
    virtuoso,
)
from benchmarks.kb.graph import write_graph
from benchmarks.kb.measure import Say, Table, alternate, measure
from benchmarks.kb.tables import Load, Opening, agreement, bars, growth, loading, portrait, times

_MEMORY = (
    "import re, pathlib; status = pathlib.Path('/proc/self/status').read_text(); "
    "print(int(re.search(r'VmHWM:\\s+(\\d+)', status)[1]) / 1024)"
)
"""Prints the most MiB that the process has held."""
_NOTE = (
    "Milliseconds, warm; in brackets how many times the index's. The index and DuckDB hold the set "
    "and answer with ids; the others find the set by its pattern and answer with strings over HTTP "
    "(pyoxigraph: in this process)."
)


def compare(work: Path, triples: int, only: Sequence[str], document: Path, say: Say) -> None:
    """The index against other stores, on one graph: everything, or only some questions."""
    if wanted := missing():
        raise InputError(f"The comparison needs {', '.join(wanted)}; or give --alone for the index only.")
    work.mkdir(parents=True, exist_ok=True)
    say(f"writing a graph of {triples:,} triples")
    graph = write_graph(work / f"graph-{triples}.nt", triples)
    folder, store = work / f"index-{triples}", work / f"oxigraph-{triples}"
    loads = _known(work / f"loads-{triples}.json")
    if len(loads) < 2:  # one right after the other, so that they are comparable
        shutil.rmtree(store, ignore_errors=True)
        say("building the index, then loading Oxigraph")
        loads = [_build(graph.path, folder), Load("`oxigraph load`", load_oxigraph(graph.path, store), None)]
        _keep(work / f"loads-{triples}.json", loads)
    opening = _opening(folder)
    table = Table()
    with ExitStack() as stack:
        kb = stack.enter_context(Index(folder))
        say("filling DuckDB and Virtuoso")
        engines: list[Engine] = [
            IndexEngine(kb, "index"),
            DuckDb(kb),
            stack.enter_context(virtuoso(graph.path, work / f"virtuoso-{triples}")),
            stack.enter_context(oxigraph_server(store)),
            InProcess(store),
        ]
        measure(kb, engines, table, say, only)
    answers = [times(table, [engine.name for engine in engines]), _NOTE, agreement(table)]
    command = f"python -m benchmarks kb --triples {triples}"
    title = f"The index on {triples:,} triples against other stores"
    if only:
        command += "".join(f' --only "{name}"' for name in only)
        body = "\n\n".join(answers)
        write_section(document, f"kb-{triples}-some", f"{title}: some questions", command, body)
        return
    body = "\n\n".join([loading(loads), portrait(folder, opening), bars(table, loads), *answers])
    write_section(document, f"kb-{triples}", title, command, body)


def grow(work: Path, triples: int, document: Path, say: Say) -> None:
    """The index alone, beside itself on a graph of a tenth."""
    work.mkdir(parents=True, exist_ok=True)
    table, sizes = Table(), (triples // 10, triples)
    names = [f"{size:,} triples" for size in sizes]
    for size in sizes:
        say(f"writing a graph of {size:,} triples")
        graph = write_graph(work / f"graph-{size}.nt", size)
        if not _known(work / f"loads-{size}.json"):
            say("building the index")
            _keep(work / f"loads-{size}.json", [_build(graph.path, work / f"index-{size}")])
    with Index(work / f"index-{sizes[0]}") as small, Index(work / f"index-{sizes[1]}") as large:
        alternate(dict(zip(names, (small, large), strict=True)), table, say)
    folder = work / f"index-{triples}"
    load = _known(work / f"loads-{triples}.json")[0]
    body = [
        f"Building it held {load.memory:.1f} GiB at most. {portrait(folder, _opening(folder))}",
        growth(table, *names),
        times(table, names),
        "Milliseconds, warm, both indexes asked in turn. Answers to questions without a set grow with the "
        "graph.",
    ]
    command = f"python -m benchmarks kb --triples {triples} --alone"
    title = f"The index on {triples:,} triples"
    write_section(document, f"kb-{triples}", title, command, "\n\n".join(body))


def _known(path: Path) -> list[Load]:
    return [Load(**load) for load in json.loads(path.read_text())] if path.exists() else []


def _keep(path: Path, loads: list[Load]) -> None:
    path.write_text(json.dumps([asdict(load) for load in loads]))


def _build(source: Path, folder: Path) -> Load:
    """In a process of its own; its helpers hold less memory than it does."""
    code = f"from arcaneqa.kb.build import build_index; build_index([{str(source)!r}], {str(folder)!r})"
    os.sync()
    start = time.perf_counter()
    done = subprocess.run(
        [sys.executable, "-c", f"{code}; {_MEMORY}"], check=True, capture_output=True, text=True
    )
    return Load("`arcaneqa index`", time.perf_counter() - start, float(done.stdout) / 1024)


def _opening(folder: Path) -> Opening:
    code = (
        "import time; from arcaneqa.kb.index import Index; start = time.perf_counter(); "
        f"kb = Index({str(folder)!r}); print(time.perf_counter() - start); {_MEMORY}"
    )
    runs = []
    for _ in range(5):
        done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
        seconds, memory = map(float, done.stdout.split())
        runs.append((seconds * 1000, memory))
    return Opening(*sorted(runs)[len(runs) // 2])
