"""Programs as induction can build them: equal in meaning on this knowledge base, from what is at hand."""

from __future__ import annotations

from dataclasses import replace

from arcaneqa.errors import ArcaneError
from arcaneqa.induction.constants import has_constants
from arcaneqa.induction.learned import Learned
from arcaneqa.kb.interface import KnowledgeBase
from arcaneqa.program.execute import execute
from arcaneqa.program.expression import (
    And,
    Cons,
    Count,
    During,
    Expression,
    Extreme,
    Join,
    Relation,
    Value,
)


def buildable(program: Expression, kb: KnowledgeBase, learned: Learned | None = None) -> Expression:
    """An equal program without what induction never offers.

    CONS by a relation with an open range becomes an AND with a JOIN, unless its constant was learned: nobody
    can guess it, so it has to be among the topics. TC over nodes none of which is dated filters nothing, and
    goes.
    """
    match program:
        case Cons(argument, relation, constant):
            inner = buildable(argument, kb, learned)
            if _is_offered(program, kb, learned):
                return Cons(inner, relation, constant)
            return And(inner, Join(relation, constant))
        case During(argument, relation, when):
            inner = buildable(argument, kb, learned)
            return During(inner, relation, when) if _is_dated(inner, relation, kb) else inner
        case And(left, right):
            return And(buildable(left, kb, learned), buildable(right, kb, learned))
        case Join() | Extreme() | Count():
            return replace(program, argument=buildable(program.argument, kb, learned))
        case _:
            return program


def _is_offered(program: Cons, kb: KnowledgeBase, learned: Learned | None) -> bool:
    """Whether CONS can have this constant; assumed of a relation nobody knows."""
    number = kb.schema.relation_ids.get(program.relation.iri)
    if number is None:
        return True
    if program.relation.inverse or kb.schema.relations[number].hidden:
        return False
    term = program.constant.literal if isinstance(program.constant, Value) else program.constant.term
    return has_constants(number, kb) or (
        learned is not None and (program.relation.iri, term) in learned.constants
    )


def _is_dated(argument: Expression, relation: Relation, kb: KnowledgeBase) -> bool:
    """Whether some member has a value for the relation or its partner; assumed where nobody knows."""
    start = kb.schema.relation_ids.get(relation.iri)
    if start is None:
        return True
    try:
        members = execute(argument, kb).nodes
    except ArcaneError:
        return True
    pair = (start, kb.schema.time_pairs.get(start))
    return any(kb.objects(known, members) for known in pair if known is not None)
