"""Programs as the scores compare them: without CONS, and with classes where text cannot tell."""

from __future__ import annotations

from collections.abc import Set

from arcaneqa.kb.terms import Iri
from arcaneqa.program.expression import And, Class, Cons, Entity, Expression, Join, post_order
from arcaneqa.program.rewrite import rewrite


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
