"""WebQSP: the official file with its parses, or JSON lines with one SPARQL query each.

A parse's inferential chain, constraints, time and order are all in its SPARQL, and hand-written parses have
nothing else, so the SPARQL is what is read.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from arcaneqa.lab.datasets.draft import DraftQuestion, text_field
from arcaneqa.lab.datasets.mention_places import locate
from arcaneqa.lab.datasets.published_queries import Publication
from arcaneqa.lab.datasets.query import Query, conditions
from arcaneqa.support.errors import InputError
from arcaneqa.support.files import read_items


def read(path: Path, publication: Publication) -> Iterator[DraftQuestion]:
    for where, item in read_items(path, "Questions"):
        if isinstance(item, dict) and "sparql" in item:
            id, question = text_field(item, "id", where), text_field(item, "question", where)
            answers = item.get("answers")
            published = tuple(map(str, answers)) if isinstance(answers, list) else None
            queries = [text_field(item, "sparql", where)]
            yield publication.draft(id, question, queries, [published], {}, partial(_is_named, question))
        else:
            yield _official(item, where, publication)


def _official(item: Any, where: str, publication: Publication) -> DraftQuestion:
    id, question = text_field(item, "QuestionId", where), text_field(item, "RawQuestion", where)
    parses = item.get("Parses")
    if not isinstance(parses, list) or not all(isinstance(parse, dict) for parse in parses):
        raise InputError(f"{where}: the field 'Parses' must be a list of parses")
    names: dict[str, list[str]] = {}
    for parse in parses:
        topic = parse.get("TopicEntityMid")
        _add(names, topic, parse.get("PotentialTopicEntityMention"), parse.get("TopicEntityName"))
        for constraint in parse.get("Constraints") or ():
            if constraint.get("ArgumentType") == "Entity":
                _add(names, constraint.get("Argument"), constraint.get("EntityName"))
    queries = [text_field(parse, "Sparql", where) for parse in parses]
    answers = [_answers(parse) for parse in parses]
    draft = publication.draft(id, question, queries, answers, names, partial(_is_named, question))
    if not any(map(_is_good, parses)):
        return replace(draft, left_out="has no parse that its annotators found good and complete")
    return draft


def _is_good(parse: Any) -> bool:
    """The official evaluation leaves out questions without such a parse."""
    comment = parse.get("AnnotatorComment")
    if not isinstance(comment, dict):
        return True
    return comment.get("QuestionQuality") == "Good" and comment.get("ParseQuality") == "Complete"


def _answers(parse: Any) -> tuple[str, ...]:
    return tuple(str(answer.get("AnswerArgument")) for answer in parse.get("Answers") or ())


def _is_named(question: str, query: Query, iri: str, known: list[str]) -> bool:
    """The topic is, whatever the question calls it: it is what the query keeps out of its answers."""
    return iri in conditions(query).excluded or locate(question, known) is not None


def _add(names: dict[str, list[str]], entity: str | None, *found: str | None) -> None:
    if entity:
        names.setdefault(entity, []).extend(name for name in found if name)
