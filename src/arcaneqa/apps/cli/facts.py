"""`arcaneqa facts`: what is known of an entity."""

from __future__ import annotations

from typing import Annotated

import typer

from arcaneqa.answer.export import Format
from arcaneqa.apps.cli import Kb


def command(
    entity: Annotated[str, typer.Argument(metavar="NAME|IRI", help="A name, a short name or <an IRI>.")],
    kb: Kb = None,
    page: Annotated[int, typer.Option(help="Further values of long lists: 2 for the second ten.", min=1)] = 1,
    form: Annotated[Format, typer.Option("--format", help="How to print the facts.")] = Format.TABLE,
) -> None:
    """Show an entity: its classes and its facts in both directions.

    Example: arcaneqa facts "Marie Curie"
    """
    from arcaneqa.answer.entity_facts import facts_about, find_entity
    from arcaneqa.answer.export import rows_of_facts, turtle_of_facts, write_rows
    from arcaneqa.kb.open import open_kb
    from arcaneqa.kb.short_names import Names
    from arcaneqa.linking.linker import Linker
    from arcaneqa.support.terminal import say, say_json

    with open_kb(kb) as opened:
        node, namesakes = find_entity(opened, Linker(opened), entity)
        facts = facts_about(opened, node, page - 1, namesakes)
        if form is Format.TABLE:
            from arcaneqa.answer.explain import draw_facts
            from arcaneqa.support.console import console

            draw_facts(console(), facts)
        elif form is Format.JSON:
            say_json(facts.to_json(), indent=2)
        elif form is Format.TTL:
            say(turtle_of_facts(facts, Names(opened.profile)))
        else:
            say(write_rows(rows_of_facts(facts), form))
