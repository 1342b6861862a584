"""A program as the sequence of subprograms that builds it, and back without loss.

Variables are numbered from 0: first the topics (entities and literals a question names), then each
subprogram in turn. A subprogram is flat: its arguments are variables or names. The variable it grows
from comes first, so `(JOIN r #0)` is the step `( JOIN #0 r )` and `(AND c #1)` the step `( AND #1 c )`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum

from arcaneqa.kb.interface import Comparison
from arcaneqa.language import expression as ex
from arcaneqa.support.errors import ProgramError


class Function(StrEnum):
    JOIN = "JOIN"
    AND = "AND"
    ARGMAX = "ARGMAX"
    ARGMIN = "ARGMIN"
    LT = "LT"
    LE = "LE"
    GT = "GT"
    GE = "GE"
    COUNT = "COUNT"
    CONS = "CONS"
    TC = "TC"
    EQ = "EQ"
    OR = "OR"
    NOT = "NOT"
    HAS = "HAS"
    LIKE = "LIKE"
    NAMED = "NAMED"
    SUM = "SUM"
    AVG = "AVG"
    MAX = "MAX"
    MIN = "MIN"
    MEET = "MEET"
    SORT = "SORT"
    SHOW = "SHOW"
    PER = "PER"


class Symbol(StrEnum):
    OPEN = "("
    CLOSE = ")"
    END = "END"
    SELF = "SELF"
    """A column that holds the member itself."""
    NEXT = ","
    """Between two columns, since a path is several relations."""
    DESC = "DESC"


@dataclass(frozen=True, slots=True)
class Variable:
    """The topic or the result of the subprogram with this number."""

    index: int


@dataclass(frozen=True, slots=True)
class Ranks:
    """The ranks a superlative keeps, where they are not the first alone."""

    first: int
    last: int


Topic = ex.Entity | ex.Value
Argument = Variable | ex.Relation | ex.Class | ex.Entity | ex.Value | ex.Now | Function | Symbol | Ranks
Token = Symbol | Function | Argument


@dataclass(frozen=True, slots=True)
class Subprogram:
    """One function over variables and names; each list can be read from left to right in one way.

    | function | arguments |
    |---|---|
    | JOIN | set, relation |
    | AND, OR, MEET | set, the set that waits: `( OR #2 #1 )` is `(OR #1 #2)` |
    | NOT | set that is taken away, the set it is taken from: `( NOT #2 #1 )` is `(NOT #1 #2)` |
    | HAS | relation |
    | LIKE | text, relation |
    | NAMED | text |
    | ARGMAX, ARGMIN | set, key, ranks if not 1 to 1 |
    | LT, LE, GT, GE, EQ | literal or program, relation or a key with COUNT, SUM or AVG |
    | COUNT | set, path or nothing |
    | SUM, AVG, MAX, MIN | set, path |
    | CONS | set, relation, entity or literal named right there |
    | TC | set, relation, literal or NOW |
    | SORT | set, key or column, DESC or nothing |
    | SHOW | set, columns |
    | PER | set, path, `,` and columns |

    A set is a variable or a class; a literal of a comparison, TC, LIKE or NAMED is a variable, since it is a
    topic. A path is one or more relations, read from the set outwards. A key is a path; COUNT, a path and
    perhaps the set to count in; or SUM or AVG and a path. A column is a key, SELF, MAX or MIN with a path, or
    COUNT alone; columns are kept apart by `,`.
    """

    function: Function
    arguments: tuple[Argument, ...]


@dataclass(frozen=True, slots=True)
class Steps:
    """Topics and subprograms; the last subprogram is the program's result."""

    topics: tuple[Topic, ...]
    subprograms: tuple[Subprogram, ...]

    def tokens(self) -> Iterator[Token]:
        for subprogram in self.subprograms:
            yield Symbol.OPEN
            yield subprogram.function
            yield from subprogram.arguments
            yield Symbol.CLOSE
        yield Symbol.END


