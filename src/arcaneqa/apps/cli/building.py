"""Building as people see it: a line that tells how far it is, and a screen with what was understood."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from arcaneqa.kb.diagnosis import Diagnosis
from arcaneqa.support.terminal import Progress

_MARGIN = 12
"""Characters of the first column."""


@contextmanager
def build_progress() -> Iterator[Progress]:
    """Silent where nobody looks at a terminal, or wants it so; in detail, the seconds of every stage."""
    import time

    from rich.progress import Progress as Bar
    from rich.progress import TextColumn, TimeElapsedColumn

    from arcaneqa.support.console import console
    from arcaneqa.support.terminal import detail, is_quiet

    screen = console(stderr=True)
    columns = (TextColumn("{task.description}"), TextColumn("{task.fields[state]}"), TimeElapsedColumn())
    with Bar(*columns, console=screen, transient=True, disable=is_quiet() or not screen.is_terminal) as bar:
        task = bar.add_task("starting", state="")
        now, since = "starting", time.monotonic()

        def progress(stage: str, done: int, total: int | None) -> None:
            nonlocal now, since
            if (name := stage.partition(" (")[0]) != now:
                detail(f"{now}: {time.monotonic() - since:.1f} s")
                now, since = name, time.monotonic()
            bar.update(task, description=stage, state=how_far(done, total, time.monotonic() - since))

        yield progress
        detail(f"{now}: {time.monotonic() - since:.1f} s")


def how_far(done: int, total: int | None, seconds: float) -> str:
    """ "1,000 of 4,000 · 30 s left"; a total may be an estimate that is made as one goes.

    >>> how_far(1000, 4000, 10.0), how_far(7, None, 1.0), how_far(0, 9, 1.0)
    ('1,000 of 4,000 · 30 s left', '7', '')
    """
    if not done:
        return ""
    if not total or done >= total:
        return f"{done:,}"
    return f"{done:,} of {total:,} · {seconds * (total - done) / done:,.0f} s left"


def index_first(kb: str | None) -> None:
    """Index files of facts here, with their progress; whoever opens them then finds them in the cache."""
    from arcaneqa.kb.open import is_source, open_kb

    if kb is not None and is_source(Path(kb)):
        with build_progress() as progress:
            open_kb(kb, progress).close()


def draw_diagnosis(diagnosis: Diagnosis) -> None:
    from arcaneqa.support.terminal import say

    for word, text in diagnosis.lines():
        say(f"{word:<{_MARGIN}}{text}")
    for oddity in diagnosis.oddities():
        say(f"{'odd':<{_MARGIN}}{oddity}")
