"""What the words of a follow-up refer to, and what is a question by itself."""

from __future__ import annotations

import pytest

from arcaneqa.answer.references import Kind, Place, referring

NOUNS = frozenset({"country", "club"})


@pytest.mark.parametrize(
    ("text", "kind", "words"),
    [
        ("how many?", Kind.COUNT, ""),
        ("And how many of them are there in total?", Kind.COUNT, ""),
        ("Count them.", Kind.COUNT, ""),
        ("How many of them use the euro?", Kind.AMONG, "of them"),
        ("Which of those are in Asia?", Kind.AMONG, "of those"),
        ("what is the highest of them?", Kind.AMONG, "of them"),
        ("and which one has the most inhabitants?", Kind.AMONG, "one"),
        ("only those in Africa", Kind.AMONG, ""),
        ("sort them by area", Kind.AMONG, "them"),
        ("What currency does it use?", Kind.PRONOUN, "it"),
        ("and its population?", Kind.PRONOUN, "its"),
        ("How many people live there?", Kind.PRONOUN, "there"),
        ("Which languages are spoken in that country?", Kind.PRONOUN, "that country"),
        ("How many games did the club play?", Kind.PRONOUN, "the club"),
        ("What is that football club called?", Kind.PRONOUN, "that football club"),
        ("who discovered them?", Kind.PRONOUN, "them"),
        ("and in France?", Kind.FRAGMENT, ""),
        ("What about helium?", Kind.FRAGMENT, ""),
        ("of Nepal?", Kind.FRAGMENT, ""),
        ("And the largest?", Kind.FRAGMENT, ""),
        ("what is the capital of France?", Kind.WHOLE, ""),
        ("How many airports are there in Norway?", Kind.WHOLE, ""),
        ("How many countries are there?", Kind.WHOLE, ""),
        ("And what is the capital of France?", Kind.WHOLE, ""),
        ("which films that won a prize are long?", Kind.WHOLE, ""),
        ("the country with the longest coastline", Kind.WHOLE, ""),
    ],
)
def test_how_a_text_refers_back(text: str, kind: Kind, words: str) -> None:
    found = referring(text, NOUNS)
    assert (found.kind, found.words) == (kind, words)


def test_a_name_stands_where_the_word_stood() -> None:
    for text, whole in (
        ("What is its capital?", "What is Peru's capital?"),
        ("How many people live there?", "How many people live in Peru?"),
        ("How large is that country's army?", "How large is Peru's army?"),
        ("does it border Chile?", "does Peru border Chile?"),
    ):
        filled, start = referring(text, NOUNS).filled("Peru")
        assert filled == whole
        assert filled[start : start + 4] == "Peru"


def test_several_are_asked_for_only_where_the_words_say_so() -> None:
    assert referring("which of them are in Asia?", NOUNS).is_many
    assert not referring("which of them is the largest?", NOUNS).is_many
    assert not referring("what is the highest of them?", NOUNS).is_many
    assert referring("what are their capitals?", NOUNS).is_many
    assert referring("what are their capitals?", NOUNS).place is Place.OWNER


def test_what_may_be_whole_is_known_to_be_weak() -> None:
    assert referring("which is the largest country in Africa?", NOUNS).is_weak
    assert referring("how many games did the club play?", NOUNS).is_weak
    assert not referring("which of them is the largest?", NOUNS).is_weak
    assert not referring("which languages are spoken in that country?", NOUNS).is_weak
