"""`arcaneqa bench …`: how long questions take on your data, and the service under load."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from arcaneqa.apps.cli import Model

command = typer.Typer(help="Measure your own knowledge base on your own machine.", no_args_is_help=True)


@command.command()
def ask(
    sources: Annotated[
        list[str],
        typer.Argument(
            help="KB=QUESTIONS.jsonl, or KB alone to ask about random entities; demo is the bundled one."
        ),
    ],
    most: Annotated[int, typer.Option(help="Questions of each knowledge base.")] = 200,
    starts: Annotated[int, typer.Option(help="New processes to time, on the first knowledge base.")] = 5,
    document: Annotated[
        Path | None, typer.Option(help="A Markdown file to put the table into as well.")
    ] = None,
) -> None:
    """How long a question takes, and on what: linking, induction, the model.

    Example: arcaneqa bench ask demo=demo/questions.jsonl my-kb
    """
    from arcaneqa.lab.bench.ask import report
    from arcaneqa.lab.figures import write_section
    from arcaneqa.support.terminal import say

    body = report(sources, most, starts)
    named = " ".join("=".join(Path(part).name for part in source.split("=")) for source in sources)
    line = f"arcaneqa bench ask {named} --most {most} --starts {starts}"
    if document is not None:
        write_section(document, "ask", "A question", line, body)
    say(body)


@command.command()
def serve(
    kb: Annotated[str | None, typer.Option(help="Index folder or endpoint; the demo if left out.")] = None,
    model: Model = None,
    seconds: Annotated[float, typer.Option(min=1, help="How long each row is measured.")] = 20.0,
    soak: Annotated[int, typer.Option(help="Only watch the memory while so many questions are asked.")] = 0,
    document: Annotated[
        Path | None, typer.Option(help="A Markdown file to put the table into as well.")
    ] = None,
) -> None:
    """Throughput and p95 of the service with 1, 8, 64 clients and too many, batched and not.

    Example: arcaneqa bench serve --seconds 20
    """
    from arcaneqa.kb.open import open_kb
    from arcaneqa.lab.bench import serve as bench
    from arcaneqa.lab.figures import write_section
    from arcaneqa.lab.synthesis.synthesize import synthesize
    from arcaneqa.support.errors import InputError
    from arcaneqa.support.terminal import say

    with open_kb(kb) as opened:
        made = (question.question for question in synthesize(opened, soak or 3_000))
        questions = list(dict.fromkeys(made))
    if not questions:
        raise InputError("No questions can be made up for this knowledge base, so there is nothing to ask.")
    options = [] if kb is None else ["--kb", kb]
    options += [] if model is None else ["--model", str(model)]
    where = "" if kb is None else " --kb KB"
    if soak:
        body = bench.soak(questions, options, soak)
        line = f"arcaneqa bench serve --soak {soak}{where}"
        section = ("soak", f"Memory over {soak:,} questions", line, body)
    else:
        body = bench.report(questions, options, seconds)
        line = f"arcaneqa bench serve --seconds {seconds:g}{where}"
        section = ("serve", "The service under load", line, body)
    if document is not None:
        write_section(document, *section)
    say(body)
