"""What is counted where a relation leads to several kinds of things.

"Customers with more than two payments": if lessons have customers as well, a program that counts whatever has
a customer counts both. Models seldom take the trouble to say which kind is meant; the words of the question
and the facts leave no doubt. So where the question names one kind, only that is counted.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence, Set
from dataclasses import replace
from weakref import WeakKeyDictionary

import numpy as np

from arcaneqa.induction.found import Considered, Found, Trace
from arcaneqa.induction.vocabulary import class_candidate, class_words
from arcaneqa.kb.interface import KnowledgeBase, Step
from arcaneqa.kb.names.name_forms import split, stem
from arcaneqa.kb.schema import Class
from arcaneqa.language import expression as ex
from arcaneqa.language.rewrite import rewrite
from arcaneqa.language.run import execute
from arcaneqa.support.errors import BudgetExceeded

_LOOKED_AT = 200
"""Of the answers: enough to see what is counted."""
_NOUNS: WeakKeyDictionary[KnowledgeBase, dict[str, list[Class]]] = WeakKeyDictionary()
"""Classes by what their names end with; read once a knowledge base, which may have thousands."""


def with_counted_kinds(question: str, found: Sequence[Found], kb: KnowledgeBase) -> tuple[Found, ...]:
    """The programs, each with only that kind counted which the question names; those that then find nothing
    are left out."""
    said = {stem(word) for word in split(question)}
    kept: dict[ex.Expression, Found] = {}
    for one in found:
        changed: Found | None = one
        for counted in _counts(one.program):
            if changed is not None and (kind := _named(said, one, counted, kb)) is not None:
                changed = _narrowed(changed, counted, kind, kb)
        if changed is not None:
            kept.setdefault(changed.program, changed)
    return tuple(kept.values())


def _counts(program: ex.Expression) -> Iterator[ex.Counted]:
    """Counts of whatever leads to a member by a relation, or of one kind of it."""
    for node in ex.post_order(program):
        for key in _keys(node):
            match key:
                case ex.Counted((*_, ex.Relation(_, True)), None | ex.Class()):
                    yield key


def _keys(node: ex.Expression) -> Sequence[object]:
    match node:
        case ex.Extreme() | ex.Compare() | ex.Sort():
            return (node.key,)
        case ex.Show() | ex.Per():
            return node.columns
    return ()


def _named(said: set[str], found: Found, counted: ex.Counted, kb: KnowledgeBase) -> Class | None:
    """The only kind that the question names of those that have the relation, if others are counted, too."""
    back, within = counted.path[-1], counted.within
    relation = kb.schema.relation_ids[back.iri]
    if isinstance(within, ex.Class) and noun_of(_class(within, kb)) in said:
        return None
    # "Which customer has the most …": what is asked for is no kind that is counted, unless it is said to be.
    nodes = list(ex.post_order(found.program))
    joined = {node.argument for node in nodes if isinstance(node, ex.Join) and node.relation == back}
    used = {node.iri for node in nodes if isinstance(node, ex.Class) and node not in joined}
    named = [kind for kind in said_kinds(said, kb) if kind.iri not in used]
    having = set(kb.classes_having(np.array([relation], np.int64)).tolist()) if named else set()
    meant = [kind for kind in named if kind.id in having]
    if len(meant) != 1:
        return None
    (kind,) = meant
    if len(counted.path) == 1:
        counted_now = kb.subjects(relation, kb.nodes(found.nodes.ids[:_LOOKED_AT]))
    else:
        counted_now = kb.having(Step(relation))
    return kind if kb.difference(counted_now, kb.members(kind.id)) else None


def _class(named: ex.Class, kb: KnowledgeBase) -> Class:
    return kb.schema.classes[kb.schema.class_ids[named.iri]]


def said_kinds(said: Set[str], kb: KnowledgeBase) -> list[Class]:
    """The classes that are named by the stems of a question's words."""
    if (nouns := _NOUNS.get(kb)) is None:
        nouns = {}
        for kind in kb.schema.classes:
            if not kind.hidden and (noun := noun_of(kind)) is not None:
                nouns.setdefault(noun, []).append(kind)
        _NOUNS[kb] = nouns
    return sorted((kind for noun in said for kind in nouns.get(noun, ())), key=lambda kind: kind.id)


def noun_of(kind: Class) -> str | None:
    """What its name ends with: "payments" where the class is "customer payments"."""
    words = split(class_words(kind))
    return stem(words[-1]) if words else None


def _narrowed(found: Found, counted: ex.Counted, kind: Class, kb: KnowledgeBase) -> Found | None:
    """The same program with only that kind counted; None where it finds nothing, or too much for memory."""
    other = ex.Counted(counted.path, ex.Class(kind.iri))

    def change(node: ex.Expression) -> ex.Expression:
        match node:
            case ex.Extreme() | ex.Compare() | ex.Sort() if node.key == counted:
                return replace(node, key=other)
            case ex.Show(_, columns):
                return replace(node, columns=tuple(other if one == counted else one for one in columns))
            case ex.Per(_, _, amounts):
                return replace(node, columns=tuple(other if one == counted else one for one in amounts))
        return node

    return of_kind(found, rewrite(found.program, change), kind, kb)


def of_kind(found: Found, program: ex.Expression, kind: Class, kb: KnowledgeBase) -> Found | None:
    """What was found, less what is of another kind; None where it is nothing, or too much for memory."""
    try:
        result = execute(program, kb)
    except BudgetExceeded:
        return None
    if not result.nodes and result.value is None:
        return None
    taken = Considered("", [class_candidate(kind)], np.zeros(1, np.float32), 0)
    trace = Trace(found.trace.topics, [*found.trace.steps, taken])
    return replace(found, program=program, result=result, trace=trace)
