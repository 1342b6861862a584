"""The scorer walks a program step by step and must say what training computed for all steps at once."""

from __future__ import annotations

import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from pathlib import Path

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from arcaneqa.induction.scorer import Decision
from arcaneqa.int8.bert import BertReader
from arcaneqa.int8.stored_arrays import Flags, Floats, Words
from arcaneqa.lab.training.batches import Corpus
from arcaneqa.lab.training.checkpoint import Model, create, load, save
from arcaneqa.lab.training.prepared import Builder, Example
from arcaneqa.model.config import ModelConfig
from arcaneqa.model.reader import Reader, reader_of
from arcaneqa.model.scorer import ModelScorer
from arcaneqa.model.stored import bundled_model, read_stored
from arcaneqa.support.errors import InputError
from arcaneqa.support.ragged import Ints
from tests.tiny import examples, write_encoder

CONFIGS = [
    {},
    {"context": False, "types": False},
    {"max_tokens": 64, "max_question": 16, "max_context": 8, "max_text": 10, "max_types": 3},
]


@pytest.fixture(scope="module")
def encoder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_encoder(tmp_path_factory.mktemp("encoder"))


def model_of(base: Path, **choices: object) -> Model:
    torch.manual_seed(3)
    return create(str(base), ModelConfig.from_json(ModelConfig(hidden=24).to_json() | choices))


def scorer_of(model: Model, folder: Path, device: str = "cpu") -> ModelScorer:
    save(model, folder / "float32", "float32")
    return ModelScorer.load(folder / "float32", device)


