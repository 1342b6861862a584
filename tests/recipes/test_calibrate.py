"""Graphs that confidence is fitted on: a folder, a folder of such folders, or questions with an index."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from calibrate import Graph


def asked(folder: Path, ids: str) -> Path:
    folder.mkdir(parents=True)
    lines = (json.dumps({"id": one, "question": f"{one}?", "answers": [one]}) for one in ids)
    (folder / "questions.jsonl").write_text("\n".join(lines) + "\n")
    return folder


def test_a_folder_of_tables_is_one_graph_of_which_each_gives_some_questions(tmp_path: Path) -> None:
    asked(tmp_path / "tables" / "one", "abc")
    asked(tmp_path / "tables" / "two", "de")
    graph = Graph.of(str(tmp_path / "tables"))
    assert [part.kb for part in graph.parts] == [
        str(tmp_path / "tables" / name / "index") for name in ("one", "two")
    ]
    few = {question.id for question in graph.sample(2)}
    assert len(few & set("abc")) == len(few & set("de")) == 1
    assert {question.id for question in graph.sample(10)} == set("abcde")


@pytest.mark.parametrize(("given", "kb"), [("{}", "{}/index"), ("{}/questions.jsonl=other", "other")])
def test_one_folder_or_questions_with_an_index_are_a_graph(tmp_path: Path, given: str, kb: str) -> None:
    folder = asked(tmp_path / "one", "ab")
    (part,) = Graph.of(given.format(folder)).parts
    assert part.kb == kb.format(folder)
    assert {question.id for question in part.sample(5)} == set("ab")


def test_other_questions_are_another_cache(tmp_path: Path) -> None:
    one, two = (
        Graph.of(str(asked(tmp_path / name / "graph", ids))) for name, ids in (("x", "ab"), ("y", "ac"))
    )
    assert one.name == two.name
    assert one.known_by != two.known_by
