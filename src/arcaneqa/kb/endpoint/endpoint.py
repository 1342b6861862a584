"""A SPARQL endpoint as a knowledge base: every question of the interface as a few queries."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Sequence
from itertools import product
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from arcaneqa.kb.counting import ByTerms
from arcaneqa.kb.endpoint import neighbours
from arcaneqa.kb.endpoint.client import Client
from arcaneqa.kb.endpoint.discovery import Discovery
from arcaneqa.kb.endpoint.names import DIALECTS, Harvested, TermNames
from arcaneqa.kb.endpoint.neighbours import Matching, Touching, neighbour_counts
from arcaneqa.kb.endpoint.patterns import (
    Along,
    Around,
    Both,
    Bounded,
    Compares,
    Condition,
    Contains,
    Having,
    Meets,
    Members,
    Pattern,
    Spells,
    Undated,
    Values,
    With,
    Without,
    hop,
)
from arcaneqa.kb.endpoint.queries import Queries, SelectQuery, only_number
from arcaneqa.kb.endpoint.sets import Nodes, Parts, RemoteSet, listed
from arcaneqa.kb.interface import Comparison, Ids, NodeSet, Pairs, Step, Tally, Window
from arcaneqa.kb.names.surfaces import Surfaces
from arcaneqa.kb.schema import ValueKind
from arcaneqa.kb.sparql.filters import TimeBound
from arcaneqa.kb.sparql.terms import is_writable, respelled, written
from arcaneqa.kb.terms import Blank, Literal, Term
from arcaneqa.kb.values import Value, holds, kind_of, value_of
from arcaneqa.support.errors import EndpointError

_SETS = 4096
"""Sets that are remembered with what was asked about them; the oldest go first."""
_COMPARED = (ValueKind.NUMBER, ValueKind.TIME)


class Endpoint(ByTerms):
    """Sets are `RemoteSet`s; equal questions about equal sets are asked once."""

    def __init__(self, client: Client, discovery: Discovery, folder: Path) -> None:
        """`folder` is where things learnt of endpoints are kept."""
        self.folder = folder
        self.profile = discovery.profile
        self.schema = discovery.schema
        self.client = client
        self.discovery = discovery
        self.subclasses = discovery.subclasses
        self._queries = Queries(client, discovery.capabilities)
        self._nodes = Nodes(self._queries)
        search = DIALECTS.get(discovery.text_search or "")
        self._term_names = TermNames(
            self._queries, self._nodes, self.profile, self.schema.relation_ids, search
        )
        self._listed = discovery.capabilities.listed
        self._matching = Matching(self.schema, self._listed)
        self._touching = Touching(self._queries, discovery, self._matching)
        self._lock = threading.Lock()
        self._sets: OrderedDict[Parts, RemoteSet] = OrderedDict()
        self._extremes: dict[str, list[Value]] | None = None
        self.harvested: Harvested | None = None

    # Names -----------------------------------------------------------------------------------

    def node(self, term: Term) -> int | None:
        known = self._nodes.known(term)
        if known is not None or isinstance(term, Blank) or not is_writable(term):
            return known
        if isinstance(term, Literal) and value_of(term) is not None:
            # Among those of the same value: asked by name, some servers hand back the name they were given.
            ids = self.equal(term).ids
            same = zip(ids.tolist(), self.terms(ids), strict=True)
            return next((node for node, found in same if found == term), None)
        found = self._term_names.mentioned(term)
        return None if found is None else int(self._nodes.intern([found])[0])

    def nodes(self, ids: Ids) -> NodeSet:
        known = np.unique(np.asarray(ids, np.int64))
        texts = self._nodes.written(known)
        if texts is None:
            raise EndpointError(
                "This endpoint has no way to name a blank node in a query; reach it by a relation instead."
            )
        return self._set(listed(texts, self._listed), known)

    def terms(self, ids: Ids) -> list[Term]:
        return self._nodes.terms(ids)

    def labels(self, ids: Ids) -> list[str | None]:
        terms = self._nodes.terms(ids)
        if self.harvested is not None:
            found = self.harvested.labels(terms)
        else:
            called = self._term_names.called(terms)
            found = [called[term].label if term in called else None for term in terms]
        return [
            term.lexical if isinstance(term, Literal) else label
            for term, label in zip(terms, found, strict=True)
        ]

    def aliases(self, ids: Ids) -> list[list[str]]:
        terms = self._nodes.terms(ids)
        if self.harvested is not None:
            return self.harvested.aliases(terms)
        called = self._term_names.called(terms)
        return [called[term].others if term in called else [] for term in terms]

    def surfaces(self) -> Surfaces | None:
        return self.harvested

    # Fetching names --------------------------------------------------------------------------

    @property
    def page(self) -> int:
        """Rows that surely arrive in one answer."""
        return self._queries.capabilities.page

    def count_all(self, questions: Sequence[SelectQuery]) -> list[int]:
        rows = self.client.select_all([question.counted() for question in questions])
        return [only_number(each) for each in rows]

    def adopted(self, terms: Sequence[Term]) -> Ids:
        """Nodes for terms that the server is known to hold."""
        return self._nodes.intern_each(terms)

    def search_labels(self, texts: Sequence[str]) -> list[list[int]]:
        """Nodes that are called exactly so, in the usual variants of case and language."""
        return self._term_names.search(texts)

    def names_containing(self, texts: Sequence[str], limit: int) -> list[list[int]]:
        """Nodes with a name that holds all words of a text; none where the server has no search for words."""
        return self._term_names.containing(texts, limit)

    def names_beginning(self, typed: str, limit: int) -> list[int]:
        """Entities one of whose names begins so; `Unsupported` where the server cannot find them in time."""
        return self._term_names.beginning(typed, limit)

    def datatypes(self) -> dict[str, int] | None:
        return self.discovery.datatypes

    def are_literals(self, ids: Ids) -> NDArray[np.bool_]:
        return np.array([isinstance(term, Literal) for term in self._nodes.terms(ids)], bool)

    def degrees(self, ids: Ids) -> Ids:
        return self._term_names.degrees(ids)

    def equal(self, literal: Literal) -> NodeSet:
        if value_of(literal) is None:
            node = self.node(literal)
            return self.nodes(np.array([] if node is None else [node], np.int64))
        matches = self._matching.having(kind_of(literal), [literal])
        return self._set(tuple(Values(match.relations, match.condition) for match in matches))

    # Walking ---------------------------------------------------------------------------------

    def objects(self, relation: int, subjects: NodeSet) -> NodeSet:
        return self._mapped(subjects, lambda part: Along(self._iri(relation), False, part))

    def subjects(self, relation: int, objects: NodeSet) -> NodeSet:
        name, remote = self._iri(relation), self._remote(objects)
        named = (Along(name, True, part) for part in remote.sources)
        return self._set((*named, *self._matching.in_relation(name, remote)))

    def members(self, klass: int) -> NodeSet:
        found = self.schema.classes[klass]
        if not found.members:
            return self._set(())
        names = (found.iri, *self.subclasses.get(found.iri, ()))
        chunks = (names[start : start + self._listed] for start in range(0, len(names), self._listed))
        return self._set(
            tuple(Members(self.profile.type, chunk) for chunk in chunks), large=found.members > self._listed
        )

    def having(self, step: Step) -> NodeSet:
        return self._set((Having(self._iri(step.relation), step.inverse),))

    def containing(self, relation: int, text: str) -> NodeSet:
        return self._set((With(None, ((self._iri(relation), False),), Contains(text)),))

    def named(self, text: str) -> NodeSet:
        names = dict.fromkeys((*self.profile.label, *self.profile.alias))
        return self._set(tuple(With(None, ((name, False),), Spells(text)) for name in names))

    def values(self, relation: int, subjects: NodeSet) -> Pairs:
        fact = f"{hop('?x', self._iri(relation), '?y', inverse=False)} BIND(STR(?y) AS ?digits)"
        rows = self._touching.rows(self._remote(subjects).sources, ("?x", "?y", "?digits"), fact)
        found = ((subject, respelled(value, digits)) for subject, value, digits in rows)
        pairs = self._nodes.intern_each(term for pair in found for term in pair if term is not None)
        ordered = np.unique(pairs.reshape(-1, 2), axis=0)
        return Pairs(ordered[:, 0].copy(), ordered[:, 1].copy())

    def neighbours(self, nodes: NodeSet) -> NodeSet:
        remote = self._remote(nodes)
        hidden = self._touching.hidden
        parts: list[Pattern] = [Around(part, way, hidden) for part in remote.sources for way in (False, True)]
        if remote.small is not None and remote.values:
            for relation in self.in_relations(nodes).tolist():
                parts.extend(self._matching.in_relation(self._iri(relation), remote))
        return self._set(tuple(parts))

    # What touches a set ----------------------------------------------------------------------

    def out_relations(self, nodes: NodeSet) -> Ids:
        return self._touching.out_relations(self._remote(nodes))

    def in_relations(self, nodes: NodeSet) -> Ids:
        return self._touching.in_relations(self._remote(nodes))

    def classes(self, nodes: NodeSet) -> Ids:
        return self._touching.classes(self._remote(nodes))

    def comparable_relations(self, nodes: NodeSet) -> Ids:
        return self._touching.comparable_relations(self._remote(nodes))

    def steps_to_values(self, nodes: NodeSet) -> list[Step]:
        return self._touching.steps_to_values(self._remote(nodes))

    def classes_having(self, relations: Ids, inverse: bool = False) -> Ids:
        return self._touching.classes_having([self._iri(r) for r in relations.tolist()], inverse)

    def orderable_classes(self, hops: int) -> Ids:
        return self._touching.orderable_classes(hops) if hops <= 2 else super().orderable_classes(hops)

    # Algebra ---------------------------------------------------------------------------------

    def intersection(self, left: NodeSet, right: NodeSet) -> NodeSet:
        first, second = self._remote(left), self._remote(right)
        if first.small is not None and second.small is not None:
            common = np.intersect1d(first.small, second.small, assume_unique=True)
            if (texts := self._nodes.written(common)) is not None:
                return self._set(listed(texts, self._listed), common)
        return self._set(tuple(Both(*pair) for pair in product(first.parts, second.parts)))

    def intersects(self, left: NodeSet, right: NodeSet) -> bool:
        return bool(self.intersection(left, right))

    def difference(self, left: NodeSet, right: NodeSet) -> NodeSet:
        whole, taken = self._remote(left), self._remote(right)
        if whole.small is not None:
            left_over = np.setdiff1d(whole.small, self.intersection(whole, taken).ids, assume_unique=True)
            if (texts := self._nodes.written(left_over)) is not None:
                return self._set(listed(texts, self._listed), left_over)
        parts = whole.parts
        for without in taken.parts:
            parts = tuple(Without(part, without) for part in parts)
        return self._set(parts)

    def union(self, left: NodeSet, right: NodeSet) -> NodeSet:
        first, second = self._remote(left), self._remote(right)
        if first.small is not None and second.small is not None:
            together = np.union1d(first.small, second.small)
            if (texts := self._nodes.written(together)) is not None:
                return self._set(listed(texts, self._listed), together)
        return self._set(tuple(dict.fromkeys((*first.parts, *second.parts))))

    def tally(self, nodes: NodeSet, path: Sequence[Step], within: NodeSet | None = None) -> Tally:
        first, last = path[0], path[-1]
        starts_from_values = first.inverse and self._holds_values(first.relation)
        ends_in_values = within is not None and not last.inverse and self._holds_values(last.relation)
        if starts_from_values or ends_in_values:  # literals meet by value, which takes a look at each
            return super().tally(nodes, path, within)
        walk = tuple((self._iri(step.relation), step.inverse) for step in path)
        inside = None if within is None else self._remote(within).parts
        counts = neighbour_counts(self._queries, self._remote(nodes).sources, walk, inside)
        ids = self._nodes.intern_each(counts)
        order = np.argsort(ids)
        return Tally(ids[order], np.array(list(counts.values()), np.int64)[order])

    # Order -----------------------------------------------------------------------------------

    def compare(self, comparison: Comparison, relation: int, value: Literal) -> NodeSet:
        kind = kind_of(value)
        if kind not in _COMPARED or kind not in self.schema.relations[relation].kinds:
            return self._set(())
        path = ((self._iri(relation), False),)
        return self._set((With(None, path, Compares(comparison, value)),))

    def relations_comparing(self, comparison: Comparison, value: Literal) -> Ids:
        if comparison is Comparison.EQ:
            return self.in_relations(self.equal(value))
        if self._extremes is None:
            names = [r.iri for r in self.schema.relations if r.comparable and not r.hidden]
            self._extremes = neighbours.of_relations(self._queries, names)
        to = value_of(value)
        found = [
            self.schema.relation_ids[name]
            for name, values in self._extremes.items()
            if to is not None and any(holds(one, comparison, to) for one in values)
        ]
        return np.array(sorted(found), np.int64)

    def extreme(self, nodes: NodeSet, path: Sequence[Step], largest: bool) -> NodeSet:
        if not path or path[-1].inverse:
            return self._set(())
        walk = tuple((self._iri(step.relation), step.inverse) for step in path)
        parts = self._remote(nodes).sources
        kinds = self.schema.relations[path[-1].relation].kinds
        condition = neighbours.best(self._queries, parts, walk, largest, kinds)
        if condition is None:
            return self._set(())
        return self._set(tuple(With(part, walk, condition) for part in parts))

    def valid_during(self, nodes: NodeSet, start: int, end: int | None, window: Window) -> NodeSet:
        remote = self._remote(nodes)
        if end is None:
            parts = self._dated(remote.sources, start, Meets(window))
        else:
            begun = self._dated(remote.sources, start, Bounded(TimeBound.STARTS_BEFORE, window.end))
            parts = self._dated(begun, end, Bounded(TimeBound.ENDS_AFTER, window.start))
        # What is left out of the sources has no dates.
        undated = listed(list(map(written, remote.values)), self._listed) if remote.small is not None else ()
        return self._set((*parts, *undated))

    def __repr__(self) -> str:
        return f"Endpoint({self.client.name!r})"

    def close(self) -> None:
        self.client.close()

    # Inside ----------------------------------------------------------------------------------

    def _holds_values(self, relation: int) -> bool:
        return bool(self.schema.relations[relation].kinds - {ValueKind.ENTITY, ValueKind.TEXT})

    def _iri(self, relation: int) -> str:
        return self.schema.relations[relation].iri

    def _set(self, parts: Parts, known: Ids | None = None, large: bool = False) -> RemoteSet:
        with self._lock:
            found = self._sets.pop(parts, None)
            if found is None:
                if known is None and not parts:
                    known = np.empty(0, np.int64)
                found = RemoteSet(self._queries, self._nodes, parts, known, large)
            self._sets[parts] = found
            if len(self._sets) > _SETS:
                self._sets.popitem(last=False)
            return found

    def _remote(self, nodes: NodeSet) -> RemoteSet:
        if isinstance(nodes, RemoteSet):
            return nodes
        found = self.nodes(nodes.ids)
        assert isinstance(found, RemoteSet)
        return found

    def _mapped(self, nodes: NodeSet, pattern: Callable[[Pattern], Pattern]) -> RemoteSet:
        return self._set(tuple(map(pattern, self._remote(nodes).sources)))

    def _dated(self, parts: Parts, relation: int, condition: Condition) -> Parts:
        """Members with a time that meets the condition, and those without a time."""
        name = self._iri(relation)
        dated = (With(part, ((name, False),), condition) for part in parts)
        return (*dated, *(Undated(part, name) for part in parts))
