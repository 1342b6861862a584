"""What OWL says of classes in other words than plain facts: a class that equals another, is what several
classes have in common (each is then a superclass), what several classes are together, or one whose members
all have some value of a property."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Protocol, TypeVar

from arcaneqa.kb.profile import OWL, RDFS
from arcaneqa.kb.terms import RDF

SAYS_CLASSES = tuple(OWL + name for name in ("equivalentClass", "intersectionOf", "unionOf"))
"""Where none of these occurs, there is nothing to look for."""
SPEAKS_OF_CLASSES = (RDFS + "subClassOf", *SAYS_CLASSES, RDF + "first", RDF + "rest")
SAYS_VALUES = tuple(OWL + name for name in ("someValuesFrom", "hasValue", "onClass"))
"""From what all members of a class have, to a value of it."""
ON_PROPERTY = OWL + "onProperty"
_LONGEST_LIST = 10_000
"""Members of an RDF list that are followed."""

Node = TypeVar("Node")


class Facts(Protocol[Node]):
    """Facts of the predicates above, in an index that is being built or on a server."""

    def pairs(self, predicate: str) -> Iterable[tuple[Node, Node]]: ...

    def one(self, predicate: str, subject: Node) -> Node | None: ...


def owl_parents(facts: Facts[Node], name_of: Callable[[Node], str]) -> Iterator[tuple[str, str]]:
    """Pairs of class and superclass, both named; a name that begins with `_:` is none."""
    for name, node in _above(facts, name_of):
        if not (other := name_of(node)).startswith("_:"):
            yield name, other


def owl_values(facts: Facts[Node], name_of: Callable[[Node], str]) -> Iterator[tuple[str, str, str]]:
    """Class, property and value, all named, where every member of the class has that value, or some of it: a
    perithecium develops from some protoperithecium."""
    for name, node in _above(facts, name_of):
        if (on := facts.one(ON_PROPERTY, node)) is None:
            continue
        for value in (facts.one(predicate, node) for predicate in SAYS_VALUES):
            if value is not None and not any(name_of(each).startswith("_:") for each in (on, value)):
                yield name, name_of(on), name_of(value)


def _above(facts: Facts[Node], name_of: Callable[[Node], str]) -> Iterator[tuple[str, Node]]:
    """Named classes, with what is above each as far as to the next that has a name."""
    above: dict[Node, set[Node]] = {}
    for low, high in _edges(facts):
        above.setdefault(low, set()).add(high)
    for start in above:
        name = name_of(start)
        if name.startswith("_:"):
            continue
        seen, ahead = {start}, [start]
        while ahead:
            for node in above.get(ahead.pop(), set()) - seen:
                seen.add(node)
                yield name, node
                if name_of(node).startswith("_:"):
                    ahead.append(node)


def _edges(facts: Facts[Node]) -> Iterator[tuple[Node, Node]]:
    yield from facts.pairs(RDFS + "subClassOf")
    for one, other in facts.pairs(OWL + "equivalentClass"):
        yield one, other
        yield other, one
    for klass, items in facts.pairs(OWL + "intersectionOf"):
        yield from ((klass, item) for item in _listed(facts, items))
    for klass, items in facts.pairs(OWL + "unionOf"):
        yield from ((item, klass) for item in _listed(facts, items))


def _listed(facts: Facts[Node], head: Node) -> Iterator[Node]:
    at: Node | None = head
    for _ in range(_LONGEST_LIST):  # a list may run in a circle
        item = None if at is None else facts.one(RDF + "first", at)
        if at is None or item is None:
            return
        yield item
        at = facts.one(RDF + "rest", at)
