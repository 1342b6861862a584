"""`arcaneqa convert`: a published dataset as unified records."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from arcaneqa.lab.datasets.convert import ConversionSummary
    from arcaneqa.record import Question

EXAMPLE = "Example: arcaneqa convert webqsp WebQSP.train.json --out train.jsonl --kb my-freebase"


def command(
    format: Annotated[
        str,
        typer.Argument(
            metavar="FORMAT",
            help="grailqa, graphq, webqsp, cwq, simplequestions, spider, or records (already unified).",
        ),
    ],
    source: Annotated[
        Path, typer.Argument(help="The dataset's file, plain or .gz; for spider the folder that holds it.")
    ],
    out: Annotated[Path, typer.Option(metavar="FILE.jsonl", help="Where the records go.")],
    kb: Annotated[
        str | None,
        typer.Option(
            metavar="KB",
            help="Index folder or endpoint URL; answers are recomputed there. For spider a folder with an "
            "index for each database, of its name.",
        ),
    ] = None,
    database: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME", help="Only this database of spider; may be given several times."),
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

    from arcaneqa.lab.datasets.convert import FORMATS, ConversionSummary
    from arcaneqa.support.console import console
    from arcaneqa.support.errors import InputError
    from arcaneqa.support.files import replacing
    from arcaneqa.support.harmless import json_text
    from arcaneqa.support.outputs import QUESTIONS
    from arcaneqa.support.terminal import say, say_json

    if format not in FORMATS:
        raise InputError(f"There is no format “{format}”; give one of {', '.join(FORMATS)}.")
    if kb is not None and profile is not None:
        raise InputError("Give --kb or --profile, not both: a knowledge base has a profile of its own.")
    QUESTIONS.check(out, "--out", [source])
    summary = ConversionSummary()
    if format == "spider":
        records = _of_databases(source, kb, database, summary)
    else:
        records = _of_file(format, source, kb, profile, summary)
    with ExitStack() as stack:
        status = stack.enter_context(console(stderr=True).status("reading"))
        file = stack.enter_context(replacing(out))
        for number, record in enumerate(records, 1):
            file.write(json_text(record.to_json()) + "\n")
            if number % 500 == 0:
                status.update(f"{number:,} questions")
    if as_json:
        say_json(summary.to_json())
    else:
        say(summary.table())


def _of_file(
    format: str, source: Path, kb: str | None, profile: str | None, summary: ConversionSummary
) -> Iterator[Question]:
    from contextlib import nullcontext

    from arcaneqa.kb.open import open_kb
    from arcaneqa.kb.profiles import load_profile
    from arcaneqa.kb.short_names import Names
    from arcaneqa.lab.datasets.convert import Converter, default_profile, read_drafts

    with open_kb(kb) if kb is not None else nullcontext() as opened:
        meaning = opened.profile if opened else load_profile(profile or default_profile(format))
        converter = Converter(Names(meaning), opened, summary)
        yield from converter.records(read_drafts(format, source, meaning, opened))


def _of_databases(
    source: Path, kbs: str | None, chosen: list[str] | None, summary: ConversionSummary
) -> Iterator[Question]:
    """Every database is a knowledge base of its own."""
    from arcaneqa.kb.open import open_kb
    from arcaneqa.kb.short_names import Names
    from arcaneqa.lab.datasets.convert import Converter
    from arcaneqa.support.errors import InputError, needs

    with needs("Reading SQL", "train"):
        from arcaneqa.lab.datasets import spider
    if kbs is None:
        raise InputError("spider needs --kb: a folder with an index for each database, of its name.")
    for name in chosen or spider.databases(source):
        if not (folder := Path(kbs) / name).is_dir():
            graph = source / "kb" / f"{name}.nt.gz"
            raise InputError(
                f"There is no index {folder}; make it with: arcaneqa index {graph} --out {folder}"
            )
        with open_kb(str(folder)) as opened:
            converter = Converter(Names(opened.profile), opened, summary)
            yield from converter.records(spider.read(source, name, opened))


command.__doc__ = f"{command.__doc__}\n\n{EXAMPLE}"
