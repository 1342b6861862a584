"""How fast the bundled encoder is read, how true to its weights, and whether inputs are read alike alone."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from functools import partial

import numpy as np
from numpy.typing import NDArray

from arcaneqa.int8.bert import BertReader
from arcaneqa.int8.instructions import MULTIPLIES_BYTES
from arcaneqa.int8.stored_arrays import Floats
from arcaneqa.model.reader import Reader, TorchReader
from arcaneqa.model.stored import Stored, bundled_model, read_stored

SIZES = (32, 64, 256, 1_024)
"""Word pieces of a call, in inputs of at most 64."""
ROUNDS = 9
ALONE = 12


def report() -> str:
    stored = read_stored(bundled_model())
    readers = {name: make(stored) for name, make in _readers().items()}
    draw = np.random.default_rng(0)
    lengths = draw.integers(5, 120, ALONE)
    ids = _ids(draw, int(lengths.sum()))
    expected = readers["torch, float32"].read(ids, lengths)
    rates = _rates(list(readers.values()), draw)
    lines = [
        f"| | {' | '.join(f'{size:,}' for size in SIZES)} | cosine, mean | worst | the same alone |",
        f"|---|{'--:|' * (len(SIZES) + 3)}",
    ]
    for row, (name, reader) in enumerate(readers.items()):
        found = reader.read(ids, lengths)
        cosines = _cosines(found, expected)
        cells = [f"{rate:.1f}" for rate in rates[row]]
        cells += [
            f"{cosines.mean():.4f}",
            f"{cosines.min():.3f}",
            f"{_alike(reader, ids, lengths)} of {ALONE}",
        ]
        lines.append(f"| {name} | {' | '.join(cells)} |")
    said = f"Word pieces a millisecond by the size of a call; medians of {ROUNDS} rounds, readers in turn."
    return "\n".join([said, "", *lines])


def _readers() -> dict[str, Callable[[Stored], Reader]]:
    made: dict[str, Callable[[Stored], Reader]] = {}
    if MULTIPLIES_BYTES:
        made["compiled, products of bytes"] = BertReader
    return made | {
        "compiled, products of floats": partial(BertReader, in_bytes=False),
        "torch, float32": TorchReader,
    }


def _rates(readers: Sequence[Reader], draw: np.random.Generator) -> NDArray[np.float64]:
    """Readers take turns, so that whatever else the machine does meets them all alike."""
    rates = np.zeros((len(readers), len(SIZES)))
    for place, size in enumerate(SIZES):
        lengths = np.full(max(1, size // 64), min(64, size))
        ids = _ids(draw, size)
        seconds = np.zeros((len(readers), ROUNDS))
        for turn in range(ROUNDS):
            for row, reader in enumerate(readers):
                started = time.perf_counter()
                reader.read(ids, lengths)
                seconds[row, turn] = time.perf_counter() - started
        rates[:, place] = size / (1000 * np.median(seconds, axis=1))
    return rates


def _alike(reader: Reader, ids: NDArray[np.int32], lengths: NDArray[np.int64]) -> int:
    """How many inputs are read to the same bits alone and beside the others."""
    ends = np.cumsum(lengths)[:-1]
    together = np.split(reader.read(ids, lengths), ends)
    alone = [reader.read(own, np.array([len(own)])) for own in np.split(ids, ends)]
    return sum(np.array_equal(one, other) for one, other in zip(alone, together, strict=True))


def _cosines(found: Floats, expected: Floats) -> Floats:
    norms = np.linalg.norm(found, axis=1) * np.linalg.norm(expected, axis=1)
    cosines: Floats = (found * expected).sum(1) / norms
    return cosines


def _ids(draw: np.random.Generator, count: int) -> NDArray[np.int32]:
    return draw.integers(1_000, 20_000, count, np.int32)
