"""Weights that travel come back as they were, but for word pieces that nobody reads."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import travel

from arcaneqa.lab.training.checkpoint import create, save
from arcaneqa.model.config import ModelConfig
from arcaneqa.model.stored import read_stored
from arcaneqa.model.word_pieces import WordPieces
from tests import tiny


@pytest.fixture
def model(tmp_path: Path) -> Path:
    encoder = tiny.write_encoder(tmp_path / "encoder")
    save(create(str(encoder), ModelConfig(hidden=16)), tmp_path / "model")
    return tmp_path / "model"


@pytest.mark.parametrize("has_rest", [True, False])
def test_packed_and_unpacked(model: Path, tmp_path: Path, has_rest: bool) -> None:
    part = tiny.prepared_set(tmp_path / "set", 20, 1)
    travel.pack(model, [part], None, tmp_path / "packed.safetensors")
    travel.unpack(tmp_path / "packed.safetensors", model, tmp_path / "again", model if has_rest else None)
    before, after = read_stored(model), read_stored(tmp_path / "again")
    table = before.floats(travel.TABLE)
    used = travel.pieces_of([part], WordPieces(before.tokenizer, before.config))
    assert 0 < len(used) < len(table)
    unused = np.setdiff1d(np.arange(len(table)), used)
    for name in before.names():
        if name == travel.TABLE:
            np.testing.assert_allclose(after.floats(name)[used], table[used], atol=1e-3)
            there = after.floats(name)[unused]
            np.testing.assert_allclose(there, table[unused] if has_rest else 0 * there, atol=1e-3)
        else:
            np.testing.assert_allclose(after.floats(name), before.floats(name), atol=2e-3)


def test_the_pieces_of_another_pack(model: Path, tmp_path: Path) -> None:
    part = tiny.prepared_set(tmp_path / "set", 20, 1)
    travel.pack(model, [part], None, tmp_path / "one.safetensors")
    travel.pack(model, [], tmp_path / "one.safetensors", tmp_path / "two.safetensors")
    assert (tmp_path / "one.safetensors").read_bytes() == (tmp_path / "two.safetensors").read_bytes()
