"""What the expansion rules share: what is well formed, and what a growing branch must come to meet."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable, Iterable, Iterator
from dataclasses import dataclass

from arcaneqa.induction import vocabulary
from arcaneqa.induction.building import MOST_BRANCH_JOINS
from arcaneqa.induction.meaning import Meaning, Meanings
from arcaneqa.induction.paths import Paths, Starts
from arcaneqa.induction.results import Known, Partial, Results
from arcaneqa.induction.scorer import Candidate, TokenKind
from arcaneqa.induction.topics import Topics
from arcaneqa.induction.vocabulary import (
    COMPARATIVES,
    FUNCTION_WORDS,
    NOTHING,
    Chosen,
    DecisionForm,
    Options,
    Token,
    Vocabulary,
)
from arcaneqa.kb.interface import NodeSet, Step
from arcaneqa.language.expression import Class, Relation
from arcaneqa.language.steps import Function, Symbol, Variable

# What is well formed: what a token does to the state of a program in the making.


class Grammar:
    """Applies tokens to states; what may be applied is for `admissible` to say."""

    def __init__(self, meanings: Meanings) -> None:
        self.meanings = meanings
        self.results = Results(meanings)
        self._topics: dict[tuple[int, int], tuple[Topics, Known]] = {}

    def topic(self, state: Partial, index: int) -> Known:
        """Every rule asks for every topic at every step, so each is made once; its topics are kept beside it,
        so their id stays their own."""
        key = (id(state.topics), index)
        if (found := self._topics.get(key)) is None:
            topic = state.topics.items[index]
            known = Known(index, self.meanings.topic(topic.term), topic.term, topic.words.text)
            found = self._topics[key] = (state.topics, known)
        return found[1]

    def advance(self, state: Partial, token: Token) -> Partial:
        match token:
            case Symbol.OPEN:
                return self._opened(state)
            case Symbol.CLOSE:
                return self._closed(state)
            case Symbol.END:
                return state._replace(is_complete=True)
        if not state.is_open:
            return self._handed_over(state)
        if state.function is None:
            assert isinstance(token, Function | DecisionForm)
            return state._replace(function=token)
        if state.source is not None or isinstance(token, Relation):
            return self._argument(state, token)
        if isinstance(token, Variable):
            return self._source(state, token.index)
        assert isinstance(token, Class)
        return state._replace(source=self.results.known_class(token))

    def context(self, state: Partial) -> str:
        """The program so far in a few words."""
        parts = [] if state.outer is None else [self.context(state.outer)]
        parts += [known.words for known in (state.waiting, state.top) if known is not None]
        if state.function is not None:
            parts.append(FUNCTION_WORDS[state.function])
            if state.source is not None and state.source is not state.top:
                parts.append(state.source.words)
            parts += [words for token in state.rest if (words := self.results.words_of(token, state))]
        return " ; ".join(parts)

    def _opened(self, state: Partial) -> Partial:
        if not state.is_open:
            return state._replace(is_open=True)
        # A set is built inside the open subprogram.
        return Partial(
            state.topics,
            excluded=state.excluded,
            closed=state.closed,
            is_open=True,
            outer=state,
            prior=state.prior,
        )

    def _handed_over(self, state: Partial) -> Partial:
        """The set built inside becomes an argument of the subprogram around it."""
        assert state.outer is not None
        assert state.top is not None
        assert state.top.index is not None
        return state.outer._replace(
            excluded=state.excluded,
            closed=state.closed,
            prior=state.prior,
            argument=state.top,
            rest=(*state.outer.rest, Variable(state.top.index)),
        )

    def _source(self, state: Partial, index: int) -> Partial:
        if state.top is not None and state.top.index == index:
            return state._replace(source=state.top)
        return self._taking(state, index)._replace(source=self.topic(state, index))

    def _taking(self, state: Partial, index: int) -> Partial:
        excluded = state.excluded | state.topics.excluded_by[index]
        return state._replace(excluded=excluded, prior=state.prior + state.topics.items[index].prior)

    def _argument(self, state: Partial, token: Token) -> Partial:
        if isinstance(token, Variable) and token.index < len(state.topics.items):
            state = self._taking(state, token.index)._replace(argument=self.topic(state, token.index))
        elif isinstance(token, Variable):
            state = state._replace(argument=state.waiting)
        elif isinstance(token, Class):
            state = state._replace(argument=self.results.known_class(token))
        return state._replace(rest=(*state.rest, token))

    def _closed(self, state: Partial) -> Partial:
        function, source = state.function, state.source
        assert function is not None
        meaning, expression, words = self.results.of(state, function)
        result = Known(len(state.topics.items) + state.closed, meaning, expression, words)
        starts_branch = state.top is not None and source is not state.top
        merges = function is Function.AND and isinstance(state.rest[0], Variable)
        waiting = state.top if starts_branch else None if merges else state.waiting
        steps = function is Function.JOIN or function in COMPARATIVES
        must_meet = waiting is not None or state.outer is not None
        joins = (0 if starts_branch else state.joins) + steps if must_meet else 0
        return Partial(
            state.topics,
            excluded=state.excluded,
            closed=state.closed + 1,
            top=result,
            waiting=waiting,
            joins=0 if merges else joins,
            outer=state.outer,
            prior=state.prior,
        )


# What a growing branch must come to meet, so that no token leads astray.


MOST_INNER_JOINS = 3
"""JOINs of a set built inside a function: with tables of links between, "without a cat" takes three."""
FEW_STEPS = 16
"""From a set with more relations, one JOIN ahead is looked at, not two."""


class Reach:
    def __init__(self, meanings: Meanings, results: Results) -> None:
        self._meanings = meanings
        self._results = results
        self._fitting: dict[Hashable, bool] = {}

    def goal(self, state: Partial) -> Meaning | None:
        """What a set that is built inside a function must meet."""
        outer = state.outer
        if outer is None:
            return None
        assert outer.source is not None
        source = outer.source.meaning
        if outer.function is Function.NOT:
            return source
        if outer.function in (Function.OR, Function.MEET):
            return source.kin
        return self.counted(outer, source)

    def counted(self, state: Partial, source: Meaning) -> Meaning:
        """What the path of the count that stands in the open subprogram leads to."""
        for token in state.rest:
            if isinstance(token, Relation):
                source = self._meanings.join(source, self._results.step(token))
        return source

    def wanted(self, state: Partial, source: Known | None) -> Meaning | None:
        """What the open subprogram's result must come to meet: None where it is free."""
        waiting = state.waiting if source is state.top else state.top
        goal = self.goal(state)
        if waiting is None:
            return goal
        return waiting.meaning if goal is None else self._meanings.within(waiting.meaning, goal.nodes)

    def hops(self, state: Partial, source: Known | None) -> int:
        """How many JOINs may follow the open subprogram, if it is one, before its branch must fit."""
        starts = source is not state.top
        waiting = state.top if starts else state.waiting
        joins = 1 + (0 if starts else state.joins)
        if waiting is None:
            return min(MOST_INNER_JOINS - joins, state.left)
        return min(MOST_BRANCH_JOINS - joins, state.left - 1)

    def fits(self, state: Partial, meaning: Meaning) -> bool:
        """Whether a set built inside a function may be handed over."""
        goal = self.goal(state)
        assert goal is not None
        if not self._meanings.meet(meaning.nodes, goal.nodes):
            return False
        return not self.must_leave(state) or not self._meanings.covers(meaning, goal)

    def must_leave(self, state: Partial) -> bool:
        """Whether a set built inside a function must not cover its goal."""
        return state.outer is not None and state.outer.function is Function.NOT

    def comes_to_fit(self, state: Partial, meaning: Meaning, hops: int) -> bool:
        """Whether a set inside a function fits, or will after so many JOINs."""
        outer = state.outer
        assert outer is not None
        assert outer.source is not None
        key = (outer.function, outer.source.meaning, outer.rest, meaning, hops)
        found = self._fitting.get(key)
        if found is None:
            found = self._fitting[key] = self._comes_to_fit(state, meaning, hops)
        return found

    def _comes_to_fit(self, state: Partial, meaning: Meaning, hops: int) -> bool:
        if self.fits(state, meaning):
            return True
        if hops < 1:
            return False
        goal = self.goal(state)
        assert goal is not None
        near = goal.near if hops == 1 else goal.nearby
        if near is not None:
            if not self._meanings.meet(meaning.nodes, near):
                return False
            if hops == 1 and not self.must_leave(state):
                return True
        if hops > 1 and len(meaning.walks) > FEW_STEPS:
            return self.comes_to_fit(state, meaning, 1)
        return any(True for _ in self._steps(state, meaning, hops - 1))

    def _steps(self, state: Partial, meaning: Meaning, hops: int) -> Iterator[Step]:
        """Steps of a set inside a function after which it fits, or will after so many JOINs more."""
        goal = self.goal(state)
        assert goal is not None
        near = goal.nodes if hops == 0 else goal.near if hops == 1 else goal.nearby
        candidates = meaning.walks if near is None else self._meanings.steps_into(meaning, near)
        # At most one step away, that step is a JOIN; two steps may lead by a way that no JOIN takes.
        is_decided = near is not None and hops < 2 and not self.must_leave(state)
        for step in candidates:
            if is_decided or self.comes_to_fit(state, self._meanings.join(meaning, step), hops):
                yield step

    def can_walk(self, state: Partial, source: Known) -> bool:
        """Whether some JOIN of a set leaves its branch within reach."""
        if self.wanted(state, source) is None:
            return source.meaning.is_walkable
        if not self._is_inner(state, source):
            return len(self.walks(state, source)) > 0
        hops = self.hops(state, source)
        return hops >= 0 and any(True for _ in self._steps(state, source.meaning, hops))

    def walks(self, state: Partial, source: Known) -> Options:
        """JOINs of a set after which its branch is within reach."""
        wanted = self.wanted(state, source)
        if wanted is None:
            return source.meaning.joins
        hops = self.hops(state, source)
        if hops < 0:
            return NOTHING
        if self._is_inner(state, source):
            steps = list(self._steps(state, source.meaning, hops))
        else:
            steps = self._meanings.steps_into(source.meaning, wanted.around(hops))
        return self._meanings.vocabulary.joins_along(steps)

    def _is_inner(self, state: Partial, source: Known | None) -> bool:
        """Whether the result is the set that a function waits for, not a branch beside it."""
        return state.outer is not None and (state.waiting if source is state.top else state.top) is None

    def target(self, state: Partial, source: Known | None) -> NodeSet | None:
        """What the result of a subprogram that is not a JOIN must meet; None where it is free."""
        wanted = self.wanted(state, source)
        if wanted is None:
            return None
        return wanted.nodes if self._is_inner(state, source) else wanted.around(self.hops(state, source))

    def members(self, state: Partial, source: Known) -> Meaning:
        """The members of the newest set that a filter must leave at least one of."""
        wanted = self.wanted(state, source)
        if wanted is None:
            return source.meaning
        if self._is_inner(state, source):
            # What is filtered stays a part of what fits already.
            if not self.fits(state, source.meaning):
                return self._meanings.nothing
            return self._meanings.within(source.meaning, wanted.nodes)
        if state.left < 1:
            return self._meanings.nothing
        # A filter is no JOIN: as many may follow it as may follow now.
        hops = min(MOST_BRANCH_JOINS - state.joins, state.left - 1)
        return self._meanings.within(source.meaning, wanted.around(hops))

    def may_branch(self, state: Partial) -> bool:
        """Whether a topic may start the program, or a branch beside what there is."""
        if state.top is None:
            return True
        if state.waiting is not None or not state.top.meaning.is_set or state.left < 1:
            return False
        return state.outer is None or self.fits(state, state.top.meaning)


