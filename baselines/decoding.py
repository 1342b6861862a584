"""Decoding token by token where the facts have no say: a program is put together and tried at the end.

What may come next is for a `Constraint` to say: any token of the question's vocabulary (`vocabulary.py`), or
what the schema lets pass (`typed.py`). A beam's programs are tried in the order of their scores, and the
first with an answer is taken, as the authors of such methods do.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Protocol

from arcaneqa.induction.found import Considered, Found, SearchOutcome, Trace
from arcaneqa.induction.scorer import Decision, Scorer
from arcaneqa.induction.topics import Topics
from arcaneqa.induction.vocabulary import Options, Token
from arcaneqa.kb.interface import KnowledgeBase
from arcaneqa.language.expression import Class, Denotation, Entity, Expression, Now, Relation, Value, denotes
from arcaneqa.language.run import Budget, Result, execute
from arcaneqa.language.steps import Function, Steps, Subprogram, Symbol, Variable, from_steps
from arcaneqa.support.errors import ArcaneError
from baselines.ranking import Searching

BEAM = 5
LONGEST = 40
_BUDGET = Budget(seconds=5.0)


class Constraint(Protocol):
    """What may follow the tokens so far."""

    def options(self, question: str, topics: Topics, tokens: tuple[Token, ...]) -> Options: ...

    def context(self, question: str, topics: Topics) -> str:
        """What the encoder reads beside the question."""
        ...


class Fate(StrEnum):
    """What becomes of the program that a method likes best."""

    FINE = "fine"
    EMPTY = "empty"
    ILL_FORMED = "not executable"
    NONE = "none"


@dataclass(frozen=True, slots=True)
class _Growing:
    tokens: tuple[Token, ...] = ()
    score: float = 0.0
    state: object | None = None
    choice: int | None = None
    steps: tuple[Considered, ...] = ()


def assembled(tokens: Sequence[Token], topics: Topics) -> Expression | None:
    """The program that a sequence of tokens spells; None where it spells none."""
    terms = tuple(topic.term for topic in topics.items)
    subprograms, part = [], list[Token]()
    for token in tokens:
        if token is Symbol.OPEN:
            part = []
        elif token is Symbol.CLOSE:
            function, arguments = (part[0], part[1:]) if part else (None, [])
            plain = [
                one
                for one in arguments
                if isinstance(one, Variable | Relation | Class | Entity | Value | Now)
            ]
            if not isinstance(function, Function) or len(plain) < len(arguments):
                return None
            subprograms.append(Subprogram(function, tuple(plain)))
            part = []
        else:
            part.append(token)
    try:
        return from_steps(Steps(terms, tuple(subprograms)))
    except ArcaneError:
        return None


def tried(program: Expression | None, kb: KnowledgeBase) -> tuple[Fate, Result | None]:
    if program is None:
        return Fate.ILL_FORMED, None
    try:
        result = execute(program, kb, _BUDGET)
    except ArcaneError:
        return Fate.ILL_FORMED, None
    counts_none = denotes(program) is Denotation.NUMBER and not result.nodes
    is_empty = counts_none or (denotes(program) is Denotation.SET and not result.nodes)
    return (Fate.EMPTY, result) if is_empty else (Fate.FINE, result)


@dataclass
class DecodingSearch(Searching):
    """`fate` is what became of the last question's likeliest program."""

    kb: KnowledgeBase
    constraint: Constraint
    scorer: Scorer
    beam: int = BEAM
    fate: Fate = field(default=Fate.NONE, init=False)

    def run(self, question: str, hypotheses: Sequence[Topics], seconds: float | None = None) -> SearchOutcome:
        (topics,) = hypotheses
        deadline = None if seconds is None else time.monotonic() + seconds
        done = self._decoded(question, topics, deadline)
        self.fate = Fate.NONE
        found = []
        for rank, one in enumerate(done):
            program = assembled(one.tokens[:-1], topics)
            fate, result = tried(program, self.kb)
            if rank == 0:
                self.fate = fate
            if fate is Fate.FINE and program is not None and result is not None:
                found.append(Found(program, one.score, result, (), Trace(topics.words, one.steps)))
        return SearchOutcome(tuple(found), True)

    def _decoded(self, question: str, topics: Topics, deadline: float | None) -> list[_Growing]:
        live, done = [_Growing()], list[_Growing]()
        context = self.constraint.context(question, topics)
        for _ in range(LONGEST):
            if not live or len(done) >= self.beam or (deadline is not None and time.monotonic() > deadline):
                break
            asked = [(one, self.constraint.options(question, topics, one.tokens)) for one in live]
            asked = [(one, options) for one, options in asked if len(options)]
            if not asked:
                break
            scores = self.scorer.score(
                [
                    Decision(question, topics.words, options.candidates, context, one.state, one.choice)
                    for one, options in asked
                ]
            )
            longer: list[_Growing] = []
            for (one, options), scored in zip(asked, scores, strict=True):
                for place in (-scored.log_probs).argsort(kind="stable")[: self.beam].tolist():
                    step = Considered(context, options.candidates, scored.log_probs, place)
                    longer.append(
                        _Growing(
                            (*one.tokens, options.tokens[place]),
                            one.score + float(scored.log_probs[place]),
                            scored.state,
                            place,
                            (*one.steps, step),
                        )
                    )
            longer.sort(key=lambda one: -one.score)
            best = longer[: self.beam]
            done += [one for one in best if one.tokens[-1] is Symbol.END]
            live = [one for one in best if one.tokens[-1] is not Symbol.END]
        return sorted(done, key=lambda one: -one.score)
