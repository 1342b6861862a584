"""`arcaneqa ask`: the main job."""

from __future__ import annotations

import gc
from pathlib import Path
from typing import Annotated

import typer

from arcaneqa.answer.export import Format
from arcaneqa.apps.cli import Exact, Model


def command(
    question: Annotated[str | None, typer.Argument(help="The question, in English.")] = None,
    kb: Annotated[
        str | None,
        typer.Option(
            metavar="KB|FILE",
            help="Index folder, SPARQL endpoint or file of facts; the bundled one if left out.",
        ),
    ] = None,
    model: Model = None,
    why: Annotated[bool, typer.Option(help="Show the facts that make the answer so.")] = False,
    explain: Annotated[bool, typer.Option(help="Show what was considered at each step.")] = False,
    heatmap: Annotated[
        Path | None, typer.Option(help="Draw what the model looked at into this .png or .html file.")
    ] = None,
    input: Annotated[Path | None, typer.Option(help="Questions as JSON lines.")] = None,
    output: Annotated[
        Path | None,
        typer.Option(help="Predictions as JSON lines; an interrupted run goes on where it stopped."),
    ] = None,
    exclude_mentioned: Annotated[
        bool, typer.Option(help="Leave out entities that the question itself names.")
    ] = False,
    threshold: Annotated[
        float | None,
        typer.Option(
            help="Answer only with at least this confidence, 0 to 1; says what share is then right."
        ),
    ] = None,
    glossary: Annotated[
        Path | None, typer.Option(metavar="FILE", help="A TOML file with other words for what is here.")
    ] = None,
    exact: Exact = False,
    form: Annotated[
        Format, typer.Option("--format", help="How to print the answer: table, csv, tsv, md, json or ttl.")
    ] = Format.TABLE,
    as_json: Annotated[bool, typer.Option("--json", help="Print the prediction record.")] = False,
) -> None:
    """Ask a question, or a file of them; without either, a conversation.

    Example: arcaneqa ask "what is the capital of France?" --explain
    """
    from arcaneqa.apps.cli.building import index_first
    from arcaneqa.support.errors import InputError
    from arcaneqa.support.terminal import detail, note, say, say_json

    if threshold is not None and not 0 <= threshold <= 1:
        raise InputError(f"--threshold is a probability between 0 and 1, not {threshold}.")
    if question is not None and input is not None:
        raise InputError('Give either a question ("…") or --input FILE, one of the two.')
    if (input is None) != (output is None):
        raise InputError("--input and --output go together.")
    if question is None:
        for_one = {
            "--json": as_json,
            "--format": form is not Format.TABLE,
            "--explain": explain,
            "--why": why,
        }
        for_one |= {
            "--heatmap": heatmap is not None,
            "--exclude-mentioned": exclude_mentioned and input is None,
        }
        for option, given in for_one.items():
            if given:
                instead = "give one" if input is None else f"with --input, {output} holds the records"
                raise InputError(f"{option} is for one question; {instead}.")
    if heatmap is not None:
        from arcaneqa.answer.heatmap import check_place

        check_place(heatmap)
    # Modules stay: garbage is looked for neither while they are imported nor among them later. What tables
    # are read with comes after them: it wants to be collected at the end.
    gc.disable()
    from arcaneqa.answer.arcaneqa import ArcaneQA

    gc.freeze()
    gc.enable()
    index_first(kb)
    if input is not None and output is not None:
        from arcaneqa.answer.batch import answer_file

        summary = answer_file(input, output, kb, model, exact, threshold, exclude_mentioned, glossary)
        note(str(summary))
        return
    qa = ArcaneQA.load(kb, model, exact=exact, glossary=glossary)
    if question is None:
        from arcaneqa.apps.cli.prompt import converse
        from arcaneqa.support.console import console

        converse(qa, console(), threshold)
        return
    answer = qa.ask(question, exclude_mentioned=exclude_mentioned, threshold=threshold)
    detail(", ".join(f"{part} {seconds * 1000:,.0f} ms" for part, seconds in answer.timings.items()))
    if as_json or form is Format.JSON:
        record = answer.to_prediction("1").to_json()
        if explain and answer.trace is not None:
            record["trace"] = answer.trace.to_json(most=8)
        if why:
            record["support"] = [fact.to_json() for fact in answer.support]
        say_json(record, indent=2)
    elif form is not Format.TABLE:
        if answer.reason is not None:
            say(answer.reason, err=True)
        else:
            from arcaneqa.answer.export import exported

            say(exported(answer, form, qa.names))
    else:
        from arcaneqa.answer.explain import draw_answer, draw_support, draw_walk
        from arcaneqa.support.console import console

        screen = console()
        draw_answer(screen, answer, threshold)
        if why and answer.reason is None:
            draw_support(screen, answer.support)
        if explain:
            from arcaneqa.answer.heatmap import heat_maps, terminal

            draw_walk(screen, answer)
            for shown in heat_maps(qa, answer):
                screen.print(terminal(shown))
    if heatmap is not None:
        from arcaneqa.answer.heatmap import heat_maps, save

        save(heat_maps(qa, answer), heatmap)
    raise typer.Exit(0 if answer.reason is None else 1)
