"""A first glance at long lists: what stays, for whom, and against the network it was learned with."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from arcaneqa.induction.scorer import Candidate, Shortlist, TokenKind
from arcaneqa.int8.stored_arrays import VectorTable
from arcaneqa.model import glance as room
from arcaneqa.model.glance import Glance
from arcaneqa.model.stored import Stored, bundled_model, read_stored

QUESTION = "Which rivers flow through the capital of Norway?"
TEXTS = [
    "river : city",
    "capital : country",
    "mouth of the watercourse : river",
    *(f"catalogue code {number} : museum object" for number in range(40)),
]


@pytest.fixture(scope="module")
def stored() -> Stored:
    return read_stored(bundled_model())


@pytest.fixture(scope="module")
def glance(stored: Stored) -> Glance:
    found = Glance.of(stored)
    assert found is not None
    return found


def test_what_is_far_behind_is_left_out_and_some_always_stay(
    glance: Glance, monkeypatch: pytest.MonkeyPatch
) -> None:
    scores = glance.scores(QUESTION, TEXTS)
    for gap, limit in ((0.0, 64), (9.0, 64), (1e9, 64), (1e9, 5)):
        monkeypatch.setattr(room, "_GAP", gap)
        kept = list(glance.rank(QUESTION, TEXTS, limit))
        assert kept == sorted(kept, key=lambda place: -scores[place])
        near = int((scores >= scores.max() - gap).sum())
        assert len(kept) == min(limit, max(20, near))
    monkeypatch.undo()
    assert set(glance.rank(QUESTION, TEXTS, 64)[:3]) == {0, 1, 2}


def test_a_text_counts_the_same_in_any_list(glance: Glance) -> None:
    whole = glance.scores(QUESTION, TEXTS)
    parts = [glance.scores(QUESTION, TEXTS[start : start + 7]) for start in range(0, len(TEXTS), 7)]
    assert np.allclose(whole, np.concatenate(parts), atol=1e-4)


def test_a_list_of_thousands_is_first_cut_by_words(glance: Glance) -> None:
    many = [*(f"something else {number}" for number in range(3_000)), *TEXTS]
    assert 3_000 in list(glance.rank(QUESTION, many, 64))[:3]


def test_texts_without_words_hold_up_nobody(glance: Glance) -> None:
    assert len(list(glance.rank("", ["", " ", *TEXTS], 64))) >= 20
    assert list(glance.rank(QUESTION, [], 64)) == []


def test_variables_and_symbols_stay(glance: Glance) -> None:
    others = [Candidate(TokenKind.VARIABLE, "Oslo", variable=0), Candidate(TokenKind.END, "end")]
    candidates = [*(Candidate(TokenKind.RELATION, text) for text in TEXTS), *others]
    shortlist = Shortlist(glance, 64)
    kept = shortlist.positions(QUESTION, candidates)
    assert kept == sorted(kept)
    assert {len(TEXTS), len(TEXTS) + 1} <= set(kept)
    assert len(kept) < len(candidates)
    short = candidates[: shortlist.beyond]
    assert shortlist.positions(QUESTION, short) == list(range(len(short))), "a short list stays as it is"


def test_a_model_with_other_words_has_no_glance(stored: Stored, monkeypatch: pytest.MonkeyPatch) -> None:
    """As another encoder's table, whose rows mean other words."""
    whole = VectorTable.__getitem__
    monkeypatch.setattr(VectorTable, "__getitem__", lambda self, ids: whole(self, ids[::-1].copy()))
    assert Glance.of(stored) is None


def test_numpy_and_torch_give_the_same_scores(stored: Stored, tmp_path: Path) -> None:
    pytest.importorskip("torch")
    from arcaneqa.lab.training.glance import GlanceNetwork, LongList, train_glance

    lists = [LongList(QUESTION, TEXTS, gold) for gold in (1, 1, 30)]
    network: GlanceNetwork = train_glance(stored, lists, epochs=3)
    network.save(tmp_path / "glance.safetensors")
    own = Glance.of(stored, tmp_path / "glance.safetensors")
    assert own is not None
    expected = network(QUESTION, TEXTS).detach().numpy()
    assert np.allclose(own.scores(QUESTION, TEXTS), expected, atol=0.05), "what is kept is halved"
    assert int(expected.argmax()) == 1, "it has learned what was meant most"
