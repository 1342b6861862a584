"""Programs as induction can build them: equal in meaning on this knowledge base, from what is at hand."""

from __future__ import annotations

from collections.abc import Set

from arcaneqa.errors import ArcaneError
from arcaneqa.induction.learned import Learned, has_constants
from arcaneqa.kb.interface import KnowledgeBase, Step
from arcaneqa.kb.schema import ValueKind
from arcaneqa.kb.values import kind_of
from arcaneqa.program import expression as ex
from arcaneqa.program.execute import execute
from arcaneqa.program.rewrite import rewrite


def buildable(program: ex.Expression, kb: KnowledgeBase, learned: Learned | None = None) -> ex.Expression:
    """An equal program without what induction never offers.

    CONS by a relation with an open range becomes an AND with a JOIN, unless its constant was learned: nobody
    can guess it, so it has to be among the topics. A JOIN from true or false beside a set becomes a CONS:
    nobody names them. TC over nodes none of which is dated filters nothing, and goes.
    """

    def change(node: ex.Expression) -> ex.Expression:
        match node:
            case ex.Cons(argument, relation, constant) if not _is_offered(node, kb, learned):
                return ex.And(argument, ex.Join(relation, constant))
            case ex.During(argument, relation, _) if not _is_dated(argument, relation, kb):
                return argument
            case ex.And():
                return _with_truth(node, kb, learned)
            case _:
                return node

    return rewrite(program, change)


def with_constants(
    program: ex.Expression,
    unnamed: Set[ex.Entity | ex.Value],
    kb: KnowledgeBase,
    learned: Learned | None = None,
) -> ex.Expression:
    """An equal program with CONS for what is told by a constant that the question does not name: "accepted
    students" are those with the decision yes."""

    def change(node: ex.Expression) -> ex.Expression:
        match node:
            case ex.And(left, right):
                for one, other in ((left, right), (right, left)):
                    match other:
                        case ex.Cons(ex.Class() as home, relation, constant) if _is_home(home, relation, kb):
                            return ex.Cons(one, relation, constant)
            case ex.Join(relation, (ex.Entity() | ex.Value()) as constant) if constant in unnamed:
                number = kb.schema.relation_ids.get(relation.iri)
                domain = None if number is None else kb.schema.relations[number].domain
                if domain is not None:
                    cons = ex.Cons(ex.Class(kb.schema.classes[domain].iri), relation, constant)
                    return cons if _is_offered(cons, kb, learned) else node
        return node

    return rewrite(program, change)


def _is_home(klass: ex.Class, relation: ex.Relation, kb: KnowledgeBase) -> bool:
    """Whether a class stands beside a relation only because a CONS has to start somewhere."""
    known = kb.schema.relations[kb.schema.relation_ids[relation.iri]]
    return known.domain is not None and kb.schema.classes[known.domain].iri == klass.iri


def without_class_joins(program: ex.Expression, kb: KnowledgeBase) -> ex.Expression:
    """An equal program with HAS for a JOIN from a whole class, where its relation leads nowhere else."""

    def change(node: ex.Expression) -> ex.Expression:
        if not isinstance(node, ex.Join) or not isinstance(node.argument, ex.Class):
            return node
        relation = kb.schema.relation_ids.get(node.relation.iri)
        if relation is None:
            return node
        # (JOIN r c) are subjects, and so are (HAS r); (JOIN r_inv c) are objects, and so are (HAS r_inv).
        ends = kb.having(Step(relation, inverse=not node.relation.inverse))
        members = kb.members(kb.schema.class_ids[node.argument.iri])
        return node if kb.difference(ends, members) else ex.Has(node.relation)

    return rewrite(program, change)


def _with_truth(node: ex.And, kb: KnowledgeBase, learned: Learned | None) -> ex.Expression:
    for one, other in ((node.left, node.right), (node.right, node.left)):
        if isinstance(other, ex.Join) and isinstance(other.argument, ex.Value):
            cons = ex.Cons(one, other.relation, other.argument)
            is_truth = kind_of(other.argument.literal) is ValueKind.BOOLEAN
            if is_truth and not ex.picks_members(one) and _is_offered(cons, kb, learned):
                return cons
    return node


def _is_offered(program: ex.Cons, kb: KnowledgeBase, learned: Learned | None) -> bool:
    """Whether CONS can have this constant; assumed of a relation nobody knows."""
    number = kb.schema.relation_ids.get(program.relation.iri)
    if number is None:
        return True
    if program.relation.inverse or kb.schema.relations[number].hidden:
        return False
    term = program.constant.literal if isinstance(program.constant, ex.Value) else program.constant.term
    return has_constants(number, kb) or (
        learned is not None and (program.relation.iri, term) in learned.constants
    )


def _is_dated(argument: ex.Expression, relation: ex.Relation, kb: KnowledgeBase) -> bool:
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
