"""The command line: `arcaneqa VERB …`, one module a verb."""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Sequence
from importlib import import_module
from typing import Annotated, Any

import typer

from arcaneqa import __version__
from arcaneqa.support.errors import ArcaneError
from arcaneqa.support.terminal import say, set_loudness

# In the order people meet them; a module holds its function (or Typer group) as `command`. Those of the lab
# are loaded when one is called: asking never needs them.
VERBS: tuple[str, ...] = (
    "index",
    "info",
    "run",
    "sparql",
    "convert",
    "names",
    "link",
    "synth",
    "prepare",
    "train",
    "ask",
    "facts",
    "evaluate",
    "score",
    "serve",
    "mcp",
    "doctor",
    "cache",
    "bench",
)
LAB = frozenset({"bench", "convert", "evaluate", "prepare", "score", "synth", "train"})


def _version(wanted: bool) -> None:
    if wanted:
        say(f"arcaneqa {__version__}")
        raise typer.Exit


def options(
    version: Annotated[  # noqa: ARG001 - its callback has said it by now
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Say which version this is.")
    ] = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Only results, warnings and errors.")] = False,
    verbose: Annotated[bool, typer.Option("--verbose", "-v", help="Also how long each part took.")] = False,
) -> None:
    """Ask an RDF knowledge base in English; every answer comes with the program that found it."""
    set_loudness(quiet, verbose)


def with_verbs(verbs: Sequence[str]) -> typer.Typer:
    found = typer.Typer(no_args_is_help=True, pretty_exceptions_enable=False, add_completion=True)
    found.callback()(options)
    for verb in verbs:
        module = import_module(f"arcaneqa.{'lab' if verb in LAB else 'apps'}.cli.{verb}")
        if isinstance(module.command, typer.Typer):
            found.add_typer(module.command, name=verb)
        else:
            found.command(name=verb)(module.command)
    return found


def __getattr__(name: str) -> Any:
    # All verbs together only for who asks for them: most of the time would go to those that nobody runs.
    if name == "app":
        return with_verbs(VERBS)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def _asked_for(arguments: Sequence[str]) -> Sequence[str]:
    """The verb that is run, or all of them where none is named: they are listed, or completed."""
    first = next((one for one in arguments if not one.startswith("-")), None)
    return (first,) if first in VERBS else VERBS


def main() -> None:
    """Run a verb; every failure on purpose is one sentence on stderr and exit code 2."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):  # one that has not all letters gets those it lacks as \\u…
            stream.reconfigure(errors="backslashreplace")
    try:
        # Every option may be given by the environment: ARCANEQA_SERVE_PORT is --port of `serve`.
        with_verbs(_asked_for(sys.argv[1:]))(auto_envvar_prefix="ARCANEQA")
    except ArcaneError as error:
        say(f"arcaneqa: {error}", err=True)
        sys.exit(2)
    except (RecursionError, MemoryError) as error:
        # What nobody foresaw of an input that was made to be so.
        what = "is nested too deep" if isinstance(error, RecursionError) else "needs more memory than it gets"
        say(f"arcaneqa: The input {what}.", err=True)
        sys.exit(2)
    except BrokenPipeError:
        # The reader of our output went away (`arcaneqa … | head`); there is nobody left to tell.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(0)
    except OSError as error:
        # What the system does not allow, and nobody foresaw: a name that is too long, a disk that is full.
        place = f": {str(error.filename)[:100]}" if error.filename else ""
        say(f"arcaneqa: {error.strerror or error}{place}", err=True)
        sys.exit(2)
    except SystemExit as ended:
        if ended.code == 130:
            _say_interrupted()
        raise
    except KeyboardInterrupt:
        _say_interrupted()
        sys.exit(130)


def _say_interrupted() -> None:
    say("arcaneqa: Interrupted; nothing half done is left behind.", err=True)
