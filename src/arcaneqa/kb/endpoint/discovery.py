"""What an endpoint holds: found by asking, kept on disk, or handed in as a schema."""

from __future__ import annotations

import contextlib
import hashlib
import json
import time
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from arcaneqa.kb import schema
from arcaneqa.kb.endpoint.client import Garbled, Row
from arcaneqa.kb.endpoint.names import find_text_search, name_predicates
from arcaneqa.kb.endpoint.patterns import either
from arcaneqa.kb.endpoint.queries import (
    Capabilities,
    Queries,
    SelectQuery,
    batches,
    iris,
    only_number,
    whole_number,
)
from arcaneqa.kb.endpoint.schema import DEADLINE, EndpointWords, SchemaFacts, find_type_predicate
from arcaneqa.kb.names.words import label_from_iri, words
from arcaneqa.kb.ontology import SAYS_CLASSES, SPEAKS_OF_CLASSES, owl_parents
from arcaneqa.kb.predicate_names import is_identifier, may_identify
from arcaneqa.kb.profile import Profile, profile_from_json
from arcaneqa.kb.profiles import BUILT_IN, choose_profile
from arcaneqa.kb.schema import (
    COVERS,
    MOST_OTHER_HOMES,
    Class,
    Relation,
    Schema,
    Selection,
    ValueKind,
    time_pairs,
)
from arcaneqa.kb.sparql import filters
from arcaneqa.kb.sparql.terms import iri, is_writable
from arcaneqa.kb.terms import XSD, Iri, Literal, Term
from arcaneqa.support.errors import EndpointError, InputError
from arcaneqa.support.files import beside, plain_json

# Domains and ranges that nobody declared, inferred from the classes of a relation's subjects and
# objects.


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
                questions.append(SelectQuery(("?t", "?n"), f"{{ {counted} }}"))
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
        typed: list[SelectQuery] = []
        by_class: list[SelectQuery] = []
        for batch in batches(relations):
            counted = (
                "(COUNT(DISTINCT ?x) AS ?n) WHERE "
                f"{{ VALUES ?p {{ {iris(batch)} }} {fact} . ?x {self._typed} ?t ."
            )
            all_typed = f"{{ SELECT ?p {counted} {self._not_hidden()} }} GROUP BY ?p }}"
            typed.append(SelectQuery(("?p", "?n"), all_typed))
            by_class.append(
                SelectQuery(("?p", "?t", "?n"), f"{{ SELECT ?p ?t {counted} }} GROUP BY ?p ?t }}")
            )
            for block in blocks:
                closed = f"{{ SELECT ?p ?c {counted} {block} }} GROUP BY ?p ?c }}"
                by_class.append(SelectQuery(("?p", "?c", "?n"), closed))
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


# What an endpoint holds, found by asking: its profile, relations, classes and who is a subclass of
# whom.


_VALUED = frozenset((ValueKind.NUMBER, ValueKind.TIME))
_SYSTEM = "http://www.openlinksw.com/schemas/virtrdf#"


@dataclass(frozen=True)
class Discovery:
    """`subclasses` holds every class with proper subclasses (direct or not), closed as the profile says;
    `datatypes` how many numbers and times have each, None where nobody counted; `text_search` is the dialect
    in which the server searches for words, if it does."""

    profile: Profile
    capabilities: Capabilities
    schema: Schema
    subclasses: dict[str, tuple[str, ...]]
    datatypes: dict[str, int] | None = None
    text_search: str | None = None


@dataclass
class _Counts:
    facts: int = 0
    objects: int = 0
    entities: int = 0
    numbers: int = 0
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
    facts = SchemaFacts(queries, frozenset(predicates))
    counts = _counts(facts, predicates)
    if profile is None:
        profile = choose_profile({name: counts[name].facts for name in predicates}).profile
    return _Discoverer(facts, profile, predicates, counts).discovery()


