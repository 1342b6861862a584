"""Programs that answer nothing: a way there and back again, what something is called that the question calls
so itself or those of whom it says nothing, a count of yes and no, and of rows that say themselves how many
there are; or that say a thing twice, where one of two numbers says nothing more."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from arcaneqa.errors import BudgetExceeded
from arcaneqa.induction.found import Found
from arcaneqa.induction.readings import is_same
from arcaneqa.kb.interface import KnowledgeBase
from arcaneqa.kb.names.name_forms import split, stem
from arcaneqa.kb.schema import ValueKind
from arcaneqa.program import expression as ex
from arcaneqa.program.execute import execute
from arcaneqa.program.rewrite import rewrite

_NAMING = frozenset(
    map(stem, ("name", "names", "named", "call", "called", "title", "label", "known", "stand"))
)


def is_pointless(found: Found, kb: KnowledgeBase) -> bool:
    program = found.program
    twice = any(map(_compares_twice, ex.post_order(program)))
    return comes_back(found) or twice or _counts_truths(program, kb) or _counts_counts(program, kb)


def only_names(question: str, found: Found, kb: KnowledgeBase) -> bool:
    """Whether the answer is the name of what the question itself calls so, by a part of it at least, and no
    name was asked for ("Jaws" for who starred in Jaws). Who asks for LAX may hear that it is Los Angeles.

    A model that likes this best has found nothing else to say; another reading is no better for it."""
    if found.result.value is not None or len(found.nodes) != 1 or not kb.are_literals(found.nodes.ids)[0]:
        return False
    match found.program:
        case ex.Join(ex.Relation(iri, inverse=True), ex.Entity() as entity):
            relation, node = kb.schema.relation_ids.get(iri), kb.node(entity.term)
        case _:
            return False
    labels = kb.labels(found.nodes.ids)
    if relation is None or node is None or labels != kb.labels(kb.nodes(np.array([node], np.int64)).ids):
        return False
    asked = set(map(stem, split(question)))
    if not asked.isdisjoint(_NAMING | set(_stems(kb.schema.relations[relation].label))):
        return False
    said = (question[one.words.start : one.words.end] for one in found.topics if one.term == entity)
    return any(not set(_stems(text)).isdisjoint(_stems(labels[0] or "")) for text in said)


def names_others(question: str, found: Found, kb: KnowledgeBase) -> bool:
    """Whether the answers are what those are called that are related to somebody, and neither what they are
    nor that names are wanted was said: the names of the states of Peru for the capital of Peru."""
    match found.program:
        case ex.Join(ex.Relation(iri, inverse=True), ex.Join(_, ex.Entity()) as others):
            relation = kb.schema.relation_ids.get(iri)
        case _:
            return False
    asked = set(map(stem, split(question)))
    if relation is None or not asked.isdisjoint(_NAMING | set(_stems(kb.schema.relations[relation].label))):
        return False
    bearers = execute(others, kb).nodes
    if {*kb.labels(bearers.ids)} != {*kb.labels(found.nodes.ids)} or not kb.are_literals(
        found.nodes.ids
    ).all():
        return False
    kinds = (kb.schema.classes[kind].label for kind in kb.classes(bearers).tolist())
    return asked.isdisjoint({one for label in kinds for one in _stems(label)})


def comes_back(found: Found) -> bool:
    """Whether the only answer is what the program set out from: whom those rows are about that are about
    Hank Aaron."""
    if found.result.value is not None or found.result.table is not None or len(found.nodes) != 1:
        return False
    return any(
        isinstance(inner, ex.Join)
        and inner.relation.iri == outer.relation.iri
        and inner.relation.inverse is not outer.relation.inverse
        for outer in conjuncts(found.program)
        if isinstance(outer, ex.Join)
        for inner in conjuncts(outer.argument)
    )


def straightened(found: Found, kb: KnowledgeBase) -> Found:
    """The same answers without a way there and back on the way: newspapers whose seat is a seat of those that
    have their seat there are those that have it there."""
    if ex.denotes(found.program) is not ex.Denotation.SET:
        return found
    if all(_straight(node) is node for node in ex.post_order(found.program)):
        return found
    program = rewrite(found.program, _straight)
    try:
        result = execute(program, kb)
    except BudgetExceeded:
        return found
    return replace(found, program=program, result=result) if is_same(result, found.result, kb) else found


def _straight(node: ex.Expression) -> ex.Expression:
    match node:
        case ex.Join(back, ex.Join(there, ex.Join() | ex.And() | ex.Class() as inner)):
            if back.iri == there.iri and back.inverse is not there.inverse:
                return inner
        case ex.And(left, right) if left == right:
            return left
    return node


def conjuncts(program: ex.Expression) -> Iterator[ex.Expression]:
    match program:
        case ex.And(left, right):
            yield from conjuncts(left)
            yield from conjuncts(right)
        case ex.Cons(argument, _, _):
            yield from conjuncts(argument)
        case _:
            yield program


def _compares_twice(node: ex.Expression) -> bool:
    """Whether it is longer than 3300 or longer than 100: whoever says two numbers of one side measures two
    things by them."""
    match node:
        case ex.And(ex.Compare(one, key, ex.Value()), ex.Compare(other, same, ex.Value())) | ex.Or(
            ex.Compare(one, key, ex.Value()), ex.Compare(other, same, ex.Value())
        ):
            return key == same and one.sign[0] == other.sign[0] != "="
    return False


def _counts_truths(program: ex.Expression, kb: KnowledgeBase) -> bool:
    """Whether it counts how many of yes and no occur."""
    match program:
        case ex.Count(_, (*_, last)):
            counted = None if last.inverse else last
        case ex.Count(ex.Join(relation, _), ()):
            counted = relation if relation.inverse else None
        case _:
            return False
    number = None if counted is None else kb.schema.relation_ids.get(counted.iri)
    return number is not None and kb.schema.relations[number].kinds == {ValueKind.BOOLEAN}


def _counts_counts(program: ex.Expression, kb: KnowledgeBase) -> bool:
    """Whether it counts members of a class that has a number of its own name: a row of degrees says how many
    degrees there were."""
    if not isinstance(program, ex.Count) or program.path:
        return False
    named = (one.iri for one in conjuncts(program.argument) if isinstance(one, ex.Class))
    kinds = {number for iri in named if (number := kb.schema.class_ids.get(iri)) is not None}
    return any(
        relation.domain in kinds
        and relation.kinds == {ValueKind.NUMBER}
        and not (relation.hidden or relation.is_identifier)
        and _stems(relation.label) == _stems(kb.schema.classes[relation.domain].label)
        for relation in (kb.schema.relations if kinds else ())
        if relation.domain is not None
    )


def _stems(label: str) -> list[str]:
    return [stem(word) for word in split(label)]
