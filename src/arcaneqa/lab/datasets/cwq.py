"""ComplexWebQuestions: a question with its SPARQL."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

from arcaneqa.lab.datasets.draft import DraftQuestion, text_field
from arcaneqa.lab.datasets.mention_places import locate
from arcaneqa.lab.datasets.published_queries import Publication
from arcaneqa.lab.datasets.query import Query
from arcaneqa.support.files import read_items


def read(path: Path, publication: Publication) -> Iterator[DraftQuestion]:
    for where, item in read_items(path):
        id = text_field(item, "ID" if isinstance(item, dict) and "ID" in item else "id", where)
        question, sparql = text_field(item, "question", where), text_field(item, "sparql", where)
        yield publication.draft(id, question, [sparql], [_answers(item)], {}, partial(_is_named, question))


def _is_named(question: str, _query: Query, _iri: str, known: list[str]) -> bool:
    return locate(question, known) is not None


def _answers(item: Any) -> tuple[str, ...] | None:
    """The published file names answers by id; a rebuilt one says what its query finds."""
    for key in ("answers_exec", "answers_gold", "answers"):
        answers = item.get(key)
        if isinstance(answers, list):
            return tuple(str(a.get("answer_id")) if isinstance(a, dict) else str(a) for a in answers)
    return None
