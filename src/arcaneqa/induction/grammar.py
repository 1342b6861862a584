"""What is well formed: what a token does to the state of a program in the making."""

from __future__ import annotations

from arcaneqa.induction.kept_meanings import Meanings
from arcaneqa.induction.results import Results
from arcaneqa.induction.state import Known, State
from arcaneqa.induction.tokens import COMPARATIVES, Form, Token
from arcaneqa.induction.topics import Topics
from arcaneqa.induction.wording import FUNCTION_WORDS
from arcaneqa.program.expression import Class, Relation
from arcaneqa.program.steps import Function, Symbol, Variable


class Grammar:
    """Applies tokens to states; what may be applied is for `admissible` to say."""

    def __init__(self, meanings: Meanings) -> None:
        self.meanings = meanings
        self.results = Results(meanings)
        self._topics: dict[tuple[int, int], tuple[Topics, Known]] = {}

    def topic(self, state: State, index: int) -> Known:
        """Every rule asks for every topic at every step, so each is made once; its topics are kept beside it,
        so their id stays their own."""
        key = (id(state.topics), index)
        if (found := self._topics.get(key)) is None:
            topic = state.topics.items[index]
            known = Known(index, self.meanings.topic(topic.term), topic.term, topic.words.text)
            found = self._topics[key] = (state.topics, known)
        return found[1]

    def advance(self, state: State, token: Token) -> State:
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
            assert isinstance(token, Function | Form)
            return state._replace(function=token)
        if state.source is not None or isinstance(token, Relation):
            return self._argument(state, token)
        if isinstance(token, Variable):
            return self._source(state, token.index)
        assert isinstance(token, Class)
        return state._replace(source=self.results.known_class(token))

    def context(self, state: State) -> str:
        """The program so far in a few words."""
        parts = [] if state.outer is None else [self.context(state.outer)]
        parts += [known.words for known in (state.waiting, state.top) if known is not None]
        if state.function is not None:
            parts.append(FUNCTION_WORDS[state.function])
            if state.source is not None and state.source is not state.top:
                parts.append(state.source.words)
            parts += [words for token in state.rest if (words := self.results.words_of(token, state))]
        return " ; ".join(parts)

    def _opened(self, state: State) -> State:
        if not state.is_open:
            return state._replace(is_open=True)
        # A set is built inside the open subprogram.
        return State(
            state.topics,
            excluded=state.excluded,
            closed=state.closed,
            is_open=True,
            outer=state,
            prior=state.prior,
        )

    def _handed_over(self, state: State) -> State:
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

    def _source(self, state: State, index: int) -> State:
        if state.top is not None and state.top.index == index:
            return state._replace(source=state.top)
        return self._taking(state, index)._replace(source=self.topic(state, index))

    def _taking(self, state: State, index: int) -> State:
        excluded = state.excluded | state.topics.excluded_by[index]
        return state._replace(excluded=excluded, prior=state.prior + state.topics.items[index].prior)

    def _argument(self, state: State, token: Token) -> State:
        if isinstance(token, Variable) and token.index < len(state.topics.items):
            state = self._taking(state, token.index)._replace(argument=self.topic(state, token.index))
        elif isinstance(token, Variable):
            state = state._replace(argument=state.waiting)
        elif isinstance(token, Class):
            state = state._replace(argument=self.results.known_class(token))
        return state._replace(rest=(*state.rest, token))

    def _closed(self, state: State) -> State:
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
        return State(
            state.topics,
            excluded=state.excluded,
            closed=state.closed + 1,
            top=result,
            waiting=waiting,
            joins=0 if merges else joins,
            outer=state.outer,
            prior=state.prior,
        )
