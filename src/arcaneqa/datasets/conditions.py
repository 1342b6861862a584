"""The filters of a published query, sorted by what they mean to a program."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from arcaneqa.datasets.query import Call, Exists, Expr, Query, Var
from arcaneqa.errors import ProgramError
from arcaneqa.kb.interface import Comparison
from arcaneqa.kb.profile import Profile
from arcaneqa.kb.terms import XSD, Iri, Literal
from arcaneqa.program.expression import NOW, Now, Value

_COMPARISONS = {"<": Comparison.LT, "<=": Comparison.LE, ">": Comparison.GT, ">=": Comparison.GE}
_MIRRORED = {"<": ">", "<=": ">=", ">": "<", ">=": "<="}
_CASTS = {"dateTime", "datetime", "date", "float", "double", "integer", "decimal", "int"}
_LANGUAGE = {"||", "&&", "!", "=", "ISLITERAL", "LANG", "LANGMATCHES", "ISIRI", "ISURI"}
_DAY = re.compile(r"\d{4}-\d\d-\d\d")


@dataclass(slots=True)
class Dated:
    """`start` (and `end`) of a node are before or after a day, or missing."""

    relation: str
    operator: str
    day: str


@dataclass(slots=True)
class Conditions:
    """By variable: what its value compares with, and when the node is valid."""

    excluded: set[str] = field(default_factory=set)
    apart: bool = False
    """Whether the answers differ from another variable: no program says it, and mostly it changes nothing."""
    compared: dict[Var, list[tuple[Comparison, Value]]] = field(default_factory=dict)
    dated: dict[Var, list[Dated]] = field(default_factory=dict)


def conditions(query: Query) -> Conditions:
    """Raises ProgramError, its text a reason to count, for a filter that no program expresses."""
    found = Conditions()
    waiting = list(query.group.filters)
    while waiting:
        expression = waiting.pop(0)
        if isinstance(expression, Call) and expression.name == "&&":
            waiting[:0] = expression.arguments
        elif not _only_language(expression, query.target):
            _sort_in(expression, query.target, found)
    return found


def _sort_in(expression: Expr, target: Var, found: Conditions) -> None:
    match expression:
        case Call("!=", (Var() as variable, Iri(iri))) | Call("!=", (Iri(iri), Var() as variable)):
            if variable == target:
                found.excluded.add(iri)
                return
        case Call("!=", (Var() as one, Var() as two)) if target in (one, two) and one != two:
            found.apart = True
            return
        case Call("||", (Exists(absent, True), Exists(present, False))):
            if len(absent.triples) == len(present.triples) == 1:
                (subject, relation, _), (other, same, value) = absent.triples[0], present.triples[0]
                if (subject, relation) == (other, same) and isinstance(subject, Var):
                    for comparison in present.filters:
                        operator, day = _comparison(comparison, value)
                        dated = Dated(relation.value, operator, day.lexical)
                        found.dated.setdefault(subject, []).append(dated)
                    return
        case Call(operator, (left, right)) if operator in _COMPARISONS:
            compared = _uncast(left) if isinstance(_uncast(left), Var) else _uncast(right)
            operator, literal = _comparison(expression, compared)
            if isinstance(compared, Var):
                condition = (_COMPARISONS[operator], Value(_typed(literal)))
                found.compared.setdefault(compared, []).append(condition)
                return
        case Call("=", (Call("STR", _), _)) | Call("=", (_, Call("STR", _))):
            raise ProgramError("the query compares text")
        case Call("||", _):
            raise ProgramError("the query has alternatives")
    raise ProgramError("the query has a filter that no program expresses")


def _comparison(expression: Expr, variable: object) -> tuple[str, Literal]:
    """Operator and literal of `variable operator literal`, turned round if need be."""
    if isinstance(expression, Call) and expression.name in _COMPARISONS and len(expression.arguments) == 2:
        left, right = (_uncast(side) for side in expression.arguments)
        if left == variable and isinstance(right, Literal):
            return expression.name, right
        if right == variable and isinstance(left, Literal):
            return _MIRRORED[expression.name], left
    raise ProgramError("the query has a filter that no program expresses")


def _uncast(expression: Expr) -> Expr:
    while isinstance(expression, Call) and expression.name in _CASTS and len(expression.arguments) == 1:
        expression = expression.arguments[0]
    return expression


def _typed(literal: Literal) -> Literal:
    """The published queries write days as dateTime and numbers as text."""
    text = literal.lexical
    if _DAY.fullmatch(text):
        return Literal(text, XSD + "date")
    if literal.datatype.startswith(XSD) and literal.datatype != XSD + "string":
        return literal
    if re.fullmatch(r"[+-]?\d+", text):
        return Literal(text, XSD + "integer")
    if re.fullmatch(r"[+-]?\d+\.\d+", text):
        return Literal(text, XSD + "float")
    raise ProgramError("the query compares text")


def _only_language(expression: Expr, target: Var) -> bool:
    """Whether a filter does nothing but keep English literals."""
    match expression:
        case Call(name, arguments) if name in _LANGUAGE:
            return all(_only_language(argument, target) for argument in arguments)
        case Var():
            return expression == target
        case Literal(lexical):
            return lexical in ("", "en")
        case _:
            return False


def moment(dates: list[Dated], profile: Profile) -> tuple[str, str, Value | Now]:
    """Start relation, end relation and the moment of two conditions `start <= day1, end >= day2`.

    The start is the condition that comes first, as in all published queries. A few queries ask for a
    stretch within the year instead of one that meets it; the year is what the question says, and both
    become it.
    """
    if len(dates) != 2 or {dates[0].operator, dates[1].operator} != {"<=", ">="}:
        raise ProgramError("the query has a time condition that no program expresses")
    start, end = dates
    days = sorted((start.day, end.day))
    if days[0] == days[1]:
        when: Value | Now = NOW if days[0] == profile.now else Value(Literal(days[0], XSD + "date"))
        return start.relation, end.relation, when
    year = days[0][:4]
    if days == [f"{year}-01-01", f"{year}-12-31"]:
        return start.relation, end.relation, Value(Literal(year, XSD + "gYear"))
    raise ProgramError("the query's time window is neither a day nor a year")


def ordered_by(query: Query) -> tuple[Var, bool] | None:
    """The variable whose largest (True) or smallest value is asked for."""
    if query.order is None:
        if query.limit is not None:
            raise ProgramError("the query limits its answers without an order")
        return None
    expression, descending = query.order
    variable = _uncast(expression)
    if not isinstance(variable, Var):
        raise ProgramError("the query orders by more than a value")
    if query.limit != 1 or query.offset:
        raise ProgramError("the query asks for other than the first")
    return variable, descending