# What the expansion rules of all families share.


OPEN = Options([Symbol.OPEN], [vocabulary.OPEN])
CLOSE = Options([Symbol.CLOSE], [vocabulary.CLOSE])
END = Options([Symbol.END], [vocabulary.END])


@dataclass(frozen=True, slots=True)
class Tools:
    """What the families of one search work with."""

    meanings: Meanings
    grammar: Grammar
    reach: Reach
    paths: Paths
    starts: Starts
    can_build: Callable[[Partial], bool]
    """Whether a set can be built inside the open subprogram."""

    @property
    def vocabulary(self) -> Vocabulary:
        return self.meanings.vocabulary


class Rules(ABC):
    """The expansion rules of one family of functions."""

    functions: frozenset[Chosen]

    def __init__(self, tools: Tools) -> None:
        self._tools = tools
        self._meanings = tools.meanings
        self._kb = tools.meanings.kb
        self._vocabulary = tools.vocabulary
        self._grammar = tools.grammar
        self._results = tools.grammar.results
        self._reach = tools.reach
        self._paths = tools.paths
        self._starts = tools.starts
        self._has_forms = tools.vocabulary.has_forms

    @abstractmethod
    def offers(self, state: Partial, function: Chosen) -> bool:
        """Whether the function can be completed here."""

    @abstractmethod
    def sources(self, state: Partial, function: Chosen) -> Options:
        """What it can start from."""

    @abstractmethod
    def arguments(self, state: Partial, function: Chosen, source: Known) -> Options:
        """What may follow its source and the arguments it has."""

    def free_topics(self, state: Partial) -> Iterator[Known]:
        for index in range(len(state.topics.items)):
            if not state.excluded >> index & 1:
                yield self._grammar.topic(state, index)


def is_alone(state: Partial) -> bool:
    """Whether nothing waits: neither a branch nor a function around."""
    return state.waiting is None and state.outer is None


def variables(known: Iterable[Known]) -> Options:
    kept = [one for one in known if one.index is not None]
    return Options([Variable(one.index) for one in kept if one.index is not None], [*map(variable, kept)])


def variable(known: Known) -> Candidate:
    return Candidate(TokenKind.VARIABLE, known.words, variable=known.index)
