"""When something was is told by its day, where rows have a year and a day in that year: who asks when a
hurricane made landfall is not told 2012 where 2012-10-29 is known."""

from __future__ import annotations

import re
from collections.abc import Iterator

import numpy as np

from arcaneqa.induction.found import Found
from arcaneqa.judgement.added import added
from arcaneqa.judgement.placing import has_only_years
from arcaneqa.kb.interface import KnowledgeBase, Step
from arcaneqa.kb.names.name_forms import split
from arcaneqa.kb.schema import Relation, ValueKind
from arcaneqa.kb.terms import XSD, Literal
from arcaneqa.language import expression as ex

_WHEN = re.compile(r"\s*(?:and\s+)?when\b(?!.*\byears?\b)", re.IGNORECASE)
_YEAR = ["year"]
_DAYS = (XSD + "date", XSD + "dateTime")
_LOOKED_AT = 50
"""Rows: a column of other days has some in other years."""


def on_the_day(question: str, found: Found, kb: KnowledgeBase) -> Found:
    """The same program with the one column of days, each of them in the year beside it; the program itself
    where it does not end in a column that is only called a year, or there is no such other one."""
    match found.program:
        case ex.Join(ex.Relation(iri, inverse=True), rows) if _WHEN.match(question):
            number = kb.schema.relation_ids.get(iri)
            if number is None or split(kb.schema.relations[number].label) != _YEAR:
                return found
            days = list(_days_within(number, kb)) if has_only_years(number, kb) else []
            if len(days) == 1:
                program = ex.Join(ex.Relation(days[0].iri, inverse=True), rows)
                return added(program, found, days[0], kb, found.trace.steps[:-1]) or found
    return found


def _days_within(year: int, kb: KnowledgeBase) -> Iterator[Relation]:
    """Relations that tell of all that have a year a day in it."""
    rows = kb.having(Step(year)).ids[:_LOOKED_AT]
    for number in kb.out_relations(kb.nodes(rows)).tolist():
        relation = kb.schema.relations[number]
        if relation.hidden or relation.kinds != {ValueKind.TIME}:
            continue
        if all(_has_day_in_year(row, number, year, kb) for row in rows.tolist()):
            yield relation


def _has_day_in_year(row: int, day: int, year: int, kb: KnowledgeBase) -> bool:
    own = kb.nodes(np.array([row], np.int64))
    days, years = (kb.terms(kb.objects(number, own).ids) for number in (day, year))
    told = [one.lexical[:4] for one in days if isinstance(one, Literal) and one.datatype in _DAYS]
    return len(days) == 1 and told == [one.lexical for one in years if isinstance(one, Literal)]
