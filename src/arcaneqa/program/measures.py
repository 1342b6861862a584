"""What members are ordered, counted or compared by, in words: "population of their capital"."""

from __future__ import annotations

from collections.abc import Callable, Set

from arcaneqa.program import expression as ex
from arcaneqa.program.english import Kind, ordinal, plural, states
from arcaneqa.program.nouns import THINGS, Phrase
from arcaneqa.program.spoken import Spoken

_TOTALS = {
    ex.Aggregation.SUM: "total",
    ex.Aggregation.AVG: "average",
    ex.Aggregation.MAX: "maximum",
    ex.Aggregation.MIN: "minimum",
}
_EXTREMES = {True: ("earliest", "latest"), False: ("smallest", "largest")}
_NOBODY: Set[int] = frozenset()


class Measures:
    """`phrase` says what a set is called. `owners` are the classes that members are said to have."""

    def __init__(self, spoken: Spoken, phrase: Callable[[ex.Expression], Phrase]) -> None:
        self._spoken = spoken
        self._phrase = phrase

    def key(self, key: ex.Key, owners: Set[int]) -> str:
        """ "population", "number of official languages", "average of price of their orders"."""
        match key:
            case ex.Counted(()):
                return "number"
            case ex.Counted():
                return f"number of {self.counted(key, owners)}"
            case ex.Totalled(function, path):
                return f"{self.total(function, path)} of {self.path(path, owners)}"
            case ():
                return "name"
            case _:
                return self.path(key, owners)

    def total(self, function: ex.Aggregation, path: ex.Path) -> str:
        if function in (ex.Aggregation.MAX, ex.Aggregation.MIN) and self.is_time(path):
            return _EXTREMES[True][function is ex.Aggregation.MAX]
        return _TOTALS[function]

    def superlative(self, node: ex.Extreme, owners: Set[int]) -> str:
        """ "with the largest population", "with the 3 highest numbers of products"."""
        is_largest, is_several = node.direction is ex.Direction.LARGEST, node.first == 1 < node.last
        if isinstance(node.key, ex.Counted):
            things = self.counted(node.key, owners)
            if node.last == 1:
                return f"with the {'most' if is_largest else 'fewest'} {things}"
            word, name = "highest" if is_largest else "lowest", f"number of {things}"
        else:
            is_time = isinstance(node.key, tuple) and self.is_time(node.key)
            word, name = _EXTREMES[is_time][is_largest], self.key(node.key, owners)
        return f"with the {_ranks(node.first, node.last)}{word} {plural(name) if is_several else name}"

    def first(self, key: ex.Key) -> str:
        """What comes first in falling order: "largest", "latest"."""
        return _EXTREMES[isinstance(key, tuple) and bool(key) and self.is_time(key)][True]

    def is_time(self, path: ex.Path) -> bool:
        return self._spoken.is_time(path[-1].iri)

    def counted(self, key: ex.Counted, owners: Set[int]) -> str:
        """ "official languages", "products whose supplier they are"."""
        *steps, last = key.path
        within = None if key.within is None else self._phrase(key.within)
        start = self._reached(tuple(steps), owners)
        home = _NOBODY if steps else owners
        if last.inverse:
            return f"{(within or THINGS).closed} {self._leading_here(last, start)}"
        shape = self._spoken.relation(last.iri, home)
        if shape.kind is Kind.NOUN:
            said = plural(shape.many) + (f" of {start}" if start else "")
        else:
            said = "things " + self._away(last, start, home).removeprefix("what ")
        return said if within is None else f"{said} among {within.closed}"

    def path(self, path: ex.Path, owners: Set[int]) -> str:
        """What a path leads to from a member: "population of their capital"."""
        *steps, last = path
        start = self._reached(tuple(steps), owners)
        home = _NOBODY if steps else owners
        shape = self._spoken.relation(last.iri, home)
        if last.inverse or shape.kind is not Kind.NOUN:
            return self._step(last, start, home)
        return f"{shape.many} of {start}" if start else shape.many

    def _reached(self, path: ex.Path, owners: Set[int]) -> str:
        """Where a path leads to; nothing for the member itself."""
        there = ""
        for place, step in enumerate(path):
            there = self._step(step, there, owners if place == 0 else _NOBODY)
        return there

    def _step(self, step: ex.Relation, start: str, owners: Set[int]) -> str:
        if step.inverse:
            return f"things {self._leading_here(step, start)}"
        return self._away(step, start, owners)

    def _away(self, step: ex.Relation, start: str, owners: Set[int]) -> str:
        """ "their capital", "what they are located in"."""
        shape = self._spoken.relation(step.iri, owners)
        if shape.kind is Kind.NOUN:
            return f"the {shape.many} of {start}" if start else f"their {shape.many}"
        if shape.kind is Kind.VERB:
            return f"what {start} {shape.one}" if start else f"what they {shape.many}"
        many, one = states(shape)
        return f"what {start} is {one}" if start else f"what they are {many}"

    def _leading_here(self, step: ex.Relation, start: str) -> str:
        """ "whose supplier they are", "located in them"."""
        shape = self._spoken.relation(step.iri)
        if shape.kind is Kind.NOUN:
            return f"whose {shape.many} is {start}" if start else f"whose {shape.many} they are"
        words = f"that {shape.many}" if shape.kind is Kind.VERB else states(shape)[0]
        return f"{words} {start or 'them'}"


def _ranks(first: int, last: int) -> str:
    if last == 1:
        return ""
    if first == last:
        return f"{ordinal(first)} "
    return f"{last} " if first == 1 else f"{ordinal(first)} to {ordinal(last)} "
