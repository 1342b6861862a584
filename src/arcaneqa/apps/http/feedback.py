"""What people think of answers, kept as records that `arcaneqa prepare` reads."""

from __future__ import annotations

import errno
import os
import re
import threading
from datetime import UTC, datetime
from pathlib import Path
from uuid import uuid4

import numpy as np

from arcaneqa.answer.arcaneqa import ArcaneQA
from arcaneqa.apps.http.contract import FeedbackRequest
from arcaneqa.kb.terms import Term
from arcaneqa.language.expression import Entity, Expression, post_order
from arcaneqa.language.text import parse, print_program
from arcaneqa.record import Mention, Question
from arcaneqa.support.errors import BudgetExceeded, InputError
from arcaneqa.support.harmless import json_text
from arcaneqa.support.outputs import FileKind

MOST_BYTES = 256 * 2**20
"""Some hundred thousand judgements; nobody who wants to fill the disk gets further."""

FEEDBACK = FileKind("a file of judgements", re.compile(rb'\{"id": "feedback-'))


class Feedback:
    """A file of JSON lines that only grows: a line is written whole, or not at all."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._lock = threading.Lock()
        FEEDBACK.check(path, "--feedback")
        try:
            self._append(b"")  # whoever starts the service learns at once that it cannot be written
        except OSError as error:
            raise InputError(f"Judgements cannot be kept in {path} ({error.strerror}).") from error

    def keep(self, qa: ArcaneQA, request: FeedbackRequest) -> str:
        """Write a judgement down; the id of its record.

        The record's program is what is right: the one that was judged so, or its correction.
        """
        given = None if request.program is None else parse(request.program, qa.names, qa.kb.schema)
        correction = None if request.correction is None else parse(request.correction, qa.names, qa.kb.schema)
        if request.is_right and (given is None or correction is not None):
            raise InputError("What is right needs a program and no correction.")
        right = given if request.is_right else correction
        record = Question(
            id=f"feedback-{uuid4().hex[:12]}",
            question=request.question,
            program=None if right is None else print_program(right, qa.names),
            entities=() if right is None else _mentions(qa, request.question, right),
        )
        told = {
            "given": None if given is None else print_program(given, qa.names),
            "is_right": request.is_right,
            "time": datetime.now(UTC).isoformat(timespec="seconds"),
        }
        line = json_text(record.to_json() | {"feedback": told}) + "\n"
        try:
            self._append(line.encode())
        except OSError as error:
            raise BudgetExceeded("The service has no room for another judgement.") from error
        return record.id

    def _append(self, line: bytes) -> None:
        with self._lock, self._path.open("ab", buffering=0) as file:
            size = file.tell()
            if size + len(line) > MOST_BYTES:
                raise OSError(errno.EFBIG, "the file is full")
            if file.write(line) != len(line):
                os.ftruncate(file.fileno(), size)
                raise OSError(errno.ENOSPC, "the disk is full")


def _mentions(qa: ArcaneQA, question: str, program: Expression) -> tuple[Mention, ...]:
    """Where the question names what the program starts from, as far as the linker sees it."""
    wanted: dict[Term, str] = {
        node.term: qa.names.write(node.term) for node in post_order(program) if isinstance(node, Entity)
    }
    found: dict[str, Mention] = {}
    for mention in qa.linker.link(question).mentions:
        terms = qa.kb.terms(np.array([candidate.node for candidate in mention.candidates], np.int64))
        for name in (wanted[term] for term in terms if term in wanted):
            found.setdefault(name, Mention(name, mention.text, mention.start, mention.end))
    return tuple(found.get(name, Mention(name)) for name in wanted.values())
