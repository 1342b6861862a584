"""Processor time of builds against another checkout: both build the same files in turn, in one run."""

from __future__ import annotations

import os
import resource
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

from arcaneqa.lab.figures import CHECKOUT
from arcaneqa.support.errors import InputError

_INDEX = [sys.executable, "-c", "from arcaneqa.apps.cli.main import main; main()", "index"]


def report(other: Path, files: Sequence[Path], options: Sequence[str], rounds: int) -> str:
    """`other` is the source folder of the checkout to compare with; the least of all rounds counts, and the
    first, in which loops are compiled, does not."""
    sources = (other.resolve(), CHECKOUT / "src")
    lines = ["| file | before, s | now, s | now to before | medians |", "|---|--:|--:|--:|--:|"]
    for file in files:
        spent: tuple[list[float], list[float]] = ([], [])
        for turn in range(rounds + 1):
            for place in (0, 1) if turn % 2 else (1, 0):
                seconds = _built(sources[place], file, options)
                if turn:
                    spent[place].append(seconds)
        before, now = map(min, spent)
        medians = median(spent[1]) / median(spent[0])
        lines.append(f"| {file.name} | {before:.1f} | {now:.1f} | {now / before:.2f} | {medians:.2f} |")
    note = "Processor time of a build with its helpers, the least of several in turn."
    return "\n".join([*lines, "", note])


def _built(source: Path, file: Path, options: Sequence[str]) -> float:
    """Seconds of processor time of a build and its helpers, from the start of the program to its end."""
    before = _of_children()
    with TemporaryDirectory() as folder:
        done = subprocess.run(
            [*_INDEX, str(file.resolve()), "--out", f"{folder}/kb", *options],
            env={**os.environ, "PYTHONPATH": str(source)},
            capture_output=True,
            text=True,
            check=False,
        )
    if done.returncode:
        raise InputError(f"{source} cannot index {file}: {done.stderr.strip()}")
    return _of_children() - before


def _of_children() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime
