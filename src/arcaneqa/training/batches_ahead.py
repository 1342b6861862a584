"""Batches built ahead of the loop that uses them, in their order.

In processes where there is a GPU to keep busy: threads would take turns with the loop at every one of
its thousand small calls. Otherwise in one thread.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor
from contextlib import ExitStack
from multiprocessing import get_all_start_methods, get_context
from typing import Any

import torch

from arcaneqa.model.inputs import exchanged
from arcaneqa.model.network import Sequences
from arcaneqa.ragged import Ints
from arcaneqa.training.batches import Corpus

Build = Callable[[Corpus, int, Ints], list[Sequences]]
"""The parts of an update, from its number and questions."""

_inherited: tuple[Corpus, Build] | None = None
"""What forked processes find in their memory: a corpus is too large to be sent around."""


def built_ahead(
    corpus: Corpus, build: Build, updates: Iterable[tuple[int, Ints]], processes: int
) -> Iterator[tuple[list[Sequences], Ints]]:
    """Each update's parts with its questions; `processes` of 0 means one thread."""
    global _inherited
    forks = processes > 0 and "fork" in get_all_start_methods()
    with ExitStack() as stack:
        pool: Executor
        if forks:
            _inherited = (corpus, build)
            pool = ProcessPoolExecutor(processes, get_context("fork"))
        else:
            pool = ThreadPoolExecutor(1)
        stack.callback(pool.shutdown, wait=True, cancel_futures=True)
        waiting: list[tuple[Future[Any], Ints]] = []
        for number, questions in updates:
            if forks:
                waiting.append((pool.submit(_build_there, number, questions), questions))
            else:
                waiting.append((pool.submit(build, corpus, number, questions), questions))
            if len(waiting) > max(3, 2 * processes):
                yield _received(*waiting.pop(0))
        while waiting:
            yield _received(*waiting.pop(0))


def _received(parts: Future[Any], questions: Ints) -> tuple[list[Sequences], Ints]:
    return [exchanged(part, _tensor) for part in parts.result()], questions


def _build_there(number: int, questions: Ints) -> tuple[Any, ...]:
    """Arrays travel as they are; tensors would take a file descriptor each."""
    assert _inherited is not None
    corpus, build = _inherited
    made: tuple[Any, ...] = exchanged(tuple(build(corpus, number, questions)), lambda one: one.numpy())
    return made


def _tensor(one: Any) -> torch.Tensor:
    return one if isinstance(one, torch.Tensor) else torch.from_numpy(one)
