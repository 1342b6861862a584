"""One SELECT: its tables joined, its conditions on the variables, and how its rows can be told."""

from __future__ import annotations

from sqlglot import exp

from arcaneqa.lab.datasets.sql.mapping import CellKind
from arcaneqa.lab.datasets.sql.table_facts import TableFacts
from arcaneqa.lab.datasets.sql.variables import Denoter, QueryEdge, QueryPlace, Scope, Unsayable, both
from arcaneqa.lab.datasets.sql.where import Subquery, WhereConditions
from arcaneqa.language.expression import Aggregation, Expression, Has, Path, Relation

TOTALS: dict[type[exp.Expr], Aggregation] = {
    exp.Sum: Aggregation.SUM,
    exp.Avg: Aggregation.AVG,
    exp.Max: Aggregation.MAX,
    exp.Min: Aggregation.MIN,
}


class Block:
    """`attempt` says which of the ways to tell the rows of a join is taken; 0 is the most natural one."""

    def __init__(self, select: exp.Select, facts: TableFacts, subquery: Subquery, attempt: int) -> None:
        self.select = select
        self.facts = facts
        self.subquery = subquery
        self.attempt = attempt
        self.scope = Scope(facts.database, facts.kb.schema.relation_ids)
        self.variables = self.scope.variables
        self.denoter = Denoter(self.variables, facts)
        source = select.args.get("from_") or select.args.get("from")
        if source is None:
            raise Unsayable("selects from no table")
        joins = select.args.get("joins") or []
        for table in (source.this, *(join.this for join in joins)):
            self.scope.enter(table)
        conditions = WhereConditions(self.scope, facts, subquery)
        for join in joins:
            if (on := join.args.get("on")) is not None:
                conditions.apply(on)
        if (where := select.args.get("where")) is not None:
            conditions.apply(where.this)
        rows = self.scope.rows()
        for row in rows[1:]:
            self.variables.walk(rows[0], row)
        self.items = [_unaliased(item) for item in select.expressions]
        self._named = {
            item.alias.lower(): item.this for item in select.expressions if isinstance(item, exp.Alias)
        }

    def meant(self, expression: exp.Expr) -> exp.Expr:
        """What an expression stands for: its own alias in the SELECT, or itself."""
        if isinstance(expression, exp.Paren):
            return self.meant(expression.this)
        if isinstance(expression, exp.Column) and not expression.table:
            named: exp.Expr = self._named.get(expression.name.lower(), expression)
            return named
        return expression

    def place(self, column: exp.Expr) -> QueryPlace:
        place = self.scope.place(column)
        if place is None:
            raise Unsayable("shows what is no column")
        return place

    def places(self) -> list[QueryPlace]:
        """The columns that are shown, none of them calculated."""
        found: list[QueryPlace] = []
        for item in self.items:
            found += self.scope.all_places() if isinstance(item, exp.Star) else [self.place(item)]
        return found

    # Rows ------------------------------------------------------------------------------------

    def row(self, *preferred: int, apart_from: int | None = None, shown: bool = False) -> int:
        """The variable whose nodes are the rows of the join, one each if possible; `shown`: with columns."""
        rows = [row for row in self.scope.rows() if row != apart_from]
        liked = list(map(self.variables.find, preferred))
        rows.sort(key=lambda row: (self.variables.fan_out(row, shown), row not in liked))
        if self.attempt >= len(rows) or not rows:
            raise Unsayable("has answers that the program does not find")
        return rows[self.attempt]

    def set_of(self, variable: int, ignoring: frozenset[QueryEdge] = frozenset()) -> Expression:
        found = self.denoter.set_of(variable, ignoring)
        if found is None:
            raise Unsayable("asks for everything there is")
        return found

    def is_whole(self, part: Expression | None, last: Relation, *also: Expression) -> bool:
        """Whether a set holds all that a relation leads to, so that it need not be said."""
        return part is None or self.facts.holds(
            both([Has(Relation(last.iri, not last.inverse)), *also]), part
        )

    def show(self, start: int, end: int) -> Path:
        """The path to what is shown; being shown, it does not restrict the rows it starts from."""
        hops = self.variables.walk(start, end)
        self.denoter.shown |= {hop.edge for hop in hops}
        return tuple(hop.relation for hop in hops)

    def measure_path(self, start: int, place: QueryPlace) -> Path:
        """From a variable to the numbers or times in a column."""
        if place.column.kind is not CellKind.LITERAL:
            raise Unsayable("calculates with or orders by text")
        value = self.scope.value(place)
        schema = self.facts.kb.schema
        if not schema.relations[schema.relation_ids[place.column.relation]].comparable:
            raise Unsayable("calculates with or orders by text")
        return self.variables.path(start, value)


def is_total(item: exp.Expr) -> bool:
    return isinstance(item, exp.Count | exp.Sum | exp.Avg | exp.Max | exp.Min)


def counted_column(item: exp.Count) -> tuple[exp.Expr | None, bool]:
    """The column that is counted, None for rows, and whether equal ones count once."""
    inner = item.this
    if isinstance(inner, exp.Distinct):
        return inner.expressions[0], True
    return (None if isinstance(inner, exp.Star) else inner), False


def _unaliased(item: exp.Expr) -> exp.Expr:
    return _unaliased(item.this) if isinstance(item, exp.Alias | exp.Paren) else item
