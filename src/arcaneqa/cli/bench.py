"""`arcaneqa bench …`: the benchmarks behind every figure in the docs."""

from __future__ import annotations

import typer

command = typer.Typer(help="Measure this machine; tables go to docs/benchmarks.md.", no_args_is_help=True)
