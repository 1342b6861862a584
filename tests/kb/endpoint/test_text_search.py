"""A server's own search for words: every dialect is SPARQL without strangers' operators; Virtuoso's finds."""

from __future__ import annotations

from pathlib import Path

import pyoxigraph
import pytest
from hypothesis import given
from hypothesis import strategies as st

from arcaneqa.kb.endpoint import open_endpoint
from arcaneqa.kb.endpoint.names import DIALECTS, with_star, words_to_seek
from arcaneqa.kb.endpoint.opening import EndpointSettings
from arcaneqa.kb.harvest import names_are
from arcaneqa.kb.profile import RDFS
from arcaneqa.linking.linker import Linker
from tests.servers.oxigraph import Oxigraph
from tests.servers.virtuoso import Virtuoso

pytest_plugins = ["tests.servers.fixtures"]

LABEL = f"{RDFS}label"
NAMES = ["Wim Wenders", "Anne Hidalgo", "Alexander Wender-Smith", "Paris"]
FACTS = "".join(f'<http://example.org/{n}> <{LABEL}> "{name}" .\n' for n, name in enumerate(NAMES))
WRITTEN = {
    "Virtuoso's bif:contains": f"?x <{LABEL}> ?l . ?l <bif:contains> \"'wim' AND 'wenders*'\"",
    "Jena's text:query": (
        f'(?x ?score ?l) <http://jena.apache.org/text#query> (<{LABEL}> "wim AND wenders*" 200)'
    ),
    "GraphDB's onto:fts": f'?l <http://www.ontotext.com/fts> "wim AND wenders*" . ?x <{LABEL}> ?l',
    "QLever's ql:contains-word": (
        f"?x <{LABEL}> ?l . "
        "?t <http://qlever.cs.uni-freiburg.de/builtin-functions/contains-entity> ?l . "
        '?t <http://qlever.cs.uni-freiburg.de/builtin-functions/contains-word> "wim wenders*"'
    ),
}


@pytest.mark.parametrize("name", DIALECTS)
def test_each_dialect_is_sparql(name: str) -> None:
    search = DIALECTS[name]
    assert search.pattern(LABEL, with_star(words_to_seek("Wim Wenders"))) == WRITTEN[name]
    pyoxigraph.Store().query(search.question([LABEL, f"{RDFS}comment"], ["wim"]).text(5))


@given(text=st.text(max_size=40))
def test_nothing_said_is_an_operator_or_ends_a_quote(text: str) -> None:
    for word in words_to_seek(text):
        assert word.lower() not in ("and", "or", "not", "near")
        assert not set(word) & set("'\"*\\()<>{} ")
    for search in DIALECTS.values():
        if words := words_to_seek(text):
            pyoxigraph.Store().query(search.question([LABEL], with_star(words)).text(5))


def test_a_server_without_one_is_not_asked(oxigraph: Oxigraph, tmp_path: Path) -> None:
    address = oxigraph.load(FACTS)
    with open_endpoint(address, settings=EndpointSettings(folder=tmp_path)) as kb:
        assert kb.discovery.text_search is None
        assert kb.names_containing(["wenders"], 5) == [[]]
        assert "Whole names are looked up on the server" in names_are(kb)


@pytest.mark.virtuoso
def test_virtuoso_finds_parts_of_names(virtuoso: Virtuoso, tmp_path: Path) -> None:
    virtuoso.search_words()
    address = virtuoso.load(FACTS)
    virtuoso.search_words()
    with open_endpoint(address, settings=EndpointSettings(folder=tmp_path)) as kb:
        assert kb.discovery.text_search == "Virtuoso's bif:contains"
        assert "by their words" in names_are(kb)
        linked = Linker(kb).link("who is Wenders?").mentions
        assert [(each.text, [c.label for c in each.candidates]) for each in linked] == [
            ("Wenders", ["Wim Wenders"])
        ]
        assert [c.label for c in Linker(kb).suggest("alex", 5)] == ["Alexander Wender-Smith"]
