"""Training targets: the decisions of a gold program, each with its exact admissible set."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import islice, product

from arcaneqa.induction.building import arranged, buildable, without_class_joins
from arcaneqa.induction.induction import Induction
from arcaneqa.induction.results import MOST_SUBPROGRAMS
from arcaneqa.induction.scorer import Candidate
from arcaneqa.induction.topics import Topics, is_same, terms_of
from arcaneqa.induction.vocabulary import Chosen, DecisionForm, Token
from arcaneqa.kb.terms import XSD, Literal
from arcaneqa.kb.values import Number, value_of
from arcaneqa.language import expression as ex
from arcaneqa.language.expression import Class, Entity, Expression, Relation, Value
from arcaneqa.language.run import Result
from arcaneqa.language.steps import Function, Ranks, Symbol, Variable

# A program as the tokens of its decisions (`tokens` says how they differ from a program's steps).


class Linear:
    """Writes one arranged program; `topics` are the variables of its entities and literals."""

    def __init__(self, topics: Mapping[ex.Expression, int], first_variable: int) -> None:
        self._topics = topics
        self._next = first_variable
        self.tokens: list[Token] = []
        self.subprograms = 0

    def write(self, program: ex.Expression) -> None:
        self._built(program)
        self.tokens.append(Symbol.END)

    def _built(self, node: ex.Expression) -> Variable:
        """Write the subprograms of a node; its variable."""
        match node:
            case ex.Class():
                return self._closed(DecisionForm.ALL, node)
            case ex.Join(relation, argument):
                source = self._built(argument) if isinstance(argument, ex.Class) else self._source(argument)
                return self._closed(Function.JOIN, source, relation)
            case ex.And(left, ex.Compare(_, ex.Counted() | ex.Totalled(), ex.Value()) as compare):
                return self._having(compare, self._source(left))
            case ex.Compare(_, ex.Counted(path) | ex.Totalled(_, path), ex.Value()):
                # Whatever has more than none has some, and only what has some has a total.
                return self._having(node, self._closed(Function.HAS, path[0]))
            case ex.And(ex.Class() as klass, right):
                return self._closed(Function.AND, self._source(right), klass)
            case ex.And(left, right):
                waiting = self._source(left)
                return self._closed(Function.AND, self._source(right), waiting)
            case ex.Or(left, right):
                return self._paired(Function.OR, left, right)
            case ex.Meet(left, right):
                return self._paired(Function.MEET, left, right)
            case ex.Not(argument, without):
                return self._paired(Function.NOT, argument, without)
            case ex.Has(relation):
                return self._closed(Function.HAS, relation)
            case ex.Like(relation, text):
                return self._closed(Function.LIKE, self._source(text), relation)
            case ex.Named(text):
                return self._closed(Function.NAMED, self._source(text))
            case ex.Cons(argument, relation, constant):
                return self._closed(Function.CONS, self._source(argument), relation, constant)
            case ex.During(argument, relation, when):
                source = self._source(argument)
                moment = when if isinstance(when, ex.Now) else self._source(when)
                return self._closed(Function.TC, source, relation, moment)
            case ex.Count(argument, path):
                return self._closed(
                    DecisionForm.DISTINCT if path else Function.COUNT, self._source(argument), *path
                )
            case ex.Aggregate(function, argument, path):
                return self._closed(Function(function.value), self._source(argument), *path)
            case _:
                return self._keyed(node)

    def _keyed(self, node: ex.Expression) -> Variable:
        match node:
            case ex.Compare(comparison, key, value):
                source = self._source(value)
                self._open(Function(comparison.value), source)
                self._key((key,) if not isinstance(key, ex.Counted | ex.Totalled) else key)
                return self._close()
            case ex.Extreme(direction, argument, key, first, last):
                source = self._source(argument)
                self._open(Function(direction.value), source)
                self._key(key)
                return self._close(*([] if first == last == 1 else [Ranks(first, last)]))
            case ex.Sort(argument, key, descending):
                source = self._source(argument)
                self._open(Function.SORT, source)
                self._key(key)
                return self._close(*([Symbol.DESC] if descending else []))
            case ex.Show(argument, columns):
                source = self._source(argument)
                self._open(Function.SHOW, source)
                for number, column in enumerate(columns):
                    self._column(column, follows=number > 0)
                return self._close()
            case ex.Per(argument, path, columns):
                source = self._source(argument)
                self._open(Function.PER, source)
                self._column(path, follows=False)
                for column in columns:
                    self._column(column, follows=True)
                return self._close()
        raise AssertionError(f"{node} is a topic, never a subprogram")

    def _source(self, node: ex.Expression) -> Token:
        """What stands for an argument: a class itself, a topic's variable, or that of what is built first."""
        if isinstance(node, ex.Class):
            return node
        return Variable(self._topics[node]) if isinstance(node, ex.Entity | ex.Value) else self._built(node)

    def _having(self, compare: ex.Compare, source: Token) -> Variable:
        self._open(DecisionForm.HAVING, source)
        assert isinstance(compare.key, ex.Counted | ex.Totalled)
        assert isinstance(compare.value, ex.Value)
        self._key(compare.key)
        number = _whole(compare.value) if isinstance(compare.key, ex.Counted) else self._source(compare.value)
        return self._close(Function(compare.comparison.value), number)

    def _paired(self, function: Function, one: ex.Expression, two: ex.Expression) -> Variable:
        # OR goes on from a whole class, as JOIN does; other functions name it themselves.
        first = (
            self._built(one) if function is Function.OR and isinstance(one, ex.Class) else self._source(one)
        )
        self._open(function, first)
        second = self._source(two)
        return self._close(second)

    def _key(self, key: ex.Key) -> None:
        match key:
            case ex.Counted(path, within):
                self.tokens += [Function.COUNT, *path]
                if within is not None:
                    self.tokens.append(self._source(within))
            case ex.Totalled(function, path):
                self.tokens += [Function(function.value), *path]
            case _:
                self.tokens += key

    def _column(self, column: ex.Key | ex.Path, follows: bool) -> None:
        if follows:
            self.tokens.append(Symbol.NEXT)
        if column == ():
            self.tokens.append(Symbol.SELF)
        else:
            self._key(column)

    def _open(self, function: Chosen, *arguments: Token) -> None:
        self.tokens += [Symbol.OPEN, function, *arguments]

    def _close(self, *arguments: Token) -> Variable:
        self.tokens += [*arguments, Symbol.CLOSE]
        self.subprograms += 1
        self._next += 1
        return Variable(self._next - 1)

    def _closed(self, function: Chosen, *arguments: Token) -> Variable:
        self._open(function, *arguments)
        return self._close()


def _whole(value: ex.Value) -> ex.Value:
    """A number that counts compare with, as induction writes it."""
    number = value_of(value.literal)
    if isinstance(number, Number) and number.nearest.is_integer():
        return ex.Value(Literal(str(int(number.nearest)), XSD + "integer"))
    return value


# Training targets: every decision of a gold program with its exact admissible set.


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
        case Function() | DecisionForm():
            return Reason.FUNCTION
        case Variable():
            return Reason.VARIABLE
        case Relation():
            return Reason.RELATION
        case Class():
            return Reason.CLASS
        case _:
            return Reason.CONSTANT
