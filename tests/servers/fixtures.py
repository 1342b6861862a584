"""Servers for the tests of this folder, each started once and only where it is needed."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.servers.oxigraph import Oxigraph, running_oxigraph
from tests.servers.virtuoso import Virtuoso, running_virtuoso


@pytest.fixture(scope="session")
def oxigraph() -> Iterator[Oxigraph]:
    with running_oxigraph() as server:
        yield server


@pytest.fixture(scope="session")
def virtuoso(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Virtuoso]:
    with running_virtuoso(tmp_path_factory.mktemp("virtuoso")) as server:
        yield server
