"""Linking against a server: names are looked up there."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyoxigraph

from arcaneqa.kb.endpoint import open_endpoint
from arcaneqa.kb.endpoint.opening import EndpointSettings
from arcaneqa.kb.profile import RDF_PROFILE
from arcaneqa.kb.terms import Iri
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


def test_of_entities_as_well_known_the_shortest_name_is_proposed_first(
    oxigraph: Oxigraph, tmp_path: Path
) -> None:
    names = ["Parma Ham", "Par", "Parrot", "Paris", "Parallel", "Partridge"]
    facts = "".join(
        f'<http://example.org/{n}> <http://www.w3.org/2000/01/rdf-schema#label> "{name}" .\n'
        for n, name in enumerate(names)
    )
    with open_endpoint(oxigraph.load(facts), RDF_PROFILE, EndpointSettings(folder=tmp_path)) as kb:
        for n in (3, 0, 5, 1, 4, 2):  # met in another order than the server lists them
            assert kb.node(Iri(f"http://example.org/{n}")) is not None
        found = kb.labels(np.array(kb.names_beginning("par", 6), np.int64))
    assert [len(name or "") for name in found] == sorted(map(len, names))


def test_names_are_looked_up_on_the_server(oxigraph: Oxigraph, tmp_path: Path) -> None:
    triples = pyoxigraph.parse(FACTS.encode(), format=pyoxigraph.RdfFormat.TURTLE)
    facts = pyoxigraph.serialize(triples, format=pyoxigraph.RdfFormat.N_TRIPLES)
    assert facts is not None
    address = oxigraph.load(facts.decode())
    with open_endpoint(address, RDF_PROFILE, EndpointSettings(folder=tmp_path)) as kb:
        linker = Linker(kb)
        paris = linker.link("who is the mayor of paris?").mentions[0]
        assert paris.text == "paris"
        assert paris.candidates[0].label == "Paris"
        assert len(paris.candidates) == 2
        assert linker.link("what is the thai capital?").mentions[0].candidates[0].label == "Thailand"
        [value] = linker.link("which city has over 2100000 people?").literals
        assert value.readings[0].lexical == "2100000"
        for odd in ["", '"}; DROP ALL #', "\\", "who " * 100_000, "👩‍🚀", "\ud800"]:
            linker.link(odd)
