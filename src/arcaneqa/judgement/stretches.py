"""What was in a month, a year or a decade was there from its first to its last day: neither before nor after
it, and not on its first day alone."""

from __future__ import annotations

import re
from calendar import month_abbr, month_name
from dataclasses import replace

from arcaneqa.induction.found import Found
from arcaneqa.judgement.placing import WHEN
from arcaneqa.kb.interface import Comparison, KnowledgeBase
from arcaneqa.kb.terms import XSD, Literal
from arcaneqa.language import expression as ex
from arcaneqa.language.rewrite import rewrite
from arcaneqa.language.run import execute
from arcaneqa.support.errors import BudgetExceeded

_WITHIN = ("in", "during")
_SIDES = (Comparison.GE, Comparison.LE)
_MONTHS = {
    name.lower(): number for names in (month_name, month_abbr) for number, name in enumerate(names) if name
}
_A_MONTH = re.compile(
    r"(?:\b(?P<when>in|during|before|after|since|until|by|from|to|between|and)\s+)?(?:the\s+month\s+of\s+)?"
    rf"\b(?P<month>{'|'.join(_MONTHS)})\b\.?,?\s+(?:of\s+)?(?P<year>1\d{{3}}|20\d{{2}})\b",
    re.IGNORECASE,
)
_A_DECADE = re.compile(r"\b(?P<when>in|during)\s+(?:the\s+)?(?P<year>1\d{2}0|20\d0)['’]?s\b", re.IGNORECASE)
_A_DAY_BEFORE = re.compile(r"\d(?:st|nd|rd|th)?\s+(?:of\s+)?$", re.IGNORECASE)
_Ends = tuple[Literal, Literal]


def within_stretch(question: str, found: Found, kb: KnowledgeBase) -> Found:
    """The same program from the first to the last day of a year or so, where it is said that something was in
    it and the program takes all before or after it, or its first day; the program itself where nothing was
    then."""
    compared, equal = _said(question)
    program = found.program

    def both_ends(node: ex.Expression) -> ex.Expression:
        match node:
            case ex.Compare(_, ex.Relation() as relation, ex.Value(literal)) if literal in compared:
                if _compares(program, relation, compared[literal]) == 1:
                    return _all_of_it(relation, compared[literal])
            case ex.Join(ex.Relation(_, inverse=False) as relation, ex.Value(literal)) if literal in equal:
                return _all_of_it(relation, equal[literal])
        return node

    changed = rewrite(program, both_ends) if compared else program
    if changed == program:
        return found
    try:
        result = execute(changed, kb)
    except BudgetExceeded:
        return found
    is_something = result.nodes if result.value is None else result.value.lexical != "0"
    return replace(found, program=changed, result=result) if is_something else found


def _said(question: str) -> tuple[dict[Literal, _Ends], dict[Literal, _Ends]]:
    """The ends of the stretches in which something was, by what a program may compare with and what it may
    take for them; none where others bound them."""
    decades, years = list(_A_DECADE.finditer(question)), list(WHEN.finditer(question))
    months = [one for one in _A_MONTH.finditer(question) if not _A_DAY_BEFORE.search(question[: one.start()])]
    if any((match["when"] or "in").lower() not in _WITHIN for match in (*years, *months)):
        return {}, {}
    compared: dict[Literal, _Ends] = {}
    equal: dict[Literal, _Ends] = {}
    for match in years:
        year = Literal(match["year"], f"{XSD}gYear")
        compared[year] = equal[Literal(f"{match['year']}-01-01", f"{XSD}date")] = (year, year)
    for match in months:
        month = Literal(f"{match['year']}-{_MONTHS[match['month'].lower()]:02d}", f"{XSD}gYearMonth")
        compared[month] = (month, month)
    for match in decades:
        for kind in ("gYear", "integer"):
            first, last = (Literal(str(int(match["year"]) + more), XSD + kind) for more in (0, 9))
            compared |= {first: (first, last), last: (first, last)}
            equal |= {first: (first, last), last: (first, last)}
    return compared, equal


def _all_of_it(relation: ex.Relation, ends: _Ends) -> ex.Expression:
    first, last = (ex.Compare(side, relation, ex.Value(end)) for side, end in zip(_SIDES, ends, strict=True))
    return ex.And(first, last)


def _compares(program: ex.Expression, relation: ex.Relation, ends: _Ends) -> int:
    """How often a program compares this with that: twice where it takes both ends already."""
    return sum(
        isinstance(node, ex.Compare)
        and node.key == relation
        and isinstance(node.value, ex.Value)
        and node.value.literal in ends
        for node in ex.post_order(program)
    )
