"""On random graphs every question has the same answer from the index and from SPARQL."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import date
from functools import cache
from pathlib import Path
from unittest.mock import patch

import numpy as np
import pyoxigraph as ox
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from arcaneqa.kb.build import build_index, dictionary
from arcaneqa.kb.index import Index, sets, store
from arcaneqa.kb.interface import Comparison, NodeSet, Step, Window
from arcaneqa.kb.profile import RDF_PROFILE
from arcaneqa.kb.terms import Blank, Iri, Literal, Term
from arcaneqa.kb.values import value_of
from tests.kb.index.twin import Key, Twin, value

EX = "http://example.org/"
XSD = "http://www.w3.org/2001/XMLSchema#"
TYPE = ox.NamedNode("http://www.w3.org/1999/02/22-rdf-syntax-ns#type")
SUBCLASS = ox.NamedNode("http://www.w3.org/2000/01/rdf-schema#subClassOf")

entities = st.sampled_from([ox.NamedNode(f"{EX}e{number}") for number in range(7)])
blanks = st.sampled_from([ox.BlankNode(f"b{number}") for number in range(2)])
relations = [ox.NamedNode(f"{EX}r{number}") for number in range(4)]
classes = st.sampled_from([ox.NamedNode(f"{EX}C{number}") for number in range(4)])


def literal(lexical: str, datatype: str) -> ox.Literal:
    """As Oxigraph keeps it: it changes forms like 0.50 or +2, which the index must not do."""
    return kept(ox.Literal(lexical, datatype=ox.NamedNode(XSD + datatype)))


@cache
def kept(term: ox.Literal) -> ox.Literal:
    store = ox.Store()
    store.add(ox.Quad(relations[0], relations[0], term))
    (quad,) = store
    assert isinstance(quad.object, ox.Literal)
    return quad.object


numbers = st.one_of(
    st.integers(-3, 3).map(lambda n: literal(str(n), "integer")),
    st.integers(-6, 6).map(lambda n: literal(str(n / 2), "double")),
    st.integers(-6, 6).map(lambda n: literal(f"{n / 2:.2f}", "decimal")),
    st.sampled_from([literal("1e0", "float"), literal("+2", "int"), literal("-0", "integer")]),
)
days = st.dates(min_value=date(1999, 11, 1), max_value=date(2001, 2, 1))
times = st.one_of(
    st.integers(1999, 2001).map(lambda y: literal(str(y), "gYear")),
    days.map(lambda d: literal(f"{d:%Y-%m}", "gYearMonth")),
    days.map(lambda d: literal(f"{d:%Y-%m-%d}", "date")),
    days.map(lambda d: literal(f"{d:%Y-%m-%d}-08:00", "date")),
    st.tuples(days, st.sampled_from(["", "Z", "+05:30", "-08:00"])).map(
        lambda pair: literal(f"{pair[0]:%Y-%m-%d}T22:30:00{pair[1]}", "dateTime")
    ),
)
texts = st.one_of(
    st.sampled_from(["1", "x", "2000"]).map(ox.Literal),
    st.sampled_from(["1", "x"]).map(lambda text: ox.Literal(text, language="en")),
    st.booleans().map(lambda truth: literal(str(truth).lower(), "boolean")),
    st.just(literal("1", "boolean")),
)
objects = st.one_of(entities, entities, blanks, numbers, times, texts)
facts = st.builds(ox.Triple, st.one_of(entities, blanks), st.sampled_from(relations), objects)
types = st.builds(ox.Triple, st.one_of(entities, blanks), st.just(TYPE), st.one_of(classes, blanks))
hierarchy = st.builds(ox.Triple, classes, st.just(SUBCLASS), classes)
graphs = st.lists(st.one_of(facts, facts, facts, facts, types, hierarchy), min_size=1, max_size=40)


@contextmanager
def opened(triples: list[ox.Triple]) -> Iterator[Index]:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "graph.nt"
        ox.serialize(triples, str(path), format=ox.RdfFormat.N_TRIPLES)
        # Small batches, so that terms and facts meet again across batches. To SPARQL plain text is text.
        build_index([path], Path(folder) / "index", batch=7, profile=replace(RDF_PROFILE, typed_values=True))
        with Index(Path(folder) / "index") as kb:
            yield kb


def ours(term: object) -> Term:
    match term:
        case ox.NamedNode():
            return Iri(term.value)
        case ox.BlankNode():
            return Blank(term.value)
        case ox.Literal():
            return Literal(term.value, term.datatype.value, term.language or "")
    raise AssertionError(term)


def theirs(term: Term) -> str:
    match term:
        case Iri(iri):
            return f"<{iri}>"
        case Blank(label):
            return f"_:{label}"
        case Literal(lexical, datatype, language):
            if language:
                return str(ox.Literal(lexical, language=language))
            return str(ox.Literal(lexical, datatype=ox.NamedNode(datatype)))


class Pair:
    """The index and its twin, with their names for things side by side."""

    def __init__(self, kb: Index, triples: list[ox.Triple]) -> None:
        self.kb, self.twin = kb, Twin(triples)
        self.relations = {
            f"<{relation.iri}>": relation.id for relation in kb.schema.relations if not relation.hidden
        }

    def names(self, nodes: NodeSet) -> set[str]:
        ids = nodes.ids
        assert ids.dtype == np.int64
        assert np.all(np.diff(ids) > 0)
        return {theirs(term) for term in self.kb.terms(ids)}

    def relation_names(self, ids: np.ndarray) -> set[str]:
        assert np.all(np.diff(ids) > 0)
        return {f"<{self.kb.schema.relations[relation].iri}>" for relation in ids.tolist()}

    def class_names(self, ids: np.ndarray) -> set[str]:
        return {f"<{self.kb.schema.classes[klass].iri}>" for klass in ids.tolist()}

    def pick(self, wanted: list[ox.NamedNode | ox.Literal]) -> tuple[NodeSet, set[str]]:
        found = [(self.kb.node(ours(term)), str(term)) for term in wanted]
        known = [(node, name) for node, name in found if node is not None]
        return self.kb.nodes(np.array([node for node, _ in known], np.int64)), {name for _, name in known}


chosen = st.lists(st.one_of(entities, entities, numbers, times, texts), max_size=5)
edges = st.one_of(numbers, times)
relaxed = settings(max_examples=60, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])


@pytest.fixture(params=[False, True], ids=["small", "compiled"], scope="module")
def compiled(request: pytest.FixtureRequest) -> Iterator[None]:
    """All questions once through numpy, and once through the loops that large sets take, with entities in the
    order that large graphs have."""
    # Hundreds of tiny folders: waiting until each is on the disk would be most of the time.
    with patch.object(store, "_sync"):
        if not request.param:
            yield
            return
        with patch.object(sets, "LARGE", 0), patch.object(dictionary, "MANY", 0):
            yield


@pytest.mark.usefixtures("compiled")
@relaxed
@given(triples=graphs, some=chosen, others=chosen, edge=edges, data=st.data())
def test_index_equals_sparql(
    triples: list[ox.Triple],
    some: list[ox.NamedNode | ox.Literal],
    others: list[ox.NamedNode | ox.Literal],
    edge: ox.Literal,
    data: st.DataObject,
) -> None:
    with opened(triples) as kb:
        pair = Pair(kb, triples)
        twin = pair.twin
        nodes, names = pair.pick(some)
        right, right_names = pair.pick(others)
        assert pair.relation_names(kb.out_relations(nodes)) == twin.out_relations(names)
        assert pair.relation_names(kb.in_relations(nodes)) == twin.in_relations(names)
        assert pair.class_names(kb.classes(nodes)) == twin.classes(names)
        assert pair.relation_names(kb.comparable_relations(nodes)) == twin.comparable_relations(names)
        steps = kb.steps_to_values(nodes)
        assert {
            (f"<{kb.schema.relations[step.relation].iri}>", step.inverse) for step in steps
        } == twin.steps_to_values(names)
        assert pair.names(kb.intersection(nodes, right)) == names & right_names
        assert pair.names(kb.difference(nodes, right)) == names - right_names
        assert kb.intersects(nodes, right) == bool(names & right_names)
        for klass in kb.schema.classes:
            assert pair.names(kb.members(klass.id)) == twin.members(f"<{klass.iri}>")
        _values_agree(pair, nodes, names, edge)
        if pair.relations:
            path = data.draw(
                st.lists(
                    st.tuples(st.sampled_from(sorted(pair.relations)), st.booleans()), min_size=1, max_size=3
                )
            )
            walked = [Step(pair.relations[name], inverse) for name, inverse in path]
            for largest in (True, False):
                expected = twin.extreme(names, path, largest)
                assert pair.names(kb.extreme(nodes, walked, largest)) == expected


def _values_agree(pair: Pair, nodes: NodeSet, names: set[str], edge: ox.Literal) -> None:
    kb, twin = pair.kb, pair.twin
    asked = ours(edge)
    assert isinstance(asked, Literal)
    key = value(edge)
    assert key is not None
    symbols = {"LT": "<", "LE": "<=", "GT": ">", "GE": ">=", "EQ": "="}
    for comparison in Comparison:
        found = pair.relation_names(kb.relations_comparing(comparison, asked))
        assert found == twin.relations_comparing(comparison, key)
    for name, relation in pair.relations.items():
        assert pair.names(kb.objects(relation, nodes)) == twin.objects(name, names)
        assert pair.names(kb.subjects(relation, nodes)) == twin.subjects(name, names)
        pairs = kb.values(relation, nodes)
        assert np.all(np.lexsort((pairs.objects, pairs.subjects)) == np.arange(len(pairs.subjects)))
        listed = zip(kb.terms(pairs.subjects), kb.terms(pairs.objects), strict=True)
        assert {(theirs(left), theirs(right)) for left, right in listed} == {
            (subject, str(object_)) for subject, object_ in twin.values(name, names)
        }
        for comparison in Comparison:
            found = pair.names(kb.compare(comparison, relation, asked))
            assert found == twin.compare(comparison, name, key)
            if not isinstance(key, tuple):
                assert found == twin.compare_numbers_in_sparql(symbols[comparison], name, str(edge))
        for end in (None, *pair.relations):
            _valid_agree(pair, nodes, names, (name, end), asked, key)


def _valid_agree(
    pair: Pair, nodes: NodeSet, names: set[str], ends: tuple[str, str | None], asked: Literal, key: Key
) -> None:
    window = value_of(asked)
    if isinstance(window, Window) and isinstance(key, tuple):
        start, end = ends
        found = pair.kb.valid_during(
            nodes, pair.relations[start], None if end is None else pair.relations[end], window
        )
        assert pair.names(found) == pair.twin.valid_during(names, start, end, key)
