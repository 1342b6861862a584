"""What an endpoint holds, found by asking: its profile, relations, classes and who is a subclass of whom."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, replace

from arcaneqa.errors import InputError
from arcaneqa.kb.endpoint.client import Garbled
from arcaneqa.kb.endpoint.inference import Inference
from arcaneqa.kb.endpoint.naming import name_predicates
from arcaneqa.kb.endpoint.patterns import either
from arcaneqa.kb.endpoint.queries import (
    Capabilities,
    Queries,
    Question,
    batches,
    iris,
    only_number,
    whole_number,
)
from arcaneqa.kb.endpoint.schema_facts import DEADLINE, SchemaFacts, find_type_predicate
from arcaneqa.kb.endpoint.schema_words import Vocabulary
from arcaneqa.kb.endpoint.text_search import find_text_search
from arcaneqa.kb.names.words import label_from_iri, words
from arcaneqa.kb.owl import SAYS_CLASSES, SPEAKS_OF_CLASSES, owl_parents
from arcaneqa.kb.predicate_names import is_identifier, may_identify
from arcaneqa.kb.profile import Profile
from arcaneqa.kb.profiles import choose_profile
from arcaneqa.kb.schema import Class, Relation, Schema, ValueKind
from arcaneqa.kb.selection import Selection, time_pairs
from arcaneqa.kb.sparql import filters
from arcaneqa.kb.sparql.terms import iri, is_writable
from arcaneqa.kb.terms import XSD, Iri, Literal, Term

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
        self._vocabulary = Vocabulary(facts, profile, predicates)

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
            Question(("?p",), f"VALUES ?p {{ {iris(batch)} }} ?s ?p ?o . FILTER({broken})")
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
            Question(
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
            for klass, number in self._facts.ask([Question(("?c", "?n"), grouped)])
            if isinstance(klass, Iri)
        }

    def _classes(
        self, subclasses: dict[str, tuple[str, ...]], declared: set[str], asserted: dict[str, int]
    ) -> list[Class]:
        members = dict(asserted)
        mentioned = {*subclasses, *(below for group in subclasses.values() for below in group)}
        above = [klass for klass in subclasses if any(below in members for below in subclasses[klass])]
        unions = [
            Question(
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
        questions.append(Question(("?p", "?k", "?n", "?d"), f"{{ {grouped} }}"))
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
    return [row[0] for row in queries.all([Question((variable,), where)], DEADLINE)[0]]


def _iris(terms: Iterable[Term | None]) -> list[str]:
    return [term.value for term in terms if isinstance(term, Iri) and is_writable(term)]
