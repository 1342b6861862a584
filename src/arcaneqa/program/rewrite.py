"""Programs with some of their parts changed: the one place where expressions are put together again."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from arcaneqa.program.expression import (
    Aggregate,
    And,
    Compare,
    Cons,
    Count,
    Counted,
    During,
    Expression,
    Extreme,
    Join,
    Key,
    Meet,
    Not,
    Or,
    Per,
    Show,
    Sort,
    post_order,
)

Change = Callable[[Expression], Expression]


def rewrite(program: Expression, change: Change) -> Expression:
    """Apply `change` to every node of a program, arguments first, equal nodes once.

    The literal of a TC, LIKE or NAMED and a CONS constant belong to their node and stay.
    """
    done: dict[Expression, Expression] = {}
    for node in post_order(program):
        if node not in done:
            done[node] = change(with_arguments(node, done.__getitem__))
    return done[program]


def with_arguments(node: Expression, change: Change) -> Expression:
    """The node with its arguments changed, itself left as it is."""
    match node:
        case Join() | Cons() | During() | Count() | Aggregate():
            return replace(node, argument=change(node.argument))
        case And(left, right):
            return And(change(left), change(right))
        case Or(left, right):
            return Or(change(left), change(right))
        case Meet(left, right):
            return Meet(change(left), change(right))
        case Not(argument, without):
            return Not(change(argument), change(without))
        case Extreme() | Sort():
            return replace(node, argument=change(node.argument), key=with_within(node.key, change))
        case Compare(comparison, key, value):
            compared = _counted(key, change) if isinstance(key, Counted) else key
            return Compare(comparison, compared, change(value))
        case Show(argument, columns):
            return Show(change(argument), tuple(with_within(column, change) for column in columns))
        case Per(argument, path, columns):
            changed = (_counted(c, change) if isinstance(c, Counted) else c for c in columns)
            return Per(change(argument), path, tuple(changed))
        case _:
            return node


def with_within(key: Key, change: Change) -> Key:
    """A key with the set it counts in changed."""
    return _counted(key, change) if isinstance(key, Counted) else key


def _counted(key: Counted, change: Change) -> Counted:
    return key if key.within is None else Counted(key.path, change(key.within))


def leaves(node: Expression, kind: type[And] | type[Or]) -> list[Expression]:
    """What nested ANDs or ORs hold, left to right, each once."""
    found: dict[Expression, None] = {}
    stack = [node]
    while stack:
        part = stack.pop()
        if isinstance(part, kind):
            stack += [part.right, part.left]
        else:
            found[part] = None
    return list(found)
