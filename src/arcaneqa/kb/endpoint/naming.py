"""What nodes are called: one label in the preferred language, and the other names."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import defaultdict
from collections.abc import Container, Iterable, Sequence
from dataclasses import dataclass

from arcaneqa.kb.endpoint.client import Row
from arcaneqa.kb.endpoint.queries import Question
from arcaneqa.kb.names.languages import FOREIGN, tier_of
from arcaneqa.kb.names.surfaces import Surfaces
from arcaneqa.kb.profile import Profile
from arcaneqa.kb.sparql.terms import iri
from arcaneqa.kb.terms import Literal, Term


class Harvested(Surfaces, ABC):
    """Names that were fetched before: found like those of an index, and read without asking the server."""

    made: float

    @abstractmethod
    def labels(self, terms: Sequence[Term]) -> list[str | None]: ...

    @abstractmethod
    def aliases(self, terms: Sequence[Term]) -> list[list[str]]: ...


@dataclass(frozen=True, slots=True)
class Called:
    """`tier` is how good the label is by its language."""

    label: str | None
    others: list[str]
    tier: int


def name_predicates(profile: Profile) -> tuple[str, ...]:
    """Predicates that name, those of labels first."""
    named = [name for name in (*profile.label, *profile.names) if name not in profile.alias]
    return tuple(dict.fromkeys((*named, *profile.alias)))


class Naming:
    """The profile's way to choose: preferred language, then untagged, then foreign; earlier predicates first.
    Foreign names other than the label are left out."""

    def __init__(self, profile: Profile, present: Container[str]) -> None:
        """`present` are the predicates that occur at all."""
        self._language = profile.language.lower()
        self._predicates = [
            (name, name in profile.alias) for name in name_predicates(profile) if name in present
        ]

    def questions(self, listed: str) -> list[Question]:
        """One for each predicate: servers plan that better than a choice of predicates."""
        nodes = f"VALUES ?x {{ {listed} }}"
        return [
            Question(("?x", "?l"), f"{nodes} ?x {iri(name)} ?l . FILTER(isLiteral(?l))")
            for name, _ in self._predicates
        ]

    def sorted_out(self, results: Iterable[Iterable[Row]]) -> dict[Term, Called]:
        """From the results of the questions, of one or several lists."""
        by_node: dict[Term, list[tuple[bool, int, int, str]]] = defaultdict(list)
        for number, rows in enumerate(results):
            place = number % len(self._predicates)
            is_alias = self._predicates[place][1]
            for node, name in rows:
                if isinstance(name, Literal) and node is not None:
                    by_node[node].append(
                        (is_alias, tier_of(name.language.lower(), self._language), place, name.lexical)
                    )
        return {node: _called(sorted(names)) for node, names in by_node.items()}


def _called(names: list[tuple[bool, int, int, str]]) -> Called:
    is_alias, tier, _, first = names[0]
    label = None if is_alias else first
    others = names if label is None else names[1:]
    return Called(label, [lexical for _, tier, _, lexical in others if tier < FOREIGN], tier)
