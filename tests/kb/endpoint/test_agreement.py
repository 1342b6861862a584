"""The endpoint against the index: the same random facts, the same random questions, the same answers."""

from __future__ import annotations

from pathlib import Path

import pytest

from arcaneqa.kb.build import build_index
from arcaneqa.kb.endpoint import open_endpoint
from arcaneqa.kb.endpoint.opening import Settings
from arcaneqa.kb.index import Index
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
    settings = Settings(folder=folder / "memory")
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
