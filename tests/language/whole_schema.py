"""The schema of a graph with everything that random programs name."""

from __future__ import annotations

import pytest

from arcaneqa.kb.schema import Schema
from tests.language.worlds import indexed, whole_graph


@pytest.fixture(scope="session")
def schema() -> Schema:
    with indexed(whole_graph()) as kb:
        return kb.schema
