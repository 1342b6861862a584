"""One program for all that differ only in the order, nesting and repeats of AND, OR and NOT."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from arcaneqa.program.expression import (
    And,
    Class,
    Compare,
    Entity,
    Expression,
    Not,
    Or,
    Relation,
    Value,
    post_order,
)
from arcaneqa.program.rewrite import leaves, rewrite
from arcaneqa.program.steps import Topic

Ranks = Mapping[Expression, int]


def canonical(program: Expression, topics: Sequence[Topic] | None = None) -> Expression:
    """The one program among those equal but for the order, nesting and repeats of AND, OR and NOT.

    In an AND a class comes last, on the left, as GrailQA writes it; sets come in the order in which the
    question names their first topic, shorter ones first, and so do the sides of OR and what NOT takes away.
    """
    own = (node for node in post_order(program) if isinstance(node, Entity | Value))
    ranks: dict[Expression, int] = {}
    for topic in dict.fromkeys([*(topics or ()), *own]):
        ranks[topic] = len(ranks)

    def change(node: Expression) -> Expression:
        match node:
            case And():
                return _conjunction(node, ranks)
            case Or():
                return _disjunction(leaves(node, Or), ranks)
            case Not():
                return _difference(node, ranks)
            case _:
                return node

    return rewrite(program, change)


def picks_from_a_set(node: Expression) -> bool:
    """Whether this is a comparison of counts or totals, which may let members with none pass."""
    return isinstance(node, Compare) and not isinstance(node.key, Relation)


def _conjunction(node: And, ranks: Ranks) -> Expression:
    """Both sides are in order already, so their conjuncts are the leaves of two chains."""
    conjuncts = leaves(node, And)
    picks = _in_order([c for c in conjuncts if picks_from_a_set(c)], ranks)
    sets = _in_order([c for c in conjuncts if not isinstance(c, Class) and c not in picks], ranks)
    classes = sorted((c for c in conjuncts if isinstance(c, Class)), key=lambda c: c.iri, reverse=True)
    result = sets.pop(0) if sets else classes.pop(0) if classes else picks.pop(0)
    for conjunct in sets:
        result = And(result, conjunct)
    for klass in classes:
        result = And(klass, result)
    for pick in picks:
        result = And(result, pick)
    return result


def _disjunction(sides: list[Expression], ranks: Ranks) -> Expression:
    first, *rest = _in_order(sides, ranks)
    for side in rest:
        first = Or(first, side)
    return first


def _difference(node: Not, ranks: Ranks) -> Expression:
    """`(NOT (NOT u v) w)` as `(NOT u (OR v w))`, so that what is taken away has one order."""
    argument, taken = node.argument, node.without
    if isinstance(argument, Not):
        return Not(argument.argument, _disjunction(leaves(Or(argument.without, taken), Or), ranks))
    return node


def _in_order(parts: list[Expression], ranks: Ranks) -> list[Expression]:
    def key(part: Expression) -> tuple[int, int, str]:
        nodes = list(post_order(part))
        first = min((ranks[node] for node in nodes if node in ranks), default=len(ranks))
        return first, len(nodes), repr(part)

    return sorted(parts, key=key)
