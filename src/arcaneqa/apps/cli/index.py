"""`arcaneqa index`: RDF files → index folder."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

EXAMPLE = "Example: arcaneqa index facts.nt.gz --out my-kb"


def command(
    sources: Annotated[
        list[str],
        typer.Argument(
            metavar="SOURCE...",
            help="N-Triples, N-Quads, Turtle, TriG, N3, RDF/XML, JSON-LD, SQLite, CSV, TSV, Parquet, Excel, "
            "JSON, JSON lines; plain, .gz, .bz2 or .zst; files, folders of them, or postgresql://user@host/database.",
        ),
    ],
    out: Annotated[Path, typer.Option(metavar="DIR", help="The index folder to make, or to replace.")],
    profile: Annotated[
        str | None,
        typer.Option(
            metavar="NAME|FILE",
            help="What the predicates mean: rdf, freebase, wikidata, dbpedia, schema.org, skos, or a JSON "
            "file that overrules part of one; if left out, the facts decide.",
        ),
    ] = None,
    label: Annotated[
        list[str] | None,
        typer.Option(metavar="IRI", help="A predicate that says what things are called; may be repeated."),
    ] = None,
    ontology: Annotated[
        Path | None,
        typer.Option(metavar="DIR", help="Folder with fb_roles, fb_types, reverse_properties."),
    ] = None,
    base: Annotated[str | None, typer.Option(metavar="IRI", help="What completes relative IRIs.")] = None,
    tables: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME", help="A table wanted of a server; may be repeated. All, if left out."),
    ] = None,
    schema: Annotated[
        str | None, typer.Option(metavar="NAME", help="The schema of a server whose tables are wanted.")
    ] = None,
    glossary: Annotated[
        Path | None, typer.Option(metavar="FILE", help="A TOML file with other words for what is here.")
    ] = None,
    lenient: Annotated[
        bool, typer.Option("--lenient", help="Leave out statements that do not parse, and count them.")
    ] = False,
    rows: Annotated[
        int | None,
        typer.Option(metavar="N", min=1, help="Most rows of a table; else as many as suit its file's size."),
    ] = None,
) -> None:
    """Index a knowledge base, so that questions about it are answered exactly and fast.

    An index that is already at DIR is replaced only when the new one is complete.
    """
    from arcaneqa.apps.cli.building import build_progress, draw_diagnosis
    from arcaneqa.apps.compiling import compile_ahead
    from arcaneqa.kb.build import build_index
    from arcaneqa.kb.profiles import wanted_profile
    from arcaneqa.support.terminal import note, say

    with build_progress() as progress:
        report = build_index(
            sources,
            out,
            profile=replace(wanted_profile(profile), labels=tuple(label or ())),
            ontology=ontology,
            base=base,
            lenient=lenient,
            most_rows=rows,
            progress=progress,
            tables=tables or (),
            schema=schema,
            glossary=glossary,
        )
        if sys.stderr.isatty():  # somebody waits and will ask; a script may never
            compile_ahead(progress, out)
    if report.skipped.count:
        were = "statement was" if report.skipped.count == 1 else "statements were"
        note(f"{report.skipped.count:,} {were} left out; the first of them:")
        for sentence in report.skipped.first:
            note(f"  {sentence}")
    for outcry in report.skipped.outcries:
        say(f"WARNING: {outcry}", err=True)
    draw_diagnosis(report.diagnosis)
    more = report.facts - (report.before or 0)
    was = "" if report.before is None else f" ({'+' if more >= 0 else '−'}{abs(more):,} since the last build)"
    say(
        f"{report.facts:,} facts{was}, {report.entities:,} entities, {report.literals:,} literals, "
        f"{report.relations:,} relations, {report.classes:,} classes → {out}"
    )
    if report.skipped.outcries:
        raise typer.Exit(1)


command.__doc__ = f"{command.__doc__}\n\n{EXAMPLE}"
