"""Training targets: every decision of a gold program with its exact admissible set.

A gold token that is not admissible is never forced in: the program is left out, with the reason.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from itertools import islice, product

from arcaneqa.errors import ProgramError
from arcaneqa.induction.grammar import MOST_SUBPROGRAMS
from arcaneqa.induction.induction import Induction
from arcaneqa.induction.order import arranged
from arcaneqa.induction.rewriting import buildable
from arcaneqa.induction.scorer import Candidate
from arcaneqa.induction.topics import Topics, is_same, terms_of
from arcaneqa.kb.interface import NodeSet
from arcaneqa.program.expression import Class, Entity, Expression, Relation, Value
from arcaneqa.program.steps import Argument, Function, Steps, Symbol, Token, Variable, to_steps


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
    nodes: NodeSet
    number: int | None


@dataclass(frozen=True, slots=True)
class Inadmissible:
    """The step and token at which a gold program leaves the admissible sets."""

    reason: Reason
    step: int = 0
    token: Token | None = None


def targets(
    induction: Induction, question: str, program: Expression, topics: Topics
) -> Target | Inadmissible:
    planned = plan(buildable(program, induction.kb, induction.vocabulary.learned), topics)
    if isinstance(planned, Inadmissible):
        return planned
    machine = induction.machine()
    state = machine.start(topics)
    steps: list[TargetStep] = []
    tokens = tuple(planned.tokens())
    for number, token in enumerate(tokens):
        options = machine.options(state)
        try:
            gold = options.tokens.index(token)
        except ValueError:
            return Inadmissible(_reason(token), number, token)
        steps.append(TargetStep(options.candidates, gold, machine.context(state)))
        state = machine.advance(state, token)
    assert state.top is not None
    meaning = state.top.meaning
    return Target(question, topics, tuple(steps), tokens, meaning.nodes, meaning.number)


def plan(program: Expression, topics: Topics) -> Steps | Inadmissible:
    """The subprograms of a program in the order in which induction builds it."""
    wanted = terms_of(program)
    numbers = _assigned(wanted, topics)
    if numbers is None:
        return Inadmissible(Reason.UNLINKED)
    ranks: dict[Expression, int] = dict(zip(wanted, numbers, strict=True))
    try:
        found = to_steps(arranged(program, ranks), wanted)
    except ProgramError:
        return Inadmissible(Reason.NO_STEPS)
    if len(found.subprograms) > MOST_SUBPROGRAMS:
        return Inadmissible(Reason.TOO_LONG)
    used = [token for token in found.tokens() if isinstance(token, Variable)]
    if len(set(used)) < len(used):
        return Inadmissible(Reason.SHARED)
    return _renumbered(found, numbers, topics)


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


def _renumbered(steps: Steps, numbers: Sequence[int], topics: Topics) -> Steps:
    """The same steps with the variables of these topics, unused ones included."""
    shift = len(topics.items) - len(numbers)

    def variable(token: Argument) -> Argument:
        if not isinstance(token, Variable):
            return token
        own = token.index < len(numbers)
        return Variable(numbers[token.index] if own else token.index + shift)

    return Steps(
        tuple(topic.term for topic in topics.items),
        tuple(replace(sub, arguments=tuple(map(variable, sub.arguments))) for sub in steps.subprograms),
    )


def _reason(token: Token) -> Reason:
    match token:
        case Symbol():
            return Reason.SYMBOL
        case Function():
            return Reason.FUNCTION
        case Variable():
            return Reason.VARIABLE
        case Relation():
            return Reason.RELATION
        case Class():
            return Reason.CLASS
        case _:
            return Reason.CONSTANT
