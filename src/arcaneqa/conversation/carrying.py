"""Programs that carry over what was found before: exact algebra, whatever the model reads."""

from __future__ import annotations

from dataclasses import replace

from arcaneqa.program import expression as ex
from arcaneqa.program.rewrite import rewrite


def in_place_of(program: ex.Expression, old: ex.Entity, new: ex.Expression) -> ex.Expression:
    """The program with every mention of an entity exchanged."""

    def change(node: ex.Expression) -> ex.Expression:
        if isinstance(node, ex.Cons) and node.constant == old and isinstance(new, ex.Entity):
            return replace(node, constant=new)
        return new if node == old else node

    return rewrite(program, change)


def among(program: ex.Expression, kind: str | None, members: ex.Expression) -> ex.Expression:
    """The program asked of `members` only, all of which are of the class `kind`.

    Where the program speaks of the class, they take its place; else what it finds is narrowed to them.
    """
    if kind is not None and ex.Class(kind) in set(ex.post_order(program)):
        return rewrite(program, lambda node: members if node == ex.Class(kind) else node)
    return _narrowed(program, members)


def _narrowed(program: ex.Expression, members: ex.Expression) -> ex.Expression:
    match program:
        case ex.Count() | ex.Aggregate() | ex.Extreme() | ex.Sort() | ex.Show() | ex.Per():
            return replace(program, argument=_narrowed(program.argument, members))
        case ex.Meet(left, right):
            return ex.Meet(_narrowed(left, members), right)
        case _:
            return ex.And(members, program)
