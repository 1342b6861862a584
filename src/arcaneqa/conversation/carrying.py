"""Programs that carry over what was found before: exact algebra, whatever the model reads."""

from __future__ import annotations

from dataclasses import replace

from arcaneqa.program.expression import (
    Aggregate,
    And,
    Class,
    Cons,
    Count,
    Entity,
    Expression,
    Extreme,
    Meet,
    Per,
    Show,
    Sort,
    post_order,
)
from arcaneqa.program.rewrite import rewrite


def in_place_of(program: Expression, old: Entity, new: Expression) -> Expression:
    """The program with every mention of an entity exchanged."""

    def change(node: Expression) -> Expression:
        if isinstance(node, Cons) and node.constant == old and isinstance(new, Entity):
            return replace(node, constant=new)
        return new if node == old else node

    return rewrite(program, change)


def among(program: Expression, kind: str | None, members: Expression) -> Expression:
    """The program asked of `members` only, all of which are of the class `kind`.

    Where the program speaks of the class, they take its place; else what it finds is narrowed to them.
    """
    if kind is not None and Class(kind) in set(post_order(program)):
        return rewrite(program, lambda node: members if node == Class(kind) else node)
    return _narrowed(program, members)


def _narrowed(program: Expression, members: Expression) -> Expression:
    match program:
        case Count() | Aggregate() | Extreme() | Sort() | Show() | Per():
            return replace(program, argument=_narrowed(program.argument, members))
        case Meet(left, right):
            return Meet(_narrowed(left, members), right)
        case _:
            return And(members, program)
