"""Facts of an endpoint that speak of its schema: small questions with much time, asked when it is opened."""

from __future__ import annotations

from collections.abc import Container, Iterable, Sequence

from arcaneqa.kb.endpoint.client import Row
from arcaneqa.kb.endpoint.patterns import either
from arcaneqa.kb.endpoint.queries import Queries, Question, iris
from arcaneqa.kb.terms import Blank, Iri

DEADLINE = 900.0
"""Seconds. Looking over all facts takes longer than any question later on."""


class SchemaFacts:
    """`present` are the predicates that occur at all; others are not asked for."""

    def __init__(self, queries: Queries, present: Container[str]) -> None:
        self.queries = queries
        self._present = present

    def known(self, predicates: Iterable[str]) -> tuple[str, ...]:
        return tuple(name for name in dict.fromkeys(predicates) if name in self._present)

    def ask(self, questions: Sequence[Question]) -> list[Row]:
        return [row for rows in self.queries.all(questions, DEADLINE) for row in rows]

    def pairs(self, predicates: Iterable[str]) -> set[tuple[str, str]]:
        """The different IRIs that one of the predicates relates."""
        if not (asked := self.known(predicates)):
            return set()
        rows = self.ask([Question(("?a", "?b"), f"?a {either(asked)} ?b")])
        return {(a.value, b.value) for a, b in rows if isinstance(a, Iri) and isinstance(b, Iri) and a != b}

    def named_pairs(self, predicates: Iterable[str]) -> dict[str, list[tuple[str, str]]]:
        """All that each predicate relates, blank nodes included, which are named as in one answer."""
        if not (asked := self.known(predicates)):
            return {}
        found: dict[str, list[tuple[str, str]]] = {}
        question = Question(("?a", "?p", "?b"), f"VALUES ?p {{ {iris(asked)} }} ?a ?p ?b")
        for a, p, b in self.ask([question]):
            if isinstance(a, Iri | Blank) and isinstance(b, Iri | Blank) and isinstance(p, Iri):
                found.setdefault(p.value, []).append((_name(a), _name(b)))
        return found


def _name(node: Iri | Blank) -> str:
    return node.value if isinstance(node, Iri) else f"_:{node.label}"
