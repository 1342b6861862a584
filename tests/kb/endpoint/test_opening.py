"""Opening an endpoint: what is remembered, what is paged, what the environment says."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from arcaneqa.kb.endpoint import open_endpoint
from arcaneqa.kb.endpoint.client import Client, Oversized
from arcaneqa.kb.endpoint.opening import EndpointSettings
from arcaneqa.kb.endpoint.queries import Capabilities, Queries, SelectQuery
from arcaneqa.kb.profile import FREEBASE, FREEBASE_PROFILE, RDF_PROFILE
from arcaneqa.kb.terms import RDF, XSD, Blank, Iri, Literal
from arcaneqa.support.errors import EndpointError, InputError
from tests.kb.endpoint.agreement import limited
from tests.servers.oxigraph import Oxigraph

pytest_plugins = ["tests.servers.fixtures"]

EX = "http://example.org/"
LABEL = "http://www.w3.org/2000/01/rdf-schema#label"
ALIAS = "http://www.w3.org/2004/02/skos/core#altLabel"


def _numbered(count: int) -> str:
    lines = []
    for number in range(count):
        node = f"<{EX}n{number}>"
        lines.append(f"{node} <{RDF}type> <{EX}Thing> .")
        lines.append(f"<{EX}hub> <{EX}has> {node} .")
        lines.append(f'{node} <{EX}size> "{number % 50}"^^<{XSD}integer> .')
    return "\n".join(lines) + "\n"


def test_a_discovery_is_remembered_until_it_is_old(oxigraph: Oxigraph, tmp_path: Path) -> None:
    settings = EndpointSettings(folder=tmp_path)
    address = oxigraph.load(_numbered(3))
    with open_endpoint(address, settings=settings) as first:
        assert first.client.sent > 3
    with open_endpoint(address, settings=settings) as second:
        assert second.client.sent == 0
        assert second.schema.relations == first.schema.relations
        assert second.profile == first.profile
    with open_endpoint(address, settings=replace(settings, age=0)) as third:
        assert third.client.sent > 3


@pytest.mark.parametrize("damage", ["", "{}", "[1]", "\x00\x01", '{"format": 2, "key": null}'])
def test_a_damaged_memory_is_forgotten(oxigraph: Oxigraph, tmp_path: Path, damage: str) -> None:
    settings = EndpointSettings(folder=tmp_path)
    address = oxigraph.load(_numbered(3))
    open_endpoint(address, settings=settings).close()
    (memory,) = tmp_path.glob("*.json")
    memory.write_text(damage)
    with open_endpoint(address, settings=settings) as endpoint:
        assert len(endpoint.schema.classes) == 1
    assert json.loads(memory.read_text())["schema"]["classes"]


def test_the_profile_is_found_or_given(oxigraph: Oxigraph, tmp_path: Path) -> None:
    settings = EndpointSettings(folder=tmp_path)
    freebase = f'<{FREEBASE}m.1> <{FREEBASE}type.object.name> "one"@en .\n'
    with open_endpoint(oxigraph.load(freebase), settings=settings) as endpoint:
        assert endpoint.profile == FREEBASE_PROFILE
    with open_endpoint(oxigraph.url, RDF_PROFILE, settings) as endpoint:
        assert endpoint.profile == RDF_PROFILE


def test_an_empty_graph_is_an_error_that_says_why(oxigraph: Oxigraph, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="default-graph-uri"):
        open_endpoint(oxigraph.load(""), settings=EndpointSettings(folder=tmp_path))


def test_large_sets_are_counted_and_paged(oxigraph: Oxigraph, tmp_path: Path) -> None:
    address = oxigraph.load(_numbered(230))
    with open_endpoint(address, settings=EndpointSettings(folder=tmp_path)) as whole:
        small_pages = limited(whole, 40, 10)
        things = small_pages.members(small_pages.schema.class_ids[EX + "Thing"])
        before = small_pages.client.sent
        assert len(things) == 230
        assert small_pages.client.sent - before == 1
        terms = small_pages.terms(things.ids)
        assert set(terms) == {Iri(f"{EX}n{number}") for number in range(230)}
        sizes = small_pages.objects(small_pages.schema.relation_ids[EX + "size"], things)
        assert len(sizes) == len(sizes.ids) == 50


def test_long_lists_travel_in_pieces(oxigraph: Oxigraph, tmp_path: Path) -> None:
    address = oxigraph.load(_numbered(95))
    with open_endpoint(address, settings=EndpointSettings(folder=tmp_path)) as whole:
        pieces = limited(whole, 1000, 10)
        hub = pieces.nodes(np.array([pieces.node(Iri(EX + "hub"))]))
        ids = pieces.objects(pieces.schema.relation_ids[EX + "has"], hub).ids
        again = pieces.nodes(ids)
        size = pieces.schema.relation_ids[EX + "size"]
        assert len(pieces.objects(size, again)) == 50
        assert pieces.out_relations(again).tolist() == [size]
        assert len(pieces.values(size, again).subjects) == 95
        assert set(pieces.labels(ids)) == {None}


def test_a_server_that_loses_rows_is_caught(oxigraph: Oxigraph) -> None:
    client = Client(oxigraph.load(_numbered(30)))

    class Losing(Queries):
        def count(self, question: SelectQuery) -> int:
            return super().count(question) + 1

    with pytest.raises(Oversized, match="counts 31 rows but hands out 30"):
        Losing(client, Capabilities(10, 10)).all([SelectQuery(("?x",), f"?x <{EX}size> ?y")])
    client.close()


def test_names_are_searched_in_usual_variants(oxigraph: Oxigraph, tmp_path: Path) -> None:
    facts = (
        f'<{EX}vienna> <{LABEL}> "Vienna"@en .\n<{EX}vienna> <{ALIAS}> "city of Music" .\n'
        f'<{EX}nato> <{LABEL}> "NATO" .\n<{EX}other> <{LABEL}> "Wien"@de .\n'
        f'<{EX}quote> <{LABEL}> "say \\"hi\\"\\nnow\\\\" .\n'
    )
    with open_endpoint(oxigraph.load(facts), settings=EndpointSettings(folder=tmp_path)) as endpoint:
        found = endpoint.search_labels(
            ["vienna", "City of Music", "nato", "wien", "\ud800", 'say "hi"\nnow\\']
        )
        names = [[str(term) for term in endpoint.terms(np.array(ids, np.int64))] for ids in found]
        assert [len(ids) for ids in names] == [1, 0, 1, 0, 0, 0]
        assert "vienna" in names[0][0]
        assert "nato" in names[2][0]


def test_strange_terms_are_harmless(oxigraph: Oxigraph, tmp_path: Path) -> None:
    with open_endpoint(oxigraph.load(_numbered(3)), settings=EndpointSettings(folder=tmp_path)) as endpoint:
        assert endpoint.node(Iri(f"{EX}n0> . ?s ?p ?o")) is None
        assert endpoint.node(Iri("")) is None
        assert endpoint.node(Literal('" . } #')) is None
        assert endpoint.node(Literal("a\x00b\ud800")) is None
        assert endpoint.node(Literal("x", XSD + "string", "en ; drop")) is None
        assert endpoint.node(Blank("b0")) is None
        assert endpoint.node(Iri(f"{EX}n0")) is not None


def test_a_blank_node_cannot_be_named_but_reached(oxigraph: Oxigraph, tmp_path: Path) -> None:
    facts = f'<{EX}a> <{EX}r> _:b .\n_:b <{EX}s> <{EX}c> .\n_:b <{LABEL}> "hidden" .\n'
    with open_endpoint(oxigraph.load(facts), settings=EndpointSettings(folder=tmp_path)) as endpoint:
        start = endpoint.nodes(np.array([endpoint.node(Iri(EX + "a"))]))
        blank = endpoint.objects(endpoint.schema.relation_ids[EX + "r"], start)
        assert len(blank) == 1
        assert endpoint.out_relations(blank).tolist() == [endpoint.schema.relation_ids[EX + "s"]]
        assert endpoint.labels(blank.ids) == [None]
        with pytest.raises(EndpointError, match="blank node"):
            endpoint.nodes(blank.ids)


def test_results_are_cached_on_disk(oxigraph: Oxigraph, tmp_path: Path) -> None:
    address = oxigraph.load(_numbered(5))
    settings = EndpointSettings(folder=tmp_path, cache_bytes=2**22)
    for expected in (True, False):
        with open_endpoint(address, settings=settings) as endpoint:
            endpoint.classes(endpoint.nodes(np.array([endpoint.node(Iri(EX + "n1"))])))
            assert (endpoint.client.sent > 0) is expected


def test_settings_come_from_the_environment(tmp_path: Path) -> None:
    token = tmp_path / "token"
    token.write_text("Bearer abc\n")
    settings = EndpointSettings.from_environment(
        {
            "ARCANEQA_ENDPOINT_AUTHORIZATION_FILE": str(token),
            "ARCANEQA_ENDPOINT_DEADLINE": "2.5",
            "ARCANEQA_ENDPOINT_CACHE_MIB": "10",
            "ARCANEQA_ENDPOINT_AGE_DAYS": "1",
            "ARCANEQA_ENDPOINT_PROFILE": "freebase",
        }
    )
    assert settings.authorization == "Bearer abc"
    assert "abc" not in repr(settings)
    assert settings.limits.deadline == 2.5
    assert settings.cache_bytes == 10 * 2**20
    assert settings.age == 86400
    assert settings.profile == "freebase"


@pytest.mark.parametrize(
    "environment",
    [
        {"ARCANEQA_ENDPOINT_DEADLINE": "soon"},
        {"ARCANEQA_ENDPOINT_DEADLINE": "-1"},
        {"ARCANEQA_ENDPOINT_CACHE_MIB": "nan"},
        {"ARCANEQA_ENDPOINT_AUTHORIZATION_FILE": "/no/such/file"},
        {"ARCANEQA_ENDPOINT_AUTHORIZATION": "two\nlines"},
    ],
)
def test_bad_settings_are_sentences(environment: dict[str, str]) -> None:
    with pytest.raises(InputError):
        EndpointSettings.from_environment(environment)
