"""A shortlist of a very large set of candidates by their words, where no learned ranker is at hand."""

from __future__ import annotations

from collections.abc import Sequence

from rapidfuzz import fuzz, process


class WordRanker:
    """Ranks texts by how many of their words the question has, forgiving about inflection and typos."""

    def rank(self, question: str, texts: Sequence[str], limit: int) -> Sequence[int]:
        scores = process.cdist([question.lower()], texts, scorer=fuzz.partial_token_set_ratio)[0]
        return [int(position) for position in (-scores).argsort(kind="stable")[:limit]]
