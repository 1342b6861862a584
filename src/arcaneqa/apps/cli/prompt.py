"""The prompt of `arcaneqa ask`: a conversation in the terminal, and commands about its last answer."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Iterator
from io import TextIOWrapper
from pathlib import Path
from typing import TYPE_CHECKING

from rich.console import Console
from rich.text import Text

from arcaneqa.answer.answer import Answer
from arcaneqa.answer.arcaneqa import ArcaneQA
from arcaneqa.answer.entity_facts import PAGE, Facts
from arcaneqa.answer.explain import (
    MOST_SHOWN,
    draw_answer,
    draw_facts,
    draw_items,
    draw_readings,
    draw_support,
    draw_walk,
)
from arcaneqa.answer.export import Format, rows_of, rows_of_facts, write_rows
from arcaneqa.support import loops
from arcaneqa.support.errors import ArcaneError, InputError
from arcaneqa.support.files import replacing

if TYPE_CHECKING:
    from prompt_toolkit.completion import CompleteEvent, Completion
    from prompt_toolkit.document import Document

HELP = """\
Ask a question in English; the next one may refer back: “and in France?”, “which of them is the largest?”
  why        how the last answer was found, the facts behind it, what else the question may mean
  more       further answers, or further values of facts
  columns    the last answers with all their columns
  2          take the second reading of the last question
  facts X    what is known of X
  csv FILE   write the last answers into a file
  help       this
  quit       end (Ctrl-D does too)"""
COMMANDS = ("why", "more", "columns", "facts ", "csv ", "help", "quit")
MOST_COMPLETIONS = 8
"""Names proposed at a time: as many as stand under the prompt without hiding what was said."""
MOST_WORDS = 4
"""Words of a name that are completed together."""


class Prompt:
    """What lines do; where they come from is somebody else's affair."""

    def __init__(self, qa: ArcaneQA, screen: Console, threshold: float | None = None) -> None:
        self.talk = qa.conversation()
        self._qa = qa
        self._screen = screen
        self._threshold = threshold
        self._shown = 0
        self._facts: tuple[str, int, Facts] | None = None

    def hear(self, line: str) -> bool:
        """Do what a line says; whether there may be another one. What goes wrong is said."""
        line = line.strip()
        word, _, rest = line.partition(" ")
        try:
            match word.lower().rstrip("?"), rest.strip():
                case "", _:
                    pass
                case (("quit" | "exit"), ""):
                    return False
                case "help", "":
                    self._screen.print(HELP)
                case "why", "":
                    self._why()
                case "more", "":
                    self._more()
                case "columns", "":
                    draw_items(self._screen, self._last(), is_whole=True)
                case "facts", name if name:
                    self._look_at(name.rstrip("?"), 0)
                case "csv", name if name:
                    self._write(Path(name).expanduser())
                case number, "" if number.isdecimal():
                    self._answer(self.talk.choose(int(number)))
                case _:
                    self._answer(self.talk.ask(line, threshold=self._threshold))
        except ArcaneError as error:
            self._screen.print(Text(str(error), style="yellow"))
        return True

    def _answer(self, answer: Answer) -> None:
        self._shown, self._facts = MOST_SHOWN, None
        if answer.facts is not None and answer.facts.entity.id is not None:
            self._facts = (answer.facts.entity.id, 0, answer.facts)
        draw_answer(self._screen, answer, self._threshold, is_talk=True)

    def _why(self) -> None:
        last = self._last()
        draw_walk(self._screen, last)
        if last.program is not None:
            self._screen.print(Text("program  ", style="dim") + Text(last.program, style="cyan"))
        draw_support(self._screen, last.support)
        draw_readings(self._screen, self.talk.readings)

    def _more(self) -> None:
        if self._facts is not None:
            name, page, _ = self._facts
            self._look_at(name, page + 1)
            return
        last = self._last()
        shown = last.shown(most=1)
        rows = len(last.items) if shown is None else shown.total
        if self._shown >= rows:
            self._screen.print(f"That was all: {rows:,}.")
        draw_items(self._screen, last, self._shown)
        self._shown += MOST_SHOWN

    def _look_at(self, name: str, page: int) -> None:
        facts = self._qa.facts(name, page)
        if page and not facts.relations:
            self._screen.print(f"That was all: no relation has more than {page * PAGE:,} values.")
            return
        self._facts = (name, page, facts)
        draw_facts(self._screen, facts)

    def _write(self, path: Path) -> None:
        if self._facts is not None:
            rows = rows_of_facts(self._facts[2])
        else:
            last = self._last()
            if last.reason is not None:
                raise InputError("The last question has no answer to write.")
            rows = rows_of(last)
        if path.exists():
            raise InputError(f"{path} exists; give another name.")
        with replacing(path) as file:
            file.write(write_rows(rows, Format.CSV) + "\n")
        self._screen.print(f"{len(rows.rows):,} rows → {path}")

    def _last(self) -> Answer:
        if self.talk.last is None:
            raise InputError("Nothing was asked yet; `help` says what can be typed.")
        return self.talk.last


