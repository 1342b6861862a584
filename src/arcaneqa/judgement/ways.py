"""Where a way leads: back to what it set out from, there and back on the way, one step further than was asked
(where coffee is grown are the countries that grow it, not their continents), or one step short of it (a
budget may be a node that says 200 million beside a currency)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from weakref import WeakKeyDictionary

import numpy as np

from arcaneqa.induction.found import Found, is_same
from arcaneqa.judgement.added import added
from arcaneqa.judgement.asked import Wanted, wanted
from arcaneqa.judgement.small_words import SMALL, root_of, roots_in_order
from arcaneqa.kb.interface import KnowledgeBase, NodeSet
from arcaneqa.kb.names.name_forms import split, stem
from arcaneqa.kb.schema import Relation, ValueKind
from arcaneqa.kb.terms import Blank
from arcaneqa.language import expression as ex
from arcaneqa.language.rewrite import rewrite
from arcaneqa.language.run import execute
from arcaneqa.support.errors import BudgetExceeded

_NAMING = frozenset(
    map(stem, ("name", "names", "named", "call", "called", "title", "label", "known", "stand"))
)
_NAMES: WeakKeyDictionary[KnowledgeBase, dict[tuple[str, ...], list[Relation]]] = WeakKeyDictionary()


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


def relations_by_name(kb: KnowledgeBase) -> Mapping[tuple[str, ...], Sequence[Relation]]:
    """Relations by the roots of their names' words; read once a knowledge base."""
    if (names := _NAMES.get(kb)) is None:
        names = {}
        for relation in kb.schema.relations:
            if not relation.hidden:
                names.setdefault(tuple(roots_in_order(relation.label)), []).append(relation)
        _NAMES[kb] = names
    return names


def comes_back(found: Found, kb: KnowledgeBase) -> bool:
    """Whether the only answer is what the program set out from: whom those rows are about that are about
    Hank Aaron."""
    if found.result.value is not None or found.result.table is not None or len(found.nodes) != 1:
        return False
    return any(
        isinstance(inner, ex.Join)
        and inner.relation.iri == outer.relation.iri
        and inner.relation.inverse is not outer.relation.inverse
        and _is_among(found.nodes, inner.argument, kb)
        for outer in conjuncts(found.program)
        if isinstance(outer, ex.Join)
        for inner in conjuncts(outer.argument)
    )


def _is_among(one: NodeSet, program: ex.Expression, kb: KnowledgeBase) -> bool:
    try:
        return kb.intersects(one, execute(program, kb).nodes)
    except BudgetExceeded:
        return False


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


def _stems(label: str) -> list[str]:
    return [stem(word) for word in split(label)]


def at_the_first_places(question: str, found: Found, kb: KnowledgeBase) -> Found:
    """The program without its last step, where that leads from places to places by a relation that nobody
    said, and nobody said either what the first ones are."""
    match found.program:
        case ex.Join(ex.Relation(iri, inverse=True), first) if wanted(question) is Wanted.PLACE:
            inner = first.right if isinstance(first, ex.And) and isinstance(first.left, ex.Class) else first
        case _:
            return found
    if not (isinstance(inner, ex.Join) and isinstance(inner.argument, ex.Entity)) or inner.relation.inverse:
        return found
    relation = kb.schema.relation_ids.get(iri)
    if relation is None or _is_said(question, kb.schema.relations[relation].label):
        return found
    try:
        result = execute(first, kb)
    except BudgetExceeded:
        return found
    kinds = [kb.schema.classes[kind] for kind in kb.classes(result.nodes).tolist()]
    shown = [kind for kind in kinds if not kind.hidden]
    if any(_is_said(question, kind.label) for kind in shown):
        return found
    both = kb.nodes(np.union1d(result.nodes.ids, found.nodes.ids))
    are_alike = any(_holds(kb.members(kind.id), both, kb) for kind in shown)
    return replace(found, program=first, result=result) if are_alike else found


def _is_said(question: str, name: str) -> bool:
    said = set(map(root_of, split(question)))
    return not said.isdisjoint({root_of(word) for word in split(name)} - SMALL)


def _holds(members: NodeSet, some: NodeSet, kb: KnowledgeBase) -> bool:
    return not len(kb.difference(some, members))


_WORTH = frozenset(("value", "amount"))
_LOOKED_AT = 5
"""Of the answers; all are of one form, or nearly."""


def worth(found: Found, kb: KnowledgeBase) -> Found | None:
    """The numbers or times of what was found, where those are blank nodes that nothing names and have just
    one value each."""
    if found.result.value is not None or found.result.table is not None or found.result.order is not None:
        return None
    few = kb.nodes(found.nodes.ids[:_LOOKED_AT])
    if not few or any(label is not None for label in kb.labels(few.ids)):
        return None
    if not all(isinstance(term, Blank) for term in kb.terms(few.ids)):
        return None
    relations = [kb.schema.relations[number] for number in kb.out_relations(few).tolist()]
    values = [
        relation
        for relation in relations
        if relation.comparable and ValueKind.ENTITY not in relation.kinds and not relation.hidden
        if not _WORTH.isdisjoint(split(relation.label)[-1:])
    ]
    if len(values) != 1:
        return None
    program = ex.Join(ex.Relation(values[0].iri, inverse=True), found.program)
    return added(program, found, values[0], kb, found.trace.steps)
