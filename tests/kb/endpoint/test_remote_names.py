"""Linking against a server: names are looked up there."""

from __future__ import annotations

from pathlib import Path

import pyoxigraph

from arcaneqa.kb.endpoint import open_endpoint
from arcaneqa.kb.endpoint.settings import Settings
from arcaneqa.kb.profile import RDF_PROFILE
from arcaneqa.linking.linker import Linker
from tests.servers.oxigraph import Oxigraph

pytest_plugins = ["tests.servers.fixtures"]

FACTS = """
@prefix : <http://example.org/> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
:paris a :City ; rdfs:label "Paris" ; :country :france ; :mayor :hidalgo ; :population 2100000 .
:film a :Film ; rdfs:label "Paris" ; :director :wenders .
:wenders a :Person ; rdfs:label "Wim Wenders" .
:hidalgo a :Person ; rdfs:label "Anne Hidalgo" .
:thailand a :Country ; rdfs:label "Thailand" ; :capital :bangkok .
:france a :Country ; rdfs:label "France" ; :capital :paris .
"""


def test_names_are_looked_up_on_the_server(oxigraph: Oxigraph, tmp_path: Path) -> None:
    triples = pyoxigraph.parse(FACTS.encode(), format=pyoxigraph.RdfFormat.TURTLE)
    facts = pyoxigraph.serialize(triples, format=pyoxigraph.RdfFormat.N_TRIPLES)
    assert facts is not None
    address = oxigraph.load(facts.decode())
    with open_endpoint(address, RDF_PROFILE, Settings(folder=tmp_path)) as kb:
        linker = Linker(kb)
        paris = linker.link("who is the mayor of paris?").mentions[0]
        assert paris.text == "paris"
        assert paris.candidates[0].label == "Paris"
        assert len(paris.candidates) == 2
        assert linker.link("what is the thai capital?").mentions[0].candidates[0].label == "Thailand"
        [value] = linker.link("which city has over 2100000 people?").literals
        assert value.readings[0].lexical == "2100000"
        for odd in ["", '"}; DROP ALL #', "\\", "who " * 100_000, "\ud800", "👩‍🚀"]:
            linker.link(odd)
