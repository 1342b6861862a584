"""The state of a program in the making, and what a closed subprogram gives: meaning, program, words."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from arcaneqa.induction.meaning import Given, Meaning, Meanings
from arcaneqa.induction.topics import Topics
from arcaneqa.induction.vocabulary import (
    AGGREGATES,
    COMPARATIVES,
    COMPARISON_WORDS,
    DESCENDING,
    FUNCTION_WORDS,
    KEY_WORDS,
    SELF,
    SUPERLATIVES,
    Chosen,
    DecisionForm,
    Token,
    class_words,
    ranks_words,
    relation_words,
)
from arcaneqa.kb.interface import Comparison, Step
from arcaneqa.language import expression as ex
from arcaneqa.language.expression import Expression
from arcaneqa.language.steps import Function, Ranks, Symbol, Variable

# The state of a program in the making.


MOST_SUBPROGRAMS = 10
"""Of a program: eight were enough for chains and conjunctions; OR and NOT repeat a condition for each set."""


@dataclass(frozen=True, slots=True)
class Known:
    """A variable, or a class that stands for one: its meaning, its program and its words."""

    index: int | None
    meaning: Meaning
    expression: Expression
    words: str


class Partial(NamedTuple):
    """A decoding history, reduced to what the next tokens depend on. A tuple: a search makes one from another
    at every step, and of so many fields a data class takes four times as long.

    `excluded` is a bit mask of topics no longer available, `joins` counts the JOINs of the branch that
    must still meet something, `rest` are the arguments of the open subprogram after its source, and
    `argument` is the second set among them. `outer` is the open subprogram inside which a set is built.
    """

    topics: Topics
    excluded: int = 0
    closed: int = 0
    top: Known | None = None
    waiting: Known | None = None
    joins: int = 0
    is_open: bool = False
    function: Chosen | None = None
    source: Known | None = None
    rest: tuple[Token, ...] = ()
    argument: Known | None = None
    outer: Partial | None = None
    is_complete: bool = False
    prior: float = 0.0

    @property
    def left(self) -> int:
        """Subprograms that may follow the open or next one; what is open outside takes one itself."""
        return MOST_SUBPROGRAMS - self.closed - 1 - (self.outer is not None)


# What a closed subprogram gives: its meaning, its program and its words.


Outcome = tuple[Meaning, ex.Expression, str]


class Results:
    def __init__(self, meanings: Meanings) -> None:
        self._meanings = meanings
        self._schema = meanings.kb.schema

    def of(self, state: Partial, function: Chosen) -> Outcome:
        """The subprogram that is open in this state, closed."""
        source, rest = state.source, state.rest
        if source is None:
            return self._has(rest)
        if function is DecisionForm.ALL:
            return source.meaning, source.expression, source.words
        if function is DecisionForm.HAVING:
            return self._having(state, source)
        if function is DecisionForm.DISTINCT:
            return self._number(state, function, source)
        match function:
            case Function.JOIN | Function.AND | Function.CONS | Function.TC:
                return self._plain(state, function, source)
            case Function.OR | Function.NOT | Function.MEET:
                assert state.argument is not None
                return self._paired(function, source, state.argument)
            case Function.LIKE | Function.NAMED:
                return self._text(function, source, rest)
            case Function.SORT | Function.SHOW | Function.PER:
                return self._outermost(state, function, source)
        if function in SUPERLATIVES:
            return self._superlative(state, ex.Direction(function.value), source)
        if function in COMPARATIVES:
            return self._comparison(Comparison(function.value), source, rest)
        return self._number(state, function, source)

    # The paper's functions -------------------------------------------------------------------

    def _plain(self, state: Partial, function: Function, source: Known) -> Outcome:
        meanings, meaning, inner = self._meanings, source.meaning, source.expression
        match function, state.rest:
            case Function.JOIN, (ex.Relation() as relation,):
                found = meanings.join(meaning, self.walk(relation))
                return (
                    found,
                    ex.Join(relation, inner),
                    _join_words(self.label(relation), relation, source.words),
                )
            case Function.AND, (ex.Class() as klass,):
                known = self.known_class(klass)
                return (
                    meanings.both(meaning, known.meaning),
                    ex.And(klass, inner),
                    f"{known.words} {source.words}",
                )
            case Function.AND, (Variable(),):
                waiting = state.waiting
                assert waiting is not None
                words = f"{waiting.words} and {source.words}"
                return meanings.both(meaning, waiting.meaning), ex.And(waiting.expression, inner), words
            case Function.CONS, (ex.Relation() as relation, (ex.Entity() | ex.Value()) as constant):
                found = meanings.constant(meaning, self.relation(relation), constant)
                words = f"{source.words} with {self.label(relation)}"
                return found, ex.Cons(inner, relation, constant), words
            case Function.TC, (ex.Relation() as relation, when):
                moment = _moment(state, when)
                words = f"{source.words} at {_moment_words(moment)}"
                found = meanings.during(meaning, self.relation(relation), moment)
                return found, ex.During(inner, relation, moment), words
        raise AssertionError(f"{function} was closed with {state.rest}")

    def _comparison(self, comparison: Comparison, source: Known, rest: Sequence[Token]) -> Outcome:
        (relation,) = rest
        assert isinstance(relation, ex.Relation)
        words = f"{self.label(relation)} {FUNCTION_WORDS[Function(comparison.value)]} {source.words}"
        program = ex.Compare(comparison, relation, source.expression)
        if isinstance(source.expression, ex.Value):
            number = self.relation(relation)
            return self._meanings.compare(comparison, number, source.expression.literal), program, words
        return self._meanings.compared(comparison, self.relation(relation), source.meaning), program, words

    # Sets ------------------------------------------------------------------------------------

    def _paired(self, function: Function, one: Known, two: Known) -> Outcome:
        left, right = one.expression, two.expression
        if function is Function.OR:
            found = self._meanings.either(one.meaning, two.meaning)
            return found, ex.Or(left, right), f"{one.words} or {two.words}"
        if function is Function.NOT:
            found = self._meanings.without(one.meaning, two.meaning)
            return found, ex.Not(left, right), f"{one.words} but not {two.words}"
        key = (function, frozenset((one.meaning, two.meaning)))
        found = self._meanings.answer(key, ex.Meet(left, right), {left: one.meaning, right: two.meaning})
        return found, ex.Meet(left, right), f"whether {one.words} is {two.words}"

    def _has(self, rest: Sequence[Token]) -> Outcome:
        (relation,) = rest
        assert isinstance(relation, ex.Relation)
        label = self.label(relation)
        words = f"that is {label} of something" if relation.inverse else f"that has {label}"
        return self._meanings.having_some(self.step(relation)), ex.Has(relation), words

    def _text(self, function: Function, source: Known, rest: Sequence[Token]) -> Outcome:
        text = source.expression
        assert isinstance(text, ex.Value)
        said = text.literal.lexical
        if function is Function.NAMED:
            return self._meanings.named(text.literal.lexical), ex.Named(text), f"called {said}"
        (relation,) = rest
        assert isinstance(relation, ex.Relation)
        found = self._meanings.like(self.relation(relation), said)
        return found, ex.Like(relation, text), f"whose {self.label(relation)} contains {said}"

    # Keys ------------------------------------------------------------------------------------

    def _superlative(self, state: Partial, direction: ex.Direction, source: Known) -> Outcome:
        key, rest = self.key(state)
        ranks = next((token for token in rest if isinstance(token, Ranks)), Ranks(1, 1))
        program = ex.Extreme(direction, source.expression, key, ranks.first, ranks.last)
        function = FUNCTION_WORDS[Function(direction.value)]
        words = f"{source.words} with {ranks_words(ranks, function)} {self._key_words(state)}"
        if ranks == Ranks(1, 1) and isinstance(key, tuple):
            steps = tuple(self.step(relation) for relation in key)
            found = self._meanings.extreme(source.meaning, steps, direction is ex.Direction.LARGEST)
            return found, program, words
        return self.picked(state, program), program, words

    def picked(self, state: Partial, program: ex.Expression, *more: Token) -> Meaning:
        """The set that the open subprogram would pick, were it closed after these tokens."""
        return self._meanings.picked(_key(state, more), program, _given(state))

    def _having(self, state: Partial, source: Known) -> Outcome:
        key, (comparison, said) = self.key(state)
        assert isinstance(comparison, Function)
        number = said if isinstance(said, ex.Value) else state.argument and state.argument.expression
        assert isinstance(number, ex.Value)
        assert not isinstance(key, tuple)
        compare = ex.Compare(Comparison(comparison.value), key, number)
        program = ex.And(source.expression, compare)
        than = f"{COMPARISON_WORDS[comparison]} {number.literal.lexical}"
        words = f"{source.words} with {than} {self._key_words(state)}"
        return self.picked(state, program), program, words

    def _number(self, state: Partial, function: Chosen, source: Known) -> Outcome:
        path = _path(state.rest)
        inner = source.expression
        program: ex.Expression
        if function in (Function.COUNT, DecisionForm.DISTINCT):
            program = ex.Count(inner, path)
        else:
            assert function in AGGREGATES
            program = ex.Aggregate(ex.Aggregation(function.value), inner, path)
        names = " ".join(self.label(relation) for relation in path)
        of = f"{names} of {source.words}" if names else source.words
        return (
            self._meanings.answer(_key(state), program, _given(state)),
            program,
            f"{FUNCTION_WORDS[function]} {of}",
        )

    def key(self, state: Partial) -> tuple[ex.Key, Sequence[Token]]:
        """The key among the arguments of the open subprogram, and what comes after it."""
        rest = state.rest
        path = _path(rest)
        if rest and isinstance(rest[0], Function):
            after = rest[1 + len(path) :]
            if rest[0] is not Function.COUNT:
                return ex.Totalled(ex.Aggregation(rest[0].value), path), after
            if state.argument is None:
                return ex.Counted(path), after
            return ex.Counted(path, state.argument.expression), after[1:]
        return path, rest[len(path) :]

    def _key_words(self, state: Partial) -> str:
        key = self.key(state)[0]
        words = self._column_words(key)
        within = state.argument if isinstance(key, ex.Counted) else None
        return words if within is None else f"{words} {within.words}"

    # Lists and tables ------------------------------------------------------------------------

    def _outermost(self, state: Partial, function: Function, source: Known) -> Outcome:
        inner, rest = source.expression, state.rest
        program: ex.Expression
        if function is Function.SORT:
            descending = rest[-1] is Symbol.DESC
            key = _column(rest[:-1] if descending else rest)
            program = ex.Sort(inner, key, descending)
            order = f" {DESCENDING.text}" if descending else ""
            words = f"{source.words} {FUNCTION_WORDS[function]} {self._column_words(key)}{order}"
        else:
            columns = [_column(column) for column in columns_of(rest)]
            said = [self._column_words(column) for column in columns]
            if function is Function.SHOW:
                program = ex.Show(inner, tuple(columns))
                words = f"{FUNCTION_WORDS[function]} {', '.join(said)} of {source.words}"
            else:
                path, *measures = columns
                assert isinstance(path, tuple)
                program = ex.Per(
                    inner, path, tuple(m for m in measures if isinstance(m, ex.Counted | ex.Totalled))
                )
                words = f"{', '.join(said[1:])} {FUNCTION_WORDS[function]} {said[0]} of {source.words}"
        return self._meanings.answer(_key(state), program, {inner: source.meaning}), program, words

    def _column_words(self, column: ex.Key) -> str:
        path = column if isinstance(column, tuple) else column.path
        words = [self.label(relation) for relation in path]
        if isinstance(column, ex.Counted):
            words.insert(0, KEY_WORDS[Function.COUNT])
        elif isinstance(column, ex.Totalled):
            words.insert(0, KEY_WORDS[Function(column.function.value)])
        return " ".join(words) or SELF.text

    # Names -----------------------------------------------------------------------------------

    def known_class(self, klass: ex.Class) -> Known:
        number = self._schema.class_ids[klass.iri]
        words = class_words(self._schema.classes[number])
        return Known(None, self._meanings.members(number), klass, words)

    def words_of(self, token: Token, state: Partial) -> str:
        """An argument of the open subprogram in words."""
        match token:
            case ex.Relation():
                return self.label(token)
            case Function():
                return KEY_WORDS.get(token) or COMPARISON_WORDS[token]
            case Variable() | ex.Class() if state.argument is not None:
                return state.argument.words
            case ex.Value(literal):
                return literal.lexical
            case Symbol.SELF:
                return SELF.text
            case _:
                return ""

    def relation(self, relation: ex.Relation) -> int:
        return self._schema.relation_ids[relation.iri]

    def label(self, relation: ex.Relation) -> str:
        return relation_words(self._schema.relations[self.relation(relation)])

    def walk(self, relation: ex.Relation) -> Step:
        """JOIN reads a plain relation from objects to subjects."""
        return Step(self.relation(relation), not relation.inverse)

    def step(self, relation: ex.Relation) -> Step:
        """Everywhere else a plain relation leads from subjects to objects."""
        return Step(self.relation(relation), relation.inverse)


def columns_of(rest: Sequence[Token]) -> list[tuple[Token, ...]]:
    """The columns so far, the last one perhaps in the making."""
    columns: list[list[Token]] = [[]]
    for token in rest:
        if token is Symbol.NEXT:
            columns.append([])
        else:
            columns[-1].append(token)
    return [tuple(column) for column in columns]


def _column(tokens: Sequence[Token]) -> ex.Key:
    path = _path(tokens)
    match tokens[0]:
        case Function.COUNT:
            return ex.Counted(path)
        case Function() as function:
            return ex.Totalled(ex.Aggregation(function.value), path)
        case _:
            return path


def _given(state: Partial) -> Given:
    known = [known for known in (state.source, state.argument) if known is not None]
    return {one.expression: one.meaning for one in known}


def _key(state: Partial, more: tuple[Token, ...] = ()) -> Hashable:
    """Equal for subprograms that differ only in how their sets came about."""
    rest = tuple(token for token in (*state.rest, *more) if not isinstance(token, Variable))
    argument = None if state.argument is None else state.argument.meaning
    return state.function, rest, state.source and state.source.meaning, argument


def _path(rest: Sequence[Token]) -> ex.Path:
    """The relations at the beginning, after a function that makes a key of them."""
    path: list[ex.Relation] = []
    for token in rest[1:] if rest and isinstance(rest[0], Function) else rest:
        if not isinstance(token, ex.Relation):
            break
        path.append(token)
    return tuple(path)


def _moment(state: Partial, token: Token) -> ex.Value | ex.Now:
    if isinstance(token, ex.Now):
        return token
    assert isinstance(token, Variable)
    value = state.topics.items[token.index].term
    assert isinstance(value, ex.Value)
    return value


def _join_words(label: str, relation: ex.Relation, source: str) -> str:
    return f"{label} of {source}" if relation.inverse else f"whose {label} is {source}"


def _moment_words(moment: ex.Value | ex.Now) -> str:
    return "now" if isinstance(moment, ex.Now) else moment.literal.lexical
