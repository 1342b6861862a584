"""Training targets: every decision of a gold program with its exact admissible set.

A gold token that is not admissible is never forced in: the program is left out, with the reason.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import islice, product

from arcaneqa.induction.buildable import buildable, without_class_joins
from arcaneqa.induction.building_order import arranged
from arcaneqa.induction.induction import Induction
from arcaneqa.induction.linear import Linear
from arcaneqa.induction.scorer import Candidate
from arcaneqa.induction.state import MOST_SUBPROGRAMS
from arcaneqa.induction.tokens import Form, Token
from arcaneqa.induction.topics import Topics, is_same, terms_of
from arcaneqa.program.execute import Result
from arcaneqa.program.expression import Class, Entity, Expression, Relation, Value
from arcaneqa.program.steps import Function, Symbol, Variable


class Reason(StrEnum):
    """Why a gold program has no targets; the token meant is the one that was not admissible."""

    NO_STEPS = "no function"
    TOO_LONG = "more subprograms than allowed"
    SHARED = "a subprogram or topic is used twice"
    UNLINKED = "a topic of the program is not among those given"
    FUNCTION = "function"
    VARIABLE = "variable"
    RELATION = "relation"
    CLASS = "class"
    CONSTANT = "constant"
    SYMBOL = "symbol"


@dataclass(frozen=True, slots=True)
class TargetStep:
    candidates: Sequence[Candidate]
    gold: int
    context: str


@dataclass(frozen=True, slots=True)
class Target:
    """The decisions of one program, forced ones included, and what it denotes."""

    question: str
    topics: Topics
    steps: tuple[TargetStep, ...]
    tokens: tuple[Token, ...]
    result: Result


@dataclass(frozen=True, slots=True)
class Inadmissible:
    """The step and token at which a gold program leaves the admissible sets."""

    reason: Reason
    step: int = 0
    token: Token | None = None


def targets(
    induction: Induction, question: str, program: Expression, topics: Topics
) -> Target | Inadmissible:
    given = buildable(program, induction.kb, induction.vocabulary.learned)
    found = _walked(induction, question, given, topics)
    if isinstance(found, Inadmissible):
        other = without_class_joins(given, induction.kb)
        again = found if other == given else _walked(induction, question, other, topics)
        found = found if isinstance(again, Inadmissible) else again
    return found


def _walked(
    induction: Induction, question: str, program: Expression, topics: Topics
) -> Target | Inadmissible:
    planned = plan(program, topics)
    if isinstance(planned, Inadmissible):
        return planned
    machine = induction.machine()
    state = machine.start(topics)
    steps: list[TargetStep] = []
    for number, token in enumerate(planned):
        options = machine.options(state)
        try:
            gold = options.tokens.index(token)
        except ValueError:
            return Inadmissible(_reason(token), number, token)
        steps.append(TargetStep(options.candidates, gold, machine.context(state)))
        state = machine.advance(state, token)
    assert state.top is not None
    return Target(question, topics, tuple(steps), planned, state.top.meaning.result)


def plan(program: Expression, topics: Topics) -> tuple[Token, ...] | Inadmissible:
    """The decisions that build a program, in induction's order."""
    wanted = terms_of(program)
    numbers = _assigned(wanted, topics)
    if numbers is None:
        return Inadmissible(Reason.UNLINKED)
    if isinstance(program, Entity | Value):
        return Inadmissible(Reason.NO_STEPS)
    ranks: dict[Expression, int] = dict(zip(wanted, numbers, strict=True))
    linear = Linear(ranks, len(topics.items))
    linear.write(arranged(program, ranks))
    if linear.subprograms > MOST_SUBPROGRAMS:
        return Inadmissible(Reason.TOO_LONG)
    used = [token.index for token in linear.tokens if isinstance(token, Variable)]
    if len(set(used)) < len(used):
        return Inadmissible(Reason.SHARED)
    return tuple(linear.tokens)


def _assigned(wanted: Sequence[Entity | Value], topics: Topics) -> Sequence[int] | None:
    """The variables of the terms: a term may be linked several times, and then those that go together."""
    places = [[i for i, topic in enumerate(topics.items) if is_same(topic.term, term)] for term in wanted]
    if not all(places):
        return None

    def go_together(numbers: Sequence[int]) -> bool:
        masks = [topics.excluded_by[number] for number in numbers]
        return all(
            not masks[a] >> numbers[b] & 1 for a in range(len(numbers)) for b in range(len(numbers)) if a != b
        )

    choices = islice(product(*places), 1000)
    return next(filter(go_together, choices), [place[0] for place in places])


def _reason(token: Token) -> Reason:
    match token:
        case Symbol():
            return Reason.SYMBOL
        case Function() | Form():
            return Reason.FUNCTION
        case Variable():
            return Reason.VARIABLE
        case Relation():
            return Reason.RELATION
        case Class():
            return Reason.CLASS
        case _:
            return Reason.CONSTANT
