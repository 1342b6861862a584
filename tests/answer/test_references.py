"""What the words of a follow-up refer to, and what is a question by itself."""

from __future__ import annotations

import pytest

from arcaneqa.answer.references import ReferenceKind, ReferringWord, referring

NOUNS = frozenset({"country", "club"})


@pytest.mark.parametrize(
    ("text", "kind", "words"),
    [
        ("how many?", ReferenceKind.COUNT, ""),
        ("And how many of them are there in total?", ReferenceKind.COUNT, ""),
        ("Count them.", ReferenceKind.COUNT, ""),
        ("How many of them use the euro?", ReferenceKind.AMONG, "of them"),
        ("Which of those are in Asia?", ReferenceKind.AMONG, "of those"),
        ("what is the highest of them?", ReferenceKind.AMONG, "of them"),
        ("and which one has the most inhabitants?", ReferenceKind.AMONG, "one"),
        ("only those in Africa", ReferenceKind.AMONG, ""),
        ("sort them by area", ReferenceKind.AMONG, "them"),
        ("What currency does it use?", ReferenceKind.PRONOUN, "it"),
        ("and its population?", ReferenceKind.PRONOUN, "its"),
        ("How many people live there?", ReferenceKind.PRONOUN, "there"),
        ("Which languages are spoken in that country?", ReferenceKind.PRONOUN, "that country"),
        ("How many games did the club play?", ReferenceKind.PRONOUN, "the club"),
        ("What is that football club called?", ReferenceKind.PRONOUN, "that football club"),
        ("who discovered them?", ReferenceKind.PRONOUN, "them"),
        ("and in France?", ReferenceKind.FRAGMENT, ""),
        ("What about helium?", ReferenceKind.FRAGMENT, ""),
        ("of Nepal?", ReferenceKind.FRAGMENT, ""),
        ("And the largest?", ReferenceKind.FRAGMENT, ""),
        ("what is the capital of France?", ReferenceKind.WHOLE, ""),
        ("How many airports are there in Norway?", ReferenceKind.WHOLE, ""),
        ("How many countries are there?", ReferenceKind.WHOLE, ""),
        ("And what is the capital of France?", ReferenceKind.WHOLE, ""),
        ("which films that won a prize are long?", ReferenceKind.WHOLE, ""),
        ("the country with the longest coastline", ReferenceKind.WHOLE, ""),
    ],
)
def test_how_a_text_refers_back(text: str, kind: ReferenceKind, words: str) -> None:
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
    assert referring("what are their capitals?", NOUNS).place is ReferringWord.OWNER


def test_what_may_be_whole_is_known_to_be_weak() -> None:
    assert referring("which is the largest country in Africa?", NOUNS).is_weak
    assert referring("how many games did the club play?", NOUNS).is_weak
    assert not referring("which of them is the largest?", NOUNS).is_weak
    assert not referring("which languages are spoken in that country?", NOUNS).is_weak
