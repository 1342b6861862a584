"""Spider's questions over databases that were turned into graphs: a folder with questions and a mapping."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

from arcaneqa.kb.interface import KnowledgeBase
from arcaneqa.lab.datasets.draft import DraftQuestion, text_field
from arcaneqa.lab.datasets.sql.mapping import Database, read_database
from arcaneqa.lab.datasets.sql.table_facts import TableFacts
from arcaneqa.lab.datasets.sql.translate import OTHER_ANSWERS, Recorded, mentions, program_of
from arcaneqa.lab.datasets.sql.variables import Unsayable
from arcaneqa.support.errors import InputError
from arcaneqa.support.files import read_json, read_lines

QUESTIONS, MAPPING = "questions.jsonl.gz", "mapping.json.gz"


@cache
def databases(source: Path) -> dict[str, Database]:
    """The databases that a folder describes, by name."""
    mapping = read_json(source / MAPPING)
    if not isinstance(mapping, dict):
        raise InputError(f"{source / MAPPING}: expected an object with an entry for each database")
    return {name: read_database(name, entry, str(source / MAPPING)) for name, entry in mapping.items()}


def read(source: Path, database: str, kb: KnowledgeBase) -> Iterator[DraftQuestion]:
    """The questions of one database, whose graph `kb` holds; a program stands only where it finds the
    recorded answers."""
    known = databases(source)
    if database not in known:
        raise InputError(f"{source} has no database “{database}”; it has {', '.join(sorted(known))}.")
    facts = TableFacts(known[database], kb)
    for number, item in read_lines(source / QUESTIONS):
        where = f"{source / QUESTIONS}, line {number}"
        if text_field(item, "db", where) == database:
            yield _draft(item, where, facts)


def _draft(item: Any, where: str, facts: TableFacts) -> DraftQuestion:
    id, question, sql = (text_field(item, key, where) for key in ("id", "question", "sql"))
    if item.get("doubtful"):
        return DraftQuestion(id, question, left_out="is marked doubtful")
    ids = tuple(item.get("answer_ids") or ())
    rows = item.get("rows") if item.get("columns", 1) > 1 else None
    recorded = Recorded(tuple(item.get("answers") or ()), ids, rows, "rows_total" in item)
    try:
        program = program_of(sql, recorded, facts)
    except Unsayable as reason:
        if item.get("tie") and str(reason) == OTHER_ANSWERS:
            return DraftQuestion(
                id, question, left_out="is cut among equals, so its answers are one choice of several"
            )
        return DraftQuestion(id, question, reason=str(reason), answers=ids, source=sql)
    located = mentions(program, question, facts.kb)
    return DraftQuestion(id, question, (program,), mentions=located, source=sql)
