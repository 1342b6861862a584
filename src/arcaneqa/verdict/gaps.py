"""Gaps in the facts that a program goes around: what somebody has none of, though others of their kind have,
is told by nothing else and by nobody else's. Nor is a spouse's birthday that of whom the question names."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace
from weakref import WeakKeyDictionary

import numpy as np

from arcaneqa.induction.found import Found
from arcaneqa.induction.topics import Topic
from arcaneqa.kb.interface import KnowledgeBase, NodeSet
from arcaneqa.kb.names.called import said_name
from arcaneqa.kb.names.name_forms import are_of_one_origin, fold, split, words
from arcaneqa.kb.schema import Relation
from arcaneqa.language import expression as ex
from arcaneqa.language.run import execute
from arcaneqa.support.errors import BudgetExceeded
from arcaneqa.verdict.frame import Wanted, wanted
from arcaneqa.verdict.words import (
    BESIDE_A_NAME,
    SMALL,
    WITHIN,
    pattern,
    root_of,
    roots,
    roots_in_order,
    roots_of,
)

_FAMILY, _OF = pattern("family"), pattern("what_of")
_WHICH_OF_SEVERAL = roots("last latest recent recently first originally current currently")
_LOOKED_AT = 5
"""Of those that something is told of; all are of one form, or nearly."""


def gap(question: str, found: Found, kb: KnowledgeBase) -> Relation | None:
    """What the question asks for of the one thing that it names, where that has none and a program tells
    something else."""
    topics = _named(found)
    missing = next((one for topic in topics if (one := _lacked_by_name(question, topic, found, kb))), None)
    if missing is None and len(topics) == 1:
        return _told_of_another(question, topics[0], found, kb)
    return missing


def _lacked_by_name(question: str, topic: Topic, found: Found, kb: KnowledgeBase) -> Relation | None:
    """A relation that is asked for by its name and that others of the kind have."""
    before, behind = question[: topic.words.start], question[topic.words.end :]
    asked = None if behind.strip(" ?.!\"'") else _OF.fullmatch(before.rstrip("\"'"))
    name = tuple(map(root_of, split(asked["what"]))) if asked else ()
    called = [*relations_by_name(kb).get(name, ())]
    said = _telling(question, topic)
    if not said <= _told_by(found.program, kb):
        called += (one.relation for one in _maybe_said(said, kb) if _says(said, one))
    own = _own(topic, kb) if called else None
    if own is None:
        return None
    kinds = set(kb.classes(own).tolist())
    had = {*kb.out_relations(own).tolist(), *kb.in_relations(own).tolist()}
    if not had.isdisjoint(relation.id for relation in called):
        return None
    return next((r for r in called if not kinds.isdisjoint((r.domain, *r.other_domains))), None)


@dataclass(frozen=True, slots=True)
class _Name:
    """The roots of a relation's name, and those among them that say what it tells."""

    relation: Relation
    roots: frozenset[str]
    kernel: frozenset[str]


_BEGINNING = 4
"""Letters that two words of one origin have in common at least."""
_NAMES: WeakKeyDictionary[KnowledgeBase, dict[str, list[_Name]]] = WeakKeyDictionary()
_BY_NAME: WeakKeyDictionary[KnowledgeBase, dict[tuple[str, ...], list[Relation]]] = WeakKeyDictionary()


def _maybe_said(said: AbstractSet[str], kb: KnowledgeBase) -> list[_Name]:
    """Names with a telling word that begins like one of these; read once a knowledge base."""
    if (names := _NAMES.get(kb)) is None:
        names = {}
        for words_, relations in relations_by_name(kb).items():
            roots = frozenset(words_) - SMALL
            kernel = roots - BESIDE_A_NAME or roots
            for beginning in {root[:_BEGINNING] for root in kernel}:
                names.setdefault(beginning, []).extend(_Name(one, roots, kernel) for one in relations)
        _NAMES[kb] = names
    found = (one for beginning in {root[:_BEGINNING] for root in said} for one in names.get(beginning, ()))
    return list({one.relation.id: one for one in found}.values())


def _says(said: AbstractSet[str], name: _Name) -> bool:
    """Whether words are the name of a relation, but for what kind of thing it tells."""
    return _are_said(name.kernel, said) and _are_said(said, name.roots | BESIDE_A_NAME)


def _are_said(some: AbstractSet[str], words: AbstractSet[str]) -> bool:
    """Whoever was discharged has a discharge date."""
    return all(one in words or any(are_of_one_origin(one, word) for word in words) for one in some)


