"""Names fetched from Virtuoso: how long it takes, how much memory, and that a killed fetch goes on."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from urllib.parse import urlencode

import numpy as np
from platformdirs import user_cache_path

from arcaneqa.kb.profile import RDFS
from arcaneqa.kb.terms import RDF
from arcaneqa.support.errors import InputError
from arcaneqa.support.loops import FOLDER
from benchmarks.kb import engines
from benchmarks.names import MadeUpNames

_KINDS = 20
_CHUNK = 100_000
_EVERY = 0.2
"""Seconds between two looks at the memory."""
_COMPILED = user_cache_path("arcaneqa") / FOLDER
_COMMAND = [sys.executable, "-c", "from arcaneqa.apps.cli.main import main; main()", "names"]


@dataclass
class Fetched:
    """One run of `arcaneqa names`: seconds, and the most memory that its processes held together."""

    seconds: float
    megabytes: float
    pages_before: int
    said: str


def run(size: int, killed: bool, say: Callable[[str], None]) -> str:
    if lacking := [what for what in engines.missing() if "Virtuoso" in what]:
        raise InputError(f"This benchmark needs {lacking[0]}.")
    with TemporaryDirectory() as folder:
        work = Path(folder)
        source = work / "facts.nt"
        _write(source, size)
        say("loading Virtuoso")
        with engines.virtuoso(source, work / "virtuoso", most_rows=10_000) as server:
            address = f"{server.url}?{urlencode(server.parameters)}"
            if killed:
                half = size // 10_000 // 2  # pages of the labels; types come after them
                runs = {
                    "killed half way": _fetch(address, work / "cache", until_pages=half),
                    "started again": _fetch(address, work / "cache"),
                }
            else:
                runs = {"whole": _fetch(address, work / "cache")}
            for name, fetched in runs.items():
                say(f"{name}: {fetched.seconds:.0f} s, {fetched.megabytes:.0f} MB. {fetched.said}")
    lines = ["| | s | MB, all processes together | pages on disk at the start |", "|---|---|---|---|"]
    lines += [
        f"| {name} | {fetched.seconds:.0f} | {fetched.megabytes:.0f} | {fetched.pages_before} |"
        for name, fetched in runs.items()
    ]
    return "\n".join(lines)


def _write(path: Path, size: int) -> None:
    """Entities with a label and a type."""
    names = MadeUpNames(size)
    with path.open("w", encoding="utf-8") as file:
        for start in range(0, size, _CHUNK):
            ids = np.arange(start, min(start + _CHUNK, size))
            for node, label in zip(ids.tolist(), names.labels(ids), strict=True):
                subject = f"<http://example.org/{node}>"
                file.write(f'{subject} <{RDFS}label> "{label} {node}" .\n')
                file.write(f"{subject} <{RDF}type> <http://example.org/kind/{node % _KINDS}> .\n")


def _fetch(address: str, cache: Path, until_pages: int | None = None) -> Fetched:
    pages = len(list(cache.rglob("page-*.nt")))
    started = time.perf_counter()
    process = subprocess.Popen(
        [*_COMMAND, address],
        # A cache of its own, but for what was compiled: that is done once a machine.
        env={**os.environ, "XDG_CACHE_HOME": str(cache), "NUMBA_CACHE_DIR": str(_COMPILED)},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    most = 0.0
    while process.poll() is None:
        most = max(most, _memory(process.pid))
        if until_pages is not None and len(list(cache.rglob("page-*.nt"))) >= until_pages:
            process.kill()
        time.sleep(_EVERY)
    said = process.stdout.read().strip() if process.stdout else ""
    if process.returncode != 0 and until_pages is None:
        raise RuntimeError(said)
    return Fetched(time.perf_counter() - started, most, pages, said)


def _memory(pid: int) -> float:
    """Megabytes of a process and its helpers; what they share counts once."""
    total = 0
    for each in (pid, *_children(pid)):
        try:
            lines = Path(f"/proc/{each}/smaps_rollup").read_text().splitlines()
        except OSError:  # it has ended
            continue
        total += sum(int(line.split()[1]) for line in lines if line.startswith("Pss:"))
    return total * 1024 / 1e6


def _children(pid: int) -> list[int]:
    try:
        return [int(each) for each in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]
    except OSError:
        return []
