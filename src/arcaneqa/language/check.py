"""What makes a program ill typed: rules of the language, and of a schema where there is one."""

from __future__ import annotations

from collections.abc import Iterable

from rapidfuzz import fuzz, process

from arcaneqa.kb.interface import Comparison, Window
from arcaneqa.kb.schema import Schema, ValueKind
from arcaneqa.kb.short_names import Names
from arcaneqa.kb.terms import RDF_LANG_STRING, XSD_STRING
from arcaneqa.kb.values import Number, holds, value_of
from arcaneqa.language import expression as ex
from arcaneqa.support.errors import ProgramError

_NUMBERS = frozenset((ValueKind.NUMBER,))
_ORDERED = frozenset((ValueKind.NUMBER, ValueKind.TIME))
_PLACES = {
    ex.Denotation.NUMBER: "it can only be the outermost function, or what a comparison compares with",
    ex.Denotation.TRUTH: "it can only be the outermost function",
    ex.Denotation.LIST: "it can only be the outermost function, or inside SHOW",
    ex.Denotation.TABLE: "it can only be the outermost function",
}


def check(program: ex.Expression, names: Names, schema: Schema | None = None) -> None:
    """Raise a ProgramError that says what is wrong with the program, if anything is."""
    for node in ex.post_order(program):
        if reason := fault(node, names, schema):
            raise ProgramError(reason)
    if reason := misplaced(program):
        raise ProgramError(reason)


def fault(node: ex.Expression, names: Names, schema: Schema | None = None) -> str | None:
    """Why this node is ill typed, its arguments being sound; None where it is well typed."""
    return (
        _argument_fault(node)
        or (None if schema is None else _unknown_name(node, names, schema))
        or _Typing(names, schema).fault(node)
    )


def misplaced(node: ex.Expression) -> str | None:
    """Why a node cannot stand where no set is beside it."""
    if not lets_none_pass(node):
        return None
    return (
        "a comparison that members with none would pass stands in AND with a set, "
        "as in (AND c (LT (COUNT r) 2))"
    )


def lets_none_pass(node: ex.Expression) -> bool:
    """Whether this compares counts so that members without any may pass: those of which set, AND must say."""
    if not isinstance(node, ex.Compare) or not isinstance(node.key, ex.Counted):
        return False
    if not isinstance(node.value, ex.Value):
        return node.comparison is not Comparison.GT
    limit = value_of(node.value.literal)
    return isinstance(limit, Number) and holds(Number(0.0), node.comparison, limit)


def _argument_fault(node: ex.Expression) -> str | None:
    beside = [part for part in ex.children(node) if not lets_none_pass(part)]
    if not isinstance(node, ex.And) or not beside:
        for part in ex.children(node):
            if reason := misplaced(part):
                return reason
    for part in ex.children(node):
        kind = ex.denotes(part)
        match node, part:
            case ex.Compare(), _ if part is node.value and kind is ex.Denotation.NUMBER:
                continue
            case (ex.Show(), ex.Sort()) if part is node.argument and kind is ex.Denotation.LIST:
                continue
            case (ex.Sort(), ex.Per()) if part is node.argument:
                continue
        if kind is not ex.Denotation.SET:
            name = type(part).__name__.upper() if not isinstance(part, ex.Aggregate) else part.function
            return f"{name} gives {kind}, not a set, so {_PLACES[kind]}"
    return None


def _unknown_name(node: ex.Expression, names: Names, schema: Schema) -> str | None:
    if isinstance(node, ex.Class) and node.iri not in schema.class_ids:
        return _unknown("class", node.iri, (known.iri for known in schema.classes), names)
    for relation in ex.relations(node):
        if relation.iri not in schema.relation_ids:
            return _unknown("relation", relation.iri, (known.iri for known in schema.relations), names)
    return None


