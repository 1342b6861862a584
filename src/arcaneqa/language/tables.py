"""Lists and tables: members in order, their values side by side, and what holds of each group."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from math import prod
from typing import Any

import numpy as np

from arcaneqa.kb import counting
from arcaneqa.kb.allowance import spend
from arcaneqa.kb.interface import Ids, NodeSet, Totals, Window
from arcaneqa.kb.terms import Literal
from arcaneqa.kb.values import Number, value_of
from arcaneqa.language import expression as ex
from arcaneqa.language import run
from arcaneqa.language.run import Cell, Execution, NodeScores, Result, ResultTable, whole_number
from arcaneqa.support.errors import BudgetExceeded
from arcaneqa.support.ragged import ranges

MOST_CELLS = 1_000_000
"""Of a table, so that it fits into memory with the names of all that stands in it."""
_NAME = 8
"""A name takes as much memory as so many cells."""
_Cells = list[Cell | None]


def arranged(program: ex.Sort | ex.Show | ex.Per, run: Execution) -> Result:
    match program:
        case ex.Sort(ex.Per() as table, key, descending):
            found = _per(table, run)
            assert found.table is not None
            return Result(found.nodes, table=_sorted_table(found.table, table, key, descending, run))
        case ex.Sort():
            nodes = run.nodes(program.argument, asked_for=True)
            return Result(nodes, order=in_order(nodes, program.key, program.descending, run))
        case ex.Show(ex.Sort(argument, key, descending), columns):
            nodes = run.nodes(argument, asked_for=True)
            order = in_order(nodes, key, descending, run)
            return Result(nodes, table=_show(nodes, order, columns, run))
        case ex.Show(argument, columns):
            nodes = run.nodes(argument, asked_for=True)
            return Result(nodes, table=_show(nodes, nodes.ids, columns, run))
        case ex.Per():
            return _per(program, run)


# Lists ---------------------------------------------------------------------------------------------


def in_order(nodes: NodeSet, key: ex.Key, descending: bool, run: Execution) -> Ids:
    """Members by the key, those without one last, ties by label."""
    ids = nodes.ids
    scores = run.scores(nodes, key, largest=descending) if key != () else NodeScores(ids[:0], np.empty(0))
    if not len(scores.nodes) and not isinstance(key, ex.Counted | ex.Totalled):
        texts = _texts(nodes, key, descending, run)
        different = sorted(set(texts.values()))
        places = {text: float(place) for place, text in enumerate(different)}
        known = sorted(texts)
        scores = NodeScores(np.array(known, np.int64), np.array([places[texts[n]] for n in known]))
    sizes = np.full(len(ids), np.inf)
    sizes[ids.searchsorted(scores.nodes)] = -scores.numbers if descending else scores.numbers
    spend(_NAME * len(ids))
    labels = np.array([(label is None, label or "") for label in run.kb.labels(ids)], dtype=object)
    by_label = sorted(range(len(ids)), key=lambda place: tuple(labels[place]))
    order = np.array(by_label, np.int64)
    found: Ids = ids[order[np.argsort(sizes[order], kind="stable")]]
    return found


def _texts(nodes: NodeSet, path: ex.Path, descending: bool, run: Execution) -> dict[int, str]:
    """For each member the first text it leads to (the last one, if descending), in lower case."""
    pairs = run.kb.walks(nodes, run.steps(path))
    spend(_NAME * len(pairs.objects))
    found: dict[int, str] = {}
    for member, label in zip(pairs.subjects.tolist(), run.kb.labels(pairs.objects), strict=True):
        if label is not None:
            text = label.lower()
            known = found.get(member, text)
            found[member] = max(known, text) if descending else min(known, text)
    return found


# SHOW ----------------------------------------------------------------------------------------------


def _show(nodes: NodeSet, order: Ids, columns: tuple[ex.Key, ...], run: Execution) -> ResultTable:
    if all(isinstance(column, ex.Counted | ex.Totalled) for column in columns):
        return ResultTable(columns, [tuple(_of_all(nodes, column, run) for column in columns)])
    _bound(len(order), columns)
    cells = [of_each(nodes, column, columns, run) for column in columns]
    blank: _Cells = [None]
    rows: list[tuple[Cell | None, ...]] = []
    for member in order.tolist():
        values = [of.get(member, blank) for of in cells]
        # Counted before they are made: a single member with many values in several columns has too many.
        _bound(len(rows) + prod(map(len, values)), columns)
        rows.extend(product(*values))
    return ResultTable(columns, rows)


def _bound(rows: int, columns: Sequence[ex.Key]) -> None:
    """A BudgetExceeded where a table would be too large."""
    if rows * max(1, len(columns)) > MOST_CELLS:
        raise BudgetExceeded(
            f"The table has more than {MOST_CELLS:,} cells; ask for fewer members or columns."
        )
    spend()


def _of_all(nodes: NodeSet, column: ex.Key, run: Execution) -> Literal | None:
    match column:
        case ex.Counted(path, None):
            return whole_number(run.count(nodes, path))
        case ex.Counted(path, within):
            assert within is not None
            return whole_number(len(run.kb.intersection(run.ends(nodes, path), run.nodes(within))))
        case ex.Totalled(function, path):
            return run.aggregate(function, nodes, path)
    raise AssertionError("asked of aggregates only")


def of_each(nodes: NodeSet, column: ex.Key, columns: Sequence[ex.Key], run: Execution) -> dict[int, _Cells]:
    """For each member what stands in the column, where anything does."""
    match column:
        case ex.Counted((), _):
            return {node: [whole_number(1)] for node in nodes.ids.tolist()}
        case ex.Counted():
            counts = run.scores(nodes, column, largest=True)
            pairs = zip(counts.nodes.tolist(), counts.numbers.tolist(), strict=True)
            return {node: [whole_number(int(count))] for node, count in pairs}
        case ex.Totalled(ex.Aggregation.SUM | ex.Aggregation.AVG as function, path):
            totals = run.kb.totals(nodes, run.steps(path))
            sums = zip(totals.nodes.tolist(), _sums(totals, function), strict=True)
            return {node: [cell] for node, cell in sums}
        case ex.Totalled(function, path):
            best = run.kb.standings(nodes, run.steps(path), function is ex.Aggregation.MAX)
            values = zip(best.nodes.tolist(), best.values.tolist(), strict=True)
            return {node: [value] for node, value in values}
    walks = run.kb.walks(nodes, run.steps(column))
    members, ends = counting.distinct_pairs(walks.subjects, walks.objects)
    _bound(len(members), columns)
    found: dict[int, _Cells] = {}
    for member, end in zip(members.tolist(), ends.tolist(), strict=True):
        found.setdefault(member, []).append(end)
    return found


def _sums(totals: Totals, function: ex.Aggregation) -> list[Literal]:
    if function is ex.Aggregation.AVG:
        return [run.number(mean) for mean in (totals.sums / totals.counts).tolist()]
    return [
        run.number(whole)
        for place in range(len(totals.nodes))
        if (whole := run.total(_one(totals, place))) is not None
    ]


def _one(totals: Totals, place: int) -> Totals:
    here = slice(place, place + 1)
    return Totals(totals.nodes[here], totals.units[here], totals.scale, totals.counts[here])


# PER -----------------------------------------------------------------------------------------------


def _per(program: ex.Per, run: Execution) -> Result:
    """Groups are in the order of their nodes."""
    nodes = run.nodes(program.argument, asked_for=True)
    walks = run.kb.walks(nodes, run.steps(program.path))
    groups, members = counting.distinct_pairs(walks.objects, walks.subjects)
    names, places = np.unique(groups, return_inverse=True)
    _bound(len(names), (program.path, *program.columns))
    columns = [_of_groups(nodes, places, members, column, len(names), run) for column in program.columns]
    rows = list(zip(names.tolist(), *columns, strict=True))
    return Result(nodes, table=ResultTable((program.path, *program.columns), rows))


def _of_groups(
    nodes: NodeSet, groups: Ids, members: Ids, column: ex.Counted | ex.Totalled, size: int, run: Execution
) -> Sequence[Cell | None]:
    """The column of each group; `groups` and `members` are the pairs of a group's number and a member."""
    steps = run.steps(column.path)
    match column:
        case ex.Counted((), _):
            return [whole_number(count) for count in np.bincount(groups, minlength=size).tolist()]
        case ex.Counted(_, within):
            walks = run.kb.walks(nodes, steps)
            firsts = walks.subjects.searchsorted(members)
            lengths = walks.subjects.searchsorted(members, "right") - firsts
            spend(2 * int(lengths.sum()))
            owners, ends = groups.repeat(lengths), walks.objects[ranges(firsts, lengths)]
            owners, ends = counting.distinct_pairs(owners, ends)
            if within is not None:
                owners = owners[np.isin(ends, run.nodes(within).ids)]
            return [whole_number(count) for count in np.bincount(owners, minlength=size).tolist()]
        case ex.Totalled(ex.Aggregation.SUM | ex.Aggregation.AVG as function, _):
            totals = run.kb.totals(nodes, steps)
            some = np.isin(members, totals.nodes)
            at = totals.nodes.searchsorted(members[some])
            summed = counting.grouped(groups[some], totals, at)
            return _spread_over(summed.nodes, _sums(summed, function), size)
        case ex.Totalled(function, _):
            largest = function is ex.Aggregation.MAX
            best = run.kb.standings(nodes, steps, largest)
            some = np.isin(members, best.nodes)
            at = best.nodes.searchsorted(members[some])
            winners = counting.best_of(groups[some], best.values[at], best.scores[at], largest)
            return _spread_over(winners.nodes, winners.values.tolist(), size)


