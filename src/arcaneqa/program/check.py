"""What makes a program ill typed: rules of the language, and of a schema where there is one."""

from __future__ import annotations

from collections.abc import Iterable

from rapidfuzz import fuzz, process

from arcaneqa.errors import ProgramError
from arcaneqa.kb.interface import Comparison, Window
from arcaneqa.kb.schema import Schema, ValueKind
from arcaneqa.kb.short_names import Names
from arcaneqa.kb.terms import RDF_LANG_STRING, XSD_STRING
from arcaneqa.kb.values import Number, value_of
from arcaneqa.program.expression import (
    Aggregate,
    Aggregation,
    And,
    Class,
    Compare,
    Cons,
    Counted,
    Denotation,
    During,
    Expression,
    Extreme,
    Join,
    Key,
    Like,
    Named,
    Path,
    Per,
    Relation,
    Show,
    Sort,
    Totalled,
    Value,
    children,
    denotes,
    post_order,
    relations,
)

_NUMBERS = frozenset((ValueKind.NUMBER,))
_ORDERED = frozenset((ValueKind.NUMBER, ValueKind.TIME))
_PLACES = {
    Denotation.NUMBER: "it can only be the outermost function, or what a comparison compares with",
    Denotation.TRUTH: "it can only be the outermost function",
    Denotation.LIST: "it can only be the outermost function, or inside SHOW",
    Denotation.TABLE: "it can only be the outermost function",
}


def check(program: Expression, names: Names, schema: Schema | None = None) -> None:
    """Raise a ProgramError that says what is wrong with the program, if anything is."""
    for node in post_order(program):
        if reason := fault(node, names, schema):
            raise ProgramError(reason)
    if reason := misplaced(program):
        raise ProgramError(reason)


def fault(node: Expression, names: Names, schema: Schema | None = None) -> str | None:
    """Why this node is ill typed, its arguments being sound; None where it is well typed."""
    return (
        _argument_fault(node)
        or (None if schema is None else _unknown_name(node, names, schema))
        or _Typing(names, schema).fault(node)
    )


def misplaced(node: Expression) -> str | None:
    """Why a node cannot stand where no set is beside it."""
    if not lets_none_pass(node):
        return None
    return (
        "a comparison that members with none would pass stands in AND with a set, "
        "as in (AND c (LT (COUNT r) 2))"
    )


def lets_none_pass(node: Expression) -> bool:
    """Whether this compares counts so that members without any may pass: those of which set, AND must say."""
    if not isinstance(node, Compare) or not isinstance(node.key, Counted):
        return False
    if not isinstance(node.value, Value):
        return node.comparison is not Comparison.GT
    limit = value_of(node.value.literal)
    return isinstance(limit, Number) and holds(node.comparison, Number(0.0), limit)


def holds(comparison: Comparison, number: Number, limit: Number) -> bool:
    match comparison:
        case Comparison.LT:
            return number < limit
        case Comparison.LE:
            return number <= limit
        case Comparison.GT:
            return number > limit
        case Comparison.GE:
            return number >= limit
        case Comparison.EQ:
            return number == limit


def _argument_fault(node: Expression) -> str | None:
    beside = [part for part in children(node) if not lets_none_pass(part)]
    if not isinstance(node, And) or not beside:
        for part in children(node):
            if reason := misplaced(part):
                return reason
    for part in children(node):
        kind = denotes(part)
        match node, part:
            case Compare(), _ if part is node.value and kind is Denotation.NUMBER:
                continue
            case (Show(), Sort()) if part is node.argument and kind is Denotation.LIST:
                continue
            case (Sort(), Per()) if part is node.argument:
                continue
        if kind is not Denotation.SET:
            name = type(part).__name__.upper() if not isinstance(part, Aggregate) else part.function
            return f"{name} gives {kind}, not a set, so {_PLACES[kind]}"
    return None


def _unknown_name(node: Expression, names: Names, schema: Schema) -> str | None:
    if isinstance(node, Class) and node.iri not in schema.class_ids:
        return _unknown("class", node.iri, (known.iri for known in schema.classes), names)
    for relation in relations(node):
        if relation.iri not in schema.relation_ids:
            return _unknown("relation", relation.iri, (known.iri for known in schema.relations), names)
    return None


