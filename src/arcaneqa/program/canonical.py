"""One program for all that differ only in the order, nesting and repeats of AND, OR and NOT."""

from __future__ import annotations

from collections.abc import Sequence

from arcaneqa.program import expression as ex
from arcaneqa.program.rewrite import chain, conjunction, leaves, rewrite
from arcaneqa.program.steps import Topic


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

    def place(part: ex.Expression) -> tuple[int, int, str]:
        nodes = list(ex.post_order(part))
        first = min((ranks[node] for node in nodes if node in ranks), default=len(ranks))
        return first, len(nodes), repr(part)

    def either(node: ex.Or) -> ex.Expression:
        return chain(sorted(leaves(node, ex.Or), key=place), ex.Or)

    def change(node: ex.Expression) -> ex.Expression:
        match node:
            case ex.And():
                return conjunction(leaves(node, ex.And), place)
            case ex.Or():
                return either(node)
            case ex.Not(ex.Not(argument, taken), without):
                # (NOT (NOT u v) w) is (NOT u (OR v w)): what is taken away has one order.
                return ex.Not(argument, either(ex.Or(taken, without)))
            case _:
                return node

    return rewrite(program, change)
