"""Subclasses that OWL says in other words than rdfs:subClassOf: a class that equals another, or is what
several classes have in common (each is then a superclass), or what several classes are together."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from arcaneqa.kb.build.sorted_facts import Facts
from arcaneqa.kb.profile import OWL, RDFS
from arcaneqa.kb.terms import RDF

_SAYS_CLASSES = tuple(OWL + name for name in ("equivalentClass", "intersectionOf", "unionOf"))
_LONGEST_LIST = 10_000


def owl_parents(
    facts: Facts, relations: Mapping[str, int], name_of: Callable[[int], str]
) -> Iterator[tuple[str, str]]:
    """Pairs of class and superclass, both named."""
    if not any(iri in relations for iri in _SAYS_CLASSES):
        return
    above: dict[int, set[int]] = {}
    for low, high in _edges(_Facts(facts, relations)):
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


def _edges(facts: _Facts) -> Iterator[tuple[int, int]]:
    yield from facts.pairs(RDFS + "subClassOf")
    for one, other in facts.pairs(OWL + "equivalentClass"):
        yield one, other
        yield other, one
    for klass, items in facts.pairs(OWL + "intersectionOf"):
        yield from ((klass, item) for item in facts.listed(items))
    for klass, items in facts.pairs(OWL + "unionOf"):
        yield from ((item, klass) for item in facts.listed(items))


class _Facts:
    def __init__(self, facts: Facts, relations: Mapping[str, int]) -> None:
        self._facts, self._relations = facts, relations

    def pairs(self, predicate: str) -> Iterator[tuple[int, int]]:
        if predicate in self._relations:
            rows = self._facts.rows("out", self._relations[predicate])
            subjects = rows.keys.repeat(rows.counts).tolist()
            yield from zip(subjects, rows.values.tolist(), strict=True)

    def listed(self, head: int) -> Iterator[int]:
        at: int | None = head
        for _ in range(_LONGEST_LIST):  # a list may run in a circle
            item = self._one(RDF + "first", at)
            if item is None:
                return
            yield item
            at = self._one(RDF + "rest", at)

    def _one(self, predicate: str, subject: int | None) -> int | None:
        if subject is None or predicate not in self._relations:
            return None
        rows = self._facts.rows("out", self._relations[predicate])
        place = int(rows.keys.searchsorted(rows.keys.dtype.type(subject)))
        found = place < len(rows.keys) and rows.keys[place] == subject
        return int(rows.values[rows.offsets[place]]) if found else None