def converse(qa: ArcaneQA, screen: Console, threshold: float | None) -> None:
    """Until `quit` or the end of the input; without a terminal, every line of the input in turn."""
    prompt = Prompt(qa, screen, threshold)
    loops.are_worth(loops.LOADING)
    for line in _typed(qa, screen) if sys.stdin.isatty() else _piped():
        try:
            if not prompt.hear(line):
                return
        except KeyboardInterrupt:
            screen.print(Text("Interrupted.", style="yellow"))


def _piped() -> Iterator[str]:
    if isinstance(sys.stdin, TextIOWrapper):
        sys.stdin.reconfigure(errors="surrogateescape")  # a question that is no UTF-8 is refused by itself
    lines = iter(sys.stdin)
    first = next(lines, None)
    if first is None:
        raise InputError('Give a question ("…"), --input FILE, or questions on standard input.')
    yield first
    yield from lines


def _typed(qa: ArcaneQA, screen: Console) -> Iterator[str]:
    from prompt_toolkit import PromptSession
    from prompt_toolkit.completion import Completer, Completion
    from prompt_toolkit.history import FileHistory, History, InMemoryHistory

    class Names(Completer):
        def get_completions(self, document: Document, _event: CompleteEvent) -> Iterable[Completion]:
            for text, typed in completions(qa, document.text_before_cursor):
                yield Completion(text, start_position=-len(typed))

    path = _history_file()
    history: History = InMemoryHistory() if path is None else FileHistory(path)
    session: PromptSession[str] = PromptSession(
        history=history, completer=Names(), complete_while_typing=False
    )
    screen.print(Text("Ask a question; `help` says what else can be typed.", style="dim"))
    while True:
        try:
            # Several lines that were pasted are several questions.
            yield from session.prompt("arcaneqa> ").splitlines()
        except KeyboardInterrupt:  # forget the line
            continue
        except EOFError:
            return


def completions(qa: ArcaneQA, before: str) -> Iterator[tuple[str, str]]:
    """Commands and names of entities that go on as the text does, each with what it is to replace."""
    if before and " " not in before:
        yield from ((word, before) for word in COMMANDS if word.startswith(before))
    words = before.split(" ")
    for count in range(min(MOST_WORDS, len(words)), 0, -1):
        typed = " ".join(words[-count:])
        found = [one.label for one in qa.linker.suggest(typed, MOST_COMPLETIONS)] if len(typed) > 1 else []
        # Others have it inside their names, or among their other names.
        if begun := [label for label in found if label.casefold().startswith(typed.casefold())] or found:
            yield from ((label, typed) for label in begun)
            return


def _history_file() -> Path | None:
    """Beside our other caches, for nobody else to read; None where nothing can be kept."""
    from arcaneqa.support.files import cache_folder

    try:
        path = cache_folder() / "history"
        os.close(os.open(path, os.O_CREAT | os.O_WRONLY | os.O_APPEND, 0o600))
    except OSError:
        return None
    return path