class _Discoverer:
    def __init__(
        self, facts: SchemaFacts, profile: Profile, predicates: list[str], counts: dict[str, _Counts]
    ) -> None:
        self._facts, self._profile, self._predicates, self._counts = facts, profile, predicates, counts
        self._vocabulary = EndpointWords(facts, profile, predicates)

    def discovery(self) -> Discovery:
        queries = self._facts.queries
        self._vocabulary.learn(self._predicates)
        asserted = self._members(self._profile.type)
        hidden = self._vocabulary.hidden_relations(
            {name: self._counts[name].facts for name in self._predicates}, asserted
        )
        found = find_type_predicate(
            self._facts,
            self._profile,
            {name for name in self._predicates if self._counts[name].kinds == {ValueKind.ENTITY}},
            hidden,
            self._vocabulary.words_of,
        )
        if found is not None:
            self._profile = replace(self._profile, type=(*self._profile.type, found))
            hidden |= {found}
            asserted = self._members(self._profile.type)
        subclasses = closed_subclasses(self._facts, self._profile)
        domains, ranges = self._declared(self._profile.domain), self._declared(self._profile.range)
        classes = self._classes(subclasses, {*domains.values(), *ranges.values()}, asserted)
        relations = self._relations({klass.iri: klass.id for klass in classes}, domains, ranges, hidden)
        inference = Inference(queries, self._profile, classes, subclasses)
        counts = self._counts.items()
        mostly_entities = {name for name, count in counts if 2 * count.entities > count.objects}
        relations = inference.completed(relations, mostly_entities, DEADLINE)
        times = {r.iri: r.id for r in relations if ValueKind.TIME in r.kinds}
        schema = Schema(relations, classes, time_pairs(self._profile, times))
        search = find_text_search(queries, self._facts.known(name_predicates(self._profile)))
        return Discovery(self._profile, queries.capabilities, schema, subclasses, self._datatypes(), search)

    def _relations(
        self,
        classes: dict[str, int],
        domains: dict[str, str],
        ranges: dict[str, str],
        hidden: frozenset[str],
    ) -> list[Relation]:
        ids = {name: number for number, name in enumerate(self._predicates)}
        inverse = self._inverses(ids)
        identifiers = self._identifiers()
        return [
            Relation(
                id=number,
                iri=name,
                label=self._vocabulary.words_of(name),
                facts=self._counts[name].facts,
                objects=self._counts[name].objects,
                kinds=self._counts[name].kinds,
                domain=classes.get(domains.get(name, "")),
                range=classes.get(ranges.get(name, "")),
                inverse=inverse.get(number),
                hidden=name in hidden,
                is_identifier=name in identifiers,
                domain_declared=domains.get(name, "") in classes,
                range_declared=ranges.get(name, "") in classes,
            )
            for name, number in ids.items()
        ]

    def _identifiers(self) -> set[str]:
        """Only relations whose words allow for it are looked at closely."""
        said = {
            name: (words(self._vocabulary.words_of(name)), label_from_iri(name)) for name in self._predicates
        }
        candidates = [name for name in self._predicates if may_identify(*said[name])]
        broken = f"{filters.is_number('?o')} && FLOOR(?o) != ?o"
        questions = [
            SelectQuery(("?p",), f"VALUES ?p {{ {iris(batch)} }} ?s ?p ?o . FILTER({broken})")
            for batch in batches([name for name in candidates if self._counts[name].numbers])
        ]
        not_whole = {row[0].value for row in self._facts.ask(questions) if isinstance(row[0], Iri)}
        return {
            name
            for name in candidates
            for count in (self._counts[name],)
            if is_identifier(*said[name], count.numbers, name not in not_whole, count.facts, count.objects)
        }

    def _datatypes(self) -> dict[str, int]:
        valued = [name for name, count in self._counts.items() if count.kinds & _VALUED]
        is_value = f"{filters.is_number('?o')} || {filters.is_time('?o')}"
        # A value that relations of two batches have is counted twice: only more or less matters.
        questions = [
            SelectQuery(
                ("?d", "?n"),
                "{ SELECT ?d (COUNT(DISTINCT ?o) AS ?n) WHERE { "
                f"VALUES ?p {{ {iris(batch)} }} ?s ?p ?o . FILTER({is_value}) BIND(DATATYPE(?o) AS ?d) "
                "} GROUP BY ?d }",
            )
            for batch in batches(valued)
        ]
        found: dict[str, int] = defaultdict(int)
        for datatype, number in self._facts.ask(questions):
            if isinstance(datatype, Iri):
                found[datatype.value] += whole_number(number)
        return dict(found)

    def _members(self, types: tuple[str, ...]) -> dict[str, int]:
        """How many members are asserted of each class."""
        typed = f"?x {either(types)} ?c . FILTER(isIRI(?c))"
        grouped = f"{{ SELECT ?c (COUNT(DISTINCT ?x) AS ?n) WHERE {{ {typed} }} GROUP BY ?c }}"
        return {
            klass.value: whole_number(number)
            for klass, number in self._facts.ask([SelectQuery(("?c", "?n"), grouped)])
            if isinstance(klass, Iri)
        }

    def _classes(
        self, subclasses: dict[str, tuple[str, ...]], declared: set[str], asserted: dict[str, int]
    ) -> list[Class]:
        members = dict(asserted)
        mentioned = {*subclasses, *(below for group in subclasses.values() for below in group)}
        above = [klass for klass in subclasses if any(below in members for below in subclasses[klass])]
        unions = [
            SelectQuery(
                ("?n",),
                f"{{ SELECT (COUNT(DISTINCT ?x) AS ?n) WHERE {{ VALUES ?c {{ "
                f"{iris((klass, *subclasses[klass]))} }} ?x {either(self._profile.type)} ?c }} }}",
            )
            for klass in above
        ]
        for klass, rows in zip(above, self._facts.queries.all(unions, DEADLINE), strict=True):
            members[klass] = only_number(rows)
        selection = Selection(self._profile)
        mentioned |= {name for name in declared if not selection.hides(name)}
        names = sorted({*members, *mentioned})
        self._vocabulary.learn(names)
        return [
            Class(
                number,
                name,
                self._vocabulary.words_of(name),
                members.get(name, 0),
                self._vocabulary.hides_class(name),
            )
            for number, name in enumerate(names)
        ]

    def _inverses(self, ids: dict[str, int]) -> dict[int, int]:
        inverses: dict[int, int] = {}
        for left, right in sorted(self._facts.pairs(self._profile.inverse)):
            if left in ids and right in ids:
                inverses.setdefault(ids[left], ids[right])
                inverses.setdefault(ids[right], ids[left])
        return inverses

    def _declared(self, predicates: tuple[str, ...]) -> dict[str, str]:
        found: dict[str, str] = {}
        for name, klass in sorted(self._facts.pairs(predicates)):
            if name in self._counts:
                found.setdefault(name, klass)
        return found


