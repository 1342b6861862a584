"""Batches against the obvious: one question at a time, the stored order, every candidate."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from arcaneqa.lab.training.batches import Corpus, built_ahead, join, mixture
from arcaneqa.lab.training.checkpoint import Model, create
from arcaneqa.lab.training.loop import parts
from arcaneqa.lab.training.network import Sequences
from arcaneqa.lab.training.prepared import Builder, Prepared, read, write
from arcaneqa.model.config import ModelConfig
from arcaneqa.support.errors import InputError
from arcaneqa.support.ragged import Ints
from tests.tiny import examples, write_encoder

SHORT = ModelConfig(
    hidden=24, dropout=0.0, max_tokens=64, max_question=16, max_context=8, max_text=10, max_types=3
)


def prepared(count: int = 12, seed: int = 5, relations: int = 9) -> Prepared:
    builder = Builder()
    for example in examples(count, seed, relations):
        builder.add(example)
    return builder.build()


@pytest.fixture(scope="module")
def encoder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_encoder(tmp_path_factory.mktemp("encoder"))


@pytest.fixture(scope="module")
def model(encoder: Path) -> Model:
    torch.manual_seed(1)
    made = create(str(encoder), SHORT)
    made.network.eval()
    return made


@pytest.mark.parametrize("draw", [None, 7])
@pytest.mark.parametrize("limit", [None, 4])
@pytest.mark.parametrize("blanks", [0.0, 0.4])
def test_together_is_one_by_one(model: Model, draw: int | None, limit: int | None, blanks: float) -> None:
    corpus = Corpus.of(prepared(), model.words)
    with torch.inference_mode():
        batch = corpus.batch(np.arange(12), 300, limit, draw, blanks)
        together = model.network(batch).losses
        rows = torch.cat([*batch.decision_rows])
        for question in range(12):
            alone = model.network(corpus.batch(np.array([question]), 10_000, limit, draw, blanks)).losses
            assert torch.allclose(together[rows == question], alone, atol=1e-5)


def test_blanks_hide_that_share_of_the_question_and_nothing_else(model: Model) -> None:
    corpus = Corpus.of(prepared(200), model.words)
    chosen = np.flatnonzero(corpus.decisions > 0)
    plain, blanked = (corpus.batch(chosen, 10_000, None, 3, blanks) for blanks in (0.0, 0.3))
    hidden = asked = 0
    for call, other in zip(plain.inputs.calls, blanked.inputs.calls, strict=True):
        lengths = call.lengths.tolist()
        for before, after in zip(*(torch.split(one.ids, lengths) for one in (call, other)), strict=True):
            changed = before != after
            assert (after[changed] == model.words.blank).all()
            end = int((before == model.words.separator).int().argmax())
            assert not changed[end:].any()
            hidden += int(changed.sum())
            asked += end - 1
    assert 0.25 < hidden / asked < 0.35


def test_decisions_that_do_not_fit_are_split(model: Model) -> None:
    corpus = Corpus.of(prepared(), model.words)
    inputs = corpus.batch(np.arange(12), 10_000).inputs
    assert int(inputs.inputs_each.max()) > 1
    assert all(call.longest <= SHORT.max_tokens for call in inputs.calls)


def test_every_part_learns(encoder: Path) -> None:
    """Gradients reach the encoder's first layer, both LSTMs and every projection."""
    fresh = create(str(encoder), SHORT)
    corpus = Corpus.of(prepared(), fresh.words)
    fresh.network(corpus.batch(np.arange(12), 10_000)).losses.sum().backward()
    for name, parameter in fresh.network.named_parameters():
        assert parameter.grad is not None, name
        assert parameter.grad.abs().sum() > 0, name


def test_a_forced_step_is_no_encoder_input(model: Model) -> None:
    data = prepared(1)
    corpus = Corpus.of(data, model.words)
    sizes = np.diff(data.set_offsets)[data.step_sets]
    batch = corpus.batch(np.array([0]), 10_000)
    assert len(batch.inputs.inputs_each) == (sizes > 1).sum() < len(sizes)


