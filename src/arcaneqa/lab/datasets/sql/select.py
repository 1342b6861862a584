"""What a SELECT shows: a set, a number, or a table."""

from __future__ import annotations

from sqlglot import exp

from arcaneqa.lab.datasets.sql.block import TOTALS, Block, counted_column, is_total
from arcaneqa.lab.datasets.sql.groups import Grouping, group_variable, ranks
from arcaneqa.lab.datasets.sql.mapping import CellKind, MappedAnswer, Shown
from arcaneqa.lab.datasets.sql.variables import QueryPlace, Unsayable
from arcaneqa.language import expression as ex


def answer_of(block: Block) -> MappedAnswer:
    group = group_variable(block)
    totals = [item for item in block.items if is_total(item)]
    if group is None:
        if not totals:
            return _plain(block)
        if block.select.args.get("limit") is not None:
            raise Unsayable("cuts a single row")
        if len(totals) < len(block.items):
            raise Unsayable("shows a column beside a total of all rows")
        return _number(block, totals[0]) if len(totals) == 1 else _numbers(block, totals)
    grouping = Grouping(block, group)
    grouping.restrict()
    if not totals:
        return _projected(block, block.places(), _order(block))
    return _per_group(block, grouping)


# Without totals ------------------------------------------------------------------------------------


def _plain(block: Block) -> MappedAnswer:
    places = block.places()
    if block.select.args.get("limit") is not None:
        _cut(block, places)
        return _projected(block, places, None)
    return _projected(block, places, _order(block))


def _order(block: Block) -> tuple[QueryPlace, bool] | None:
    """The column that rows are in the order of; None where it is none that holds numbers or times."""
    order = block.select.args.get("order")
    if order is None:
        return None
    place = block.scope.place(block.meant(order.expressions[0].this))
    return None if place is None else (place, bool(order.expressions[0].args.get("desc")))


def _cut(block: Block, places: list[QueryPlace]) -> None:
    """ORDER BY … LIMIT: the rows with the largest or smallest value."""
    found = _order(block)
    if found is None:
        raise Unsayable("cuts rows that have no order")
    place, descending = found
    owner = block.variables.find(block.scope.row(place))
    shown = {block.variables.find(block.scope.node(place)) for place in places}
    picked = owner
    if len(shown) == 1:
        (only,) = shown
        hops = block.variables.walk(only, owner)
        # "The author with the oldest publisher" is an author picked, not a publisher walked from.
        if hops and block.variables[only].class_iri and len(hops) < 3 and all(hop.single for hop in hops):
            picked = only
    direction = ex.Direction.LARGEST if descending else ex.Direction.SMALLEST
    path = block.measure_path(picked, place)
    block.show(picked, block.scope.value(place))
    first, last = ranks(block.select)
    extreme = ex.Extreme(direction, block.set_of(picked), path, first, last)
    # Where it makes no difference, "the dearest procedure" is not "the dearest that someone was trained in".
    block.denoter.lean = True
    lean = ex.Extreme(direction, block.set_of(picked), path, first, last)
    block.denoter.lean = False
    same = block.facts.holds(lean, extreme) and block.facts.holds(extreme, lean)
    block.variables[picked].within.append(lean if same else extreme)


