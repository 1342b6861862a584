"""Questions and predictions as JSON lines: the one shape every dataset ends in."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from arcaneqa.datasets.files import read_lines
from arcaneqa.errors import InputError


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
            if key not in data:
                raise InputError(f"a question record needs the field {key!r}")
        if not isinstance(data["question"], str):
            raise InputError("the field 'question' must be a string")
        answers = data.get("answers")
        for key in ("answers", "entities", "programs"):
            if data.get(key) is not None and not isinstance(data[key], list):
                raise InputError(f"the field {key!r} must be a list")
        try:
            return cls(
                id=str(data["id"]),
                question=data["question"],
                program=data.get("program"),
                answers=None if answers is None else tuple(str(a) for a in answers),
                entities=tuple(
                    Mention(str(e["id"]), e.get("mention"), e.get("start"), e.get("end"))
                    for e in data.get("entities") or ()
                ),
                exclude_mentioned=bool(data.get("exclude_mentioned", False)),
                level=data.get("level"),
                function=data.get("function"),
                relations=data.get("relations"),
                programs=tuple(data.get("programs") or ()),
                answer_sets=tuple(
                    tuple(str(answer) for answer in answers) for answers in data.get("answer_sets") or ()
                ),
            )
        except (KeyError, TypeError, AttributeError) as error:
            raise InputError(f"the question record {data['id']!r} is malformed ({error})") from error

    def to_json(self) -> dict[str, Any]:
        return asdict(self)


@dataclass(frozen=True, slots=True)
class AnswerItem:
    """An entity (`id`) or a literal (`value` with its datatype)."""

    id: str | None = None
    value: str | None = None
    datatype: str | None = None
    label: str | None = None

    def to_json(self) -> dict[str, Any]:
        if self.id is not None:
            return {"id": self.id, "label": self.label}
        return {"value": self.value, "datatype": self.datatype, "label": self.label}


@dataclass(frozen=True, slots=True)
class Prediction:
    id: str
    question: str
    program: str | None = None
    sparql: str | None = None
    answers: tuple[AnswerItem, ...] = ()
    entities: tuple[Mention, ...] = ()
    paraphrase: str | None = None
    score: float | None = None
    confidence: float | None = None
    seconds: float | None = None
    reason: str | None = None
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
        data["entities"] = [asdict(mention) for mention in self.entities]
        return data | self.extra


def read_questions(path: Path) -> Iterator[Question]:
    for number, data in read_lines(path):
        try:
            yield Question.from_json(data)
        except InputError as error:
            raise InputError(f"{path}, line {number}: {error}") from error
