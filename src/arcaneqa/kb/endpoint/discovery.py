"""What an endpoint holds, found by asking: its profile, relations, classes and who is a subclass of whom."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass

from arcaneqa.errors import InputError
from arcaneqa.kb.endpoint.client import Row
from arcaneqa.kb.endpoint.errors import Garbled
from arcaneqa.kb.endpoint.inference import Inference
from arcaneqa.kb.endpoint.naming import Naming
from arcaneqa.kb.endpoint.patterns import either
from arcaneqa.kb.endpoint.queries import Capabilities, Queries, Question, only_number, whole_number
from arcaneqa.kb.names.words import label_from_iri
from arcaneqa.kb.profile import Profile
from arcaneqa.kb.profiles import choose_profile
from arcaneqa.kb.schema import Class, Relation, Schema, ValueKind
from arcaneqa.kb.selection import Selection, time_pairs
from arcaneqa.kb.sparql import filters
from arcaneqa.kb.sparql.terms import iri, is_writable
from arcaneqa.kb.terms import XSD, Iri, Literal, Term

# Looking over all facts takes longer than any question later on.
_DEADLINE = 900.0
_BATCH = 50
_SYSTEM = "http://www.openlinksw.com/schemas/virtrdf#"


@dataclass(frozen=True)
class Discovery:
    """`subclasses` holds every class with proper subclasses (direct or not), closed as the profile says."""

    profile: Profile
    capabilities: Capabilities
    schema: Schema
    subclasses: dict[str, tuple[str, ...]]


@dataclass
class _Counts:
    facts: int = 0
    objects: int = 0
    entities: int = 0
    kinds: frozenset[ValueKind] = frozenset()


def discover(queries: Queries, profile: Profile | None) -> Discovery:
    predicates = sorted(_iris(_column(queries, "?p", "?s ?p ?o")))
    if not predicates:
        raise InputError(
            f"The endpoint {queries.client.name} holds no facts in its default graph; if they are in a named "
            "graph, add ?default-graph-uri=… to the address."
        )
    if any(predicate.startswith(_SYSTEM) for predicate in predicates):
        raise InputError(_mixed_graphs(queries))
    profile = profile or _fitting_profile(predicates)
    return _Discoverer(queries, profile, predicates).discovery()


class _Discoverer:
    def __init__(self, queries: Queries, profile: Profile, predicates: list[str]) -> None:
        self._queries = queries
        self._profile = profile
        self._predicates = predicates
        self._known = frozenset(predicates)
        self._selection = Selection(profile)

    def discovery(self) -> Discovery:
        subclasses = closed_subclasses(self._queries, self._profile, self._known)
        domains, ranges = self._declared(self._profile.domain), self._declared(self._profile.range)
        classes = self._classes(subclasses, {*domains.values(), *ranges.values()})
        counts = self._counts()
        relations = self._relations({klass.iri: klass.id for klass in classes}, domains, ranges, counts)
        inference = Inference(self._queries, self._profile, classes, subclasses)
        mostly_entities = {name for name, count in counts.items() if 2 * count.entities > count.objects}
        relations = inference.completed(relations, mostly_entities, _DEADLINE)
        times = {r.iri: r.id for r in relations if ValueKind.TIME in r.kinds}
        schema = Schema(relations, classes, time_pairs(self._profile, times))
        return Discovery(self._profile, self._queries.capabilities, schema, subclasses)

    def _relations(
        self,
        classes: dict[str, int],
        domains: dict[str, str],
        ranges: dict[str, str],
        counts: dict[str, _Counts],
    ) -> list[Relation]:
        ids = {name: number for number, name in enumerate(self._predicates)}
        labels = self._labels(self._predicates)
        inverse = self._inverses(ids)
        return [
            Relation(
                id=number,
                iri=name,
                label=self._called(name, labels),
                facts=counts[name].facts,
                objects=counts[name].objects,
                kinds=counts[name].kinds,
                domain=classes.get(domains.get(name, "")),
                range=classes.get(ranges.get(name, "")),
                inverse=inverse.get(number),
                hidden=self._selection.hides(name),
                domain_declared=domains.get(name, "") in classes,
                range_declared=ranges.get(name, "") in classes,
            )
            for name, number in ids.items()
        ]

    def _called(self, name: str, labels: Mapping[str, str]) -> str:
        return labels.get(name) or dict(self._profile.called).get(name) or label_from_iri(name)

    def _counts(self) -> dict[str, _Counts]:
        """Facts, distinct objects and kinds of values of each relation."""
        kind = f'IF(DATATYPE(?o) = {iri(XSD + "boolean")}, "boolean", "text")'
        kind = f'IF({filters.is_time("?o")}, "time", {kind})'
        kind = f'IF(isLiteral(?o), IF({filters.is_number("?o")}, "number", {kind}), "entity")'
        questions = []
        for batch in _batches(self._predicates):
            inner = f"SELECT ?p ?o ({kind} AS ?k) WHERE {{ VALUES ?p {{ {_listed(batch)} }} ?s ?p ?o }}"
            grouped = (
                "SELECT ?p ?k (COUNT(*) AS ?n) (COUNT(DISTINCT ?o) AS ?d) "
                f"WHERE {{ {{ {inner} }} }} GROUP BY ?p ?k"
            )
            questions.append(Question(("?p", "?k", "?n", "?d"), f"{{ {grouped} }}"))
        counts: dict[str, _Counts] = defaultdict(_Counts)
        for predicate, found, facts, objects in self._ask(questions):
            if isinstance(predicate, Iri) and isinstance(found, Literal):
                entry = counts[predicate.value]
                entry.facts += whole_number(facts)
                entry.objects += whole_number(objects)
                entry.kinds |= {_kind(found)}
                if found.lexical == ValueKind.ENTITY:
                    entry.entities = whole_number(objects)
        return counts

    def _classes(self, subclasses: dict[str, tuple[str, ...]], declared: set[str]) -> list[Class]:
        typed = f"?x {either(self._profile.type)} ?c . FILTER(isIRI(?c))"
        grouped = f"{{ SELECT ?c (COUNT(DISTINCT ?x) AS ?n) WHERE {{ {typed} }} GROUP BY ?c }}"
        members = {
            klass.value: whole_number(number)
            for klass, number in self._ask([Question(("?c", "?n"), grouped)])
            if isinstance(klass, Iri)
        }
        mentioned = {*subclasses, *(below for group in subclasses.values() for below in group)}
        above = [klass for klass in subclasses if any(below in members for below in subclasses[klass])]
        unions = [
            Question(
                ("?n",),
                f"{{ SELECT (COUNT(DISTINCT ?x) AS ?n) WHERE {{ VALUES ?c {{ "
                f"{_listed((klass, *subclasses[klass]))} }} ?x {either(self._profile.type)} ?c }} }}",
            )
            for klass in above
        ]
        for klass, rows in zip(above, self._queries.all(unions, _DEADLINE), strict=True):
            members[klass] = only_number(rows)
        mentioned |= {name for name in declared if not self._selection.hides(name)}
        names = sorted({*members, *mentioned})
        labels = self._labels(names)
        return [
            Class(
                number,
                name,
                self._called(name, labels),
                members.get(name, 0),
                self._selection.hides(name),
            )
            for number, name in enumerate(names)
        ]

    def _inverses(self, ids: dict[str, int]) -> dict[int, int]:
        inverses: dict[int, int] = {}
        for left, right in sorted(self._pairs(self._profile.inverse)):
            if left in ids and right in ids:
                inverses.setdefault(ids[left], ids[right])
                inverses.setdefault(ids[right], ids[left])
        return inverses

    def _declared(self, predicates: tuple[str, ...]) -> dict[str, str]:
        found: dict[str, str] = {}
        for name, klass in sorted(self._pairs(predicates)):
            if name in self._known:
                found.setdefault(name, klass)
        return found

    def _pairs(self, predicates: tuple[str, ...]) -> set[tuple[str, str]]:
        return _pairs(self._queries, predicates, self._known)

    def _labels(self, names: Sequence[str]) -> dict[str, str]:
        naming = Naming(self._profile, self._known)
        questions = [question for batch in _batches(names) for question in naming.questions(_listed(batch))]
        return {
            node.value: found.label
            for node, found in naming.sorted_out(self._queries.all(questions, _DEADLINE)).items()
            if isinstance(node, Iri) and found.label is not None
        }

    def _ask(self, questions: Sequence[Question]) -> list[Row]:
        return [row for rows in self._queries.all(questions, _DEADLINE) for row in rows]


def _kind(said: Literal) -> ValueKind:
    try:
        return ValueKind(said.lexical)
    except ValueError:
        raise Garbled(f"The endpoint answered {said.lexical!r} where a kind of value was due.") from None


def closed_subclasses(
    queries: Queries, profile: Profile, predicates: Container[str]
) -> dict[str, tuple[str, ...]]:
    """Every class with proper subclasses, and those, direct or not."""
    if not profile.closed_classes:
        return {}
    below: dict[str, set[str]] = defaultdict(set)
    for low, high in _pairs(queries, profile.subclass, predicates):
        below[high].add(low)
    closed = {}
    for start in sorted(below):
        seen, ahead = {start}, [start]
        while ahead:
            for name in below.get(ahead.pop(), set()) - seen:
                seen.add(name)
                ahead.append(name)
        closed[start] = tuple(sorted(seen - {start}))
    return closed


def _pairs(queries: Queries, predicates: tuple[str, ...], present: Container[str]) -> set[tuple[str, str]]:
    """The IRIs that one of the predicates relates, where it occurs at all."""
    asked = tuple(name for name in predicates if name in present)
    if not asked:
        return set()
    rows = queries.all([Question(("?a", "?b"), f"?a {either(asked)} ?b")], _DEADLINE)[0]
    return {(a.value, b.value) for a, b in rows if isinstance(a, Iri) and isinstance(b, Iri) and a != b}


def _fitting_profile(predicates: Iterable[str]) -> Profile:
    """The built-in profile that most predicates speak for: to count their facts takes a server too long."""
    return choose_profile(dict.fromkeys(predicates, 1)).profile


def _mixed_graphs(queries: Queries) -> str:
    graphs = sorted(_iris(_column(queries, "?g", "GRAPH ?g { ?s ?p ?o }")))
    return (
        f"The default graph of the endpoint {queries.client.name} mixes all graphs, with the server's own "
        "among them; name the one you mean by adding ?default-graph-uri=… to the address. "
        f"It has {', '.join(graphs)}."
    )


def _column(queries: Queries, variable: str, where: str) -> list[Term | None]:
    return [row[0] for row in queries.all([Question((variable,), where)], _DEADLINE)[0]]


def _iris(terms: Iterable[Term | None]) -> list[str]:
    return [term.value for term in terms if isinstance(term, Iri) and is_writable(term)]


def _batches(names: Sequence[str]) -> list[Sequence[str]]:
    return [names[start : start + _BATCH] for start in range(0, len(names), _BATCH)]


def _listed(names: Iterable[str]) -> str:
    return " ".join(map(iri, names))
