"""`arcaneqa sparql`: a program as SPARQL."""

from __future__ import annotations

from typing import Annotated

import typer

EXAMPLE = "Example: arcaneqa sparql '(JOIN people.person.nationality m.0f8l9c)' --profile freebase"


def command(
    program: Annotated[str, typer.Argument(help="An S-expression, in either dialect.")],
    profile: Annotated[
        str, typer.Option(metavar="rdf|freebase|FILE", help="What the predicates mean; FILE is JSON.")
    ] = "rdf",
    exclude_mentioned: Annotated[
        bool, typer.Option("--exclude-mentioned", help="Leave out the entities the program names.")
    ] = False,
) -> None:
    """Print a program as one standard SPARQL 1.1 query, for any server."""
    from arcaneqa.kb.profiles import load_profile
    from arcaneqa.kb.short_names import Names
    from arcaneqa.language.sparql import to_sparql
    from arcaneqa.language.text import parse
    from arcaneqa.support.terminal import say

    meaning = load_profile(profile)
    expression = parse(program, Names(meaning))
    say(to_sparql(expression, meaning, exclude_mentioned=exclude_mentioned))


command.__doc__ = f"{command.__doc__}\n\n{EXAMPLE}"
