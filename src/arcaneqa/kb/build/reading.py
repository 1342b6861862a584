"""Sources → batches: large files of lines by several processes, everything else in this one.

A helper is this module's `serve` in a process of its own. It reads tasks from its standard input and ends
when that closes, so that none is left behind however the build ends.
"""

from __future__ import annotations

import contextlib
import dataclasses
import json
import os
import subprocess
import sys
from collections.abc import Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass
from pathlib import Path
from queue import SimpleQueue
from typing import Any

from arcaneqa.errors import InputError
from arcaneqa.kb.build.sources import Skipped, Source
from arcaneqa.kb.build.statement_batches import Batch, Batches, Summary
from arcaneqa.terminal import Progress

_BLOCK = 1 << 25
"""Bytes (32 MiB) that one process parses at a time."""
_HELPERS = 4
"""Processes that parse side by side, at most."""


@dataclass(frozen=True)
class _Task:
    number: int
    path: str
    scope: str
    first: int
    start: int | None
    """Where the lines begin in the file; None where it is packed, and they are sent along."""
    folder: str
    lenient: bool


def read_batches(
    sources: Sequence[Source], folder: Path, size: int, skipped: Skipped | None, progress: Progress
) -> Batches:
    """`size` is the most statements a batch may have where this process does the reading."""
    summaries: dict[int, Summary] = {}
    prefixes: dict[str, str] = {}
    number = 0
    for place, source in enumerate(sources):
        told = _Telling(source, summaries, progress)
        left_out = 0 if skipped is None else skipped.count
        # A blank node's label holds within its file only.
        scope = f"s{place}_" if len(sources) > 1 else ""
        if source.has_lines and source.path.stat().st_size > _BLOCK and (os.cpu_count() or 1) > 1:
            tasks = _tasks(source, number, scope, folder, skipped is not None)
            number = _with_helpers(tasks, number, skipped, source, told.done)
        else:
            statements, more = source.statements(), True
            while more:
                batch = Batch(scope)
                more = batch.fill(statements, size)
                if len(batch):
                    told.done(number, batch.write(folder, number, source.spellings))
                    number += 1
        for prefix, namespace in source.prefixes.items():
            prefixes.setdefault(prefix, namespace)
        _check_yield(source, told.statements, skipped, left_out)
    return Batches(folder, [summaries[each] for each in sorted(summaries)], prefixes)


class _Telling:
    """Says how far one source is: statements, and of a packed one how much came out of it."""

    def __init__(self, source: Source, summaries: dict[int, Summary], progress: Progress) -> None:
        self._summaries, self._progress = summaries, progress
        self._before = sum(each.statements for each in summaries.values())
        self._packed = source.is_packed
        self._source = source
        self._told = 0
        self.statements = 0
        source.watcher = self.bytes

    def done(self, number: int, summary: Summary) -> None:
        self._summaries[number] = summary
        self.statements += summary.statements
        done = self._before + self.statements
        self._progress("reading statements", done, None if self._packed else self._expected())

    def _expected(self) -> int:
        """Statements in all, if the rest of the file has as many to the byte as what was read of it."""
        whole = self._source.path.stat().st_size
        return self._before + round(self.statements * max(1.0, whole / max(1, self._source.bytes)))

    def bytes(self, count: int) -> None:
        if self._packed and count - self._told > _BLOCK:
            self._told = count
            stage = f"reading statements ({count >> 20:,} MiB unpacked)"
            self._progress(stage, self._before + self.statements, None)


def _check_yield(source: Source, statements: int, skipped: Skipped | None, before: int) -> None:
    """A file that gave nothing is an error, one that gave less than was left out of it an outcry."""
    left_out = 0 if skipped is None else skipped.count - before
    if not statements:
        reason = "it has rules and no facts" if source.rules else "it has no statements"
        reason = "none of its statements could be read" if left_out else reason
        first = f" ({skipped.first[0]})" if skipped is not None and skipped.first else ""
        raise InputError(f"There is nothing to index in {source.path}: {reason}{first}.")
    if skipped is not None and left_out > statements:
        skipped.outcries.append(
            f"Of {source.path} more was left out ({left_out:,} statements) than was read ({statements:,})."
        )


def _tasks(
    source: Source, number: int, scope: str, folder: Path, lenient: bool
) -> Iterator[tuple[_Task, bytes]]:
    for place, (block, first, start) in enumerate(source.blocks(_BLOCK)):
        at = None if source.is_packed else start
        yield _Task(number + place, str(source.path), scope, first, at, str(folder), lenient), block


