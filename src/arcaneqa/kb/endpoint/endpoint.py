"""A SPARQL endpoint as a knowledge base: every question of the interface as a few queries."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Sequence
from itertools import product

import numpy as np
from numpy.typing import NDArray

from arcaneqa.errors import EndpointError
from arcaneqa.kb.endpoint import extremes
from arcaneqa.kb.endpoint.client import Client
from arcaneqa.kb.endpoint.discovery import Discovery
from arcaneqa.kb.endpoint.lexicon import Lexicon
from arcaneqa.kb.endpoint.nodes import Nodes
from arcaneqa.kb.endpoint.patterns import (
    Along,
    Both,
    Compares,
    During,
    Equals,
    Members,
    Pattern,
    Values,
    With,
    Without,
    hop,
)
from arcaneqa.kb.endpoint.queries import Queries
from arcaneqa.kb.endpoint.sets import Parts, RemoteSet, listed
from arcaneqa.kb.endpoint.terms import is_writable
from arcaneqa.kb.endpoint.touching import Touching
from arcaneqa.kb.interface import Comparison, Ids, KnowledgeBase, NodeSet, Pairs, Step, Window
from arcaneqa.kb.schema import ValueKind
from arcaneqa.kb.terms import Blank, Literal, Term
from arcaneqa.kb.values import Number, Value, kind_of, value_of

_SETS = 4096
_CONDITIONS = 16
_VALUES = (ValueKind.NUMBER, ValueKind.TIME, ValueKind.BOOLEAN)


class Endpoint(KnowledgeBase):
    """Sets are `RemoteSet`s; equal questions about equal sets are asked once."""

    def __init__(self, client: Client, discovery: Discovery) -> None:
        self.profile = discovery.profile
        self.schema = discovery.schema
        self.client = client
        self._subclasses = discovery.subclasses
        self._queries = Queries(client, discovery.capabilities)
        self._nodes = Nodes(self._queries)
        self._lexicon = Lexicon(self._queries, self._nodes, self.profile)
        self._touching = Touching(self._queries, discovery)
        self._listed = discovery.capabilities.listed
        self._lock = threading.Lock()
        self._sets: OrderedDict[Parts, RemoteSet] = OrderedDict()
        self._extremes: dict[str, list[Value]] | None = None

    # Names -----------------------------------------------------------------------------------

    def node(self, term: Term) -> int | None:
        known = self._nodes.known(term)
        if known is not None or isinstance(term, Blank) or not is_writable(term):
            return known
        found = self._lexicon.mentioned(term)
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
        called = self._lexicon.called(self._nodes.terms(ids))
        return [
            term.lexical if isinstance(term, Literal) else called[term].label if term in called else None
            for term in self._nodes.terms(ids)
        ]

    def aliases(self, ids: Ids) -> list[list[str]]:
        called = self._lexicon.called(self._nodes.terms(ids))
        return [called[term].others if term in called else [] for term in self._nodes.terms(ids)]

    def search_labels(self, texts: Sequence[str]) -> list[list[int]]:
        """Nodes that are called exactly so, in the usual variants of case and language."""
        return self._lexicon.search(texts)

    def are_literals(self, ids: Ids) -> NDArray[np.bool_]:
        return np.array([isinstance(term, Literal) for term in self._nodes.terms(ids)], bool)

    def degrees(self, ids: Ids) -> Ids:
        return self._lexicon.degrees(ids)

    def equal(self, literal: Literal) -> NodeSet:
        if value_of(literal) is None:
            node = self.node(literal)
            return self.nodes(np.array([] if node is None else [node], np.int64))
        return self._set(self._having_value(kind_of(literal), (literal,)))

    # Walking ---------------------------------------------------------------------------------

    def objects(self, relation: int, subjects: NodeSet) -> NodeSet:
        return self._mapped(subjects, lambda part: Along(self._iri(relation), False, part))

    def subjects(self, relation: int, objects: NodeSet) -> NodeSet:
        entities, literals = self._split(objects, self.schema.relations[relation].kinds)
        path = ((self._iri(relation), False),)
        parts = [Along(path[0][0], True, part) for part in entities]
        return self._set((*parts, *(With(None, path, Equals(chunk)) for chunk in literals)))

    def members(self, klass: int) -> NodeSet:
        name = self.schema.classes[klass].iri
        names = (name, *self._subclasses.get(name, ()))
        chunks = (names[start : start + self._listed] for start in range(0, len(names), self._listed))
        return self._set(tuple(Members(self.profile.type, chunk) for chunk in chunks))

    def values(self, relation: int, subjects: NodeSet) -> Pairs:
        fact = hop("?x", self._iri(relation), "?y", inverse=False)
        rows = self._touching.rows(self._parts(subjects), ("?x", "?y"), fact)
        pairs = self._nodes.intern_each(term for row in rows for term in row if term is not None)
        ordered = np.unique(pairs.reshape(-1, 2), axis=0)
        return Pairs(ordered[:, 0].copy(), ordered[:, 1].copy())

    # What touches a set ----------------------------------------------------------------------

    def out_relations(self, nodes: NodeSet) -> Ids:
        return self._touching.out_relations(self._remote(nodes))

    def in_relations(self, nodes: NodeSet) -> Ids:
        return self._touching.in_relations(self._with_equals(nodes))

    def classes(self, nodes: NodeSet) -> Ids:
        return self._touching.classes(self._remote(nodes))

    def comparable_relations(self, nodes: NodeSet) -> Ids:
        return self._touching.comparable_relations(self._remote(nodes))

    def steps_to_values(self, nodes: NodeSet) -> list[Step]:
        return self._touching.steps_to_values(self._with_equals(nodes))

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

    # Order -----------------------------------------------------------------------------------

    def compare(self, comparison: Comparison, relation: int, value: Literal) -> NodeSet:
        if kind_of(value) not in self.schema.relations[relation].kinds or kind_of(value) not in _VALUES[:2]:
            return self._set(())
        path = ((self._iri(relation), False),)
        return self._set((With(None, path, Compares(comparison, value)),))

    def relations_comparing(self, comparison: Comparison, value: Literal) -> Ids:
        if self._extremes is None:
            names = [r.iri for r in self.schema.relations if r.comparable and not r.hidden]
            self._extremes = extremes.of_relations(self._queries, names)
        to = value_of(value)
        found = [
            self.schema.relation_ids[name]
            for name, values in self._extremes.items()
            if any(_compares(one, comparison, to) for one in values)
        ]
        return np.array(sorted(found), np.int64)

    def extreme(self, nodes: NodeSet, path: Sequence[Step], largest: bool) -> NodeSet:
        if not path or path[-1].inverse:
            return self._set(())
        walk = tuple((self._iri(step.relation), step.inverse) for step in path)
        parts = self._parts(nodes)
        kinds = self.schema.relations[path[-1].relation].kinds
        condition = extremes.best(self._queries, parts, walk, largest, kinds)
        if condition is None:
            return self._set(())
        return self._set(tuple(With(part, walk, condition) for part in parts))

    def valid_during(self, nodes: NodeSet, start: int, end: int | None, window: Window) -> NodeSet:
        first, last = self._iri(start), None if end is None else self._iri(end)
        return self._mapped(nodes, lambda part: During(part, first, last, window))

    def close(self) -> None:
        self.client.close()

    # Inside ----------------------------------------------------------------------------------

    def _iri(self, relation: int) -> str:
        return self.schema.relations[relation].iri

    def _set(self, parts: Parts, known: Ids | None = None) -> RemoteSet:
        with self._lock:
            found = self._sets.pop(parts, None)
            if found is None:
                if known is None and not parts:
                    known = np.empty(0, np.int64)
                found = RemoteSet(self._queries, self._nodes, parts, known)
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

    def _parts(self, nodes: NodeSet) -> Parts:
        return self._remote(nodes).parts

    def _mapped(self, nodes: NodeSet, pattern: Callable[[Pattern], Pattern]) -> RemoteSet:
        return self._set(tuple(map(pattern, self._parts(nodes))))

    def _split(self, nodes: NodeSet, kinds: frozenset[ValueKind]) -> tuple[Parts, list[tuple[Literal, ...]]]:
        """The set as patterns to match by name, and in chunks its literals to match by value."""
        remote = self._remote(nodes)
        if kinds.isdisjoint(_VALUES) or (remote.small is None and not self._may_hold_values(remote)):
            return remote.parts, []
        literals = [term for term in self._nodes.terms(remote.ids) if isinstance(term, Literal)]
        valued = [term for term in literals if value_of(term) is not None]
        if not valued:
            return remote.parts, []
        named = np.setdiff1d(remote.ids, self._nodes.intern(valued), assume_unique=True)
        rest = self._parts(self.nodes(named)) if len(named) else ()
        chunks = [tuple(valued[start : start + _CONDITIONS]) for start in range(0, len(valued), _CONDITIONS)]
        return rest, chunks

    def _with_equals(self, nodes: NodeSet) -> RemoteSet:
        """The set, and every literal that has the same value as one of its members."""
        remote = self._remote(nodes)
        rest, chunks = self._split(remote, frozenset(_VALUES))
        if not chunks:
            return remote
        parts = list(rest)
        for chunk in chunks:
            for kind in {kind_of(literal) for literal in chunk}:
                same = tuple(literal for literal in chunk if kind_of(literal) is kind)
                parts.extend(self._having_value(kind, same))
        return self._set(tuple(parts))

    def _may_hold_values(self, remote: RemoteSet) -> bool:
        return any(_gives_values(part, self._kinds) for part in remote.parts)

    def _kinds(self, relation: str) -> frozenset[ValueKind]:
        return self.schema.relations[self.schema.relation_ids[relation]].kinds

    def _having_value(self, kind: ValueKind, literals: tuple[Literal, ...]) -> Parts:
        names = [relation.iri for relation in self.schema.relations if kind in relation.kinds]
        return tuple(
            Values(tuple(names[start : start + self._listed]), Equals(literals))
            for start in range(0, len(names), self._listed)
        )


def _gives_values(pattern: Pattern, kinds: Callable[[str], frozenset[ValueKind]]) -> bool:
    match pattern:
        case Along(relation, inverse):
            return not inverse and not kinds(relation).isdisjoint(_VALUES)
        case Both(left, right):
            return _gives_values(left, kinds) and _gives_values(right, kinds)
        case Without(source) | During(source):
            return _gives_values(source, kinds)
        case With(source):
            return source is not None and _gives_values(source, kinds)
        case Members():
            return False
        case _:
            return True


def _compares(value: Value, comparison: Comparison, to: Value | None) -> bool:
    if isinstance(value, Number) and isinstance(to, Number):
        match comparison:
            case Comparison.LT:
                return value < to
            case Comparison.LE:
                return value <= to
            case Comparison.GT:
                return value > to
            case Comparison.GE:
                return value >= to
    if isinstance(value, Window) and isinstance(to, Window):
        match comparison:
            case Comparison.LT:
                return value.end <= to.start
            case Comparison.LE:
                return value.end <= to.end
            case Comparison.GT:
                return value.start >= to.end
            case Comparison.GE:
                return value.start >= to.start
    return False
