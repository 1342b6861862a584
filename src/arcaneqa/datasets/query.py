"""The SPARQL in which WebQSP and ComplexWebQuestions are published, read into plain data.

It is nearly SPARQL: `OR` stands for `||`, `xsd:datetime` for `xsd:dateTime`, `xsd:` is not declared, and
comments say `#MANUAL SPARQL`. So this reads the dialect itself, not a standard it does not follow.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field

from arcaneqa.errors import ProgramError
from arcaneqa.kb.profile import WELL_KNOWN
from arcaneqa.kb.terms import RDF, RDF_LANG_STRING, XSD, XSD_STRING, Iri, Literal


@dataclass(frozen=True, slots=True)
class Var:
    name: str


Atom = Var | Iri | Literal
Triple = tuple[Atom, Iri, Atom]


@dataclass(frozen=True, slots=True)
class Call:
    """An operator (`&&`, `<=`, `!`), a cast or a function with its arguments."""

    name: str
    arguments: tuple[Expr, ...]


@dataclass(frozen=True, slots=True)
class Exists:
    group: Group
    negated: bool


Expr = Atom | Call | Exists


@dataclass(slots=True)
class Group:
    triples: list[Triple] = field(default_factory=list)
    filters: list[Expr] = field(default_factory=list)
    unions: int = 0


@dataclass(slots=True)
class Query:
    """`counted` where the query asks how many. Ordering is (expression, descending)."""

    target: Var
    group: Group
    counted: bool = False
    order: tuple[Expr, bool] | None = None
    limit: int | None = None
    offset: int = 0


_TOKEN = re.compile(
    r"""(?:\s|\#[^\n]*+)*+(?:
      (?P<iri><[^<>\s]*>)
    | (?P<var>[?$]\w+)
    | (?P<text>"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')
    | (?P<type>\^\^)
    | (?P<lang>@[A-Za-z-]+)
    | (?P<number>[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?(?![\w:]))
    | (?P<name>[A-Za-z_][\w-]*:[\w.%-]*[\w%-]|[A-Za-z_][\w-]*:|:[\w.-]*\w)
    | (?P<word>[A-Za-z_]\w*)
    | (?P<sign>\|\||&&|!=|<=|>=|[{}().;,=<>!*/+|^-])
    )""",
    re.VERBOSE,
)
_COMPARISONS = ("=", "!=", "<", "<=", ">", ">=")


def read_query(text: str) -> Query:
    """Raises ProgramError, its text a reason to count, where the query is outside this dialect."""
    return _Reader(text).query()


class _Reader:
    def __init__(self, text: str) -> None:
        self.tokens: list[tuple[str, str]] = []
        position, end = 0, len(text.rstrip())
        while position < end:
            found = _TOKEN.match(text, position)
            if found is None or found.lastgroup is None:
                if not re.sub(r"#[^\n]*", "", text[position:]).strip():
                    break
                raise ProgramError("the query cannot be read as SPARQL")
            self.tokens.append((found.lastgroup, found[found.lastgroup]))
            position = found.end()
        self.index = 0
        self.prefixes = dict(WELL_KNOWN)

    # Tokens ----------------------------------------------------------------------------------

    def peek(self, ahead: int = 0) -> str:
        index = self.index + ahead
        return self.tokens[index][1].upper() if index < len(self.tokens) else ""

    def next(self) -> tuple[str, str]:
        if self.index >= len(self.tokens):
            raise ProgramError("the query cannot be read as SPARQL")
        self.index += 1
        return self.tokens[self.index - 1]

    def take(self, *texts: str) -> bool:
        if self.peek() in texts:
            self.index += 1
            return True
        return False

    def expect(self, text: str) -> None:
        if not self.take(text):
            raise ProgramError("the query cannot be read as SPARQL")

    # Clauses ---------------------------------------------------------------------------------

    def query(self) -> Query:
        while self.take("PREFIX"):
            name, iri = self.next()[1], self.next()[1]
            self.prefixes[name.rstrip(":")] = iri.strip("<>")
        if not self.take("SELECT"):
            raise ProgramError("the query is not a SELECT")
        target, counted = self.projection()
        self.take("WHERE")
        query = Query(target, self.group(), counted)
        if self.take("ORDER"):
            self.expect("BY")
            descending = self.peek() == "DESC"
            self.take("DESC", "ASC")
            query.order = (self.primary(), descending)
        while self.peek() in ("LIMIT", "OFFSET"):
            word, number = self.next()[1].upper(), int(self.next()[1])
            if word == "LIMIT":
                query.limit = number
            else:
                query.offset = number
        if self.index < len(self.tokens):
            raise ProgramError(f"the query uses {self.peek()}")
        return query

    def projection(self) -> tuple[Var, bool]:
        self.take("DISTINCT", "REDUCED")
        wrapped = self.take("(")
        counted = self.take("COUNT")
        inner = counted and self.take("(")
        self.take("DISTINCT")
        kind, text = self.next()
        if kind != "var":
            raise ProgramError("the query does not select one variable")
        if inner:
            self.expect(")")
        if self.take("AS"):
            self.next()
        if wrapped:
            self.expect(")")
        if self.peek() not in ("WHERE", "{"):
            raise ProgramError("the query does not select one variable")
        return Var(text[1:]), counted

    def group(self) -> Group:
        group = Group()
        self.expect("{")
        while not self.take("}"):
            if self.take("FILTER"):
                group.filters.append(self.primary())
            elif self.take("OPTIONAL"):
                # What is optional takes no answer away; a filter on it meets a variable without facts.
                self.group()
            elif self.peek() == "{":
                self.nested(group)
            elif self.peek() in ("SELECT", "MINUS", "BIND", "VALUES", "GRAPH", "SERVICE"):
                raise ProgramError(f"the query uses {self.peek()}")
            else:
                self.triples(group)
            self.take(".")
        return group

    def nested(self, group: Group) -> None:
        inner = self.group()
        if self.take("UNION"):
            while True:
                self.group()
                if not self.take("UNION"):
                    break
            group.unions += 1
        else:
            group.triples += inner.triples
            group.filters += inner.filters
            group.unions += inner.unions

    def triples(self, group: Group) -> None:
        subject = self.atom()
        while True:
            kind, text = self.next()
            predicate = Iri(RDF + "type") if (kind, text) == ("word", "a") else self.named(kind, text)
            if not isinstance(predicate, Iri):
                raise ProgramError("the query has a variable for a relation")
            while True:
                if self.peek() in ("/", "|", "*", "+"):
                    raise ProgramError("the query uses a property path")
                group.triples.append((subject, predicate, self.atom()))
                if not self.take(","):
                    break
            if not self.take(";") or self.peek() in (".", "}"):
                return

    # Expressions -----------------------------------------------------------------------------

    def expression(self) -> Expr:
        return self.chain(("||", "OR"), "||", self.conjunction)

    def conjunction(self) -> Expr:
        return self.chain(("&&", "AND"), "&&", self.relation)

    def chain(self, texts: tuple[str, ...], name: str, part: Callable[[], Expr]) -> Expr:
        parts = [part()]
        while self.take(*texts):
            parts.append(part())
        return parts[0] if len(parts) == 1 else Call(name, tuple(parts))

    def relation(self) -> Expr:
        left = self.primary()
        if self.peek() in _COMPARISONS:
            return Call(self.next()[1], (left, self.primary()))
        return left

    def primary(self) -> Expr:
        if self.take("("):
            inner = self.expression()
            self.expect(")")
            return inner
        if self.take("!"):
            return Call("!", (self.primary(),))
        negated = self.take("NOT")
        if self.take("EXISTS"):
            return Exists(self.group(), negated)
        if self.tokens[self.index : self.index + 1] and self.peek(1) == "(":
            return self.call()
        return self.atom()

    def call(self) -> Expr:
        kind, text = self.next()
        if kind not in ("word", "name", "iri"):
            raise ProgramError("the query cannot be read as SPARQL")
        name = self.iri(kind, text).removeprefix(XSD) if kind != "word" else text.upper()
        self.expect("(")
        arguments = []
        while not self.take(")"):
            arguments.append(self.expression())
            self.take(",")
        return Call(name, tuple(arguments))

    # Terms -----------------------------------------------------------------------------------

    def atom(self) -> Atom:
        return self.named(*self.next())

    def named(self, kind: str, text: str) -> Atom:
        match kind:
            case "var":
                return Var(text[1:])
            case "iri" | "name":
                return Iri(self.iri(kind, text))
            case "number":
                datatype = "integer" if re.fullmatch(r"[+-]?\d+", text) else "decimal"
                return Literal(text, XSD + ("double" if "e" in text.lower() else datatype))
            case "text":
                return self.literal(re.sub(r"\\(.)", r"\1", text[1:-1]))
        raise ProgramError("the query cannot be read as SPARQL")

    def literal(self, lexical: str) -> Literal:
        if self.tokens[self.index : self.index + 1] and self.tokens[self.index][0] == "lang":
            return Literal(lexical, RDF_LANG_STRING, self.next()[1][1:])
        if self.take("^^"):
            return Literal(lexical, self.iri(*self.next()))
        return Literal(lexical, XSD_STRING)

    def iri(self, kind: str, text: str) -> str:
        if kind == "iri":
            return text[1:-1]
        prefix, _, local = text.partition(":")
        if prefix not in self.prefixes:
            raise ProgramError(f"the query does not declare the prefix {prefix}:")
        return self.prefixes[prefix] + local
