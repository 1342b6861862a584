"""SimpleQuestions: tab-separated facts with a question, or JSON lines with a program and a mention."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from arcaneqa.kb.short_names import Names
from arcaneqa.kb.terms import Iri
from arcaneqa.lab.datasets.draft import DraftQuestion, text_field
from arcaneqa.language.expression import Entity, Join, Relation, mentioned
from arcaneqa.language.text import parse
from arcaneqa.support.errors import InputError, ProgramError
from arcaneqa.support.files import open_text, read_items

_HOST = "www.freebase.com/"


def read(path: Path, names: Names) -> Iterator[DraftQuestion]:
    if path.name.removesuffix(".gz").endswith((".txt", ".tsv")):
        yield from _read_facts(path, names)
        return
    for number, (where, item) in enumerate(read_items(path)):
        question = text_field(item, "question", where)
        id = str(item.get("id", f"simplequestions-{number}"))
        source = text_field(item, "s_expression", where)
        try:
            program = parse(source, names)
        except ProgramError as error:
            yield DraftQuestion(id, question, reason=f"the program is malformed: {error}")
            continue
        mention = item.get("mention")
        found = {names.write(entity.term): [mention] for entity in mentioned(program)} if mention else {}
        answers = (str(item["object"]),) if item.get("object") else None
        yield DraftQuestion(id, question, (program,), answers=answers, names=found, source=source)


def _read_facts(path: Path, names: Names) -> Iterator[DraftQuestion]:
    """The original: subject, relation, object and question, the first three as `www.freebase.com/m/0abc`."""
    try:
        with open_text(path) as lines:
            for number, line in enumerate(lines, 1):
                columns = line.rstrip("\n").split("\t")
                if len(columns) != 4 or not all(column.startswith(_HOST) for column in columns[:3]):
                    raise InputError(
                        f"{path}, line {number}: expected subject, relation, object and question, "
                        "separated by tabs"
                    )
                fact = (column.removeprefix(_HOST).replace("/", ".") for column in columns[:3])
                subject, relation, object_ = fact
                program = Join(Relation(names.expand(relation), True), Entity(Iri(names.expand(subject))))
                yield DraftQuestion(f"simplequestions-{number}", columns[3], (program,), answers=(object_,))
    except (OSError, UnicodeDecodeError, EOFError) as error:
        raise InputError(f"{path}: cannot be read as text ({error})") from error
