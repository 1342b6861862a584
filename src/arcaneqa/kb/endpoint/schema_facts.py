"""Facts of an endpoint that speak of its schema: small questions with much time, asked when it is opened.

One of them is which predicate says what things are, where it is none that a profile knows.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Container, Iterable, Sequence

from arcaneqa.kb.endpoint.client import Row
from arcaneqa.kb.endpoint.patterns import either, unlike
from arcaneqa.kb.endpoint.queries import Queries, Question, iris, only_number, whole_number
from arcaneqa.kb.predicate_names import gives_types, lack_types, may_say_types
from arcaneqa.kb.profile import Profile
from arcaneqa.kb.sparql.terms import iri
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


def find_type_predicate(
    facts: SchemaFacts,
    profile: Profile,
    links: Collection[str],
    hidden: Collection[str],
    words_of: Callable[[str], str],
) -> str | None:
    """Of the predicates that lead to things only (`links`), the visible one that says what most of the things
    without a type are, if there is one. Nothing is counted where no words speak for it."""
    candidates = [
        name for name in sorted(links) if name not in hidden and may_say_types(words_of(name).lower())
    ]
    if not candidates:
        return None
    things = f"?x ?p ?o . {unlike('?p', tuple(sorted(hidden)))}"
    if described := facts.known(profile.describes):
        things += f" FILTER NOT EXISTS {{ ?x {either(described)} ?d }}"
    typed = facts.known(profile.type)
    untyped = f"FILTER NOT EXISTS {{ ?x {either(typed)} ?t }}" if typed else ""
    all_things, lacking = (
        only_number(rows)
        for rows in facts.queries.all([_counted(things), _counted(f"{things} {untyped}")], DEADLINE)
    )
    if not lack_types(lacking, all_things):
        return None
    best, most = None, 0
    for name in candidates:
        fact = f"?x {iri(name)} ?o ."
        both = Question(
            ("?n", "?d"),
            f"{{ SELECT (COUNT(DISTINCT ?x) AS ?n) (COUNT(DISTINCT ?o) AS ?d) WHERE {{ {fact} }} }}",
        )
        [(subjects, types)] = facts.ask([both])
        [(number,)] = facts.ask([_counted(f"{fact} {untyped}")])
        gives = whole_number(number)
        if gives >= most and gives_types(gives, lacking, whole_number(subjects), whole_number(types)):
            best, most = name, gives
    return best


def _counted(where: str) -> Question:
    return Question(("?n",), f"{{ SELECT (COUNT(DISTINCT ?x) AS ?n) WHERE {{ {where} }} }}")
