"""Questions and predictions as JSON lines: the one shape every dataset ends in."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Any

from arcaneqa.support.errors import InputError
from arcaneqa.support.files import read_lines


@dataclass(frozen=True, slots=True)
class Mention:
    """An entity a question names; the text and its span may be unknown."""

    id: str
    mention: str | None = None
    start: int | None = None
    end: int | None = None


@dataclass(frozen=True, slots=True)
class Question:
    id: str
    question: str
    program: str | None = None
    answers: tuple[str, ...] | None = None
    entities: tuple[Mention, ...] = ()
    exclude_mentioned: bool = False
    level: str | None = None
    function: str | None = None
    relations: int | None = None
    programs: tuple[str, ...] = ()
    answer_sets: tuple[tuple[str, ...], ...] = ()
    """The answers of each parse, where a dataset accepts several; what WebQSP's official score compares."""

    @classmethod
    def from_json(cls, data: Any) -> Question:
        """Raises InputError where a required field is missing or a field has the wrong type."""
        if not isinstance(data, dict):
            raise InputError("a question record must be a JSON object")
        for key in ("id", "question"):
            if data.get(key) is None:
                raise InputError(f"a question record needs the field {key!r}")
        answers = _list(data, "answers", (str, int, float))
        entities = _list(data, "entities", (dict,)) or ()
        sets = _list(data, "answer_sets", (list,)) or ()
        return cls(
            id=str(_field(data, "id", (str, int))),
            question=_field(data, "question", (str,)),
            program=_field(data, "program", (str,)),
            answers=None if answers is None else tuple(map(str, answers)),
            entities=tuple(map(_mention, entities)),
            exclude_mentioned=bool(_field(data, "exclude_mentioned", (bool,))),
            level=_field(data, "level", (str,)),
            function=_field(data, "function", (str,)),
            relations=_field(data, "relations", (int,)),
            programs=tuple(_list(data, "programs", (str,)) or ()),
            answer_sets=tuple(tuple(map(str, answers)) for answers in sets),
        )

    def to_json(self) -> dict[str, Any]:
        return asdict(self)


_NAMES = {str: "a string", int: "a number", float: "a number", bool: "true or false"}
_NAMES |= {dict: "an object", list: "a list"}


def _field(data: dict[str, Any], key: str, kinds: tuple[type, ...]) -> Any:
    """A field of one of the kinds, or None."""
    value = data.get(key)
    if value is not None and (
        not isinstance(value, kinds) or (isinstance(value, bool) and bool not in kinds)
    ):
        raise InputError(f"the field {key!r} must be {_NAMES[kinds[0]]}")
    return value


def _list(data: dict[str, Any], key: str, kinds: tuple[type, ...]) -> list[Any] | None:
    value: list[Any] | None = _field(data, key, (list,))
    if not all(isinstance(item, kinds) for item in value or ()):
        raise InputError(f"every item of the field {key!r} must be {_NAMES[kinds[0]]}")
    return value


def _mention(data: dict[str, Any]) -> Mention:
    if data.get("id") is None:
        raise InputError("every item of the field 'entities' needs an 'id'")
    return Mention(
        str(_field(data, "id", (str, int))),
        _field(data, "mention", (str,)),
        _field(data, "start", (int,)),
        _field(data, "end", (int,)),
    )


@dataclass(frozen=True, slots=True)
class AnswerItem:
    """An entity (`id` as programs write it, `iri` in full) or a literal (`value` with its datatype)."""

    id: str | None = None
    value: str | None = None
    datatype: str | None = None
    label: str | None = None
    iri: str | None = None
    """None for what has no IRI: values and blank nodes."""

    @property
    def term(self) -> str:
        """As records write it: an entity's short form or a literal's lexical form."""
        return self.id if self.id is not None else self.value or ""

    def to_json(self) -> dict[str, Any]:
        if self.id is not None:
            return {"id": self.id, "iri": self.iri, "label": self.label}
        return {"value": self.value, "datatype": self.datatype, "label": self.label}


@dataclass(frozen=True, slots=True)
class Table:
    """Rows of items, None where a cell is blank."""

    columns: tuple[str, ...]
    cells: tuple[tuple[AnswerItem | None, ...], ...]

    @property
    def rows(self) -> tuple[tuple[str | None, ...], ...]:
        """The cells as terms."""
        return tuple(tuple(None if cell is None else cell.term for cell in row) for row in self.cells)

    @property
    def labels(self) -> tuple[tuple[str | None, ...], ...]:
        """The cells as people read them."""
        return tuple(
            tuple(None if cell is None else cell.label or cell.term for cell in row) for row in self.cells
        )

    @property
    def told(self) -> tuple[tuple[str, ...], ...]:
        """The cells as people read them, blanks as nothing."""
        return tuple(tuple(label or "" for label in row) for row in self.labels)

    def to_json(self) -> dict[str, Any]:
        return {
            "columns": list(self.columns),
            "rows": [list(row) for row in self.rows],
            "labels": [list(row) for row in self.labels],
        }


@dataclass(frozen=True, slots=True)
class Reading:
    """Another program that a question may mean, in words, and how likely that is."""

    program: str
    paraphrase: str
    confidence: float


class Outcome(StrEnum):
    """An answer; readings to choose among, with what the first one finds; or neither, with a reason."""

    ANSWER = "answer"
    ASK = "ask"
    REFUSE = "refuse"


@dataclass(frozen=True, slots=True)
class Prediction:
    id: str
    question: str
    program: str | None = None
    sparql: str | None = None
    answers: tuple[AnswerItem, ...] = ()
    table: Table | None = None
    entities: tuple[Mention, ...] = ()
    paraphrase: str | None = None
    score: float | None = None
    confidence: float | None = None
    seconds: float | None = None
    reason: str | None = None
    not_used: tuple[str, ...] = ()
    readings: tuple[Reading, ...] = ()
    outcome: Outcome | None = None
    extra: dict[str, Any] = field(default_factory=dict)

    def to_json(self) -> dict[str, Any]:
        data: dict[str, Any] = {
            name: getattr(self, name)
            for name in (
                "id",
                "question",
                "program",
                "sparql",
                "paraphrase",
                "score",
                "confidence",
                "seconds",
                "reason",
            )
        }
        data["answers"] = [item.to_json() for item in self.answers]
        if self.table is not None:
            data["table"] = self.table.to_json()
        data["entities"] = [asdict(mention) for mention in self.entities]
        data["not_used"] = list(self.not_used)
        data["readings"] = [asdict(reading) for reading in self.readings]
        if self.outcome is not None:
            data["outcome"] = self.outcome.value
        return data | self.extra


def read_questions(path: Path) -> Iterator[Question]:
    for number, data in read_lines(path):
        try:
            yield Question.from_json(data)
        except InputError as error:
            raise InputError(f"{path}, line {number}: {error}") from error
