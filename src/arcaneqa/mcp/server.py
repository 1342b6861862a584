"""The tools themselves, over the official SDK: each is one call of `ArcaneQA`, within a deadline."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Annotated, TypeVar

import numpy as np
from mcp.server.mcpserver import MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from mcp.types import ToolAnnotations
from pydantic import Field

from arcaneqa import __version__
from arcaneqa.answer import ArcaneQA
from arcaneqa.answered import MOST_CHARACTERS
from arcaneqa.describe import items_of, items_of_result
from arcaneqa.errors import ArcaneError
from arcaneqa.mcp.contract import Asked, Counted, Described, Found, Ran, Schema, asked, described, items
from arcaneqa.program.execute import Budget, execute
from arcaneqa.program.phrase import paraphrase
from arcaneqa.program.sparql import to_sparql
from arcaneqa.program.text import parse
from arcaneqa.service.gate import Gate, Kind

SECONDS = 30.0
"""For one call."""
MOST_ROWS = 1_000
"""Answers of one call."""
MOST_LISTED = 200
"""Relations and classes of one call."""
PLACES = 64
"""Calls of one kind that may be under way; whoever sends more is told to come back."""

_READS = ToolAnnotations(read_only_hint=True, idempotent_hint=True, open_world_hint=False)
_INSTRUCTIONS = (
    "Facts from one knowledge base, computed exactly. Use `ask` with a whole question in English; check "
    "`read_as` and `confidence` before you rely on an answer. When `reason` is given there is no answer: "
    "say so, or try a reading with `run`. `find` gives ids for names, `describe` the facts of an entity, "
    "`schema` the classes and relations there are."
)

Rows = Annotated[int, Field(ge=1, le=MOST_ROWS, description="How many rows to give back at most.")]
Text = Annotated[str, Field(min_length=1, max_length=MOST_CHARACTERS)]
T = TypeVar("T")


def create_server(qa: ArcaneQA, seconds: float = SECONDS, places: int = PLACES) -> MCPServer:
    server: MCPServer = MCPServer(
        "arcaneqa", instructions=_INSTRUCTIONS, version=__version__, log_level="WARNING"
    )
    gate = Gate(dict.fromkeys(Kind, places))

    async def aside(kind: Kind, work: Callable[[float], T]) -> T:
        """Off the loop that speaks with the client, when it is this kind's turn, with the seconds that are
        left; failures on purpose are sentences for the assistant."""
        until = time.monotonic() + seconds
        try:
            with gate.place(kind):
                return await gate.work(kind, until, lambda: work(max(0.1, until - time.monotonic())))
        except ArcaneError as error:
            raise ToolError(str(error)) from None

    @server.tool(annotations=_READS)
    async def ask(question: Text, rows: Rows = 50) -> Asked:
        """Answer a question in English from the knowledge base, or say why it cannot be answered."""
        return asked(await aside(Kind.QUESTION, lambda left: qa.ask(question, seconds=left)), rows)

    @server.tool(annotations=_READS)
    async def describe(
        entity: Text, page: Annotated[int, Field(ge=0, le=100_000, description="0 for the first.")] = 0
    ) -> Described:
        """An entity's facts by relation, in both directions. `entity` is a name, a short id or an IRI."""

        return await aside(Kind.LOOK, lambda _: described(qa.facts(entity, page)))

    @server.tool(annotations=_READS)
    async def find(name: Text, rows: Rows = 10) -> Found:
        """Entities whose name begins like this, the best known first."""

        def work(_: float) -> Found:
            nodes = [candidate.node for candidate in qa.linker.suggest(name, rows)]
            return Found(entities=items(items_of(qa.kb, np.array(nodes, np.int64))))

        return await aside(Kind.LOOK, work)

    @server.tool(annotations=_READS)
    async def schema(rows: Annotated[int, Field(ge=1, le=MOST_LISTED)] = 50) -> Schema:
        """The classes and relations of the knowledge base, the most used first."""
        return await aside(Kind.LOOK, lambda _: _schema(qa, rows))

    @server.tool(annotations=_READS)
    async def run(program: Text, rows: Rows = 50) -> Ran:
        """Execute a program, for instance one of the readings of `ask`. Nothing is ever written."""

        def work(left: float) -> Ran:
            expression = parse(program, qa.names, qa.kb.schema)
            result = execute(expression, qa.kb, Budget(seconds=left))
            found = items_of_result(qa.kb, result)
            return Ran(
                answers=items(found[:rows]),
                total=len(found),
                read_as=paraphrase(expression, qa.kb),
                sparql=to_sparql(expression, qa.kb.profile, qa.kb.schema),
            )

        return await aside(Kind.PROGRAM, work)

    @server.resource("arcaneqa://schema", name="schema", mime_type="application/json")
    async def schema_resource() -> str:
        """The classes and relations of the knowledge base."""
        return (await aside(Kind.LOOK, lambda _: _schema(qa, MOST_LISTED))).model_dump_json(indent=2)

    return server


def _schema(qa: ArcaneQA, rows: int) -> Schema:
    known, short = qa.kb.schema, qa.names.short
    relations, classes = known.shown_relations[:rows], known.shown_classes[:rows]
    return Schema(
        facts=known.facts,
        classes=[Counted(name=short(c.iri), label=c.label, count=c.members) for c in classes],
        relations=[Counted(name=short(r.iri), label=r.label, count=r.facts) for r in relations],
    )
