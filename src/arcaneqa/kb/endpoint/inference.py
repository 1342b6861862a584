"""Domains and ranges that nobody declared, inferred from the classes of a relation's subjects and objects."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import replace

from arcaneqa.errors import EndpointError
from arcaneqa.kb.endpoint.client import Row
from arcaneqa.kb.endpoint.patterns import either
from arcaneqa.kb.endpoint.queries import Queries, Question, batches, iris, whole_number
from arcaneqa.kb.profile import Profile
from arcaneqa.kb.schema import COVERS, MOST_OTHER_HOMES, Class, Relation
from arcaneqa.kb.sparql.terms import iri
from arcaneqa.kb.terms import Iri


class Inference:
    def __init__(
        self,
        queries: Queries,
        profile: Profile,
        classes: Sequence[Class],
        subclasses: Mapping[str, Sequence[str]],
    ) -> None:
        self._queries = queries
        self._classes = {klass.iri: klass for klass in classes}
        self._shown = {klass.iri for klass in classes if not klass.hidden and klass.members}
        self._subclasses = subclasses
        self._typed = either(profile.type)

    def completed(
        self, relations: Sequence[Relation], mostly_entities: Set[str], deadline: float
    ) -> list[Relation]:
        """The relations with what could be inferred; a server too slow for it leaves them as they were."""
        domains = [r.iri for r in relations if r.domain is None]
        ranges = [r.iri for r in relations if r.range is None and r.iri in mostly_entities]
        try:
            domain, uncovered = self._covering(domains, "?x ?p ?y", deadline)
            range_, _ = self._covering(ranges, "?y ?p ?x", deadline)
            others = self._others({name: domain[name] for name in uncovered}, deadline)
        except EndpointError:
            return list(relations)
        return [
            replace(
                relation,
                domain=relation.domain if relation.domain is not None else domain.get(relation.iri),
                range=relation.range if relation.range is not None else range_.get(relation.iri),
                other_domains=others.get(relation.iri, ()),
            )
            for relation in relations
        ]

    def _others(self, homes: Mapping[str, int], deadline: float) -> dict[str, tuple[int, ...]]:
        """Of relations whose domain leaves out some subjects, the commonest classes of these, one by one."""
        names = {klass.id: name for name, klass in self._classes.items()}
        found: dict[str, list[int]] = {relation: [] for relation in homes}
        open_ = dict(homes)
        while open_:
            questions = []
            for relation in open_:
                taken = {names[klass] for klass in (homes[relation], *found[relation])}
                below = {name for each in taken for name in (each, *self._subclasses.get(each, ()))}
                inside = f"?x {self._typed} ?h . VALUES ?h {{ {' '.join(map(iri, sorted(below)))} }}"
                left = f"?x {iri(relation)} ?y . ?x {self._typed} ?t . FILTER NOT EXISTS {{ {inside} }}"
                counted = f"SELECT ?t (COUNT(DISTINCT ?x) AS ?n) WHERE {{ {left} }} GROUP BY ?t"
                questions.append(Question(("?t", "?n"), f"{{ {counted} }}"))
            for relation, rows in zip(list(open_), self._queries.all(questions, deadline), strict=True):
                counts = self._with_superclasses(rows)
                if not counts:
                    del open_[relation]
                elif len(found[relation]) == MOST_OTHER_HOMES:
                    del open_[relation]
                    found[relation] = []  # subjects of so many kinds are just things
                else:
                    best = max(sorted(counts), key=lambda name: (counts[name], -self._classes[name].id))
                    found[relation].append(self._classes[best].id)
        return {relation: tuple(others) for relation, others in found.items()}

    def _with_superclasses(self, rows: Sequence[Row]) -> dict[str, int]:
        """How many have each visible class, by how many are asserted to; one of two is in the larger once."""
        asserted = {t.value: whole_number(n) for t, n in rows if isinstance(t, Iri)}
        counts = {name: count for name, count in asserted.items() if name in self._shown}
        for name in self._shown & self._subclasses.keys():
            below = sum(asserted.get(each, 0) for each in (name, *self._subclasses[name]))
            if below:
                counts[name] = below
        return counts

    def _covering(
        self, relations: Sequence[str], fact: str, deadline: float
    ) -> tuple[dict[str, int], list[str]]:
        """For each relation the class that says most about the nodes `?x` of its facts; and the relations
        with nodes that are not in it."""
        blocks = list(self._blocks())
        typed: list[Question] = []
        by_class: list[Question] = []
        for batch in batches(relations):
            counted = (
                "(COUNT(DISTINCT ?x) AS ?n) WHERE "
                f"{{ VALUES ?p {{ {iris(batch)} }} {fact} . ?x {self._typed} ?t ."
            )
            all_typed = f"{{ SELECT ?p {counted} {self._not_hidden()} }} GROUP BY ?p }}"
            typed.append(Question(("?p", "?n"), all_typed))
            by_class.append(Question(("?p", "?t", "?n"), f"{{ SELECT ?p ?t {counted} }} GROUP BY ?p ?t }}"))
            for block in blocks:
                closed = f"{{ SELECT ?p ?c {counted} {block} }} GROUP BY ?p ?c }}"
                by_class.append(Question(("?p", "?c", "?n"), closed))
        totals = self._queries.all(typed, deadline)
        total = {p.value: whole_number(n) for rows in totals for p, n in rows if isinstance(p, Iri)}
        counts: dict[str, dict[str, int]] = defaultdict(dict)
        for rows in self._queries.all(by_class, deadline):
            for predicate, klass, number in rows:
                if isinstance(predicate, Iri) and isinstance(klass, Iri) and klass.value in self._shown:
                    of_class = counts[predicate.value]
                    of_class[klass.value] = max(of_class.get(klass.value, 0), whole_number(number))
        homes = {name: self._best(counts[name], COVERS * total.get(name, 0)) for name in counts}
        names = {klass.id: name for name, klass in self._classes.items()}
        partly = [name for name, home in homes.items() if counts[name][names[home]] < total.get(name, 0)]
        return homes, partly

    def _best(self, counts: Mapping[str, int], enough: float) -> int:
        ordered = [(self._classes[name], count) for name, count in sorted(counts.items())]
        covering = [pair for pair in ordered if pair[1] >= enough]
        if not covering:
            return max(ordered, key=lambda pair: pair[1])[0].id
        return min(covering, key=lambda pair: (pair[0].members, -pair[1]))[0].id

    def _blocks(self) -> Iterator[str]:
        """The asserted type `?t` of a node and the larger classes `?c` that follow, in blocks that hold all
        of a class. By name and not along a path: joined with facts, some servers lose rows there."""
        pairs: list[str] = []
        for name in sorted(self._shown & self._subclasses.keys()):
            own = [f"({iri(below)} {iri(name)})" for below in (name, *self._subclasses[name])]
            if pairs and len(pairs) + len(own) > self._queries.capabilities.listed:
                yield f"VALUES (?t ?c) {{ {' '.join(pairs)} }}"
                pairs = []
            pairs += own
        if pairs:
            yield f"VALUES (?t ?c) {{ {' '.join(pairs)} }}"

    def _not_hidden(self) -> str:
        hidden = [name for name, klass in self._classes.items() if klass.hidden]
        return f"FILTER(?t NOT IN ({', '.join(map(iri, hidden))}))" if hidden else ""
