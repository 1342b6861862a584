"""Loops over large sets, compiled on first use (and kept on disk). Small sets never come here."""

from __future__ import annotations

from collections.abc import Callable
from typing import ParamSpec, TypeVar, cast

import numba
import numpy as np

from arcaneqa.kb.store import Array

_P = ParamSpec("_P")
_R = TypeVar("_R")


def _compiled(function: Callable[_P, _R]) -> Callable[_P, _R]:
    """Compiled code holds no Python lock, so that threads share one index in parallel."""
    return cast(Callable[_P, _R], numba.njit(cache=True, nogil=True)(function))


@_compiled
def mark_codes(nodes: Array, offsets: Array, codes: Array, seen: Array, most: int) -> None:
    """Mark every code in the lists of these nodes; `most` codes are all there can be."""
    missing = most
    for node in nodes:
        for place in range(offsets[node], offsets[node + 1]):
            if not seen[codes[place]]:
                seen[codes[place]] = True
                missing -= 1
        if missing == 0:
            return


@_compiled
def marked_places(keys: Array, words: Array) -> Array:
    """Places of those keys whose bit is set."""
    found = np.empty(len(keys) + 1, np.int64)
    count = 0
    for place in range(len(keys)):
        key = np.int64(keys[place])
        # No branch depends on the data, so the processor has nothing to mispredict.
        found[count] = place
        count += int((words[key >> 6] >> np.uint64(key & 63)) & np.uint64(1))
    return found[:count]


@_compiled
def mark_values(rows: Array, offsets: Array, values: Array, words: Array) -> int:
    """Set the bit of every value in these rows; returns how many were set for the first time."""
    count = 0
    for row in rows:
        for place in range(offsets[row], offsets[row + 1]):
            value = np.int64(values[place])
            word, bit = value >> 6, np.uint64(1) << np.uint64(value & 63)
            count += (words[word] & bit) == 0
            words[word] |= bit
    return count


@_compiled
def mark_each(values: Array, words: Array) -> int:
    """Set the bit of every value; returns how many were set for the first time."""
    count = 0
    for one in values:
        value = np.int64(one)
        word, bit = value >> 6, np.uint64(1) << np.uint64(value & 63)
        count += (words[word] & bit) == 0
        words[word] |= bit
    return count


@_compiled
def set_bits(words: Array, count: int) -> Array:
    """The numbers of the set bits, in order."""
    found = np.empty(count, np.int64)
    place = 0
    for number in range(len(words)):
        word = words[number]
        while word:
            lowest = word & (~word + np.uint64(1))
            found[place] = (number << 6) + _bit_number(lowest)
            place += 1
            word ^= lowest
    return found


@_compiled
def _bit_number(word: np.uint64) -> int:
    """Position of the only set bit: a de Bruijn product names it in its top six bits."""
    return int(_BIT_NUMBERS[(word * np.uint64(0x03F79D71B4CB0A89)) >> np.uint64(58)])


def _bit_numbers() -> Array:
    table = np.zeros(64, np.int64)
    for bit in range(64):
        table[((0x03F79D71B4CB0A89 << bit) & 0xFFFFFFFFFFFFFFFF) >> 58] = bit
    return table


_BIT_NUMBERS = _bit_numbers()


@_compiled
def gather(rows: Array, offsets: Array, values: Array, keys: Array) -> tuple[Array, Array]:
    """Key and value of every fact in these rows."""
    total = 0
    for row in rows:
        total += offsets[row + 1] - offsets[row]
    subjects, objects = np.empty(total, np.int64), np.empty(total, np.int64)
    at = 0
    for row in rows:
        for place in range(offsets[row], offsets[row + 1]):
            subjects[at], objects[at] = keys[row], values[place]
            at += 1
    return subjects, objects


@_compiled
def meet(left: Array, right: Array) -> bool:
    """Whether two sets in order have anything in common."""
    one = other = 0
    while one < len(left) and other < len(right):
        a, b = left[one], right[other]
        if a == b:
            return True
        one += a < b
        other += b < a
    return False
