"""Relations and classes of a knowledge base: their names, words, value kinds, inverses, domain and range."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, fields
from enum import StrEnum
from functools import cached_property
from typing import Any

ROW = "row"
"""What the rows of a table are called whose own name does not say what they are."""
COVERS = 0.8
"""A class covers a relation's subjects if this share of them is in it; the smallest such class says most."""
MOST_OTHER_HOMES = 2
"""Classes of subjects beside the domain: where there are more, the subjects are just things."""


class ValueKind(StrEnum):
    ENTITY = "entity"
    NUMBER = "number"
    TIME = "time"
    TEXT = "text"
    BOOLEAN = "boolean"


@dataclass(frozen=True, slots=True)
class Relation:
    """`objects` counts distinct objects. `domain` and `range` are class ids; None if unknown. Where it is not
    declared, either is a hint, the class of most subjects or objects, and never shown as a fact;
    `other_domains` are classes of subjects that are not in it.

    An identifier may look like a number but only tells things apart: nothing is the largest by it.
    """

    id: int
    iri: str
    label: str
    facts: int
    objects: int
    kinds: frozenset[ValueKind]
    domain: int | None = None
    range: int | None = None
    inverse: int | None = None
    hidden: bool = False
    is_identifier: bool = False
    domain_declared: bool = False
    range_declared: bool = False
    other_domains: tuple[int, ...] = ()

    @property
    def comparable(self) -> bool:
        return ValueKind.NUMBER in self.kinds or ValueKind.TIME in self.kinds


@dataclass(frozen=True, slots=True)
class Class:
    """Where its members tell their type as a `text`, its IRI is ours, not one of the facts."""

    id: int
    iri: str
    label: str
    members: int
    hidden: bool = False
    text: str | None = None


@dataclass(frozen=True)
class Schema:
    """Ids are positions: `relations[i].id == i` and `classes[i].id == i`."""

    relations: Sequence[Relation]
    classes: Sequence[Class]
    time_pairs: dict[int, int | None] = field(default_factory=dict)
    """Relation that marks a start (or a point) → the relation that marks the end."""

    @cached_property
    def relation_ids(self) -> dict[str, int]:
        return {relation.iri: relation.id for relation in self.relations}

    @cached_property
    def class_ids(self) -> dict[str, int]:
        return {klass.iri: klass.id for klass in self.classes}

    @cached_property
    def is_of_rows(self) -> bool:
        """Whether all there is are rows of a table of which nobody knows what it lists."""
        shown = [klass for klass in self.classes if klass.members and not klass.hidden]
        return [klass.label for klass in shown] == [ROW]

    @cached_property
    def facts(self) -> int:
        return sum(relation.facts for relation in self.relations)

    @cached_property
    def shown_relations(self) -> list[Relation]:
        """Those that are not hidden, the most used first."""
        return sorted((r for r in self.relations if not r.hidden), key=lambda relation: -relation.facts)

    @cached_property
    def shown_classes(self) -> list[Class]:
        """Those that are not hidden, the largest first."""
        return sorted((c for c in self.classes if not c.hidden), key=lambda klass: -klass.members)

    def to_json(self) -> dict[str, Any]:
        """Items as rows: their fields in order, without the id, which is the row's place."""
        relations = [[getattr(relation, name) for name in _RELATION] for relation in self.relations]
        for row in relations:
            row[_KINDS] = sorted(row[_KINDS])
        classes = [[getattr(klass, name) for name in _CLASS] for klass in self.classes]
        return {"relations": relations, "classes": classes, "time_pairs": list(self.time_pairs.items())}

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> Schema:
        relations = [_relation(number, row) for number, row in enumerate(data["relations"])]
        classes = [Class(number, *row) for number, row in enumerate(data["classes"])]
        return cls(relations, classes, dict(data["time_pairs"]))


def _relation(number: int, row: list[Any]) -> Relation:
    # What was added to relations last may not be there yet.
    known = dict(zip(_RELATION, row, strict=False))
    known["kinds"] = frozenset(map(ValueKind, known["kinds"]))
    known["other_domains"] = tuple(known.get("other_domains", ()))
    return Relation(number, **known)


_RELATION = tuple(one.name for one in fields(Relation))[1:]
_KINDS = _RELATION.index("kinds")
_CLASS = tuple(one.name for one in fields(Class))[1:]
