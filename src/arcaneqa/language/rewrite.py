"""Programs with some of their parts changed, and one program for all of one meaning."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from arcaneqa.language import expression as ex
from arcaneqa.language.steps import Topic

# Programs with some of their parts changed: the one place where expressions are put together again.


Change = Callable[[ex.Expression], ex.Expression]


def rewrite(program: ex.Expression, change: Change) -> ex.Expression:
    """Apply `change` to every node of a program, arguments first.

    The literal of a TC, LIKE or NAMED and a CONS constant belong to their node and stay.
    """
    # By identity: to compare a node with another is to go through all below it.
    done: dict[int, ex.Expression] = {}
    for node in ex.post_order(program):
        done[id(node)] = change(with_arguments(node, lambda argument: done[id(argument)]))
    return done[id(program)]


def with_arguments(node: ex.Expression, change: Change) -> ex.Expression:
    """The node with its arguments changed, itself left as it is."""
    match node:
        case ex.Join() | ex.Cons() | ex.During() | ex.Count() | ex.Aggregate():
            changed = change(node.argument)
            return node if changed is node.argument else replace(node, argument=changed)
        case ex.And(left, right):
            return ex.And(change(left), change(right))
        case ex.Or(left, right):
            return ex.Or(change(left), change(right))
        case ex.Meet(left, right):
            return ex.Meet(change(left), change(right))
        case ex.Not(argument, without):
            return ex.Not(change(argument), change(without))
        case ex.Extreme() | ex.Sort():
            return replace(node, argument=change(node.argument), key=with_within(node.key, change))
        case ex.Compare(comparison, key, value):
            compared = _counted(key, change) if isinstance(key, ex.Counted) else key
            return ex.Compare(comparison, compared, change(value))
        case ex.Show(argument, columns):
            return ex.Show(change(argument), tuple(with_within(column, change) for column in columns))
        case ex.Per(argument, path, columns):
            counted = (_counted(c, change) if isinstance(c, ex.Counted) else c for c in columns)
            return ex.Per(change(argument), path, tuple(counted))
        case _:
            return node


def with_within(key: ex.Key, change: Change) -> ex.Key:
    """A key with the set it counts in changed."""
    return _counted(key, change) if isinstance(key, ex.Counted) else key


def _counted(key: ex.Counted, change: Change) -> ex.Counted:
    return key if key.within is None else ex.Counted(key.path, change(key.within))


def leaves(node: ex.Expression, kind: type[ex.And] | type[ex.Or]) -> list[ex.Expression]:
    """What nested ANDs or ORs hold, left to right, each once."""
    found: dict[ex.Expression, None] = {}
    stack = [node]
    while stack:
        part = stack.pop()
        if isinstance(part, kind):
            stack += [part.right, part.left]
        else:
            found[part] = None
    return list(found)


def chain(parts: Sequence[ex.Expression], kind: type[ex.And] | type[ex.Or]) -> ex.Expression:
    """The opposite of `leaves`."""
    result, *others = parts
    for other in others:
        result = kind(result, other)
    return result


def conjunction(parts: Sequence[ex.Expression], order: Callable[[ex.Expression], Any]) -> ex.Expression:
    """One AND of different conditions, however they were nested: sets by `order`, classes on the left of
    them, as GrailQA writes it, and last what picks from a set."""
    picks = sorted(filter(ex.picks_members, parts), key=repr)
    classes = sorted((part for part in parts if isinstance(part, ex.Class)), key=lambda part: part.iri)
    sets = sorted((p for p in parts if not isinstance(p, ex.Class) and not ex.picks_members(p)), key=order)
    result = chain(sets, ex.And) if sets else classes.pop() if classes else picks.pop(0)
    for klass in classes:
        result = ex.And(klass, result)
    return chain([result, *picks], ex.And)


# One program for all that differ only in the order, nesting and repeats of AND, OR and NOT.


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
