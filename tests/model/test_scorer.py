"""The scorer walks a program step by step and must say what training computed for all steps at once."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import torch

from arcaneqa.induction.scorer import Decision
from arcaneqa.model.checkpoint import Model, create
from arcaneqa.model.config import ModelConfig
from arcaneqa.model.scorer import ModelScorer
from arcaneqa.training.batches import Corpus
from arcaneqa.training.prepared import Builder, Example
from tiny import examples, write_encoder

CONFIGS = [
    {},
    {"context": False, "types": False},
    {"relevance": False, "attentive": False, "entity_text": False},
    {"max_tokens": 64, "max_question": 16, "max_context": 8, "max_text": 10, "max_types": 3},
]


@pytest.fixture(scope="module")
def encoder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_encoder(tmp_path_factory.mktemp("encoder"))


def model_of(encoder: Path, **choices: object) -> Model:
    torch.manual_seed(3)
    return create(str(encoder), ModelConfig.from_json(ModelConfig(hidden=24).to_json() | choices))


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
def test_steps_equal_the_training_path(encoder: Path, choices: dict[str, object]) -> None:
    model = model_of(encoder, **choices)
    batch = examples(12, relations=9)
    builder = Builder()
    for example in batch:
        builder.add(example)
    corpus = Corpus.of(builder.build(), model.words)
    model.network.eval()
    with torch.inference_mode():
        sequences = corpus.batch(np.arange(len(batch)), 4096)
        losses = model.network(sequences).losses.tolist()
    by_step = [(int(row), step) for step, rows in enumerate(sequences.decision_rows) for row in rows.tolist()]
    walked = walk(ModelScorer(model, half=False), batch)
    assert set(walked) == set(by_step)
    for key, loss in zip(by_step, losses, strict=True):
        assert walked[key] == pytest.approx(-loss, abs=1e-4)
    halved = walk(ModelScorer(model, half=True), batch)
    for key, loss in zip(by_step, losses, strict=True):
        assert halved[key] == pytest.approx(-loss, abs=0.05)


def test_equal_inputs_are_encoded_once(encoder: Path) -> None:
    model = model_of(encoder)
    scorer = ModelScorer(model)
    calls = []
    model.network.encoder.register_forward_hook(lambda _m, inputs, _o: calls.append(len(inputs[0])))
    example = examples(1)[0]
    decision = Decision(example.question, example.topics, example.steps[1].candidates)
    scorer.score([decision, decision])
    scorer.score([decision])
    assert calls == [1]


def test_a_forced_step_needs_no_encoder(encoder: Path) -> None:
    model = model_of(encoder)
    scorer = ModelScorer(model)
    calls: list[int] = []
    model.network.encoder.register_forward_hook(lambda *_: calls.append(1))
    example = examples(1)[0]
    (scores,) = scorer.score([Decision(example.question, example.topics, example.steps[0].candidates)])
    assert scores.log_probs.tolist() == [0.0]
    assert calls == []


def test_no_decisions_and_an_empty_question(encoder: Path) -> None:
    scorer = ModelScorer(model_of(encoder))
    assert scorer.score([]) == []
    example = examples(1)[0]
    (scores,) = scorer.score([Decision("", (), example.steps[1].candidates)])
    assert np.isfinite(scores.log_probs).all()


def test_heat_has_a_row_for_each_candidate(encoder: Path) -> None:
    scorer = ModelScorer(
        model_of(encoder, max_tokens=64, max_question=16, max_context=8, max_text=10, max_types=3)
    )
    example = examples(1, relations=11)[0]
    candidates = example.steps[3].candidates
    seen = scorer.heat(example.question, "join it", candidates)
    assert seen.words == tuple(example.question.split())
    assert seen.weights.shape == (len(candidates), len(seen.words))
    assert np.allclose(seen.weights.sum(1), 1)
    nothing = scorer.heat("", "", candidates)
    assert nothing.weights.shape == (len(candidates), 0)
