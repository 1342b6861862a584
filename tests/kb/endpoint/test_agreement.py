"""The endpoint against the index: the same random facts, the same random questions, the same answers."""

from __future__ import annotations

from pathlib import Path

import pytest

from arcaneqa.kb.build import build_index
from arcaneqa.kb.endpoint import open_endpoint
from arcaneqa.kb.endpoint.opening import EndpointSettings
from arcaneqa.kb.index import Index
from arcaneqa.kb.interface import Comparison
from arcaneqa.kb.terms import XSD, Literal
from tests.kb.endpoint.agreement import assert_same_answers, assert_same_schema, limited, random_facts
from tests.servers.oxigraph import Oxigraph
from tests.servers.virtuoso import Virtuoso

pytest_plugins = ["tests.servers.fixtures"]


def _agree(server: Oxigraph | Virtuoso, seed: int, folder: Path, narrow: bool = False) -> None:
    """`narrow` treats every set of more than three as large, and every page of seven rows as full."""
    facts = random_facts(seed)
    source = folder / "facts.nt"
    source.write_text(facts, encoding="utf-8")
    build_index([source], folder / "index")
    settings = EndpointSettings(folder=folder / "memory")
    with Index(folder / "index") as index, open_endpoint(server.load(facts), settings=settings) as endpoint:
        assert_same_schema(index, endpoint)
        assert_same_answers(index, limited(endpoint, 7, 3) if narrow else endpoint, seed)


@pytest.mark.parametrize("seed", range(8))
def test_oxigraph_answers_like_the_index(oxigraph: Oxigraph, seed: int, tmp_path: Path) -> None:
    _agree(oxigraph, seed, tmp_path)


@pytest.mark.parametrize("seed", range(8, 12))
def test_oxigraph_answers_about_large_sets(oxigraph: Oxigraph, seed: int, tmp_path: Path) -> None:
    _agree(oxigraph, seed, tmp_path, narrow=True)


@pytest.mark.virtuoso
@pytest.mark.parametrize("seed", range(24))
def test_virtuoso_answers_like_the_index(virtuoso: Virtuoso, seed: int, tmp_path: Path) -> None:
    _agree(virtuoso, seed, tmp_path)


@pytest.mark.virtuoso
@pytest.mark.parametrize("seed", range(24, 34))
def test_virtuoso_answers_about_large_sets(virtuoso: Virtuoso, seed: int, tmp_path: Path) -> None:
    _agree(virtuoso, seed, tmp_path, narrow=True)


BORN = ["-0427-05-07T00:00:00Z", "-0044-03-15T12:30:00", "1564-02-15T00:00:00Z", "1900-01-01T00:00:00Z"]
"""Virtuoso writes the first as -427-05-07 and takes it for later than 1900."""


@pytest.mark.virtuoso
@pytest.mark.parametrize("comparison", list(Comparison)[:4])
def test_virtuoso_knows_what_was_before_the_year_0(
    virtuoso: Virtuoso, comparison: Comparison, tmp_path: Path
) -> None:
    facts = "".join(
        f'<http://e/{n}> <http://e/born> "{moment}"^^<{XSD}dateTime> .\n' for n, moment in enumerate(BORN)
    )
    (tmp_path / "facts.nt").write_text(facts)
    build_index([tmp_path / "facts.nt"], tmp_path / "index")
    settings = EndpointSettings(folder=tmp_path / "memory")
    found = []
    with (
        Index(tmp_path / "index") as index,
        open_endpoint(virtuoso.load(facts), settings=settings) as endpoint,
    ):
        for kb in (index, endpoint):
            born = kb.schema.relation_ids["http://e/born"]
            found.append(set(kb.terms(kb.compare(comparison, born, Literal("1600", f"{XSD}gYear")).ids)))
    assert found[0] == found[1]
    assert 0 < len(found[0]) < len(BORN)
