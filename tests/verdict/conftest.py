"""The knowledge base of a test: the facts that its module writes down as FACTS."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from arcaneqa.kb.build import build_index
from arcaneqa.kb.index import Index


@pytest.fixture(scope="module")
def kb(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Index]:
    folder = tmp_path_factory.mktemp("kb")
    (folder / "g.ttl").write_text(request.module.FACTS)
    build_index([folder / "g.ttl"], folder / "index")
    with Index(folder / "index") as opened:
        yield opened
