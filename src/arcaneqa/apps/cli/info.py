"""`arcaneqa info`: what a knowledge base holds."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from arcaneqa.apps.cli import Json

if TYPE_CHECKING:
    from arcaneqa.kb.interface import KnowledgeBase

EXAMPLE = "Example: arcaneqa info my-kb --verify"
_SHOWN = 15
"""Rows of a table: relations or classes, those with most facts or members."""
_WIDEST = 60
"""Characters of an example."""


def command(
    kb: Annotated[str | None, typer.Argument(metavar="KB", help="Index folder or endpoint URL.")] = None,
    verify: Annotated[bool, typer.Option("--verify", help="Check the checksum of every file.")] = False,
    as_json: Json = False,
) -> None:
    """Counts, relations and classes by frequency, kinds of values; left out, KB is the bundled demo."""
    from arcaneqa.kb.index import Index
    from arcaneqa.kb.index.store import verify as verify_files
    from arcaneqa.kb.open import open_kb
    from arcaneqa.support.errors import InputError
    from arcaneqa.support.terminal import say_json

    with open_kb(kb) as opened:
        if verify:
            if not isinstance(opened, Index):
                raise InputError("Only an index has checksums; --verify needs the path of an index folder.")
            checked = verify_files(Path(opened.folder))
        facts = _describe(opened)
    if verify:
        facts["verified_files"] = checked
    if as_json:
        say_json(facts)
    else:
        _print(facts)


command.__doc__ = f"{command.__doc__}\n\n{EXAMPLE}"


def _describe(kb: KnowledgeBase) -> dict[str, Any]:
    from arcaneqa.kb.endpoint.endpoint import Endpoint
    from arcaneqa.kb.harvest import names_are
    from arcaneqa.kb.index import Index
    from arcaneqa.kb.schema import written
    from arcaneqa.kb.short_names import Names

    schema = kb.schema
    counts = dict(kb.counts) if isinstance(kb, Index) else {"facts": schema.facts}
    kinds = Counter(kind for relation in schema.relations for kind in relation.kinds)
    readable = written(schema, Names(kb.profile))
    for relation in readable["relations"]:
        relation["example"] = None
    if isinstance(kb, Index):
        by_iri = {relation["iri"]: relation for relation in readable["relations"]}
        for shown in schema.shown_relations[:_SHOWN]:
            if shown.chain is None:  # chains are no part of a schema to hand in
                by_iri[shown.iri]["example"] = kb.example(shown.id)
    return {
        "profile": kb.profile.name,
        "names": names_are(kb) if isinstance(kb, Endpoint) else None,
        "understood": kb.diagnosis.to_json() if isinstance(kb, Index) and kb.diagnosis else None,
        "counts": {**counts, "relations": len(schema.relations), "classes": len(schema.classes)},
        "relations_by_value_kind": dict(sorted(kinds.items())),
        **readable,
    }


def _print(facts: dict[str, Any]) -> None:
    from rich.table import Table

    from arcaneqa.apps.cli.building import draw_diagnosis
    from arcaneqa.kb.diagnosis import Diagnosis
    from arcaneqa.support.console import console

    screen = console()
    counts = ", ".join(f"{count:,} {name}" for name, count in facts["counts"].items())
    screen.print(f"{counts} (profile {facts['profile']})")
    if facts["names"] is not None:
        screen.print(facts["names"])
    if "verified_files" in facts:
        screen.print(f"All {facts['verified_files']} files match their checksums.")
    if facts["understood"] is not None:
        draw_diagnosis(Diagnosis.from_json(facts["understood"]))
    relations = Table(
        "relation", "facts", "values", "from", "to", "for example", title="Relations by frequency"
    )
    shown = [relation for relation in facts["relations"] if not relation["hidden"]]
    called = {klass["name"]: klass["label"] for klass in facts["classes"]}
    for relation in shown[:_SHOWN]:
        kinds = ", ".join(relation["kinds"]) + (", identifier" if relation["is_identifier"] else "")
        ends = (_end(relation, "domain", called), _end(relation, "range", called))
        example = " → ".join(relation["example"] or ())
        relations.add_row(relation["label"], f"{relation['facts']:,}", kinds, *ends, example[:_WIDEST])
    classes = Table("class", "label", "members", title="Classes by frequency")
    for klass in [klass for klass in facts["classes"] if not klass["hidden"]][:_SHOWN]:
        classes.add_row(klass["name"], klass["label"], f"{klass['members']:,}")
    screen.print(relations, classes)
    values = ", ".join(f"{kind} {count:,}" for kind, count in facts["relations_by_value_kind"].items())
    screen.print(f"Relations by kind of value: {values}. All of it: --json.")


def _end(relation: dict[str, Any], end: str, called: dict[str, str]) -> str:
    """A class that is only that of most is not said to be that of all."""
    if relation[end] is None:
        return ""
    label = called[relation[end]]
    return label if relation[f"{end}_declared"] else f"mostly {label}"
