"""A program as the sequence of subprograms that builds it, and back without loss.

Variables are numbered from 0: first the topics (entities and literals a question names), then each
subprogram in turn. A subprogram is flat: its arguments are variables or names. The variable it grows
from comes first, so `(JOIN r #0)` is the step `( JOIN #0 r )` and `(AND c #1)` the step `( AND #1 c )`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum

from arcaneqa.errors import ProgramError
from arcaneqa.kb.interface import Comparison
from arcaneqa.program.expression import (
    And,
    Class,
    Compare,
    Cons,
    Count,
    Direction,
    During,
    Entity,
    Expression,
    Extreme,
    Join,
    Now,
    Relation,
    Value,
    post_order,
)


class Function(StrEnum):
    JOIN = "JOIN"
    AND = "AND"
    ARGMAX = "ARGMAX"
    ARGMIN = "ARGMIN"
    LT = "LT"
    LE = "LE"
    GT = "GT"
    GE = "GE"
    COUNT = "COUNT"
    CONS = "CONS"
    TC = "TC"


class Symbol(StrEnum):
    OPEN = "("
    CLOSE = ")"
    END = "END"


@dataclass(frozen=True, slots=True)
class Variable:
    """The topic or the result of the subprogram with this number."""

    index: int


Topic = Entity | Value
Argument = Variable | Relation | Class | Entity | Value | Now
Token = Symbol | Function | Argument


@dataclass(frozen=True, slots=True)
class Subprogram:
    """One function over variables and names.

    | function | arguments |
    |---|---|
    | JOIN | set, relation |
    | AND | set, set or class |
    | ARGMAX, ARGMIN | set, relation, … (the path from the set outwards) |
    | LT, LE, GT, GE | literal, relation |
    | COUNT | set |
    | CONS | set, relation, entity or literal named right there |
    | TC | set, relation, literal or NOW |

    A set is a variable or a class; a literal of a comparison or TC is a variable, since it is a topic.
    """

    function: Function
    arguments: tuple[Argument, ...]


@dataclass(frozen=True, slots=True)
class Steps:
    """Topics and subprograms; the last subprogram is the program's result."""

    topics: tuple[Topic, ...]
    subprograms: tuple[Subprogram, ...]

    def tokens(self) -> Iterator[Token]:
        for subprogram in self.subprograms:
            yield Symbol.OPEN
            yield subprogram.function
            yield from subprogram.arguments
            yield Symbol.CLOSE
        yield Symbol.END


def to_steps(program: Expression, topics: Sequence[Topic] | None = None) -> Steps:
    """The subprograms of a program in post-order, equal ones once.

    `topics` are the first variables, in the caller's order (unused ones are welcome); left out, they
    are the program's own in order of appearance. Programs equal but for the order of AND have
    different sequences: `canonical` picks one of them.
    """
    order = list(post_order(program))
    if isinstance(program, Entity | Value | Class):
        raise ProgramError("a single name has no steps; a program needs at least one function")
    own = dict.fromkeys(node for node in order if isinstance(node, Entity | Value))
    given = tuple(own if topics is None else dict.fromkeys(topics))
    if missing := [topic for topic in own if topic not in given]:
        raise ProgramError(f"the program uses {missing[0]}, which is not among the topics given")
    numbers: dict[Expression, int] = {topic: index for index, topic in enumerate(given)}
    subprograms = []
    for node in order:
        if not isinstance(node, Class) and node not in numbers:
            subprograms.append(_step(node, numbers))
            numbers[node] = len(numbers)
    return Steps(given, tuple(subprograms))


def from_steps(steps: Steps) -> Expression:
    """The program a sequence of subprograms builds; variables that lead nowhere are ignored."""
    variables: list[Expression] = list(steps.topics)
    if not steps.subprograms:
        raise ProgramError("a sequence without subprograms is no program")
    for subprogram in steps.subprograms:
        variables.append(expand(subprogram, variables))
    return variables[-1]


