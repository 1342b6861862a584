"""Models on disk: what was saved is loaded, and anything else is refused with a sentence."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import numpy as np
import pytest
import torch

from arcaneqa.induction.scorer import Decision
from arcaneqa.lab.training.calls import Call
from arcaneqa.lab.training.checkpoint import create, load, save
from arcaneqa.model.config import RETIRED, ModelConfig
from arcaneqa.model.scorer import ModelScorer
from arcaneqa.support.errors import ModelError
from arcaneqa.support.sealed import seal
from tests.tiny import CITIES, RELATIONS, examples, write_encoder

CONFIG = ModelConfig(hidden=72)


@pytest.fixture(scope="module")
def encoder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_encoder(tmp_path_factory.mktemp("encoder"))


@pytest.fixture
def saved(tmp_path: Path, encoder: Path) -> Path:
    save(create(str(encoder), CONFIG), tmp_path / "model", "int8", {"trained": "no"})
    return tmp_path / "model"


@pytest.fixture
def vectors(tmp_path: Path) -> Path:
    draw = np.random.default_rng(0)
    known = sorted({word for text in [*RELATIONS, *CITIES] for word in text.split()})
    lines = [f"{word} {' '.join(f'{x:.3f}' for x in draw.normal(size=8))}\n" for word in known]
    path = tmp_path / "vectors.txt.gz"
    with gzip.open(path, "wt") as file:
        file.writelines(lines)
    return path


def first_scores(folder: Path) -> np.ndarray[tuple[int, ...], np.dtype[np.float32]]:
    example = examples(1)[0]
    decision = Decision(example.question, example.topics, example.steps[1].candidates)
    return ModelScorer.load(folder).score([decision])[0].log_probs


@pytest.mark.parametrize(("storage", "tolerance"), [("float32", 0.0), ("mixed", 0.02), ("int8", 0.05)])
def test_saved_and_loaded_again(encoder: Path, tmp_path: Path, storage: str, tolerance: float) -> None:
    model = create(str(encoder), CONFIG)
    save(model, tmp_path / "first", "float32")
    save(model, tmp_path / "model", storage)
    again = load(tmp_path / "model")
    assert again.config == CONFIG
    save(again, tmp_path / "again", storage)
    first, then = first_scores(tmp_path / "first"), first_scores(tmp_path / "model")
    assert np.abs(first - then).max() <= tolerance
    assert np.abs(then - first_scores(tmp_path / "again")).max() <= tolerance


def test_compact_is_a_quarter(encoder: Path, tmp_path: Path) -> None:
    model = create(str(encoder), CONFIG)
    save(model, tmp_path / "small", "int8")
    save(model, tmp_path / "large", "float32")
    small, large = (
        sum(path.stat().st_size for path in (tmp_path / name).glob("*.safetensors"))
        for name in ("small", "large")
    )
    assert small < 0.4 * large  # biases and norms weigh more in a tiny model


def test_every_row_is_near_what_it_was(encoder: Path, tmp_path: Path) -> None:
    model = create(str(encoder), CONFIG)
    save(model, tmp_path / "model", "int8")
    before, after = model.network.state_dict(), load(tmp_path / "model").network.state_dict()
    assert before.keys() == after.keys()
    for name, weights in before.items():
        largest = weights.abs().amax(-1, keepdim=True) if weights.dim() > 1 else weights.abs()
        assert ((weights - after[name]).abs() <= largest / 120 + 1e-6).all(), name


def test_saving_replaces_the_older_model(saved: Path, encoder: Path) -> None:
    (saved / "verdict.json").write_text("{}")  # fitted for the older one
    (saved / "notes.txt").write_text("x")
    save(create(str(encoder), CONFIG), saved, "int8")
    assert not (saved / "verdict.json").exists()
    assert (saved / "notes.txt").read_text() == "x"
    assert [path.name for path in saved.parent.iterdir()] == ["model"]


def test_an_encoder_is_taken_from_another_model(saved: Path, tmp_path: Path) -> None:
    made = create(str(saved), ModelConfig(hidden=16, types=False))
    assert made.config.hidden == 16
    save(made, tmp_path / "made")
    assert np.isfinite(first_scores(tmp_path / "made")).all()


def test_static_vectors_make_a_model(vectors: Path, tmp_path: Path) -> None:
    for trainable in (True, False):
        config = ModelConfig(encoder="static", hidden=8, train_vectors=trainable)
        model = create(f"static:{vectors}", config)
        wanting = [p for p in model.network.encoder.parameters() if p.requires_grad]
        assert bool(wanting) == trainable
        save(model, tmp_path / "model", "float32")
        save(load(tmp_path / "model"), tmp_path / "again", "float32")
        assert np.array_equal(first_scores(tmp_path / "again"), first_scores(tmp_path / "model"))
        example = examples(1)[0]
        seen = ModelScorer.load(tmp_path / "again").heat(example.question, "", example.steps[1].candidates)
        assert np.allclose(seen.weights.sum(1), 1)


@pytest.mark.parametrize("text", ["", "word\n", "a 1 2\nb 1\n", "a x y\n"])
def test_bad_vectors_are_refused(tmp_path: Path, text: str) -> None:
    path = tmp_path / "vectors.txt"
    path.write_text(text)
    with pytest.raises(ModelError, match="vectors"):
        create(f"static:{path}", ModelConfig(encoder="static"))


def test_every_flipped_byte_is_found(saved: Path) -> None:
    for name in ("weights-01.safetensors", "tokenizer.json"):
        path = saved / name
        whole = path.read_bytes()
        for place in (0, 9, len(whole) // 2, len(whole) - 1):
            path.write_bytes(whole[:place] + bytes([whole[place] ^ 1]) + whole[place + 1 :])
            with pytest.raises(ModelError, match="damaged"):
                load(saved)
        path.write_bytes(whole[:-10])
        with pytest.raises(ModelError, match="damaged"):
            load(saved)
        path.unlink()
        with pytest.raises(ModelError, match="cannot be read"):
            load(saved)
        path.write_bytes(whole)
    load(saved)


def change(folder: Path, **parts: object) -> None:
    path = folder / "arcaneqa.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | parts))
    seal(folder)


def test_mismatches_are_refused(saved: Path, tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="not a model"):
        load(tmp_path)
    manifest = json.loads((saved / "arcaneqa.json").read_text())
    change(saved, model=manifest["model"] | {"hidden": 71})
    with pytest.raises(ModelError, match="do not fit"):
        load(saved)
    change(saved, model=manifest["model"] | {"colour": "red"})
    with pytest.raises(ModelError, match="unknown key 'colour'"):
        load(saved)
    change(saved, model=manifest["model"] | {"hidden": "many"})
    with pytest.raises(ModelError, match="wrong type"):
        load(saved)
    change(saved, model=manifest["model"], encoder={"model_type": "abacus"})
    with pytest.raises(ModelError, match="abacus"):
        load(saved)
    change(saved, encoder=manifest["encoder"], format=7)
    with pytest.raises(ModelError, match=r"version 7.*arcaneqa train"):
        load(saved)
    (saved / "arcaneqa.json").write_text("[]")
    seal(saved)
    with pytest.raises(ModelError, match="does not describe a model"):
        load(saved)
    (saved / "arcaneqa.json").write_text("{")
    seal(saved)
    with pytest.raises(ModelError, match="cannot be read"):
        load(saved)


@pytest.mark.parametrize(
    "choices", [{"encoder": "psychic"}, {"hidden": 0}, {"max_tokens": 60}, {"dropout": 1.0}]
)
def test_impossible_choices_are_refused(choices: dict[str, object]) -> None:
    with pytest.raises(ModelError):
        ModelConfig.from_json(ModelConfig().to_json() | choices)


def test_older_folders_are_read_where_they_say_what_still_holds(saved: Path) -> None:
    manifest = json.loads((saved / "arcaneqa.json").read_text())
    expected = first_scores(saved)
    change(saved, model=manifest["model"] | RETIRED)
    assert np.array_equal(first_scores(saved), expected)
    for name, value in RETIRED.items():
        change(saved, model=manifest["model"] | {name: not value})
        with pytest.raises(ModelError, match=f"unknown key '{name}'"):
            load(saved)


def test_positions_are_cut_without_changing_results(encoder: Path) -> None:
    from transformers import AutoModel

    made = create(str(encoder), CONFIG).network.encoder.eval()
    whole = AutoModel.from_pretrained(encoder, add_pooling_layer=False).eval()
    ids = np.arange(5, 25)
    with torch.inference_mode():
        expected = whole(input_ids=torch.from_numpy(ids)[None]).last_hidden_state[0]
        assert torch.allclose(made([Call.of(ids, np.array([20]))]), expected, atol=1e-6)
    assert sum(p.numel() for p in made.parameters()) < sum(p.numel() for p in whole.parameters())
