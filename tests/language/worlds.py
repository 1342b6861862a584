"""Random small graphs with values of every kind, and random well-typed programs about them."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pyoxigraph
from hypothesis import strategies as st

from arcaneqa.kb.build import build_index
from arcaneqa.kb.index import Index
from arcaneqa.kb.interface import Comparison, KnowledgeBase
from arcaneqa.kb.profile import RDF_PROFILE, RDFS
from arcaneqa.kb.terms import RDF, RDF_LANG_STRING, XSD, Blank, Iri, Literal, Term
from arcaneqa.language import expression as ex
from arcaneqa.language.run import Result

EX = "http://example.org/"
PROFILE = replace(
    RDF_PROFILE,
    prefixes=(("ex", EX),),
    time_pairs=(("*:from", "*:to"), ("*:when", "")),
    now="2000-06-15",
)

NUMBERS = [
    Literal(text, XSD + kind) for text, kind in [("5", "integer"), ("-2", "integer"), ("5", "decimal")]
]
NUMBERS += [Literal("0.1", XSD + kind) for kind in ("float", "double", "decimal")]
NUMBERS += [Literal("7.5", XSD + "double"), Literal("INF", XSD + "double")]
TIMES = [Literal(text, XSD + "gYear") for text in ("1999", "2000", "2000Z")]
TIMES += [Literal(text, XSD + "gYearMonth") for text in ("2000-02", "1999-12", "2000-06")]
TIMES += [
    Literal(text, XSD + "date") for text in ("2000-02-29", "1999-12-31", "2000-06-15-08:00", "2000-01-01")
]
TIMES += [
    Literal(text, XSD + "dateTime")
    for text in ("2000-01-01T00:00:00", "1999-12-31T23:30:00-01:00", "2000-06-15T12:00:00Z")
]
TEXTS = [Literal("a word"), Literal('"} . ?x ?y ?z #'), Literal("mot", RDF_LANG_STRING, "fr")]

ENTITIES = [f"e{number}" for number in range(4)]
LINKS = ("r0", "r1", "r2")
ORDERED = ("size", "when", "from", "to", "mixed")
CLASSES = ("C0", "C1", "C2")
_OBJECTS: dict[str, list[Literal]] = {
    "size": NUMBERS,
    "when": TIMES,
    "from": TIMES,
    "to": TIMES,
    "mixed": [*NUMBERS, *TIMES, *TEXTS],
}


def written(term: Term) -> str:
    match term:
        case Iri(value):
            return str(pyoxigraph.NamedNode(value))
        case Blank(label):
            return f"_:{label}"
        case Literal(lexical, _, language) if language:
            return str(pyoxigraph.Literal(lexical, language=language))
        case Literal(lexical, datatype, _):
            return str(pyoxigraph.Literal(lexical, datatype=pyoxigraph.NamedNode(datatype)))


@st.composite
def graphs(draw: st.DrawFn) -> str:
    """N-Triples. Every relation and class occurs, so that every program has a meaning."""
    nodes: list[Iri | Blank] = [Iri(EX + name) for name in ENTITIES]
    nodes.append(Blank("b"))
    node = st.sampled_from(nodes)
    facts: list[tuple[Term, str, Term]] = [(Iri(EX + "C1"), RDFS + "subClassOf", Iri(EX + "C0"))]
    for name in LINKS:
        ends = draw(st.lists(st.tuples(node, node), min_size=4, max_size=8))
        facts += [(subject, EX + name, value) for subject, value in ends]
    for name in ORDERED:
        ends = draw(st.lists(st.tuples(node, st.sampled_from(_OBJECTS[name])), min_size=3, max_size=7))
        facts += [(subject, EX + name, value) for subject, value in ends]
        facts.append((Iri(EX + "e0"), EX + name, _OBJECTS[name][0]))
    facts += [
        (subject, EX + "mixed", value) for subject, value in draw(st.lists(st.tuples(node, node), max_size=2))
    ]
    for name in CLASSES:
        members = draw(st.lists(node, min_size=2, max_size=5))
        facts += [(member, RDF + "type", Iri(EX + name)) for member in members]
    return "".join(f"{written(s)} <{p}> {written(o)} .\n" for s, p, o in dict.fromkeys(facts))


def whole_graph() -> str:
    """One graph with every relation, class and value."""
    facts: list[tuple[Term, str, Term]] = [(Iri(EX + "C1"), RDFS + "subClassOf", Iri(EX + "C0"))]
    facts += [(Iri(EX + "e0"), EX + name, Iri(EX + "e1")) for name in LINKS]
    facts += [(Iri(EX + "e0"), EX + name, value) for name in ORDERED for value in _OBJECTS[name]]
    facts += [(Iri(EX + "e0"), RDF + "type", Iri(EX + name)) for name in CLASSES]
    return "".join(f"{written(s)} <{p}> {written(o)} .\n" for s, p, o in facts)


def relation(name: str, inverse: bool = False) -> ex.Relation:
    return ex.Relation(EX + name, inverse)


entities = st.sampled_from([*ENTITIES * 3, "absent"]).map(lambda name: ex.Entity(Iri(EX + name)))
classes = st.sampled_from(CLASSES).map(lambda name: ex.Class(EX + name))
times = st.sampled_from(TIMES).map(ex.Value)
links = st.builds(relation, st.sampled_from(LINKS), st.booleans())
ordered = st.builds(relation, st.sampled_from(ORDERED))
paths = st.tuples(st.lists(links, max_size=2), ordered).map(lambda parts: (*parts[0], parts[1]))
# A relation with a value that it may well have: most random pairs would say nothing.
facts_with_values = st.sampled_from(ORDERED).flatmap(
    lambda name: st.tuples(st.just(relation(name)), st.sampled_from(_OBJECTS[name]).map(ex.Value))
)
comparisons = st.sampled_from(("size", "when", "from", "to")).flatmap(
    lambda name: st.builds(
        ex.Compare,
        st.sampled_from([sign for sign in Comparison if sign is not Comparison.EQ]),
        st.sampled_from([relation(name), relation("mixed")]),
        st.sampled_from(_OBJECTS[name]).map(ex.Value),
    )
)


def _grown(sets: st.SearchStrategy[ex.Expression]) -> st.SearchStrategy[ex.Expression]:
    walks = st.one_of(links, st.builds(relation, st.sampled_from(ORDERED), st.booleans()))
    dated = st.builds(relation, st.sampled_from(["from", "when"]))
    return st.one_of(
        st.builds(ex.Join, walks, sets),
        st.builds(ex.And, sets, sets),
        st.builds(ex.Extreme, st.sampled_from(ex.Direction), sets, paths),
        st.builds(ex.Cons, sets, links, entities),
        st.builds(lambda u, fact: ex.Cons(u, *fact), sets, facts_with_values),
        st.builds(ex.During, sets, dated, st.one_of(times, st.just(ex.NOW))),
    )


set_programs: st.SearchStrategy[ex.Expression] = st.recursive(
    st.one_of(
        classes,
        st.builds(ex.Join, links, entities),
        facts_with_values.map(lambda fact: ex.Join(*fact)),
        comparisons,
    ),
    _grown,
    max_leaves=3,
)
programs: st.SearchStrategy[ex.Expression] = st.tuples(set_programs, st.integers(0, 5)).map(
    lambda drawn: drawn[0] if drawn[1] else ex.Count(drawn[0])
)


@contextmanager
def indexed(facts: str) -> Iterator[Index]:
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder) / "facts.nt"
        source.write_text(facts, encoding="utf-8")
        build_index([source], Path(folder) / "index", profile=PROFILE)
        with Index(Path(folder) / "index") as index:
            yield index


def stored(facts: str) -> pyoxigraph.Store:
    store = pyoxigraph.Store()
    store.load(facts.encode(), format=pyoxigraph.RdfFormat.N_TRIPLES)
    return store


def found_by_index(result: Result, kb: KnowledgeBase) -> list[str]:
    """Terms as N-Triples, blank nodes without their labels; a count is its number."""
    if result.value is not None:
        return [result.value.lexical]
    return sorted("_" if isinstance(term, Blank) else written(term) for term in kb.terms(result.nodes.ids))


def found_by_query(store: pyoxigraph.Store, query: str) -> list[str]:
    solutions = store.query(query)
    assert isinstance(solutions, pyoxigraph.QuerySolutions)
    if [variable.value for variable in solutions.variables] == ["count"]:
        return [solution["count"].value for solution in solutions]
    bound = (solution["x"] for solution in solutions)
    return sorted("_" if isinstance(term, pyoxigraph.BlankNode) else str(term) for term in bound)
