"""The command line, one file a verb; options that several verbs have are said here in the same words."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

Kb = Annotated[str | None, typer.Option(help="Index folder or SPARQL endpoint; the bundled one if left out.")]
Model = Annotated[Path | None, typer.Option(help="Checkpoint folder; the bundled one if left out.")]
Exact = Annotated[
    bool, typer.Option("--exact", help="Let the model read large sets of candidates as a whole; slower.")
]
Device = Annotated[str, typer.Option(help="Where the encoder runs: cpu or cuda.")]
Json = Annotated[bool, typer.Option("--json", help="Print one JSON object.")]
