"""The tokens of decisions: those of programs, and three ways to begin that programs spell in two tokens.

A decision sequence says first what is meant and then of what, so that every choice is made among few: an OR
is chosen before its second set is built, and that set is built inside it:

    ( JOIN #0 r ) ( OR #2 ( JOIN #1 r ) #3 ) END

Programs do not change by it; `linear` writes a program as such a sequence.
"""

from __future__ import annotations

from enum import StrEnum

from arcaneqa.program import steps
from arcaneqa.program.steps import Function


class Form(StrEnum):
    """Functions of decisions alone."""

    ALL = "ALL"
    """A whole class, to walk on from or as it is."""
    DISTINCT = "DISTINCT"
    """`(COUNT u r)`: apart from `(COUNT u)`, which has nothing more to choose."""
    HAVING = "HAVING"
    """`(AND u (GT (COUNT r) n))`: a comparison of counts picks from a set, so it starts from one."""


Chosen = Function | Form
"""What stands after `(`."""
Token = steps.Token | Form

COMPARATIVES = frozenset((Function.LT, Function.LE, Function.GT, Function.GE))
SUPERLATIVES = frozenset((Function.ARGMAX, Function.ARGMIN))
AGGREGATES = frozenset((Function.SUM, Function.AVG, Function.MAX, Function.MIN))
PAIRING = frozenset((Function.OR, Function.NOT, Function.MEET))
"""Functions of two sets, the second of which is built inside them."""
OUTERMOST = frozenset((Function.SORT, Function.SHOW, Function.PER))

PAPER: frozenset[Chosen] = frozenset(
    (Function.JOIN, Function.AND, Function.COUNT, Function.CONS, Function.TC, *COMPARATIVES, *SUPERLATIVES)
)
"""What models were trained on before there was more."""

FUNCTIONS: tuple[Chosen, ...] = (
    Function.JOIN,
    Function.AND,
    Function.ARGMAX,
    Function.ARGMIN,
    Function.LT,
    Function.LE,
    Function.GT,
    Function.GE,
    Function.COUNT,
    Function.CONS,
    Function.TC,
    Form.ALL,
    Form.HAVING,
    Form.DISTINCT,
    Function.SUM,
    Function.AVG,
    Function.MAX,
    Function.MIN,
    Function.OR,
    Function.NOT,
    Function.HAS,
    Function.LIKE,
    Function.NAMED,
    Function.MEET,
    Function.SORT,
    Function.SHOW,
    Function.PER,
)
"""In the order in which they are offered."""
