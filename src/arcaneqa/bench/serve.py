"""What the service holds under load: closed-loop clients over loopback, against a server of its own."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import count
from pathlib import Path

import httpx
import numpy as np

from arcaneqa.errors import ArcaneError

CLIENTS = (1, 8, 64)
OVERLOAD = 128
START = "from arcaneqa.cli.main import main; main()"


@dataclass(frozen=True, slots=True)
class Load:
    """A run of some clients that each ask again as soon as they are answered."""

    seconds: float
    answered: list[float]
    busy: int
    failed: int

    @property
    def rate(self) -> float:
        return len(self.answered) / self.seconds

    @property
    def p95(self) -> float:
        return float(np.percentile(self.answered, 95)) if self.answered else float("nan")


@contextmanager
def server(options: Sequence[str]) -> Iterator[tuple[str, int]]:
    """`arcaneqa serve` in a process of its own: its address and process id."""
    command = [sys.executable, "-c", START, "serve", "--port", "0", *options]
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


async def _drive(url: str, path: str, bodies: Sequence[dict[str, str]], clients: int, seconds: float) -> Load:
    answered: list[float] = []
    statuses: list[int] = []
    turns = count()
    end = time.perf_counter() + seconds
    limits = httpx.Limits(max_connections=clients)

    async def ask_again(client: httpx.AsyncClient) -> None:
        while time.perf_counter() < end:
            started = time.perf_counter()
            response = await client.post(path, json=bodies[next(turns) % len(bodies)])
            statuses.append(response.status_code)
            if response.status_code == 200:
                answered.append(time.perf_counter() - started)
            elif response.status_code == 429:
                await asyncio.sleep(0.1)

    started = time.perf_counter()
    async with httpx.AsyncClient(base_url=url, limits=limits, timeout=60) as client:
        await asyncio.gather(*(ask_again(client) for _ in range(clients)))
    busy = statuses.count(429)
    return Load(time.perf_counter() - started, answered, busy, len(statuses) - len(answered) - busy)


def drive(
    url: str, bodies: Sequence[dict[str, str]], clients: int, seconds: float, path: str = "/v1/ask"
) -> Load:
    return asyncio.run(_drive(url, path, bodies, clients, seconds))


def report(questions: Sequence[str], options: Sequence[str], seconds: float) -> str:
    bodies = [{"question": question} for question in questions]
    rows = [
        "| clients | searched together | answers/s | p95 (s) | 429 | failed |",
        "|--:|--:|--:|--:|--:|--:|",
    ]
    notes = []
    for together in (1, 16):
        limit = ["--together", str(together), "--waiting", "64"]
        with server([*options, *limit]) as (url, pid):
            drive(url, bodies, 4, min(seconds, 3.0))  # caches and compiled kernels
            before = resident(pid)
            for clients in (*CLIENTS, OVERLOAD):
                rows.append(_row(clients, together, drive(url, bodies, clients, seconds)))
            notes.append(
                f"Searching {together} together, resident memory was {before:,.0f} MB before the table's "
                f"requests and {resident(pid):,.0f} MB after them."
            )
            if together > 1:
                notes.append(_many_runs(url, pid, seconds))
    return "\n".join([*rows, "", f"{len(questions)} questions in turn, {seconds:g} s a row.", *notes])


def _row(clients: int, together: int, load: Load) -> str:
    return f"| {clients} | {together} | {load.rate:.1f} | {load.p95:.2f} | {load.busy:,} | {load.failed:,} |"


def _many_runs(url: str, pid: int, seconds: float) -> str:
    """Programs are cheap to run, so thousands of requests show whether memory grows."""
    found = httpx.get(f"{url}/v1/kb", timeout=60).json()
    programs = [{"program": f"(COUNT {klass['name']})"} for klass in found["classes"]]
    before, load = resident(pid), drive(url, programs, 8, 4 * seconds, "/v1/run")
    return (
        f"{len(load.answered):,} requests to `/v1/run` ({load.rate:,.0f}/s): resident memory from "
        f"{before:,.0f} to {resident(pid):,.0f} MB."
    )
