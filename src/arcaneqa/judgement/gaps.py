"""Gaps in the facts that a program goes around: what somebody has none of, though others of their kind have,
is told by nothing else and by nobody else's. Nor is a spouse's birthday that of whom the question names."""

from __future__ import annotations

import re
from collections.abc import Iterator
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from weakref import WeakKeyDictionary

import numpy as np

from arcaneqa.errors import BudgetExceeded
from arcaneqa.induction.found import Found
from arcaneqa.induction.topics import Topic
from arcaneqa.judgement.small_words import SMALL, root_of, roots_of
from arcaneqa.judgement.ways import relations_by_name
from arcaneqa.kb.interface import KnowledgeBase, NodeSet
from arcaneqa.kb.names.name_forms import split, words
from arcaneqa.kb.names.origins import are_of_one_origin
from arcaneqa.kb.schema import Relation
from arcaneqa.program import expression as ex
from arcaneqa.program.execute import execute


def _roots(text: str) -> frozenset[str]:
    return frozenset(map(root_of, text.split()))


_BESIDE_A_NAME = _roots(
    "date time day year month moment place location city country name number amount person"
)
"""Words in the name of a relation that only say what kind of thing it tells: who asks when somebody was
discharged asks for a discharge date."""
_FAMILY = re.compile(
    r"\b(?:grand|step|half|great)\W?\w+|\w+.in.law\b|\b(?:siblings?|brothers?|sisters?|uncles?|aunts?|nephews?|nieces?"
    r"|cousins?|famil\w+|relatives?|ancestors?|descendants?)\b",
    re.IGNORECASE,
)
"""Whose name has one word and whose way has two steps."""
_WITHIN = _roots(
    "in within inside part located location place region area district province state of belongs member sub"
    " super parent broader narrower contains above division administrative same"
)
"""Words of relations from which something follows for what is within: a village is in the country of its
region."""


def gap(question: str, found: Found, kb: KnowledgeBase) -> Relation | None:
    """What the question asks for of the one thing that it names, where that has none and a program tells
    something else."""
    topics = [topic for topic in found.topics if isinstance(topic.term, ex.Entity)]
    missing = next((one for topic in topics if (one := _lacked_by_name(question, topic, found, kb))), None)
    if missing is None and len(topics) == 1:
        return _told_of_another(question, topics[0], found, kb)
    return missing


_OF = re.compile(
    r"(?:(?:what|which|who|when)(?:'s|\s+(?:is|are|was|were))\s+)?(?:the\s+)?"
    r"(?P<what>\w[\w ]*?)\s+of\s+(?:the\s+|an?\s+)?",
    re.IGNORECASE,
)


def _lacked_by_name(question: str, topic: Topic, found: Found, kb: KnowledgeBase) -> Relation | None:
    """A relation that is asked for by its name and that others of the kind have."""
    own = _own(topic, kb)
    if own is None:
        return None
    before, behind = question[: topic.words.start], question[topic.words.end :]
    asked = None if behind.strip(" ?.!\"'") else _OF.fullmatch(before.rstrip("\"'"))
    name = tuple(map(root_of, split(asked["what"]))) if asked else ()
    called = [*relations_by_name(kb).get(name, ())]
    said = _telling(question, topic)
    if not said <= _told_by(found.program, kb):
        called += (one.relation for one in _maybe_said(said, kb) if _says(said, one))
    kinds = set(kb.classes(own).tolist()) if called else set()
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


def _maybe_said(said: AbstractSet[str], kb: KnowledgeBase) -> list[_Name]:
    """Names with a telling word that begins like one of these; read once a knowledge base."""
    if (names := _NAMES.get(kb)) is None:
        names = {}
        for words_, relations in relations_by_name(kb).items():
            roots = frozenset(words_) - SMALL
            kernel = roots - _BESIDE_A_NAME or roots
            for beginning in {root[:_BEGINNING] for root in kernel}:
                names.setdefault(beginning, []).extend(_Name(one, roots, kernel) for one in relations)
        _NAMES[kb] = names
    found = (one for beginning in {root[:_BEGINNING] for root in said} for one in names.get(beginning, ()))
    return list({one.relation.id: one for one in found}.values())


def _says(said: AbstractSet[str], name: _Name) -> bool:
    """Whether words are the name of a relation, but for what kind of thing it tells."""
    return _are_said(name.kernel, said) and _are_said(said, name.roots | _BESIDE_A_NAME)


def _are_said(some: AbstractSet[str], words: AbstractSet[str]) -> bool:
    """Whoever was discharged has a discharge date."""
    return all(one in words or any(are_of_one_origin(one, word) for word in words) for one in some)


def _told_of_another(question: str, topic: Topic, found: Found, kb: KnowledgeBase) -> Relation | None:
    """What a program tells of others of the same kind, where the question has one word for it and none for
    how they are related."""
    outer = found.program.right if isinstance(found.program, ex.And) else found.program
    if not isinstance(outer, ex.Join) or isinstance(outer.argument, ex.Entity) or _FAMILY.search(question):
        return None
    own, number = _own(topic, kb), kb.schema.relation_ids.get(outer.relation.iri)
    if own is None or number is None or len(_telling(question, topic)) != 1:
        return None
    ends = kb.out_relations(own) if outer.relation.inverse else kb.in_relations(own)
    if number in ends.tolist():
        return None
    between = list(_labels(outer.argument, kb))
    known = roots_of(question) - SMALL | _WITHIN
    if not between or any(not roots_of(label).isdisjoint(known) for label in between):
        return None
    try:
        others = execute(outer.argument, kb).nodes
    except BudgetExceeded:
        return None
    kinds = set(kb.classes(own).tolist()) & set(kb.classes(others).tolist())
    is_alike = any(not kb.schema.classes[kind].hidden for kind in kinds)
    return kb.schema.relations[number] if is_alike else None


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
