"""What the guide takes from the code when it is built: the commands, and links to files that are no pages."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import typer

from arcaneqa.apps.cli.main import app

HOME = Path(__file__).parents[2]
_OUTSIDE = re.compile(r"\[([^\]]+)\]\((\.\./[^)\s]+)\)")


def on_page_markdown(markdown: str, *, page: Any, **_: Any) -> str:
    if page.file.src_uri == "commands.md":
        markdown = markdown.replace("<!-- verbs -->", commands())
    # Files of the repository beside docs/ are named, not linked: the built guide does not have them.
    folder = (HOME / "docs" / page.file.src_uri).parent
    return _OUTSIDE.sub(lambda link: _named(link, folder), markdown)


def _named(link: re.Match[str], folder: Path) -> str:
    target = (folder / link[2].split("#")[0]).resolve()
    if HOME / "docs" in target.parents:
        return link[0]
    return f"{link[1]} (`{target.relative_to(HOME)}`)"


def commands() -> str:
    """Every verb as `--help` tells it."""
    return _command("", typer.main.get_command(app))


def _command(name: str, command: Any) -> str:
    if hasattr(command, "commands"):
        return "\n".join(_command(f"{name} {verb}".strip(), one) for verb, one in command.commands.items())
    context = command.context_class(command, info_name=f"arcaneqa {name}")
    usage = " ".join([f"arcaneqa {name}", *command.collect_usage_pieces(context)])
    parts = [f"## {name}", *_help(command.help or ""), f"`{usage}`", ""]
    rows = [
        _row(parameter, context) for parameter in command.params if not getattr(parameter, "hidden", False)
    ]
    if rows:
        parts += ["| | |", "|---|---|", *rows, ""]
    return "\n".join(parts)


def _help(text: str) -> list[str]:
    return [
        line.replace("Example: ", "Example: `") + ("`" if "Example: " in line else "")
        for line in text.splitlines()
    ]


def _row(parameter: Any, context: Any) -> str:
    record = parameter.get_help_record(context)
    if record is None:
        names, told = parameter.make_metavar(context), getattr(parameter, "help", "") or ""
    else:
        names, told = record
    cells = (re.sub(r"\s+", " ", cell).replace("|", "\\|") for cell in (f"`{names}`", told))
    return f"| {' | '.join(cells)} |"
