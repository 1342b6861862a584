"""`arcaneqa serve`: the HTTP API and the page."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated

import typer

from arcaneqa.apps.cli import Device, Kb, Model

TOKEN_VARIABLE = "ARCANEQA_TOKEN"


def bearer_token(file: Path | None) -> str | None:
    """What a file or the environment says is to be asked for; None where nothing is."""
    from arcaneqa.support.errors import InputError

    try:
        token = file.read_text(encoding="utf-8").strip() if file else os.environ.get(TOKEN_VARIABLE)
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"The token file {file} cannot be read ({error}).") from error
    if token == "":
        raise InputError("The bearer token is empty; write one into the file or leave the option out.")
    return token


def command(
    kb: Kb = None,
    model: Model = None,
    host: Annotated[
        str, typer.Option(help="Address to listen on; only this machine by default.")
    ] = "127.0.0.1",
    port: Annotated[
        int, typer.Option(min=0, max=65535, help="Port to listen on; 0 takes a free one.")
    ] = 8000,
    seconds: Annotated[float, typer.Option(min=0.1, help="Deadline of a request.")] = 30.0,
    together: Annotated[int, typer.Option(min=1, help="Questions searched at the same time.")] = 16,
    waiting: Annotated[int, typer.Option(min=1, help="Questions that may wait; more are turned away.")] = 64,
    device: Device = "cpu",
    threshold: Annotated[
        float | None,
        typer.Option(min=0, max=1, help="Answer only with this confidence, where a request says no other."),
    ] = None,
    many: Annotated[
        Path | None,
        typer.Option(
            "--kbs",
            metavar="FOLDER",
            help="Also serve every knowledge base in this folder, under /kb/NAME/v1/.",
        ),
    ] = None,
    most_open: Annotated[int, typer.Option(min=1, help="Of these, how many are open at the same time.")] = 8,
    allow_host: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME", help="A name requests may call the service by, beside this machine's own."
        ),
    ] = None,
    open_page: Annotated[bool, typer.Option("--open", help="Open the page in a browser.")] = False,
    token_file: Annotated[
        Path | None, typer.Option(help=f"Ask for this bearer token; {TOKEN_VARIABLE} works too.")
    ] = None,
    feedback: Annotated[
        Path | None,
        typer.Option(help="Keep what people think of answers, with their questions, in this file."),
    ] = None,
) -> None:
    """Serve the HTTP API under /v1 and the page at /.

    A file of facts is indexed again when it changes. Every option may be given by the environment, too:
    ARCANEQA_SERVE_PORT is --port.

    Example: arcaneqa serve --kb my-kb --port 8080
    """
    from arcaneqa.support.errors import needs
    from arcaneqa.support.terminal import say

    with needs("The service", "serve"):
        from arcaneqa.apps.http.server import is_open_to_others, listen, names_of, show_when_ready

    token = bearer_token(token_file)
    with listen(host, port) as listening:
        if token is None and is_open_to_others(listening):
            say(f"WARNING: {host} is open to others and no token is asked for; see --token-file.", err=True)
        with needs("The service", "serve"):
            from arcaneqa.answer.arcaneqa import ArcaneQA
            from arcaneqa.apps.http.app import create_app
            from arcaneqa.apps.http.folder import Folder
            from arcaneqa.apps.http.gate import Limits
            from arcaneqa.apps.http.server import serve
            from arcaneqa.support.memory import share_one_heap

        share_one_heap()
        qa = ArcaneQA.load(kb, model, device=device)
        hosts = [*(allow_host or []), *names_of(listening)]
        limits = Limits(seconds, together, waiting, threshold)
        source = Path(kb) if kb is not None and Path(kb).is_file() else None
        app = create_app(qa, token=token, limits=limits, hosts=hosts, feedback_file=feedback, source=source)
        if many is not None:
            app.mount("/kb", Folder(many, qa, most_open, limits, token, hosts))
        if open_page:
            show_when_ready(listening)
        serve(app, listening)
