"""`arcaneqa prepare`: every decision of every question with its candidates, once."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def command(
    data: Annotated[list[Path], typer.Argument(help="Questions with programs, as JSON lines.")],
    out: Annotated[Path, typer.Option(help="Folder of the prepared set.")],
    kb: Annotated[str | None, typer.Option(help="Index folder; the bundled one if left out.")] = None,
    topics: Annotated[
        str,
        typer.Option(
            help="gold: the program's entities; linked: all the linker finds, the gold among it; readings: "
            "the choice among whole programs."
        ),
    ] = "gold,linked",
    most: Annotated[int, typer.Option(help="Candidates a decision keeps; larger sets are sampled.")] = 128,
    holes: Annotated[
        float, typer.Option(help="Share of readings prepared again with something missing from the facts.")
    ] = 0.5,
    strange: Annotated[
        list[Path] | None, typer.Option(help="Questions for other knowledge bases: no reading is right.")
    ] = None,
    model: Annotated[
        Path | None, typer.Option(help="A model that searches for the other readings; noise does without it.")
    ] = None,
    workers: Annotated[int | None, typer.Option(help="Processes; one per processor if left out.")] = None,
    limit: Annotated[int | None, typer.Option(help="Only so many questions, for a rehearsal.")] = None,
    seed: Annotated[int, typer.Option(help="Of the sampling.")] = 1,
    as_json: Annotated[bool, typer.Option("--json", help="Print the report as JSON.")] = False,
) -> None:
    """Prepare questions for training, which then never opens the knowledge base.

    Example: arcaneqa prepare grailqa-train.jsonl --kb my-kb --out prepared/grailqa
    """
    import os
    import sys

    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    from arcaneqa.lab.training.prepare import GOLD, LINKED, READINGS, Plan, prepare
    from arcaneqa.support.console import console
    from arcaneqa.support.errors import InputError
    from arcaneqa.support.terminal import say, say_json

    ways = tuple(part.strip() for part in topics.split(","))
    if not set(ways) <= {GOLD, LINKED, READINGS}:
        raise InputError(f"--topics takes gold, linked, readings or some with commas, not {topics!r}")
    if not 0 <= holes <= 1:
        raise InputError("--holes is a share from 0 to 1")
    if most < 4:
        raise InputError("--most must be at least 4")
    searching = None if model is None else str(model)
    plan = Plan(ways, most, seed, holes, searching)
    screen = console(stderr=True)
    columns = (TextColumn("preparing"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=screen, disable=not sys.stderr.isatty()) as bar:
        task = bar.add_task("", total=None)

        def tell(done: int, total: int) -> None:
            bar.update(task, completed=done, total=total)

        processes = workers or os.cpu_count() or 1
        report = prepare(data, kb, out, plan, processes, limit, tell, strange or ())
    if as_json:
        say_json(report.to_json())
        return
    say(f"{report.examples:,} examples from {report.questions:,} questions in {out}")
    if report.without_program:
        say(f"without a program: {report.without_program:,}")
    for reason, count in report.left_out.most_common():
        say(f"left out, {reason}: {count:,}")
