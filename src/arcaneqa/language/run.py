"""What a program finds in a knowledge base, within a budget, and its terms as records hold them."""

from __future__ import annotations

import math
import time
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime
from decimal import Decimal

import numpy as np
from numpy.typing import NDArray

from arcaneqa.kb.allowance import MOST_CELLS, allowing, spend
from arcaneqa.kb.interface import Comparison, Ids, KnowledgeBase, NodeSet, Step, Totals, Window
from arcaneqa.kb.profile import Profile
from arcaneqa.kb.short_names import Names
from arcaneqa.kb.terms import XSD, Blank, Iri, Literal, Term
from arcaneqa.kb.values import Number, value_of
from arcaneqa.language import expression as ex
from arcaneqa.language.check import check, lets_none_pass
from arcaneqa.support.errors import BudgetExceeded, InputError

# What members are ordered and compared by, as arrays of numbers; and numbers as literals.


_COMPARED = {
    Comparison.LT: np.less,
    Comparison.LE: np.less_equal,
    Comparison.GT: np.greater,
    Comparison.GE: np.greater_equal,
    Comparison.EQ: np.equal,
}
_PLAIN = 1e15
"""Larger numbers are written with an exponent."""


@dataclass(frozen=True, slots=True)
class NodeScores:
    """A number for each node; nodes are in order, and those without a number are left out."""

    nodes: Ids
    numbers: NDArray[np.float64]

    def ranked(self, largest: bool, first: int, last: int) -> Ids:
        """Nodes whose rank is from `first` to `last`: one more than how many are better."""
        keys = -self.numbers if largest else self.numbers
        ranks = np.sort(keys).searchsorted(keys) + 1
        found: Ids = self.nodes[(ranks >= first) & (ranks <= last)]
        return found

    def compared(self, comparison: Comparison, limit: float) -> Ids:
        found: Ids = self.nodes[_COMPARED[comparison](self.numbers, limit)]
        return found


def with_zeros(nodes: Ids, some: Ids, counts: Ids) -> NDArray[np.float64]:
    """The counts of all nodes, 0 for those that are not among the counted ones; both are in order."""
    found = np.zeros(len(nodes))
    found[nodes.searchsorted(some)] = counts
    return found


def total(totals: Totals) -> Decimal | float | None:
    """The sum of all; None where there is nothing to sum up."""
    if not len(totals.nodes):
        return None
    if totals.units.dtype.kind == "i":
        return Decimal(int(totals.units.sum())).scaleb(-totals.scale)
    try:
        return math.fsum(totals.units.tolist())
    except (OverflowError, ValueError):  # too large, or both infinities
        return float(totals.units.sum())


def whole_number(count: int) -> Literal:
    return Literal(str(count), XSD + "integer")


def number(value: Decimal | float) -> Literal:
    """A literal that says the number plainly: 12, 8.5, 1e300."""
    exact = Decimal(repr(value)) if isinstance(value, float) else value
    if not exact.is_finite():
        return Literal({"Infinity": "INF", "-Infinity": "-INF"}.get(str(exact), "NaN"), XSD + "double")
    if exact == exact.to_integral_value() and abs(exact) < _PLAIN:
        return whole_number(int(exact))
    if 1e-6 < abs(exact) < _PLAIN:
        return Literal(f"{exact.normalize():f}", XSD + "decimal")
    return Literal(repr(float(exact)), XSD + "double")


# What a program finds in a knowledge base, within a budget of time, set size and memory.


@dataclass(frozen=True, slots=True)
class Budget:
    """`rows` is the most members any set on the way may have; None for as many as there are. `cells` bounds
    the walks and tables that are made.

    Counting a set may cost an endpoint a query, so without a limit none is counted.
    """

    seconds: float = 60.0
    rows: int | None = None
    cells: int = MOST_CELLS


Cell = int | Literal
"""A node, or a literal that was computed."""


