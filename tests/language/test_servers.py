"""Compiled SPARQL on real servers finds what the index finds."""

from __future__ import annotations

import tempfile
from pathlib import Path

import httpx
import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from arcaneqa.kb.endpoint import open_endpoint
from arcaneqa.kb.endpoint.opening import EndpointSettings
from arcaneqa.kb.sparql.terms import from_json
from arcaneqa.kb.terms import Blank
from arcaneqa.language import expression as ex
from arcaneqa.language.run import execute
from arcaneqa.language.sparql import to_sparql
from tests.language.forms import by_index, by_server, every_program, is_sound
from tests.language.worlds import (
    ORDERED,
    PROFILE,
    found_by_index,
    graphs,
    indexed,
    programs,
    relation,
    written,
)
from tests.servers.oxigraph import Oxigraph
from tests.servers.virtuoso import Virtuoso

pytest_plugins = ["tests.servers.fixtures"]
VALUES = [relation(name, True) for name in ORDERED]
Asked = list[tuple[ex.Expression, bool]]

asked_programs = st.lists(st.tuples(programs, st.booleans()), min_size=10, max_size=25)
unhurried = settings(
    max_examples=4,
    phases=[Phase.explicit, Phase.generate],
    suppress_health_check=[
        HealthCheck.too_slow,
        HealthCheck.data_too_large,
        HealthCheck.function_scoped_fixture,
    ],
)


@unhurried
@given(facts=graphs(), asked=asked_programs)
def test_oxigraph(facts: str, asked: Asked, oxigraph: Oxigraph) -> None:
    assert_same_answers(facts, asked, oxigraph.load(facts))


@pytest.mark.virtuoso
@unhurried
@given(facts=graphs(), asked=asked_programs)
def test_virtuoso(facts: str, asked: Asked, virtuoso: Virtuoso) -> None:
    tame = "".join(line for line in facts.splitlines(keepends=True) if '"INF"' not in line)
    assert_same_answers(tame, [pair for pair in asked if _is_tame(pair[0])], virtuoso.load(tame))


@unhurried
@given(facts=graphs(), asked=st.lists(every_program, min_size=10, max_size=30))
def test_every_form_on_oxigraph(facts: str, asked: list[ex.Expression], oxigraph: Oxigraph) -> None:
    url = oxigraph.load(facts)
    with indexed(facts) as kb:
        for program in filter(is_sound, asked):
            found = by_server(url, to_sparql(program, PROFILE, kb.schema), program)
            assert by_index(execute(program, kb), kb, program) == found


@unhurried
@given(facts=graphs(), asked=st.lists(every_program, min_size=10, max_size=30))
def test_every_form_over_an_endpoint(facts: str, asked: list[ex.Expression], oxigraph: Oxigraph) -> None:
    # Over an endpoint nobody can name a blank node, so none can be picked from a set.
    named = "".join(line for line in facts.splitlines(keepends=True) if "_:" not in line)
    with (
        tempfile.TemporaryDirectory() as folder,
        indexed(named) as kb,
        open_endpoint(oxigraph.load(named), PROFILE, EndpointSettings(folder=Path(folder))) as endpoint,
    ):
        for program in filter(is_sound, asked):
            if not all(
                kb.schema.relation_ids.keys() >= {r.iri for r in ex.relations(n)}
                for n in ex.post_order(program)
            ):
                continue  # all its facts were about blank nodes
            found = by_index(execute(program, endpoint), endpoint, program)
            assert by_index(execute(program, kb), kb, program) == found


@pytest.mark.virtuoso
@unhurried
@given(facts=graphs(), asked=st.lists(every_program, min_size=10, max_size=30))
def test_every_form_on_virtuoso(facts: str, asked: list[ex.Expression], virtuoso: Virtuoso) -> None:
    # Equal numbers of two datatypes are one there, and so are summed up once.
    wild = ('"INF"', "#decimal", "#float")
    lines = facts.splitlines(keepends=True)
    tame = "".join(line for line in lines if not any(word in line for word in wild))
    url = virtuoso.load(tame)
    with indexed(tame) as kb:
        for program in asked:
            if is_sound(program) and _is_tame(program) and not _is_too_much(program):
                found = by_server(url, to_sparql(program, PROFILE, kb.schema), program)
                assert by_index(execute(program, kb), kb, program) == found


def _is_too_much(program: ex.Expression) -> bool:
    """What Virtuoso's compiler gives up on or mistakes: values of a program to compare with, subqueries in
    what NOT takes away, and times among numbers."""
    for node in ex.post_order(program):
        if isinstance(node, ex.Compare) and not isinstance(node.value, ex.Value):
            return True
        if isinstance(node, ex.Not) and any(
            isinstance(n, ex.Compare | ex.Extreme) for n in ex.post_order(node.without)
        ):
            return True
        if any(relation.iri.endswith("mixed") for relation in ex.relations(node)):
            return True
    return False


def _is_tame(program: ex.Expression) -> bool:
    """Without infinities and nested superlatives, which Virtuoso does not know or cannot hold, and
    without conditions on a literal, which it lets pass although a literal is no subject."""
    nodes = list(ex.post_order(program))
    asked = program.argument if isinstance(program, ex.Count) else program
    inner = [node for node in nodes if node not in (program, asked)]
    if any(isinstance(node, ex.Join) and node.relation.inverse and node.relation in VALUES for node in inner):
        return False
    named = [node for node in nodes if isinstance(node, ex.Cons | ex.Value)]
    return (
        not any("INF" in repr(node) for node in named) and sum(isinstance(n, ex.Extreme) for n in nodes) < 2
    )


def assert_same_answers(facts: str, asked: Asked, url: str) -> None:
    with indexed(facts) as kb:
        for program, exclude in asked:
            query = to_sparql(program, PROFILE, kb.schema, exclude)
            assert found_by_index(execute(program, kb, exclude_mentioned=exclude), kb) == answers(url, query)


def answers(url: str, query: str) -> list[str]:
    accept = {"Accept": "application/sparql-results+json"}
    reply = httpx.post(url, data={"query": query}, headers=accept, timeout=60)
    assert reply.status_code == 200, reply.text[:400]
    content = reply.json()
    rows = content["results"]["bindings"]
    if content["head"]["vars"] == ["count"]:
        return [row["count"]["value"] for row in rows]
    terms = [from_json(row["x"]) for row in rows]
    return sorted("_" if isinstance(term, Blank) else written(term) for term in terms)
