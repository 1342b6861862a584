"""Programs as induction can build them: equal in meaning on this knowledge base, from what is at hand."""

from __future__ import annotations

from collections.abc import Set

from arcaneqa.errors import ArcaneError
from arcaneqa.induction.building_order import counts
from arcaneqa.induction.constants import has_constants
from arcaneqa.induction.learned import Learned
from arcaneqa.kb.interface import KnowledgeBase, Step
from arcaneqa.kb.schema import ValueKind
from arcaneqa.kb.values import kind_of
from arcaneqa.program.execute import execute
from arcaneqa.program.expression import (
    And,
    Class,
    Cons,
    During,
    Entity,
    Expression,
    Has,
    Join,
    Relation,
    Value,
)
from arcaneqa.program.rewrite import rewrite


def buildable(program: Expression, kb: KnowledgeBase, learned: Learned | None = None) -> Expression:
    """An equal program without what induction never offers.

    CONS by a relation with an open range becomes an AND with a JOIN, unless its constant was learned: nobody
    can guess it, so it has to be among the topics. A JOIN from true or false beside a set becomes a CONS:
    nobody names them. TC over nodes none of which is dated filters nothing, and goes.
    """

    def change(node: Expression) -> Expression:
        match node:
            case Cons(argument, relation, constant) if not _is_offered(node, kb, learned):
                return And(argument, Join(relation, constant))
            case During(argument, relation, _) if not _is_dated(argument, relation, kb):
                return argument
            case And():
                return _with_truth(node, kb, learned)
            case _:
                return node

    return rewrite(program, change)


def with_constants(
    program: Expression, unnamed: Set[Entity | Value], kb: KnowledgeBase, learned: Learned | None = None
) -> Expression:
    """An equal program with CONS for what is told by a constant that the question does not name: "accepted
    students" are those with the decision yes."""

    def change(node: Expression) -> Expression:
        match node:
            case And(left, right):
                for one, other in ((left, right), (right, left)):
                    match other:
                        case Cons(Class() as home, relation, constant) if _is_home(home, relation, kb):
                            return Cons(one, relation, constant)
            case Join(relation, (Entity() | Value()) as constant) if constant in unnamed:
                number = kb.schema.relation_ids.get(relation.iri)
                domain = None if number is None else kb.schema.relations[number].domain
                if domain is not None:
                    cons = Cons(Class(kb.schema.classes[domain].iri), relation, constant)
                    return cons if _is_offered(cons, kb, learned) else node
        return node

    return rewrite(program, change)


def _is_home(klass: Class, relation: Relation, kb: KnowledgeBase) -> bool:
    """Whether a class stands beside a relation only because a CONS has to start somewhere."""
    known = kb.schema.relations[kb.schema.relation_ids[relation.iri]]
    return known.domain is not None and kb.schema.classes[known.domain].iri == klass.iri


def without_class_joins(program: Expression, kb: KnowledgeBase) -> Expression:
    """An equal program with HAS for a JOIN from a whole class, where its relation leads nowhere else."""

    def change(node: Expression) -> Expression:
        if not isinstance(node, Join) or not isinstance(node.argument, Class):
            return node
        relation = kb.schema.relation_ids.get(node.relation.iri)
        if relation is None:
            return node
        # (JOIN r c) are subjects, and so are (HAS r); (JOIN r_inv c) are objects, and so are (HAS r_inv).
        ends = kb.having(Step(relation, inverse=not node.relation.inverse))
        members = kb.members(kb.schema.class_ids[node.argument.iri])
        return node if kb.difference(ends, members) else Has(node.relation)

    return rewrite(program, change)


def _with_truth(node: And, kb: KnowledgeBase, learned: Learned | None) -> Expression:
    for one, other in ((node.left, node.right), (node.right, node.left)):
        if isinstance(other, Join) and isinstance(other.argument, Value):
            cons = Cons(one, other.relation, other.argument)
            is_truth = kind_of(other.argument.literal) is ValueKind.BOOLEAN
            if is_truth and not counts(one) and _is_offered(cons, kb, learned):
                return cons
    return node


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
