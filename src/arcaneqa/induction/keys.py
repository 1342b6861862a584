"""Expansion rules of what goes by a number for each member, and of lists and tables."""

from __future__ import annotations

from collections.abc import Iterator

from arcaneqa.induction import vocabulary
from arcaneqa.induction.meaning import Meaning
from arcaneqa.induction.paths import MEASURES, TOTALS, key_options, key_tokens, steps_of
from arcaneqa.induction.results import Known, Partial, columns_of
from arcaneqa.induction.rules import CLOSE, OPEN, Rules, is_alone, variables
from arcaneqa.induction.scorer import Candidate
from arcaneqa.induction.vocabulary import (
    AGGREGATES,
    NOTHING,
    OUTERMOST,
    SUPERLATIVES,
    Chosen,
    DecisionForm,
    Options,
    Token,
)
from arcaneqa.kb.interface import Comparison, Ids, Step
from arcaneqa.kb.schema import ValueKind
from arcaneqa.kb.terms import XSD, Literal
from arcaneqa.kb.values import kind_of
from arcaneqa.language.expression import (
    And,
    Class,
    Compare,
    Direction,
    Entity,
    Extreme,
    Per,
    Relation,
    Sort,
    Value,
)
from arcaneqa.language.steps import Function, Ranks, Symbol, Variable

# What goes by a number for each member: superlatives, totals, counts, and comparisons of counts.


