"""Random programs of every form, and their answers in a shape in which two engines can be compared."""

from __future__ import annotations

import httpx
import pyoxigraph
from hypothesis import strategies as st

from arcaneqa.kb.interface import Comparison, KnowledgeBase, Window
from arcaneqa.kb.short_names import Names
from arcaneqa.kb.sparql.terms import from_json
from arcaneqa.kb.terms import XSD, Blank, Iri, Literal, Term
from arcaneqa.kb.values import Number, value_of
from arcaneqa.language import expression as ex
from arcaneqa.language.check import check
from arcaneqa.language.run import Result
from arcaneqa.support.errors import ProgramError
from tests.language.worlds import (
    ORDERED,
    PROFILE,
    classes,
    comparisons,
    entities,
    facts_with_values,
    links,
    ordered,
    paths,
    relation,
    written,
)

_NUMERIC = relation("size")
link_paths = st.lists(links, min_size=1, max_size=2).map(tuple)
number_paths = st.lists(links, max_size=1).map(lambda steps: (*steps, _NUMERIC))
small = st.integers(0, 3).map(lambda number: ex.Value(Literal(str(number), XSD + "integer")))
texts = st.sampled_from(["a", "WORD", "mot", "?x"]).map(lambda text: ex.Value(Literal(text)))
steps = st.one_of(links, st.builds(relation, st.sampled_from(ORDERED), st.booleans()))
totals = st.builds(ex.Totalled, st.sampled_from([ex.Aggregation.SUM, ex.Aggregation.AVG]), number_paths)
bests = st.builds(ex.Totalled, st.sampled_from([ex.Aggregation.MAX, ex.Aggregation.MIN]), paths)
signs = st.sampled_from(Comparison)
ranks = st.sampled_from([(1, 1), (1, 2), (2, 2), (2, 4)])


def _grown(sets: st.SearchStrategy[ex.Expression]) -> st.SearchStrategy[ex.Expression]:
    counts = st.builds(ex.Counted, link_paths, st.one_of(st.none(), sets))
    keys: st.SearchStrategy[ex.Key] = st.one_of(paths, counts, totals)
    values = st.one_of(
        st.builds(ex.Join, st.builds(relation, st.sampled_from(ORDERED), st.just(True)), sets),
        st.builds(ex.Aggregate, st.sampled_from(ex.Aggregation), sets, number_paths),
        st.builds(ex.Count, sets),
    )
    return st.one_of(
        st.builds(ex.Join, links, sets),
        st.builds(ex.And, sets, sets),
        st.builds(ex.Or, sets, sets),
        st.builds(ex.Not, sets, st.one_of(sets, entities)),
        st.builds(
            lambda d, u, k, r: ex.Extreme(d, u, k, *r), st.sampled_from(ex.Direction), sets, keys, ranks
        ),
        st.builds(
            lambda u, c: ex.And(u, c), sets, st.builds(ex.Compare, st.sampled_from(Comparison), counts, small)
        ),
        st.builds(ex.Compare, signs, ordered, values),
        st.builds(
            lambda u, c: ex.And(c, u), sets, st.builds(ex.Compare, st.sampled_from(Comparison), totals, small)
        ),
        st.builds(ex.And, sets, st.builds(ex.Compare, signs, counts, st.builds(ex.Count, sets))),
    )


every_set: st.SearchStrategy[ex.Expression] = st.recursive(
    st.one_of(
        classes,
        st.builds(ex.Join, links, entities),
        facts_with_values.map(lambda fact: ex.Join(*fact)),
        comparisons,
        st.builds(ex.Has, steps),
        st.builds(ex.Like, st.just(relation("mixed")), texts),
        st.builds(ex.Named, texts),
    ),
    _grown,
    max_leaves=3,
)
_counted_columns = st.one_of(
    st.just(ex.Counted(())), st.builds(ex.Counted, link_paths, st.one_of(st.none(), classes)), totals, bests
)
_columns: st.SearchStrategy[ex.Key] = st.one_of(st.just(()), link_paths, paths, _counted_columns)
_several = st.lists(_columns, min_size=1, max_size=3).map(tuple)
_sorts = st.builds(
    ex.Sort, every_set, st.one_of(paths, totals, st.builds(ex.Counted, link_paths)), st.booleans()
)
every_program: st.SearchStrategy[ex.Expression] = st.one_of(
    every_set,
    st.builds(ex.Count, every_set, st.one_of(st.just(()), link_paths)),
    st.builds(
        ex.Aggregate, st.sampled_from([ex.Aggregation.SUM, ex.Aggregation.AVG]), every_set, number_paths
    ),
    st.builds(ex.Aggregate, st.sampled_from([ex.Aggregation.MAX, ex.Aggregation.MIN]), every_set, paths),
    st.builds(ex.Meet, every_set, st.one_of(every_set, entities)),
    _sorts,
    st.builds(ex.Show, st.one_of(every_set, _sorts), _several),
    st.builds(ex.Per, every_set, link_paths, st.lists(_counted_columns, min_size=1, max_size=2).map(tuple)),
)


