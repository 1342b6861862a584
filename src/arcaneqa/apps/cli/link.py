"""`arcaneqa link`: what linking finds in a question."""

from __future__ import annotations

import math
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from arcaneqa.apps.cli import Json, Kb

if TYPE_CHECKING:
    from arcaneqa.kb.interface import KnowledgeBase
    from arcaneqa.links import Links

EXAMPLE = 'Example: arcaneqa link "which river flows through vienna?"'


def command(
    question: Annotated[str, typer.Argument(help="The question, in quotation marks.")],
    kb: Kb = None,
    model: Annotated[
        Path | None,
        typer.Option(help="Model folder, or one with linker weights; the bundled one if left out."),
    ] = None,
    as_json: Json = False,
) -> None:
    """Show mentions, candidate entities, and literals, each with its probability.

    Exit code 1 says that the question names nothing of the knowledge base.
    """
    from arcaneqa.kb.open import open_kb
    from arcaneqa.linking.features import LinkerWeights
    from arcaneqa.linking.linker import Linker
    from arcaneqa.model.stored import bundled_model
    from arcaneqa.support.errors import InputError
    from arcaneqa.support.harmless import is_text
    from arcaneqa.support.terminal import say, say_json

    if not is_text(question):
        raise InputError("The question holds half a character, which is no text; ask again.")
    folder = bundled_model() if model is None else model
    with open_kb(kb) as opened:
        links = Linker(opened, LinkerWeights.of_model(folder)).link(question)
        found = as_data(links, opened)
    if as_json:
        say_json(found)
    else:
        say(as_text(found))
    if not links.mentions and not links.literals:
        raise typer.Exit(1)


def as_data(links: Links, kb: KnowledgeBase) -> dict[str, Any]:
    import numpy as np

    from arcaneqa.kb.short_names import Names
    from arcaneqa.kb.terms import Literal
    from arcaneqa.language.text import write_literal

    names = Names(kb.profile)
    mentions = []
    for mention in links.mentions:
        terms = kb.terms(np.array([candidate.node for candidate in mention.candidates], dtype=np.int64))
        entities = [
            {"id": names.write(term), "label": candidate.label, "probability": _percent(candidate.score)}
            for candidate, term in zip(mention.candidates, terms, strict=True)
            if not isinstance(term, Literal)
        ]
        mentions.append(
            {
                "mention": mention.text,
                "start": mention.start,
                "end": mention.end,
                "probability": _percent(mention.score),
                "entities": entities,
            }
        )
    literals = [
        {
            "mention": literal.text,
            "start": literal.start,
            "end": literal.end,
            "readings": [write_literal(reading, names) for reading in literal.readings],
            "unit": literal.unit,
        }
        for literal in links.literals
    ]
    return {"question": links.question, "mentions": mentions, "literals": literals}


def _percent(log_probability: float) -> float:
    return round(math.exp(log_probability), 4)


def as_text(found: dict[str, Any]) -> str:
    lines = []
    for mention in found["mentions"]:
        lines.append(f"“{mention['mention']}”  {mention['probability']:.0%} a mention")
        for entity in mention["entities"]:
            lines.append(f"    {entity['probability']:4.0%}  {entity['label']}  {entity['id']}")
    for literal in found["literals"]:
        unit = f"  ({literal['unit']})" if literal["unit"] else ""
        lines.append(f"“{literal['mention']}”  a value{unit}")
        lines.extend(f"          {reading}" for reading in literal["readings"])
    return "\n".join(lines) or "The question names nothing of this knowledge base."
