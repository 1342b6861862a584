"""What travels over HTTP, typed, with examples for the OpenAPI page."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from arcaneqa.answer.answer import MOST_CHARACTERS
from arcaneqa.answer.entity_facts import PAGE, Facts
from arcaneqa.answer.shown import Shown
from arcaneqa.answer.support import Fact
from arcaneqa.induction.scorer import TokenKind
from arcaneqa.record import AnswerItem, Outcome, Table

# What travels over HTTP, typed, with examples for the OpenAPI page.


MOST_PROGRAM = 10_000
"""Characters of a program."""
MOST_CHOICES = 200
"""Of a reading that is being settled."""
MOST_ENTITIES = 20
"""Settled mentions of one question."""


class ChosenCandidate(BaseModel):
    """A candidate of a step, as the trace names it."""

    model_config = ConfigDict(extra="forbid")

    kind: TokenKind
    text: Annotated[str, Field(max_length=MOST_CHARACTERS)]
    variable: int | None = None


class ChosenEntity(BaseModel):
    """What a stretch of the question stands for, by its characters; without an `id` it names nothing."""

    model_config = ConfigDict(extra="forbid")

    start: Annotated[int, Field(ge=0, le=MOST_CHARACTERS)]
    end: Annotated[int, Field(ge=0, le=MOST_CHARACTERS)]
    id: Annotated[str | None, Field(max_length=MOST_CHARACTERS)] = None


class AskRequest(BaseModel):
    model_config = ConfigDict(
        extra="forbid", json_schema_extra={"examples": [{"question": "what is the capital of France?"}]}
    )

    question: Annotated[str, Field(max_length=MOST_CHARACTERS, description="The question, in English.")]
    exclude_mentioned: Annotated[
        bool, Field(description="Leave out entities that the program itself names.")
    ] = False
    threshold: Annotated[
        float | None, Field(ge=0, le=1, description="Answer only with at least this confidence.")
    ] = None
    trace: Annotated[bool, Field(description="Also return what was considered at each step.")] = False
    rows: Annotated[int, Field(ge=1, le=10_000, description="At most this many answers.")] = 1_000
    conversation: Annotated[
        str | None,
        Field(max_length=64, description="An id from an earlier answer: the question may refer back."),
    ] = None
    support: Annotated[bool, Field(description="Also return the facts that make the answer so.")] = False
    choices: Annotated[
        list[ChosenCandidate],
        Field(max_length=MOST_CHOICES, description="Settled first decisions, to try another reading."),
    ] = []
    entities: Annotated[
        list[ChosenEntity],
        Field(
            max_length=MOST_ENTITIES, description="Mentions that are settled; the linker finds the others."
        ),
    ] = []


class RunRequest(BaseModel):
    model_config = ConfigDict(
        extra="forbid", json_schema_extra={"examples": [{"program": "(COUNT demo:Country)"}]}
    )

    program: Annotated[str, Field(max_length=MOST_PROGRAM, description="An S-expression.")]
    exclude_mentioned: bool = False
    rows: Annotated[int, Field(ge=1, le=10_000)] = 1_000
    tree: Annotated[bool, Field(description="Also return the program as nested boxes.")] = False
    columns: Annotated[
        Literal["telling", "all"], Field(description="Which columns of things `shown` has.")
    ] = "telling"
    support: Annotated[bool, Field(description="Also return the facts that make it so.")] = False
    conversation: Annotated[
        str | None,
        Field(max_length=64, description="Take the program as what its last question means."),
    ] = None
    format: Annotated[
        Literal["json", "csv", "tsv", "md"], Field(description="Other than json: only the rows, as a file.")
    ] = "json"


class Item(BaseModel):
    """An entity (`id`) or a literal (`value`)."""

    id: str | None = None
    value: str | None = None
    datatype: str | None = None
    label: str | None = None
    iri: str | None = None
    address: Annotated[str | None, Field(description="Where an entity lives on the web, if it does.")] = None


class TableSent(BaseModel):
    """`cells` are the terms of `rows` with their labels and datatypes; null where a cell is blank."""

    columns: list[str]
    rows: list[list[str | None]]
    cells: list[list[Item | None]]
    total: Annotated[int, Field(description="How many rows there are; `rows` may hold fewer.")]
    more: Annotated[list[str], Field(description="Columns that are left out.")] = []


class NamedEntity(BaseModel):
    id: str
    mention: str | None = None
    start: int | None = None
    end: int | None = None


class OtherReading(BaseModel):
    program: str
    paraphrase: str
    confidence: float


class RelationFacts(BaseModel):
    """One page of what a relation leads to from an entity, or, where `inverse`, of what leads to it."""

    relation: Annotated[str, Field(description="Short name; the parameter `relation` takes it.")]
    label: str
    inverse: Annotated[
        bool, Field(description="The entity is the object of these facts: read them from the values.")
    ]
    values: list[Item]
    total: Annotated[int, Field(description="How many values there are; a page holds at most `page_size`.")]


class EntityResponse(BaseModel):
    """What is known of one entity; every relation is in pages of its own."""

    id: str
    label: str | None
    iri: str | None
    address: Annotated[str | None, Field(description="Where it lives on the web, if it does.")]
    classes: list[str]
    facts: list[RelationFacts]
    namesakes: Annotated[list[Item], Field(description="Others of the same name, the best known first.")]
    page: int
    page_size: int


class Supported(BaseModel):
    """The facts that make an answer so: [subject, predicate, object, the table or file it is from]."""

    support: Annotated[list[list[str | None]] | None, Field(description="As terms, where asked for.")] = None
    support_words: Annotated[list[list[str]] | None, Field(description="As people read them.")] = None


class AskResponse(Supported):
    """The prediction record, and what the page needs beside it."""

    id: str
    question: str
    outcome: Annotated[
        Outcome,
        Field(description="With `ask`, `readings` are the choices, and `answers` those of the first."),
    ]
    program: str | None
    sparql: str | None
    answers: list[Item]
    total: Annotated[
        int, Field(description="How many answers there are, rows of a table; `answers` may hold fewer.")
    ]
    table: Annotated[TableSent | None, Field(description="`answers` are then its first column.")]
    shown: Annotated[
        TableSent | None,
        Field(description="Things with their telling columns, or values with what each is of."),
    ] = None
    ordered: Annotated[bool, Field(description="The order of the answers was asked for.")]
    unit: str | None
    entities: list[NamedEntity]
    paraphrase: str | None
    score: float | None
    confidence: float | None
    expected: Annotated[
        float | None, Field(description="Share of right answers to expect among all given at this threshold.")
    ]
    seconds: float
    reason: Annotated[str | None, Field(description="Why there is no answer.")]
    not_used: Annotated[list[str], Field(description="Words of the question that the program leaves out.")]
    readings: list[OtherReading]
    conversation: Annotated[
        str | None, Field(description="Send it with the next question, which may then refer to this one.")
    ] = None
    carried: Annotated[str | None, Field(description="What was taken from earlier questions.")] = None
    facts: Annotated[
        EntityResponse | None,
        Field(description="Where the question only names an entity: what is known of it."),
    ] = None
    trace: dict[str, Any] | None = None
    tree: Annotated[dict[str, Any] | None, Field(description="The program as nested boxes, with trace.")] = (
        None
    )


class RunResponse(Supported):
    program: str
    sparql: str
    paraphrase: str
    answers: list[Item]
    total: int
    table: TableSent | None
    shown: TableSent | None = None
    ordered: bool
    unit: str | None
    tree: dict[str, Any] | None = None


class Counted(BaseModel):
    name: str
    label: str
    count: int


class KnowledgeBaseResponse(BaseModel):
    facts: int
    relations: list[Counted]
    classes: list[Counted]
    examples: list[str]
    keeps_feedback: Annotated[bool, Field(description="Judgements are kept, with their questions.")] = False


class EntityHit(BaseModel):
    id: str
    label: str
    description: str


class FeedbackRequest(BaseModel):
    """What somebody thinks of a reading; `correction` is the program that would have been right."""

    model_config = ConfigDict(
        extra="forbid",
        json_schema_extra={
            "examples": [
                {
                    "question": "what is the capital of France?",
                    "program": "(JOIN demo:capital_inv demo:France)",
                    "is_right": True,
                }
            ]
        },
    )

    question: Annotated[str, Field(min_length=1, max_length=MOST_CHARACTERS)]
    program: Annotated[
        str | None, Field(max_length=MOST_PROGRAM, description="What was answered; null for a refusal.")
    ]
    is_right: bool
    correction: Annotated[str | None, Field(max_length=MOST_PROGRAM)] = None


class FeedbackResponse(BaseModel):
    kept: Annotated[str, Field(description="The id of the record.")]


class ReloadResponse(BaseModel):
    reloaded: Annotated[bool, Field(description="False where the index is the one that is served already.")]


class Problem(BaseModel):
    """Every error: one sentence."""

    detail: str


# Answer items, tables of them and facts as they travel, with the address that a browser may open.


def items_sent(items: Sequence[AnswerItem]) -> list[Item]:
    return [_sent(item) for item in items]


MOST_CELLS = 100_000
"""Of a table that is sent: the page that shows it has to hold them."""


def rows_sent(columns: int, most: int) -> int:
    """How many rows of a table are sent, of at most so many."""
    return min(most, MOST_CELLS // max(1, columns))


def table_sent(table: Table | None, most: int, total: int | None = None) -> TableSent | None:
    """The first rows of a table, which may be only a part of `total` rows."""
    if table is None:
        return None
    most = rows_sent(len(table.columns), most)
    total = len(table.cells) if total is None else total
    cells = [[None if cell is None else _sent(cell) for cell in row] for row in table.cells[:most]]
    rows = [list(row) for row in table.rows[:most]]
    return TableSent(columns=list(table.columns), rows=rows, cells=cells, total=total)


def shown_sent(shown: Shown | None, most: int, total: int) -> TableSent | None:
    """What is shown of answers that are no table by themselves; there may be more things than it holds."""
    if shown is None:
        return None
    sent = table_sent(shown.table, most, max(shown.total, total) if shown.is_of_things else shown.total)
    return None if sent is None else sent.model_copy(update={"more": list(shown.more)})


def support_sent(facts: Sequence[Fact]) -> dict[str, Any]:
    return {
        "support": [fact.to_json() for fact in facts],
        "support_words": [list(fact.words) for fact in facts],
    }


def _sent(item: AnswerItem) -> Item:
    return Item(**asdict(item), address=_address(item.iri))


def facts_sent(facts: Facts, page: int = 0) -> EntityResponse:
    (itself,) = items_sent([facts.entity])
    assert itself.id is not None, "values are no entities"
    return EntityResponse(
        id=itself.id,
        label=itself.label,
        iri=itself.iri,
        address=itself.address,
        classes=list(facts.classes),
        facts=[
            RelationFacts(
                relation=each.relation,
                label=each.label,
                inverse=each.inverse,
                values=items_sent(each.values),
                total=each.total,
            )
            for each in facts.relations
        ],
        namesakes=items_sent(facts.namesakes),
        page=page,
        page_size=PAGE,
    )


def _address(iri: str | None) -> str | None:
    """Only what a browser may open safely."""
    return iri if iri is not None and iri.startswith(("http://", "https://")) else None
