"""Records that are unified already: read again to fill in spans, answers and counts."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from arcaneqa.kb.short_names import Names
from arcaneqa.lab.datasets.draft import DraftQuestion
from arcaneqa.language.text import parse
from arcaneqa.record import read_questions
from arcaneqa.support.errors import ProgramError


def read(path: Path, names: Names) -> Iterator[DraftQuestion]:
    for record in read_questions(path):
        programs, reason = [], None
        for text in record.programs or ((record.program,) if record.program else ()):
            try:
                programs.append(parse(text, names))
            except ProgramError as error:
                reason = f"the program is malformed: {error}"
        if not programs and reason is None:
            reason = "no program is given"
        yield DraftQuestion(
            id=record.id,
            question=record.question,
            programs=tuple(programs),
            reason=None if programs else reason,
            answers=record.answers,
            names={e.id: [e.mention] for e in record.entities if e.mention},
            exclude_mentioned=record.exclude_mentioned,
            level=record.level,
            function=record.function,
            relations=record.relations,
            source=record.program,
        )
