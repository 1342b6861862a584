"""The service for long under good, bad and cut requests: what it holds and how fast it is, then and now.

`python -m benchmarks.soak --minutes 30`: one server over the bundled knowledge base; clients that ask, run
programs, complete names, send nonsense, send half a request, and go away before they are answered. It fails
where a good request was not answered well, or where memory or open files at the end say that something leaks.
"""

from __future__ import annotations

import argparse
import json
import random
import socket
import sys
import threading
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlsplit

import httpx
import numpy as np

from arcaneqa.lab.bench.serve import resident, server
from arcaneqa.lab.figures import hardware, version
from arcaneqa.support.console import console

QUESTIONS = Path(__file__).parents[1] / "demo" / "questions.jsonl"
PARTS = 10
"""The first and the last of so many parts of the time are compared."""
MOST_GROWTH = 1.25
MOST_FILES = 50
"""More open files at the end than after the first part."""
BAD = (
    ("POST", "/v1/ask", b"{"),
    ("POST", "/v1/ask", b'{"question": 7}'),
    ("POST", "/v1/ask", b'{"question": "x", "rows": -1}'),
    ("POST", "/v1/ask", b" " * 70_000),
    ("POST", "/v1/run", b'{"program": "(COUNT"}'),
    ("POST", "/v1/run", b'{"program": "(JOIN nothing nowhere)"}'),
    ("GET", "/v1/entities", b""),
    ("DELETE", "/v1/kb", b""),
    ("GET", "/nowhere", b""),
)


@dataclass
class Watch:
    """What clients saw. `good` are (when, seconds) of requests that had to be answered."""

    begun: float = field(default_factory=time.monotonic)
    counts: Counter[str] = field(default_factory=Counter)
    good: list[tuple[float, float]] = field(default_factory=list)
    failures: list[str] = field(default_factory=list)
    lock: threading.Lock = field(default_factory=threading.Lock)

    def note(self, kind: str, seconds: float | None = None, failure: str | None = None) -> None:
        with self.lock:
            self.counts[kind] += 1
            if seconds is not None:
                self.good.append((time.monotonic() - self.begun, seconds))
            if failure is not None:
                self.failures.append(f"{kind}: {failure}")

    def p95(self, start: float, end: float) -> float:
        within = [seconds for when, seconds in self.good if start <= when < end]
        return float(np.percentile(within, 95)) if within else float("nan")


class Client:
    def __init__(self, url: str, questions: Sequence[str], seed: int, watch: Watch, until: float) -> None:
        self._url, self._questions, self._watch, self._until = url, questions, watch, until
        self._random = random.Random(seed)
        self._http = httpx.Client(base_url=url, timeout=60)

    def run(self) -> None:
        ways = (self._ask, self._ask, self._ask, self._run, self._look, self._bad, self._cut, self._leave)
        while time.monotonic() < self._until:
            way = self._random.choice(ways)
            try:
                way()
            except httpx.HTTPError as error:
                self._watch.note("broken", failure=repr(error))
        self._http.close()

    def _good(self, kind: str, method: str, path: str, body: dict[str, object] | None = None) -> None:
        started = time.monotonic()
        reply = self._http.request(method, path, json=body)
        failure = None if reply.status_code in (200, 429) else f"{reply.status_code} {reply.text[:100]}"
        self._watch.note(kind, time.monotonic() - started, failure)

    def _ask(self) -> None:
        self._good("asked", "POST", "/v1/ask", {"question": self._random.choice(self._questions)})

    def _run(self) -> None:
        self._good("programs run", "POST", "/v1/run", {"program": "(COUNT demo:Country)"})

    def _look(self) -> None:
        self._good("names completed", "GET", f"/v1/entities?q={self._random.choice('abcdefgh')}")

    def _bad(self) -> None:
        method, path, body = self._random.choice(BAD)
        reply = self._http.request(method, path, content=body, headers={"content-type": "application/json"})
        is_refused = 400 <= reply.status_code < 500
        self._watch.note("bad requests", failure=None if is_refused else f"{reply.status_code} {path}")

    def _cut(self) -> None:
        """Half a request, and gone."""
        with self._connected() as connection:
            whole = self._whole()
            connection.sendall(whole[: self._random.randrange(len(whole))])
        self._watch.note("half requests")

    def _leave(self) -> None:
        """A whole request, and gone before the answer."""
        with self._connected() as connection:
            connection.sendall(self._whole())
            time.sleep(self._random.random() * 0.05)
        self._watch.note("left before the answer")

    def _connected(self) -> socket.socket:
        parts = urlsplit(self._url)
        return socket.create_connection((parts.hostname or "", parts.port or 0), timeout=30)

    def _whole(self) -> bytes:
        body = json.dumps({"question": self._random.choice(self._questions)}).encode()
        head = "POST /v1/ask/stream HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n"
        return f"{head}content-length: {len(body)}\r\n\r\n".encode() + body


def soak(minutes: float, clients: int) -> tuple[str, list[str]]:
    """A table, and what was wrong."""
    lines = QUESTIONS.read_text(encoding="utf-8").splitlines()
    questions = [str(json.loads(line)["question"]) for line in lines if line.strip()]
    seconds = 60 * minutes
    with server([]) as (url, pid):
        watch = Watch()
        until = watch.begun + seconds
        threads = [
            threading.Thread(target=Client(url, questions, seed, watch, until).run) for seed in range(clients)
        ]
        for thread in threads:
            thread.start()
        samples: list[tuple[float, int]] = []
        for _ in range(PARTS):
            time.sleep(seconds / PARTS)
            samples.append((resident(pid), len(list(Path(f"/proc/{pid}/fd").iterdir()))))
        for thread in threads:
            thread.join()
        is_alive = httpx.get(f"{url}/healthz").text == "ok"
    (first_memory, first_files), (last_memory, last_files) = samples[0], samples[-1]
    part = seconds / PARTS
    first, last = watch.p95(0, part), watch.p95(seconds - part, seconds + 60)
    rows = [
        "| | after the first tenth | at the end |",
        "|---|--:|--:|",
        f"| memory (MB resident) | {first_memory:,.0f} | {last_memory:,.0f} |",
        f"| open files | {first_files} | {last_files} |",
        f"| p95 of good requests (s) | {first:.2f} | {last:.2f} |",
        "",
        ", ".join(f"{kind}: {count:,}" for kind, count in sorted(watch.counts.items())),
        f"{minutes:g} minutes, {clients} clients; {version()}; {hardware()}.",
    ]
    wrong = watch.failures[:10]
    if last_memory > MOST_GROWTH * first_memory:
        wrong.append(f"memory grew from {first_memory:,.0f} to {last_memory:,.0f} MB")
    if last_files > first_files + MOST_FILES:
        wrong.append(f"open files grew from {first_files} to {last_files}")
    if not is_alive:
        wrong.append("the service does not answer any more")
    return "\n".join(rows), wrong


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--minutes", type=float, default=30.0)
    parser.add_argument("--clients", type=int, default=6)
    given = parser.parse_args()
    table, wrong = soak(given.minutes, given.clients)
    screen = console()
    screen.print(table)
    for each in wrong:
        screen.print(f"WRONG: {each}")
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
