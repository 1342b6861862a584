"""The shortlist of words: what a question says comes first, whatever else there is."""

from __future__ import annotations

from threading import Thread

import pytest

from arcaneqa.induction import scorer as module
from arcaneqa.induction.scorer import Candidate, Shortlist, TokenKind, WordRanker

QUESTION = "what is the population of the largest city?"


def test_shared_words_and_parts_of_words_come_first() -> None:
    texts = ["whose mayor is person to city", "populations country to number", "area code", "colour"]
    assert list(WordRanker().rank(QUESTION, texts, 2)) == [1, 0]
    assert list(WordRanker().rank("who is the mayr?", texts, 1)) == [0]


def test_the_order_of_equals_is_kept_and_nothing_shared_is_no_error() -> None:
    assert list(WordRanker().rank("???", ["b", "a", "c"], 2)) == [0, 1]
    assert list(WordRanker().rank(QUESTION, [], 5)) == []


def test_thousands_of_texts_give_the_same_whether_new_or_known() -> None:
    ranker = WordRanker()
    texts = [f"name {number} of thing {number % 7}" for number in range(3000)] + ["population"]
    first = list(ranker.rank(QUESTION, texts, 5))
    assert first[0] == 3000
    assert list(ranker.rank(QUESTION, texts, 5)) == first
    assert list(ranker.rank(QUESTION, list(texts), 5)) == first
    for extra in range(20):
        others = [f"other {extra} {number}" for number in range(600)] + ["population"]
        assert ranker.rank(QUESTION, others, 1)[0] == 600


def test_a_large_set_is_cut_the_same_every_time() -> None:
    shortlist = Shortlist(WordRanker(), 10)
    candidates = [Candidate(TokenKind.VARIABLE, "Paris", variable=0)]
    candidates += [Candidate(TokenKind.CLASS, f"class {number}") for number in range(1500)]
    candidates += [Candidate(TokenKind.CLASS, "city")]
    kept = shortlist.positions(QUESTION, candidates)
    assert len(kept) == 10
    assert kept[0] == 0
    assert kept[-1] == 1501
    assert shortlist.positions(QUESTION, candidates) == kept
    assert shortlist.positions(QUESTION, candidates[:5]) == [0, 1, 2, 3, 4]


def test_two_threads_that_meet_a_text_at_once_agree_on_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """While one thread reads "mayor", another ranks it from beginning to end."""
    ranker, plain, met = WordRanker(), module._vector, list[str]()

    def read(text: str) -> object:
        if text == "mayor" and not met:
            met.append(text)
            other = Thread(target=ranker.rank, args=("who?", ["mayor"], 1))
            other.start()
            other.join()
        return plain(text)

    monkeypatch.setattr(module, "_vector", read)
    texts = ["mayor", "population", "colour"]
    ranker.rank("who?", texts[:1], 1)
    ranker.rank("who?", texts[1:], 1)
    assert met
    for place, text in enumerate(texts):
        assert list(ranker.rank(text, texts, 1)) == [place]


def test_only_so_many_texts_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_MOST_TEXTS", 100)
    ranker = WordRanker()
    for first in range(0, 2_000, 10):
        texts = [f"relation {number}" for number in range(first, first + 10)]
        assert list(ranker.rank(f"relation {first + 3}", texts, 1)) == [3]
        assert len(ranker._rows) <= 100
    many = [f"name {number}" for number in range(500)]
    assert list(ranker.rank("name 431", many, 1)) == [431]
