"""A schema that is handed in takes the place of looking over all facts."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from arcaneqa.apps.cli.main import app
from arcaneqa.kb.build import build_index
from arcaneqa.kb.endpoint import open_endpoint
from arcaneqa.kb.endpoint.opening import EndpointSettings
from arcaneqa.kb.profile import RDFS
from arcaneqa.kb.terms import RDF, XSD, Iri
from arcaneqa.support.errors import InputError
from tests.servers.oxigraph import Oxigraph

pytest_plugins = ["tests.servers.fixtures"]

EX = "http://example.org/"
FACTS = f"""
<{EX}vienna> <{RDF}type> <{EX}Capital> .
<{EX}Capital> <{RDFS}subClassOf> <{EX}City> .
<{EX}graz> <{RDF}type> <{EX}City> .
<{EX}austria> <{EX}capital> <{EX}vienna> .
<{EX}vienna> <{EX}startDate> "1918-11-12"^^<{XSD}date> .
<{EX}vienna> <{EX}endDate> "1938-03-12"^^<{XSD}date> .
<{EX}vienna> <{EX}population> "1900000"^^<{XSD}integer> .
<{EX}vienna> <{RDFS}label> "Vienna"@en .
"""


@pytest.fixture
def schema(tmp_path: Path) -> Path:
    """What `info` says of an index of the same facts."""
    (tmp_path / "facts.nt").write_text(FACTS)
    build_index([tmp_path / "facts.nt"], tmp_path / "index")
    printed = CliRunner().invoke(app, ["info", str(tmp_path / "index"), "--json"]).stdout
    (tmp_path / "schema.json").write_text(printed)
    return tmp_path / "schema.json"


def test_what_was_given_is_what_would_be_found(oxigraph: Oxigraph, schema: Path, tmp_path: Path) -> None:
    address = oxigraph.load(FACTS)
    settings = EndpointSettings(folder=tmp_path / "memory")
    with open_endpoint(address, settings=settings) as found:
        looked = found.client.sent
    with open_endpoint(address, settings=replace(settings, schema=schema)) as given:
        assert given.client.sent < looked / 2
        assert given.profile == found.profile
        assert {r.iri: (r.facts, r.objects, r.kinds, r.hidden) for r in given.schema.relations} == {
            r.iri: (r.facts, r.objects, r.kinds, r.hidden) for r in found.schema.relations
        }
        start, end = (given.schema.relation_ids[EX + name] for name in ("startDate", "endDate"))
        assert given.schema.time_pairs == {start: end}
        cities = given.members(given.schema.class_ids[EX + "City"])
        assert len(cities) == 2
        vienna = given.node(Iri(EX + "vienna"))
        assert vienna is not None
        assert given.labels(np.array([vienna])) == ["Vienna"]
    with open_endpoint(address, settings=replace(settings, schema=schema)) as again:
        assert again.client.sent == 0


def test_what_is_left_out_is_never_offered(oxigraph: Oxigraph, schema: Path, tmp_path: Path) -> None:
    data = json.loads(schema.read_text())
    data["relations"] = [item for item in data["relations"] if item["name"] != f"<{EX}population>"]
    schema.write_text(json.dumps(data))
    settings = EndpointSettings(folder=tmp_path / "memory", schema=schema)
    with open_endpoint(oxigraph.load(FACTS), settings=settings) as kb:
        vienna = kb.nodes(np.array([kb.node(Iri(EX + "vienna"))]))
        offered = [kb.schema.relations[each].iri for each in kb.out_relations(vienna)]
        assert sorted(offered) == [EX + "endDate", EX + "startDate"]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "not JSON"),
        ("[]", "not what"),
        ('{"profile": "rdf", "relations": [], "classes": [{}]}', "not what"),
        (
            '{"profile": "rdf", "relations": [{"name": "a", "iri": "a", "kinds": ["odd"]}], "classes": []}',
            "odd",
        ),
        ('{"profile": "my own", "relations": [], "classes": []}', "ARCANEQA_ENDPOINT_PROFILE"),
    ],
)
def test_bad_schemas_are_sentences(oxigraph: Oxigraph, tmp_path: Path, text: str, words: str) -> None:
    (tmp_path / "schema.json").write_text(text)
    settings = EndpointSettings(folder=tmp_path, schema=tmp_path / "schema.json")
    with pytest.raises(InputError, match=words):
        open_endpoint(oxigraph.load(FACTS), settings=settings)


def test_a_schema_that_is_not_there(oxigraph: Oxigraph, tmp_path: Path) -> None:
    settings = EndpointSettings.from_environment({"ARCANEQA_ENDPOINT_SCHEMA": str(tmp_path / "none.json")})
    with pytest.raises(InputError, match="cannot be read"):
        open_endpoint(oxigraph.url, settings=replace(settings, folder=tmp_path))