@dataclass(frozen=True, slots=True)
class ResultTable:
    """Columns as the program names them; a cell without a value is None."""

    columns: tuple[ex.Key, ...]
    rows: list[tuple[Cell | None, ...]]

    @property
    def nodes(self) -> Ids:
        """Every node that stands in a cell, once and in order."""
        nodes = {cell for row in self.rows for cell in row if isinstance(cell, int)}
        return np.array(sorted(nodes), np.int64)

    def terms(self, kb: KnowledgeBase) -> list[tuple[Term | None, ...]]:
        """The rows with a term in place of each node."""
        nodes = self.nodes
        known = dict(zip(nodes.tolist(), kb.terms(nodes), strict=True))
        return [tuple(known[cell] if isinstance(cell, int) else cell for cell in row) for row in self.rows]


@dataclass(frozen=True, slots=True)
class Result:
    """What a program denotes.

    `nodes` are the members of a set or list, what COUNT counts, or what the others look at. A number, a time
    or a truth value is a `value`. A list has its members in `order`. Where there is nothing to sum up or
    compare, there is `nothing`.
    """

    nodes: NodeSet
    value: Literal | None = None
    order: Ids | None = None
    table: ResultTable | None = None
    nothing: bool = False


DEFAULT_BUDGET = Budget()


def execute(
    program: ex.Expression,
    kb: KnowledgeBase,
    budget: Budget = DEFAULT_BUDGET,
    exclude_mentioned: bool = False,
) -> Result:
    """Run a program; raises ProgramError if it is ill typed here, BudgetExceeded if it is too much.

    With `exclude_mentioned` the variable asked for never stands for an entity the program names,
    so a superlative or a count at the top does not see those entities either.
    """
    check(program, Names(kb.profile), kb.schema)
    return evaluate(program, Execution(kb, budget, ex.mentioned(program) if exclude_mentioned else []))


def evaluate(program: ex.Expression, run: Execution) -> Result:
    """What a well-typed program denotes, with what the run knows already."""
    with allowing(run.deadline, run.budget.seconds, run.budget.cells):
        return _evaluated(program, run)


def _evaluated(program: ex.Expression, run: Execution) -> Result:
    match program:
        case ex.Count(argument, _):
            nodes = run.nodes(argument, asked_for=True)
            return Result(nodes, value=whole_number(run.count(nodes, program.path)))
        case ex.Aggregate(function, argument, path):
            nodes = run.nodes(argument, asked_for=True)
            value = run.aggregate(function, nodes, path)
            return Result(nodes, value=value, nothing=value is None)
        case ex.Meet(left, right):
            met = run.kb.intersects(run.nodes(left), run.nodes(right))
            return Result(run.nodes(left), value=Literal(str(met).lower(), XSD + "boolean"))
        case ex.Sort() | ex.Show() | ex.Per():
            from arcaneqa.language import tables

            return tables.arranged(program, run)
        case _:
            return Result(run.nodes(program, asked_for=True))


def now_window(profile: Profile) -> Window:
    """The day a profile calls NOW, or today where it names none."""
    day = profile.now or datetime.now(UTC).date().isoformat()
    window = value_of(Literal(day, XSD + "date"))
    if not isinstance(window, Window):
        raise InputError(f"The profile {profile.name} has “{day}” as NOW; give a date such as 2015-08-10.")
    return window


