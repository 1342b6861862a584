"""Tools for assistants over the official SDK: each is one call of `ArcaneQA`, within a deadline."""

from __future__ import annotations

import socket
import time
from collections.abc import Callable, Collection, Iterable
from dataclasses import asdict
from typing import Annotated, TypeVar

import numpy as np
import uvicorn
from mcp.server.mcpserver import MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from mcp.server.transport_security import TransportSecuritySettings
from mcp.types import ToolAnnotations
from pydantic import BaseModel, Field

from arcaneqa import __version__
from arcaneqa.answer.answer import MOST_CHARACTERS, Answer
from arcaneqa.answer.arcaneqa import ArcaneQA
from arcaneqa.answer.describe import items_of, items_of_result, table_of_result
from arcaneqa.answer.entity_facts import Facts
from arcaneqa.answer.shown import Shown, shown
from arcaneqa.answer.talks import Talks
from arcaneqa.apps.http.connections import uvicorn_config
from arcaneqa.apps.http.gate import Gate, WorkKind
from arcaneqa.apps.http.safety import MOST_BODY, Safety
from arcaneqa.language.phrase import paraphrase
from arcaneqa.language.run import Budget, execute
from arcaneqa.language.sparql import to_sparql
from arcaneqa.language.text import parse
from arcaneqa.record import AnswerItem, Outcome
from arcaneqa.support.errors import ArcaneError

# What the tools give back, as schemas that a client can check.


class Item(BaseModel):
    """An entity with its `id`, or a `value`."""

    label: str | None = None
    id: str | None = Field(None, description="Short name of an entity; `describe` takes it.")
    iri: str | None = None
    value: str | None = None
    datatype: str | None = None


class Reading(BaseModel):
    paraphrase: str
    program: str = Field(description="`run` executes it.")


class RelationFacts(BaseModel):
    relation: str
    label: str
    inverse: bool = Field(description="The entity is what these are related to: read the fact from them.")
    values: list[Item]
    total: int


class Described(BaseModel):
    id: str | None
    iri: str | None
    label: str | None
    classes: list[str]
    facts: list[RelationFacts]
    namesakes: list[Item] = Field(description="Other entities of the same name.")


class Tabled(BaseModel):
    """Rows of terms or values: a table that was asked for, or things with all their columns."""

    columns: list[str]
    rows: list[list[Item | None]]
    total: int = Field(description="Rows that there are; fewer may be given.")


class Asked(BaseModel):
    """Answers; or readings to choose among; or a reason why there is neither."""

    outcome: Outcome = Field(
        description="With `ask`, ask the user which of the readings is meant and `run` it."
    )
    answers: list[Item] = Field(description="At most the number of rows asked for.")
    total: int
    read_as: str | None = Field(description="What the question was taken to mean; check it before use.")
    confidence: float | None
    expected: float | None = Field(description="Share of right answers among all that are given.")
    program: str | None
    sparql: str | None
    reason: str | None = Field(description="Why there is no answer; do not invent one.")
    readings: list[Reading] = Field(description="What else the question may mean.")
    not_used: list[str] = Field(description="Words of the question that the answer leaves out.")
    about: Described | None = Field(
        None, description="Where the question only names an entity: what is known of it."
    )
    table: Tabled | None = None
    carried: str | None = Field(None, description="What was taken from earlier questions.")
    conversation: str | None = Field(None, description="Give it with the next question.")
    support: list[list[str | None]] | None = Field(
        None, description="Facts that make it so: subject, predicate, object, table or file."
    )


class Found(BaseModel):
    entities: list[Item]


class Counted(BaseModel):
    name: str
    label: str
    count: int


class Schema(BaseModel):
    """The most used first."""

    facts: int
    classes: list[Counted]
    relations: list[Counted]


class Ran(BaseModel):
    answers: list[Item]
    total: int
    table: Tabled | None = None
    read_as: str
    sparql: str


def items(found: Iterable[AnswerItem]) -> list[Item]:
    return [Item(**asdict(item)) for item in found]


def tabled(shown: Shown | None) -> Tabled | None:
    if shown is None:
        return None
    cells = [[None if cell is None else Item(**asdict(cell)) for cell in row] for row in shown.table.cells]
    return Tabled(columns=list(shown.table.columns), rows=cells, total=shown.total)


