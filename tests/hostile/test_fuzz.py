"""Made-up manifests, programs and questions, by the thousand: an error of ours or an answer, nothing else."""

from __future__ import annotations

import copy
import json
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from arcaneqa.answer.arcaneqa import ArcaneQA
from arcaneqa.kb.index import Index
from arcaneqa.kb.index.store import MANIFEST, _seal
from arcaneqa.language.run import Budget, execute
from arcaneqa.language.text import parse, print_program
from arcaneqa.support.errors import ArcaneError
from tests.apps.http.service_world import answering, small_world

pytestmark = pytest.mark.slow


def many(examples: int) -> settings:
    """Some minutes for all three together."""
    checks = [HealthCheck.function_scoped_fixture, HealthCheck.too_slow]
    return settings(max_examples=examples, deadline=None, database=None, suppress_health_check=checks)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=8,
)
TEXT = """
( ) AND JOIN R COUNT ARGMAX ARGMIN LT LE GT GE CONS TC OR NOT NOW HAS SUM AVG SORT SHOW PER ^^ < > \\ _:b
<http://example.org/City> <http://example.org/capital> <http://example.org/capital_inv> 5 "5" "a"@en
<http://example.org/France> <http://example.org/population> 1999^^http://x
country what is the capital of France Norway City Peru how many people which has most and or not than
"""
WORDS = st.sampled_from(TEXT.split()) | st.text(max_size=6)


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return small_world(tmp_path_factory.mktemp("fuzz"))


@pytest.fixture(scope="module")
def qa(world: Path) -> ArcaneQA:
    return answering(world)[0]


@many(1_500)
@given(data=st.data())
def test_manifests(world: Path, data: st.DataObject) -> None:
    """Any value anywhere in it, sealed as if it were right."""
    whole = (world / MANIFEST).read_text(encoding="utf-8")
    manifest = json.loads(whole)
    place: Any = copy.deepcopy(manifest)
    changed = place
    while True:
        keys = list(place) if isinstance(place, dict) else list(range(len(place)))
        key = data.draw(st.sampled_from(keys))
        if isinstance(place[key], dict | list) and place[key] and data.draw(st.booleans()):
            place = place[key]
            continue
        if data.draw(st.booleans()):
            place[key] = data.draw(JSON)
        else:
            del place[key]
        break
    if data.draw(st.booleans()):
        changed["seal"] = _seal(changed)
    try:
        (world / MANIFEST).write_text(json.dumps(changed), encoding="utf-8")
        with suppress(ArcaneError):
            Index(world).close()
    finally:
        (world / MANIFEST).write_text(whole, encoding="utf-8")


@many(8_000)
@given(words=st.lists(WORDS, max_size=25), glue=st.sampled_from(["", " "]))
def test_programs(qa: ArcaneQA, words: list[str], glue: str) -> None:
    with suppress(ArcaneError):
        program = parse(glue.join(words), qa.names, qa.kb.schema)
        assert parse(print_program(program, qa.names), qa.names, qa.kb.schema) == program
        execute(program, qa.kb, Budget(seconds=10))


@many(800)
@given(words=st.lists(WORDS, max_size=20))
def test_questions(qa: ArcaneQA, words: list[str]) -> None:
    answer = qa.ask(" ".join(words), seconds=10)
    assert bool(answer.items) != bool(answer.reason)
    json.dumps(answer.to_prediction("1").to_json())
