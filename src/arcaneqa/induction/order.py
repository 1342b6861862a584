"""The order in which a program is built: one sequence for all ways of writing its conjunctions.

Induction keeps one branch waiting while another grows, and the growing one is short and plain. So among the
conjuncts of an AND the one that needs more (a superlative, a conjunction inside, a long chain) comes first;
among equals, the one whose topic the question names first. Classes come last, as in GrailQA's programs.
"""

from __future__ import annotations

from collections.abc import Mapping

from arcaneqa.induction.grammar import MOST_BRANCH_JOINS
from arcaneqa.program.expression import (
    And,
    Class,
    Compare,
    Cons,
    Count,
    During,
    Entity,
    Expression,
    Extreme,
    Join,
    Value,
    post_order,
)


def arranged(program: Expression, ranks: Mapping[Expression, int]) -> Expression:
    """An equal program whose conjunctions are in building order; `ranks` numbers the topics."""
    match program:
        case Join(relation, argument):
            return Join(relation, arranged(argument, ranks))
        case Extreme(direction, argument, path):
            return Extreme(direction, arranged(argument, ranks), path)
        case Count(argument):
            return Count(arranged(argument, ranks))
        case Cons(argument, relation, constant):
            return Cons(arranged(argument, ranks), relation, constant)
        case During(argument, relation, when):
            return During(arranged(argument, ranks), relation, when)
        case And():
            return _conjunction(program, ranks)
        case _:
            return program


def _conjunction(program: And, ranks: Mapping[Expression, int]) -> Expression:
    found: dict[Expression, None] = {}
    stack: list[Expression] = [program]
    while stack:
        node = stack.pop()
        if isinstance(node, And):
            stack += [node.right, node.left]
        else:
            found[arranged(node, ranks)] = None
    sets = sorted((c for c in found if not isinstance(c, Class)), key=lambda c: _priority(c, ranks))
    classes = sorted((c for c in found if isinstance(c, Class)), key=lambda c: c.iri)
    result, rest = (sets[0], sets[1:]) if sets else (classes.pop(), [])
    for conjunct in rest:
        result = And(result, conjunct)
    for klass in classes:
        result = And(klass, result)
    return result


def _priority(conjunct: Expression, ranks: Mapping[Expression, int]) -> tuple[bool, int, int, str]:
    nodes = list(post_order(conjunct))
    first = min((ranks[node] for node in nodes if node in ranks), default=len(ranks))
    steps = [node for node in nodes if not isinstance(node, Entity | Value | Class)]
    return is_plain(conjunct), -len(steps), first, repr(conjunct)


def is_plain(branch: Expression) -> bool:
    """Whether a branch can grow while another waits."""
    joins = 0
    for node in post_order(branch):
        match node:
            case Extreme() | Count():
                return False
            case And(left, right) if not isinstance(left, Class) and not isinstance(right, Class):
                return False
            case Join(_, Class()):
                return False
            case Join() | Compare():
                joins += 1
    return joins <= MOST_BRANCH_JOINS
