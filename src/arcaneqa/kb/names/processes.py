"""Work on many pieces dealt out to several processes, which see all that this one sees."""

from __future__ import annotations

import contextlib
import gc
import multiprocessing
import os
import signal
from collections.abc import Callable, Iterator, Sequence
from multiprocessing.connection import Connection
from typing import TypeVar

from arcaneqa.errors import InputError

P = TypeVar("P")
R = TypeVar("R")
MOST = 4
"""Processes at most; more would each take memory."""


def in_processes(work: Callable[[P], R], pieces: Sequence[P]) -> Iterator[R]:
    """What work makes of each piece, in order.

    A helper that nobody listens to any more ends, so that none is left behind however this ends.
    """
    count = min(len(pieces), os.cpu_count() or 1, MOST)
    if count < 2 or "fork" not in multiprocessing.get_all_start_methods():
        yield from map(work, pieces)
        return
    fork = multiprocessing.get_context("fork")
    lines: list[Connection] = []
    helpers: list[multiprocessing.process.BaseProcess] = []
    try:
        for first in range(count):
            here, there = fork.Pipe(duplex=False)
            # A later helper would keep an earlier one's line open, and its own.
            helpers.append(
                fork.Process(target=_help, args=(work, pieces[first::count], there, [*lines, here]))
            )
            with _interrupts_held():
                helpers[-1].start()
            there.close()
            lines.append(here)
        for number in range(len(pieces)):
            try:
                yield lines[number % count].recv()
            except EOFError:
                raise InputError("A process that was listing names ended; is there enough memory?") from None
    finally:
        for line in lines:
            line.close()
        for helper in helpers:
            helper.terminate()
            helper.join()


@contextlib.contextmanager
def _interrupts_held() -> Iterator[None]:
    """Until a helper that is being made has said that it does not want them."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _help(work: Callable[[P], R], pieces: Sequence[P], line: Connection, others: list[Connection]) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the build, which then stops listening
    gc.disable()  # names hold no cycles; to look for some takes a tenth of the time
    for other in others:
        other.close()
    with contextlib.suppress(BrokenPipeError):
        for piece in pieces:
            line.send(work(piece))
