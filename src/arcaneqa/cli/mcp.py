"""`arcaneqa mcp`: tools for assistants."""

from __future__ import annotations

from typing import Annotated

import typer

from arcaneqa.cli.options import Kb, Model


def command(
    kb: Kb = None,
    model: Model = None,
    http: Annotated[
        str | None,
        typer.Option(
            metavar="HOST:PORT", help="Serve streamable HTTP there instead of standard input and output."
        ),
    ] = None,
    seconds: Annotated[float, typer.Option(help="Deadline of one call.", min=0.1)] = 30.0,
) -> None:
    """Let an assistant ask a knowledge base through the Model Context Protocol.

    Example: arcaneqa mcp --kb my-kb
    """
    from arcaneqa.errors import InputError
    from arcaneqa.extras import needs

    with needs("Serving assistants", "mcp"):
        from arcaneqa.mcp.server import create_server
    host, colon, port = (http or "127.0.0.1:8001").rpartition(":")
    if not colon or not port.isdigit() or not 0 < int(port) < 65536:
        raise InputError(f"--http takes HOST:PORT, for example 127.0.0.1:8001, not “{http}”.")

    from arcaneqa.answer import ArcaneQA

    server = create_server(ArcaneQA.load(kb, model), seconds)
    if http is None:
        server.run("stdio")
    else:
        server.run("streamable-http", host=host, port=int(port))
