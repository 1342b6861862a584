"""Every byte of a model's folder counts: what is changed, missing or added beside the seal is refused."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from arcaneqa.induction.learned import Learned
from arcaneqa.model.scorer import ModelScorer
from arcaneqa.model.stored import bundled_model, manifest_of, read_stored
from arcaneqa.support.errors import ModelError
from arcaneqa.support.sealed import SEAL, check_seal, seal
from arcaneqa.verdict.fitted import Fitted

SMALL = ("arcaneqa.json", "verdict.json", "constants.json", SEAL)


@pytest.fixture
def model(tmp_path: Path) -> Path:
    """The bundled model, its large files by name only."""
    folder = tmp_path / "model"
    folder.mkdir()
    for path in bundled_model().iterdir():
        if path.name in SMALL:
            shutil.copy(path, folder)
        else:
            (folder / path.name).symlink_to(path)
    return folder


def test_the_bundled_model_is_sealed() -> None:
    assert (bundled_model() / SEAL).exists()
    check_seal(bundled_model())


@pytest.mark.parametrize("name", SMALL)
def test_a_changed_byte_anywhere_is_noticed(model: Path, name: str) -> None:
    data = bytearray((model / name).read_bytes())
    for place in range(0, len(data), max(1, len(data) // 40)):
        changed = data.copy()
        changed[place] ^= 1
        (model / name).write_bytes(changed)
        with pytest.raises(ModelError):
            read_stored(model)
    (model / name).write_bytes(data)
    manifest_of(model)


def test_a_changed_number_of_layers_is_noticed(model: Path) -> None:
    manifest = json.loads((model / "arcaneqa.json").read_text())
    manifest["encoder"]["num_hidden_layers"] = 5
    (model / "arcaneqa.json").write_text(json.dumps(manifest))
    with pytest.raises(ModelError, match="was changed"):
        ModelScorer.load(model)


@pytest.mark.parametrize("name", ["verdict.json", "constants.json"])
def test_a_part_that_came_from_elsewhere_is_noticed(model: Path, name: str) -> None:
    data = (model / name).read_bytes()
    (model / name).unlink()
    manifest_of(model)  # removing one is how to do without it
    seal(model)
    (model / name).write_bytes(data)
    with pytest.raises(ModelError, match="was changed"):
        manifest_of(model)


def test_who_writes_a_part_seals_again(model: Path) -> None:
    Fitted(answer=0.3).save(model)
    Learned().save(model)
    manifest_of(model)
    assert Fitted.of_model(model).answer == 0.3


@pytest.mark.parametrize(
    "text", ["", "[]", "{}", '{"files": []}', "[" * 100_000, '{"files": {"a": 1}, "seal": 2}']
)
def test_a_seal_that_is_none(model: Path, text: str) -> None:
    (model / SEAL).write_text(text)
    with pytest.raises(ModelError, match="damaged"):
        manifest_of(model)


@pytest.mark.parametrize(
    ("part", "key", "value"),
    [
        ("encoder", "layer_norm_eps", "a"),
        ("encoder", "num_hidden_layers", 13),
        ("encoder", "num_attention_heads", 11),
        ("encoder", "intermediate_size", 1535),
        ("encoder", "hidden_size", None),
        ("model", "hidden", 127),
        ("model", "max_tokens", -1),
    ],
)
def test_a_description_that_does_not_fit_is_a_sentence(
    model: Path, part: str, key: str, value: object
) -> None:
    """Also where somebody sealed it so."""
    manifest = json.loads((model / "arcaneqa.json").read_text())
    manifest[part][key] = value
    (model / "arcaneqa.json").write_text(json.dumps(manifest))
    seal(model)
    with pytest.raises(ModelError):
        ModelScorer.load(model)
