"""What linking finds in a question: mentions with candidate entities, and the literals it states."""

from __future__ import annotations

from dataclasses import dataclass

from arcaneqa.kb.terms import Literal


@dataclass(frozen=True, slots=True)
class EntityCandidate:
    """`score` is a log-probability among the candidates of its mention."""

    node: int
    label: str
    score: float


@dataclass(frozen=True, slots=True)
class MentionLink:
    """A stretch of the question and the entities it may name, best first.

    `score` is the log-probability that it names one of them, `by_words` what it would be without an encoder.
    """

    start: int
    end: int
    text: str
    score: float
    candidates: tuple[EntityCandidate, ...]
    by_words: float | None = None


@dataclass(frozen=True, slots=True)
class LiteralLink:
    """A value the question states; `readings` are its literals in the types this KB uses, best first."""

    start: int
    end: int
    text: str
    readings: tuple[Literal, ...]
    unit: str | None = None


@dataclass(frozen=True, slots=True)
class Links:
    """Mentions may overlap; the program decides which are meant."""

    question: str
    mentions: tuple[MentionLink, ...] = ()
    literals: tuple[LiteralLink, ...] = ()