def to_steps(program: ex.Expression, topics: Sequence[Topic] | None = None) -> Steps:
    """The subprograms of a program in post-order, equal ones once.

    `topics` are the first variables, in the caller's order (unused ones are welcome); left out, they
    are the program's own in order of appearance. Programs equal but for the order of AND or OR have
    different sequences: `canonical` picks one of them.
    """
    order = list(ex.post_order(program))
    if isinstance(program, ex.Entity | ex.Value | ex.Class):
        raise ProgramError("a single name has no steps; a program needs at least one function")
    own = dict.fromkeys(node for node in order if isinstance(node, ex.Entity | ex.Value))
    given = tuple(own if topics is None else dict.fromkeys(topics))
    if missing := [topic for topic in own if topic not in given]:
        raise ProgramError(f"the program uses {missing[0]}, which is not among the topics given")
    numbers: dict[ex.Expression, int] = {topic: index for index, topic in enumerate(given)}

    def source(argument: ex.Expression) -> Argument:
        return argument if isinstance(argument, ex.Class) else Variable(numbers[argument])

    subprograms = []
    for node in order:
        if not isinstance(node, ex.Class) and node not in numbers:
            subprograms.append(_flat(node, source))
            numbers[node] = len(numbers)
    return Steps(given, tuple(subprograms))


def from_steps(steps: Steps) -> ex.Expression:
    """The program a sequence of subprograms builds; variables that lead nowhere are ignored."""
    variables: list[ex.Expression] = list(steps.topics)
    if not steps.subprograms:
        raise ProgramError("a sequence without subprograms is no program")
    for subprogram in steps.subprograms:
        variables.append(expand(subprogram, variables))
    return variables[-1]


_Source = Callable[[ex.Expression], Argument]


def _flat(node: ex.Expression, source: _Source) -> Subprogram:
    """The subprogram of one node; `source` gives the token of an argument."""
    match node:
        case ex.Join(relation, argument):
            return Subprogram(Function.JOIN, (source(argument), relation))
        case ex.And(left, right):
            return Subprogram(Function.AND, (source(right), source(left)))
        case ex.Or(left, right):
            return Subprogram(Function.OR, (source(right), source(left)))
        case ex.Meet(left, right):
            return Subprogram(Function.MEET, (source(right), source(left)))
        case ex.Not(argument, without):
            return Subprogram(Function.NOT, (source(without), source(argument)))
        case ex.Has(relation):
            return Subprogram(Function.HAS, (relation,))
        case ex.Like(relation, text):
            return Subprogram(Function.LIKE, (source(text), relation))
        case ex.Named(text):
            return Subprogram(Function.NAMED, (source(text),))
        case ex.Extreme(direction, argument, key, first, last):
            ranks = () if first == last == 1 else (Ranks(first, last),)
            return Subprogram(Function(direction.value), (source(argument), *_flat_key(key, source), *ranks))
        case ex.Compare(comparison, compared, value):
            key = (compared,) if isinstance(compared, ex.Relation) else compared
            return Subprogram(Function(comparison.value), (source(value), *_flat_key(key, source)))
        case ex.Count(argument, path):
            return Subprogram(Function.COUNT, (source(argument), *path))
        case ex.Aggregate(function, argument, path):
            return Subprogram(Function(function.value), (source(argument), *path))
        case ex.Cons(argument, relation, constant):
            return Subprogram(Function.CONS, (source(argument), relation, constant))
        case ex.During(argument, relation, when):
            moment: Argument = when if isinstance(when, ex.Now) else source(when)
            return Subprogram(Function.TC, (source(argument), relation, moment))
        case ex.Sort(argument, key, descending):
            order = (Symbol.DESC,) if descending else ()
            return Subprogram(Function.SORT, (source(argument), *_flat_key(key, source), *order))
        case ex.Show(argument, columns):
            first_column, *others = (_flat_key(column, source) for column in columns)
            following = (token for column in others for token in (Symbol.NEXT, *column))
            return Subprogram(Function.SHOW, (source(argument), *first_column, *following))
        case ex.Per(argument, path, aggregates):
            following = (token for a in aggregates for token in (Symbol.NEXT, *_flat_key(a, source)))
            return Subprogram(Function.PER, (source(argument), *(path or (Symbol.SELF,)), *following))
    raise AssertionError(f"{node} is a topic or a class, never a step")


def _flat_key(key: ex.Key, source: _Source) -> tuple[Argument, ...]:
    match key:
        case ex.Counted(path, within):
            return (Function.COUNT, *path, *(() if within is None else (source(within),)))
        case ex.Totalled(function, path):
            return (Function(function.value), *path)
        case _:
            return key or (Symbol.SELF,)


_AGGREGATES = frozenset(Function(aggregation.value) for aggregation in ex.Aggregation)
_COMPARISONS = frozenset(Function(comparison.value) for comparison in Comparison)


