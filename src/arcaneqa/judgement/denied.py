"""What a question takes away: the newest non public school is none of the public ones, cities that have no
large branch are not the cities of some other branch, and other films by the director of Hook are not Hook."""

from __future__ import annotations

import re
from collections.abc import Collection, Set
from dataclasses import replace

from arcaneqa.induction.found import Found
from arcaneqa.judgement.added import put_right
from arcaneqa.judgement.asked import signs
from arcaneqa.judgement.asked_columns import column_asked_for
from arcaneqa.judgement.nothing import has_zero
from arcaneqa.kb.interface import KnowledgeBase
from arcaneqa.kb.names.name_forms import split
from arcaneqa.kb.schema import ValueKind
from arcaneqa.language import expression as ex
from arcaneqa.language.forms import Form, forms_of
from arcaneqa.language.run import execute
from arcaneqa.support.errors import BudgetExceeded

Term = ex.Entity | ex.Value
_DENIED_OF_IT = re.compile(
    r"(?:(?:that|which|who)\s+)?(?:(?:do|does|did|have|has|had|is|are|was|were)\s+(?:not|never|no)\b"
    r"|(?:don|doesn|didn|haven|hasn|isn|aren|wasn|weren)'t\b|never\b|without\b|with\s+no\b)",
    re.IGNORECASE,
)


def with_denial(question: str, found: Found, kb: KnowledgeBase) -> Found:
    """The same program with what the question denies taken away; the program itself where it denies nothing,
    or it cannot be told what."""
    program = _of_all(question, found.program, kb)
    return put_right(_taken_away(question, found, kb) if program == found.program else program, found, kb)


def denies_another(question: str, found: Found, unused: Collection[str]) -> bool:
    """Whether a program takes away something else than what is named first behind the denial: what is named
    before it ("which primates are no omnivores?" are primates), or further behind ("not from school A whose
    drawing is at least 16")."""
    sign = next((one for one in signs(question) if one.form is Form.EXCEPT), None)
    nots = [node for node in ex.post_order(found.program) if isinstance(node, ex.Not)]
    if sign is None or not nots:
        return False
    within = {term for node in nots for term in ex.post_order(node.without)}
    denied = [topic.words.start for topic in found.topics if topic.term in within]
    behind = [topic.words.start for topic in found.topics if topic.words.start > sign.start]
    behind += [place for text in unused if (place := question.find(text)) > sign.start]
    return bool(denied and behind) and min(behind) not in denied


def _of_all(question: str, program: ex.Expression, kb: KnowledgeBase) -> ex.Expression:
    """What no member has that is denied, in place of what some member has of which it is not so."""
    match program:
        case ex.Join(ex.Relation(iri, True) as back, ex.Not(members, without)):
            columns, rest = column_asked_for(question, kb)
            if any(column.iri == iri for column in columns) and _DENIED_OF_IT.match(rest):
                return ex.Not(ex.Join(back, members), ex.Join(back, without))
        case ex.Count(argument, ()):
            return ex.Count(_of_all(question, argument, kb))
    return program


def _taken_away(question: str, found: Found, kb: KnowledgeBase) -> ex.Expression:
    """The program less those of whom it says what is denied: the condition on what is named right behind."""
    sign = next((one for one in signs(question) if one.form is Form.EXCEPT), None)
    if sign is None or forms_of(found.program) & sign.met_by or has_zero(found.program):
        return found.program
    denying, *_ = split(question[sign.start : sign.end])
    if any(denying in split(topic.words.text) for topic in found.topics):
        return found.program  # "We'll never know the worth of water" is what somebody said
    behind = [topic for topic in found.topics if topic.words.start > sign.start]
    if not behind:
        return found.program
    denied = min(behind, key=lambda topic: topic.words.start).term
    others = {topic.term for topic in found.topics} - {denied}
    return _less(found.program, denied, others, kb)


def _less(program: ex.Expression, denied: Term, others: Set[Term], kb: KnowledgeBase) -> ex.Expression:
    """All of them, less those who have to do with what is denied; values are those of what they belong to."""
    match program:
        case ex.And(left, right) if _is_about(right, denied, others) and not _is_about(
            left, denied, frozenset()
        ):
            return ex.Not(left, right)
        case ex.And(left, right) if _is_about(left, denied, others) and not _is_about(
            right, denied, frozenset()
        ):
            return ex.Not(right, left)
        case ex.And(left, right):
            return ex.And(_less(left, denied, others, kb), right)
        case ex.Join(ex.Relation(iri, True), argument) if _gives_values(iri, kb):
            return replace(program, argument=_less(argument, denied, others, kb))
        case ex.Count() | ex.Aggregate() | ex.Extreme() | ex.Sort() | ex.Show() | ex.Per():
            return replace(program, argument=_less(program.argument, denied, others, kb))
        case ex.Join() | ex.Compare() | ex.Like() if _is_about(program, denied, others):
            kind = _kind(program, kb)
            return program if kind is None else ex.Not(kind, program)
    return program


def _is_about(condition: ex.Expression, denied: Term, others: Set[Term]) -> bool:
    within = set(ex.post_order(condition))
    return denied in within and within.isdisjoint(others)


def _gives_values(iri: str, kb: KnowledgeBase) -> bool:
    number = kb.schema.relation_ids.get(iri)
    return number is not None and ValueKind.ENTITY not in kb.schema.relations[number].kinds


def _kind(program: ex.Join | ex.Compare | ex.Like, kb: KnowledgeBase) -> ex.Class | None:
    """All that could be found by it: the class that a relation leads to."""
    (relation, *_) = ex.relations(program)
    number = kb.schema.relation_ids.get(relation.iri)
    if number is None:
        return None
    known = kb.schema.relations[number]
    kind = known.range if relation.inverse else known.domain
    return None if kind is None else ex.Class(kb.schema.classes[kind].iri)


_OTHERS = re.compile(r"\b(?:other|others|else)\b(?!\s+than\b)", re.IGNORECASE)
"""Who says "other than" names what is left out, and programs have words for that."""


def without_named(question: str, found: Found, kb: KnowledgeBase) -> Found:
    """The same program without the entities that it names, where others are asked for and they are among the
    answers; the program itself where none would be left."""
    if _OTHERS.search(question) is None or found.result.table is not None:
        return found
    whole = found.program
    counted = isinstance(whole, ex.Count) and not whole.path
    if found.result.value is not None and not counted:
        return found
    # A list is sorted once all that it has is known.
    inner = whole.argument if isinstance(whole, ex.Count | ex.Sort) else whole
    if ex.denotes(inner) is not ex.Denotation.SET:
        return found
    others = inner
    try:
        among = execute(inner, kb).nodes if counted else found.nodes
        for entity in ex.mentioned(inner):
            if (node := kb.node(entity.term)) is not None and node in among.ids:
                others = ex.Not(others, entity)
        if others == inner:
            return found
        program = replace(whole, argument=others) if isinstance(whole, ex.Count | ex.Sort) else others
        result = execute(program, kb)
    except BudgetExceeded:
        return found
    is_left = result.value is not None or result.nodes
    return replace(found, program=program, result=result) if is_left else found
