"""SORT, SHOW and PER: lists and tables end a program, though a list may be shown and a table sorted."""

from __future__ import annotations

from collections.abc import Iterator

from arcaneqa.induction import wording
from arcaneqa.induction.meaning import Meaning
from arcaneqa.induction.paths import MEASURES, TOTALS, key_options, key_tokens
from arcaneqa.induction.results import columns_of
from arcaneqa.induction.rules import CLOSE, Rules, is_alone, variables
from arcaneqa.induction.scorer import Candidate
from arcaneqa.induction.state import Known, State
from arcaneqa.induction.tokens import OUTERMOST, Chosen, Token
from arcaneqa.induction.vocabulary import Options
from arcaneqa.program.expression import Entity, Per, Relation, Sort
from arcaneqa.program.steps import Function, Symbol

MOST_COLUMNS = 16
"""Of a table, so that no search adds columns for ever."""

_DESCENDING = Options([Symbol.DESC], [wording.DESCENDING])
_NEXT = Options([Symbol.NEXT], [wording.NEXT])
_SELF = Options([Symbol.SELF], [wording.SELF])


class Tabling(Rules):
    functions = OUTERMOST

    def offers(self, state: State, function: Chosen) -> bool:
        if not is_alone(state):
            return False
        top = state.top
        if top is None:
            return self._starts.has_several or len(self.sources(state, function)) > 0
        if isinstance(top.expression, Per):
            return function is Function.SORT
        if isinstance(top.expression, Sort):
            return function is Function.SHOW and not isinstance(top.expression.argument, Per)
        meaning = top.meaning
        if not meaning.is_set or not meaning.is_walkable:
            return False
        return len(meaning.nodes) > 1 or (function is Function.SHOW and meaning.has_entities)

    def sources(self, state: State, function: Chosen) -> Options:
        if state.top is not None:
            return variables([state.top])
        if function is not Function.SHOW:
            return self._starts.related
        return self._joined(variables(self._shown(state)))

    def _shown(self, state: State) -> Iterator[Known]:
        """Entities of the question whose facts can be shown."""
        for topic in self.free_topics(state):
            if isinstance(topic.expression, Entity) and topic.meaning.is_walkable:
                yield topic

    def _joined(self, topics: Options) -> Options:
        # A list of many classes is kept as it is: its shortlist is made once.
        return topics + self._starts.related if len(topics) else self._starts.related

    def arguments(self, state: State, function: Chosen, source: Known) -> Options:
        if function is Function.SORT:
            return self._sort(state, source)
        return self._show(state, source) if function is Function.SHOW else self._per(state, source)

    # Lists -----------------------------------------------------------------------------------

    def _sort(self, state: State, source: Known) -> Options:
        rest = state.rest
        if rest and rest[-1] is Symbol.DESC:
            return CLOSE
        if isinstance(source.expression, Per):
            return self._own_columns(source.expression, rest)
        options, is_whole = self._key(source.meaning, rest, (Function.COUNT, *TOTALS))
        return CLOSE + _DESCENDING + options if is_whole else options

    def _own_columns(self, table: Per, rest: tuple[Token, ...]) -> Options:
        """The columns of a table that begin as the key does so far."""
        columns = [key_tokens(column) for column in (table.path, *table.columns)]
        going = {column[len(rest)]: None for column in columns if column[: len(rest)] == rest != column}
        tokens = list(going)
        options = Options(tokens, [self._candidate(token) for token in tokens])
        return CLOSE + _DESCENDING + options if rest in columns else options

    # Tables ----------------------------------------------------------------------------------

    def _show(self, state: State, source: Known) -> Options:
        columns = columns_of(state.rest)
        column, members = columns[-1], _members(source)
        if column == (Symbol.SELF,):
            return self._after_column(columns)
        functions = (Function.COUNT, *MEASURES) if len(members.nodes) else ()
        options, is_whole = self._key(members, column, functions, bare_count=True)
        if not column and (Symbol.SELF,) not in columns:
            options = _SELF + options
        return self._after_column(columns) + options if is_whole else options

    def _per(self, state: State, source: Known) -> Options:
        columns = columns_of(state.rest)
        column = columns[-1]
        if len(columns) == 1:
            options, is_whole = self._key(source.meaning, column, ())
            return _NEXT + options if is_whole else options
        if not column:
            return self._functions(source.meaning, (Function.COUNT, *MEASURES))
        options, is_whole = self._key(source.meaning, column, (), bare_count=True)
        return self._after_column(columns) + options if is_whole else options

    def _after_column(self, columns: list[tuple[Token, ...]]) -> Options:
        is_new = columns[-1] not in columns[:-1]
        return CLOSE + _NEXT if is_new and len(columns) < MOST_COLUMNS else CLOSE

    # Keys ------------------------------------------------------------------------------------

    def _key(
        self,
        members: Meaning,
        tokens: tuple[Token, ...],
        functions: tuple[Function, ...],
        bare_count: bool = False,
    ) -> tuple[Options, bool]:
        """How a key or column goes on, and whether it may end here."""
        if not tokens:
            return self._functions(members, functions) + members.steps, False
        return key_options(self._paths, self._results, members, tokens, bare_count)

    def _functions(self, members: Meaning, functions: tuple[Function, ...]) -> Options:
        offered = [f for f in functions if f is Function.COUNT or self._has_values(members, f)]
        return Options(list(offered), [wording.KEYS[function] for function in offered])

    def _has_values(self, members: Meaning, function: Function) -> bool:
        return self._paths.seen_to_numbers(members) if function in TOTALS else self._paths.exist(members)

    def _candidate(self, token: Token) -> Candidate:
        if isinstance(token, Function):
            return wording.KEYS[token]
        assert isinstance(token, Relation)
        return self._vocabulary.step_candidate(token)


def _members(source: Known) -> Meaning:
    """The members of a set, or of the set that was put in order."""
    return source.meaning if source.meaning.listed is None else source.meaning.listed
