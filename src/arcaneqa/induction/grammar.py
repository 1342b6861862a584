"""What is well formed: the state of a program in the making, and what a token does to it.

A program is built bottom-up, one flat subprogram after the other; each becomes a variable. At most one
earlier variable waits while a newer branch grows, and AND joins the two:

    ( JOIN #0 r ) ( JOIN #1 s ) ( AND #3 #2 ) END

Every variable is used once. So after END the last subprogram has taken in all the others. With one waiting
branch every program of eight subprograms can be built if its harder branch comes first (`order`).
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from arcaneqa.induction.meaning import Meaning, Meanings
from arcaneqa.induction.topics import Topics
from arcaneqa.induction.wording import FUNCTION_WORDS, class_words, relation_words
from arcaneqa.kb.interface import Comparison, Step
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
)
from arcaneqa.program.steps import Function, Symbol, Token, Variable

MOST_SUBPROGRAMS = 8
MOST_BRANCH_JOINS = 2
"""JOINs of a branch while another waits; a comparative counts as one."""

COMPARATIVES = frozenset((Function.LT, Function.LE, Function.GT, Function.GE))
SUPERLATIVES = frozenset((Function.ARGMAX, Function.ARGMIN))


@dataclass(frozen=True, slots=True)
class Known:
    """A variable, or a class that stands for one: its meaning, its program and its words."""

    index: int | None
    meaning: Meaning
    expression: Expression
    words: str


@dataclass(frozen=True, slots=True)
class State:
    """A decoding history, reduced to what the next tokens depend on.

    `excluded` is a bit mask of topics no longer available, `joins` counts the JOINs of the branch that
    grows while another waits, `rest` are the arguments of the open subprogram after its source.
    """

    topics: Topics
    excluded: int = 0
    closed: int = 0
    top: Known | None = None
    waiting: Known | None = None
    joins: int = 0
    is_open: bool = False
    function: Function | None = None
    source: Known | None = None
    rest: tuple[Token, ...] = ()
    is_complete: bool = False
    prior: float = 0.0

    @property
    def left(self) -> int:
        """Subprograms that may follow the open or next one."""
        return MOST_SUBPROGRAMS - self.closed - 1


class Grammar:
    """Applies tokens to states; what may be applied is for `admissible` to say."""

    def __init__(self, meanings: Meanings) -> None:
        self.meanings = meanings
        self._schema = meanings.kb.schema

    def topic(self, state: State, index: int) -> Known:
        topic = state.topics.items[index]
        return Known(index, self.meanings.topic(topic.term), topic.term, topic.words.text)

    def advance(self, state: State, token: Token) -> State:
        match token:
            case Symbol.OPEN:
                return replace(state, is_open=True)
            case Symbol.CLOSE:
                return self._closed(state)
            case Symbol.END:
                return replace(state, is_complete=True)
            case Function():
                return replace(state, function=token)
        if state.source is not None:
            return self._argument(state, token)
        if isinstance(token, Variable):
            return self._source(state, token.index)
        assert isinstance(token, Class)
        klass = self._schema.class_ids[token.iri]
        words = class_words(self._schema.classes[klass])
        return replace(state, source=Known(None, self.meanings.members(klass), token, words))

    def context(self, state: State) -> str:
        """The program so far in a few words."""
        parts = [known.words for known in (state.waiting, state.top) if known is not None]
        if state.function is not None:
            parts.append(FUNCTION_WORDS[state.function])
            if state.source is not None and state.source is not state.top:
                parts.append(state.source.words)
            parts += [self.label(token) for token in state.rest if isinstance(token, Relation)]
        return " ; ".join(parts)

    def _source(self, state: State, index: int) -> State:
        if state.top is not None and state.top.index == index:
            return replace(state, source=state.top)
        return replace(self._taking(state, index), source=self.topic(state, index))

    def _taking(self, state: State, index: int) -> State:
        excluded = state.excluded | state.topics.excluded_by[index]
        return replace(state, excluded=excluded, prior=state.prior + state.topics.items[index].prior)

    def _argument(self, state: State, token: Token) -> State:
        if state.function is Function.TC and isinstance(token, Variable):
            state = self._taking(state, token.index)
        return replace(state, rest=(*state.rest, token))

    def _closed(self, state: State) -> State:
        function, source = state.function, state.source
        assert function is not None
        assert source is not None
        meaning, expression, words = self._result(state, function, source)
        result = Known(len(state.topics.items) + state.closed, meaning, expression, words)
        starts_branch = state.top is not None and source is not state.top
        merges = function is Function.AND and isinstance(state.rest[0], Variable)
        waiting = state.top if starts_branch else None if merges else state.waiting
        steps = function is Function.JOIN or function in COMPARATIVES
        joins = 0 if waiting is None else (0 if starts_branch else state.joins) + steps
        return State(
            state.topics,
            excluded=state.excluded,
            closed=state.closed + 1,
            top=result,
            waiting=waiting,
            joins=joins,
            prior=state.prior,
        )

    def _result(self, state: State, function: Function, source: Known) -> tuple[Meaning, Expression, str]:
        meanings, meaning, inner = self.meanings, source.meaning, source.expression
        rest = state.rest
        match function, rest:
            case Function.JOIN, (Relation() as relation,):
                found = meanings.join(meaning, self.walk(relation))
                return found, Join(relation, inner), _join_words(self.label(relation), relation, source.words)
            case Function.AND, (Class() as klass,):
                words = f"{class_words(self._schema.classes[self._class(klass)])} {source.words}"
                return meanings.both(meaning, meanings.members(self._class(klass))), And(klass, inner), words
            case Function.AND, (Variable(),):
                waiting = state.waiting
                assert waiting is not None
                words = f"{waiting.words} and {source.words}"
                return meanings.both(meaning, waiting.meaning), And(waiting.expression, inner), words
            case Function.COUNT, ():
                return meanings.count(meaning), Count(inner), f"how many {source.words}"
            case Function.CONS, (Relation() as relation, (Entity() | Value()) as constant):
                found = meanings.constant(meaning, self.relation(relation), constant)
                words = f"{source.words} with {self.label(relation)}"
                return found, Cons(inner, relation, constant), words
            case Function.TC, (Relation() as relation, when):
                moment = self._moment(state, when)
                words = f"{source.words} at {_moment_words(moment)}"
                return (
                    meanings.during(meaning, self.relation(relation), moment),
                    During(inner, relation, moment),
                    words,
                )
        path = tuple(token for token in rest if isinstance(token, Relation))
        if function in SUPERLATIVES:
            steps = tuple(self.step(relation) for relation in path)
            direction = Direction(function.value)
            found = meanings.extreme(meaning, steps, direction is Direction.LARGEST)
            names = " ".join(self.label(relation) for relation in path)
            return (
                found,
                Extreme(direction, inner, path),
                f"{source.words} with {FUNCTION_WORDS[function]} {names}",
            )
        comparison, value = Comparison(function.value), inner
        assert isinstance(value, Value)
        found = meanings.compare(comparison, self.relation(path[0]), value.literal)
        words = f"{self.label(path[0])} {FUNCTION_WORDS[function]} {source.words}"
        return found, Compare(comparison, path[0], value), words

    def _moment(self, state: State, token: Token) -> Value | Now:
        if isinstance(token, Now):
            return token
        assert isinstance(token, Variable)
        value = state.topics.items[token.index].term
        assert isinstance(value, Value)
        return value

    def relation(self, relation: Relation) -> int:
        return self._schema.relation_ids[relation.iri]

    def _class(self, klass: Class) -> int:
        return self._schema.class_ids[klass.iri]

    def label(self, relation: Relation) -> str:
        return relation_words(self._schema.relations[self.relation(relation)])

    def walk(self, relation: Relation) -> Step:
        """JOIN reads a plain relation from objects to subjects."""
        return Step(self.relation(relation), not relation.inverse)

    def step(self, relation: Relation) -> Step:
        """Everywhere else a plain relation leads from subjects to objects."""
        return Step(self.relation(relation), relation.inverse)


def _join_words(label: str, relation: Relation, source: str) -> str:
    return f"{label} of {source}" if relation.inverse else f"whose {label} is {source}"


def _moment_words(moment: Value | Now) -> str:
    return "now" if isinstance(moment, Now) else moment.literal.lexical
