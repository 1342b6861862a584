"""Programs as S-expressions: parse both dialects, print either.

A bare name is an entity where JOIN or CONS looks for one and a class where a set is expected; where a
program means it the other way round, canonical text says `(CLASS c)` or `(ENTITY e)`.
"""

from __future__ import annotations

import re
from typing import Literal as Choice

from arcaneqa.errors import InputError, ProgramError
from arcaneqa.kb.interface import Comparison
from arcaneqa.kb.schema import Schema
from arcaneqa.kb.short_names import Names
from arcaneqa.kb.terms import Blank, Iri
from arcaneqa.program.check import fault
from arcaneqa.program.expression import (
    NOW,
    And,
    Class,
    Compare,
    Cons,
    Count,
    Direction,
    During,
    Entity,
    Expression,
    Extreme,
    Join,
    Now,
    Relation,
    Value,
)
from arcaneqa.program.lexer import Token, checked_iri, read_literal, tokens, write_literal

Dialect = Choice["canonical", "grailqa"]
_NUMBER = re.compile(r"[+-]?\d[\d.,eE+-]*")
_ARITIES = {"JOIN": 2, "AND": 2, "COUNT": 1, "CONS": 3, "TC": 3, "R": 1, "CLASS": 1, "ENTITY": 1}
_ARITIES |= {direction.value: 2 for direction in Direction}
_ARITIES |= {comparison.value: 2 for comparison in Comparison}


def parse(text: str, names: Names, schema: Schema | None = None) -> Expression:
    """The program a text stands for; raises ProgramError with the position of what is wrong.

    With a schema, relations and classes it does not have are rejected, and so is ordering by a
    relation without values; a class is then recognised as JOIN's argument too.
    """
    return _Parser(text, names, schema).program()


