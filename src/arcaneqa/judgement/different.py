"""Columns of rows that nobody counts: who asks how many countries there are, where each row tells of one in
some year, wants no rows; and who asks for the most deaths wants no latest date of one."""

from __future__ import annotations

import re
from collections.abc import Iterator

from arcaneqa.induction.found import Found
from arcaneqa.judgement.added import added, put_right
from arcaneqa.judgement.asked_kinds import classes_by_name, whole_noun
from arcaneqa.judgement.placing import has_only_years
from arcaneqa.judgement.small_words import root_of
from arcaneqa.judgement.ways import conjuncts
from arcaneqa.kb.interface import KnowledgeBase
from arcaneqa.kb.names.name_forms import split
from arcaneqa.kb.schema import Relation, ValueKind
from arcaneqa.language import expression as ex

_ASKED = re.compile(r"\b(?:how many|number of)\s+(?:(?:different|distinct|unique)\s+)?", re.IGNORECASE)


def different_values(question: str, found: Found, kb: KnowledgeBase) -> Found:
    """The number of different values of a column in place of the number of rows, where the column is what the
    question counts and the same value stands in several rows."""
    asked = _ASKED.search(question)
    match found.program:
        case ex.Count(rows, ()) if asked is not None:
            noun = whole_noun(split(question[asked.end() :]), kb)
        case _:
            return found
    if not noun or noun in classes_by_name(kb):
        return found
    kinds = set(_kinds_of(rows, kb))
    columns = [r for r in kb.schema.relations if r.domain in kinds and _is_repeated(r, noun, kb)]
    # Surfaces that are grass are rows: of the column that says so there is one value.
    if len(columns) != 1 or any(columns[0].iri == iri for iri in _walked(rows)):
        return found
    program = ex.Count(rows, (ex.Relation(columns[0].iri),))
    return added(program, found, columns[0], kb, found.trace.steps) or found


def _kinds_of(rows: ex.Expression, kb: KnowledgeBase) -> Iterator[int | None]:
    """What the rows are, by their class or by what they have."""
    for one in conjuncts(rows):
        match one:
            case ex.Class(iri):
                yield kb.schema.class_ids.get(iri)
            case ex.Join(ex.Relation(iri, False)) | ex.Compare(_, ex.Relation(iri, False)):
                if (number := kb.schema.relation_ids.get(iri)) is not None:
                    yield kb.schema.relations[number].domain


def _walked(rows: ex.Expression) -> Iterator[str]:
    return (relation.iri for node in ex.post_order(rows) for relation in ex.relations(node))


def _is_repeated(relation: Relation, noun: tuple[str, ...], kb: KnowledgeBase) -> bool:
    """Whether several rows have the same of what is called so; numbers but years are added up."""
    if relation.hidden or relation.domain is None or relation.objects >= relation.facts:
        return False
    if tuple(map(root_of, split(relation.label))) != noun:
        return False
    return ValueKind.NUMBER not in relation.kinds or has_only_years(relation.id, kb)


_MOST = re.compile(
    r"\b(?:most|fewest|least)\s+(?!recent|late|early|modern|ancient|old|new|often|common|frequent)[a-z-]+s\b",
    re.IGNORECASE,
)


def counted_not_dated(question: str, found: Found, kb: KnowledgeBase) -> Found:
    """Those that most rows have, in place of the one of the latest row: the neighbourhood with the most
    deaths is not where somebody died last."""
    match found.program:
        case ex.Join(
            ex.Relation(_, True) as back, ex.Extreme(direction, rows, (ex.Relation() as key,), 1, 1)
        ):
            if _MOST.search(question) is None or not _is_time(key, kb):
                return found
            within = None if isinstance(rows, ex.Class) else rows
            counted = ex.Extreme(direction, ex.Join(back, rows), ex.Counted((back,), within))
            return put_right(counted, found, kb)
    return found


def _is_time(key: ex.Relation, kb: KnowledgeBase) -> bool:
    number = kb.schema.relation_ids.get(key.iri)
    return number is not None and kb.schema.relations[number].kinds == {ValueKind.TIME}
