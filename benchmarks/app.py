"""What all benchmarks share: the command line they are verbs of, and the way a table gets into the docs."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from arcaneqa.lab.figures import write_section

MEASUREMENTS = Path("docs/measurements")
Document = Annotated[Path, typer.Option(help="Where the table goes.")]

app = typer.Typer(
    help="Measure this machine; tables go to docs/measurements/.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    add_completion=False,
)


def say(line: str) -> None:
    """How it goes, beside the result."""
    typer.echo(line, err=True)


def publish(document: Path, name: str, title: str, command: str, body: str) -> None:
    """Put a table into the docs, and show it."""
    write_section(document, name, title, command, body)
    typer.echo(body)
