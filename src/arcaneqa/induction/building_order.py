"""The order in which a program is built: one sequence for all ways of writing what has no order.

Induction keeps one branch waiting while another grows, and the growing one is short and plain. So among the
conjuncts of an AND the one that needs more (a superlative, a conjunction inside, a long chain) comes first;
among equals, the one whose topic the question names first. Classes come after sets, as in GrailQA's programs,
and comparisons of counts last, since they pick from a set. The sets of OR and MEET come in the same order,
with topics and classes after what is built.
"""

from __future__ import annotations

from collections.abc import Mapping

from arcaneqa.program import expression as ex
from arcaneqa.program.rewrite import chain, conjunction, leaves, rewrite

MOST_BRANCH_JOINS = 2
"""JOINs of a branch while another waits; a comparative counts as one."""
Ranks = Mapping[ex.Expression, int]


def arranged(program: ex.Expression, ranks: Ranks) -> ex.Expression:
    """An equal program in building order; `ranks` numbers the topics."""

    def change(node: ex.Expression) -> ex.Expression:
        match node:
            case ex.And():
                return conjunction(leaves(node, ex.And), lambda part: _priority(part, ranks))
            case ex.Or():
                return chain(sorted(leaves(node, ex.Or), key=lambda part: _side(part, ranks)), ex.Or)
            case ex.Meet(left, right):
                return ex.Meet(*sorted((left, right), key=lambda part: _side(part, ranks)))
            case _:
                return node

    return rewrite(program, change)


def _side(part: ex.Expression, ranks: Ranks) -> tuple[int, tuple[int, int, int, str]]:
    late = 2 if isinstance(part, ex.Class) else 1 if isinstance(part, ex.Entity | ex.Value) else 0
    return late, _priority(part, ranks)


def _priority(conjunct: ex.Expression, ranks: Ranks) -> tuple[int, int, int, str]:
    nodes = list(ex.post_order(conjunct))
    first = min((ranks[node] for node in nodes if node in ranks), default=len(ranks))
    steps = [node for node in nodes if not isinstance(node, ex.Entity | ex.Value | ex.Class)]
    return _ease(conjunct), -len(steps), first, repr(conjunct)


def is_plain(branch: ex.Expression) -> bool:
    """Whether a branch can grow while another waits."""
    return _ease(branch) == 2


def _ease(branch: ex.Expression) -> int:
    """0: nothing may wait; 1: it can be built inside a function; 2: while another branch waits."""
    joins, ease = 0, 2
    for node in ex.post_order(branch):
        match node:
            case ex.And(_, right) if ex.picks_members(right):
                return 0
            case ex.And(left, right) if not isinstance(left, ex.Class) and not isinstance(right, ex.Class):
                ease = 1
            case (
                ex.And()
                | ex.Cons()
                | ex.During()
                | ex.Entity()
                | ex.Value()
                | ex.Class()
                | ex.Has()
                | ex.Like()
                | ex.Named()
            ):
                pass
            case ex.Join(_, ex.Class()):
                return 0
            case ex.Join() | ex.Compare(_, ex.Relation(), ex.Value()):
                joins += 1
            case _:
                return 0
    return ease if joins <= MOST_BRANCH_JOINS else min(ease, 1)
