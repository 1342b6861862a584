"""Programs rebuilt with some of their nodes changed."""

from __future__ import annotations

from collections.abc import Callable, Set

from arcaneqa.kb.terms import Iri
from arcaneqa.program.expression import (
    And,
    Class,
    Cons,
    Count,
    During,
    Entity,
    Expression,
    Extreme,
    Join,
    post_order,
)


def rewrite(program: Expression, change: Callable[[Expression], Expression]) -> Expression:
    """Apply `change` to every set of a program, arguments first."""

    def again(part: Expression) -> Expression:
        return rewrite(part, change)

    match program:
        case And(left, right):
            return change(And(again(left), again(right)))
        case Join(relation, argument):
            return change(Join(relation, again(argument)))
        case Extreme(direction, argument, path):
            return change(Extreme(direction, again(argument), path))
        case Count(argument):
            return change(Count(again(argument)))
        case Cons(argument, relation, constant):
            return change(Cons(again(argument), relation, constant))
        case During(argument, relation, when):
            return change(During(again(argument), relation, when))
        case _:
            return change(program)


def without_cons(program: Expression) -> Expression:
    """CONS as AND with JOIN."""

    def change(node: Expression) -> Expression:
        if isinstance(node, Cons):
            return And(node.argument, Join(node.relation, node.constant))
        return node

    return rewrite(program, change)


def class_names(program: Expression) -> set[str]:
    return {node.iri for node in post_order(program) if isinstance(node, Class)}


def with_classes(program: Expression, classes: Set[str]) -> Expression:
    """Text alone cannot tell a class from an entity as JOIN's argument; these names are classes."""

    def change(node: Expression) -> Expression:
        if isinstance(node, Entity) and isinstance(node.term, Iri) and node.term.value in classes:
            return Class(node.term.value)
        return node

    return rewrite(program, change)
