"""`arcaneqa synth`: question–program pairs made from a knowledge base."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from arcaneqa.apps.cli import Kb

EXAMPLE = "Example: arcaneqa synth --kb my-kb --out questions.jsonl --size 20000"


def command(
    out: Annotated[Path, typer.Option(help="File to write, one JSON record a line.")],
    kb: Kb = None,
    size: Annotated[int, typer.Option(min=1, help="How many pairs.")] = 10_000,
    seed: Annotated[int, typer.Option(help="The same seed gives the same pairs.")] = 0,
) -> None:
    """Make questions with their programs and answers out of a knowledge base, to train on.

    Programs of every function are drawn evenly over relations and classes and put into words from the labels.
    """
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TimeRemainingColumn

    from arcaneqa.kb.open import open_kb
    from arcaneqa.lab.synthesis.synthesize import synthesize
    from arcaneqa.support.console import console
    from arcaneqa.support.files import replacing
    from arcaneqa.support.harmless import json_text
    from arcaneqa.support.outputs import QUESTIONS
    from arcaneqa.support.terminal import say

    QUESTIONS.check(out, "--out")
    made = 0
    screen = console(stderr=True)
    columns = (BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with (
        open_kb(kb) as opened,
        Progress(*columns, console=screen, transient=True, disable=not screen.is_terminal) as bar,
        replacing(out) as file,
    ):
        task = bar.add_task("synth", total=size)
        for question in synthesize(opened, size, seed):
            file.write(json_text(question.to_json()) + "\n")
            made += 1
            bar.advance(task)
    note = "" if made == size else f", all that this knowledge base gave of the {size:,} asked for"
    say(f"{made:,} pairs{note}: {out}")


command.__doc__ = f"{command.__doc__}\n\n{EXAMPLE}"