def expand(subprogram: Subprogram, variables: Sequence[ex.Expression]) -> ex.Expression:
    """The program of one subprogram, given those of the variables before it."""
    function, arguments = subprogram.function, subprogram.arguments

    def argument(token: Argument) -> ex.Expression:
        if isinstance(token, Variable):
            if not 0 <= token.index < len(variables):
                raise ProgramError(f"#{token.index} is used before it is computed")
            return variables[token.index]
        if isinstance(token, ex.Class | ex.Entity | ex.Value):
            return token
        raise ProgramError(f"{function} cannot take {token} there")

    def key(tokens: Sequence[Argument]) -> ex.Key:
        match list(tokens):
            case [Symbol.SELF]:
                return ()
            case [Function.COUNT, *path, (Variable() | ex.Class()) as within]:
                return ex.Counted(relations(path), argument(within))
            case [Function.COUNT, *path]:
                return ex.Counted(relations(path))
            case [Function() as aggregate, *path] if aggregate in _AGGREGATES and path:
                return ex.Totalled(ex.Aggregation(aggregate.value), relations(path))
            case [_, *_] as path:
                return relations(path)
        raise ProgramError(f"{function} needs something to go by")

    def relations(tokens: Sequence[Argument]) -> ex.Path:
        for token in tokens:
            if not isinstance(token, ex.Relation):
                raise ProgramError(f"{function} cannot take {token} there")
        return tuple(token for token in tokens if isinstance(token, ex.Relation))

    match function, arguments:
        case Function.JOIN, (source, ex.Relation() as relation):
            return ex.Join(relation, argument(source))
        case Function.AND, (right, left):
            return ex.And(argument(left), argument(right))
        case Function.OR, (right, left):
            return ex.Or(argument(left), argument(right))
        case Function.MEET, (right, left):
            return ex.Meet(argument(left), argument(right))
        case Function.NOT, (without, source):
            return ex.Not(argument(source), argument(without))
        case Function.HAS, (ex.Relation() as relation,):
            return ex.Has(relation)
        case Function.LIKE, (source, ex.Relation() as relation):
            if isinstance(text := argument(source), ex.Value):
                return ex.Like(relation, text)
        case Function.NAMED, (source,):
            if isinstance(text := argument(source), ex.Value):
                return ex.Named(text)
        case ((Function.ARGMAX | Function.ARGMIN), (source, *rest, Ranks(first, last))):
            return ex.Extreme(ex.Direction(function.value), argument(source), key(rest), first, last)
        case ((Function.ARGMAX | Function.ARGMIN), (source, *rest)):
            return ex.Extreme(ex.Direction(function.value), argument(source), key(rest))
        case Function.COUNT, (source, *path):
            return ex.Count(argument(source), relations(path))
        case Function.CONS, (source, ex.Relation() as relation, (ex.Entity() | ex.Value()) as constant):
            return ex.Cons(argument(source), relation, constant)
        case Function.TC, (source, ex.Relation() as relation, when):
            moment = when if isinstance(when, ex.Now) else argument(when)
            if isinstance(moment, ex.Value | ex.Now):
                return ex.During(argument(source), relation, moment)
        case Function.SORT, (source, *rest, Symbol.DESC):
            return ex.Sort(argument(source), key(rest), descending=True)
        case Function.SORT, (source, *rest):
            return ex.Sort(argument(source), key(rest))
        case Function.SHOW, (source, *rest):
            return ex.Show(argument(source), tuple(key(column) for column in _columns(rest)))
        case Function.PER, (source, *rest):
            group, *others = (key(column) for column in _columns(rest))
            columns = tuple(column for column in others if isinstance(column, ex.Counted | ex.Totalled))
            if isinstance(group, tuple) and len(columns) == len(others):
                return ex.Per(argument(source), group, columns)
        case _, (source, ex.Relation() as relation) if function in _COMPARISONS:
            value = argument(source)
            if not isinstance(value, ex.Entity | ex.Class):
                return ex.Compare(Comparison(function.value), relation, value)
        case _, (source, *rest) if function in _COMPARISONS:
            compared = key(rest)
            if isinstance(compared, ex.Counted | ex.Totalled):
                return ex.Compare(Comparison(function.value), compared, argument(source))
        case _, (source, *path) if function in _AGGREGATES and path:
            return ex.Aggregate(ex.Aggregation(function.value), argument(source), relations(path))
    raise ProgramError(f"{function} cannot take the arguments {arguments}")


def _columns(tokens: Sequence[Argument]) -> list[list[Argument]]:
    found: list[list[Argument]] = [[]]
    for token in tokens:
        if token is Symbol.NEXT:
            found.append([])
        else:
            found[-1].append(token)
    return found
