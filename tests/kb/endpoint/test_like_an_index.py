"""What is found out of a graph behind a server is what its index finds out: words, classes, the hidden."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Any

import pyoxigraph
import pytest

from arcaneqa.kb.build import build_index
from arcaneqa.kb.endpoint import open_endpoint
from arcaneqa.kb.endpoint.opening import EndpointSettings
from arcaneqa.kb.index import Index
from arcaneqa.kb.interface import KnowledgeBase
from tests.servers.oxigraph import Oxigraph

pytest_plugins = ["tests.servers.fixtures"]

PREFIXES = """
@prefix : <http://example.org/> .
@prefix owl: <http://www.w3.org/2002/07/owl#> .
@prefix rdf: <http://www.w3.org/1999/02/22-rdf-syntax-ns#> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix wd: <http://www.wikidata.org/entity/> .
@prefix wdt: <http://www.wikidata.org/prop/direct/> .
@prefix wikibase: <http://wikiba.se/ontology#> .
"""
GRAPHS = {
    "OWL says subclasses in other words": """
        :Red owl:intersectionOf ( :Wine [ a owl:Restriction ; owl:onProperty :colour ] ) .
        :Drink owl:unionOf ( :Wine :Juice ) . :Vin owl:equivalentClass :Wine .
        :a a :Red ; :colour "red" . :b a :Juice ; :maker :m . :m a :Winery .
    """,
    "relations are described by other things": """
        wd:P36 wikibase:directClaim wdt:P36 ; rdfs:label "capital"@en .
        wd:P214 wikibase:directClaim wdt:P214 ; rdfs:label "VIAF"@en ;
            wikibase:propertyType wikibase:ExternalId .
        wd:P31 wikibase:directClaim wdt:P31 ; rdfs:label "instance of"@en .
        wd:Q31 wdt:P31 wd:Q6256 ; wdt:P36 wd:Q239 ; wdt:P214 "12" ; wdt:P999 wd:Q5 ; rdfs:label "Belgium"@en .
        wd:Q239 rdfs:label "Brussels"@en .
    """,
    "types by another predicate, numbers that are codes": """
        :a :kind :Car ; :stuid 1 ; :weight 2.5 . :b :kind :Car ; :stuid 2 ; :weight 3 .
        :c :kind :Car ; :stuid 3 .
        :d :kind :Bus ; :stuid 4 ; :weight 7 . :e :kind :Bus ; :stuid 5 .
        :f :kind :Bus ; :stuid 6 ; :next :a .
    """,
    "relations at home in several classes": """
        :a a :Car ; :maker :m . :b a :Car ; :maker :m . :c a :Bus ; :maker :m . :d a :Ship ; :maker :n .
        :m a :Firm ; rdfs:label "M" . :n a :Firm ; rdfs:label "N" .
    """,
}


@pytest.mark.parametrize("name", GRAPHS)
def test_a_server_is_understood_like_an_index(name: str, oxigraph: Oxigraph, tmp_path: Path) -> None:
    triples = pyoxigraph.parse((PREFIXES + GRAPHS[name]).encode(), format=pyoxigraph.RdfFormat.TURTLE)
    lines = pyoxigraph.serialize(triples, format=pyoxigraph.RdfFormat.N_TRIPLES)
    assert lines is not None
    (tmp_path / "facts.nt").write_bytes(lines)
    build_index([tmp_path / "facts.nt"], tmp_path / "kb")
    address = oxigraph.load(lines.decode())
    with (
        Index(tmp_path / "kb") as index,
        open_endpoint(address, settings=EndpointSettings(folder=tmp_path / "cache")) as endpoint,
    ):
        assert _understood(endpoint) == _understood(index)
        assert endpoint.profile.type == index.profile.type
        assert endpoint.datatypes() == index.datatypes()


def _understood(kb: KnowledgeBase) -> dict[str, Any]:
    """Everything of the schema, by IRI; the numbers of relations and classes are nobody's matter."""
    classes = {klass.id: klass.iri for klass in kb.schema.classes}
    relations = {relation.id: relation.iri for relation in kb.schema.relations}
    found: dict[str, Any] = {klass.iri: {**asdict(klass), "id": None} for klass in kb.schema.classes}
    for relation in kb.schema.relations:
        ends = {end: classes.get(getattr(relation, end)) for end in ("domain", "range")}
        inverse = relations.get(-1 if relation.inverse is None else relation.inverse)
        others = [classes[klass] for klass in relation.other_domains]
        found[f"relation {relation.iri}"] = {
            **asdict(relation),
            **ends,
            "inverse": inverse,
            "other_domains": others,
            "id": None,
        }
    return found
