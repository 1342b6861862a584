"""`arcaneqa names`: names for linking over an endpoint."""

from __future__ import annotations

from typing import Annotated

import typer


def command(
    source: Annotated[str, typer.Argument(help="The endpoint's URL, or an RDF file with the labels.")],
    url: Annotated[
        str | None, typer.Option("--for", metavar="URL", help="The endpoint that a file's labels are for.")
    ] = None,
) -> None:
    """Fetch the names of a SPARQL endpoint, so that questions over it are linked as well as over an index.

    A fetch that was stopped goes on where it was. Fetch again when the server has new names.

    Example: arcaneqa names http://localhost:7878/query
    """
    from pathlib import Path

    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    from arcaneqa.kb.endpoint import open_endpoint
    from arcaneqa.kb.harvest import harvest, harvest_file
    from arcaneqa.support.console import console
    from arcaneqa.support.errors import InputError
    from arcaneqa.support.memory import share_one_heap
    from arcaneqa.support.terminal import say

    is_url = source.startswith(("http://", "https://"))
    if is_url == (url is not None):
        raise InputError("Give an endpoint's URL, or a file and --for URL.")
    share_one_heap()
    shown = console(stderr=True)
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=shown, transient=True, disable=not shown.is_terminal) as bar:
        task = bar.add_task("counting names", total=None)

        def progress(stage: str, done: int, total: int | None) -> None:
            bar.update(task, description=stage, completed=done, total=total)

        with open_endpoint(url or source) as endpoint:
            if url is None:
                names = harvest(endpoint, progress)
            else:
                names = harvest_file([Path(source)], endpoint, progress)
            say(f"{len(names):,} names are kept for {url or source}")
