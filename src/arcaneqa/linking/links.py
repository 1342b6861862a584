"""What linking finds in a question: mentions with candidate entities, literals, likely answer classes."""

from __future__ import annotations

import math
from dataclasses import dataclass

from arcaneqa.kb.terms import Literal

SMALLEST = 1e-6


@dataclass(frozen=True, slots=True)
class EntityCandidate:
    """`score` is a log-probability among the candidates of its mention."""

    node: int
    label: str
    score: float


@dataclass(frozen=True, slots=True)
class MentionLink:
    """A stretch of the question and the entities it may name, best first.

    `score` is the log-probability that it names one of them.
    """

    start: int
    end: int
    text: str
    score: float
    candidates: tuple[EntityCandidate, ...]

    @property
    def odds(self) -> float:
        """Log-odds that the stretch names one of its candidates: what a program gains by using one of
        them over leaving them all out."""
        return self.score - math.log(max(-math.expm1(self.score), SMALLEST))


@dataclass(frozen=True, slots=True)
class LiteralLink:
    """A value the question states; `readings` are its literals in the types this KB uses, best first."""

    start: int
    end: int
    text: str
    readings: tuple[Literal, ...]
    unit: str | None = None


@dataclass(frozen=True, slots=True)
class ClassLink:
    """A class the answers may have; `score` is its log-probability among those offered."""

    klass: int
    score: float


@dataclass(frozen=True, slots=True)
class Links:
    """Mentions may overlap; the program decides which are meant."""

    question: str
    mentions: tuple[MentionLink, ...] = ()
    literals: tuple[LiteralLink, ...] = ()
    classes: tuple[ClassLink, ...] = ()
