"""Requests made up from the service's own description never make it fail."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import schemathesis
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from schemathesis.core.result import Ok

from arcaneqa.apps.http.app import create_app
from tests.apps.http.service_world import answering, small_world


def test_nothing_makes_it_fail(tmp_path_factory: pytest.TempPathFactory) -> None:
    folder = tmp_path_factory.mktemp("world")
    qa, _ = answering(small_world(folder))
    app = create_app(qa, hosts=["testserver"], feedback_file=folder / "judgements.jsonl")
    app.state.current.is_warm = True
    schema = schemathesis.openapi.from_asgi("/openapi.json", app)
    operations = [found.ok() for found in schema.get_all_operations() if isinstance(found, Ok)]
    assert len(operations) >= 9

    for operation in operations:

        @settings(max_examples=25, suppress_health_check=list(HealthCheck), database=None)
        @given(case=st.one_of(operation.as_strategy()))
        def hold(case: schemathesis.Case[Any]) -> None:
            response = case.call()
            assert response.status_code < 500, (case.as_curl_command(), response.text)

        hold()


def test_the_description_is_one_to_generate_clients_from(tmp_path: Path) -> None:
    qa, _ = answering(small_world(tmp_path))
    described = create_app(qa, token="secret").openapi()
    operations = [one for path in described["paths"].values() for one in path.values()]
    names = [one["operationId"] for one in operations]
    assert len(set(names)) == len(names)
    assert {"ask", "stream", "run", "knowledge_base", "entities", "entity", "reload"} <= set(names)
    assert all(one["tags"] for one in operations)
    assert described["components"]["securitySchemes"]["HTTPBearer"]["scheme"] == "bearer"
    assert described["paths"]["/v1/ask"]["post"]["security"] == [{"HTTPBearer": []}]