@pytest.fixture
def reads(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How many inputs each call of the encoder had."""
    calls: list[int] = []
    read = BertReader.read

    def noted(self: BertReader, ids: Words, lengths: Ints, is_wanted: Flags | None = None) -> Floats:
        calls.append(len(lengths))
        return read(self, ids, lengths, is_wanted)

    monkeypatch.setattr(BertReader, "read", noted)
    return calls


def walk(scorer: ModelScorer, batch: list[Example]) -> dict[tuple[int, int], float]:
    """Log-probability of the gold at each step with a choice, all examples side by side."""
    state: dict[int, object] = {}
    found = {}
    for step in range(max(len(example.steps) for example in batch)):
        live = [number for number, example in enumerate(batch) if step < len(example.steps)]
        decisions = []
        for number in live:
            example = batch[number]
            here = example.steps[step]
            decisions.append(
                Decision(
                    example.question,
                    example.topics,
                    here.candidates,
                    here.context,
                    state.get(number),
                    example.steps[step - 1].gold if step else None,
                )
            )
        for number, scores in zip(live, scorer.score(decisions), strict=True):
            state[number] = scores.state
            here = batch[number].steps[step]
            assert np.isclose(np.exp(scores.log_probs).sum(), 1, atol=1e-5)
            if len(here.candidates) > 1:
                found[number, step] = float(scores.log_probs[here.gold])
    return found


@pytest.mark.parametrize("choices", CONFIGS)
def test_steps_equal_the_training_path(encoder: Path, tmp_path: Path, choices: dict[str, object]) -> None:
    model = model_of(encoder, **choices)
    batch = examples(12, relations=9)
    expected = trained(model, batch)
    assert walk(scorer_of(model, tmp_path), batch) == pytest.approx(expected, abs=1e-4)
    narrow = ModelScorer(read_stored(tmp_path / "float32"), tokens_per_call=40)
    assert walk(narrow, batch) == pytest.approx(expected, abs=1e-4)


@given(st.lists(st.integers(1, 90), min_size=1, max_size=9), st.integers(0, 1 << 30))
def test_an_input_is_read_the_same_beside_any_others(lengths: list[int], seed: int) -> None:
    """To the last bit: who asks alone gets what is answered to many at once."""
    reader = bundled_reader()
    ids = np.random.default_rng(seed).integers(1_000, 20_000, sum(lengths)).astype(np.int32)
    together = np.split(reader.read(ids, np.array(lengths)), np.cumsum(lengths)[:-1])
    for own, read in zip(np.split(ids, np.cumsum(lengths)[:-1]), together, strict=True):
        assert np.array_equal(reader.read(own, np.array([len(own)])), read)


@cache
def bundled_reader() -> Reader:
    return reader_of(read_stored(bundled_model()))


@pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a GPU")
@pytest.mark.parametrize("choices", CONFIGS)
def test_steps_on_a_gpu_equal_the_training_path(
    encoder: Path, tmp_path: Path, choices: dict[str, object]
) -> None:
    model = model_of(encoder, **choices)
    batch = examples(12, relations=9)
    found = walk(scorer_of(model, tmp_path, "cuda"), batch)
    assert found == pytest.approx(trained(model, batch), abs=1e-4)
    model.network.to("cuda")
    assert found == pytest.approx(trained(model, batch), abs=1e-4)


@pytest.mark.parametrize("device", ["cuda:99", "abacus"])
def test_a_device_that_is_not_there_is_refused_in_a_sentence(
    encoder: Path, tmp_path: Path, device: str
) -> None:
    with pytest.raises(InputError, match=f"no device '{device}' here"):
        scorer_of(model_of(encoder), tmp_path, device)


def trained(model: Model, batch: list[Example]) -> dict[tuple[int, int], float]:
    """What training computes for the same decisions, all at once."""
    builder = Builder()
    for example in batch:
        builder.add(example)
    corpus = Corpus.of(builder.build(), model.words)
    model.network.eval()
    with torch.inference_mode():
        sequences = corpus.batch(np.arange(len(batch)), 4096).to(next(model.network.parameters()).device)
        losses = model.network(sequences).losses.tolist()
    steps = [(int(row), step) for step, rows in enumerate(sequences.decision_rows) for row in rows.tolist()]
    return {key: -loss for key, loss in zip(steps, losses, strict=True)}


def test_compact_weights_are_read_as_they_lie(tmp_path: Path) -> None:
    """Matrices large enough to be stored as int8: activations are cut as well, which costs little."""
    model = model_of(write_encoder(tmp_path / "encoder", width=64))
    save(model, tmp_path / "int8", "int8")
    stored = read_stored(tmp_path / "int8")
    assert stored.compact("encoder.network.encoder.layer.0.intermediate.dense.weight") is not None
    batch = examples(12, relations=9)
    expected = trained(load(tmp_path / "int8"), batch)
    assert walk(ModelScorer(stored), batch) == pytest.approx(expected, abs=0.05)


def test_an_encoder_of_another_kind_is_run_by_its_own_library(tmp_path: Path) -> None:
    folder = write_encoder(tmp_path / "encoder", act="relu")
    model = model_of(folder)
    batch = examples(5)
    scorer = scorer_of(model, tmp_path)
    assert walk(scorer, batch) == pytest.approx(trained(model, batch), abs=1e-4)
    seen = scorer.heat(batch[0].question, "", batch[0].steps[1].candidates)
    assert np.allclose(seen.weights.sum(1), 1)


def test_answering_needs_no_torch(encoder: Path, tmp_path: Path) -> None:
    scorer_of(model_of(encoder), tmp_path)
    program = (
        "import sys; from pathlib import Path; from arcaneqa.model.scorer import ModelScorer; "
        f"ModelScorer.load(Path({str(tmp_path / 'float32')!r})); "
        "print(*{'torch', 'transformers'} & set(sys.modules))"
    )
    ran = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert (ran.returncode, ran.stdout.strip(), ran.stderr) == (0, "", "")


def test_equal_inputs_are_encoded_once(encoder: Path, tmp_path: Path, reads: list[int]) -> None:
    scorer = scorer_of(model_of(encoder), tmp_path)
    example = examples(1)[0]
    decision = Decision(example.question, example.topics, example.steps[1].candidates)
    scorer.score([decision, decision])
    scorer.score([decision])
    assert reads == [1]


def test_threads_read_at_the_same_time_and_each_reads_its_own(
    encoder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With caches so small that every thread throws out what the others have just kept."""
    scorer_of(model_of(encoder), tmp_path)
    scorer = ModelScorer(read_stored(tmp_path / "float32"), cached=1)
    monkeypatch.setattr(scorer._known_pieces, "_limit", 3)
    batches = [examples(3), examples(5)[2:], examples(4)[1:], examples(2)]
    alone = [walk(scorer, batch) for batch in batches]
    turn = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    try:
        with ThreadPoolExecutor(len(batches)) as threads:
            for _ in range(5):
                found = list(threads.map(lambda batch: walk(scorer, batch), batches))
                for one, own in zip(found, alone, strict=True):
                    assert one == pytest.approx(own, abs=1e-5)
    finally:
        sys.setswitchinterval(turn)


def test_a_forced_step_needs_no_encoder(encoder: Path, tmp_path: Path, reads: list[int]) -> None:
    scorer = scorer_of(model_of(encoder), tmp_path)
    example = examples(1)[0]
    (scores,) = scorer.score([Decision(example.question, example.topics, example.steps[0].candidates)])
    assert scores.log_probs.tolist() == [0.0]
    assert reads == []


def test_no_decisions_and_an_empty_question(encoder: Path, tmp_path: Path) -> None:
    scorer = scorer_of(model_of(encoder), tmp_path)
    assert scorer.score([]) == []
    example = examples(1)[0]
    (scores,) = scorer.score([Decision("", (), example.steps[1].candidates)])
    assert np.isfinite(scores.log_probs).all()


def test_heat_has_a_row_for_each_candidate(encoder: Path, tmp_path: Path) -> None:
    short = {"max_tokens": 64, "max_question": 16, "max_context": 8, "max_text": 10, "max_types": 3}
    scorer = scorer_of(model_of(encoder, **short), tmp_path)
    example = examples(1, relations=11)[0]
    candidates = example.steps[3].candidates
    seen = scorer.heat(example.question, "join it", candidates)
    assert seen.words == tuple(example.question.split())
    assert seen.weights.shape == (len(candidates), len(seen.words))
    assert np.allclose(seen.weights.sum(1), 1)
    nothing = scorer.heat("", "", candidates)
    assert nothing.weights.shape == (len(candidates), 0)
