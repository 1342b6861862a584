"""What linking finds in a question: mentions with candidate entities, and the literals it states."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

from arcaneqa.kb.terms import Literal

PER_MENTION = 5
"""Candidate entities of a mention, the likeliest."""
LIKELY = math.log(0.5)
"""Log-probability from which on a mention counts as naming something: it is likelier than not."""


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
    of_rows: str | None = None
    """The question with "rows" for what it calls those of a table that does not say what they are; every
    other word stands where it stood. None where it calls them nothing."""

    @property
    def read(self) -> str:
        """The question as models and rules read it; what is shown to people is the question itself."""
        return self.question if self.of_rows is None else self.of_rows


def settled(links: Links, spans: Sequence[tuple[int, int]], said: Sequence[MentionLink]) -> Links:
    """Links in which what stands in the spans is settled: `said` is all that is named there."""

    def is_free(link: MentionLink | LiteralLink) -> bool:
        return not any(link.start < end and start < link.end for start, end in spans)

    return replace(
        links,
        mentions=(*said, *filter(is_free, links.mentions)),
        literals=tuple(filter(is_free, links.literals)),
    )
