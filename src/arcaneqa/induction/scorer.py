"""Where induction and the model meet: plain data in, log-probabilities out; shortlists of large sets."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from threading import Lock
from typing import NamedTuple, Protocol, runtime_checkable
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

# Where induction and the model meet: plain data in, log-probabilities out.


class TokenKind(StrEnum):
    OPEN = "open"
    CLOSE = "close"
    END = "end"
    FUNCTION = "function"
    VARIABLE = "variable"
    RELATION = "relation"
    CLASS = "class"
    LITERAL = "literal"
    CONSTANT = "constant"


@dataclass(frozen=True, slots=True)
class Candidate:
    """An admissible token as the model sees it.

    `text` is its words; `types` the words of the classes it leads from and to, which a model may
    read or leave out; `variable` is the index of a variable.
    """

    kind: TokenKind
    text: str
    types: str = ""
    variable: int | None = None
    said: str = field(init=False, repr=False, compare=False)
    """Text and types together; kept, since lists of hundreds are ranked by it."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "said", f"{self.text} {self.types}")


@dataclass(frozen=True, slots=True)
class TopicWords:
    """What a linker found in the question, as a scorer sees it: variable `i` is `topics[i]`.

    `start` and `end` are character offsets of the mention (equal where it is unknown); topics of
    one `group` are alternatives for the same mention; `text` says what the entity is.
    """

    text: str
    start: int
    end: int
    group: int


class Decision(NamedTuple):
    """One step of one hypothesis: which of `candidates` comes next? A tuple, as `Scores` is: a search makes
    some at every step, and a data class that cannot change takes four times as long.

    `state` is what the scorer returned for the previous step of this hypothesis and `choice` the
    candidate taken then; both are None at the first step. `context` is the program so far in words.
    """

    question: str
    topics: Sequence[TopicWords]
    candidates: Sequence[Candidate]
    context: str = ""
    state: object | None = None
    choice: int | None = None

    @property
    def is_last(self) -> bool:
        """Whether it is about whole programs, each of which would be the end (`readings`)."""
        return len(self.candidates) > 1 and all(one.kind is TokenKind.END for one in self.candidates)


class Scores(NamedTuple):
    """Log-probabilities in the order of the candidates, and what the next step must hand back.

    `level` is what was taken off so that they add up to one. Among candidates that all fit badly one is
    likely all the same; the level tells.
    """

    log_probs: NDArray[np.float32]
    state: object
    level: float = 0.0


@dataclass(frozen=True, slots=True)
class Heat:
    """How much each candidate looks at each word of the question, where a row adds up to one; and how each
    word's look is shared among the candidates, where a column does, as in the paper's Figure 1b."""

    words: tuple[str, ...]
    weights: NDArray[np.float32]
    from_words: NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Reads:
    """What a language model has read: calls, word pieces, and the seconds that took."""

    calls: int = 0
    pieces: int = 0
    seconds: float = 0.0

    def __add__(self, other: Reads) -> Reads:
        return Reads(self.calls + other.calls, self.pieces + other.pieces, self.seconds + other.seconds)

    def __sub__(self, other: Reads) -> Reads:
        return Reads(self.calls - other.calls, self.pieces - other.pieces, self.seconds - other.seconds)


class Scorer(Protocol):
    """Threads may call it at the same time."""

    def score(self, decisions: Sequence[Decision]) -> list[Scores]:
        """Score all decisions together; a single candidate is forced and has log-probability 0."""
        ...


@runtime_checkable
class Attentive(Protocol):
    """A scorer that can show what it looked at."""

    def heat(self, question: str, context: str, candidates: Sequence[Candidate]) -> Heat: ...


@runtime_checkable
class Comparing(Protocol):
    """A scorer that can tell how near words are in meaning."""

    def nearness(
        self, question: str, spans: Sequence[tuple[int, int]], texts: Sequence[str]
    ) -> NDArray[np.float32]:
        """A row for each stretch of the question, a column for each text; 1 is the same."""
        ...


@runtime_checkable
class Counting(Protocol):
    """A scorer that can tell what it has read so far."""

    @property
    def reads(self) -> Reads: ...


class Ranker(Protocol):
    beyond: int
    """Shorter lists it does not shorten: too little would be gained."""

    def rank(self, question: str, texts: Sequence[str], limit: int) -> Sequence[int]:
        """Positions of the texts that fit the question best, best first, at most `limit`; fewer where the
        rest is hardly meant."""
        ...


# What of a very large set of candidates a scorer gets to see at inference: a shortlist by a ranker.


