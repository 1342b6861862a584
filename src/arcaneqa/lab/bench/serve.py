"""What the service holds under load: closed-loop clients over loopback, against a server of its own."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import cycle
from pathlib import Path

import httpx
import numpy as np

from arcaneqa.induction.scorer import Reads
from arcaneqa.lab.bench.client import asking
from arcaneqa.model.reader import reader_of
from arcaneqa.model.stored import bundled_model, read_stored
from arcaneqa.support.errors import ArcaneError

CLIENTS = (1, 8, 64)
"""Clients that send at the same time, one row of the table each."""
OVERLOAD = 128
"""Clients beyond the places there are (16 searched together, 64 waiting): some are told to come back."""
TOGETHER = 16
"""Questions searched side by side, as the service does by default; the table has one by one beside it."""
PARTS = 10
"""Rows of the memory table: the requests are sent in so many equal parts."""
BUSY = 429
"""The status of an answer that says to come back later."""
PATIENCE = 120
"""Seconds that a client waits for an answer."""
START = "from arcaneqa.apps.cli.main import main; main()"


Expected = dict[str, str | None]
"""Questions with the programs they were answered by the first time."""


@dataclass(slots=True)
class Load:
    """A run of some clients that each ask again as soon as they are answered."""

    seconds: float = 0.0
    answered: list[float] = field(default_factory=list)
    busy: int = 0
    failed: int = 0
    compared: int = 0
    different: int = 0

    def note(self, question: str, status: int, body: bytes, seconds: float, expected: Expected) -> None:
        if status == BUSY:
            self.busy += 1
        elif status != 200:
            self.failed += 1
        else:
            self.answered.append(seconds)
            program = json.loads(body)["program"]
            if question in expected:
                self.compared += 1
                self.different += program != expected[question]
            expected.setdefault(question, program)


@contextmanager
def server(options: Sequence[str], python: str = sys.executable) -> Iterator[tuple[str, int]]:
    """`arcaneqa serve` in a process of its own: its address and process id."""
    command = [python, "-c", START, "serve", "--port", "0", *options]
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
    assert process.stderr is not None
    try:
        said = ""
        for line in process.stderr:
            said += line
            if "running on" in line:
                yield line.split("running on")[1].split()[0], process.pid
                return
        raise ArcaneError(f"The service did not start: {said.strip()}")
    finally:
        process.terminate()
        process.wait(60)
        process.stderr.close()


def resident(pid: int) -> float:
    """Megabytes of memory that a process holds."""
    pages = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 1e6


async def _drive(
    url: str, questions: Iterator[str], clients: int, until: Callable[[int], bool], expected: Expected
) -> Load:
    load = Load()

    async def ask_again() -> None:
        async with asking(url) as ask:
            while not until(len(load.answered)):
                question = next(questions)
                started = time.perf_counter()
                status, body = await asyncio.wait_for(ask(question), PATIENCE)
                load.note(question, status, body, time.perf_counter() - started, expected)
                if status == BUSY:
                    await asyncio.sleep(0.1)

    started = time.perf_counter()
    await asyncio.gather(*(ask_again() for _ in range(clients)))
    load.seconds = time.perf_counter() - started
    return load


def drive(url: str, questions: Iterator[str], clients: int, seconds: float, expected: Expected) -> Load:
    """Clients that ask for some seconds; what they were answered is remembered in, or held to, `expected`."""
    end = time.perf_counter() + seconds
    return asyncio.run(_drive(url, questions, clients, lambda _: time.perf_counter() > end, expected))


def report(questions: Sequence[str], options: Sequence[str], seconds: float) -> str:
    rows = [
        "| clients | searched together | answers/s | median (s) | p95 (s) | 429 | failed | unlike serial "
        "| pieces/answer | calls/answer | pieces/call | pieces/ms |",
        "|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|",
    ]
    notes = [f"{len(questions):,} questions, none twice before all were asked; {seconds:g} s a row."]
    expected: Expected = {}
    for together in (1, TOGETHER):
        limit = ["--together", str(together), "--waiting", "64"]
        with server([*options, *limit]) as (url, pid):
            drive(url, cycle(questions), 4, min(seconds, 3.0), {})  # compiled kernels and mapped files
            for clients in (*CLIENTS, OVERLOAD):
                # Every row asks the same questions again, so that one client's answers are what many get.
                before = reads(url)
                load = drive(url, cycle(questions), clients, seconds, expected)
                rows.append(_row(clients, together, load, reads(url) - before))
            notes.append(f"Searching {together} together, it held {resident(pid):,.0f} MB at the end.")
    return "\n".join([*rows, "", *notes, "", rates()])


def reads(url: str) -> Reads:
    """What the service's encoder has read so far, as its metrics tell."""
    lines = httpx.get(f"{url}/metrics", timeout=60).text.splitlines()
    told = dict(line.split(" ", 1) for line in lines if line.startswith("arcaneqa_encoder_"))
    calls, pieces, seconds = (
        float(told[f"arcaneqa_encoder_{one}"]) for one in ("calls", "pieces", "seconds")
    )
    return Reads(int(calls), int(pieces), seconds)


def rates() -> str:
    """What searching together could gain at most: how fast the encoder reads few and many tokens at once."""
    reader = reader_of(read_stored(bundled_model()))
    lines = ["| tokens in a call of the encoder | tokens/ms |", "|--:|--:|"]
    for inputs in (1, 2, 8, 32):
        ids, lengths = np.full(128 * inputs, 1000, np.int32), np.full(inputs, 128)
        reader.read(ids, lengths)
        turns = max(2, 64 // inputs)
        started = time.perf_counter()
        for _ in range(turns):
            reader.read(ids, lengths)
        rate = turns * len(ids) / (time.perf_counter() - started) / 1000
        lines.append(f"| {len(ids):,} | {rate:.1f} |")
    return "\n".join(lines)


def _row(clients: int, together: int, load: Load, read: Reads) -> str:
    middle, late = np.percentile(load.answered, [50, 95]) if load.answered else (np.nan, np.nan)
    return (
        f"| {clients} | {together} | {len(load.answered) / load.seconds:.1f} | {middle:.2f} | {late:.2f} "
        f"| {load.busy:,} | {load.failed:,} | {load.different:,} of {load.compared:,} "
        f"| {read.pieces / max(1, len(load.answered)):,.0f} | {read.calls / max(1, len(load.answered)):.1f} "
        f"| {read.pieces / max(1, read.calls):,.0f} "
        f"| {read.pieces / max(1e-9, 1000 * read.seconds):.1f} |"
    )


def soak(questions: Sequence[str], options: Sequence[str], requests: int) -> str:
    """Memory while thousands of different questions are asked."""
    rows = ["| questions asked | resident (MB) |", "|--:|--:|"]
    share = requests // PARTS
    with server(options) as (url, pid):
        turn = cycle(questions)
        asked = failed = 0
        for _ in range(PARTS):
            load = asyncio.run(_drive(url, turn, 4, lambda done: done >= share, {}))
            asked += len(load.answered)
            failed += load.failed
            rows.append(f"| {asked:,} | {resident(pid):,.0f} |")
    return "\n".join([*rows, "", f"{len(questions):,} different questions in turn; {failed} failed."])