def expand(subprogram: Subprogram, variables: Sequence[Expression]) -> Expression:
    """The program of one subprogram, given those of the variables before it."""

    def argument(token: Argument) -> Expression:
        if isinstance(token, Variable):
            if not 0 <= token.index < len(variables):
                raise ProgramError(f"#{token.index} is used before it is computed")
            return variables[token.index]
        if isinstance(token, Relation | Now):
            raise ProgramError(f"{subprogram.function} cannot take {token} there")
        return token

    function, arguments = subprogram.function, subprogram.arguments
    match function, arguments:
        case Function.JOIN, (source, Relation() as relation):
            return Join(relation, argument(source))
        case Function.AND, (right, left):
            return And(argument(left), argument(right))
        case ((Function.ARGMAX | Function.ARGMIN), (source, *path)) if path:
            relations = tuple(step for step in path if isinstance(step, Relation))
            if len(relations) == len(path):
                return Extreme(Direction(function.value), argument(source), relations)
        case ((Function.LT | Function.LE | Function.GT | Function.GE), (source, Relation() as relation)):
            value = argument(source)
            if isinstance(value, Value):
                return Compare(Comparison(function.value), relation, value)
        case Function.COUNT, (source,):
            return Count(argument(source))
        case Function.CONS, (source, Relation() as relation, (Entity() | Value()) as constant):
            return Cons(argument(source), relation, constant)
        case Function.TC, (source, Relation() as relation, when):
            moment = when if isinstance(when, Now) else argument(when)
            if isinstance(moment, Value | Now):
                return During(argument(source), relation, moment)
    raise ProgramError(f"{function} cannot take the arguments {arguments}")


def _step(node: Expression, numbers: dict[Expression, int]) -> Subprogram:
    def source(argument: Expression) -> Argument:
        return argument if isinstance(argument, Class) else Variable(numbers[argument])

    match node:
        case Join(relation, argument):
            return Subprogram(Function.JOIN, (source(argument), relation))
        case And(left, right):
            return Subprogram(Function.AND, (source(right), source(left)))
        case Extreme(direction, argument, path):
            return Subprogram(Function(direction.value), (source(argument), *path))
        case Compare(comparison, relation, value):
            return Subprogram(Function(comparison.value), (source(value), relation))
        case Count(argument):
            return Subprogram(Function.COUNT, (source(argument),))
        case Cons(argument, relation, constant):
            return Subprogram(Function.CONS, (source(argument), relation, constant))
        case During(argument, relation, when):
            moment: Argument = when if isinstance(when, Now) else source(when)
            return Subprogram(Function.TC, (source(argument), relation, moment))
    raise AssertionError(f"{node} is a topic or a class, never a step")


def canonical(program: Expression, topics: Sequence[Topic] | None = None) -> Expression:
    """The one program among those equal but for the order, nesting and repeats of AND.

    A class comes last, on the left, as GrailQA writes it; sets come in the order in which the
    question names their first topic, shorter ones first.
    """
    ranks: dict[Expression, int] = {}
    own = (node for node in post_order(program) if isinstance(node, Entity | Value))
    for topic in dict.fromkeys([*(topics or ()), *own]):
        ranks[topic] = len(ranks)
    done: dict[Expression, Expression] = {}
    for node in post_order(program):
        if node not in done:
            done[node] = (
                _ordered(_rebuilt(node, done), ranks) if isinstance(node, And) else _rebuilt(node, done)
            )
    return done[program]


def _rebuilt(node: Expression, done: dict[Expression, Expression]) -> Expression:
    match node:
        case Join(relation, argument):
            return Join(relation, done[argument])
        case And(left, right):
            return And(done[left], done[right])
        case Extreme(direction, argument, path):
            return Extreme(direction, done[argument], path)
        case Count(argument):
            return Count(done[argument])
        case Cons(argument, relation, constant):
            return Cons(done[argument], relation, constant)
        case During(argument, relation, when):
            return During(done[argument], relation, when)
        case _:
            return node


def _ordered(conjunction: Expression, ranks: dict[Expression, int]) -> Expression:
    """Both sides are ordered already, so their conjuncts are the leaves of two chains."""
    conjuncts: dict[Expression, None] = {}
    stack = [conjunction]
    while stack:
        node = stack.pop()
        if isinstance(node, And):
            stack += [node.right, node.left]
        else:
            conjuncts[node] = None

    def key(conjunct: Expression) -> tuple[int, int, str]:
        nodes = list(post_order(conjunct))
        first = min((ranks[node] for node in nodes if node in ranks), default=len(ranks))
        return first, len(nodes), repr(conjunct)

    sets = sorted((c for c in conjuncts if not isinstance(c, Class)), key=key)
    classes = sorted((c for c in conjuncts if isinstance(c, Class)), key=lambda c: c.iri, reverse=True)
    result = sets[0] if sets else classes.pop(0)
    for conjunct in sets[1:]:
        result = And(result, conjunct)
    for klass in classes:
        result = And(klass, result)
    return result
