"""Names of a real server, fetched: linking is as with an index, and a fetch that was stopped goes on."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pyoxigraph
import pytest

from arcaneqa.kb.build import build_index
from arcaneqa.kb.endpoint import open_endpoint
from arcaneqa.kb.endpoint.client import Rejected, Row
from arcaneqa.kb.endpoint.opening import EndpointSettings
from arcaneqa.kb.harvest import MOST_FACTS, harvest, harvest_file, names_are, with_names
from arcaneqa.kb.index import Index
from arcaneqa.kb.interface import KnowledgeBase
from arcaneqa.kb.names.name_forms import key
from arcaneqa.kb.terms import Iri
from arcaneqa.linking.linker import Linker
from tests.servers.oxigraph import Oxigraph

pytest_plugins = ["tests.servers.fixtures"]

FACTS = """
@prefix : <http://example.org/> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix skos: <http://www.w3.org/2004/02/skos/core#> .
:paris a :City ; rdfs:label "Paris" ; :country :france ; :mayor :hidalgo ; :status "twin city" .
:wenders a :Person ; rdfs:label "Wim Wenders" ; skos:altLabel "Ernst Wilhelm Wenders" .
:hidalgo a :Person ; rdfs:label "Anne Hidalgo" .
:kyrgyzstan a :Country ; rdfs:label "Kyrgyzstan" ; :capital :bishkek .
:france a :Country ; rdfs:label "France" ; :capital :paris .
"""
QUESTIONS = [
    "who is Wenders?",
    "what is the capital of Kyrgystan?",
    "what is France's capital?",
    "which places are a twin city?",
    "what did Ernst Wilhelm Wenders direct?",
]


@pytest.fixture
def address(oxigraph: Oxigraph) -> str:
    return oxigraph.load(_lines(FACTS))


def _lines(turtle: str) -> str:
    triples = pyoxigraph.parse(turtle.encode(), format=pyoxigraph.RdfFormat.TURTLE)
    lines = pyoxigraph.serialize(triples, format=pyoxigraph.RdfFormat.N_TRIPLES)
    assert lines is not None
    return lines.decode()


def _linked(kb: KnowledgeBase) -> list[object]:
    linker = Linker(kb)
    found: list[object] = []
    for question in QUESTIONS:
        links = linker.link(question)
        found.append([(m.text, [c.label for c in m.candidates]) for m in links.mentions])
        found.append([(v.text, [r.lexical for r in v.readings]) for v in links.literals])
    return found


def test_a_server_links_like_an_index(address: str, tmp_path: Path) -> None:
    (tmp_path / "facts.nt").write_text(_lines(FACTS))
    build_index([tmp_path / "facts.nt"], tmp_path / "kb")
    with (
        Index(tmp_path / "kb") as index,
        open_endpoint(address, settings=EndpointSettings(folder=tmp_path / "cache")) as endpoint,
    ):
        assert _linked(with_names(endpoint)) == _linked(index)
        assert [c.label for c in Linker(endpoint).suggest("wen", 5)] == ["Wim Wenders"]


def _many_rivers() -> str:
    """Names that share a word; the later it comes, the more facts speak of a thing. Every third has another
    name with that word."""
    lines = []
    for n in range(30):
        also = f'; skos:altLabel "Old River {n}"' if n % 3 == 0 else ""
        lines.append(f':r{n} a :River ; rdfs:label "River {n}" {also} .')
        lines += [f":b{n}x{m} :crosses :r{n} ." for m in range(2 * n)]
    return FACTS + "\n".join(lines)


@pytest.mark.parametrize("most_facts", [MOST_FACTS, 20])
def test_of_many_names_the_best_known_are_found_as_with_an_index(
    oxigraph: Oxigraph, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, most_facts: int
) -> None:
    monkeypatch.setattr("arcaneqa.kb.harvest.MOST_FACTS", most_facts)
    facts = _lines(_many_rivers())
    (tmp_path / "facts.nt").write_text(facts)
    build_index([tmp_path / "facts.nt"], tmp_path / "kb")

    def found(kb: KnowledgeBase) -> list[object]:
        surfaces = kb.surfaces()
        assert surfaces is not None
        nodes = [surfaces.containing([["river"]], 10), surfaces.beginning("riv", 5)]
        nodes += [[hit.node for hit in hits] for hits in surfaces.find([key(["river", "7"])], 3)]
        return [*map(kb.labels, map(np.array, nodes)), surfaces.similar("rivers", 3)]

    with (
        Index(tmp_path / "kb") as index,
        open_endpoint(oxigraph.load(facts), settings=EndpointSettings(folder=tmp_path / "cache")) as endpoint,
    ):
        harvest(endpoint)
        assert found(endpoint) == found(index)


def test_a_server_without_names_is_asked_by_iris(oxigraph: Oxigraph, tmp_path: Path) -> None:
    address = oxigraph.load("<http://example.org/a> <http://example.org/to> <http://example.org/b> .\n")
    with open_endpoint(address, settings=EndpointSettings(folder=tmp_path)) as endpoint:
        linker = Linker(with_names(endpoint))
        assert linker.named("a") == []
        [mention] = linker.link("where does <http://example.org/a> lead to?").mentions
        assert mention.text == "<http://example.org/a>"


def test_new_names_are_found_after_a_refresh(oxigraph: Oxigraph, address: str, tmp_path: Path) -> None:
    settings = EndpointSettings(folder=tmp_path)
    with open_endpoint(address, settings=settings) as endpoint:
        first = harvest(endpoint)
        assert Linker(endpoint).named("Rome") == []
        made = first.made
    oxigraph.load(_lines(FACTS + ':rome a :City ; rdfs:label "Rome" .'))
    with open_endpoint(address, settings=settings) as endpoint:
        assert Linker(with_names(endpoint)).named("Rome") == []
        again = harvest(endpoint)
        assert again.made > made
        assert len(Linker(endpoint).named("rome")) == 1


def test_names_may_come_from_a_file(address: str, tmp_path: Path) -> None:
    (tmp_path / "labels.ttl").write_text(
        '<http://example.org/paris> <http://www.w3.org/2000/01/rdf-schema#label> "City of Light" .'
    )
    with open_endpoint(address, settings=EndpointSettings(folder=tmp_path / "cache")) as endpoint:
        harvest_file([tmp_path / "labels.ttl"], endpoint)
        [node] = Linker(endpoint).named("city of light")
        assert endpoint.terms(np.array([node])) == [Iri("http://example.org/paris")]


def test_names_in_parts_link_like_names_in_one(
    address: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with open_endpoint(address, settings=EndpointSettings(folder=tmp_path / "one")) as endpoint:
        whole = harvest(endpoint)
        linked, size = _linked(endpoint), len(whole)
        suggested = [c.label for c in Linker(endpoint).suggest("wen", 5)]
    monkeypatch.setattr("arcaneqa.kb.harvest.MOST_FACTS", 4)
    with open_endpoint(address, settings=EndpointSettings(folder=tmp_path / "many")) as endpoint:
        names = harvest(endpoint)
        assert len(list(tmp_path.glob("many/*.names/index-*"))) > 1
        assert (_linked(endpoint), len(names)) == (linked, size)
        assert [c.label for c in Linker(endpoint).suggest("wen", 5)] == suggested
        france = endpoint.adopted([Iri("http://example.org/france")])
        assert endpoint.labels(france) == ["France"]


def test_a_server_that_will_not_count_still_gives_its_names(
    address: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with open_endpoint(address, settings=EndpointSettings(folder=tmp_path)) as endpoint:
        ask = endpoint.client.select_all

        def refuse(queries: Sequence[str], deadline: float | None = None) -> list[list[Row]]:
            if any("GROUP BY ?x ?l" in query for query in queries):
                raise Rejected("Too costly.")
            return ask(queries, deadline)

        monkeypatch.setattr(endpoint.client, "select_all", refuse)
        harvest(endpoint)
        assert len(Linker(endpoint).named("wim wenders")) == 1


def test_an_age_is_shown(address: str, tmp_path: Path) -> None:
    with open_endpoint(address, settings=EndpointSettings(folder=tmp_path)) as endpoint:
        names = harvest(endpoint)
        assert names_are(endpoint).endswith("names were fetched just now and are found here.")
        names.made -= 3 * 3600
        assert "fetched 3 hours ago" in names_are(endpoint)


class _Stopped(Exception):
    pass


def test_a_fetch_that_was_stopped_goes_on(oxigraph: Oxigraph, tmp_path: Path) -> None:
    label = "<http://www.w3.org/2000/01/rdf-schema#label>"
    facts = "".join(f'<http://example.org/n{n}> {label} "thing number {n}" .\n' for n in range(95_000))
    address = oxigraph.load(facts)
    asked: list[int] = []

    def stop(stage: str, done: int, _: int | None) -> None:
        if stage == "fetching names":
            asked.append(done)
            raise _Stopped

    with open_endpoint(address, settings=EndpointSettings(folder=tmp_path)) as endpoint:
        with pytest.raises(_Stopped):
            harvest(endpoint, stop)
        pages = sorted(tmp_path.rglob("page-*.nt"))
        assert 0 < asked[0] < 95_000
        before = [(page.name, page.stat().st_mtime_ns) for page in pages]
        later: list[int] = []

        def watch(stage: str, done: int, _: int | None) -> None:
            if stage == "fetching names":
                later.append(done)
                kept = sorted(tmp_path.rglob("page-*.nt"))[: len(before)]
                assert [(page.name, page.stat().st_mtime_ns) for page in kept] == before

        names = harvest(endpoint, watch)
        assert later[0] > asked[0]
        assert later[-1] == 95_000
        assert len(names) == 95_000