def _counts(facts: SchemaFacts, predicates: list[str]) -> dict[str, _Counts]:
    """Facts, distinct objects and kinds of values of each relation."""
    kind = f'IF(DATATYPE(?o) = {iri(XSD + "boolean")}, "boolean", "text")'
    kind = f'IF({filters.is_time("?o")}, "time", {kind})'
    kind = f'IF(isLiteral(?o), IF({filters.is_number("?o")}, "number", {kind}), "entity")'
    questions = []
    for batch in batches(predicates):
        inner = f"SELECT ?p ?o ({kind} AS ?k) WHERE {{ VALUES ?p {{ {iris(batch)} }} ?s ?p ?o }}"
        grouped = (
            "SELECT ?p ?k (COUNT(*) AS ?n) (COUNT(DISTINCT ?o) AS ?d) "
            f"WHERE {{ {{ {inner} }} }} GROUP BY ?p ?k"
        )
        questions.append(SelectQuery(("?p", "?k", "?n", "?d"), f"{{ {grouped} }}"))
    counts: dict[str, _Counts] = {name: _Counts() for name in predicates}
    for predicate, found, number, objects in facts.ask(questions):
        if isinstance(predicate, Iri) and isinstance(found, Literal) and predicate.value in counts:
            entry, of_kind = counts[predicate.value], _kind(found)
            entry.facts += whole_number(number)
            entry.objects += whole_number(objects)
            entry.kinds |= {of_kind}
            if of_kind is ValueKind.ENTITY:
                entry.entities = whole_number(objects)
            elif of_kind is ValueKind.NUMBER:
                entry.numbers = whole_number(objects)
    return counts


def _kind(said: Literal) -> ValueKind:
    try:
        return ValueKind(said.lexical)
    except ValueError:
        raise Garbled(f"The endpoint answered {said.lexical!r} where a kind of value was due.") from None


def closed_subclasses(facts: SchemaFacts, profile: Profile) -> dict[str, tuple[str, ...]]:
    """Every class with proper subclasses, and those, direct or not."""
    if not profile.closed_classes:
        return {}
    below: dict[str, set[str]] = defaultdict(set)
    for low, high in (*facts.pairs(profile.subclass), *_owl_pairs(facts)):
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


def _owl_pairs(facts: SchemaFacts) -> set[tuple[str, str]]:
    if not facts.known(SAYS_CLASSES):
        return set()
    said = _Said(facts.named_pairs(SPEAKS_OF_CLASSES))
    return {(low, high) for low, high in owl_parents(said, str) if low != high}


