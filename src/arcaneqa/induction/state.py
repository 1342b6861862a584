"""The state of a program in the making.

A program is built bottom-up, one flat subprogram after the other; each becomes a variable. At most one
earlier variable waits while a newer branch grows, and AND joins the two:

    ( JOIN #0 r ) ( JOIN #1 s ) ( AND #3 #2 ) END

OR, NOT, MEET and counts within a set say first that they take a second set, which is then built inside them
and handed over by its variable. Inside, one branch may wait again, but nothing nests deeper:

    ( JOIN #0 r ) ( NOT #2 ( JOIN #1 s ) #3 ) END

Every variable is used once. So after END the last subprogram has taken in all the others.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from arcaneqa.induction.meaning import Meaning
from arcaneqa.induction.tokens import Chosen, Token
from arcaneqa.induction.topics import Topics
from arcaneqa.program.expression import Expression

MOST_SUBPROGRAMS = 10
"""Of a program: eight were enough for chains and conjunctions; OR and NOT repeat a condition for each set."""


@dataclass(frozen=True, slots=True)
class Known:
    """A variable, or a class that stands for one: its meaning, its program and its words."""

    index: int | None
    meaning: Meaning
    expression: Expression
    words: str


class State(NamedTuple):
    """A decoding history, reduced to what the next tokens depend on. A tuple: a search makes one from another
    at every step, and of so many fields a data class takes four times as long.

    `excluded` is a bit mask of topics no longer available, `joins` counts the JOINs of the branch that
    must still meet something, `rest` are the arguments of the open subprogram after its source, and
    `argument` is the second set among them. `outer` is the open subprogram inside which a set is built.
    """

    topics: Topics
    excluded: int = 0
    closed: int = 0
    top: Known | None = None
    waiting: Known | None = None
    joins: int = 0
    is_open: bool = False
    function: Chosen | None = None
    source: Known | None = None
    rest: tuple[Token, ...] = ()
    argument: Known | None = None
    outer: State | None = None
    is_complete: bool = False
    prior: float = 0.0

    @property
    def left(self) -> int:
        """Subprograms that may follow the open or next one; what is open outside takes one itself."""
        return MOST_SUBPROGRAMS - self.closed - 1 - (self.outer is not None)