class _Typing:
    def __init__(self, names: Names, schema: Schema | None) -> None:
        self.names, self.schema = names, schema

    def fault(self, node: Expression) -> str | None:
        match node:
            case Join(Relation(iri, True), Value()):
                return f"a literal is never a subject, so {self.names.short(iri)}_inv cannot start from one"
            case Extreme(direction, _, key, first, last):
                if not 1 <= first <= last:
                    return f"ranks go upwards from 1, not from {first} to {last}"
                if not isinstance(key, Counted | Totalled) and not key:
                    return f"{direction} needs a relation to order by"
                if isinstance(key, Totalled) and key.function in (Aggregation.MAX, Aggregation.MIN):
                    return (
                        f"{direction} goes by the best value of each member anyway; leave {key.function} out"
                    )
                return self.key_fault(str(direction), key)
            case Compare(comparison, key, value):
                return self.limit_fault(comparison, key, value) or self.key_fault(
                    str(comparison), (key,) if isinstance(key, Relation) else key
                )
            case Like(relation, text):
                if relation.inverse:
                    return "LIKE looks at the text of a relation, and an inverse one has none"
                return _text_fault("LIKE", text)
            case Named(text):
                return _text_fault("NAMED", text)
            case Aggregate(function, _, path):
                return self.key_fault(str(function), Totalled(function, path))
            case Sort(Per(_, path, columns), key):
                return None if key in (path, *columns) else "a table is sorted by one of its own columns"
            case Sort(_, key):
                return self.key_fault("SORT", key)
            case Show(_, columns) | Per(_, _, columns):
                return self.columns_fault(node, columns)
            case Cons(_, Relation(iri, True), Value()):
                return f"a literal is never a subject, so {self.names.short(iri)}_inv cannot lead from one"
            case During(_, relation, when):
                if isinstance(when, Value) and not isinstance(value_of(when.literal), Window):
                    return f"TC needs a time or NOW, and “{when.literal.lexical}” is not a valid time"
                if relation.inverse:
                    return "TC takes the relation that marks the start, never an inverse one"
                if ValueKind.TIME not in self.kinds(relation):
                    name = self.names.short(relation.iri)
                    return f"TC needs a relation that holds times, and {name} does not"
        return None

    def columns_fault(self, node: Show | Per, columns: tuple[Key, ...]) -> str | None:
        if not columns:
            return "a table needs at least one column"
        if isinstance(node, Per) and not node.path:
            return "PER needs a relation to make groups by"
        totals = (c for c in columns if isinstance(c, Counted | Totalled) and c != Counted(()))
        return next(filter(None, (self.key_fault("SHOW", column) for column in totals)), None)

    def limit_fault(
        self, comparison: Comparison, key: Relation | Counted | Totalled, value: Expression
    ) -> str | None:
        if isinstance(value, Value):
            limit, lexical = value_of(value.literal), value.literal.lexical
            if not isinstance(limit, Number | Window):
                return f"{comparison} needs a valid number or time, and “{lexical}” is neither"
            if not isinstance(key, Relation) and not isinstance(limit, Number):
                return f"a count or total compares with a number, and “{lexical}” is none"
        elif not isinstance(key, Relation) and denotes(value) is not Denotation.NUMBER:
            return "a count or total compares with a number or a program that gives one"
        return None

    def key_fault(self, function: str, key: Key) -> str | None:
        match key:
            case Counted(path, _):
                return None if path else f"{function} counts what a relation leads to, as in (COUNT r)"
            case Totalled(aggregation, path):
                if not path:
                    return f"{aggregation} needs a relation that holds numbers"
                if aggregation in (Aggregation.SUM, Aggregation.AVG):
                    return self.values_fault(str(aggregation), path, _NUMBERS, "numbers")
                return self.values_fault(str(aggregation), path, _ORDERED, "numbers or times")
            case _:
                if function == "SORT":
                    return None  # text has an order too
                return self.values_fault(function, key, _ORDERED, "numbers or times")

    def values_fault(self, function: str, path: Path, wanted: frozenset[ValueKind], said: str) -> str | None:
        relation = path[-1]
        name = self.names.short(relation.iri)
        if relation.inverse:
            return f"{function} orders by values, and the inverse {name}_inv never leads to one"
        if not wanted & self.kinds(relation):
            return f"{function} needs a relation that holds {said}, and {name} does not"
        return None

    def kinds(self, relation: Relation) -> frozenset[ValueKind]:
        if self.schema is None:
            return frozenset(ValueKind)
        return self.schema.relations[self.schema.relation_ids[relation.iri]].kinds


def _text_fault(function: str, text: Value) -> str | None:
    if text.literal.datatype not in (XSD_STRING, RDF_LANG_STRING):
        return f'{function} takes a text in quotation marks, as in "sauce"'
    return None if text.literal.lexical else f"{function} needs some text to look for"


def _unknown(what: str, iri: str, known: Iterable[str], names: Names) -> str:
    name = names.short(iri)
    shorts = [names.short(other) for other in known]
    nearest = [match for match, _, _ in process.extract(name, shorts, scorer=fuzz.WRatio, limit=3)]
    hint = f"; the nearest are {', '.join(nearest)}" if nearest else ""
    return f"the knowledge base has no {what} {name}{hint}"