class Keyed(Rules):
    functions = SUPERLATIVES | AGGREGATES | {Function.COUNT, DecisionForm.DISTINCT, DecisionForm.HAVING}

    def offers(self, state: Partial, function: Chosen) -> bool:
        if function is DecisionForm.HAVING and not self._may_compare(state):
            return False
        if state.top is None:
            if state.outer is not None:
                return False
            return self._surely_starts(function) or len(self._classes(function)) > 0
        meaning = state.top.meaning
        if not is_alone(state) or not meaning.is_set:
            return False
        if function is Function.COUNT:
            return True
        if function is DecisionForm.HAVING:
            return len(self._measures(state, meaning)) > 0
        return self._can_start(function, meaning)

    def sources(self, state: Partial, function: Chosen) -> Options:
        if state.top is not None:
            return variables([state.top])
        if function is DecisionForm.HAVING and not state.topics.counts:
            return self._starts.with_totals(self._paths.seen_to_numbers)
        return self._classes(function)

    def _surely_starts(self, function: Chosen) -> bool:
        """Whether it goes by relations, of which some class surely has one."""
        is_superlative = function in SUPERLATIVES and self._has_forms
        by_relations = is_superlative or function in (DecisionForm.DISTINCT, DecisionForm.HAVING)
        return by_relations and self._starts.has_several

    def _classes(self, function: Chosen) -> Options:
        if function is Function.COUNT:
            return self._vocabulary.countable
        if function in SUPERLATIVES and self._has_forms:
            return self._starts.keyed
        if function in TOTALS:
            return self._starts.numeric
        by_value = function in AGGREGATES or function in SUPERLATIVES
        return self._starts.valued if by_value else self._starts.related

    def _can_start(self, function: Chosen, members: Meaning) -> bool:
        if function in SUPERLATIVES:
            several = self._has_forms and len(members.nodes) > 1 and members.is_walkable
            return several or (members.has_entities and self._paths.exist(members))
        if not members.has_entities:
            return False
        if function in TOTALS:
            return self._paths.seen_to_numbers(members)
        return self._paths.exist(members) if function in AGGREGATES else members.is_walkable

    def arguments(self, state: Partial, function: Chosen, source: Known) -> Options:
        if function is Function.COUNT:
            return CLOSE
        if function is DecisionForm.DISTINCT:
            onward = self._paths.onward(source.meaning, steps_of(self._results, state.rest))
            return CLOSE + onward if state.rest else onward
        if function in AGGREGATES:
            return self._values(source, steps_of(self._results, state.rest), function in TOTALS)
        if function is DecisionForm.HAVING:
            return self._having(state, source)
        return self._superlative(state, source)

    # Keys ------------------------------------------------------------------------------------

    def keys(self, state: Partial, source: Known) -> Options:
        """What a key can begin with, or how it goes on; with `)` where it is whole."""
        rest = state.rest
        meaning = source.meaning
        if not rest and not self._has_forms:
            return self._paths.options(meaning, ())
        if not rest:
            counts = len(meaning.nodes) > 1 and meaning.is_walkable
            options = _key(Function.COUNT) if counts else NOTHING
            if self._paths.seen_to_numbers(meaning):
                options += _key(Function.SUM) + _key(Function.AVG)
            return self._paths.options(meaning, ()) + options
        path = steps_of(self._results, rest)
        if rest[0] is Function.COUNT:
            return self._counted(meaning, path)
        return self._values(source, path, numbers=rest[0] in TOTALS)

    def _counted(self, source: Meaning, path: tuple[Step, ...]) -> Options:
        """Relations whose counts differ among the members; any, where none of them does."""
        onward = self._paths.onward(source, path)
        if path:
            return CLOSE + onward
        ahead, back = self._meanings.telling_apart(source)
        differing = [
            place
            for place, token in enumerate(onward.tokens)
            if isinstance(token, Relation)
            and self._results.relation(token) in (back if token.inverse else ahead)
        ]
        if not differing:
            return onward
        return Options([onward.tokens[i] for i in differing], [onward.candidates[i] for i in differing])

    def _values(self, source: Known, path: tuple[Step, ...], numbers: bool) -> Options:
        options = self._paths.options(source.meaning, path, numbers)
        return CLOSE + options if self._paths.ends(source.meaning, path, numbers) else options

    # Superlatives ----------------------------------------------------------------------------

    def _superlative(self, state: Partial, source: Known) -> Options:
        rest = state.rest
        if rest and isinstance(rest[-1], Ranks):
            return CLOSE
        if state.argument is not None:
            return CLOSE + self._ranks(state, source)
        options = self.keys(state, source)
        if len(options) == 0 or options.tokens[0] is not CLOSE.tokens[0]:
            return options
        options += self._ranks(state, source)
        return options + self._within(state, source) if rest[0] is Function.COUNT else options

    def _ranks(self, state: Partial, source: Known) -> Options:
        """Ranks that the question names, where they leave some members and not all."""
        if not self._has_forms:
            return NOTHING
        kept = [ranks for ranks in state.topics.ranks if self._cuts(state, source, ranks)]
        return Options(list(kept), [vocabulary.ranks_candidate(ranks) for ranks in kept])

    def _cuts(self, state: Partial, source: Known, ranks: Ranks) -> bool:
        assert isinstance(state.function, Function)
        key, _ = self._results.key(state)
        direction = Direction(state.function.value)
        program = Extreme(direction, source.expression, key, ranks.first, ranks.last)
        found = self._results.picked(state, program, ranks)
        return 0 < len(found.nodes) < len(source.meaning.nodes)

    def _within(self, state: Partial, source: Known) -> Options:
        """A set to count in: a class of what is counted, or one that is built here."""
        counted = self._reach.counted(state, source.meaning)
        if not counted.has_entities:
            return NOTHING
        classes = self._vocabulary.classes(counted.classes)
        return classes + OPEN if self._tools.can_build(state) else classes

    # Comparisons of counts and totals --------------------------------------------------------

    def _may_compare(self, state: Partial) -> bool:
        """Whether the question has a number that counts or totals could compare with."""
        if state.topics.counts:
            return True
        return any(True for _ in self._numbers(state)) and len(self._starts.numeric) > 0

    def _numbers(self, state: Partial) -> Iterator[Known]:
        for topic in self.free_topics(state):
            value = topic.expression
            if isinstance(value, Value) and kind_of(value.literal) is ValueKind.NUMBER:
                yield topic

    def _measures(self, state: Partial, members: Meaning) -> Options:
        """What is compared: how many there are of something, its total or its average."""
        options = _key(Function.COUNT) if state.topics.counts and members.is_walkable else NOTHING
        if not members.has_entities or not any(True for _ in self._numbers(state)):
            return options
        totals = _key(Function.SUM) + _key(Function.AVG)
        return options + totals if self._paths.seen_to_numbers(members) else options

    def _having(self, state: Partial, source: Known) -> Options:
        rest = state.rest
        if not rest:
            return self._measures(state, source.meaning)
        if rest[0] in TOTALS:
            return self._totals(state, source)
        if isinstance(rest[-1], Value):
            return CLOSE
        path = steps_of(self._results, rest)
        if not path:
            return source.meaning.steps
        within = None if state.argument is None else state.argument.meaning
        counts = self._meanings.counts(source.meaning, path, within)
        if isinstance(rest[-1], Function):
            numbers = [number for number in state.topics.counts if _passes(rest[-1], counts, number)]
            tokens = [Value(Literal(str(number), XSD + "integer")) for number in numbers]
            return Options(list(tokens), [vocabulary.number_candidate(number) for number in numbers])
        comparisons = [
            comparison
            for comparison in vocabulary.COMPARISON_WORDS
            if any(_passes(comparison, counts, number) for number in state.topics.counts)
        ]
        options = Options(list(comparisons), [vocabulary.COMPARISONS[one] for one in comparisons])
        is_last = isinstance(rest[-1], Variable | Class)
        if is_last:
            return options
        return options + self._within(state, source) + self._paths.onward(source.meaning, path)

    def _totals(self, state: Partial, source: Known) -> Options:
        """Some total is more than a number or some is at most as much: there is always one to go on with."""
        *before, last = state.rest
        if isinstance(last, Variable):
            return CLOSE
        if before and isinstance(last, Function):
            return variables(n for n in self._numbers(state) if self._some_pass(state, source, n))
        path = steps_of(self._results, state.rest)
        onward = self._paths.options(source.meaning, path, numbers=True)
        if not self._paths.ends(source.meaning, path, numbers=True):
            return onward
        comparisons = [
            comparison
            for comparison in vocabulary.COMPARISON_WORDS
            if any(self._some_pass(state, source, number, comparison) for number in self._numbers(state))
        ]
        return Options(list(comparisons), [vocabulary.COMPARISONS[one] for one in comparisons]) + onward

    def _some_pass(self, state: Partial, source: Known, number: Known, *comparison: Token) -> bool:
        """Whether some member's total passes, compared as the arguments say or as given."""
        key, said = self._results.key(state)
        (function,) = (*said, *comparison)
        assert isinstance(function, Function)
        assert isinstance(number.expression, Value)
        assert not isinstance(key, tuple)
        program = And(source.expression, Compare(Comparison(function.value), key, number.expression))
        return bool(self._results.picked(state, program, *comparison, number.expression))


