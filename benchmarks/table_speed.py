"""A table of many rows indexed, against the same facts as N-Triples."""

from __future__ import annotations

import csv
import shutil
import time
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from arcaneqa.kb.build import build_index
from arcaneqa.kb.build.tables.triples import Told, write_triples

_WORDS = ["red", "green", "blue", "north", "south", "old", "new", "large", "small", "round"]
_HEADER = ["id", "name", "colour", "size", "price", "share", "added", "seen", "stock", "note"]


def run(rows: int) -> str:
    with TemporaryDirectory() as folder:
        work = Path(folder)
        _write(work / "items.csv", rows)
        (work / "triples").mkdir()
        [facts] = write_triples([work / "items.csv"], work / "triples", (), Told())
        seconds: dict[str, list[float]] = {"CSV": [], "N-Triples": []}
        build_index([_head(work, rows)], work / "warm")  # compiling is no part of either
        for _ in range(2):
            for name, source in (("N-Triples", facts), ("CSV", work / "items.csv")):
                started = time.perf_counter()
                report = build_index([source], work / "index")
                seconds[name].append(time.perf_counter() - started)
                shutil.rmtree(work / "index")
    best = {name: min(times) for name, times in seconds.items()}
    lines = ["| | facts | s, the better of two | of the speed of N-Triples |", "|---|---|---|---|"]
    lines += [
        f"| {name} | {report.facts:,} | {taken:.1f} | {best['N-Triples'] / taken:.2f} |"
        for name, taken in best.items()
    ]
    return "\n".join(lines)


def _write(path: Path, rows: int) -> None:
    """Ten columns: a key, a name, words, numbers, money, percents, dates, moments."""
    draw = np.random.default_rng(7)
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(_HEADER)
        for number in range(rows):
            word, other = (_WORDS[place] for place in draw.integers(0, len(_WORDS), 2))
            size, day = int(draw.integers(1, 10_000)), int(draw.integers(1, 29))
            writer.writerow(
                [
                    number,
                    f"{word} {other} {number}",
                    word,
                    size,
                    f"${size / 7:,.2f}",
                    f"{size % 100}%",
                    f"2020-0{day % 9 + 1}-{day:02}",
                    f"2021-0{day % 9 + 1}-{day:02} 10:{day:02}:00",
                    size * 3,
                    f"{other} things {size}",
                ]
            )


def _head(work: Path, rows: int) -> Path:
    few = work / "few.csv"
    _write(few, min(rows, 1_000))
    return few
