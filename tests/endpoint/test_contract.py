"""The contract of every knowledge base, over real servers."""

from __future__ import annotations

from pathlib import Path

import pytest
from oxigraph_server import Oxigraph
from virtuoso_server import Virtuoso

from arcaneqa.kb.endpoint import open_endpoint
from arcaneqa.kb.endpoint.settings import Settings
from arcaneqa.kb.interface import KnowledgeBase
from arcaneqa.kb.profile import Profile
from cases import KnowledgeBaseCases

pytest_plugins = ["endpoint_servers"]


class _OverSparql(KnowledgeBaseCases):
    server: Oxigraph | Virtuoso

    @classmethod
    def make_kb(cls, path: Path, profile: Profile) -> KnowledgeBase:
        address = cls.server.load(path.read_text(encoding="utf-8"))
        return open_endpoint(address, profile, Settings(folder=path.parent / "memory"))


class TestOxigraphContract(_OverSparql):
    @pytest.fixture(scope="class", autouse=True)
    @classmethod
    def _served(cls, oxigraph: Oxigraph) -> None:
        cls.server = oxigraph


@pytest.mark.virtuoso
class TestVirtuosoContract(_OverSparql):
    @pytest.fixture(scope="class", autouse=True)
    @classmethod
    def _served(cls, virtuoso: Virtuoso) -> None:
        cls.server = virtuoso
