"""The order in which programs are built, and programs of equal meaning that can be built."""

from __future__ import annotations

from collections.abc import Mapping, Set

from arcaneqa.induction.learned import Learned, has_constants
from arcaneqa.kb.interface import KnowledgeBase, Step
from arcaneqa.kb.schema import ValueKind
from arcaneqa.kb.values import kind_of
from arcaneqa.language import expression as ex
from arcaneqa.language.rewrite import chain, conjunction, leaves, rewrite
from arcaneqa.language.run import execute
from arcaneqa.support.errors import ArcaneError

# The order in which a program is built: one sequence for all ways of writing what has no order.


MOST_BRANCH_JOINS = 2
"""JOINs of a branch while another waits; a comparative counts as one."""
BuildingRanks = Mapping[ex.Expression, int]


def arranged(program: ex.Expression, ranks: BuildingRanks) -> ex.Expression:
    """An equal program in building order; `ranks` numbers the topics."""

    def change(node: ex.Expression) -> ex.Expression:
        match node:
            case ex.And():
                return conjunction(leaves(node, ex.And), lambda part: _priority(part, ranks))
            case ex.Or():
                return chain(sorted(leaves(node, ex.Or), key=lambda part: _side(part, ranks)), ex.Or)
            case ex.Meet(left, right):
                return ex.Meet(*sorted((left, right), key=lambda part: _side(part, ranks)))
            case _:
                return node

    return rewrite(program, change)


def _side(part: ex.Expression, ranks: BuildingRanks) -> tuple[int, tuple[int, int, int, str]]:
    late = 2 if isinstance(part, ex.Class) else 1 if isinstance(part, ex.Entity | ex.Value) else 0
    return late, _priority(part, ranks)


def _priority(conjunct: ex.Expression, ranks: BuildingRanks) -> tuple[int, int, int, str]:
    nodes = list(ex.post_order(conjunct))
    first = min((ranks[node] for node in nodes if node in ranks), default=len(ranks))
    steps = [node for node in nodes if not isinstance(node, ex.Entity | ex.Value | ex.Class)]
    return _ease(conjunct), -len(steps), first, repr(conjunct)


def is_plain(branch: ex.Expression) -> bool:
    """Whether a branch can grow while another waits."""
    return _ease(branch) == 2


def _ease(branch: ex.Expression) -> int:
    """0: nothing may wait; 1: it can be built inside a function; 2: while another branch waits."""
    joins, ease = 0, 2
    for node in ex.post_order(branch):
        match node:
            case ex.And(_, right) if ex.picks_members(right):
                return 0
            case ex.And(left, right) if not isinstance(left, ex.Class) and not isinstance(right, ex.Class):
                ease = 1
            case (
                ex.And()
                | ex.Cons()
                | ex.During()
                | ex.Entity()
                | ex.Value()
                | ex.Class()
                | ex.Has()
                | ex.Like()
                | ex.Named()
            ):
                pass
            case ex.Join(_, ex.Class()):
                return 0
            case ex.Join() | ex.Compare(_, ex.Relation(), ex.Value()):
                joins += 1
            case _:
                return 0
    return ease if joins <= MOST_BRANCH_JOINS else min(ease, 1)


# Programs as induction can build them: equal in meaning on this knowledge base, from what is at
# hand.


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
