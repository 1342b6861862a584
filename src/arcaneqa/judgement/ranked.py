"""Of what there is most: "which shop has the most items?" asks for the shop with the most rows where each row
is an item, and not for the item that is in most rows; "which planet has the most residents?" counts residents
where planets have some, whatever else the data measures of planets."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from arcaneqa.induction.found import Found
from arcaneqa.judgement.added import added
from arcaneqa.judgement.asked_kinds import classes_called
from arcaneqa.judgement.rules import Asked, Said, likeliest
from arcaneqa.judgement.small_words import roots_in_order
from arcaneqa.kb.interface import KnowledgeBase
from arcaneqa.kb.schema import Relation, ValueKind
from arcaneqa.language import expression as ex

_MOST = re.compile(
    r"(?:which|what)\s+(?P<of>[\w ]+?)\s+\w+\s+the\s+(?P<end>most|fewest|least)\s+(?P<rows>\w+)",
    re.IGNORECASE,
)
_LOOKED_AT = 5
"""Rows; what one is called by, nearly all are."""


def most_rows_said(asked: Asked, _: Sequence[Found]) -> Said | None:
    """The value of the column that is asked for with the most rows, where these are what is counted: by the
    name of their kind, or of the column by which they are called."""
    question = _MOST.fullmatch(asked.question.strip(" ?.!"))
    column = None if question is None else _column(question["of"], question["rows"], asked.kb)
    if question is None or column is None or column.domain is None:
        return None
    back = ex.Relation(column.iri, inverse=True)
    rows = ex.Class(asked.kb.schema.classes[column.domain].iri)
    program = ex.Extreme(_direction(question["end"]), ex.Join(back, rows), ex.Counted((back,)))

    def further(found: Sequence[Found]) -> list[Found]:
        if any(one.program == program for one in found):
            return []
        one = added(program, likeliest(found), column, asked.kb)
        return [] if one is None else [one]

    return Said(lambda one: one.program != program, further)


def most_of_theirs_said(asked: Asked, _: Sequence[Found]) -> Said | None:
    """Members of the kind that is asked for with the most of what they have by the name that is said."""
    question = _MOST.fullmatch(asked.question.strip(" ?.!"))
    kinds = [] if question is None else classes_called(question["of"], asked.kb)
    if question is None or len(kinds) != 1:
        return None
    counted = [
        one for one in _called(question["rows"], asked.kb) if kinds[0] in (one.domain, *one.other_domains)
    ]
    if len(counted) != 1 or counted[0].kinds != {ValueKind.ENTITY}:
        return None
    (relation,) = counted
    kind = ex.Class(asked.kb.schema.classes[kinds[0]].iri)
    program = ex.Extreme(_direction(question["end"]), kind, ex.Counted((ex.Relation(relation.iri),)))

    def counts(one: Found) -> bool:
        match one.program:
            case ex.Extreme(_, argument, ex.Counted()):
                return argument == kind
        return False

    def further(found: Sequence[Found]) -> list[Found]:
        if any(map(counts, found)):
            return []
        one = added(program, replace(likeliest(found), topics=()), relation, asked.kb)
        return [] if one is None else [one]

    return Said(lambda one: not counts(one), further)


def _direction(end: str) -> ex.Direction:
    return ex.Direction.LARGEST if end.lower() == "most" else ex.Direction.SMALLEST


def ranks_the_counted(question: str, found: Found, kb: KnowledgeBase) -> bool:
    """Whether a program ranks the very values of which something else shall have most."""
    asked = _MOST.fullmatch(question.strip(" ?.!"))
    match found.program:
        case ex.Extreme(_, ex.Join(ex.Relation(iri, True), ex.Class()), ex.Counted((by,))) if asked:
            number = kb.schema.relation_ids.get(iri)
            label = "" if number is None else kb.schema.relations[number].label
            is_counted = roots_in_order(label) == roots_in_order(asked["rows"]) != roots_in_order(asked["of"])
            return is_counted and by == ex.Relation(iri, inverse=True)
    return False


def _column(of: str, rows: str, kb: KnowledgeBase) -> Relation | None:
    """The one column that is asked for, of rows that are called so."""
    called = [one for one in _called(of, kb) if one.domain is not None]
    if len(called) != 1 or called[0].kinds & {ValueKind.NUMBER, ValueKind.BOOLEAN}:
        return None
    kind = called[0].domain
    if kind is None or any(roots_in_order(one.label) == roots_in_order(of) for one in kb.schema.classes):
        return None
    named = [one for one in _called(rows, kb) if one.domain == kind]
    are_rows = roots_in_order(kb.schema.classes[kind].label) == roots_in_order(rows) and not named
    return called[0] if are_rows or (len(named) == 1 and _names_rows(named[0], kind, kb)) else None


def _called(name: str, kb: KnowledgeBase) -> list[Relation]:
    roots = roots_in_order(name)
    shown = (one for one in kb.schema.relations if not (one.hidden or one.is_identifier))
    return [one for one in shown if roots_in_order(one.label) == roots]


def _names_rows(column: Relation, kind: int, kb: KnowledgeBase) -> bool:
    few = kb.nodes(kb.members(kind).ids[:_LOOKED_AT])
    names = {label for label in kb.labels(few.ids) if label is not None}
    return bool(names) and names == set(kb.labels(kb.objects(column.id, few).ids))
