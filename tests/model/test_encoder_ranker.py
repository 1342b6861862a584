"""The encoder's shortlist: what means the same comes first, and what is kept changes nothing."""

from __future__ import annotations

from pathlib import Path

import pytest

from arcaneqa.induction.scorer import Ranker
from arcaneqa.model import ranker as module
from arcaneqa.model.checkpoint import create, save
from arcaneqa.model.config import ModelConfig
from arcaneqa.model.glance import Glance
from arcaneqa.model.ranker import EncoderRanker
from arcaneqa.model.scorer import ModelScorer
from arcaneqa.model.stored import bundled_model

QUESTION = "who wrote the book?"


def _ranker() -> EncoderRanker:
    """As where no glance was learned for an encoder."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Glance, "of", lambda _: None)
        found = ModelScorer.load(bundled_model()).ranker()
    assert isinstance(found, EncoderRanker)
    return found


@pytest.fixture(scope="module")
def ranker() -> EncoderRanker:
    return _ranker()


def test_meaning_counts_where_no_word_is_shared(ranker: Ranker) -> None:
    texts = [
        "area code city to text",
        "author work to person",
        "elevation mountain to number",
        "colour car to text",
    ]
    assert ranker.rank(QUESTION, texts, 1) == [1]
    assert ranker.rank("how high is it?", texts, 1) == [2]


def test_what_was_read_before_changes_nothing(ranker: EncoderRanker) -> None:
    texts = [
        f"{word} of thing {number}" for number, word in enumerate(["author", "size", "writer", "date"] * 5)
    ]
    first = list(ranker.rank(QUESTION, texts, 7))
    assert len(set(first)) == 7
    assert list(ranker.rank(QUESTION, texts, 7)) == first
    backwards = [len(texts) - 1 - place for place in ranker.rank(QUESTION, texts[::-1], 7)]
    assert set(backwards) == set(first)


@pytest.mark.parametrize("question", ["", "???", "\u200b", "who " * 2000])
def test_odd_questions_and_texts_are_ranked_too(ranker: Ranker, question: str) -> None:
    texts = ["", "author", "word " * 500, "\u200b"]
    assert sorted(ranker.rank(question, texts, 10)) == [0, 1, 2, 3]
    assert ranker.rank(question, [], 3) == []


def test_of_thousands_the_words_choose_what_is_read(ranker: EncoderRanker) -> None:
    texts = [f"unit {number}" for number in range(3000)] + ["book author"]
    assert ranker.rank(QUESTION, texts, 3)[0] == 3000
    assert len(ranker.rank(QUESTION, texts, 1000)) == module.MOST_READ


def test_a_full_memory_is_emptied(ranker: EncoderRanker, monkeypatch: pytest.MonkeyPatch) -> None:
    texts = [f"author {number}" for number in range(8)]
    fresh = _ranker()
    monkeypatch.setattr(fresh._texts, "_most", 10)
    for start in range(5):
        some = [*texts[start:], f"size {start}"]
        assert list(fresh.rank(QUESTION, some, 4)) == list(ranker.rank(QUESTION, some, 4))
    assert len(fresh._texts._known) <= 10


def test_a_model_of_word_vectors_ranks_too(tmp_path: Path) -> None:
    (tmp_path / "vectors.txt").write_text("author 1 0 0\nbook 0.9 0.1 0\ncity 0 1 0\n")
    config = ModelConfig(encoder="static", hidden=8)
    save(create(f"static:{tmp_path / 'vectors.txt'}", config), tmp_path / "model", "float32")
    found = ModelScorer.load(tmp_path / "model").ranker().rank("book", ["city", "author"], 1)
    assert found == [1]
