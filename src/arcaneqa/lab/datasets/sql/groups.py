"""GROUP BY with HAVING or ORDER BY … LIMIT: counts and totals of a group as keys of what is grouped by."""

from __future__ import annotations

from sqlglot import exp

from arcaneqa.kb.interface import Comparison
from arcaneqa.lab.datasets.sql.block import TOTALS, Block, counted_column, is_total
from arcaneqa.lab.datasets.sql.constants import measure, text_of
from arcaneqa.lab.datasets.sql.mapping import CellKind
from arcaneqa.lab.datasets.sql.variables import Hop, QueryEdge, QueryPlace, Unsayable, both, either
from arcaneqa.lab.datasets.sql.where import COMPARISONS
from arcaneqa.language import expression as ex


def group_variable(block: Block) -> int | None:
    """The variable that is grouped by; None without GROUP BY."""
    group = block.select.args.get("group")
    if group is None:
        return None
    places = [block.place(block.meant(column)) for column in group.expressions]
    whole = [place for place in places if block.scope.stands_for_row(place)]
    if len(places) > 1 and not whole and all(place.column.part_of_name for place in places):
        whole = places
    if len(places) == 1:
        (place,) = places
        alone = block.scope.rows() == [block.variables.find(block.scope.row(place))]
        if alone and place.column.names and place.column.kind is CellKind.LITERAL:
            # Rows grouped by their own name: many share it, so the name is what is meant.
            return block.scope.value(place)
        return block.variables.find(block.scope.node(place))
    if not whole or len({place.alias for place in places}) > 1:
        raise Unsayable("groups by several columns")
    return block.variables.find(block.scope.row(whole[0]))


class Grouping:
    def __init__(self, block: Block, group: int) -> None:
        self.block = block
        self.group = group

    def key(self, item: exp.Expr) -> ex.Counted | ex.Totalled:
        """A count or total as a key of the nodes that are grouped by."""
        hop, key = self._key(item)
        self.block.denoter.counted.add(hop)
        return key

    def _key(self, item: exp.Expr) -> tuple[Hop, ex.Counted | ex.Totalled]:
        block = self.block
        if isinstance(item, exp.Count):
            column, distinct = counted_column(item)
            place = None if column is None else block.place(column)
            return self._count(self._counted(place, distinct))
        if type(item) not in TOTALS:
            raise Unsayable("calculates")
        place = block.place(item.this)
        path = block.measure_path(self.group, place)
        hop = block.variables.walk(self.group, block.scope.value(place))[0]
        row = block.scope.row(place)
        if block.variables.find(row) != self.group:
            part = block.denoter.set_of(row, frozenset([hop.edge]), inner=True)
            if not block.is_whole(part, path[-2], ex.Has(path[-1])):
                raise Unsayable("totals only a part of what belongs to a group")
        return hop, ex.Totalled(TOTALS[type(item)], path)

    def _counted(self, place: QueryPlace | None, distinct: bool) -> int:
        block = self.block
        if place is None:
            return block.row(apart_from=self.group)
        if distinct:
            return block.variables.find(block.scope.node(place))
        row = block.variables.find(block.scope.row(place))
        return block.row(row, apart_from=self.group)

    def _count(self, counted: int) -> tuple[Hop, ex.Counted]:
        block = self.block
        if counted == self.group:
            raise Unsayable("counts what it groups by")
        hops = block.variables.walk(self.group, counted)
        part = block.denoter.set_of(counted, frozenset([hops[0].edge]), inner=True)
        within = None if block.is_whole(part, hops[-1].relation) else part
        return hops[0], ex.Counted(tuple(hop.relation for hop in hops), within)

    # What keeps only some of the groups ---------------------------------------------------------

    def restrict(self) -> None:
        """HAVING, and ORDER BY a count or total with LIMIT, as sets of the variable that is grouped by."""
        select, variable = self.block.select, self.block.variables[self.group]
        if (having := select.args.get("having")) is not None:
            variable.within.append(self._having(having.this))
        order, limit = select.args.get("order"), select.args.get("limit")
        if limit is None:
            return
        if order is None:
            raise Unsayable("cuts rows that have no order")
        first = order.expressions[0]
        item = self.block.meant(first.this)
        descending = bool(first.args.get("desc"))
        if not is_total(item):
            raise Unsayable("orders groups by a column")
        variable.within.append(self._extreme(item, descending, *ranks(select)))

    def _extreme(self, item: exp.Expr, descending: bool, first: int, last: int) -> ex.Expression:
        hop, key = self._key(item)
        ignoring: frozenset[QueryEdge] = frozenset()
        self.block.denoter.counted.add(hop)
        # The most are never among those with none; the fewest would be, but a group has at least one row.
        if descending:
            ignoring = frozenset([hop.edge])
        argument = self.block.denoter.set_of(self.group, ignoring)
        if argument is None and descending and (klass := self.block.variables[hop.end].class_iri) is not None:
            # What is counted is said in the key; the values are those of any row.
            argument = ex.Join(ex.Relation(hop.relation.iri, hop.relation.inverse), ex.Class(klass))
        argument = argument or self.block.set_of(self.group)
        direction = ex.Direction.LARGEST if descending else ex.Direction.SMALLEST
        return ex.Extreme(direction, argument, key, first, last)

    def _having(self, condition: exp.Expr) -> ex.Expression:
        match condition:
            case exp.Paren():
                return self._having(condition.this)
            case exp.And():
                return both([self._having(condition.left), self._having(condition.right)])
            case exp.Or():
                return either([self._having(condition.left), self._having(condition.right)])
            case exp.Between():
                low = exp.GTE(this=condition.this, expression=condition.args["low"])
                high = exp.LTE(this=condition.this, expression=condition.args["high"])
                return both([self._having(low), self._having(high)])
            case exp.EQ() | exp.GT() | exp.GTE() | exp.LT() | exp.LTE():
                item, other = self.block.meant(condition.left), condition.right
                text = text_of(other)
                if not is_total(item) or (text is None and not isinstance(other, exp.Subquery)):
                    raise Unsayable("has a HAVING that compares no count or total")
                value = self.block.subquery(other) if text is None else measure(text)
                return ex.Compare(COMPARISONS.get(type(condition), Comparison.EQ), self.key(item), value)
        raise Unsayable(f"has a HAVING with {condition.key.upper()}")


def ranks(select: exp.Select) -> tuple[int, int]:
    """First and last rank that LIMIT and OFFSET leave."""
    limit, offset = select.args["limit"], select.args.get("offset")
    size, skipped = text_of(limit.expression), text_of(offset.expression) if offset is not None else "0"
    if size is None or skipped is None or not size.isdigit() or not skipped.isdigit():
        raise Unsayable("cuts rows at no number")
    return int(skipped) + 1, int(skipped) + int(size)
