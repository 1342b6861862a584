"""Programs as S-expressions: both dialects are parsed, either is printed."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal as Choice

from arcaneqa.kb.interface import Comparison
from arcaneqa.kb.schema import Schema
from arcaneqa.kb.short_names import Names
from arcaneqa.kb.terms import RDF_LANG_STRING, XSD, XSD_STRING, Blank, Iri, Literal, Term
from arcaneqa.language import expression as ex
from arcaneqa.language.check import fault, misplaced
from arcaneqa.language.expression import Expression
from arcaneqa.support.errors import InputError, ProgramError

# Program text as tokens with their positions: parentheses, names in <…> or bare, and literals.


MAX_DEPTH = 200
"""Far beyond any question, and shallow enough for every walk over a program."""

_TOKEN = re.compile(
    r"""\s*(?:
      (?P<open>\() | (?P<close>\))
    | (?P<text>"(?:[^"\\]|\\.)*"(?:@[A-Za-z]+(?:-[A-Za-z0-9]+)*|\^\^(?:<[^<>\s]*>|[^\s()<>"]+))?)
    | (?P<typed>[^\s()<>"]+\^\^<[^<>\s]*>)
    | (?P<iri><[^<>\s]*>(?:_inv)?)
    | (?P<word>[^\s()<>"]+)
    )""",
    re.VERBOSE | re.DOTALL,
)
_QUOTED = re.compile(r'"((?:[^"\\]|\\.)*)"(?:@(.*)|\^\^(.*))?', re.DOTALL)
_ESCAPE = re.compile(r"\\(u[0-9A-Fa-f]{4}|U[0-9A-Fa-f]{8}|.)", re.DOTALL)
_ESCAPES = {"t": "\t", "n": "\n", "r": "\r", "b": "\b", "f": "\f", '"': '"', "'": "'", "\\": "\\"}
_SURROGATE = re.compile(r"[\ud800-\udfff]")
_NOT_IN_IRI = re.compile(r'[\x00-\x20<>"{}|^`\\\ud800-\udfff]')
_BARE_LEXICAL = re.compile(r'[^\s()<>"^\\#_][^\s()<>"^\\]*')
NUMBER = re.compile(r"[+-]?\d[\d.,eE+-]*")
_BARE_VALUES = (
    (re.compile(r"[+-]?[0-9]+"), "integer"),
    (re.compile(r"[+-]?[0-9]+\.[0-9]+"), "decimal"),
    (re.compile(r"[+-]?[0-9]+(\.[0-9]+)?[eE][+-]?[0-9]+"), "double"),
    (re.compile(r"true|false"), "boolean"),
)
_BARE_DATATYPE = re.compile(r'https?://[^\s()<>"^]+')


@dataclass(frozen=True, slots=True)
class Token:
    """`kind` is open, close, word (a name or keyword), iri (with its brackets) or literal."""

    kind: str
    text: str
    position: int


def tokens(text: str) -> list[Token]:
    """All tokens; raises ProgramError where a character fits none, or parentheses nest too deep."""
    if broken := _SURROGATE.search(text):
        reason = f"half a character (U+{ord(broken[0]):04X}) stands at character {broken.start() + 1}"
        raise ProgramError(reason, broken.start())
    found: list[Token] = []
    position, depth = 0, 0
    end = len(text.rstrip())
    while position < end:
        match = _TOKEN.match(text, position)
        if match is None or match.lastgroup is None:
            start = position + len(text[position:]) - len(text[position:].lstrip())
            what = "an unfinished quotation" if text[start] == '"' else f"an unexpected {text[start]!r}"
            raise ProgramError(f"there is {what} at character {start + 1}", start)
        kind = match.lastgroup
        start = match.start(kind)
        depth += (kind == "open") - (kind == "close")
        if depth > MAX_DEPTH:
            reason = f"the program is nested more than {MAX_DEPTH} deep at character {start + 1}"
            raise ProgramError(reason, start)
        if kind in ("text", "typed") or (kind == "word" and "^^" in match[kind]):
            kind = "literal"
        found.append(Token(kind, match[match.lastgroup], start))
        position = match.end()
    return found


def read_literal(text: str, names: Names) -> Literal:
    """A literal from `"text"`, `"text"@en`, `"1999"^^xsd:gYear` or `1999^^http://…#gYear`."""
    if text.startswith('"'):
        found = _QUOTED.fullmatch(text)
        assert found is not None, "the lexer lets no other quotation through"
        lexical, language, datatype = _unescaped(found[1]), found[2], found[3]
        if language:
            return Literal(lexical, RDF_LANG_STRING, language)
        if datatype is None:
            return Literal(lexical, XSD_STRING)
    else:
        lexical, _, datatype = text.rpartition("^^")
    try:
        return Literal(lexical, checked_iri(names.expand(datatype)))
    except InputError as error:
        raise ProgramError(f"the datatype of {text} is not clear: {error}") from error


def bare_literal(text: str) -> Literal | None:
    """What `3`, `8.5`, `1e9` or `true` stands for where a value may stand; None for anything else."""
    for form, datatype in _BARE_VALUES:
        if form.fullmatch(text):
            return Literal(text, XSD + datatype)
    return None


def write_literal(literal: Literal, names: Names) -> str:
    """GrailQA's bare form where it is safe to read back, quoted otherwise."""
    if literal.language:
        return f'"{_escaped(literal.lexical)}"@{literal.language}'
    if literal.datatype == XSD_STRING:
        return f'"{_escaped(literal.lexical)}"'
    if _BARE_LEXICAL.fullmatch(literal.lexical) and _BARE_DATATYPE.fullmatch(literal.datatype):
        return f"{literal.lexical}^^{literal.datatype}"
    return f'"{_escaped(literal.lexical)}"^^{names.short(literal.datatype)}'


def checked_iri(iri: str) -> str:
    """The IRI itself, if it can stand in <…> without changing what is around it."""
    if not iri or (found := _NOT_IN_IRI.search(iri)):
        problem = f"it holds {found[0]!r}" if iri and found else "it is empty"
        raise ProgramError(f"<{iri}> is not an IRI: {problem}")
    return iri


def _escaped(text: str) -> str:
    text = text.replace("\\", "\\\\").replace('"', '\\"')
    text = text.replace("\n", "\\n").replace("\r", "\\r").replace("\t", "\\t")
    return "".join(c if c.isprintable() or c == " " else f"\\U{ord(c):08X}" for c in text)


def _unescaped(text: str) -> str:
    def character(match: re.Match[str]) -> str:
        code = match[1]
        if len(code) == 1:
            if code not in _ESCAPES:
                raise ProgramError(f"\\{code} is not an escape; write \\\\ for a backslash")
            return _ESCAPES[code]
        number = int(code[1:], 16)
        if number > 0x10FFFF or 0xD800 <= number < 0xE000:
            raise ProgramError(f"\\{code} is not a character")
        return chr(number)

    return _ESCAPE.sub(character, text)


# Reads a program's text: one method for each thing that can stand somewhere.


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


# Writes a program as text.


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


# Programs as S-expressions: parse both dialects, print either.


Dialect = Choice["canonical", "grailqa"]


def parse(text: str, names: Names, schema: Schema | None = None) -> Expression:
    """The program a text stands for; raises ProgramError with the position of what is wrong.

    With a schema, relations and classes it does not have are rejected, and so is ordering by a
    relation without values; a class is then recognised as JOIN's argument too.
    """
    return Parser(text, names, schema).program()


def print_program(program: Expression, names: Names, dialect: Dialect = "canonical") -> str:
    """The program as text: `canonical` (`r_inv`), or as GrailQA writes it (`(R r)`, lower-case `ge`)."""
    return Printer(names, dialect == "grailqa").write(program)