_WIDTH = 512
"""Numbers of a vector: words and pieces of words fall on them by their hash."""
_LASTING = 512
"""Lists from this size on (of the classes a program can start from) come with every question, so are kept."""
_MOST_KEPT = 16
"""Lists; when one more comes, all are forgotten."""
_MOST_TEXTS = 32_768
"""Texts whose vectors are kept: 64 MB of them, at 2 KB each. A single larger list is kept as well."""
_MOST_ASKED = 64
"""Questions whose scores are kept: so many are searched for at a time, and each ranks several lists."""
_WORD = re.compile(r"[^\W_]+")
# Not a set: an enumeration's hash is computed in Python, and lists are long.
_NAMED = (TokenKind.RELATION, TokenKind.CLASS, TokenKind.CONSTANT)
Vectors = NDArray[np.float32]
Places = NDArray[np.int64]
# Words of questions and of candidates' wording that say nothing about which relation or class is meant.
_EMPTY = """
    a an and are by did do does for from had has have how in is it its of on or that the their to was were
    what when where which who whom whose why with thing
"""
_NONE: Vectors = np.empty(0, np.float32)
_EMPTY_WORDS = frozenset(_EMPTY.split())


class WordRanker:
    """Ranks texts by the words and parts of words they share with the question.

    Each text becomes a vector of its words and of the pieces of three letters in them, so that inflection and
    typing errors do little harm. Vectors are made once and kept, side by side; a question is compared with
    all of them at once, and a list looks up its own.
    """

    beyond = 64

    def __init__(self) -> None:
        self._rows: dict[str, int] = {}
        self._vectors: Vectors = np.zeros((_WIDTH, 1024), np.float32)
        self._lists: dict[int, tuple[Sequence[str], Places]] = {}
        self._scores: dict[str, Vectors] = {}
        self._lock = Lock()

    def rank(self, question: str, texts: Sequence[str], limit: int) -> Sequence[int]:
        if not texts:
            return []
        is_known = id(texts) in self._lists or all(map(self._rows.__contains__, texts))
        fresh = {} if is_known else {text: _vector(text) for text in texts if text not in self._rows}
        with self._lock:
            places = self._places(texts, fresh)
            scores = self._scored(question)[places]
        order: list[int] = np.argsort(-scores, kind="stable")[:limit].tolist()
        return order

    def _places(self, texts: Sequence[str], fresh: dict[str, Vectors]) -> Places:
        """Where the texts' vectors are, the new ones added; of a list that comes again this is kept, and the
        list with it. Only under the lock: other threads add and clear too, so it is asked again here."""
        if (known := self._lists.get(id(texts))) is not None:
            return known[1]
        if len(self._rows) + len(fresh) > _MOST_TEXTS:
            for kept in (self._rows, self._lists, self._scores):
                kept.clear()
            self._vectors = np.zeros((_WIDTH, 1024), np.float32)
        for text in (text for text in texts if text not in self._rows):
            place = len(self._rows)
            if place == self._vectors.shape[1]:
                self._vectors = np.concatenate([self._vectors, np.zeros_like(self._vectors)], axis=1)
            self._vectors[:, place] = fresh[text] if text in fresh else _vector(text)
            self._rows[text] = place
        places = np.fromiter(map(self._rows.__getitem__, texts), np.int64, len(texts))
        if len(texts) >= _LASTING:
            if len(self._lists) >= _MOST_KEPT:
                self._lists.clear()
            self._lists[id(texts)] = (texts, places)
        return places

    def _scored(self, question: str) -> Vectors:
        """How well each text so far is met by the question."""
        known = self._scores.get(question, _NONE)
        if len(known) < len(self._rows):
            asked = _vector(question)
            said = np.flatnonzero(asked)  # a question has few pieces
            added = self._vectors[said, len(known) : len(self._rows)]
            # Not a matrix product, whose threads would wait for a free processor.
            known = np.concatenate([known, np.einsum("i,ij->j", asked[said], added)])
            if len(self._scores) >= _MOST_ASKED:
                self._scores.clear()
            self._scores[question] = known
        return known


def _vector(text: str) -> Vectors:
    vector = np.zeros(_WIDTH, np.float32)
    for word in _WORD.findall(text.lower()):
        if word not in _EMPTY_WORDS:
            padded = f" {word} "
            for piece in {padded, *(padded[i : i + 3] for i in range(len(padded) - 2))}:
                vector[crc32(piece.encode()) % _WIDTH] += 1.0
    norm = np.sqrt(np.linalg.norm(vector))
    return vector / norm if norm else vector


@dataclass(frozen=True, slots=True)
class _Names:
    candidates: Sequence[Candidate]
    positions: list[int]
    texts: list[str]
    others: list[int]
    """Positions of what is no name."""


class Shortlist:
    """At most `limit` candidates by a ranker, of lists longer than `beyond`; variables and symbols are never
    left out."""

    def __init__(self, ranker: Ranker, limit: int) -> None:
        self._limit = limit
        self.beyond = min(limit, ranker.beyond)
        self._ranker = ranker
        self._kept: dict[int, _Names] = {}

    def positions(self, question: str, candidates: Sequence[Candidate]) -> list[int]:
        """Where the candidates stand that are left, in order."""
        if len(candidates) <= self.beyond:
            return list(range(len(candidates)))
        names = self._names(candidates)
        room = max(self._limit - len(names.others), 1)
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
