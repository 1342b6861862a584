"""Writes a program as text."""

from __future__ import annotations

from arcaneqa.kb.short_names import Names
from arcaneqa.kb.terms import Iri
from arcaneqa.program.expression import (
    Aggregate,
    And,
    Class,
    Compare,
    Cons,
    Count,
    Counted,
    During,
    Entity,
    Expression,
    Extreme,
    Has,
    Join,
    Key,
    Like,
    Meet,
    Named,
    Not,
    Now,
    Or,
    Path,
    Per,
    Relation,
    Show,
    Sort,
    Totalled,
    Value,
)
from arcaneqa.program.lexer import (
    bare_literal,
    write_literal,
)

KEYWORDS = frozenset(("SELF", "COUNT", "DESC"))
"""Words that stand in a relation's place; a relation of that name is written as a full IRI."""


class Printer:
    def __init__(self, names: Names, grailqa: bool) -> None:
        self.names = names
        self.grailqa = grailqa

    def write(self, node: Expression, name_is: type[Entity] | type[Class] = Class) -> str:
        match node:
            case Entity(term):
                text = self.names.write(term)
                if isinstance(term, Iri) and bare_literal(text) is not None:
                    text = f"<{term.value}>"
                ambiguous = name_is is Class and isinstance(term, Iri) and not self.grailqa
                return f"(ENTITY {text})" if ambiguous else text
            case Class(iri):
                ambiguous = name_is is Entity and not self.grailqa
                return f"(CLASS {self.names.short(iri)})" if ambiguous else self.names.short(iri)
            case Value(literal):
                return write_literal(literal, self.names)
            case Join(relation, argument):
                return f"(JOIN {self.relation(relation)} {self.write(argument, Entity)})"
            case And(left, right):
                return f"(AND {self.write(left)} {self.write(right)})"
            case Or(left, right):
                return f"(OR {self.write(left, Entity)} {self.write(right, Entity)})"
            case Meet(left, right):
                return f"(MEET {self.write(left, Entity)} {self.write(right, Entity)})"
            case Not(argument, without):
                return f"(NOT {self.write(argument)} {self.write(without, Entity)})"
            case Has(relation):
                return f"(HAS {self.relation(relation)})"
            case Like(relation, text):
                return f"(LIKE {self.relation(relation)} {self.write(text)})"
            case Named(text):
                return f"(NAMED {self.write(text)})"
            case Extreme(direction, argument, key, first, last):
                ranks = "" if first == last == 1 else f" {last}" if first == 1 else f" {first} {last}"
                return f"({direction} {self.write(argument)} {self.key(key)}{ranks})"
            case Compare(comparison, key, value):
                function = comparison.lower() if self.grailqa else comparison
                if isinstance(key, Relation):
                    return f"({function} {self.relation(key)} {self.write(value)})"
                return f"({function} {self.key(key)} {self.number(value)})"
            case Count(argument, path):
                return f"(COUNT {self.write(argument)}{' ' if path else ''}{self.path(path)})"
            case Aggregate(aggregation, argument, path):
                return f"({aggregation} {self.write(argument)} {self.path(path)})"
            case Sort(argument, key, descending):
                return f"(SORT {self.write(argument)} {self.key(key)}{' DESC' * descending})"
            case Show(argument, columns):
                return f"(SHOW {self.write(argument)} {' '.join(map(self.key, columns))})"
            case Per(argument, path, columns):
                return f"(PER {self.write(argument)} {self.path(path)} {' '.join(map(self.key, columns))})"
            case Cons(argument, relation, constant):
                named = self.write(constant, Entity)
                return f"(CONS {self.write(argument)} {self.relation(relation)} {named})"
            case During(argument, relation, when):
                moment = "NOW" if isinstance(when, Now) else self.write(when)
                return f"(TC {self.write(argument)} {self.relation(relation)} {moment})"

    def relation(self, relation: Relation) -> str:
        name = self.names.short(relation.iri)
        if name in KEYWORDS:
            name = f"<{relation.iri}>"
        if not relation.inverse:
            return name
        return f"(R {name})" if self.grailqa else f"{name}_inv"

    def path(self, path: Path) -> str:
        if not path:
            return ""
        *first, last = (self.relation(relation) for relation in path)
        return "".join(f"(JOIN {step} " for step in first) + last + ")" * len(first)

    def key(self, key: Key) -> str:
        match key:
            case Counted((), _):
                return "COUNT"
            case Counted(path, within):
                return f"(COUNT {self.path(path)}{'' if within is None else f' {self.write(within)}'})"
            case Totalled(function, path):
                return f"({function} {self.path(path)})"
            case _:
                return self.path(key) or "SELF"

    def number(self, value: Expression) -> str:
        """What a count is compared with, bare where it can be read back so."""
        is_bare = isinstance(value, Value) and bare_literal(value.literal.lexical) == value.literal
        return value.literal.lexical if isinstance(value, Value) and is_bare else self.write(value)