class _Said:
    """Facts by predicate, both ends by name."""

    def __init__(self, facts: dict[str, list[tuple[str, str]]]) -> None:
        self._facts = facts
        self._by_subject = {
            predicate: dict(sorted(pairs, reverse=True)) for predicate, pairs in facts.items()
        }

    def pairs(self, predicate: str) -> list[tuple[str, str]]:
        return self._facts.get(predicate, [])

    def one(self, predicate: str, subject: str) -> str | None:
        return self._by_subject.get(predicate, {}).get(subject)


def _mixed_graphs(queries: Queries) -> str:
    graphs = sorted(_iris(_column(queries, "?g", "GRAPH ?g { ?s ?p ?o }")))
    return (
        f"The default graph of the endpoint {queries.client.name} mixes all graphs, with the server's own "
        "among them; name the one you mean by adding ?default-graph-uri=… to the address. "
        f"It has {', '.join(graphs)}."
    )


def _column(queries: Queries, variable: str, where: str) -> list[Term | None]:
    return [row[0] for row in queries.all([SelectQuery((variable,), where)], DEADLINE)[0]]


def _iris(terms: Iterable[Term | None]) -> list[str]:
    return [term.value for term in terms if isinstance(term, Iri) and is_writable(term)]


# A discovery kept on disk, with its age, because looking over all facts takes time.


_FORMAT = 4
"""Of the file; another one is forgotten and made again."""


class Memory:
    """One file an endpoint in `folder`; what is older than `age` seconds, damaged or foreign is forgotten."""

    def __init__(self, folder: Path, key: str, age: float) -> None:
        self._path = folder / f"{hashlib.sha256(key.encode()).hexdigest()[:24]}.json"
        self._key = key
        self._age = age

    def load(self) -> Discovery | None:
        try:
            data = plain_json(self._path)
            if data["format"] != _FORMAT or data["key"] != self._key:
                return None
            if not 0 <= time.time() - data["made"] < self._age:
                return None
            return _from_json(data)
        except (OSError, ValueError, KeyError, TypeError, InputError):
            return None

    def save(self, discovery: Discovery) -> None:
        """A disk that cannot be written costs only the next discovery."""
        data = {"format": _FORMAT, "key": self._key, "made": time.time(), **_to_json(discovery)}
        with contextlib.suppress(OSError), beside(self._path) as draft:
            draft.write_text(json.dumps(data), encoding="utf-8")


def _to_json(discovery: Discovery) -> dict[str, Any]:
    return {
        "profile": discovery.profile.to_json(),
        "capabilities": asdict(discovery.capabilities),
        "schema": discovery.schema.to_json(),
        "subclasses": discovery.subclasses,
        "datatypes": discovery.datatypes,
        "text_search": discovery.text_search,
    }


def _from_json(data: Any) -> Discovery:
    return Discovery(
        profile_from_json(data["profile"], "the remembered profile"),
        Capabilities(**data["capabilities"]),
        Schema.from_json(data["schema"]),
        {name: tuple(below) for name, below in data["subclasses"].items()},
        data["datatypes"],
        data["text_search"],
    )


# A schema that is handed in, as `arcaneqa info KB --json` prints it, so that nothing need be looked
# over.


def given(queries: Queries, path: Path, profile: Profile | None) -> Discovery:
    data = _read(path)
    if profile is None:
        profile = BUILT_IN.get(data["profile"])
    if profile is None:
        raise InputError(
            f"The schema {path} was made with the profile “{data['profile']}”; name its file in "
            "ARCANEQA_ENDPOINT_PROFILE."
        )
    try:
        described = schema.read(data, profile)
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise InputError(
            f"The schema {path} is not what `arcaneqa info KB --json` prints: {type(error).__name__} {error}."
        ) from None
    facts = SchemaFacts(queries, described.relation_ids.keys())
    subclasses = closed_subclasses(facts, profile)
    return Discovery(profile, queries.capabilities, described, subclasses)


def _read(path: Path) -> dict[str, Any]:
    try:
        data = plain_json(path)
    except OSError as error:
        raise InputError(f"The schema {path} cannot be read: {error.strerror}.") from None
    except ValueError as error:
        raise InputError(f"The schema {path} is not JSON: {error}.") from None
    if not isinstance(data, dict) or not {"profile", "relations", "classes"} <= data.keys():
        raise InputError(f"The schema {path} is not what `arcaneqa info KB --json` prints.")
    return data
