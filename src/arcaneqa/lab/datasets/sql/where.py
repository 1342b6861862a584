"""WHERE as sets that the variables of a query are in, or not in."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass

from sqlglot import exp

from arcaneqa.kb.interface import Comparison
from arcaneqa.kb.terms import Literal
from arcaneqa.lab.datasets.sql.constants import cell, compared, measure, rows_with, text_of, whole_name
from arcaneqa.lab.datasets.sql.mapping import CellKind
from arcaneqa.lab.datasets.sql.table_facts import TableFacts
from arcaneqa.lab.datasets.sql.variables import Nothing, QueryPlace, Scope, Unsayable, both, but_not, either
from arcaneqa.language import expression as ex

COMPARISONS: dict[type[exp.Expr], Comparison] = {
    exp.GT: Comparison.GT,
    exp.GTE: Comparison.GE,
    exp.LT: Comparison.LT,
    exp.LTE: Comparison.LE,
}
TURNED = {
    Comparison.GT: Comparison.LT,
    Comparison.LT: Comparison.GT,
    Comparison.GE: Comparison.LE,
    Comparison.LE: Comparison.GE,
}

Subquery = Callable[[exp.Expr], ex.Expression]
"""The program of a nested query: a set, or a number."""


@dataclass(frozen=True, slots=True)
class Limit:
    """A variable's nodes are in the set or, where `holds` is false, not in it."""

    variable: int
    set: ex.Expression
    holds: bool = True
    implied: bool = False


