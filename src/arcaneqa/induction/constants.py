"""Which relations have CONS constants: objects that a question implies without naming them."""

from __future__ import annotations

from dataclasses import replace

from arcaneqa.kb.schema import Relation, Schema, ValueKind
from arcaneqa.program.expression import (
    And,
    Cons,
    Count,
    During,
    Expression,
    Extreme,
    Join,
)

MOST_CONSTANTS = 512
FACTS_PER_CONSTANT = 3


def has_closed_range(relation: Relation) -> bool:
    """Whether many facts share few objects, as with gender, status or basic roles.

    The objects of an open range (films, places) grow with its facts; those of a closed one hardly do, so
    they stay below some multiple of the root of the number of facts.
    """
    return (
        ValueKind.ENTITY in relation.kinds
        and 0 < relation.objects <= MOST_CONSTANTS
        and relation.facts >= FACTS_PER_CONSTANT * relation.objects
        and relation.objects**2 <= 8 * relation.facts
    )


def spelled_out(program: Expression, schema: Schema) -> Expression:
    """An equal program in which CONS over an open range is an AND with a JOIN.

    Nobody can guess a constant from an open range: it has to be among the topics.
    """
    match program:
        case Cons(argument, relation, constant):
            inner = spelled_out(argument, schema)
            number = schema.relation_ids.get(relation.iri)
            if number is None or (not relation.inverse and has_closed_range(schema.relations[number])):
                return Cons(inner, relation, constant)
            return And(inner, Join(relation, constant))
        case And(left, right):
            return And(spelled_out(left, schema), spelled_out(right, schema))
        case Join() | Extreme() | Count() | During():
            return replace(program, argument=spelled_out(program.argument, schema))
        case _:
            return program
