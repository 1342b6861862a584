"""The program language as typed, immutable trees.

Names are full IRIs, so a program means the same on every knowledge base that holds them. What a node denotes
is told by `denotes`: a set of nodes, a list, a number or time, a truth value, or a table.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum

from arcaneqa.kb.interface import Comparison
from arcaneqa.kb.terms import Blank, Iri, Literal


@dataclass(frozen=True, slots=True)
class Relation:
    """`(JOIN r u)` leads from objects to subjects; `inverse` (`r_inv`) from subjects to objects."""

    iri: str
    inverse: bool = False


Path = tuple[Relation, ...]
"""Read from the members of a set outwards: a plain relation leads subject to object, an inverse one object to
subject. The empty path, written SELF, leads to the member itself; only a column may be it."""


class Aggregation(StrEnum):
    SUM = "SUM"
    AVG = "AVG"
    MAX = "MAX"
    MIN = "MIN"


class Direction(StrEnum):
    LARGEST = "ARGMAX"
    SMALLEST = "ARGMIN"


# Keys: what a member is ordered or compared by, and what stands in a column ------------------------


@dataclass(frozen=True, slots=True)
class Counted:
    """`(COUNT r)`, `(COUNT r v)`: how many different nodes the path leads to (in the set `within`).

    With the empty path it is a column's bare `COUNT`: how many members there are.
    """

    path: Path
    within: Expression | None = None


@dataclass(frozen=True, slots=True)
class Totalled:
    """`(SUM r)`, `(AVG (JOIN r s))`: of the values that the path leads to, each as often as a walk does."""

    function: Aggregation
    path: Path


Key = Path | Counted | Totalled
"""A path orders by the best value it leads to."""


# Sets ----------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Entity:
    term: Iri | Blank


@dataclass(frozen=True, slots=True)
class Value:
    literal: Literal


@dataclass(frozen=True, slots=True)
class Class:
    iri: str


@dataclass(frozen=True, slots=True)
class Named:
    """`(NAMED "Victoria")`: all entities with this label or alias, whatever the case of its letters."""

    text: Value


@dataclass(frozen=True, slots=True)
class Join:
    relation: Relation
    argument: Expression


@dataclass(frozen=True, slots=True)
class And:
    left: Expression
    right: Expression


@dataclass(frozen=True, slots=True)
class Or:
    left: Expression
    right: Expression


@dataclass(frozen=True, slots=True)
class Not:
    """`(NOT u v)`: members of `argument` that are not in `without`."""

    argument: Expression
    without: Expression


@dataclass(frozen=True, slots=True)
class Has:
    """`(HAS r)`: whatever has some `r`; `(HAS r_inv)`: whatever is some `r` of something."""

    relation: Relation


@dataclass(frozen=True, slots=True)
class Like:
    """`(LIKE r "text")`: whose text for `r` contains this one, whatever the case of its letters."""

    relation: Relation
    text: Value


@dataclass(frozen=True, slots=True)
class Extreme:
    """Ranks `first` to `last` by the key, as in competitions: equals share a rank, and the next one's rank
    says how many are better. `(ARGMAX u r)` is ranks 1 to 1."""

    direction: Direction
    argument: Expression
    key: Key
    first: int = 1
    last: int = 1


@dataclass(frozen=True, slots=True)
class Compare:
    """`(GT r w)`: with some `r` greater than `value`, or than all values of the program that stands there.

    With a count or total as key, members without any count 0: where 0 passes, as in `(LT (COUNT r) 2)`,
    the comparison stands in an AND beside a set and picks from its members.
    """

    comparison: Comparison
    key: Relation | Counted | Totalled
    value: Expression


@dataclass(frozen=True, slots=True)
class Cons:
    argument: Expression
    relation: Relation
    constant: Entity | Value


class Now:
    """The moment the profile calls NOW; there is one of it, `NOW`."""

    def __repr__(self) -> str:
        return "NOW"


NOW = Now()


@dataclass(frozen=True, slots=True)
class During:
    """`(TC u r v)`: members of the argument that are valid at `when`."""

    argument: Expression
    relation: Relation
    when: Value | Now


# Numbers, truth, lists and tables ------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Count:
    """`(COUNT u)`: how many; `(COUNT u r)`: how many different nodes the path leads to from them."""

    argument: Expression
    path: Path = ()


@dataclass(frozen=True, slots=True)
class Aggregate:
    """`(SUM u r)`: over all pairs of a member and a value, so equal values of two members count twice."""

    function: Aggregation
    argument: Expression
    path: Path


@dataclass(frozen=True, slots=True)
class Meet:
    """`(MEET u v)`: whether they share a member."""

    left: Expression
    right: Expression


@dataclass(frozen=True, slots=True)
class Sort:
    """`(SORT u r DESC)`: members in the order of a key, those without one last; a PER table by a column."""

    argument: Expression
    key: Key
    descending: bool = False


@dataclass(frozen=True, slots=True)
class Show:
    """`(SHOW u r s …)`: a row for each member and combination of what the columns' paths lead to.

    Counts and totals are of each member; where there are only such columns, of all members: one row.
    """

    argument: Expression
    columns: tuple[Key, ...]


@dataclass(frozen=True, slots=True)
class Per:
    """`(PER u r COUNT)`: a row for each node the path leads to, about the members it comes from."""

    argument: Expression
    path: Path
    columns: tuple[Counted | Totalled, ...]


Expression = (
    Entity
    | Value
    | Class
    | Named
    | Join
    | And
    | Or
    | Not
    | Has
    | Like
    | Extreme
    | Compare
    | Cons
    | During
    | Count
    | Aggregate
    | Meet
    | Sort
    | Show
    | Per
)


class Denotation(StrEnum):
    """What a program stands for; the word says it to a reader of an error message."""

    SET = "a set"
    LIST = "a list"
    NUMBER = "a number"
    TRUTH = "yes or no"
    TABLE = "a table"


def denotes(expression: Expression) -> Denotation:
    match expression:
        case Count() | Aggregate():
            return Denotation.NUMBER
        case Meet():
            return Denotation.TRUTH
        case Show() | Per() | Sort(Per()):
            return Denotation.TABLE
        case Sort():
            return Denotation.LIST
        case _:
            return Denotation.SET


# Walks ---------------------------------------------------------------------------------------------


def children(expression: Expression) -> tuple[Expression, ...]:
    """The arguments that are programs or topics, in the order in which they are built: the one that a step
    grows from comes last. A CONS constant is part of its node."""
    match expression:
        case Entity() | Class() | Value():
            return ()
        case Join(_, argument) | Cons(argument, _, _) | Count(argument, _) | Aggregate(_, argument, _):
            return (argument,)
        case And(left, right) | Or(left, right) | Meet(left, right) | Not(left, right):
            return (left, right)
        case Extreme(_, argument, key) | Sort(argument, key):
            return (*_within([key]), argument)
        case Compare(_, key, value):
            return (*_within([key]), value)
        case Show(argument, columns) | Per(argument, _, columns):
            return (*_within(columns), argument)
        case During(argument, _, when):
            return (argument,) if isinstance(when, Now) else (argument, when)
        case Named(text) | Like(_, text):
            return (text,)
        case _:
            return ()


def _within(keys: Iterable[Key | Relation]) -> list[Expression]:
    return [key.within for key in keys if isinstance(key, Counted) and key.within is not None]


def post_order(expression: Expression) -> Sequence[Expression]:
    """Every node after its arguments, arguments in the order of `children`."""
    # A verdict goes through the same few programs many times. The program is kept beside its nodes, so its id
    # stays its own; to compare programs would be to go through them.
    if (known := _ORDERS.get(id(expression))) is not None:
        return known[1]
    # Every node before its arguments, the last of these first: read backwards, that is the order.
    found, stack = [], [expression]
    while stack:
        found.append(node := stack.pop())
        stack += children(node)
    found.reverse()
    if len(_ORDERS) >= _MOST_ORDERS:
        _ORDERS.clear()
    _ORDERS[id(expression)] = (expression, found)
    return found


_ORDERS: dict[int, tuple[Expression, Sequence[Expression]]] = {}
_MOST_ORDERS = 256
"""Programs whose nodes are kept; when there are more it begins anew."""


def path_of(key: Key | Relation) -> Path:
    """The relations that a key follows, from a member outwards."""
    match key:
        case Relation():
            return (key,)
        case Counted(path, _) | Totalled(_, path):
            return path
        case _:
            return key


def relations(expression: Expression) -> tuple[Relation, ...]:
    """The relations that the node itself names, those of its arguments left out."""
    match expression:
        case Join(relation, _) | Has(relation) | Like(relation, _):
            return (relation,)
        case Cons(_, relation, _) | During(_, relation, _):
            return (relation,)
        case Extreme(_, _, key) | Compare(_, key, _) | Sort(_, key):
            return path_of(key)
        case Count(_, path) | Aggregate(_, _, path):
            return path
        case Show(_, columns):
            return tuple(relation for column in columns for relation in path_of(column))
        case Per(_, path, columns):
            return (*path, *(relation for column in columns for relation in path_of(column)))
        case _:
            return ()


def picks_members(node: Expression) -> bool:
    """Whether this compares counts or totals, and so picks from the set beside it."""
    return isinstance(node, Compare) and not isinstance(node.key, Relation)


def count_relations(program: Expression) -> int:
    """How many relations a program names, each as often as it does."""
    return sum(len(relations(node)) for node in post_order(program))


def mentioned(expression: Expression) -> list[Entity]:
    """The entities a program names, CONS constants included, each once, in order of appearance."""
    found: dict[Entity, None] = {}
    for node in post_order(expression):
        if isinstance(node, Entity):
            found[node] = None
        elif isinstance(node, Cons) and isinstance(node.constant, Entity):
            found[node.constant] = None
    return list(found)
