"""Nodes that only stand between facts and have no name (a production, a statement, a membership) answer no
question for somebody, a place or a time: who made a thing is whoever carried out its production."""

from __future__ import annotations

from collections.abc import Iterator

from arcaneqa.induction.found import Found
from arcaneqa.judgement.added import added
from arcaneqa.judgement.asked import Wanted, wanted
from arcaneqa.judgement.small_words import SMALL, root_of, roots_of
from arcaneqa.kb.interface import KnowledgeBase, NodeSet
from arcaneqa.kb.names.called import label_of
from arcaneqa.kb.names.name_forms import split
from arcaneqa.kb.schema import Relation, ValueKind
from arcaneqa.kb.terms import Blank
from arcaneqa.language import expression as ex
from arcaneqa.language.run import execute
from arcaneqa.support.errors import BudgetExceeded


def _roots(text: str) -> frozenset[str]:
    return frozenset(map(root_of, text.split()))


_TELLING = {
    Wanted.PERSON: _roots(
        "by who whom person people human agent actor artist author creator maker performer organization"
        " organisation company group employee member player holder winner owner"
    ),
    Wanted.PLACE: _roots(
        "at where place location located site venue city town country region area station room"
    ),
}
"""Words of relations, and of the classes that they lead to, that tell somebody or a place."""
_LOOKED_AT = 5
"""Of the answers; all are of one form, or nearly."""
_ALIKE = 50
"""Of a kind: if none of so many has a name, it is a kind of things that stand between others."""
_STEPS = 2
"""From such a node: a time may be told by a time span that has no name either."""


def is_unnamed(question: str, found: Found, kb: KnowledgeBase) -> bool:
    """Whether somebody, a place or a time is asked for, and nothing comes that has a name."""
    if wanted(question) not in (*_TELLING, Wanted.TIME) or not ex.mentioned(found.program):
        return False
    if found.result.value is not None or found.result.table is not None:
        return False
    has_names = any(label_of(kb, entity.term) for entity in ex.mentioned(found.program))
    return _have_no_name(found.nodes, kb, has_names)


def beyond_unnamed(question: str, found: Found, kb: KnowledgeBase) -> Found:
    """What such nodes tell of whom, where or when; the program itself where that is not the one thing they
    tell of the kind."""
    kind = wanted(question)
    if kind is None or not is_unnamed(question, found, kb):
        return found
    programs = [(found.program, found.nodes)]
    for _ in range(_STEPS):
        steps = [
            (ex.Join(ex.Relation(relation.iri, inverse=True), program), relation)
            for program, nodes in programs
            for relation in _leaving(nodes, program, kb)
        ]
        fitting = [(program, relation) for program, relation in steps if _tells(kind, relation, kb)]
        if len(fitting) > 1:
            said = roots_of(question) - SMALL
            fitting = [one for one in fitting if not said.isdisjoint(map(root_of, split(one[1].label)))]
        if len(fitting) == 1:
            ((program, relation),) = fitting
            return added(program, found, relation, kb, found.trace.steps) or found
        if kind is not Wanted.TIME or fitting:
            return found
        programs = list(_between(steps, kb))
    return found


def _leaving(nodes: NodeSet, program: ex.Expression, kb: KnowledgeBase) -> Iterator[Relation]:
    """Relations by which one goes on, and not back."""
    walked = {relation.iri for node in ex.post_order(program) for relation in ex.relations(node)}
    for number in kb.out_relations(nodes).tolist():
        relation = kb.schema.relations[number]
        inverse = None if relation.inverse is None else kb.schema.relations[relation.inverse].iri
        if not relation.hidden and relation.iri not in walked and inverse not in walked:
            yield relation


def _tells(kind: Wanted, relation: Relation, kb: KnowledgeBase) -> bool:
    if kind is Wanted.TIME:
        return ValueKind.TIME in relation.kinds
    if not relation.kinds & {ValueKind.ENTITY, ValueKind.TEXT}:
        return False
    to = "" if relation.range is None else kb.schema.classes[relation.range].label
    return not _TELLING[kind].isdisjoint(map(root_of, (*split(relation.label), *split(to))))


def _between(
    steps: list[tuple[ex.Join, Relation]], kb: KnowledgeBase
) -> Iterator[tuple[ex.Expression, NodeSet]]:
    """Those steps that lead to further nodes without a name."""
    for program, relation in steps:
        if ValueKind.ENTITY in relation.kinds:
            try:
                nodes = execute(program, kb).nodes
            except BudgetExceeded:
                continue
            if _have_no_name(nodes, kb, has_names=True):
                yield program, nodes


def _have_no_name(nodes: NodeSet, kb: KnowledgeBase, has_names: bool) -> bool:
    """Where other things have no labels either, the words of an IRI are a name; and so they are where others
    of its kind have labels, for then the label is only missing here."""
    few = nodes.ids[:_LOOKED_AT]
    if not len(few) or kb.are_literals(few).any() or any(label for label in kb.labels(few)):
        return False
    if all(isinstance(term, Blank) for term in kb.terms(few)):
        return True
    kinds = kb.classes(kb.nodes(few)).tolist() if has_names else []
    alike = [kb.members(kind).ids[:_ALIKE] for kind in kinds if not kb.schema.classes[kind].hidden]
    return bool(alike) and not any(label for members in alike for label in kb.labels(members))
