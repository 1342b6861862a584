"""Inputs laid out for a handful of decisions, against training's way of laying out thousands."""

from __future__ import annotations

from dataclasses import fields
from functools import cache
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from tokenizers import Tokenizer, models, pre_tokenizers

from arcaneqa.model.config import ModelConfig
from arcaneqa.model.stored import bundled_model, read_stored
from arcaneqa.model.word_pieces import (
    EMPTY,
    EncoderInput,
    KnownPieces,
    Packed,
    PiecesOfWords,
    TokenTable,
    WordPieces,
    pack,
)

CONFIG = ModelConfig(max_tokens=48, max_question=12, max_context=6, max_text=7, max_types=3)


@cache
def _words() -> WordPieces:
    return WordPieces(read_stored(bundled_model()).tokenizer, CONFIG)


def _as_in_training(decisions: list[EncoderInput]) -> Packed:
    words, named = _words(), [pair for asked in decisions for pair in asked.candidates]
    table = words.specials
    first = [len(table.lengths)]
    for more in (
        TokenTable.of([pieces.ids for pieces in words.questions([asked.question for asked in decisions])]),
        words.contexts([asked.context for asked in decisions]),
        words.texts([text or "" for text, _ in named]),
        words.types([types for _, types in named]),
    ):
        table = table.followed_by(more)
        first.append(len(table.lengths))
    questions, contexts, texts, types = (np.arange(a, b) for a, b in pairwise(first))
    texts[[text is None for text, _ in named]] = EMPTY
    lengths = table.lengths
    return pack(
        table,
        questions,
        np.where(lengths[contexts] == 0, EMPTY, contexts),
        np.array([len(asked.candidates) for asked in decisions]),
        texts,
        np.where(lengths[types] == 0, EMPTY, types),
        CONFIG,
    )


_SAID = st.lists(st.sampled_from(["river", "Oslo's", "of", "unquestionably", "3.5"]), max_size=9).map(
    " ".join
)
_CANDIDATE = st.tuples(st.none() | _SAID, st.just("") | _SAID)
_ASKED = st.builds(EncoderInput, _SAID, _SAID, st.lists(_CANDIDATE, min_size=1, max_size=12).map(tuple))


@given(st.lists(_ASKED, min_size=1, max_size=3))
@settings(deadline=None)
@example([EncoderInput("where", "", ((None, ""), (None, "")))])
def test_decisions_are_laid_out_as_in_training(decisions: list[EncoderInput]) -> None:
    found, expected = KnownPieces(_words()).pack(decisions), _as_in_training(decisions)
    for field in fields(Packed):
        assert np.array_equal(getattr(found, field.name), getattr(expected, field.name)), field.name


@given(st.text(max_size=30) | _SAID)
@settings(deadline=None)
@example("River rIVER Of un ing ##ing unriver MASK SEP")
@example("ΟΔΥΣΣΕΥΣ e\u0301 \u0301x [SEP] a[MASK]b\x1cc\u00a0d  中文字")
def test_a_text_has_the_pieces_of_its_words(text: str) -> None:
    tokenizer = _words().tokenizer
    assert PiecesOfWords(tokenizer).of(text) == tokenizer.encode(text, add_special_tokens=False).ids


def test_a_tokenizer_that_joins_words_is_asked_for_whole_texts() -> None:
    tokenizer = Tokenizer(models.BPE({"a": 0, "Ġ": 1, "Ġa": 2}, [("Ġ", "a")]))
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    assert PiecesOfWords(tokenizer).of("a a") == [0, 2]


@pytest.mark.parametrize("most", [1, 4])
def test_words_are_forgotten_in_time(most: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("arcaneqa.model.word_pieces._MOST", most)
    pieces = PiecesOfWords(_words().tokenizer)
    for number in range(20):
        assert pieces.of(f"river {number}") == pieces.of(f"river {number}")
    assert len(pieces._known) <= most + 2
