"""From variables to programs: the set that a variable stands for, seen from it through all the others."""

from __future__ import annotations

from collections.abc import Iterable
from functools import reduce

from arcaneqa.datasets.sql.table_facts import Facts
from arcaneqa.datasets.sql.variables import Edge, Hop, Variables
from arcaneqa.program import expression as ex
from arcaneqa.program.rewrite import leaves


def both(parts: Iterable[ex.Expression]) -> ex.Expression:
    """Sets that all hold, the class first."""
    flat = list(dict.fromkeys(leaf for part in parts for leaf in leaves(part, ex.And)))
    flat.sort(key=lambda part: not isinstance(part, ex.Class))
    return reduce(lambda rest, part: ex.And(part, rest), reversed(flat))


def either(parts: Iterable[ex.Expression]) -> ex.Expression:
    """Sets of which one holds; a class that all share is said once."""
    found = list(dict.fromkeys(parts))
    split = [leaves(part, ex.And) for part in found]
    first = split[0][0]
    if len(found) > 1 and isinstance(first, ex.Class) and all(s[0] == first and len(s) > 1 for s in split):
        return both([first, either([both(s[1:]) for s in split])])
    alike = [part.relation for part in found if isinstance(part, ex.Join)]
    if 1 < len(found) == len(alike) and len(set(alike)) == 1:
        return ex.Join(alike[0], either([part.argument for part in found if isinstance(part, ex.Join)]))
    return reduce(lambda rest, part: ex.Or(part, rest), reversed(found))


def but_not(kept: ex.Expression, gone: ex.Expression) -> ex.Expression:
    """What is taken away need not repeat the class of what it is taken from."""
    classes = [leaf for leaf in leaves(kept, ex.And) if isinstance(leaf, ex.Class)]
    rest = [leaf for leaf in leaves(gone, ex.And) if leaf not in classes]
    return ex.Not(kept, both(rest) if rest else gone)


class Denoter:
    """Reads sets off the variables of a query.

    `shown` are edges that are there to show what they lead to, `counted` the hops from a group to what is
    counted of it: where they take nothing away, they are not said.
    """

    def __init__(self, variables: Variables, facts: Facts) -> None:
        self.variables = variables
        self.facts = facts
        self.shown: set[Edge] = set()
        self.counted: set[Hop] = set()
        self.lean = False
        """Leaves out joins that ask only that there is something."""

    def set_of(
        self, variable: int, ignoring: frozenset[Edge] = frozenset(), inner: bool = False
    ) -> ex.Expression | None:
        """The program of a variable's nodes; None where nothing restricts it.

        `inner`: it is reached through a relation, so its class is said only where that says more.
        """
        return self._set(self.variables.find(variable), ignoring, inner, frozenset())

    def _set(
        self, here: int, ignoring: frozenset[Edge], inner: bool, seen: frozenset[int]
    ) -> ex.Expression | None:
        variable = self.variables[here]
        parts: list[ex.Expression] = list(dict.fromkeys(variable.within))
        optional: list[ex.Expression] = list(variable.implied)
        for hop in self.variables.hops(here):
            # Whoever comes round in a circle has been there: the last join says what the others said.
            if hop.edge in ignoring or hop.end in seen:
                continue
            if hop.single and self.variables.is_idle(hop.end):
                continue
            said = self._across(hop, ignoring, seen | {here})
            plain = isinstance(said, ex.Has) or isinstance(said.argument, ex.Class)
            if plain and self.lean:
                continue
            spare = hop in self.counted or (plain and (hop.single or hop.edge in self.shown))
            (optional if spare else parts).append(said)
        said_class = ex.Class(variable.class_iri) if variable.class_iri is not None else None
        return self._together(said_class, parts, optional, variable.without, inner)

    def _across(self, hop: Hop, ignoring: frozenset[Edge], seen: frozenset[int]) -> ex.Has | ex.Join:
        """What a walk along an edge asks of the nodes that it starts from."""
        relation = ex.Relation(hop.edge.relation, hop.relation.inverse)
        beyond = self._set(hop.end, ignoring | {hop.edge}, True, seen)
        if beyond is None or (not relation.inverse and self._is_plain(beyond, hop)):
            return ex.Has(relation)
        return ex.Join(relation, beyond)

    def _is_plain(self, beyond: ex.Expression, hop: Hop) -> bool:
        """A class that everything at the end of the relation has anyway."""
        arrived = ex.Has(ex.Relation(hop.edge.relation, not hop.relation.inverse))
        return isinstance(beyond, ex.Class) and self.facts.holds(arrived, beyond)

    def _together(
        self,
        said_class: ex.Class | None,
        parts: list[ex.Expression],
        optional: list[ex.Expression],
        without: list[ex.Expression],
        inner: bool,
    ) -> ex.Expression | None:
        chosen = [part for part in parts if isinstance(part, ex.Extreme | ex.Entity)]
        if chosen:
            # Whoever has been picked out already meets what is merely implied.
            others = [part for part in [*parts, *optional] if part not in chosen]
            parts = [*chosen, *(part for part in others if not self.facts.holds(both(chosen), part))]
            optional = []
            inner = True
        parts = [*parts, *self._needed(said_class, parts, optional)]
        if said_class is not None and not (inner and parts and self.facts.holds(both(parts), said_class)):
            parts.insert(0, said_class)
        if not parts:
            return None
        kept = both(parts)
        if chosen:
            without = [gone for gone in without if not self.facts.are_apart(kept, gone)]
        return but_not(kept, either(without)) if without else kept

    def _needed(
        self, said_class: ex.Class | None, parts: list[ex.Expression], optional: list[ex.Expression]
    ) -> list[ex.Expression]:
        """Of what may be left out, that which takes something away or says something at all."""
        kept = list(optional)
        for part in optional:
            others = [*([said_class] if said_class else []), *parts, *(p for p in kept if p != part)]
            if others and self.facts.holds(both(others), part):
                kept.remove(part)
        return kept
