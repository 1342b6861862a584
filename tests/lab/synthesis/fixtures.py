from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from arcaneqa.kb.build import build_index
from arcaneqa.kb.index import Index
from arcaneqa.kb.open import open_kb

HERE = Path(__file__).parent


@pytest.fixture(scope="session")
def atlas(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Index]:
    """Countries, cities, rivers and people; posts are nodes without names, valid for a time."""
    folder = tmp_path_factory.mktemp("kb") / "atlas"
    build_index([HERE / "atlas.ttl"], folder)
    with Index(folder) as index:
        assert isinstance(index, Index)
        yield index


@pytest.fixture(scope="session")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Index]:
    """The bundled knowledge base, in a cache of its own."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_CACHE_HOME", str(tmp_path_factory.mktemp("cache")))
        with open_kb() as index:
            assert isinstance(index, Index)
            yield index
