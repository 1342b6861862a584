"""A program as a tree of labelled boxes, for pages and notebooks to draw."""

from __future__ import annotations

from typing import Any

from arcaneqa.kb.interface import KnowledgeBase
from arcaneqa.kb.names.called import label_of
from arcaneqa.kb.short_names import Names
from arcaneqa.language import expression as ex
from arcaneqa.language.phrase import COMPARED

TOTALS = {"SUM": "total", "AVG": "average", "MAX": "largest", "MIN": "smallest"}


def program_tree(program: ex.Expression, kb: KnowledgeBase) -> dict[str, Any]:
    """`kind` is what a box does, `label` with what, `children` are its arguments."""
    kind, label = _words(program, kb)
    parts = () if isinstance(program, ex.During | ex.Like | ex.Named) else ex.children(program)
    if isinstance(program, ex.During):
        parts = (program.argument,)
    return {"kind": kind, "label": label, "children": [program_tree(part, kb) for part in parts]}


def _words(program: ex.Expression, kb: KnowledgeBase) -> tuple[str, str]:
    match program:
        case ex.Entity():
            return "entity", _entity(program, kb)
        case ex.Value():
            return "value", program.literal.lexical
        case ex.Class():
            return "class", _class(program, kb)
        case ex.Named(text):
            return "called", text.literal.lexical
        case ex.Join(relation, _):
            return "follow" if relation.inverse else "follow backwards", _relation(relation, kb)
        case ex.And():
            return "and", "both"
        case ex.Or():
            return "or", "either"
        case ex.Not():
            return "not", "the first without the second"
        case ex.Meet():
            return "yes or no", "do they share anything?"
        case ex.Has(relation):
            return "has", _relation(relation, kb)
        case ex.Like(relation, text):
            return "contains", f"{_relation(relation, kb)}: {text.literal.lexical}"
        case ex.Extreme(direction, _, key, first, last):
            kind = "largest" if direction.value == "ARGMAX" else "smallest"
            ranks = "" if first == last == 1 else f" ({first} to {last})"
            return kind, key_words(key, kb) + ranks
        case ex.Compare(comparison, key, _):
            return COMPARED[comparison], key_words((key,) if isinstance(key, ex.Relation) else key, kb)
        case ex.Count(_, path):
            return "count", _path(path, kb) if path else "how many"
        case ex.Aggregate(function, _, path):
            return TOTALS[function.value], _path(path, kb)
        case ex.Cons(_, relation, constant):
            return "only", f"{_relation(relation, kb)}: {_words(constant, kb)[1]}"
        case ex.During(_, relation, when):
            moment = "now" if isinstance(when, ex.Now) else when.literal.lexical
            return "at the time", f"{_relation(relation, kb)}: {moment}"
        case ex.Sort(_, key, descending):
            return "in order", key_words(key, kb) + (", downwards" if descending else "")
        case ex.Show(_, columns):
            return "table", ", ".join(key_words(column, kb) for column in columns)
        case ex.Per(_, path, columns):
            return f"for each {_path(path, kb)}", ", ".join(key_words(column, kb) for column in columns)


def key_words(key: ex.Key, kb: KnowledgeBase) -> str:
    """What members are ordered by or shown with: "number of languages", "country → population"."""
    match key:
        case ex.Counted(path, _):
            return f"number of {_path(path, kb)}" if path else "how many"
        case ex.Totalled(function, path):
            return f"{TOTALS[function.value]} {_path(path, kb)}"
        case _:
            return _path(key, kb) or "name"


def _path(path: ex.Path, kb: KnowledgeBase) -> str:
    return " → ".join(_relation(relation, kb) for relation in path)


def _entity(entity: ex.Entity, kb: KnowledgeBase) -> str:
    return label_of(kb, entity.term) or Names(kb.profile).write(entity.term)


def _relation(relation: ex.Relation, kb: KnowledgeBase) -> str:
    found = kb.schema.relation_ids.get(relation.iri)
    return Names(kb.profile).short(relation.iri) if found is None else kb.schema.relations[found].label


def _class(klass: ex.Class, kb: KnowledgeBase) -> str:
    found = kb.schema.class_ids.get(klass.iri)
    return Names(kb.profile).short(klass.iri) if found is None else kb.schema.classes[found].label
