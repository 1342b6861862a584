"""Subclasses that OWL says in other words than rdfs:subClassOf: a class that equals another, or is what
several classes have in common (each is then a superclass), or what several classes are together."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Protocol, TypeVar

from arcaneqa.kb.profile import OWL, RDFS
from arcaneqa.kb.terms import RDF

SAYS_CLASSES = tuple(OWL + name for name in ("equivalentClass", "intersectionOf", "unionOf"))
"""Where none of these occurs, there is nothing to look for."""
SPEAKS_OF_CLASSES = (RDFS + "subClassOf", *SAYS_CLASSES, RDF + "first", RDF + "rest")
_LONGEST_LIST = 10_000
"""Members of an RDF list that are followed."""

Node = TypeVar("Node")


class Facts(Protocol[Node]):
    """Facts of the predicates above, in an index that is being built or on a server."""

    def pairs(self, predicate: str) -> Iterable[tuple[Node, Node]]: ...

    def one(self, predicate: str, subject: Node) -> Node | None: ...


def owl_parents(facts: Facts[Node], name_of: Callable[[Node], str]) -> Iterator[tuple[str, str]]:
    """Pairs of class and superclass, both named; a name that begins with `_:` is none."""
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
                other = name_of(node)
                if other.startswith("_:"):  # a class without a name leads on to those that have one
                    ahead.append(node)
                else:
                    yield name, other


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
