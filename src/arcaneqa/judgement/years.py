"""Years that a question says something happened in: no cost and no number of a row, no column of another
year, and neither what came before nor after."""

from __future__ import annotations

import re
from dataclasses import replace

from arcaneqa.errors import BudgetExceeded
from arcaneqa.induction.found import Found
from arcaneqa.kb.interface import Comparison, KnowledgeBase
from arcaneqa.kb.names.name_forms import split
from arcaneqa.kb.schema import Relation, ValueKind
from arcaneqa.kb.terms import XSD, Literal
from arcaneqa.program import expression as ex
from arcaneqa.program.execute import execute
from arcaneqa.program.rewrite import rewrite

_WHEN = re.compile(
    r"\b(?P<when>in|during|before|after|since|until|by)\s+(?:the\s+)?(?:year\s+)?(?P<year>1\d{3}|20\d{2})\b(?![-/.,]\d)",
    re.IGNORECASE,
)
_YEAR = re.compile(r"(?<!\d)(?:1\d{3}|20\d{2})(?!\d)")
_WITHIN = ("in", "during")
_FIRST, _LAST = Literal("1000", XSD + "integer"), Literal("2200", XSD + "integer")
"""A column with numbers before or after these is none of years."""
_SIDES = (Comparison.GE, Comparison.LE)


def mistimed(question: str, program: ex.Expression, kb: KnowledgeBase) -> int:
    """How many years a program takes for something else: "in 1999" for a cost of 1999, or for a column of the
    visitors of 2010."""
    said = {match["year"] for match in _WHEN.finditer(question)}
    found = 0
    for node in ex.post_order(program) if said else ():
        found += any(_is_of_another_year(relation.iri, question, kb) for relation in ex.relations(node))
        match node:
            case ex.Join(relation, ex.Value(literal)) if not relation.inverse:
                found += literal.lexical in said and _has_other_numbers(relation.iri, kb)
            case ex.Compare(_, ex.Relation(iri), ex.Value(literal)):
                found += literal.lexical in said and _has_other_numbers(iri, kb)
    return found


def _is_of_another_year(iri: str, question: str, kb: KnowledgeBase) -> bool:
    """Whether the name of a relation has a year, and the question only others."""
    number = kb.schema.relation_ids.get(iri)
    years = set() if number is None else set(_YEAR.findall(kb.schema.relations[number].label))
    return bool(years) and years.isdisjoint(_YEAR.findall(question))


def _has_other_numbers(iri: str, kb: KnowledgeBase) -> bool:
    number = kb.schema.relation_ids.get(iri)
    if number is None or kb.schema.relations[number].kinds != {ValueKind.NUMBER}:
        return False
    return not has_only_years(number, kb)


def has_only_years(relation: int, kb: KnowledgeBase) -> bool:
    """Whether all numbers of a relation may be years."""
    ends = ((Comparison.LT, _FIRST), (Comparison.GT, _LAST))
    return not any(relation in kb.relations_comparing(side, end) for side, end in ends)


def said_years(question: str, kb: KnowledgeBase) -> list[tuple[int, int]]:
    """Where a question says in or around which year something was, if the facts tell years at all: who won in
    2016 is not among those who won some year."""
    said = [match.span("year") for match in _WHEN.finditer(question)]
    return said if said and any(_tells_years(relation, kb) for relation in kb.schema.relations) else []


def _tells_years(relation: Relation, kb: KnowledgeBase) -> bool:
    if relation.hidden or relation.kinds.isdisjoint((ValueKind.NUMBER, ValueKind.TIME)):
        return False
    return ValueKind.TIME in relation.kinds or (
        "year" in split(relation.label) and has_only_years(relation.id, kb)
    )


def within_year(question: str, found: Found, kb: KnowledgeBase) -> Found:
    """The same program from the first to the last day of a year, where it is said that something was in that
    year and the program takes all before or after it, or its first day; the program itself where nothing was
    then."""
    said = {match["year"] for match in _WHEN.finditer(question) if match["when"].lower() in _WITHIN}
    if not said or any(match["when"].lower() not in _WITHIN for match in _WHEN.finditer(question)):
        return found

    def both_ends(node: ex.Expression) -> ex.Expression:
        match node:
            case ex.Compare(_, ex.Relation() as relation, ex.Value(literal)) if literal.lexical in said:
                if literal.datatype == f"{XSD}gYear" and _compares(program, relation, node.value) == 1:
                    return _all_of_it(relation, literal)
            case ex.Join(ex.Relation(_, inverse=False) as relation, ex.Value(literal)):
                year, _, day = literal.lexical.partition("-")
                if literal.datatype == f"{XSD}date" and year in said and day == "01-01":
                    return _all_of_it(relation, Literal(year, f"{XSD}gYear"))
        return node

    program = found.program
    changed = rewrite(program, both_ends)
    if changed == program:
        return found
    try:
        result = execute(changed, kb)
    except BudgetExceeded:
        return found
    is_something = result.nodes if result.value is None else result.value.lexical != "0"
    return replace(found, program=changed, result=result) if is_something else found


def _all_of_it(relation: ex.Relation, year: Literal) -> ex.Expression:
    first, last = (ex.Compare(side, relation, ex.Value(year)) for side in _SIDES)
    return ex.And(first, last)


def _compares(program: ex.Expression, relation: ex.Relation, value: ex.Expression) -> int:
    """How often a program compares this with that: twice where it takes both ends already."""
    return sum(
        isinstance(node, ex.Compare) and node.key == relation and node.value == value
        for node in ex.post_order(program)
    )
