"""GrailQA's files, and GraphQuestions' in the same shape."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from arcaneqa.kb.short_names import Names
from arcaneqa.lab.datasets.draft import DraftQuestion, text_field
from arcaneqa.lab.datasets.graph_query import program_of
from arcaneqa.language.expression import Expression
from arcaneqa.language.text import parse
from arcaneqa.support.errors import InputError, ProgramError
from arcaneqa.support.files import read_items


def read(path: Path, names: Names) -> Iterator[DraftQuestion]:
    for where, item in read_items(path):
        program, reason = _program(item, names)
        yield DraftQuestion(
            id=text_field(item, "qid", where),
            question=text_field(item, "question", where),
            programs=(program,) if program else (),
            reason=reason,
            answers=_answers(item, where),
            names=_names(item),
            level=item.get("level"),
            function=item.get("function"),
            relations=item.get("num_edge"),
            source=item.get("s_expression"),
        )


def _program(item: Any, names: Names) -> tuple[Expression | None, str | None]:
    """The published program; GraphQuestions itself has none, but a query graph that says the same."""
    text = item.get("s_expression") if isinstance(item, dict) else None
    try:
        if text:
            return parse(str(text), names), None
        if isinstance(item, dict) and item.get("graph_query"):
            return program_of(item["graph_query"], names), None
    except (ProgramError, InputError) as error:
        return None, f"the program is malformed: {error}" if text else str(error)
    return None, "no program is given"


def _answers(item: Any, where: str) -> tuple[str, ...] | None:
    answers = item.get("answer")
    if answers is None:
        return None
    if not isinstance(answers, list):
        raise InputError(f"{where}: the field 'answer' must be a list")
    return tuple(
        text_field(answer, "answer_argument", where) if isinstance(answer, dict) else str(answer)
        for answer in answers
    )


def _names(item: Any) -> dict[str, list[str]]:
    graph = item.get("graph_query")
    nodes = graph.get("nodes", ()) if isinstance(graph, dict) else ()
    return {
        str(node["id"]): [str(node["friendly_name"])]
        for node in nodes
        if node.get("node_type") == "entity" and node.get("id") and node.get("friendly_name")
    }