class WhereConditions:
    def __init__(self, scope: Scope, facts: TableFacts, subquery: Subquery) -> None:
        self.scope = scope
        self.facts = facts
        self.subquery = subquery

    def apply(self, condition: exp.Expr) -> None:
        for limit in self.limits(condition):
            variable = self.scope.variables[limit.variable]
            if limit.implied:
                variable.implied.append(limit.set)
            else:
                (variable.within if limit.holds else variable.without).append(limit.set)

    def limits(self, condition: exp.Expr) -> list[Limit]:
        match condition:
            case exp.Paren():
                return self.limits(condition.this)
            case exp.Boolean() if condition.this:
                return []
            case exp.And():
                return self._and(_branches(condition, exp.And))
            case exp.Or():
                return [self._or(condition)]
            case exp.Not():
                return self._not(condition.this)
            case exp.Between():
                low, high = (exp.GTE, condition.args["low"]), (exp.LTE, condition.args["high"])
                return [
                    limit for kind, end in (low, high) for limit in self._compare(condition.this, kind, end)
                ]
            case exp.In():
                return [self._in(condition)]
            case exp.Like() if condition.args.get("negate"):
                return self._unlike([self._like(condition)], condition.this)
            case exp.Like():
                return [self._like(condition)]
            case exp.Is():
                place = self._place(condition.this)
                return [Limit(self.scope.row(place), self._has(place), holds=False)]
            case exp.EQ():
                return self._equal(condition.left, condition.right)
            case exp.NEQ():
                return self._unequal(condition)
            case exp.GT() | exp.GTE() | exp.LT() | exp.LTE():
                return self._compare(condition.left, type(condition), condition.right)
        raise Unsayable(f"has a condition with {condition.key.upper()}")

    def _place(self, column: exp.Expr) -> QueryPlace:
        place = self.scope.place(column)
        if place is None:
            raise Unsayable("compares what is no column")
        return place

    def _has(self, place: QueryPlace) -> ex.Expression:
        if place.column.kind is CellKind.LABEL:
            raise Unsayable("asks for a missing name")
        return ex.Has(ex.Relation(place.column.relation))

    # Yes and no ------------------------------------------------------------------------------

    def _not(self, inner: exp.Expr) -> list[Limit]:
        if isinstance(inner, exp.Paren):
            return self._not(inner.this)
        if isinstance(inner, exp.Is):
            (limit,) = self.limits(inner)
            return [Limit(limit.variable, limit.set)]
        if isinstance(inner, exp.In | exp.Like | exp.EQ):
            return self._unlike(self.limits(inner), inner.this)
        raise Unsayable(f"negates {inner.key.upper()}")

    def _unequal(self, condition: exp.NEQ) -> list[Limit]:
        try:
            return self._unlike(self._equal(condition.left, condition.right), condition.left)
        except Nothing:
            place = self._place(condition.left)
            return [Limit(self.scope.row(place), self._has(place))]

    def _unlike(self, limits: list[Limit], column: exp.Expr) -> list[Limit]:
        """An empty cell is not unlike anything, so a row must have one."""
        if len(limits) != 1:
            raise Unsayable("negates a join")
        place = self._place(column)
        row = self.scope.row(place)
        turned = [Limit(row, self._seen_from(row, limits[0]), holds=not limits[0].holds)]
        if place.column.kind is not CellKind.LABEL and self.scope.value(place) != row:
            turned.append(Limit(row, ex.Has(ex.Relation(place.column.relation)), implied=True))
        return turned

    def _and(self, conditions: list[exp.Expr]) -> list[Limit]:
        """First and last name together are the name of a row."""
        parts: dict[str, list[tuple[QueryPlace, str]]] = {}
        for condition in conditions:
            if isinstance(condition, exp.EQ) and (text := text_of(condition.right)) is not None:
                place = self.scope.place(condition.left)
                if place is not None and place.column.part_of_name:
                    parts.setdefault(place.alias, []).append((place, text))
        found: list[Limit] = []
        whole: set[str] = set()
        for alias, names in parts.items():
            entity = whole_name(self.facts, [(place.column, text) for place, text in names])
            if entity is not None:
                found.append(Limit(self.scope.row(names[0][0]), entity))
                whole.add(alias)
        for condition in conditions:
            place = self.scope.place(condition.left) if isinstance(condition, exp.EQ) else None
            if place is None or place.alias not in whole or not place.column.part_of_name:
                found += self.limits(condition)
        return found

    def _or(self, condition: exp.Expr) -> Limit:
        branches = []
        for branch in _branches(condition, exp.Or):
            with suppress(Nothing):
                branches.append(self.limits(branch))
        if not branches:
            raise Nothing("names a value that the graph does not have")
        places = {limit.variable for branch in branches for limit in branch}
        anchor = places.pop() if len(places) == 1 else self._anchor(condition)
        return Limit(
            anchor, either([both([self._seen(anchor, limit) for limit in branch]) for branch in branches])
        )

    def _anchor(self, condition: exp.Expr) -> int:
        """The rows from which all the columns of a condition are seen, each once if possible."""
        rows = [
            self.scope.row(place)
            for column in condition.find_all(exp.Column)
            if (place := self.scope.place(column))
        ]
        candidates = [*rows, *self.scope.rows()]
        return min(map(self.scope.variables.find, candidates), key=self.scope.variables.fan_out)

    def _seen(self, anchor: int, limit: Limit) -> ex.Expression:
        seen = self._seen_from(anchor, limit)
        if limit.holds:
            return seen
        class_iri = self.scope.variables[anchor].class_iri
        if class_iri is None:
            raise Unsayable("negates within OR")
        return but_not(ex.Class(class_iri), seen)

    def _seen_from(self, anchor: int, limit: Limit) -> ex.Expression:
        """The set of one variable as a set of another."""
        seen = limit.set
        for hop in reversed(self.scope.variables.walk(anchor, limit.variable)):
            seen = ex.Join(hop.relation, seen)
        return seen

    # Conditions on a column -----------------------------------------------------------------

    def _equal(self, left: exp.Expr, right: exp.Expr) -> list[Limit]:
        if text_of(left) is not None and self.scope.place(left) is None:
            left, right = right, left
        place, other = self._place(left), self.scope.place(right)
        if other is not None:
            self.scope.equate(place, other)
            return []
        if isinstance(right, exp.Subquery | exp.Select):
            return [self._equal_to_subquery(place, right)]
        text = text_of(right)
        if text is None:
            raise Unsayable("calculates")
        return [self._says(place, text)]

    def _says(self, place: QueryPlace, text: str) -> Limit:
        """A column's cell is this text."""
        if place.column.names:
            named = rows_with(self.facts, place.column, text)
            if not isinstance(named, ex.Join):
                return Limit(self.scope.row(place), named)
        return Limit(self.scope.value(place), cell(self.facts, place.column, text))

    def _equal_to_subquery(self, place: QueryPlace, nested: exp.Expr) -> Limit:
        found = self.subquery(nested)
        if isinstance(found, ex.Aggregate) and found.function in (ex.Aggregation.MAX, ex.Aggregation.MIN):
            largest = found.function is ex.Aggregation.MAX
            direction = ex.Direction.LARGEST if largest else ex.Direction.SMALLEST
            if [step.iri for step in found.path] == [place.column.relation]:
                return Limit(self.scope.row(place), ex.Extreme(direction, found.argument, found.path))
        if isinstance(found, ex.Aggregate):
            raise Unsayable("equals a number that is calculated")
        return Limit(self.scope.node(place), found)

    def _in(self, condition: exp.In) -> Limit:
        place = self._place(condition.this)
        nested = condition.args.get("query")
        if nested is not None:
            return Limit(self.scope.node(place), self.subquery(nested))
        texts = [text_of(item) for item in condition.expressions]
        limits = [self._says(place, text) for text in texts if text is not None]
        if not limits:
            raise Unsayable("looks among what is no constant")
        return Limit(limits[0].variable, either([limit.set for limit in limits]))

    def _like(self, condition: exp.Like) -> Limit:
        place, text = self._place(condition.this), text_of(condition.expression)
        if text is None or "%" in text.strip("%") or "_" in text.strip("%"):
            raise Unsayable("looks for a pattern with gaps")
        wanted = ex.Value(Literal(text.strip("%")))
        if "%" not in text:
            return self._says(place, text)
        if place.column.is_link:
            raise Unsayable("looks for text in a key")
        return Limit(self.scope.row(place), ex.Like(ex.Relation(place.column.relation), wanted))

    def _compare(self, left: exp.Expr, kind: type[exp.Expr], right: exp.Expr) -> list[Limit]:
        comparison = COMPARISONS[kind]
        if self.scope.place(left) is None:
            left, right, comparison = right, left, TURNED[comparison]
        place = self._place(left)
        if isinstance(right, exp.Subquery | exp.Select):
            value = self.subquery(right)
        elif (text := text_of(right)) is not None and self.scope.place(right) is None:
            value = measure(text)
        else:
            raise Unsayable("compares columns or calculates")
        return [Limit(self.scope.row(place), compared(self.facts, place.column, comparison, value))]


def _branches(condition: exp.Expr, kind: type[exp.Binary]) -> list[exp.Expr]:
    """What AND or OR connects, however it is nested."""
    if isinstance(condition, exp.Paren) and isinstance(condition.this, kind):
        return _branches(condition.this, kind)
    if isinstance(condition, kind):
        return [*_branches(condition.left, kind), *_branches(condition.right, kind)]
    return [condition]
