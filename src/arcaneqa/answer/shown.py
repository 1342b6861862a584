"""An answer as a table: things with their telling columns, superlatives with the value that decides, series
with their dates. Every interface shows this one, and exports carry all of its columns."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from arcaneqa.answer.describe import cell_items, heading
from arcaneqa.kb.interface import Ids, KnowledgeBase
from arcaneqa.kb.schema import Relation, ValueKind
from arcaneqa.kb.short_names import Names
from arcaneqa.language import expression as ex
from arcaneqa.language.run import Budget, Cell, Execution
from arcaneqa.language.tables import in_order, of_each
from arcaneqa.record import AnswerItem, Table
from arcaneqa.support.errors import ArcaneError, BudgetExceeded, EndpointError

TELLING = 6
"""Columns that are shown unasked, the name among them."""
MOST_COLUMNS = 40
"""Of a table with all its columns: sheets that people read have fewer."""
_SAMPLED = 50
"""Members whose values say how telling a column is."""
_LISTED = 8
"""Values in a cell that has several; the others are counted."""
_LONG = 60
"""Characters: longer texts on average are for reading, not for a table."""
_SERIES = 10_000
"""Things whose values are shown each beside its thing: nobody reads more one by one."""
_DATES = frozenset(("year", "date", "month", "day", "time", "quarter", "week"))
"""Last words of the names of columns that say when, also where their values are plain numbers."""


@dataclass(frozen=True, slots=True)
class Shown:
    """The first rows of `total`; `more` are headings of columns that are left out. `is_of_things`: each row
    is one of the answers, with its name first."""

    table: Table
    total: int
    more: tuple[str, ...] = ()
    is_of_things: bool = False


def shown(
    kb: KnowledgeBase,
    program: ex.Expression,
    items: Sequence[AnswerItem],
    table: Table | None,
    is_whole: bool,
    most: int,
) -> Shown | None:
    """The table of an answer, with all columns if `is_whole`; None where names or a value say it all."""
    if table is not None:
        width = len(table.columns) if is_whole else TELLING
        cells = tuple(row[:width] for row in table.cells[:most])
        return Shown(Table(table.columns[:width], cells), len(table.cells), table.columns[width:])
    try:
        return _of_answers(Execution(kb, Budget(), []), program, items, is_whole, most)
    except (BudgetExceeded, EndpointError):  # the answer stands without its columns
        return None


def _of_answers(
    run: Execution, program: ex.Expression, items: Sequence[AnswerItem], is_whole: bool, most: int
) -> Shown | None:
    if isinstance(program, ex.Join) and program.relation.inverse and items and items[0].id is None:
        return _series(run, program, most)
    if not items or any(item.id is None for item in items):
        return None
    ordered = _ordering(program)
    if ordered is None and (len(items) < 2 or not (_is_of_a_kind(program) or _are_nameless(run.kb, items))):
        return None
    # A list that was asked for in an order is in it already.
    is_list = ex.denotes(program) is ex.Denotation.LIST
    rows = _Rows.of(run, items[: max(most, _SAMPLED)] if ordered is None or is_list else items)
    if rows is None:
        return None
    key = None
    if ordered is not None:
        descending = ordered.descending if isinstance(ordered, ex.Sort) else _is_largest(ordered)
        key = _best(ordered.key, descending) if isinstance(ordered, ex.Extreme) else ordered.key
        rows = rows if is_list else replace(rows, ids=in_order(run.kb.nodes(rows.ids), key, descending, run))
    return rows.shown(key, _conditions(program), is_whole, most, len(items))


def _ordering(program: ex.Expression) -> ex.Extreme | ex.Sort | None:
    """The superlative or order that the members of the answer are chosen or listed by."""
    match program:
        case ex.Extreme() | ex.Sort():
            return program
        case ex.And(left, right):
            return _ordering(left) or _ordering(right)
        case ex.Cons(argument) | ex.During(argument):
            return _ordering(argument)
    return None


def _is_largest(program: ex.Extreme) -> bool:
    return program.direction is ex.Direction.LARGEST


def _best(key: ex.Key, largest: bool) -> ex.Key:
    """Of several values of a member the one that it is ordered by."""
    if isinstance(key, ex.Counted | ex.Totalled):
        return key
    return ex.Totalled(ex.Aggregation.MAX if largest else ex.Aggregation.MIN, key)


def _is_of_a_kind(program: ex.Expression) -> bool:
    """Whether things are asked for by their class: "list all orders", "orders above 100"."""
    match program:
        case ex.Class():
            return True
        case ex.And(left, right) | ex.Or(left, right):
            return _is_of_a_kind(left) or _is_of_a_kind(right)
        case ex.Not(argument) | ex.Cons(argument) | ex.During(argument):
            return _is_of_a_kind(argument)
    return False


def _conditions(program: ex.Expression) -> list[str]:
    """IRIs of the relations of members that the program compares."""
    match program:
        case ex.Compare(_, key, _) if len(path := ex.path_of(key)) == 1 and not path[0].inverse:
            return [path[0].iri]
        case ex.And(left, right):
            return _conditions(left) + _conditions(right)
        case ex.Not(argument) | ex.Cons(argument) | ex.During(argument) | ex.Extreme(_, argument):
            return _conditions(argument)
    return []


def _are_nameless(kb: KnowledgeBase, items: Sequence[AnswerItem]) -> bool:
    """Whether the first of the things go by their facts only, as the rows of many tables do."""
    names = Names(kb.profile)
    nodes = [kb.node(names.read(item.id)) for item in items[:_LISTED] if item.id is not None]
    known = np.array([node for node in nodes if node is not None], np.int64)
    return not any(kb.labels(known))


# Rows of things ------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Rows:
    run: Execution
    ids: Ids
    items: dict[int, AnswerItem]

    @classmethod
    def of(cls, run: Execution, items: Sequence[AnswerItem]) -> _Rows | None:
        names, found = Names(run.kb.profile), {}
        for item in items:
            try:
                node = run.kb.node(names.read(item.id or ""))
            except ArcaneError:
                return None
            if node is not None:
                found[node] = item
        return cls(run, np.array(list(found), np.int64), found)

    def shown(
        self, key: ex.Key | None, conditions: Sequence[str], is_whole: bool, most: int, total: int
    ) -> Shown:
        kb = self.run.kb
        sample = self.ids[:_SAMPLED]
        known = self._told(sample)
        by_name = [label is not None for label in kb.labels(sample)]
        named = "name" if any(by_name) else None
        identifier = None
        if named is None:
            identifier = next((one for one in known if one.is_identifier), None)
            named = "row" if identifier is None else identifier.label
        of_key = {relation.iri for relation in ex.path_of(key)} if key is not None else set()
        rest = [one for one in known if one != identifier and one.iri not in of_key]
        rest = [one for one in rest if not self._is_the_name(one, sample)]
        rest.sort(key=lambda one: one.iri not in conditions)
        # A superlative of things with names is said by the value that decides.
        count = TELLING - 1 - (key is not None) if key is None or not any(by_name) else 0
        telling = rest if is_whole else [one for one in rest if self._is_telling(one, sample, total)][:count]
        keys: list[ex.Key] = [*([key] if key is not None else []), *((ex.Relation(r.iri),) for r in telling)]
        ids = self.ids[:most]
        first = [self._name(node, identifier) for node in ids.tolist()]
        columns = [_column(self.run, ids, each) for each in keys]
        cells = tuple(zip(first, *columns, strict=True))
        names = (named, *(_heading(each, kb) for each in keys))
        left = tuple(one.label for one in rest if one not in telling)
        return Shown(Table(names, cells), total, left, is_of_things=True)

    def _name(self, node: int, identifier: Relation | None) -> AnswerItem:
        item = self.items[node]
        if self.run.kb.labels(np.array([node], np.int64))[0] is not None:
            return item
        if identifier is not None:
            (called,) = _column(self.run, np.array([node], np.int64), (ex.Relation(identifier.iri),))
            if called is not None:
                return replace(item, label=called.label)
        return replace(item, label=(item.id or "").removeprefix("row:"))

    def _told(self, sample: Ids) -> list[Relation]:
        """What the things have, the most used first: that is known of most."""
        kb = self.run.kb
        nodes = kb.nodes(sample)
        known = [kb.schema.relations[relation] for relation in kb.out_relations(nodes).tolist()]
        known = [one for one in known if not one.hidden]
        return sorted(known, key=lambda one: (-one.facts, one.label))[:MOST_COLUMNS]

    def _is_the_name(self, relation: Relation, sample: Ids) -> bool:
        profile = self.run.kb.profile
        if relation.iri in (*profile.alias, *profile.names):
            return True
        if ValueKind.TEXT not in relation.kinds:
            return False
        values = _column(self.run, sample, (ex.Relation(relation.iri),))
        named = zip(sample.tolist(), values, strict=True)
        return all(value is not None and value.label == self.items[node].label for node, value in named)

    def _is_telling(self, relation: Relation, sample: Ids, total: int) -> bool:
        """Whether most have it, one or two each, in few words, and not all the same."""
        found = of_each(self.run.kb.nodes(sample), (ex.Relation(relation.iri),), (), self.run)
        values = [cells for cells in found.values() if cells]
        if 2 * len(values) < len(sample) or any(len(cells) > 2 for cells in values):
            return False
        if relation.is_identifier:
            return False
        firsts = np.array([cells[0] for cells in values], np.int64)
        labels = [label or "" for label in self.run.kb.labels(firsts)]
        if sum(map(len, labels)) > _LONG * len(labels):
            return False
        return total == 1 or len(set(labels)) > 1


def _heading(key: ex.Key, kb: KnowledgeBase) -> str:
    """Of several values of a member the best one is shown; which that is was asked."""
    is_best = isinstance(key, ex.Totalled) and key.function in (ex.Aggregation.MAX, ex.Aggregation.MIN)
    return heading(ex.path_of(key) if is_best else key, kb)


def _column(run: Execution, ids: Ids, key: ex.Key) -> list[AnswerItem | None]:
    """What each thing has; several values are listed in one cell."""
    found = of_each(run.kb.nodes(ids), key, (), run)
    nodes = {cell for cells in found.values() for cell in cells[:_LISTED] if isinstance(cell, int)}
    items = cell_items(run.kb, np.array(sorted(nodes), np.int64))

    def cell(values: Sequence[Cell | None]) -> AnswerItem | None:
        said = [items(value) for value in values[:_LISTED]]
        if len(said) <= 1:
            return said[0] if said else None
        text = "; ".join(one.label or one.term for one in said if one is not None)
        more = len(values) - len(said)
        text += f"; … {more:,} more" if more else ""
        return AnswerItem(value=text, label=text)

    return [cell(found.get(node, ())) for node in ids.tolist()]


# Series --------------------------------------------------------------------------------------------


def _series(run: Execution, program: ex.Join, most: int) -> Shown | None:
    """Values beside the thing, or the date, that each is of."""
    kb = run.kb
    members = run.nodes(program.argument)
    if not 2 <= len(members) <= _SERIES:
        return None
    relation = run.id(program.relation)
    ids = members.ids
    known = [kb.schema.relations[one] for one in kb.out_relations(kb.nodes(ids[:_SAMPLED])).tolist()]
    dates = [one for one in known if not one.hidden and one.id != relation and _says_when(one)]
    dates = [one for one in dates if _is_of_all(run, one, ids)]
    value = ex.Relation(program.relation.iri)
    if not dates and not all(label is not None for label in kb.labels(ids[:_SAMPLED])):
        return None
    key: ex.Path = (ex.Relation(dates[0].iri),) if dates else ()
    order = in_order(members, key, False, run)
    found = of_each(members, (value,), (), run)
    first = {node: cells[0] for node, cells in of_each(members, key, (), run).items()} if dates else {}
    pairs = [(node, cell) for node in order.tolist() for cell in found.get(node, ())]
    nodes = {node for node, _ in pairs[:most]} | {cell for _, cell in pairs[:most] if isinstance(cell, int)}
    nodes |= {cell for cell in first.values() if isinstance(cell, int)}
    items = cell_items(kb, np.array(sorted(nodes), np.int64))
    cells = tuple((items(first.get(node, node)), items(cell)) for node, cell in pairs[:most])
    named = dates[0].label if dates else "name"
    return Shown(Table((named, kb.schema.relations[relation].label), cells), len(pairs))


def _says_when(relation: Relation) -> bool:
    is_number = ValueKind.NUMBER in relation.kinds
    return ValueKind.TIME in relation.kinds or (is_number and relation.label.split()[-1].lower() in _DATES)


def _is_of_all(run: Execution, relation: Relation, ids: Ids) -> bool:
    return len(of_each(run.kb.nodes(ids), (ex.Relation(relation.iri),), (), run)) == len(ids)
