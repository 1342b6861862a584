"""The encoder in numpy against the library it was trained with, and against compiled loops."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from numpy.typing import NDArray

from arcaneqa.int8.bert import BertReader
from arcaneqa.int8.plain import PlainReader
from arcaneqa.model.reader import TorchReader
from arcaneqa.model.stored import Stored, bundled_model, read_stored
from arcaneqa.support.errors import ModelError

LENGTHS = np.array([1, 7, 64, 33, 140, 6])


@pytest.fixture(scope="module")
def stored() -> Stored:
    return read_stored(bundled_model())


@pytest.fixture(scope="module")
def ids() -> NDArray[np.int32]:
    return np.random.default_rng(0).integers(1_000, 20_000, int(LENGTHS.sum()), np.int32)


def in_floats(stored: Stored) -> Stored:
    return replace(stored, arrays={name: stored.floats(name) for name in stored.names()})


def test_floats_are_read_as_by_the_library(stored: Stored, ids: NDArray[np.int32]) -> None:
    plain, expected = PlainReader(in_floats(stored)), TorchReader(stored)
    assert np.allclose(plain.read(ids, LENGTHS), expected.read(ids, LENGTHS), atol=1e-4)
    assert np.allclose(plain.looks(ids[:20]), BertReader(in_floats(stored)).looks(ids[:20]), atol=1e-4)


def test_bytes_are_read_as_by_compiled_loops(stored: Stored, ids: NDArray[np.int32]) -> None:
    """But for what rounding makes of a last bit: a byte one higher or lower here and there, which the layers
    behind it spread."""
    plain, compiled = PlainReader(stored), BertReader(stored)
    for depth, most in ((0, 1e-5), (1, 0.05)):
        found, expected = plain._read(ids, LENGTHS, depth), compiled._read(ids, LENGTHS, depth)
        assert np.median(np.abs(found - expected).max(1)) < 1e-5
        assert np.abs(found - expected).max() < most


@pytest.mark.parametrize("are_bytes", [True, False])
def test_an_input_is_read_the_same_beside_others(
    stored: Stored, ids: NDArray[np.int32], are_bytes: bool
) -> None:
    reader = PlainReader(stored if are_bytes else in_floats(stored))
    together = np.split(reader.read(ids, LENGTHS), LENGTHS.cumsum()[:-1])
    for own, expected in zip(np.split(ids, LENGTHS.cumsum()[:-1]), together, strict=True):
        assert np.array_equal(reader.read(own, np.array([len(own)])), expected)


def test_what_cannot_be_read_is_an_error(stored: Stored) -> None:
    reader = PlainReader(stored)
    with pytest.raises(ModelError, match="knows more words"):
        reader.read(np.array([1_000, 30_522], np.int32), np.array([2]))
    with pytest.raises(ModelError, match="at most 256 word pieces"):
        reader.read(np.full(257, 1_000, np.int32), np.array([257]))