class Execution:
    """One execution: what the sets of a program denote, each computed once."""

    def __init__(self, kb: KnowledgeBase, budget: Budget, excluded: list[ex.Entity]) -> None:
        self.kb = kb
        self.budget = budget
        self.deadline = time.monotonic() + budget.seconds
        self.known: dict[tuple[ex.Expression, bool], NodeSet] = {}
        self.excluded = self.entities(*(entity.term for entity in excluded)) if excluded else None

    def nodes(self, node: ex.Expression, asked_for: bool = False) -> NodeSet:
        """The denotation of a node, computed once; `asked_for` where it stands for the answers."""
        key = (node, asked_for and self.excluded is not None)
        if key not in self.known:
            result = self.compute(node, *key[1:])
            self.known[key] = result
            spend()
            allowed = self.budget.rows
            if allowed is not None and (size := len(result)) > allowed:
                raise BudgetExceeded(f"The program meets a set of {size:,} nodes; {allowed:,} are allowed.")
        return self.known[key]

    # Sets ------------------------------------------------------------------------------------

    def compute(self, node: ex.Expression, excluding: bool) -> NodeSet:
        kb = self.kb
        match node:
            case ex.And(left, right):
                for base, condition in ((left, right), (right, left)):
                    if ex.picks_members(condition) and not lets_none_pass(base):
                        return self.picked(self.nodes(base, excluding), condition)
                return kb.intersection(self.nodes(left, excluding), self.nodes(right, excluding))
            case ex.Or(left, right):
                return kb.union(self.nodes(left, excluding), self.nodes(right, excluding))
            case ex.Not(argument, without):
                return kb.difference(self.nodes(argument, excluding), self.nodes(without))
            case ex.Extreme():
                return self.extreme(node, self.nodes(node.argument, excluding))
            case ex.Cons(argument, relation, constant):
                return kb.intersection(self.nodes(argument, excluding), self.join(relation, constant))
            case ex.During(argument, relation, when):
                start = self.id(relation)
                window = now_window(kb.profile) if isinstance(when, ex.Now) else value_of(when.literal)
                assert isinstance(window, Window), "checked before"
                end = kb.schema.time_pairs.get(start)
                return kb.valid_during(self.nodes(argument, excluding), start, end, window)
            case ex.Join(relation, argument):
                found = self.join(relation, argument)
            case ex.Compare(comparison, ex.Relation() as relation, value):
                found = self.compared(comparison, self.id(relation), value)
            case ex.Compare(_, (ex.Counted() | ex.Totalled()) as key, _):
                found = self.picked(kb.having(self.steps(key.path)[0]), node)
            case ex.Has(relation):
                found = kb.having(self.steps((relation,))[0])
            case ex.Like(relation, text):
                found = kb.containing(self.id(relation), text.literal.lexical)
            case ex.Named(text):
                found = kb.named(text.literal.lexical)
            case ex.Class(iri):
                found = kb.members(kb.schema.class_ids[iri])
            case ex.Entity(term):
                found = self.entities(term)
            case ex.Value(literal):
                found = kb.equal(literal)
            case _:
                raise AssertionError("checked before")
        return kb.difference(found, self.excluded) if excluding and self.excluded is not None else found

    def join(self, relation: ex.Relation, argument: ex.Expression) -> NodeSet:
        # (JOIN r u) are the subjects of facts with their object in u, so a plain relation walks backwards.
        return self.kb.walk(Step(self.id(relation), not relation.inverse), self.nodes(argument))

    def ends(self, nodes: NodeSet, path: ex.Path) -> NodeSet:
        """Where a path leads to."""
        for step in self.steps(path):
            nodes = self.kb.walk(step, nodes)
            spend()
        return nodes

    def extreme(self, node: ex.Extreme, nodes: NodeSet) -> NodeSet:
        largest = node.direction is ex.Direction.LARGEST
        if not isinstance(node.key, ex.Counted | ex.Totalled) and node.first == node.last == 1:
            return self.kb.extreme(nodes, self.steps(node.key), largest)
        scores = self.scores(nodes, node.key, largest)
        return self.subset(nodes, scores.ranked(largest, node.first, node.last))

    def subset(self, nodes: NodeSet, ids: Ids) -> NodeSet:
        return nodes if len(ids) == len(nodes) else self.kb.nodes(ids)

    # Comparisons -----------------------------------------------------------------------------

    def compared(self, comparison: Comparison, relation: int, value: ex.Expression) -> NodeSet:
        found = self.kb.nodes(np.empty(0, np.int64))
        for literal in self.limits(comparison, value):
            found = self.kb.union(found, self.kb.compare(comparison, relation, literal))
        return found

    def limits(self, comparison: Comparison, value: ex.Expression) -> list[Literal]:
        """What stands for all values of the program; several are of different kinds."""
        match value:
            case ex.Value(literal):
                return [literal]
            case ex.Count(argument, path):
                return [whole_number(self.count(self.nodes(argument), path))]
            case ex.Aggregate(function, argument, path):
                literal_or_none = self.aggregate(function, self.nodes(argument), path)
                return [] if literal_or_none is None else [literal_or_none]
            case _:
                return self.kb.edges(comparison, self.nodes(value))

    def picked(self, nodes: NodeSet, condition: ex.Expression) -> NodeSet:
        """Members whose count or total compares so."""
        assert isinstance(condition, ex.Compare)
        assert isinstance(condition.key, ex.Counted | ex.Totalled)
        limits = [value_of(literal) for literal in self.limits(condition.comparison, condition.value)]
        scores = self.scores(nodes, condition.key, largest=True)
        for limit in limits:
            if isinstance(limit, Number):
                return self.subset(nodes, scores.compared(condition.comparison, limit.nearest))
        return self.kb.nodes(np.empty(0, np.int64))

    # Numbers ---------------------------------------------------------------------------------

    def scores(self, nodes: NodeSet, key: ex.Key, largest: bool) -> NodeScores:
        """What the members are ordered by."""
        match key:
            case ex.Counted(path, within):
                tally = self.kb.tally(nodes, self.steps(path), None if within is None else self.nodes(within))
                counts = with_zeros(nodes.ids, tally.nodes, tally.counts)
                return NodeScores(nodes.ids, counts)
            case ex.Totalled(ex.Aggregation.SUM | ex.Aggregation.AVG as function, path):
                totals = self.kb.totals(nodes, self.steps(path))
                sums = totals.sums if function is ex.Aggregation.SUM else totals.sums / totals.counts
                return NodeScores(totals.nodes, sums)
            case ex.Totalled(function, path):
                best = self.kb.standings(nodes, self.steps(path), function is ex.Aggregation.MAX)
            case _:
                best = self.kb.standings(nodes, self.steps(key), largest)
        return NodeScores(best.nodes, best.scores)

    def count(self, nodes: NodeSet, path: ex.Path) -> int:
        return len(self.ends(nodes, path))

    def aggregate(self, function: ex.Aggregation, nodes: NodeSet, path: ex.Path) -> Literal | None:
        """None where no member has a value."""
        if function in (ex.Aggregation.MAX, ex.Aggregation.MIN):
            edge = Comparison.GT if function is ex.Aggregation.MAX else Comparison.LT
            return next(iter(self.kb.edges(edge, self.ends(nodes, path))), None)
        totals = self.kb.totals(nodes, self.steps(path))
        whole = total(totals)
        if whole is None:
            return None
        if function is ex.Aggregation.AVG:
            return number(float(whole) / int(totals.counts.sum()))
        return number(whole)

    # Names -----------------------------------------------------------------------------------

    def id(self, relation: ex.Relation) -> int:
        return self.kb.schema.relation_ids[relation.iri]

    def steps(self, path: Iterable[ex.Relation]) -> list[Step]:
        """A path is read outwards: a plain relation walks forwards."""
        return [Step(self.id(relation), relation.inverse) for relation in path]

    def entities(self, *terms: Iri | Blank) -> NodeSet:
        found = [node for term in terms if (node := self.kb.node(term)) is not None]
        return self.kb.nodes(np.array(found, dtype=np.int64))


# What a program found, as the terms that records hold.


def answer_terms(result: Result, kb: KnowledgeBase) -> tuple[str, ...]:
    """Short forms of entities and lexical forms of literals, each once: a set in alphabetical order, a list
    in its own, of a table the first column."""
    names = Names(kb.profile)
    found = dict.fromkeys(
        term.lexical if isinstance(term, Literal) else names.write(term) for term in _terms(result, kb)
    )
    return tuple(found if result.order is not None or result.table is not None else sorted(found))


def _terms(result: Result, kb: KnowledgeBase) -> list[Term]:
    if result.value is not None:
        return [result.value]
    if result.table is not None:
        return [row[0] for row in result.table.terms(kb) if row[0] is not None]
    if result.nothing:
        return []
    return kb.terms(result.nodes.ids if result.order is None else result.order)


def same_answers(found: Iterable[str], published: Iterable[str], names: Names) -> bool:
    """Whether two sets of terms are equal, however their entities are written."""

    def normal(term: str) -> str:
        return names.short(term[1:-1]) if term.startswith("<") and term.endswith(">") else term

    return {normal(term) for term in found} == {normal(term) for term in published}
