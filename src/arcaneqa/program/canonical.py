"""One program for all that differ only in the order, nesting and repeats of AND, OR and NOT."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from arcaneqa.program import expression as ex
from arcaneqa.program.rewrite import leaves, rewrite
from arcaneqa.program.steps import Topic

Ranks = Mapping[ex.Expression, int]


def canonical(program: ex.Expression, topics: Sequence[Topic] | None = None) -> ex.Expression:
    """The one program among those equal but for the order, nesting and repeats of AND, OR and NOT.

    In an AND a class comes last, on the left, as GrailQA writes it; sets come in the order in which the
    question names their first topic, shorter ones first, and so do the sides of OR and what NOT takes away.
    """
    seen: list[ex.Expression] = []
    # Where no question names a topic, the program's own order does, and a new order may name them otherwise.
    while program not in seen:
        seen.append(program)
        program = _ordered(program, topics)
    return min(seen[seen.index(program) :], key=repr)


def _ordered(program: ex.Expression, topics: Sequence[Topic] | None) -> ex.Expression:
    own = (node for node in ex.post_order(program) if isinstance(node, ex.Entity | ex.Value))
    ranks: dict[ex.Expression, int] = {}
    for topic in dict.fromkeys([*(topics or ()), *own]):
        ranks[topic] = len(ranks)

    def change(node: ex.Expression) -> ex.Expression:
        match node:
            case ex.And():
                return _conjunction(node, ranks)
            case ex.Or():
                return _disjunction(leaves(node, ex.Or), ranks)
            case ex.Not():
                return _difference(node, ranks)
            case _:
                return node

    return rewrite(program, change)


def picks_from_a_set(node: ex.Expression) -> bool:
    """Whether this is a comparison of counts or totals, which may let members with none pass."""
    return isinstance(node, ex.Compare) and not isinstance(node.key, ex.Relation)


def _conjunction(node: ex.And, ranks: Ranks) -> ex.Expression:
    """Both sides are in order already, so their conjuncts are the leaves of two chains."""
    conjuncts = leaves(node, ex.And)
    picks = _in_order([c for c in conjuncts if picks_from_a_set(c)], ranks)
    sets = _in_order([c for c in conjuncts if not isinstance(c, ex.Class) and c not in picks], ranks)
    classes = sorted((c for c in conjuncts if isinstance(c, ex.Class)), key=lambda c: c.iri, reverse=True)
    result = sets.pop(0) if sets else classes.pop(0) if classes else picks.pop(0)
    for conjunct in sets:
        result = ex.And(result, conjunct)
    for klass in classes:
        result = ex.And(klass, result)
    for pick in picks:
        result = ex.And(result, pick)
    return result


def _disjunction(sides: list[ex.Expression], ranks: Ranks) -> ex.Expression:
    first, *rest = _in_order(sides, ranks)
    for side in rest:
        first = ex.Or(first, side)
    return first


def _difference(node: ex.Not, ranks: Ranks) -> ex.Expression:
    """`(NOT (NOT u v) w)` as `(NOT u (OR v w))`, so that what is taken away has one order."""
    argument, taken = node.argument, node.without
    if isinstance(argument, ex.Not):
        return ex.Not(argument.argument, _disjunction(leaves(ex.Or(argument.without, taken), ex.Or), ranks))
    return node


def _in_order(parts: list[ex.Expression], ranks: Ranks) -> list[ex.Expression]:
    def key(part: ex.Expression) -> tuple[int, int, str]:
        nodes = list(ex.post_order(part))
        first = min((ranks[node] for node in nodes if node in ranks), default=len(ranks))
        return first, len(nodes), repr(part)

    return sorted(parts, key=key)