def _passes(comparison: Token, counts: Ids, number: int) -> bool:
    """Whether some member's count passes; EQ of 0 is left to NOT and HAS."""
    match comparison:
        case Function.GT:
            return bool(counts.max() > number)
        case Function.GE:
            return number > 0 and bool(counts.max() >= number)
        case Function.LT:
            return number > 0 and bool(counts.min() < number)
        case Function.LE:
            return bool(counts.min() <= number)
        case _:
            return number > 0 and bool((counts == number).any())


def _key(function: Function) -> Options:
    return Options([function], [vocabulary.KEYS[function]])


# SORT, SHOW and PER: lists and tables end a program, though a list may be shown and a table sorted.


MOST_COLUMNS = 16
"""Of a table, so that no search adds columns for ever."""

_DESCENDING = Options([Symbol.DESC], [vocabulary.DESCENDING])
_NEXT = Options([Symbol.NEXT], [vocabulary.NEXT])
_SELF = Options([Symbol.SELF], [vocabulary.SELF])


class Tabling(Rules):
    functions = OUTERMOST

    def offers(self, state: Partial, function: Chosen) -> bool:
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

    def sources(self, state: Partial, function: Chosen) -> Options:
        if state.top is not None:
            return variables([state.top])
        if function is not Function.SHOW:
            return self._starts.related
        return self._joined(variables(self._shown(state)))

    def _shown(self, state: Partial) -> Iterator[Known]:
        """Entities of the question whose facts can be shown."""
        for topic in self.free_topics(state):
            if isinstance(topic.expression, Entity) and topic.meaning.is_walkable:
                yield topic

    def _joined(self, topics: Options) -> Options:
        # A list of many classes is kept as it is: its shortlist is made once.
        return topics + self._starts.related if len(topics) else self._starts.related

    def arguments(self, state: Partial, function: Chosen, source: Known) -> Options:
        if function is Function.SORT:
            return self._sort(state, source)
        return self._show(state, source) if function is Function.SHOW else self._per(state, source)

    # Lists -----------------------------------------------------------------------------------

    def _sort(self, state: Partial, source: Known) -> Options:
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

    def _show(self, state: Partial, source: Known) -> Options:
        columns = columns_of(state.rest)
        column, members = columns[-1], _members(source)
        if column == (Symbol.SELF,):
            return self._after_column(columns)
        functions = (Function.COUNT, *MEASURES) if len(members.nodes) else ()
        options, is_whole = self._key(members, column, functions, bare_count=True)
        if not column and (Symbol.SELF,) not in columns:
            options = _SELF + options
        return self._after_column(columns) + options if is_whole else options

    def _per(self, state: Partial, source: Known) -> Options:
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
        return Options(list(offered), [vocabulary.KEYS[function] for function in offered])

    def _has_values(self, members: Meaning, function: Function) -> bool:
        return self._paths.seen_to_numbers(members) if function in TOTALS else self._paths.exist(members)

    def _candidate(self, token: Token) -> Candidate:
        if isinstance(token, Function):
            return vocabulary.KEYS[token]
        assert isinstance(token, Relation)
        return self._vocabulary.step_candidate(token)


def _members(source: Known) -> Meaning:
    """The members of a set, or of the set that was put in order."""
    return source.meaning if source.meaning.listed is None else source.meaning.listed