def _projected(block: Block, places: list[QueryPlace], order: tuple[QueryPlace, bool] | None) -> MappedAnswer:
    """The rows' columns as a set, or as a table where they are several."""
    scope = block.scope
    parts = {place.alias for place in places if place.column.part_of_name}
    whole_names = {
        alias for alias in parts if sum(p.alias == alias and p.column.part_of_name for p in places) > 1
    }

    def of_row(place: QueryPlace) -> bool:
        return scope.stands_for_row(place) or (place.column.part_of_name and place.alias in whole_names)

    nodes = [block.variables.find(scope.row(p) if of_row(p) else scope.value(p)) for p in places]
    keys = {place for place in places if of_row(place) and not _is_name(place)}
    if len(set(nodes)) == 1 and not (keys and len(keys) < len(set(places))):
        (node,) = set(nodes)
        told = tuple(Shown(0, place.column, of_row(place)) for place in places)
        found = block.set_of(node)
        if isinstance(found, ex.Entity) and keys and places[0].column.kind is CellKind.LITERAL:
            # Whoever asks for the id of something named asks for the id.
            found, told = ex.Join(ex.Relation(places[0].column.relation, inverse=True), found), (Shown(0),)
        row = block.variables.find(scope.row(places[0]))
        if order is not None and node != row:
            listed = _sorted(block, block.set_of(row), row, order)
            if isinstance(listed, ex.Sort) and order[0] != places[0]:
                return MappedAnswer(ex.Show(listed, (block.show(row, node),)), told)
            return MappedAnswer(found, told)
        return MappedAnswer(_sorted(block, found, node, order), told)
    named = {node for place, node in zip(places, nodes, strict=True) if _is_name(place) and of_row(place)}
    columns: list[ex.Path] = []
    shown: list[Shown] = []
    root = _table_root(block, nodes)
    for place, node in zip(places, nodes, strict=True):
        as_row = of_row(place) and not (
            place in keys and node in named and place.column.kind is CellKind.LITERAL
        )
        end = node if as_row or not of_row(place) else block.variables.find(scope.value(place))
        path = block.show(root, end)
        if path not in columns:
            columns.append(path)
        shown.append(Shown(columns.index(path), place.column, as_row))
    listed = _sorted(block, block.set_of(root), root, order)
    if len(columns) == 1 and not columns[0]:
        return MappedAnswer(listed, tuple(shown))
    return MappedAnswer(ex.Show(listed, tuple(columns)), tuple(shown))


def _table_root(block: Block, ends: list[int]) -> int:
    """The rows of a table: those that are shown and fix all the rest, or else the rows of the join."""
    for node in dict.fromkeys(ends):
        walks = [hop for end in ends for hop in block.variables.walk(node, end)]
        if block.attempt == 0 and block.variables[node].class_iri and all(hop.single for hop in walks):
            return node
    return block.row(*[node for node in ends if block.variables[node].class_iri], shown=True)


def _is_name(place: QueryPlace) -> bool:
    return place.column.names or place.column.part_of_name


def _sorted(
    block: Block, found: ex.Expression, root: int, order: tuple[QueryPlace, bool] | None
) -> ex.Expression:
    if order is None:
        return found
    place, descending = order
    try:
        path = block.measure_path(root, place)
    except Unsayable:
        return found
    return ex.Sort(found, path, descending) if path and len(path) < 3 else found


# Totals of everything --------------------------------------------------------------------------------


def _number(block: Block, item: exp.Expr) -> MappedAnswer:
    shown = (Shown(0),)
    if isinstance(item, exp.Count):
        column, distinct = counted_column(item)
        if column is None:
            return MappedAnswer(ex.Count(block.set_of(block.row())), shown)
        place = block.place(column)
        return MappedAnswer(_distinct(block, place) if distinct else _filled(block, place), shown)
    root, path = _totalled(block, item)
    return MappedAnswer(ex.Aggregate(TOTALS[type(item)], block.set_of(root), path), shown)


def _distinct(block: Block, place: QueryPlace) -> ex.Expression:
    node, row = (
        block.variables.find(variable) for variable in (block.scope.node(place), block.scope.row(place))
    )
    if node == row:
        return ex.Count(block.set_of(row))
    path = block.show(row, node)
    return ex.Count(block.set_of(row), path)


def _filled(block: Block, place: QueryPlace) -> ex.Expression:
    """COUNT(column): the rows that have something there."""
    row = block.row(block.scope.row(place))
    if not block.scope.stands_for_row(place) and place.column.kind not in (CellKind.SUBJECT, CellKind.OBJECT):
        block.variables[block.scope.row(place)].implied.append(ex.Has(ex.Relation(place.column.relation)))
    return ex.Count(block.set_of(row))


