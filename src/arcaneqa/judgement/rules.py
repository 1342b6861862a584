"""What a rule is: something that is true of English and of data, with a name by which it can be left out. The
rules themselves are data (`corrected.CORRECTIONS`, `weighing.SAYINGS`, `COMPARISONS` and `FAULTS`), so that
each can be asked what it is worth (`python -m benchmarks rules`)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from typing import Any

from arcaneqa.induction.found import Found
from arcaneqa.kb.interface import KnowledgeBase
from arcaneqa.language.expression import Expression
from arcaneqa.links import Links

LEFT_OUT = 1.0
"""What each thing costs, in log-probability: enough to decide between readings that are about as likely, too
little to overrule a model that is sure."""


@dataclass(frozen=True, slots=True)
class Asked:
    """A question, what was linked in it, and the facts that it is about; and what readings leave out of it,
    which several rules want to know (`coverage.left_out_by`)."""

    question: str
    links: Links
    kb: KnowledgeBase
    left_out: dict[int, tuple[Found, Any]] = field(default_factory=dict, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Correction:
    """Puts a reading right that comes near to what is meant, and leaves all others alone; `costs` so many of
    the things that a reading may leave out."""

    name: str
    mended: Callable[[Asked, Found], Found]
    costs: int = 0


@dataclass(frozen=True, slots=True)
class Fault:
    """How often a reading does what words and facts rule out. `why` is what to say where the best one still
    does: then it is declined, however sure the model is."""

    name: str
    count: Callable[[Asked, Found], int]
    why: str | None = None


@dataclass(frozen=True, slots=True)
class Comparison:
    """Which of several readings another of them says better, and what that costs them."""

    name: str
    worse: Callable[[Asked, Sequence[Found]], AbstractSet[Expression]]
    costs: float = LEFT_OUT


@dataclass(frozen=True, slots=True)
class Said:
    """Something that a question says outright: whether a reading says something else, and readings `further`
    than those that were found."""

    is_other: Callable[[Found], bool]
    further: Callable[[Sequence[Found]], Sequence[Found]]


@dataclass(frozen=True, slots=True)
class Saying:
    """Looks for one such thing, once for all readings that were found; None where the question does not say
    it."""

    name: str
    said: Callable[[Asked, Sequence[Found]], Said | None]


Rule = Correction | Saying | Comparison | Fault


def likeliest(found: Sequence[Found]) -> Found:
    return max(found, key=lambda one: one.score)