class _Typing:
    def __init__(self, names: Names, schema: Schema | None) -> None:
        self.names, self.schema = names, schema

    def fault(self, node: ex.Expression) -> str | None:
        match node:
            case ex.Join(ex.Relation(iri, True), ex.Value()):
                return f"a literal is never a subject, so {self.names.short(iri)}_inv cannot start from one"
            case ex.Extreme(direction, _, key, first, last):
                if not 1 <= first <= last:
                    return f"ranks go upwards from 1, not from {first} to {last}"
                if not isinstance(key, ex.Counted | ex.Totalled) and not key:
                    return f"{direction} needs a relation to order by"
                if isinstance(key, ex.Totalled) and key.function in (ex.Aggregation.MAX, ex.Aggregation.MIN):
                    return (
                        f"{direction} goes by the best value of each member anyway; leave {key.function} out"
                    )
                return self.key_fault(str(direction), key)
            case ex.Compare(comparison, key, value):
                return self.limit_fault(comparison, key, value) or self.key_fault(
                    str(comparison), (key,) if isinstance(key, ex.Relation) else key
                )
            case ex.Like(relation, text):
                if relation.inverse:
                    return "LIKE looks at the text of a relation, and an inverse one has none"
                return _text_fault("LIKE", text)
            case ex.Named(text):
                return _text_fault("NAMED", text)
            case ex.Aggregate(function, _, path):
                return self.key_fault(str(function), ex.Totalled(function, path))
            case ex.Sort(ex.Per(_, path, columns), key):
                return None if key in (path, *columns) else "a table is sorted by one of its own columns"
            case ex.Sort(_, key):
                return self.key_fault("SORT", key)
            case ex.Show(_, columns) | ex.Per(_, _, columns):
                return self.columns_fault(node, columns)
            case ex.Cons(_, ex.Relation(iri, True), ex.Value()):
                return f"a literal is never a subject, so {self.names.short(iri)}_inv cannot lead from one"
            case ex.During(_, relation, when):
                if isinstance(when, ex.Value) and not isinstance(value_of(when.literal), Window):
                    return f"TC needs a time or NOW, and “{when.literal.lexical}” is not a valid time"
                if relation.inverse:
                    return "TC takes the relation that marks the start, never an inverse one"
                if ValueKind.TIME not in self.kinds(relation):
                    name = self.names.short(relation.iri)
                    return f"TC needs a relation that holds times, and {name} does not"
        return None

    def columns_fault(self, node: ex.Show | ex.Per, columns: tuple[ex.Key, ...]) -> str | None:
        if not columns:
            return "a table needs at least one column"
        if isinstance(node, ex.Per) and not node.path:
            return "PER needs a relation to make groups by"
        totals = (c for c in columns if isinstance(c, ex.Counted | ex.Totalled) and c != ex.Counted(()))
        return next(filter(None, (self.key_fault("SHOW", column) for column in totals)), None)

    def limit_fault(
        self, comparison: Comparison, key: ex.Relation | ex.Counted | ex.Totalled, value: ex.Expression
    ) -> str | None:
        if isinstance(value, ex.Value):
            limit, lexical = value_of(value.literal), value.literal.lexical
            if not isinstance(limit, Number | Window):
                return f"{comparison} needs a valid number or time, and “{lexical}” is neither"
            if not isinstance(key, ex.Relation) and not isinstance(limit, Number):
                return f"a count or total compares with a number, and “{lexical}” is none"
        elif not isinstance(key, ex.Relation) and ex.denotes(value) is not ex.Denotation.NUMBER:
            return "a count or total compares with a number or a program that gives one"
        return None

    def key_fault(self, function: str, key: ex.Key) -> str | None:
        match key:
            case ex.Counted(path, _):
                return None if path else f"{function} counts what a relation leads to, as in (COUNT r)"
            case ex.Totalled(aggregation, path):
                if not path:
                    return f"{aggregation} needs a relation that holds numbers"
                if aggregation in (ex.Aggregation.SUM, ex.Aggregation.AVG):
                    return self.values_fault(str(aggregation), path, _NUMBERS, "numbers")
                return self.values_fault(str(aggregation), path, _ORDERED, "numbers or times")
            case _:
                if function == "SORT":
                    return None  # text has an order too
                return self.values_fault(function, key, _ORDERED, "numbers or times")

    def values_fault(
        self, function: str, path: ex.Path, wanted: frozenset[ValueKind], said: str
    ) -> str | None:
        relation = path[-1]
        name = self.names.short(relation.iri)
        if relation.inverse:
            return f"{function} orders by values, and the inverse {name}_inv never leads to one"
        if not wanted & self.kinds(relation):
            return f"{function} needs a relation that holds {said}, and {name} does not"
        return None

    def kinds(self, relation: ex.Relation) -> frozenset[ValueKind]:
        if self.schema is None:
            return frozenset(ValueKind)
        return self.schema.relations[self.schema.relation_ids[relation.iri]].kinds


def _text_fault(function: str, text: ex.Value) -> str | None:
    if text.literal.datatype not in (XSD_STRING, RDF_LANG_STRING):
        return f'{function} takes a text in quotation marks, as in "sauce"'
    return None if text.literal.lexical else f"{function} needs some text to look for"


def _unknown(what: str, iri: str, known: Iterable[str], names: Names) -> str:
    name = names.short(iri)
    shorts = [names.short(other) for other in known]
    nearest = [match for match, _, _ in process.extract(name, shorts, scorer=fuzz.WRatio, limit=3)]
    hint = f"; the nearest are {', '.join(nearest)}" if nearest else ""
    return f"the knowledge base has no {what} {name}{hint}"
