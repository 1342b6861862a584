"""Reads a program's text: one method for each thing that can stand somewhere."""

from __future__ import annotations

from arcaneqa.errors import InputError, ProgramError
from arcaneqa.kb.interface import Comparison
from arcaneqa.kb.schema import Schema
from arcaneqa.kb.short_names import Names
from arcaneqa.kb.terms import Blank, Iri, Term
from arcaneqa.program import expression as ex
from arcaneqa.program.check import fault, misplaced
from arcaneqa.program.lexer import (
    NUMBER,
    Token,
    bare_literal,
    checked_iri,
    read_literal,
    tokens,
)

_MOST_ARGUMENTS = {"JOIN": 2, "AND": 2, "OR": 2, "NOT": 2, "MEET": 2, "COUNT": 2}
_MOST_ARGUMENTS |= {"HAS": 1, "LIKE": 2, "NAMED": 1, "R": 1, "CLASS": 1, "ENTITY": 1}
_MOST_ARGUMENTS |= {"CONS": 3, "TC": 3, "SORT": 3}
_MOST_ARGUMENTS |= {direction.value: 4 for direction in ex.Direction}
_MOST_ARGUMENTS |= {function.value: 2 for function in (*Comparison, *ex.Aggregation)}
_FUNCTIONS = frozenset((*_MOST_ARGUMENTS, "SHOW", "PER"))