def _spread_over(groups: Ids, cells: Sequence[Cell], size: int) -> list[Cell | None]:
    found: list[Cell | None] = [None] * size
    for group, cell in zip(groups.tolist(), cells, strict=True):
        found[group] = cell
    return found


def _sorted_table(
    table: ResultTable, program: ex.Per, key: ex.Key, descending: bool, run: Execution
) -> ResultTable:
    """Rows by one column: numbers, then times, then the rest by name; blanks last."""
    place = (program.path, *program.columns).index(key)
    nodes = table.nodes
    names = dict(zip(nodes.tolist(), ((name or "").lower() for name in run.kb.labels(nodes)), strict=True))
    terms = dict(zip(nodes.tolist(), run.kb.terms(nodes), strict=True))

    def rank(row: tuple[Cell | None, ...]) -> tuple[int, Any]:
        cell = row[place]
        term = terms[cell] if isinstance(cell, int) else cell
        match value_of(term) if isinstance(term, Literal) else None:
            case Number() as value:
                return 0, (value.nearest, value.rest)
            case Window(start, end):
                return 1, (start, end)
        return 2, names[cell] if isinstance(cell, int) else ""

    rows = sorted(table.rows, key=lambda row: names[row[0]] if isinstance(row[0], int) else "")
    blank = [row for row in rows if row[place] is None]
    filled = [row for row in rows if row[place] is not None]
    return ResultTable(table.columns, sorted(filled, key=rank, reverse=descending) + blank)
