"""Where induction and the model meet: plain data in, log-probabilities out.

Induction knows facts and no tensors; a scorer knows words and no facts.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import NamedTuple, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray


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
