"""Parts of a step by compiled loops and in numpy, each against obvious twins."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import numba
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from arcaneqa.int8.instructions import FLOAT_COLUMNS, soften
from arcaneqa.int8.products import Cell, Product, Recurrent, log_chances
from arcaneqa.model.decoder import gathered, is_gathered
from arcaneqa.model.word_pieces import Packed
from arcaneqa.support import loops


@pytest.fixture(params=["compiled", "plain"], scope="module", autouse=True)
def way(request: pytest.FixtureRequest) -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        if request.param == "plain":
            patch.setattr(loops, "are_worth", lambda _: False)
        yield


@given(st.integers(1, 4), st.integers(0, 9), st.integers(0, 2**32 - 1))
@settings(deadline=None)
def test_words_are_read_as_by_the_book(count: int, longest: int, seed: int) -> None:
    """Hidden states of an LSTM step by step; and each question as it is read alone, to the last bit."""
    draw, size = np.random.default_rng(seed), 16
    recurrent = draw.normal(size=(size, 4 * size)).astype(np.float32)
    inputs = draw.normal(size=(longest, count, 4 * size), scale=3).astype(np.float32)
    read_words = Recurrent(recurrent.T)
    found = read_words(inputs)
    hidden: NDArray[np.float64] = np.zeros((count, size))
    memory: NDArray[np.float64] = hidden
    for place in range(longest):
        hidden, memory = _turned(inputs[place] + hidden @ recurrent, memory)
        assert np.allclose(found[place], hidden, atol=1e-4)
    for number in range(count):
        alone = read_words(np.ascontiguousarray(inputs[:, number : number + 1]))
        assert np.array_equal(alone[:, 0], found[:, number])


@given(st.integers(1, 14), st.integers(0, 2**32 - 1))
@settings(deadline=None)
def test_a_step_is_by_the_book_and_the_same_alone(count: int, seed: int) -> None:
    draw, size = np.random.default_rng(seed), 16
    matrix, bias = (draw.normal(size=shape).astype(np.float32) for shape in ((64, 3 * size), (64,)))
    inputs, memory = (draw.normal(size=(count, width)).astype(np.float32) for width in (3 * size, size))
    step, remembered = Cell(matrix, bias), memory.copy()
    shown = step(inputs, remembered)
    wanted = _turned(inputs @ matrix.T + bias, memory.astype(np.float64))
    assert np.allclose((shown, remembered), wanted, atol=1e-4)
    for number in range(count):
        own = slice(number, number + 1)
        kept = memory[own].copy()
        assert np.array_equal(step(inputs[own], kept), shown[own])
        assert np.array_equal(kept, remembered[own])


def _turned(
    gates: NDArray[Any], memory: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """What an LSTM shows and remembers; its gates are at half their size, but for what is new."""
    take, keep, new, give = np.split(gates, 4, axis=1)
    memory = _logistic(2 * keep) * memory + _logistic(2 * take) * np.tanh(new)
    return _logistic(2 * give) * np.tanh(memory), memory


def _logistic(values: NDArray[np.float64]) -> NDArray[np.float64]:
    result: NDArray[np.float64] = 1 / (1 + np.exp(-values))
    return result


@given(st.integers(0, 14), st.integers(1, 70), st.integers(1, 70), st.integers(0, 2**32 - 1))
@settings(deadline=None)
def test_a_product_is_numpys_and_a_row_alone_is_the_same(
    rows: int, inward: int, outward: int, seed: int
) -> None:
    draw = np.random.default_rng(seed)
    matrix, bias = (draw.normal(size=size).astype(np.float32) for size in ((outward, inward), (outward,)))
    given_rows = draw.normal(size=(rows, inward)).astype(np.float32)
    product = Product(matrix, bias)
    found = product(given_rows)
    assert np.allclose(found, given_rows @ matrix.T + bias, atol=1e-4)
    for number in range(rows):
        assert np.array_equal(product(given_rows[number : number + 1])[0], found[number])
    assert np.array_equal(product(given_rows[None])[0], found)


def _soften(row: NDArray[np.float32], count: int) -> float:
    factor: float = soften(row.ctypes.data, count)
    return factor


_softened: Any = numba.njit(_soften)


@given(st.integers(1, 130), st.floats(0.01, 60), st.integers(0, 2**32 - 1))
@settings(deadline=None)
def test_softmax_is_numpys_whatever_stands_behind_a_row(count: int, spread: float, seed: int) -> None:
    scores = np.random.default_rng(seed).normal(size=count, scale=spread).astype(np.float32)
    room = -(-count // FLOAT_COLUMNS) * FLOAT_COLUMNS
    row, other = np.full(room, np.nan, np.float32), np.full(room, 1e30, np.float32)
    row[:count] = other[:count] = scores
    factor = _softened(row, count)
    raised = np.exp(scores.astype(np.float64) - scores.max())
    assert np.allclose(row[:count] * factor, raised / raised.sum(), atol=1e-6)
    assert not row[count:].any()
    assert _softened(other, count) == factor
    assert np.array_equal(row, other)


def test_words_are_averaged_over_inputs_and_candidates_over_pieces() -> None:
    """Two decisions: the first one's candidates did not fit into one input."""
    tokens = np.random.default_rng(0).normal(size=(20, 8)).astype(np.float32)
    counts = np.array([2, 0, 1, 3])
    packed = Packed(
        ids=np.zeros(20, np.int32),
        input_starts=np.array([0, 6, 12]),
        input_lengths=np.array([6, 6, 8]),
        input_decisions=np.array([0, 0, 1]),
        question_lengths=np.array([2, 3]),
        candidate_inputs=np.array([0, 0, 1, 2]),
        candidate_starts=np.array([4, 6, 10, 16]),
        candidate_lengths=counts,
        candidate_decisions=np.array([0, 0, 0, 1]),
    )
    words, candidates = gathered(packed, tokens)
    assert np.allclose(words[:2, 0], (tokens[1:3] + tokens[7:9]) / 2)
    assert not words[2:, 0].any()
    assert np.array_equal(words[:, 1], tokens[13:16])
    assert np.allclose(candidates[[0, 2, 3]], [tokens[4:6].mean(0), tokens[10], tokens[16:19].mean(0)])
    assert not candidates[1].any()
    # The encoder may leave other rows half read, and must not leave these.
    is_wanted = is_gathered(packed)
    assert is_wanted.sum() == 2 + 2 + 3 + counts.sum()
    half_read = np.where(is_wanted[:, None], tokens, np.float32(np.nan))
    for found, again in zip((words, candidates), gathered(packed, half_read), strict=True):
        assert np.array_equal(found, again)


@settings(deadline=None)
@given(sizes=st.lists(st.integers(1, 9), min_size=1, max_size=5), seed=st.integers(0, 1000))
def test_chances_and_what_was_taken_off_are_the_plain_products(sizes: list[int], seed: int) -> None:
    draw = np.random.default_rng(seed)
    rows = draw.normal(size=(sum(sizes), 16)).astype(np.float32)
    worth = draw.normal(size=sum(sizes)).astype(np.float32)
    pointed = draw.normal(size=(len(sizes), 16)).astype(np.float32)
    starts = np.array([0, *np.cumsum(sizes)], np.int64)
    chances, levels = log_chances(rows, worth, starts, pointed)
    for number, (first, last) in enumerate(pairwise(starts.tolist())):
        plain = rows[first:last] @ pointed[number] + worth[first:last]
        assert np.exp(chances[first:last]).sum() == pytest.approx(1, abs=1e-4)
        assert chances[first:last] + levels[number] == pytest.approx(plain, abs=1e-3)
