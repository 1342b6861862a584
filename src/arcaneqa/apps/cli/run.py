"""`arcaneqa run`: what a program finds."""

from __future__ import annotations

from typing import Annotated

import typer

from arcaneqa.answer.export import Format
from arcaneqa.apps.cli import Json, Kb

EXAMPLE = "Example: arcaneqa run '(COUNT (JOIN people.person.nationality m.0f8l9c))' --kb my-kb"


def command(
    program: Annotated[str, typer.Argument(help="An S-expression, in either dialect.")],
    kb: Kb = None,
    exclude_mentioned: Annotated[
        bool, typer.Option("--exclude-mentioned", help="Leave out the entities the program names.")
    ] = False,
    form: Annotated[Format | None, typer.Option("--format", help="How to print what it finds.")] = None,
    as_json: Json = False,
) -> None:
    """Execute a program and print what it finds; exit code 1 if that is nothing."""
    import time

    from arcaneqa.answer.describe import MOST_ITEMS, items_of_result, table_of_result
    from arcaneqa.answer.export import rows_of_answer, turtle_of_answer, write_rows
    from arcaneqa.answer.shown import shown
    from arcaneqa.kb.open import open_kb
    from arcaneqa.kb.short_names import Names
    from arcaneqa.language.phrase import paraphrase
    from arcaneqa.language.run import execute
    from arcaneqa.language.text import parse, print_program
    from arcaneqa.support.harmless import one_line
    from arcaneqa.support.terminal import say, say_json

    with open_kb(kb) as opened:
        names = Names(opened.profile)
        expression = parse(program, names, opened.schema)
        begun = time.perf_counter()
        result = execute(expression, opened, exclude_mentioned=exclude_mentioned)
        items, table = items_of_result(opened, result), table_of_result(opened, result)
        seconds = time.perf_counter() - begun
        phrase = paraphrase(expression, opened)
        whole = None if form is None else shown(opened, expression, items, table, True, MOST_ITEMS)
    if as_json or form is Format.JSON:
        record = {
            "program": print_program(expression, names),
            "paraphrase": phrase,
            "answers": [item.to_json() for item in items],
            "seconds": round(seconds, 6),
        }
        say_json(record if table is None else record | {"table": table.to_json()})
    elif form is Format.TTL:
        say(turtle_of_answer(items, table, names))
    elif form is not None and form is not Format.TABLE:
        say(write_rows(rows_of_answer(items, whole), form))
    elif table is not None:
        for row in (table.columns, *table.told):
            say("\t".join(map(one_line, row)))
    else:
        for item in items:
            name = item.id if item.id is not None else item.value or ""
            parts = [name] if item.label in (None, name) else [name, item.label or ""]
            say("\t".join(map(one_line, parts)))
    if not items and (table is None or not table.rows):
        if not as_json:
            say("The program finds nothing.", err=True)
        raise typer.Exit(1)


command.__doc__ = f"{command.__doc__}\n\n{EXAMPLE}"
