"""What makes a program ill typed: rules of the language, and of a schema where there is one."""

from __future__ import annotations

from collections.abc import Iterable

from rapidfuzz import fuzz, process

from arcaneqa.errors import ProgramError
from arcaneqa.kb.interface import Window
from arcaneqa.kb.schema import Schema, ValueKind
from arcaneqa.kb.short_names import Names
from arcaneqa.kb.values import Number, value_of
from arcaneqa.program.expression import (
    Class,
    Compare,
    Cons,
    Count,
    During,
    Expression,
    Extreme,
    Join,
    Relation,
    Value,
    children,
    post_order,
)


def check(program: Expression, names: Names, schema: Schema | None = None) -> None:
    """Raise a ProgramError that says what is wrong with the program, if anything is."""
    for node in post_order(program):
        if reason := fault(node, names, schema):
            raise ProgramError(reason)


def fault(node: Expression, names: Names, schema: Schema | None = None) -> str | None:
    """Why this node is ill typed, its arguments being sound; None where it is well typed."""
    if any(isinstance(child, Count) for child in children(node)):
        return "COUNT gives a number, not a set, so it can only be the outermost function"
    if schema is not None:
        if isinstance(node, Class) and node.iri not in schema.class_ids:
            return _unknown("class", node.iri, (known.iri for known in schema.classes), names)
        for relation in _relations(node):
            if relation.iri not in schema.relation_ids:
                return _unknown("relation", relation.iri, (known.iri for known in schema.relations), names)
    match node:
        case Join(Relation(iri, True), Value()):
            return f"a literal is never a subject, so {names.short(iri)}_inv cannot start from one"
        case Extreme(_, _, path):
            if not path:
                return f"{node.direction} needs a relation to order by"
            return _order_fault(str(node.direction), path[-1], names, schema)
        case Compare(comparison, relation, value):
            if not isinstance(value_of(value.literal), Number | Window):
                return f"{comparison} needs a valid number or time, and “{value.literal.lexical}” is neither"
            return _order_fault(str(comparison), relation, names, schema)
        case Cons(_, Relation(iri, True), Value()):
            return f"a literal is never a subject, so {names.short(iri)}_inv cannot lead from one"
        case During(_, relation, when):
            if isinstance(when, Value) and not isinstance(value_of(when.literal), Window):
                return f"TC needs a time or NOW, and “{when.literal.lexical}” is not a valid time"
            if relation.inverse:
                return "TC takes the relation that marks the start, never an inverse one"
            if schema is not None:
                kinds = schema.relations[schema.relation_ids[relation.iri]].kinds
                if ValueKind.TIME not in kinds:
                    return f"TC needs a relation that holds times, and {names.short(relation.iri)} does not"
    return None


def _relations(node: Expression) -> tuple[Relation, ...]:
    match node:
        case Join(relation, _) | Compare(_, relation, _) | Cons(_, relation, _) | During(_, relation, _):
            return (relation,)
        case Extreme(_, _, path):
            return path
        case _:
            return ()


def _order_fault(function: str, relation: Relation, names: Names, schema: Schema | None) -> str | None:
    name = names.short(relation.iri)
    if relation.inverse:
        return f"{function} orders by values, and the inverse {name}_inv never leads to one"
    if schema is not None and not schema.relations[schema.relation_ids[relation.iri]].comparable:
        return f"{function} needs a relation that holds numbers or times, and {name} does not"
    return None


def _unknown(what: str, iri: str, known: Iterable[str], names: Names) -> str:
    name = names.short(iri)
    shorts = [names.short(other) for other in known]
    nearest = [match for match, _, _ in process.extract(name, shorts, scorer=fuzz.WRatio, limit=3)]
    hint = f"; the nearest are {', '.join(nearest)}" if nearest else ""
    return f"the knowledge base has no {what} {name}{hint}"