@given(draw=st.integers(0, 10**9), limit=st.integers(2, 12), seed=st.integers(0, 50))
@settings(max_examples=60, deadline=None)
def test_sampling_keeps_the_gold_and_nothing_twice(draw: int, limit: int, seed: int) -> None:
    data = prepared(6, seed, 11)
    corpus = object.__new__(Corpus)
    object.__setattr__(corpus, "prepared", data)
    sizes = np.diff(data.set_offsets)[data.step_sets]
    steps = np.flatnonzero(sizes > 1)
    candidates, held, gold = corpus._candidates(steps, limit, draw)
    assert (held == np.minimum(sizes[steps], limit)).all()
    start = 0
    for step, count, place in zip(steps, held, gold, strict=True):
        group = data.step_sets[step]
        whole = data.set_candidates[data.set_offsets[group] : data.set_offsets[group + 1]]
        drawn = candidates[start : start + count]
        assert len(set(drawn)) == count
        assert set(drawn) <= set(whole)
        assert candidates[place] == whole[data.step_gold[step]]
        assert start <= place < start + count
        start += count


def test_joined_sets_give_the_same_losses(model: Model) -> None:
    first, second = prepared(5, 1), prepared(6, 2)
    joined = Corpus.of(join([first, second]), model.words)
    alone = Corpus.of(second, model.words)
    with torch.inference_mode():
        expected = model.network(alone.batch(np.arange(6), 10_000)).losses
        found = model.network(joined.batch(5 + np.arange(6), 10_000)).losses
    assert torch.allclose(expected, found, atol=1e-5)


def test_mixture_counts() -> None:
    usable = np.ones(30, bool)
    usable[0] = False
    order = mixture([10, 20], [2.0, 0.25], usable, seed=3)
    counts = np.bincount(order, minlength=30)
    assert counts[0] == 0
    assert (counts[1:10] == 2).all()
    assert counts[10:].sum() == 5
    assert (mixture([10, 20], [2.0, 0.25], usable, seed=3) == order).all()
    assert (mixture([10, 20], [2.0, 0.25], usable, seed=4) != order).any()


def test_parts_hold_the_limit() -> None:
    tokens = np.array([5, 5, 50, 1, 1, 1])
    found = [part.tolist() for part in parts(np.arange(6), tokens, 10)]
    assert found == [[0, 1], [2], [3, 4, 5]]


def test_written_and_read_again(tmp_path: Path) -> None:
    data = prepared()
    write(data, tmp_path / "set", {"note": 1})
    again = read(tmp_path / "set")
    assert again.questions == data.questions
    assert again.texts == data.texts
    assert (again.step_sets == data.step_sets).all()
    assert (again.topic_offsets == data.topic_offsets).all()
    write(data, tmp_path / "other", {"note": 1})
    for path in (tmp_path / "set").iterdir():
        assert path.read_bytes() == (tmp_path / "other" / path.name).read_bytes()


def test_absorbing_parts_is_building_whole() -> None:
    whole, parted = Builder(), Builder()
    for chunk in (examples(4, 1), examples(5, 2)):
        part = Builder()
        for example in chunk:
            whole.add(example)
            part.add(example)
        parted.absorb(part.build())
    first, second = whole.build(), parted.build()
    assert first.contexts == second.contexts
    for name in ("step_sets", "set_candidates", "candidate_texts", "topic_starts", "step_offsets"):
        assert (getattr(first, name) == getattr(second, name)).all()


def test_damage_is_found(tmp_path: Path) -> None:
    write(prepared(), tmp_path / "set", {})
    path = tmp_path / "set" / "step_gold.npy.xz"
    path.write_bytes(path.read_bytes()[:-1] + b"?")
    with pytest.raises(InputError, match="damaged"):
        read(tmp_path / "set")
    path.unlink()
    with pytest.raises(InputError, match="cannot be read"):
        read(tmp_path / "set")
    (tmp_path / "set" / "manifest.json").write_text('{"format": 99}')
    with pytest.raises(InputError, match="another version"):
        read(tmp_path / "set")


@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")
def test_batches_built_ahead_are_the_same(model: Model) -> None:
    corpus = Corpus.of(prepared(), model.words)

    def build(corpus: Corpus, number: int, questions: Ints) -> list[Sequences]:
        return [corpus.batch(part, 500, 4, number) for part in (questions[:2], questions[2:])]

    updates = [(number, (np.arange(5) + number) % 12) for number in range(20)]
    here, there = (
        [
            (model.network(batch).losses, questions.tolist())
            for batches, questions in built_ahead(corpus, build, updates, processes)
            for batch in batches
        ]
        for processes in (0, 2)
    )
    assert len(here) == 40
    for (losses, questions), (others, same) in zip(here, there, strict=True):
        assert torch.equal(losses, others)
        assert questions == same