class _Parser:
    def __init__(self, text: str, names: Names, schema: Schema | None) -> None:
        self.tokens = tokens(text)
        self.length = len(text)
        self.names = names
        self.schema = schema
        self.index = 0

    def program(self) -> Expression:
        if not self.tokens:
            raise ProgramError("the program is empty", 0)
        result = self.set()
        if self.index < len(self.tokens):
            raise self.error("the program is complete, but more follows", self.tokens[self.index].position)
        return result

    # Tokens ----------------------------------------------------------------------------------

    def error(self, reason: str, position: int) -> ProgramError:
        return ProgramError(f"{reason} (at character {position + 1})", position)

    def next(self) -> Token:
        if self.index == len(self.tokens):
            raise self.error("the program ends too early: a closing parenthesis is missing", self.length)
        self.index += 1
        return self.tokens[self.index - 1]

    def peek(self) -> Token | None:
        return self.tokens[self.index] if self.index < len(self.tokens) else None

    def function(self) -> str:
        token = self.next()
        name = token.text.upper()
        if token.kind != "word" or name not in _ARITIES:
            raise self.error(f"a function is expected here, not {token.text}", token.position)
        return name

    def close(self, function: str) -> None:
        token = self.next()
        if token.kind != "close":
            arity = _ARITIES[function]
            raise self.error(
                f"{function} takes {arity} argument{'s' * (arity > 1)}, not more", token.position
            )

    def iri(self, text: str, position: int) -> str:
        try:
            return checked_iri(self.names.expand(text))
        except (InputError, ProgramError) as error:
            raise self.error(str(error).rstrip("."), position) from error

    def sound(self, node: Expression, position: int) -> Expression:
        if reason := fault(node, self.names, self.schema):
            raise self.error(reason, position)
        return node

    # Grammar ---------------------------------------------------------------------------------

    def set(self, name_is: type[Entity] | type[Class] = Class) -> Expression:
        token = self.next()
        if token.kind == "open":
            function = self.function()
            node = self.call(function)
            self.close(function)
            return self.sound(node, token.position)
        if token.kind == "close":
            raise self.error("an argument is missing before this parenthesis", token.position)
        if token.kind == "literal":
            return self.literal(token)
        return self.sound(self.name(token, name_is), token.position)

    def call(self, function: str) -> Expression:
        position = self.tokens[self.index - 1].position
        match function:
            case "JOIN":
                return Join(self.relation(), self.set(Entity))
            case "AND":
                return And(self.set(), self.set())
            case "ARGMAX" | "ARGMIN":
                return Extreme(Direction(function), self.set(), self.path())
            case "LT" | "LE" | "GT" | "GE" | "EQ":
                return Compare(Comparison(function), self.relation(), self.literal(self.next()))
            case "COUNT":
                return Count(self.set())
            case "CONS":
                return Cons(self.set(), self.relation(), self.constant())
            case "TC":
                return During(self.set(), self.relation(), self.moment())
            case "CLASS":
                return Class(self.iri_of(self.next()))
            case "ENTITY":
                return self.entity(self.next())
        raise self.error(f"{function} turns a relation round and is no set by itself", position)

    def relation(self) -> Relation:
        token = self.next()
        if token.kind == "open":
            if self.function() != "R":
                raise self.error("a relation is expected here: r, r_inv or (R r)", token.position)
            inner = self.relation()
            self.close("R")
            return Relation(inner.iri, not inner.inverse)
        if token.kind not in ("word", "iri"):
            raise self.error("a relation is expected here: r, r_inv or (R r)", token.position)
        inverse = token.text.endswith("_inv")
        return Relation(self.iri(token.text.removesuffix("_inv"), token.position), inverse)

    def path(self) -> tuple[Relation, ...]:
        following = self.tokens[self.index : self.index + 2]
        if len(following) == 2 and following[0].kind == "open" and following[1].text.upper() == "JOIN":
            self.index += 2
            steps = (*self.path(), *self.path())
            self.close("JOIN")
            return steps
        return (self.relation(),)

    def literal(self, token: Token) -> Value:
        if token.kind != "literal":
            raise self.error(
                f"a literal such as 1999^^xsd:gYear is expected here, not {token.text}", token.position
            )
        try:
            return Value(read_literal(token.text, self.names))
        except ProgramError as error:
            raise self.error(str(error), token.position) from error

    def constant(self) -> Entity | Value:
        token = self.next()
        return self.literal(token) if token.kind == "literal" else self.entity(token)

    def moment(self) -> Value | Now:
        token = self.next()
        return NOW if token.kind == "word" and token.text.upper() == "NOW" else self.literal(token)

    def name(self, token: Token, name_is: type[Entity] | type[Class]) -> Entity | Class:
        if token.text.startswith("_:") or name_is is Entity:
            entity = self.entity(token)
            term, schema = entity.term, self.schema
            is_class = schema is not None and isinstance(term, Iri) and term.value in schema.class_ids
            return Class(self.iri_of(token)) if is_class else entity
        return Class(self.iri_of(token))

    def entity(self, token: Token) -> Entity:
        if token.kind == "word" and token.text.startswith("_:"):
            if len(token.text) == 2:
                raise self.error("a blank node needs a label after _:", token.position)
            return Entity(Blank(token.text[2:]))
        return Entity(Iri(self.iri_of(token)))

    def iri_of(self, token: Token) -> str:
        if token.kind not in ("word", "iri"):
            raise self.error(f"a name is expected here, not {token.text}", token.position)
        if token.kind == "iri" and not token.text.endswith(">"):
            raise self.error("only a relation has an inverse", token.position)
        if _NUMBER.fullmatch(token.text):
            hint = f"a number needs its datatype, as in {token.text}^^xsd:integer"
            raise self.error(hint, token.position)
        return self.iri(token.text, token.position)


def print_program(program: Expression, names: Names, dialect: Dialect = "canonical") -> str:
    """The program as text: `canonical` (`r_inv`), or as GrailQA writes it (`(R r)`, lower-case `ge`)."""
    return _Printer(names, dialect == "grailqa").write(program)


class _Printer:
    def __init__(self, names: Names, grailqa: bool) -> None:
        self.names = names
        self.grailqa = grailqa

    def write(self, node: Expression, name_is: type[Entity] | type[Class] = Class) -> str:
        match node:
            case Entity(term):
                text = self.names.write(term)
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
            case Extreme(direction, argument, path):
                return f"({direction} {self.write(argument)} {self.path(path)})"
            case Compare(comparison, relation, value):
                function = comparison.lower() if self.grailqa else comparison
                return f"({function} {self.relation(relation)} {self.write(value)})"
            case Count(argument):
                return f"(COUNT {self.write(argument)})"
            case Cons(argument, relation, constant):
                named = self.write(constant, Entity)
                return f"(CONS {self.write(argument)} {self.relation(relation)} {named})"
            case During(argument, relation, when):
                moment = "NOW" if isinstance(when, Now) else self.write(when)
                return f"(TC {self.write(argument)} {self.relation(relation)} {moment})"

    def relation(self, relation: Relation) -> str:
        name = self.names.short(relation.iri)
        if not relation.inverse:
            return name
        return f"(R {name})" if self.grailqa else f"{name}_inv"

    def path(self, path: tuple[Relation, ...]) -> str:
        *first, last = (self.relation(relation) for relation in path)
        return "".join(f"(JOIN {step} " for step in first) + last + ")" * len(first)