def _with_helpers(
    tasks: Iterator[tuple[_Task, bytes]], number: int, skipped: Skipped | None, source: Source, done: Any
) -> int:
    """Deal the tasks out in order, as many at a time as there are helpers; returns the next free number."""
    count = min(os.cpu_count() or 1, _HELPERS)
    helpers = [_Helper() for _ in range(count)]
    idle: SimpleQueue[_Helper] = SimpleQueue()
    for helper in helpers:
        idle.put(helper)

    def work(task: _Task, block: bytes) -> dict[str, Any]:
        helper = idle.get()
        try:
            return helper.work(task, block)
        finally:
            idle.put(helper)

    def collect(finished: Sequence[Future[dict[str, Any]]]) -> None:
        replies = sorted((future.result() for future in finished), key=lambda reply: int(reply["number"]))
        for reply in replies:
            if "error" in reply:
                raise InputError(reply["error"])
            if skipped is not None:
                skipped.add(reply["skipped"], reply["first"])
            source.odd.merge(**reply["odd"])
            if reply["summary"]["statements"]:
                done(reply["number"], Summary(**reply["summary"]))

    try:
        with ThreadPoolExecutor(count) as threads:
            try:
                pending: set[Future[dict[str, Any]]] = set()
                for task, block in tasks:
                    pending.add(threads.submit(work, task, block))
                    number = task.number + 1
                    if len(pending) > count:
                        finished, pending = wait(pending, return_when=FIRST_COMPLETED)
                        collect(list(finished))
                collect(list(pending))
            except BaseException:  # nobody waits for what the others still read
                for helper in helpers:
                    helper.close()
                raise
    finally:
        for helper in helpers:
            helper.close()
    return number


class _Helper:
    def __init__(self) -> None:
        # It finds modules where this process does, and nowhere else (-P: not in the working directory).
        places = os.pathsep.join(place for place in sys.path if place)
        self._process = subprocess.Popen(
            [sys.executable, "-P", "-c", "from arcaneqa.kb.build.reading import serve; serve()"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env={**os.environ, "PYTHONPATH": places},
            process_group=0,  # Ctrl-C is for the build, which then ends its helpers
        )

    def work(self, task: _Task, block: bytes) -> dict[str, Any]:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        try:
            head = json.dumps({**dataclasses.asdict(task), "bytes": len(block)})
            self._process.stdin.write(head.encode() + b"\n")
            if task.start is None:
                self._process.stdin.write(block)
            self._process.stdin.flush()
            reply: dict[str, Any] = json.loads(self._process.stdout.readline())
        except (OSError, ValueError):
            raise InputError(
                f"A process that was reading {task.path} ended; is there enough memory?"
            ) from None
        return reply

    def close(self) -> None:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.kill()
        self._process.wait()
        with contextlib.suppress(OSError):  # what it was not told any more
            self._process.stdin.close()
        self._process.stdout.close()


def serve() -> None:
    """The whole life of a helper."""
    tasks, replies = sys.stdin.buffer, sys.stdout.buffer
    while head := tasks.readline():
        facts = json.loads(head)
        size = facts.pop("bytes")
        task = _Task(**facts)
        block = tasks.read(size) if task.start is None else _stretch(task.path, task.start, size)
        replies.write(json.dumps(_reply(task, block)).encode() + b"\n")
        replies.flush()


def _stretch(path: str, start: int, size: int) -> bytes:
    with Path(path).open("rb") as file:
        file.seek(start)
        return file.read(size)


def _reply(task: _Task, block: bytes) -> dict[str, Any]:
    skipped = Skipped() if task.lenient else None
    source, batch = Source(Path(task.path), skipped), Batch(task.scope)
    try:
        batch.fill(source.statements_of(block, task.first))
        summary = batch.write(Path(task.folder), task.number, source.spellings)
    except InputError as error:
        return {"number": task.number, "error": str(error)}
    except OSError as error:
        return {"number": task.number, "error": f"The index could not be written: {error.strerror}."}
    left_out = skipped or Skipped()
    return {
        "number": task.number,
        "summary": dataclasses.asdict(summary),
        "skipped": left_out.count,
        "first": left_out.first,
        "odd": dataclasses.asdict(source.odd),
    }
