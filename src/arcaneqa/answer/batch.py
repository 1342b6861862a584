"""Files of questions: streamed, resumable, with progress."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TextIO

from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from arcaneqa.answer.arcaneqa import ArcaneQA
from arcaneqa.record import read_questions
from arcaneqa.support.console import console
from arcaneqa.support.errors import InputError
from arcaneqa.support.harmless import json_text
from arcaneqa.support.outputs import PREDICTIONS

_BEGINNING = b'{"id": "'
"""Of every line of predictions."""


@dataclass(frozen=True, slots=True)
class BatchReport:
    asked: int
    answered: int
    before: int
    seconds: float
    expected: float | None = None
    """The share of right answers at a threshold that somebody chose."""

    def __str__(self) -> str:
        rate = self.asked / self.seconds if self.seconds else 0.0
        expected = "" if self.expected is None else f" Expect {self.expected:.0%} of the answers to be right."
        earlier = f", {self.before} were there already" if self.before else ""
        return (
            f"{self.asked} questions asked, {self.answered} answered{earlier}; "
            f"{self.seconds:.1f} s, {rate:.1f} questions/s.{expected}"
        )


def answer_file(
    source: Path,
    target: Path,
    kb: str | Path | None = None,
    model: str | Path | None = None,
    exact: bool = False,
    threshold: float | None = None,
    exclude_mentioned: bool = False,
    glossary: Path | None = None,
) -> BatchReport:
    """Answer every question of `source` whose id is not in `target` yet, appending as answers come.

    `exclude_mentioned` is for all questions; without it each record says so for itself.
    """
    PREDICTIONS.check(target, "--output", [source])
    questions = list(read_questions(source))
    if exclude_mentioned:
        questions = [replace(question, exclude_mentioned=True) for question in questions]
    repeated = len(questions) - len({question.id for question in questions})
    if repeated:
        raise InputError(f"{source}: {repeated} ids occur more than once; give every question its own id.")
    done, whole = finished(target)
    left = [question for question in questions if question.id not in done]
    started = time.perf_counter()
    answered = 0
    expected = None
    if left:
        qa = ArcaneQA.load(kb, model, exact=exact, glossary=glossary)
        expected = None if threshold is None else qa.fitted.precision(threshold)
        try:
            with going_on(target, whole) as output, progress() as bar:
                task = bar.add_task(
                    "asking", total=len(questions), completed=len(questions) - len(left), rate=""
                )
                pairs = zip(left, qa.ask_many(left, threshold=threshold), strict=True)
                for number, (question, answer) in enumerate(pairs, 1):
                    record = answer.to_prediction(question.id).to_json()
                    output.write(json_text(record) + "\n")
                    output.flush()
                    answered += answer.reason is None
                    rate = number / (time.perf_counter() - started)
                    bar.update(task, advance=1, rate=f"{rate:.1f} questions/s")
        except OSError as error:
            raise InputError(f"{target}: cannot be written ({error.strerror}).") from error
    return BatchReport(len(left), answered, len(done), time.perf_counter() - started, expected)


def progress() -> Progress:
    """A bar on stderr, silent where nobody watches."""
    screen = console(stderr=True)
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("{task.fields[rate]}"),
        TimeRemainingColumn(),
    )
    return Progress(*columns, console=screen, disable=not screen.is_terminal)


@contextmanager
def going_on(target: Path, whole: int) -> Iterator[TextIO]:
    """Predictions to append to after so many bytes; the line a former run was killed in is cut off."""
    with target.open("a", encoding="utf-8") as output:
        output.truncate(whole)
        yield output


def finished(target: Path) -> tuple[set[str], int]:
    """Ids a former run has written, and the bytes of their lines; a line it was killed in is asked again."""
    if not target.exists():
        return set(), 0
    done: set[str] = set()
    kept = 0
    with target.open("rb") as lines:
        for line in lines:
            try:
                record = json.loads(line)
                identifier = str(record["id"])
            except (ValueError, KeyError, TypeError, RecursionError):
                if line.endswith(b"\n") or not line.startswith(_BEGINNING[: len(line)]):
                    raise InputError(
                        f"{target} holds something other than predictions; give another --output."
                    ) from None
                break
            if not line.endswith(b"\n"):
                break
            done.add(identifier)
            kept += len(line)
    return done, kept
