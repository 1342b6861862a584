"""What a program does beyond following relations, each by the name a person would give it."""

from __future__ import annotations

from collections.abc import Iterator
from enum import StrEnum

from arcaneqa.language import expression as ex


class Form(StrEnum):
    """The last ones have no program at all."""

    SUPERLATIVE = "the most or least of something"
    BY_COUNT = "who has the most or fewest of something"
    BY_TOTAL = "the largest or smallest total or average"
    RANKS = "several ranks, or one below the first"
    COMPARISON = "a comparison"
    COUNT_COMPARED = "a comparison of how many there are"
    COMPARED_WITH_OTHERS = "a comparison with other things"
    NUMBER = "how many"
    TOTAL = "a total"
    AVERAGE = "an average"
    EXTREME_VALUE = "the largest or smallest value"
    EITHER = "either of several"
    EXCEPT = "what is not so"
    HAVING = "whether there is any"
    TRUTH = "yes or no"
    TEXT = "a part of a text"
    NAMED = "everything of a name"
    ORDER = "an order"
    TABLE = "several things of each"
    GROUPS = "something for each of several"
    REASON = "a reason"
    MANNER = "how something is done"
    ALL_OF = "what has all of several"
    DIFFERENCE = "a difference"
    SHARE = "a percentage"
    SPREAD = "a median or a spread"
    DURATION = "how long something lasted"
    NEXT = "what comes next to something in a list"
    IN_A_ROW = "what happened several times in a row"


NEVER = frozenset(
    (
        Form.REASON,
        Form.MANNER,
        Form.ALL_OF,
        Form.DIFFERENCE,
        Form.SHARE,
        Form.SPREAD,
        Form.DURATION,
        Form.NEXT,
        Form.IN_A_ROW,
    )
)
"""What no program says."""
PAPER = frozenset((Form.SUPERLATIVE, Form.COMPARISON, Form.NUMBER))
"""The forms of the published language, which every model has learned."""
SAYABLE = PAPER | {Form.EXTREME_VALUE, Form.ORDER}
"""What those say as well: a JOIN from an ARGMAX is a maximum, and a set out of its order is still the set."""


def forms_of(program: ex.Expression) -> frozenset[Form]:
    return frozenset(form for node in ex.post_order(program) for form in _forms(node))


def _forms(node: ex.Expression) -> Iterator[Form]:
    match node:
        case ex.Extreme(_, _, key, first, last):
            yield Form.SUPERLATIVE
            yield from _of_key(key)
            if (first, last) != (1, 1):
                yield Form.RANKS
        case ex.Compare(_, key, value):
            yield Form.COMPARISON
            if isinstance(key, ex.Counted):
                yield Form.COUNT_COMPARED
            if not isinstance(key, ex.Relation):
                yield from _of_key(key)
            if not isinstance(value, ex.Value):
                yield Form.COMPARED_WITH_OTHERS
        case ex.Count():
            yield Form.NUMBER
        case ex.Aggregate(function):
            yield _AGGREGATES[function]
        case ex.Or():
            yield Form.EITHER
        case ex.Not():
            yield Form.EXCEPT
        case ex.Has():
            yield Form.HAVING
        case ex.Meet():
            yield Form.TRUTH
        case ex.Like():
            yield Form.TEXT
        case ex.Named():
            yield Form.NAMED
        case ex.Sort(_, key, _):
            yield Form.ORDER
            yield from _of_key(key)
        case ex.Show(_, columns):
            # One column is a set of values, in an order at most.
            if len(columns) > 1:
                yield Form.TABLE
            for column in columns:
                yield from _of_key(column)
        case ex.Per(_, _, columns):
            yield Form.GROUPS
            for column in columns:
                yield from _of_key(column)
        case _:
            return


_AGGREGATES = {
    ex.Aggregation.SUM: Form.TOTAL,
    ex.Aggregation.AVG: Form.AVERAGE,
    ex.Aggregation.MAX: Form.EXTREME_VALUE,
    ex.Aggregation.MIN: Form.EXTREME_VALUE,
}


def _of_key(key: ex.Key) -> Iterator[Form]:
    match key:
        case ex.Counted():
            yield Form.BY_COUNT
        case ex.Totalled(function, _):
            yield Form.BY_TOTAL
            yield _AGGREGATES[function]
        case _:
            return
