"""What the tools give back, as schemas that a client can check."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict

from pydantic import BaseModel, Field

from arcaneqa.answered import Answer
from arcaneqa.entity_facts import Facts
from arcaneqa.record import AnswerItem


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


class Asked(BaseModel):
    """Either answers, or a reason why there are none."""

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
    read_as: str
    sparql: str


def items(found: Iterable[AnswerItem]) -> list[Item]:
    return [Item(**asdict(item)) for item in found]


def asked(answer: Answer, rows: int) -> Asked:
    return Asked(
        answers=items(answer.items[:rows]),
        total=len(answer.items),
        read_as=answer.paraphrase,
        confidence=answer.confidence,
        expected=answer.expected,
        program=answer.program,
        sparql=answer.sparql,
        reason=answer.reason,
        readings=[Reading(paraphrase=r.paraphrase, program=r.program) for r in answer.readings],
        not_used=list(answer.not_used),
        about=None if answer.facts is None else described(answer.facts),
    )


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