def _told_of_another(question: str, topic: Topic, found: Found, kb: KnowledgeBase) -> Relation | None:
    """What a program tells of others who have names, where the question has no word for how they are related.
    Either it names nothing but what is told, or it has one word for it and they are of the same kind."""
    read = _read_off(question, found.program)
    own = _own(topic, kb)
    if read is None or own is None or _FAMILY.search(question):
        return None
    step, argument = read
    number = kb.schema.relation_ids.get(step.iri)
    if number is None:
        return None
    ends = kb.out_relations(own) if step.inverse else kb.in_relations(own)
    if number in ends.tolist():
        return None
    relation = kb.schema.relations[number]
    between = [label for label in _labels(argument, kb) if label != relation.label]
    known = roots_of(question) - SMALL | WITHIN
    if not between or any(not roots_of(label).isdisjoint(known) for label in between):
        return None
    try:
        others = execute(argument, kb).nodes
    except BudgetExceeded:
        return None
    is_asked = _is_asked_for(relation, question, topic)
    if is_asked and roots_of(relation.label).isdisjoint(WITHIN) and _are_others(own, others, kb):
        return relation
    if len(_telling(question, topic)) != 1:
        return None
    kinds = set(kb.classes(own).tolist()) & set(kb.classes(others).tolist())
    is_alike = any(not kb.schema.classes[kind].hidden for kind in kinds)
    return relation if is_alike or _are_others(own, others, kb) else None


def says_none_of_it(question: str, found: Sequence[Found], kb: KnowledgeBase) -> frozenset[ex.Expression]:
    """Where one reading tells by the name that is asked for, though of others: all that say nothing of that
    name. What Anna has none of is nothing else that she has."""
    missing = {
        relation.id: relation
        for one in found
        for topic in _named(one)
        if (relation := _told_of_another(question, topic, one, kb)) is not None
        and _is_asked_for(relation, question, topic)
    }
    return frozenset(
        one.program
        for one in found
        for relation in missing.values()
        if relation.label not in _labels(one.program, kb)
    )


def _is_asked_for(relation: Relation, question: str, topic: Topic) -> bool:
    """Whether a question asks for this and nothing else of somebody."""
    telling = _telling(question, topic) - _WHICH_OF_SEVERAL
    return bool(telling) and _are_said(telling, roots_of(relation.label) | BESIDE_A_NAME)


def _named(found: Found) -> list[Topic]:
    return [topic for topic in found.topics if isinstance(topic.term, ex.Entity)]


def _read_off(question: str, program: ex.Expression) -> tuple[ex.Relation, ex.Expression] | None:
    """What a program tells last, and of whom; the latest time of several is one of theirs, too."""
    match program.right if isinstance(program, ex.And) else program:
        case ex.Join(relation, argument) if not isinstance(argument, ex.Entity):
            return relation, argument
        case ex.Aggregate(_, argument, (relation,)) if wanted(question) is Wanted.TIME:
            return replace(relation, inverse=not relation.inverse), argument
    return None


def _are_others(own: NodeSet, others: NodeSet, kb: KnowledgeBase) -> bool:
    """Whether these have names, and other ones: what joins facts has none, and a recording is called as its
    song. The words of an IRI are a name where it has no other either."""
    few = kb.difference(others, own).ids[:_LOOKED_AT]
    (called,) = kb.labels(own.ids)
    if called is None:
        called, *names = (said_name(kb, node) for node in [*own.ids.tolist(), *few.tolist()])
    else:
        names = kb.labels(few)
    known = {fold(name) for name in names if name is not None}
    return bool(known) and (called is None or fold(called) not in known)


def _own(topic: Topic, kb: KnowledgeBase) -> NodeSet | None:
    node = kb.node(topic.term.term) if isinstance(topic.term, ex.Entity) else None
    return None if node is None else kb.nodes(np.array([node], np.int64))


def _telling(question: str, topic: Topic) -> set[str]:
    """The roots of the words beside a name, but for small ones."""
    start, end = topic.words.start, topic.words.end
    beside = (word for word in words(question) if word.end <= start or end <= word.start)
    return {root for word in beside if (root := root_of(word.folded)) not in SMALL}


def _told_by(program: ex.Expression, kb: KnowledgeBase) -> set[str]:
    """The roots of the names of a program's relations and classes."""
    classes = [
        kb.schema.class_ids.get(node.iri) for node in ex.post_order(program) if isinstance(node, ex.Class)
    ]
    names = [kb.schema.classes[number].label for number in classes if number is not None]
    return set().union(*(map(root_of, split(name)) for name in (*names, *_labels(program, kb))))


def _labels(program: ex.Expression, kb: KnowledgeBase) -> Iterator[str]:
    for node in ex.post_order(program):
        for relation in ex.relations(node):
            if (number := kb.schema.relation_ids.get(relation.iri)) is not None:
                yield kb.schema.relations[number].label


def relations_by_name(kb: KnowledgeBase) -> Mapping[tuple[str, ...], Sequence[Relation]]:
    """Relations by the roots of their names' words; read once a knowledge base."""
    if (names := _BY_NAME.get(kb)) is None:
        names = {}
        for relation in kb.schema.relations:
            if not relation.hidden:
                names.setdefault(roots_in_order(relation.label), []).append(relation)
        _BY_NAME[kb] = names
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


def conjuncts(program: ex.Expression) -> Iterator[ex.Expression]:
    match program:
        case ex.And(left, right):
            yield from conjuncts(left)
            yield from conjuncts(right)
        case ex.Cons(argument, _, _):
            yield from conjuncts(argument)
        case _:
            yield program
