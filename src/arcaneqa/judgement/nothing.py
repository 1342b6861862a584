"""What has none of something: of a number there is none where it is 0, so "without sugar" are not those of
which nobody measured it; and facts that are missing are those that are asked for: who asks for sugar does not
mean what has no vitamins."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from arcaneqa.induction.found import Found
from arcaneqa.induction.scorer import Candidate, TokenKind
from arcaneqa.judgement.added import narrowed
from arcaneqa.judgement.alive import ALIVE
from arcaneqa.judgement.asked import Wanted, wanted
from arcaneqa.judgement.rules import Asked, Said
from arcaneqa.judgement.small_words import root_of, roots_of
from arcaneqa.judgement.unasked import are_said, beside_names, columns_of, names_of
from arcaneqa.judgement.yes_or_no import DENYING
from arcaneqa.kb.interface import KnowledgeBase
from arcaneqa.kb.names.name_forms import split
from arcaneqa.kb.schema import Relation, ValueKind
from arcaneqa.kb.terms import XSD, Literal
from arcaneqa.language import expression as ex
from arcaneqa.language.rewrite import rewrite

_NONE = re.compile(
    r"\b(?:no|without|(?:not|\w+n['’]t)\s+(?:have|contain|include|get|need|cost))\s+(?:any\s+)?"
    r"(?!more\b|less\b|fewer\b|other\b)(?P<of>\w.*)",
    re.IGNORECASE,
)
_ZERO = Literal("0", XSD + "integer")
_LOOKED_AT = 4
"""Readings that are mended: others are hardly ever meant."""


def none_said(asked: Asked, _: Sequence[Found]) -> Said | None:
    """Of likely readings the same with those of which a number is 0, where the question says that they have
    none of it and some have 0: then who has no number is not known."""
    column = None if wanted(asked.question) is Wanted.TRUTH else _none_of(asked.question, asked.kb)
    if column is None or column.domain is None:
        return None
    kind = ex.Class(asked.kb.schema.classes[column.domain].iri)
    zero = ex.Join(ex.Relation(column.iri), ex.Value(_ZERO))

    def further(found: Sequence[Found]) -> list[Found]:
        likely = sorted(found, key=lambda one: -one.score)[:_LOOKED_AT]
        if any(zero in ex.post_order(one.program) for one in likely):
            return []
        return [mended for one in likely if (mended := _with(zero, kind, one, column, asked.kb)) is not None]

    return Said(lambda one: zero not in ex.post_order(one.program), further)


def _none_of(question: str, kb: KnowledgeBase) -> Relation | None:
    """The one number that is called what the question says there is none of, if it is 0 of any."""
    said = _NONE.search(question) if len(DENYING.findall(question)) == 1 else None
    roots = [] if said is None else list(map(root_of, split(said["of"])))
    called = [
        relation
        for relation in kb.schema.relations
        if relation.kinds == {ValueKind.NUMBER} and not (relation.hidden or relation.is_identifier)
        if roots[: len(name := split(relation.label))] == list(map(root_of, name)) != []
    ]
    is_zero = len(called) == 1 and kb.subjects(called[0].id, kb.equal(_ZERO))
    return called[0] if is_zero else None


def _with(
    zero: ex.Expression, kind: ex.Class, found: Found, column: Relation, kb: KnowledgeBase
) -> Found | None:
    """All of the kind have 0, and nothing is denied any more."""

    def of_none(node: ex.Expression) -> ex.Expression:
        match node:
            case ex.Class() if node == kind:
                return ex.And(node, zero)
            case ex.Not(argument, ex.Has()):
                return argument
            case ex.Extreme(_, argument, (ex.Relation(iri, False),)) if iri == column.iri:
                return argument
            case ex.Not(argument, without):
                return ex.And(argument, without)
        return node

    program = rewrite(found.program, of_none)
    named = Candidate(TokenKind.RELATION, column.label)
    return narrowed(program, found, [named], kb) if zero in ex.post_order(program) else None


def has_zero(program: ex.Expression) -> bool:
    """Whether something is 0, which says what is denied."""
    return any(isinstance(node, ex.Value) and node.literal == _ZERO for node in ex.post_order(program))


def denies_unsaid(question: str, found: Found, kb: KnowledgeBase) -> bool:
    """Whether a program goes by what some have no facts of, and the question does not say what that is, but
    for who they are."""
    lacked = [] if ALIVE.search(question) else list(_lacked(found.program, kb))
    asked = beside_names(question, found) if lacked else set()
    for step, kinds in lacked:
        who = {root for kind in kinds for root in roots_of(kb.schema.classes[kind].label)}
        number = kb.schema.relation_ids.get(step.iri)
        rows = kb.schema.relations[number].domain if step.inverse and number is not None else None
        if not are_said(asked - who, names_of((), [step, *columns_of(rows, kb)], kb) - who):
            return True
    return False


def _lacked(program: ex.Expression, kb: KnowledgeBase) -> Iterator[tuple[ex.Relation, list[int]]]:
    """What there are no facts of, and the kinds of those that have none."""
    for node in ex.post_order(program):
        match node:
            case ex.Not(argument, ex.Has(relation)):
                kinds = (one.iri for one in ex.post_order(argument) if isinstance(one, ex.Class))
                numbers = (kb.schema.class_ids.get(iri) for iri in kinds)
                yield relation, [number for number in numbers if number is not None]
