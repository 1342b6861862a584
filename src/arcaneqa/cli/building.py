"""Building as people see it: a line that tells how far it is, and a screen with what was understood."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from arcaneqa.kb.diagnosis import Diagnosis

Progress = Callable[[str, int, int | None], None]
_MARGIN = 12


@contextmanager
def build_progress() -> Iterator[Progress]:
    """Silent where nobody looks at a terminal."""
    from rich.progress import Progress as Bar
    from rich.progress import TextColumn, TimeElapsedColumn

    from arcaneqa.console import console

    screen = console(stderr=True)
    columns = (TextColumn("{task.description}"), TextColumn("{task.fields[state]}"), TimeElapsedColumn())
    with Bar(*columns, console=screen, transient=True, disable=not screen.is_terminal) as bar:
        task = bar.add_task("starting", state="")

        def progress(stage: str, done: int, total: int | None) -> None:
            state = f"{done:,}" if not total or stage.startswith("reading") else f"{done:,} of {total:,}"
            bar.update(task, description=stage, state=state if done else "")

        yield progress


def index_first(kb: str | None) -> None:
    """A file of facts is indexed here, with its progress; whoever opens it then finds it in the cache."""
    if kb is not None and Path(kb).is_file():
        from arcaneqa.kb.open import open_kb

        with build_progress() as progress:
            open_kb(kb, progress).close()


def draw_diagnosis(diagnosis: Diagnosis) -> None:
    from arcaneqa.terminal import say

    for word, text in diagnosis.lines():
        say(f"{word:<{_MARGIN}}{text}")
    for oddity in diagnosis.oddities():
        say(f"{'odd':<{_MARGIN}}{oddity}")
