"""What nodes are called: one label in the preferred language, and the other names."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass

from arcaneqa.kb.endpoint.client import Row
from arcaneqa.kb.endpoint.queries import Question
from arcaneqa.kb.endpoint.terms import iri
from arcaneqa.kb.profile import Profile
from arcaneqa.kb.terms import Iri, Literal, Term


@dataclass(frozen=True, slots=True)
class Called:
    label: str | None
    others: list[str]


class Naming:
    """The profile's way to choose: preferred language, then untagged, then foreign; earlier predicates first.
    Foreign names other than the label are left out."""

    def __init__(self, profile: Profile) -> None:
        self._language = profile.language.lower()
        self._places = {name: place for place, name in enumerate((*profile.label, *profile.alias))}
        self._labels = len(profile.label)

    def question(self, listed: str) -> Question:
        predicates = " ".join(map(iri, self._places))
        return Question(
            ("?x", "?p", "?l"),
            f"VALUES ?x {{ {listed} }} VALUES ?p {{ {predicates} }} ?x ?p ?l . FILTER(isLiteral(?l))",
        )

    def sorted_out(self, rows: Iterable[Row]) -> dict[Term, Called]:
        by_node: dict[Term, list[tuple[bool, int, int, str]]] = defaultdict(list)
        for node, predicate, name in rows:
            if isinstance(predicate, Iri) and isinstance(name, Literal) and node is not None:
                place = self._places[predicate.value]
                by_node[node].append((place >= self._labels, self._tier(name), place, name.lexical))
        return {node: _called(sorted(names)) for node, names in by_node.items()}

    def _tier(self, name: Literal) -> int:
        if not name.language:
            return 1
        tag = name.language.lower()
        return 0 if tag == self._language or tag.startswith(f"{self._language}-") else 2


def _called(names: list[tuple[bool, int, int, str]]) -> Called:
    is_alias, _, _, first = names[0]
    label = None if is_alias else first
    others = names if label is None else names[1:]
    return Called(label, [lexical for _, tier, _, lexical in others if tier < 2])
