"""The schema of a graph with everything that random programs name."""

from __future__ import annotations

import pytest
from worlds import indexed, whole_graph

from arcaneqa.kb.schema import Schema


@pytest.fixture(scope="session")
def schema() -> Schema:
    with indexed(whole_graph()) as kb:
        return kb.schema