def asked(answer: Answer, rows: int, conversation: str | None = None, support: bool = False) -> Asked:
    given = answer.items if answer.reason is None else ()
    return Asked(
        outcome=answer.outcome,
        answers=items(given[:rows]),
        total=len(given),
        read_as=answer.paraphrase if answer.reason is None else None,
        confidence=answer.confidence,
        expected=answer.expected,
        program=answer.program,
        sparql=answer.sparql,
        reason=answer.reason,
        readings=[Reading(paraphrase=r.paraphrase, program=r.program) for r in answer.readings],
        not_used=list(answer.not_used),
        about=None if answer.facts is None else described(answer.facts),
        table=tabled(answer.shown(is_whole=True, most=rows)),
        carried=answer.carried,
        conversation=conversation,
        support=[fact.to_json() for fact in answer.support] if support else None,
    )


def within(found: Asked, size: int) -> Asked:
    """With as many answers as fit into so many bytes of JSON, and without what only a closer look needs."""
    few = found.model_copy(update={"sparql": None, "expected": None, "about": None, "table": None})
    few.answers = [Item(label=item.label, id=item.id, value=item.value) for item in few.answers]
    if found.table is not None:
        few.table = found.table.model_copy()
    while len(few.model_dump_json().encode()) > size:
        if few.table is not None and few.table.rows:
            few.table.rows = few.table.rows[: len(few.table.rows) // 2]
        elif few.answers:
            few.answers = few.answers[: len(few.answers) // 2]
        elif few.support:
            few.support = few.support[: len(few.support) // 2]
        elif few.readings:
            few.readings = few.readings[:-1]
        else:
            break
    return few


def described(facts: Facts) -> Described:
    return Described(
        id=facts.entity.id,
        iri=facts.entity.iri,
        label=facts.entity.label,
        classes=list(facts.classes),
        facts=[
            RelationFacts(
                relation=each.relation,
                label=each.label,
                inverse=each.inverse,
                values=items(each.values),
                total=each.total,
            )
            for each in facts.relations
        ],
        namesakes=items(facts.namesakes),
    )


# The tools themselves, over the official SDK: each is one call of `ArcaneQA`, within a deadline.


SECONDS = 30.0
"""For one call."""
MOST_ROWS = 1_000
"""Answers of one call."""
MOST_LISTED = 200
"""Relations and classes of one call."""
PLACES = 64
"""Calls of one kind that may be under way; whoever sends more is told to come back."""

_READS = ToolAnnotations(read_only_hint=True, idempotent_hint=True, open_world_hint=False)
_INSTRUCTIONS = """\
Facts from one knowledge base, computed exactly. Use `ask` with a question in English; one that refers to
an earlier one takes that answer's `conversation`. `find` gives ids for names, `describe` the facts of an
entity, `schema` (or the resource arcaneqa://schema) the classes and relations there are.
What is computed is right for the program; only `read_as` tells whether the program is what was asked. Do
not rely on an answer where `read_as` says something else than the question, where `confidence` is below
0.7, where `not_used` has a word that matters, or where fewer are given than `total`: say so, or ask again
in the words of the schema. Where `outcome` is `ask`, put `readings` to the user and `run` the chosen one.
Where it is `refuse`, say `reason`: the facts do not tell, and you do not know either."""

Rows = Annotated[int, Field(ge=1, le=MOST_ROWS, description="How many rows to give back at most.")]
Text = Annotated[str, Field(min_length=1, max_length=MOST_CHARACTERS)]
T = TypeVar("T")


def create_server(qa: ArcaneQA, seconds: float = SECONDS, places: int = PLACES) -> MCPServer:
    server: MCPServer = MCPServer(
        "arcaneqa", instructions=_INSTRUCTIONS, version=__version__, log_level="WARNING"
    )
    gate = Gate(dict.fromkeys(WorkKind, places))
    talks = Talks(qa)

    async def aside(kind: WorkKind, work: Callable[[float], T]) -> T:
        """Off the loop that speaks with the client, when it is this kind's turn, with the seconds that are
        left; failures on purpose are sentences for the assistant."""
        until = time.monotonic() + seconds
        try:
            with gate.place(kind):
                return await gate.work(kind, until, lambda: work(max(0.1, until - time.monotonic())))
        except ArcaneError as error:
            raise ToolError(str(error)) from None

    @server.tool(annotations=_READS)
    async def ask(
        question: Text,
        rows: Rows = 50,
        conversation: Annotated[
            str | None, Field(max_length=64, description="From an earlier answer: refer back to it.")
        ] = None,
        support: Annotated[bool, Field(description="Also give the facts that make the answer so.")] = False,
        most_bytes: Annotated[
            int | None,
            Field(ge=1_000, le=1_000_000, description="Answer shortly; rows that do not fit are left out."),
        ] = None,
    ) -> Asked:
        """Answer a question in English from the knowledge base, or say why it cannot be answered."""

        def work(left: float) -> Asked:
            talk = talks.of(conversation)
            found = asked(talk.ask(question, seconds=left), rows, talk.id, support)
            return found if most_bytes is None else within(found, most_bytes)

        return await aside(WorkKind.QUESTION, work)

    @server.tool(annotations=_READS)
    async def describe(
        entity: Text, page: Annotated[int, Field(ge=0, le=100_000, description="0 for the first.")] = 0
    ) -> Described:
        """An entity's facts by relation, in both directions. `entity` is a name, a short id or an IRI."""

        return await aside(WorkKind.LOOK, lambda _: described(qa.facts(entity, page)))

    @server.tool(annotations=_READS)
    async def find(name: Text, rows: Rows = 10) -> Found:
        """Entities whose name begins like this, the best known first."""

        def work(_: float) -> Found:
            nodes = [candidate.node for candidate in qa.linker.suggest(name, rows)]
            return Found(entities=items(items_of(qa.kb, np.array(nodes, np.int64))))

        return await aside(WorkKind.LOOK, work)

    @server.tool(annotations=_READS)
    async def schema(rows: Annotated[int, Field(ge=1, le=MOST_LISTED)] = 50) -> Schema:
        """The classes and relations of the knowledge base, the most used first."""
        return await aside(WorkKind.LOOK, lambda _: _schema(qa, rows))

    @server.tool(annotations=_READS)
    async def run(program: Text, rows: Rows = 50) -> Ran:
        """Execute a program, for instance one of the readings of `ask`. Nothing is ever written."""

        def work(left: float) -> Ran:
            expression = parse(program, qa.names, qa.kb.schema)
            result = execute(expression, qa.kb, Budget(seconds=left))
            found, table = items_of_result(qa.kb, result), table_of_result(qa.kb, result)
            return Ran(
                answers=items(found[:rows]),
                total=len(found),
                table=tabled(shown(qa.kb, expression, found, table, is_whole=True, most=rows)),
                read_as=paraphrase(expression, qa.kb),
                sparql=to_sparql(expression, qa.kb.profile, qa.kb.schema),
            )

        return await aside(WorkKind.PROGRAM, work)

    @server.resource("arcaneqa://schema", name="schema", mime_type="application/json")
    async def schema_resource() -> str:
        """The classes and relations of the knowledge base."""
        return (await aside(WorkKind.LOOK, lambda _: _schema(qa, MOST_LISTED))).model_dump_json(indent=2)

    return server


def _schema(qa: ArcaneQA, rows: int) -> Schema:
    known, short = qa.kb.schema, qa.names.short
    relations, classes = known.shown_relations[:rows], known.shown_classes[:rows]
    return Schema(
        facts=known.facts,
        classes=[Counted(name=short(c.iri), label=c.label, count=c.members) for c in classes],
        relations=[Counted(name=short(r.iri), label=r.label, count=r.facts) for r in relations],
    )


# The tools over streamable HTTP, behind the same door as the service: names, token, sizes and
# times.


PATH = "/mcp"
GRACE = 10
"""Seconds for calls under way when the server is told to end."""


def serve_http(
    server: MCPServer, listening: socket.socket, token: str | None = None, hosts: Collection[str] = ()
) -> None:
    """Until SIGTERM or SIGINT. `hosts` are names, beside those of this machine, that it answers to."""
    # The SDK's own check of names would only know this machine's.
    unchecked = TransportSecuritySettings(enable_dns_rebinding_protection=False)
    # No tool remembers anything from call to call: without sessions nobody can take them all.
    app = server.streamable_http_app(
        streamable_http_path=PATH,
        stateless_http=True,
        max_request_body_size=MOST_BODY,
        transport_security=unchecked,
    )
    app.add_middleware(Safety, token=token, hosts=hosts, guarded=PATH, only_calls=True)
    uvicorn.Server(uvicorn_config(app, "warning", GRACE)).run([listening])
