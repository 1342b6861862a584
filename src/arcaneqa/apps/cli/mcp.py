"""`arcaneqa mcp`: tools for assistants."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from arcaneqa.apps.cli import Kb, Model
from arcaneqa.apps.cli.serve import TOKEN_VARIABLE, bearer_token


def command(
    kb: Kb = None,
    model: Model = None,
    http: Annotated[
        str | None,
        typer.Option(
            metavar="HOST:PORT", help="Serve streamable HTTP there instead of standard input and output."
        ),
    ] = None,
    allow_host: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME", help="Over HTTP, a name requests may call it by, beside this machine's."
        ),
    ] = None,
    token_file: Annotated[
        Path | None, typer.Option(help=f"Over HTTP, ask for this bearer token; {TOKEN_VARIABLE} works too.")
    ] = None,
    seconds: Annotated[float, typer.Option(help="Deadline of one call.", min=0.1)] = 30.0,
) -> None:
    """Let an assistant ask a knowledge base through the Model Context Protocol.

    Example: arcaneqa mcp --kb my-kb
    """
    from arcaneqa.support.errors import InputError, needs

    with needs("Serving assistants", "mcp"):
        from arcaneqa.apps.mcp import create_server
    token = bearer_token(token_file) if http is not None else None
    host, colon, port = (http or "127.0.0.1:8001").rpartition(":")
    if not colon or not port.isdigit() or not 0 < int(port) < 65536:
        raise InputError(f"--http takes HOST:PORT, for example 127.0.0.1:8001, not “{http}”.")

    from arcaneqa.answer.arcaneqa import ArcaneQA

    if http is None:
        create_server(ArcaneQA.load(kb, model), seconds).run("stdio")
        return
    from arcaneqa.apps.http.server import is_open_to_others, listen, names_of
    from arcaneqa.apps.mcp import serve_http
    from arcaneqa.support.terminal import say

    with listen(host.strip("[]"), int(port)) as listening:
        if token is None and is_open_to_others(listening):
            say(f"WARNING: {host} is open to others and no token is asked for; see --token-file.", err=True)
        server = create_server(ArcaneQA.load(kb, model), seconds)
        serve_http(server, listening, token, [*(allow_host or []), *names_of(listening)])
