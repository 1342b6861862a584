"""A program as a tree of labelled boxes, for the page to draw."""

from __future__ import annotations

from typing import Any

import numpy as np

from arcaneqa.kb.interface import KnowledgeBase
from arcaneqa.kb.short_names import Names
from arcaneqa.program.expression import (
    And,
    Class,
    Compare,
    Cons,
    Count,
    During,
    Entity,
    Expression,
    Extreme,
    Join,
    Now,
    Relation,
    Value,
)

COMPARED = {"LT": "less than", "LE": "at most", "GT": "more than", "GE": "at least"}


def program_tree(program: Expression, kb: KnowledgeBase) -> dict[str, Any]:
    """`kind` is what a box does, `label` with what, `children` are its arguments."""
    match program:
        case Entity():
            return _box("entity", _entity(program, kb))
        case Value():
            return _box("value", program.literal.lexical)
        case Class():
            return _box("class", _class(program, kb))
        case Join(relation, argument):
            kind = "follow" if relation.inverse else "follow backwards"
            return _box(kind, _relation(relation, kb), program_tree(argument, kb))
        case And(left, right):
            return _box("and", "both", program_tree(left, kb), program_tree(right, kb))
        case Extreme(direction, argument, path):
            label = " → ".join(_relation(relation, kb) for relation in path)
            kind = "largest" if direction.value == "ARGMAX" else "smallest"
            return _box(kind, label, program_tree(argument, kb))
        case Compare(comparison, relation, value):
            return _box(COMPARED[comparison.value], _relation(relation, kb), program_tree(value, kb))
        case Count(argument):
            return _box("count", "how many", program_tree(argument, kb))
        case Cons(argument, relation, constant):
            label = f"{_relation(relation, kb)}: {program_tree(constant, kb)['label']}"
            return _box("only", label, program_tree(argument, kb))
        case During(argument, relation, when):
            moment = "now" if isinstance(when, Now) else when.literal.lexical
            return _box("at the time", f"{_relation(relation, kb)}: {moment}", program_tree(argument, kb))


def _box(kind: str, label: str, *children: dict[str, Any]) -> dict[str, Any]:
    return {"kind": kind, "label": label, "children": list(children)}


def _entity(entity: Entity, kb: KnowledgeBase) -> str:
    node = kb.node(entity.term)
    label = None if node is None else kb.labels(np.array([node], np.int64))[0]
    return label or Names(kb.profile).write(entity.term)


def _relation(relation: Relation, kb: KnowledgeBase) -> str:
    found = kb.schema.relation_ids.get(relation.iri)
    return Names(kb.profile).short(relation.iri) if found is None else kb.schema.relations[found].label


def _class(klass: Class, kb: KnowledgeBase) -> str:
    found = kb.schema.class_ids.get(klass.iri)
    return Names(kb.profile).short(klass.iri) if found is None else kb.schema.classes[found].label
