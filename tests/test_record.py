"""The unified record, to JSON and back, and what is wrong with a bad one."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arcaneqa.record import Mention, Question, read_questions
from arcaneqa.support.errors import InputError

texts = st.text(max_size=8)
mentions = st.builds(
    Mention, texts, st.none() | texts, st.none() | st.integers(0, 9), st.none() | st.integers(0, 9)
)
questions = st.builds(
    Question,
    id=texts,
    question=texts,
    program=st.none() | texts,
    answers=st.none() | st.lists(texts, max_size=3).map(tuple),
    entities=st.lists(mentions, max_size=2).map(tuple),
    exclude_mentioned=st.booleans(),
    level=st.none() | texts,
    function=st.none() | texts,
    relations=st.none() | st.integers(0, 9),
    programs=st.lists(texts, max_size=2).map(tuple),
    answer_sets=st.lists(st.lists(texts, max_size=2).map(tuple), max_size=2).map(tuple),
)


@given(questions)
def test_json_and_back(question: Question) -> None:
    assert Question.from_json(json.loads(json.dumps(question.to_json()))) == question


@pytest.mark.parametrize(
    ("record", "field"),
    [
        ({"question": "?"}, "id"),
        ({"id": 1}, "question"),
        ({"id": 1, "question": 5}, "question"),
        ({"id": 1, "question": "?", "program": 5}, "program"),
        ({"id": 1, "question": "?", "programs": [5]}, "programs"),
        ({"id": 1, "question": "?", "answers": "m.1"}, "answers"),
        ({"id": 1, "question": "?", "answers": [{"id": "m.1"}]}, "answers"),
        ({"id": 1, "question": "?", "entities": ["m.1"]}, "entities"),
        ({"id": 1, "question": "?", "entities": [{"mention": "x"}]}, "entities"),
        ({"id": 1, "question": "?", "entities": [{"id": "m.1", "start": "x"}]}, "start"),
        ({"id": 1, "question": "?", "exclude_mentioned": "no"}, "exclude_mentioned"),
        ({"id": 1, "question": "?", "relations": True}, "relations"),
        ([1], "object"),
    ],
)
def test_what_is_wrong_is_named(record: Any, field: str, tmp_path: Path) -> None:
    path = tmp_path / "data.jsonl"
    path.write_text("\n" + json.dumps(record))
    with pytest.raises(InputError, match=rf"data\.jsonl, line 2: .*{field}"):
        list(read_questions(path))
