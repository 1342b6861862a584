"""What of a very large set of candidates a scorer gets to see at inference."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from arcaneqa.induction.scorer import Candidate, Ranker, TokenKind

# Not a set: an enumeration's hash is computed in Python, and lists are long.
_NAMED = (TokenKind.RELATION, TokenKind.CLASS, TokenKind.CONSTANT)
_LASTING = 512
"""Sets from this size on (the classes a program can start from) come back with every question."""
_MOST_KEPT = 16


@dataclass(frozen=True, slots=True)
class _Names:
    candidates: Sequence[Candidate]
    positions: list[int]
    texts: list[str]
    others: list[int]
    """Positions of what is no name."""


class Shortlist:
    """At most `limit` candidates by a ranker; variables and symbols are never left out."""

    def __init__(self, ranker: Ranker, limit: int) -> None:
        self.limit = limit
        self._ranker = ranker
        self._kept: dict[int, _Names] = {}

    def positions(self, question: str, candidates: Sequence[Candidate]) -> list[int]:
        """Where the candidates stand that are left, in order."""
        if len(candidates) <= self.limit:
            return list(range(len(candidates)))
        names = self._names(candidates)
        room = max(self.limit - len(names.others), 1)
        kept = [names.positions[place] for place in self._ranker.rank(question, names.texts, room)]
        return sorted(names.others + kept)

    def _names(self, candidates: Sequence[Candidate]) -> _Names:
        # The list is kept beside its names, so its id stays its own.
        if (known := self._kept.get(id(candidates))) is not None:
            return known
        others = [place for place, candidate in enumerate(candidates) if candidate.kind not in _NAMED]
        left_out = set(others)
        positions = [place for place in range(len(candidates)) if place not in left_out]
        texts = [candidates[place].said for place in positions]
        names = _Names(candidates, positions, texts, others)
        if len(candidates) >= _LASTING:
            if len(self._kept) >= _MOST_KEPT:
                self._kept.clear()
            self._kept[id(candidates)] = names
        return names
