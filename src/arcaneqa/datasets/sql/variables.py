"""A query as variables: each stands for rows, linked rows or values, with what restricts and what joins them.

Every column that a query looks at is a variable; equal columns are one variable, so a join leaves nothing
behind but a walk from one variable to the next.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from arcaneqa.program.expression import Entity, Expression, Path, Relation


class Unsayable(Exception):
    """A query that has no program; the message is the reason it is counted under."""


class Nothing(Unsayable):
    """A condition that nothing in the graph meets."""


@dataclass(slots=True)
class Variable:
    """`within` and `without` are sets that its nodes are in, and not in; `implied` ones need not be said
    where they take nothing away."""

    class_iri: str | None = None
    within: list[Expression] = field(default_factory=list)
    without: list[Expression] = field(default_factory=list)
    implied: list[Expression] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Edge:
    """A relation from one variable to another. `functional`: each subject has at most one object."""

    subject: int
    relation: str
    object: int
    functional: bool = True


@dataclass(frozen=True, slots=True)
class Hop:
    """An edge as it is walked from `start` to `end`."""

    edge: Edge
    start: int
    end: int

    @property
    def relation(self) -> Relation:
        """As a path writes it: plain from subject to object."""
        return Relation(self.edge.relation, self.start != self.edge.subject)

    @property
    def single(self) -> bool:
        """Leads to one node at most."""
        return self.edge.functional and self.start == self.edge.subject


class Variables:
    def __init__(self) -> None:
        self._all: list[Variable] = []
        self._same_as: list[int] = []
        self._edges: list[Edge] = []

    def add(self, class_iri: str | None = None) -> int:
        self._all.append(Variable(class_iri))
        self._same_as.append(len(self._same_as))
        return len(self._all) - 1

    def connect(self, subject: int, relation: str, object: int, functional: bool = True) -> None:
        self._edges.append(Edge(subject, relation, object, functional))

    def merge(self, left: int, right: int) -> None:
        left, right = self.find(left), self.find(right)
        if left == right:
            return
        kept, gone = self._all[left], self._all[right]
        kept.class_iri = kept.class_iri or gone.class_iri
        kept.within += gone.within
        kept.without += gone.without
        kept.implied += gone.implied
        self._same_as[right] = left

    def find(self, variable: int) -> int:
        while self._same_as[variable] != variable:
            variable = self._same_as[variable]
        return variable

    def __getitem__(self, variable: int) -> Variable:
        return self._all[self.find(variable)]

    def hops(self, variable: int) -> list[Hop]:
        """All edges at a variable, walked away from it; equal ones once."""
        here = self.find(variable)
        found: dict[Hop, None] = {}
        for edge in self._edges:
            subject, object = self.find(edge.subject), self.find(edge.object)
            known = Edge(subject, edge.relation, object, edge.functional)
            if subject == here:
                found[Hop(known, subject, object)] = None
            if object == here:
                found[Hop(known, object, subject)] = None
        return list(found)

    def walk(self, start: int, end: int) -> list[Hop]:
        """The hops from one variable to another."""
        start, end = self.find(start), self.find(end)
        paths: dict[int, list[Hop]] = {start: []}
        queue = [start]
        for here in queue:
            if here == end:
                return paths[here]
            for hop in self.hops(here):
                if hop.end not in paths:
                    paths[hop.end] = [*paths[here], hop]
                    queue.append(hop.end)
        raise Unsayable("joins tables without a link between them")

    def is_idle(self, variable: int) -> bool:
        """Only looked at: nothing restricts it, and nothing but one column leads to it."""
        known = self[variable]
        bare = known.class_iri is None and not known.within and not known.without and not known.implied
        return bare and len(self.hops(variable)) == 1

    def path(self, start: int, end: int) -> Path:
        return tuple(hop.relation for hop in self.walk(start, end))

    def fan_out(self, start: int, looking_back: bool = False) -> int:
        """How many steps away from a variable may lead to several nodes: 0 where a node is one row each.

        Towards a single entity there is one way, unless one looks back from it at all there is.
        """
        start = self.find(start)
        seen, queue, several = {start}, [start], 0
        for here in queue:
            for hop in self.hops(here):
                if hop.end not in seen:
                    seen.add(hop.end)
                    queue.append(hop.end)
                    several += not hop.single and (looking_back or not self._is_one(hop.end))
        return several

    def _is_one(self, variable: int) -> bool:
        return any(isinstance(part, Entity) for part in self[variable].within)