def _totalled(block: Block, item: exp.Expr) -> tuple[int, ex.Path]:
    place = block.place(item.this)
    owner = block.scope.row(place)
    root = block.variables.find(owner)
    if isinstance(item, exp.Sum | exp.Avg):
        # A row that a join repeats is summed as often, so the sum starts where each node is one row.
        root = block.row(owner)
    path = block.measure_path(root, place)
    block.show(root, block.scope.value(place))
    return root, path


def _numbers(block: Block, items: list[exp.Expr]) -> MappedAnswer:
    """Several totals of one set: a table of one row."""
    root = block.row()
    columns = tuple(_column(block, root, item) for item in items)
    return MappedAnswer(
        ex.Show(block.set_of(root), columns), tuple(Shown(index) for index in range(len(columns)))
    )


def _column(block: Block, root: int, item: exp.Expr) -> ex.Counted | ex.Totalled:
    if isinstance(item, exp.Count):
        column, distinct = counted_column(item)
        if column is None or not distinct:
            return ex.Counted(())
        place = block.place(column)
        return ex.Counted(block.show(root, block.scope.node(place)))
    if type(item) not in TOTALS:
        raise Unsayable("calculates")
    place = block.place(item.this)
    path = block.measure_path(root, place)
    block.show(root, block.scope.value(place))
    return ex.Totalled(TOTALS[type(item)], path)


# Totals of each group -------------------------------------------------------------------------------


def _per_group(block: Block, grouping: Grouping) -> MappedAnswer:
    scope, group = block.scope, grouping.group
    places = [block.place(item) for item in block.items if not is_total(item)]
    ends = [block.variables.find(scope.node(place)) for place in places]
    names = [
        place
        for place in places
        if place.column.part_of_name and block.variables.find(scope.row(place)) == group
    ]
    of_group = [end == group or place in names for place, end in zip(places, ends, strict=True)]
    if not all(of_group) or len({place for place in places if not _is_name(place)}) > 1:
        return _beside_group(block, grouping)
    root = block.row(apart_from=group)
    if not all(hop.single for hop in block.variables.walk(root, group)) and block.variables[group].class_iri:
        return _beside_group(block, grouping)
    path = block.show(root, group)
    columns: list[ex.Counted | ex.Totalled] = []
    shown: list[Shown] = []
    for item in block.items:
        if is_total(item):
            column = _column(block, root, item)
            if column not in columns:
                columns.append(column)
            shown.append(Shown(1 + columns.index(column)))
        else:
            place = block.place(item)
            shown.append(Shown(0, place.column, scope.stands_for_row(place) or place in names))
    table: ex.Expression = ex.Per(block.set_of(root), path, tuple(columns))
    order = block.select.args.get("order")
    if order is not None and block.select.args.get("limit") is None:
        first = order.expressions[0]
        item = block.meant(first.this)
        if is_total(item) and (key := _column(block, root, item)) in columns:
            table = ex.Sort(table, key, bool(first.args.get("desc")))
    return MappedAnswer(table, tuple(shown))


def _beside_group(block: Block, grouping: Grouping) -> MappedAnswer:
    """More of a group than its name: a table of what is grouped by, with counts and totals of each."""
    columns: list[ex.Key] = []
    shown: list[Shown] = []
    for item in block.items:
        key: ex.Key
        if is_total(item):
            key = grouping.key(item)
            told = Shown(0)
        else:
            place = block.place(item)
            end = block.variables.find(block.scope.node(place))
            hops = block.variables.walk(grouping.group, end)
            if not all(hop.single for hop in hops):
                raise Unsayable("shows a column that its groups do not fix")
            key = block.show(grouping.group, end)
            told = Shown(0, place.column, block.scope.stands_for_row(place))
        if key not in columns:
            columns.append(key)
        shown.append(Shown(columns.index(key), told.column, told.of_row))
    return MappedAnswer(ex.Show(block.set_of(grouping.group), tuple(columns)), tuple(shown))
