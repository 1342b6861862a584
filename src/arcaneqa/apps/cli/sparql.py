"""`arcaneqa sparql`: a program as SPARQL."""

from __future__ import annotations

from typing import Annotated

import typer

from arcaneqa.apps.cli import Kb

EXAMPLE = "Example: arcaneqa sparql '(JOIN people.person.nationality m.0f8l9c)' --profile freebase"


def command(
    program: Annotated[str, typer.Argument(help="An S-expression, in either dialect.")],
    kb: Kb = None,
    profile: Annotated[
        str | None,
        typer.Option(
            metavar="rdf|freebase|FILE",
            help="What the predicates mean, where no knowledge base says it; FILE is JSON.",
        ),
    ] = None,
    exclude_mentioned: Annotated[
        bool, typer.Option("--exclude-mentioned", help="Leave out the entities the program names.")
    ] = False,
) -> None:
    """Print a program as one standard SPARQL 1.1 query, for any server; with --kb in its short names."""
    from arcaneqa.kb.open import open_kb
    from arcaneqa.kb.profiles import load_profile
    from arcaneqa.kb.short_names import Names
    from arcaneqa.language.sparql import to_sparql
    from arcaneqa.language.text import parse
    from arcaneqa.support.errors import InputError
    from arcaneqa.support.terminal import say

    if kb is not None:
        if profile is not None:
            raise InputError("--kb has a profile of its own; leave --profile out.")
        with open_kb(kb) as opened:
            expression = parse(program, Names(opened.profile), opened.schema)
            say(to_sparql(expression, opened.profile, opened.schema, exclude_mentioned))
        return
    meaning = load_profile(profile or "rdf")
    expression = parse(program, Names(meaning))
    say(to_sparql(expression, meaning, exclude_mentioned=exclude_mentioned))


command.__doc__ = f"{command.__doc__}\n\n{EXAMPLE}"
