"""Writes a program as text."""

from __future__ import annotations

from arcaneqa.kb.short_names import Names
from arcaneqa.kb.terms import Iri
from arcaneqa.program import expression as ex
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

    def write(self, node: ex.Expression, name_is: type[ex.Entity] | type[ex.Class] = ex.Class) -> str:
        match node:
            case ex.Entity(term):
                text = self.names.write(term)
                if isinstance(term, Iri) and bare_literal(text) is not None:
                    text = f"<{term.value}>"
                ambiguous = name_is is ex.Class and isinstance(term, Iri) and not self.grailqa
                return f"(ENTITY {text})" if ambiguous else text
            case ex.Class(iri):
                ambiguous = name_is is ex.Entity and not self.grailqa
                return f"(CLASS {self.names.short(iri)})" if ambiguous else self.names.short(iri)
            case ex.Value(literal):
                return write_literal(literal, self.names)
            case ex.Join(relation, argument):
                return f"(JOIN {self.relation(relation)} {self.write(argument, ex.Entity)})"
            case ex.And(left, right):
                return f"(AND {self.write(left)} {self.write(right)})"
            case ex.Or(left, right):
                return f"(OR {self.write(left, ex.Entity)} {self.write(right, ex.Entity)})"
            case ex.Meet(left, right):
                return f"(MEET {self.write(left, ex.Entity)} {self.write(right, ex.Entity)})"
            case ex.Not(argument, without):
                return f"(NOT {self.write(argument)} {self.write(without, ex.Entity)})"
            case ex.Has(relation):
                return f"(HAS {self.relation(relation)})"
            case ex.Like(relation, text):
                return f"(LIKE {self.relation(relation)} {self.write(text)})"
            case ex.Named(text):
                return f"(NAMED {self.write(text)})"
            case ex.Extreme(direction, argument, key, first, last):
                ranks = "" if first == last == 1 else f" {last}" if first == 1 else f" {first} {last}"
                return f"({direction} {self.write(argument)} {self.key(key)}{ranks})"
            case ex.Compare(comparison, key, value):
                function = comparison.lower() if self.grailqa else comparison
                if isinstance(key, ex.Relation):
                    return f"({function} {self.relation(key)} {self.write(value)})"
                return f"({function} {self.key(key)} {self.number(value)})"
            case ex.Count(argument, path):
                return f"(COUNT {self.write(argument)}{' ' if path else ''}{self.path(path)})"
            case ex.Aggregate(aggregation, argument, path):
                return f"({aggregation} {self.write(argument)} {self.path(path)})"
            case ex.Sort(argument, key, descending):
                return f"(SORT {self.write(argument)} {self.key(key)}{' DESC' * descending})"
            case ex.Show(argument, columns):
                return f"(SHOW {self.write(argument)} {' '.join(map(self.key, columns))})"
            case ex.Per(argument, path, columns):
                return f"(PER {self.write(argument)} {self.path(path)} {' '.join(map(self.key, columns))})"
            case ex.Cons(argument, relation, constant):
                named = self.write(constant, ex.Entity)
                return f"(CONS {self.write(argument)} {self.relation(relation)} {named})"
            case ex.During(argument, relation, when):
                moment = "NOW" if isinstance(when, ex.Now) else self.write(when)
                return f"(TC {self.write(argument)} {self.relation(relation)} {moment})"

    def relation(self, relation: ex.Relation) -> str:
        name = self.names.short(relation.iri)
        if name in KEYWORDS:
            name = f"<{relation.iri}>"
        if not relation.inverse:
            return name
        return f"(R {name})" if self.grailqa else f"{name}_inv"

    def path(self, path: ex.Path) -> str:
        if not path:
            return ""
        *first, last = (self.relation(relation) for relation in path)
        return "".join(f"(JOIN {step} " for step in first) + last + ")" * len(first)

    def key(self, key: ex.Key) -> str:
        match key:
            case ex.Counted((), _):
                return "COUNT"
            case ex.Counted(path, within):
                return f"(COUNT {self.path(path)}{'' if within is None else f' {self.write(within)}'})"
            case ex.Totalled(function, path):
                return f"({function} {self.path(path)})"
            case _:
                return self.path(key) or "SELF"

    def number(self, value: ex.Expression) -> str:
        """What a count is compared with, bare where it can be read back so."""
        is_bare = isinstance(value, ex.Value) and bare_literal(value.literal.lexical) == value.literal
        return value.literal.lexical if isinstance(value, ex.Value) and is_bare else self.write(value)
