"""The contract of every knowledge base, over real servers."""

from __future__ import annotations

from pathlib import Path

import pytest

from arcaneqa.kb.endpoint import open_endpoint
from arcaneqa.kb.endpoint.opening import EndpointSettings
from arcaneqa.kb.interface import KnowledgeBase
from arcaneqa.kb.profile import Profile
from tests.cases import KnowledgeBaseCases
from tests.servers.oxigraph import Oxigraph
from tests.servers.virtuoso import Virtuoso

pytest_plugins = ["tests.servers.fixtures"]


class _OverSparql(KnowledgeBaseCases):
    server: Oxigraph | Virtuoso

    @classmethod
    def make_kb(cls, path: Path, profile: Profile) -> KnowledgeBase:
        address = cls.server.load(path.read_text(encoding="utf-8"))
        return open_endpoint(address, profile, EndpointSettings(folder=path.parent / "memory"))


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