class Parser:
    def __init__(self, text: str, names: Names, schema: Schema | None) -> None:
        self.tokens = tokens(text)
        self.length = len(text)
        self.names = names
        self.schema = schema
        self.index = 0

    def program(self) -> ex.Expression:
        if not self.tokens:
            raise ProgramError("the program is empty", 0)
        result = self.set()
        if self.index < len(self.tokens):
            raise self.error("the program is complete, but more follows", self.tokens[self.index].position)
        if reason := misplaced(result):
            raise self.error(reason, 0)
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
        if token.kind != "word" or name not in _FUNCTIONS:
            raise self.error(f"a function is expected here, not {token.text}", token.position)
        return name

    def close(self, function: str) -> None:
        token = self.next()
        if token.kind != "close":
            most = _MOST_ARGUMENTS[function]
            raise self.error(f"{function} takes {most} argument{'s' * (most > 1)}, not more", token.position)

    def iri(self, text: str, position: int) -> str:
        try:
            return checked_iri(self.names.expand(text))
        except (InputError, ProgramError) as error:
            raise self.error(str(error).rstrip("."), position) from error

    def sound(self, node: ex.Expression, position: int) -> ex.Expression:
        if reason := fault(node, self.names, self.schema):
            raise self.error(reason, position)
        return node

    # Grammar ---------------------------------------------------------------------------------

    def set(self, name_is: type[ex.Entity] | type[ex.Class] = ex.Class) -> ex.Expression:
        token = self.next()
        if token.kind == "open":
            function = self.function()
            node = self.call(function)
            self.close(function)
            return self.sound(node, token.position)
        if token.kind == "close":
            raise self.error("an argument is missing before this parenthesis", token.position)
        if token.kind == "literal" or (name_is is ex.Entity and bare_literal(token.text) is not None):
            return self.literal(token)
        return self.sound(self.name(token, name_is), token.position)

    def call(self, function: str) -> ex.Expression:
        position = self.tokens[self.index - 1].position
        match function:
            case "JOIN":
                return ex.Join(self.relation(), self.set(ex.Entity))
            case "AND":
                return ex.And(self.set(), self.set())
            case "OR":
                return ex.Or(self.set(ex.Entity), self.set(ex.Entity))
            case "MEET":
                return ex.Meet(self.set(ex.Entity), self.set(ex.Entity))
            case "NOT":
                return ex.Not(self.set(), self.set(ex.Entity))
            case "HAS":
                return ex.Has(self.relation())
            case "LIKE":
                return ex.Like(self.relation(), self.literal(self.next()))
            case "NAMED":
                return ex.Named(self.literal(self.next()))
            case "ARGMAX" | "ARGMIN":
                return ex.Extreme(ex.Direction(function), self.set(), self.key(), *self.ranks())
            case "LT" | "LE" | "GT" | "GE" | "EQ":
                return ex.Compare(Comparison(function), self.compared(), self.bound())
            case "COUNT":
                return ex.Count(self.set(), () if self.is_closing() else self.path())
            case "SUM" | "AVG" | "MAX" | "MIN":
                return ex.Aggregate(ex.Aggregation(function), self.set(), self.path())
            case "SORT":
                return ex.Sort(self.set(), self.key(), self.skips("DESC"))
            case "SHOW":
                return ex.Show(self.set(), self.columns())
            case "PER":
                return ex.Per(self.set(), self.path(), self.aggregates())
            case "CONS":
                return ex.Cons(self.set(), self.relation(), self.constant())
            case "TC":
                return ex.During(self.set(), self.relation(), self.moment())
            case "CLASS":
                return ex.Class(self.iri_of(self.next()))
            case "ENTITY":
                return self.entity(self.next())
        raise self.error(f"{function} turns a relation round and is no set by itself", position)

    def relation(self) -> ex.Relation:
        token = self.next()
        if token.kind == "open":
            if self.function() != "R":
                raise self.error("a relation is expected here: r, r_inv or (R r)", token.position)
            inner = self.relation()
            self.close("R")
            return ex.Relation(inner.iri, not inner.inverse)
        if token.kind not in ("word", "iri"):
            raise self.error("a relation is expected here: r, r_inv or (R r)", token.position)
        inverse = token.text.endswith("_inv")
        return ex.Relation(self.iri(token.text.removesuffix("_inv"), token.position), inverse)

    def path(self) -> ex.Path:
        if not self.calls("JOIN"):
            return (self.relation(),)
        self.index += 2
        steps = (*self.path(), *self.path())
        self.close("JOIN")
        return steps

    def key(self) -> ex.Key:
        """What members are ordered by, or a column: a path, SELF, COUNT, or one of these in a function."""
        if self.skips("SELF"):
            return ()
        if self.skips("COUNT"):
            return ex.Counted(())
        if self.calls("COUNT"):
            self.index += 2
            path = self.path()
            within = None if self.is_closing() else self.set()
            self.close("COUNT")
            return ex.Counted(path, within)
        if self.calls(*ex.Aggregation):
            self.index += 1
            function = self.function()
            total = ex.Totalled(ex.Aggregation(function), self.path())
            self.close(function)
            return total
        return self.path()

    def compared(self) -> ex.Relation | ex.Counted | ex.Totalled:
        position = self.index
        key = self.key()
        if isinstance(key, ex.Counted | ex.Totalled):
            return key
        if len(key) == 1:
            return key[0]
        reason = (
            "a comparison takes a relation, (COUNT r), (SUM r) or (AVG r); for a path write (JOIN r (GT s v))"
        )
        raise self.error(reason, self.tokens[position].position)

    def bound(self) -> ex.Expression:
        following = self.peek()
        return self.set() if following is not None and following.kind == "open" else self.literal(self.next())

    def ranks(self) -> tuple[int, int]:
        """`3` is ranks 1 to 3, `2 4` ranks 2 to 4; nothing is rank 1."""
        found: list[int] = []
        while not self.is_closing() and len(found) < 2:
            token = self.next()
            if not token.text.isascii() or not token.text.isdigit() or not 0 < int(token.text) < 10**9:
                raise self.error(f"a rank such as 3 is expected here, not {token.text}", token.position)
            found.append(int(token.text))
        first, last = [1, 1] if not found else [1, *found][-2:]
        return first, last

    def columns(self) -> tuple[ex.Key, ...]:
        found: list[ex.Key] = []
        while not found or not self.is_closing():
            found.append(self.key())
        return tuple(found)

    def aggregates(self) -> tuple[ex.Counted | ex.Totalled, ...]:
        position = self.index
        found = self.columns()
        columns = tuple(column for column in found if isinstance(column, ex.Counted | ex.Totalled))
        if len(columns) < len(found):
            reason = "PER shows COUNT, (COUNT r), (SUM r), (AVG r), (MAX r) or (MIN r) of each group"
            raise self.error(reason, self.tokens[position].position)
        return columns

    def is_closing(self) -> bool:
        following = self.peek()
        return following is None or following.kind == "close"

    def calls(self, *functions: str) -> bool:
        """Whether a call of one of these comes next."""
        following = self.tokens[self.index : self.index + 2]
        return len(following) == 2 and following[0].kind == "open" and following[1].text.upper() in functions

    def skips(self, keyword: str) -> bool:
        """Whether this keyword came next; it is read."""
        following = self.peek()
        found = following is not None and following.kind == "word" and following.text == keyword
        self.index += found
        return found

    def literal(self, token: Token) -> ex.Value:
        if token.kind != "literal":
            if (bare := bare_literal(token.text)) is not None:
                return ex.Value(bare)
            raise self.error(
                f"a literal such as 1999^^xsd:gYear is expected here, not {token.text}", token.position
            )
        try:
            return ex.Value(read_literal(token.text, self.names))
        except ProgramError as error:
            raise self.error(str(error), token.position) from error

    def constant(self) -> ex.Entity | ex.Value:
        token = self.next()
        is_value = token.kind == "literal" or bare_literal(token.text) is not None
        return self.literal(token) if is_value else self.entity(token)

    def moment(self) -> ex.Value | ex.Now:
        token = self.next()
        return ex.NOW if token.kind == "word" and token.text.upper() == "NOW" else self.literal(token)

    def name(self, token: Token, name_is: type[ex.Entity] | type[ex.Class]) -> ex.Entity | ex.Class:
        if token.text.startswith("_:") or name_is is ex.Entity:
            entity = self.entity(token)
            return ex.Class(self.iri_of(token)) if self._has_members(entity.term) else entity
        return ex.Class(self.iri_of(token))

    def _has_members(self, term: Term) -> bool:
        """Whether it is a class of something. One that nobody belongs to is meant itself: titanium is a kind
        of metal, and has a symbol."""
        if self.schema is None or not isinstance(term, Iri):
            return False
        klass = self.schema.class_ids.get(term.value)
        return klass is not None and self.schema.classes[klass].members > 0

    def entity(self, token: Token) -> ex.Entity:
        if token.kind == "word" and token.text.startswith("_:"):
            if len(token.text) == 2:
                raise self.error("a blank node needs a label after _:", token.position)
            return ex.Entity(Blank(token.text[2:]))
        return ex.Entity(Iri(self.iri_of(token)))

    def iri_of(self, token: Token) -> str:
        if token.kind not in ("word", "iri"):
            raise self.error(f"a name is expected here, not {token.text}", token.position)
        if token.kind == "iri" and not token.text.endswith(">"):
            raise self.error("only a relation has an inverse", token.position)
        if NUMBER.fullmatch(token.text):
            raise self.error(f"a name is expected here, not the number {token.text}", token.position)
        return self.iri(token.text, token.position)
