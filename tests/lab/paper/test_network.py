"""The replica steps through a program as it was trained, and is the published model to the last parameter."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
import torch

from arcaneqa.lab.paper.config import PaperConfig
from arcaneqa.lab.paper.network import (
    PaperCorpus,
    PaperNetwork,
    SegmentedEncoder,
    create,
    load,
    published_count,
)
from arcaneqa.lab.paper.scorer import PaperScorer
from arcaneqa.lab.paper.train import train
from arcaneqa.lab.training import checkpoint
from arcaneqa.lab.training.calls import Call
from arcaneqa.lab.training.checkpoint import Model, parameters_of, save
from arcaneqa.lab.training.encoder import ContextualEncoder
from arcaneqa.lab.training.prepared import Builder, Example
from arcaneqa.lab.training.saved_run import read_history
from arcaneqa.model.config import ModelConfig
from arcaneqa.support.errors import InputError, ModelError
from tests.model.test_scorer import walk
from tests.tiny import CITIES, RELATIONS, examples, prepared_set, write_encoder

NARROW = {"max_tokens": 64, "max_question": 16, "max_context": 8, "max_text": 10, "max_types": 3}


@pytest.fixture(scope="module")
def encoder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_encoder(tmp_path_factory.mktemp("encoder"))


def config(**choices: object) -> PaperConfig:
    return PaperConfig.from_json(PaperConfig(max_tokens=256).to_json() | choices)


def trained(model: Model, batch: list[Example]) -> dict[tuple[int, int], float]:
    """Log-probability of the gold at each step with a choice, all steps at once."""
    builder = Builder()
    for example in batch:
        builder.add(example)
    corpus = PaperCorpus.of(builder.build(), model.words)
    with torch.inference_mode():
        sequences = corpus.batch(np.arange(len(batch)), 4096)
        losses = model.network.eval()(sequences).losses.tolist()
    steps = [(int(row), step) for step, rows in enumerate(sequences.decision_rows) for row in rows.tolist()]
    assert len(steps) == sum(len(example.steps) for example in batch), "forced steps are read, too"
    found = {key: -loss for key, loss in zip(steps, losses, strict=True)}
    forced = [(row, step) for row, step in found if len(batch[row].steps[step].candidates) == 1]
    assert all(found.pop(key) == 0 for key in forced)
    return found


@pytest.mark.parametrize("choices", [{}, {"types": True}, NARROW])
def test_steps_equal_the_training_path(encoder: Path, tmp_path: Path, choices: dict[str, object]) -> None:
    torch.manual_seed(3)
    model = create(str(encoder), config(**choices))
    batch = examples(12, relations=9)
    save(model, tmp_path / "model", "float32")
    assert walk(PaperScorer.load(tmp_path / "model"), batch) == pytest.approx(trained(model, batch), abs=1e-4)


def test_static_vectors_are_projected(tmp_path: Path) -> None:
    draw = np.random.default_rng(0)
    known = sorted({word for text in [*RELATIONS, *CITIES] for word in text.split()})
    lines = [f"{word} {' '.join(f'{x:.3f}' for x in draw.normal(size=8))}\n" for word in known]
    (tmp_path / "vectors.txt").write_text("".join(lines))
    model = create(f"static:{tmp_path / 'vectors.txt'}", config(encoder="static", hidden=24))
    batch = examples(6)
    save(model, tmp_path / "model", "float32")
    assert walk(PaperScorer.load(tmp_path / "model"), batch) == pytest.approx(trained(model, batch), abs=1e-4)


def test_the_published_count_of_parameters_is_that_of_bert_base() -> None:
    from transformers import BertConfig, BertModel

    with torch.device("meta"):
        bert = BertModel(BertConfig(), add_pooling_layer=False)  # type: ignore[no-untyped-call]
        network = PaperNetwork(ContextualEncoder(bert), PaperConfig())
    assert published_count(network) == 123_652_608
    pooling = layer_of_no_use = 768 * 769
    assert parameters_of(network) == 123_652_608 - pooling - layer_of_no_use


def test_the_decoder_is_as_wide_as_the_encoder(encoder: Path) -> None:
    made = create(str(encoder), config())
    assert made.config.hidden == 64
    with pytest.raises(ModelError, match="as wide as the encoder"):
        PaperNetwork(made.network.encoder, PaperConfig())


def test_behind_a_separator_begins_the_second_segment(encoder: Path) -> None:
    own = create(str(encoder), config()).network.encoder.eval()
    assert isinstance(own, SegmentedEncoder)
    inputs = [torch.tensor(ids) for ids in ([2, 9, 3, 8, 3], [2, 7, 7], [2, 3, 11, 12, 3, 13, 3])]
    expected = []
    for one in inputs:
        marks = (one == 3).nonzero()[:1, 0].tolist()
        segments = torch.arange(len(one)) > (marks[0] if marks else len(one))
        read = own.network(input_ids=one[None], token_type_ids=segments.long()[None])
        expected.append(read.last_hidden_state[0])
    call = Call.of(torch.cat(inputs).numpy(), np.array([len(one) for one in inputs]))
    assert torch.allclose(own([call]), torch.cat(expected), atol=1e-5)


def test_neither_reads_the_others_model(encoder: Path, tmp_path: Path) -> None:
    save(create(str(encoder), config()), tmp_path / "paper")
    save(checkpoint.create(str(encoder), ModelConfig(hidden=16)), tmp_path / "ours")
    with pytest.raises(ModelError, match="unknown key 'paper'"):
        checkpoint.load(tmp_path / "paper")
    with pytest.raises(ModelError, match="no replica of the paper's"):
        load(tmp_path / "ours")


def papers_set(folder: Path, count: int) -> Path:
    made = prepared_set(folder, count, 1)
    manifest = json.loads((made / "manifest.json").read_text())
    manifest["report"]["plan"] = {"topics": ["gold"], "paper": True}
    (made / "manifest.json").write_text(json.dumps(manifest))
    return made


def test_it_is_trained_as_published(
    tmp_path: Path, encoder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    made = str(papers_set(tmp_path / "set", 40))
    given = ["--encoder", str(encoder), "--out", str(tmp_path / "model"), "--epochs", "1", "--device", "cpu"]
    train([made, *given, "--rate", "0.01", "--model", '{"max_tokens": 256}'])
    assert load(tmp_path / "model").config == PaperConfig(hidden=64, max_tokens=256)
    (line,) = read_history(tmp_path / "model.run" / "history.jsonl")
    assert (line["step"], line["questions"], line["rate"]) == (2, 32, 0.01), "batches of 16, a steady rate"
    assert "as the paper counts" in capsys.readouterr().err
    other = str(prepared_set(tmp_path / "other", 8, 1))
    with pytest.raises(InputError, match=r"lab\.paper prepare"):
        train([made, other, *given])