def is_sound(program: ex.Expression) -> bool:
    try:
        check(program, Names(PROFILE))
    except ProgramError:
        return False
    return True


def by_index(result: Result, kb: KnowledgeBase, program: ex.Expression) -> list[object]:
    """Sets and rows sorted, since what is equally good may come in any order."""
    if result.table is not None:
        columns = result.table.columns
        return sorted((_row(row, columns) for row in result.table.terms(kb)), key=repr)
    if result.value is not None or isinstance(program, ex.Aggregate):
        return [_cell(result.value, _column(program))]
    return sorted((_cell(term, ()) for term in kb.terms(result.nodes.ids)), key=repr)


def by_query(store: pyoxigraph.Store, query: str, program: ex.Expression) -> list[object]:
    found = store.query(query)
    if isinstance(found, pyoxigraph.QueryBoolean):
        return [bool(found)]
    assert isinstance(found, pyoxigraph.QuerySolutions)
    return of_rows([tuple(_ours(row[variable]) for variable in found.variables) for row in found], program)


def by_server(url: str, query: str, program: ex.Expression) -> list[object]:
    accept = {"Accept": "application/sparql-results+json"}
    reply = httpx.post(url, data={"query": query}, headers=accept, timeout=60)
    assert reply.status_code == 200, reply.text[:400]
    content = reply.json()
    if "boolean" in content:
        return [content["boolean"]]
    names = content["head"]["vars"]
    if names == ["__ASK_RETVAL"]:  # Virtuoso's own way to say yes: a row
        return [bool(content["results"]["bindings"])]
    rows = content["results"]["bindings"]
    return of_rows([tuple(from_json(row[n]) if n in row else None for n in names) for row in rows], program)


def of_rows(rows: list[tuple[Term | None, ...]], program: ex.Expression) -> list[object]:
    match program:
        case ex.Show(_, columns):
            return sorted((_row(row, columns) for row in rows), key=repr)
        case ex.Per(_, path, columns) | ex.Sort(ex.Per(_, path, columns)):
            return sorted((_row(row, (path, *columns)) for row in rows), key=repr)
        case ex.Aggregate():
            return [_cell(row[0], _column(program)) for row in rows] or [None]
        case _:
            return sorted((_cell(row[0], ()) for row in rows), key=repr)


def _column(program: ex.Expression) -> ex.Key:
    return ex.Totalled(program.function, program.path) if isinstance(program, ex.Aggregate) else ()


def _row(row: tuple[Term | None, ...], columns: tuple[ex.Key, ...]) -> tuple[object, ...]:
    return tuple(_cell(cell, column) for cell, column in zip(row, columns, strict=True))


def _cell(term: Term | None, column: ex.Key) -> object:
    match term:
        case None:
            return None
        case Blank():
            return "_"
        case Iri():
            return written(term)
    match value_of(term):
        case bool(truth) if not isinstance(column, ex.Counted | ex.Totalled) and term.lexical in (
            "true",
            "false",
        ):
            return truth
        case Number(nearest, _) if (
            isinstance(column, ex.Counted | ex.Totalled) or term.datatype == XSD + "integer"
        ):
            return round(nearest, 6)
        case Window(start, end) if isinstance(column, ex.Totalled):
            # Among times that end (or begin) together, any is the best.
            return end if column.function is ex.Aggregation.MAX else start
    return written(term)


def _ours(term: object) -> Term | None:
    match term:
        case pyoxigraph.NamedNode():
            return Iri(term.value)
        case pyoxigraph.BlankNode():
            return Blank(term.value)
        case pyoxigraph.Literal():
            return Literal(term.value, term.datatype.value, term.language or "")
    return None
