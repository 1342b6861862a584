"""`arcaneqa convert`: a published dataset as unified records."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

EXAMPLE = "Example: arcaneqa convert webqsp WebQSP.train.json --out train.jsonl --kb my-freebase"


def command(
    format: Annotated[
        str,
        typer.Argument(
            metavar="FORMAT",
            help="grailqa, graphq, webqsp, cwq, simplequestions, or records (already unified).",
        ),
    ],
    source: Annotated[Path, typer.Argument(help="The dataset's file, plain or .gz.")],
    out: Annotated[Path, typer.Option(metavar="FILE.jsonl", help="Where the records go.")],
    kb: Annotated[
        str | None,
        typer.Option(metavar="KB", help="Index folder or endpoint URL; answers are recomputed there."),
    ] = None,
    profile: Annotated[
        str | None,
        typer.Option(metavar="rdf|freebase|FILE", help="How names are written, without a KB."),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the summary as one JSON object.")] = False,
) -> None:
    """Turn a dataset into records, one JSON line a question, and say what became of it.

    A question whose program cannot be expressed keeps its record, without a program, and is counted
    under its reason.
    """
    from contextlib import ExitStack

    from arcaneqa.atomic import replacing
    from arcaneqa.console import console
    from arcaneqa.datasets.convert import FORMATS, Converter, default_profile, read_drafts
    from arcaneqa.errors import InputError
    from arcaneqa.harmless import json_text
    from arcaneqa.kb.open import open_kb
    from arcaneqa.kb.profiles import load_profile
    from arcaneqa.kb.short_names import Names
    from arcaneqa.terminal import say, say_json

    if format not in FORMATS:
        raise InputError(f"There is no format “{format}”; give one of {', '.join(FORMATS)}.")
    if kb is not None and profile is not None:
        raise InputError("Give --kb or --profile, not both: a knowledge base has a profile of its own.")
    with ExitStack() as stack:
        opened = stack.enter_context(open_kb(kb)) if kb is not None else None
        meaning = opened.profile if opened else load_profile(profile or default_profile(format))
        converter = Converter(Names(meaning), opened)
        screen = console(stderr=True)
        status = stack.enter_context(screen.status("reading"))
        file = stack.enter_context(replacing(out))
        for number, record in enumerate(converter.records(read_drafts(format, source, meaning, opened)), 1):
            file.write(json_text(record.to_json()) + "\n")
            if number % 500 == 0:
                status.update(f"{number:,} questions")
    summary = converter.summary
    if as_json:
        say_json(summary.to_json())
    else:
        say(summary.table())


command.__doc__ = f"{command.__doc__}\n\n{EXAMPLE}"
