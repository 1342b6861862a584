"""The SPARQL in which WebQSP and ComplexWebQuestions are published, read into plain data."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field

from arcaneqa.kb.interface import Comparison
from arcaneqa.kb.profile import WELL_KNOWN, Profile
from arcaneqa.kb.terms import RDF, RDF_LANG_STRING, XSD, XSD_STRING, Iri, Literal
from arcaneqa.language.expression import NOW, Now, Value
from arcaneqa.support.errors import ProgramError

# The SPARQL in which WebQSP and ComplexWebQuestions are published, read into plain data.


@dataclass(frozen=True, slots=True)
class Var:
    name: str


Atom = Var | Iri | Literal
Triple = tuple[Atom, Iri, Atom]


@dataclass(frozen=True, slots=True)
class SparqlCall:
    """An operator (`&&`, `<=`, `!`), a cast or a function with its arguments."""

    name: str
    arguments: tuple[Expr, ...]


@dataclass(frozen=True, slots=True)
class Exists:
    group: Group
    negated: bool


Expr = Atom | SparqlCall | Exists


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
_OPERATORS = ("=", "!=", "<", "<=", ">", ">=")


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
        return parts[0] if len(parts) == 1 else SparqlCall(name, tuple(parts))

    def relation(self) -> Expr:
        left = self.primary()
        if self.peek() in _OPERATORS:
            return SparqlCall(self.next()[1], (left, self.primary()))
        return left

    def primary(self) -> Expr:
        if self.take("("):
            inner = self.expression()
            self.expect(")")
            return inner
        if self.take("!"):
            return SparqlCall("!", (self.primary(),))
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
        return SparqlCall(name, tuple(arguments))

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


# The filters of a published query, sorted by what they mean to a program.


_COMPARISONS = {"<": Comparison.LT, "<=": Comparison.LE, ">": Comparison.GT, ">=": Comparison.GE}
_MIRRORED = {"<": ">", "<=": ">=", ">": "<", ">=": "<="}
_CASTS = {"dateTime", "datetime", "date", "float", "double", "integer", "decimal", "int"}
_LANGUAGE = {"||", "&&", "!", "=", "ISLITERAL", "LANG", "LANGMATCHES", "ISIRI", "ISURI"}
_DAY = re.compile(r"\d{4}-\d\d-\d\d")


@dataclass(slots=True)
class Dated:
    """`start` (and `end`) of a node are before or after a day, or missing."""

    relation: str
    operator: str
    day: str


@dataclass(slots=True)
class Conditions:
    """By variable: what its value compares with, and when the node is valid."""

    excluded: set[str] = field(default_factory=set)
    apart: bool = False
    """Whether the answers differ from another variable: no program says it, and mostly it changes nothing."""
    compared: dict[Var, list[tuple[Comparison, Value]]] = field(default_factory=dict)
    dated: dict[Var, list[Dated]] = field(default_factory=dict)


def conditions(query: Query) -> Conditions:
    """Raises ProgramError, its text a reason to count, for a filter that no program expresses."""
    found = Conditions()
    waiting = list(query.group.filters)
    while waiting:
        expression = waiting.pop(0)
        if isinstance(expression, SparqlCall) and expression.name == "&&":
            waiting[:0] = expression.arguments
        elif not _only_language(expression, query.target):
            _sort_in(expression, query.target, found)
    return found


def _sort_in(expression: Expr, target: Var, found: Conditions) -> None:
    match expression:
        case SparqlCall("!=", (Var() as variable, Iri(iri))) | SparqlCall(
            "!=", (Iri(iri), Var() as variable)
        ):
            if variable == target:
                found.excluded.add(iri)
                return
        case SparqlCall("!=", (Var() as one, Var() as two)) if target in (one, two) and one != two:
            found.apart = True
            return
        case SparqlCall("||", (Exists(absent, True), Exists(present, False))):
            if len(absent.triples) == len(present.triples) == 1:
                (subject, relation, _), (other, same, value) = absent.triples[0], present.triples[0]
                if (subject, relation) == (other, same) and isinstance(subject, Var):
                    for comparison in present.filters:
                        operator, day = _comparison(comparison, value)
                        dated = Dated(relation.value, operator, day.lexical)
                        found.dated.setdefault(subject, []).append(dated)
                    return
        case SparqlCall(operator, (left, right)) if operator in _COMPARISONS:
            compared = _uncast(left) if isinstance(_uncast(left), Var) else _uncast(right)
            operator, literal = _comparison(expression, compared)
            if isinstance(compared, Var):
                condition = (_COMPARISONS[operator], Value(_typed(literal)))
                found.compared.setdefault(compared, []).append(condition)
                return
        case SparqlCall("=", (SparqlCall("STR", _), _)) | SparqlCall("=", (_, SparqlCall("STR", _))):
            raise ProgramError("the query compares text")
        case SparqlCall("||", _):
            raise ProgramError("the query has alternatives")
    raise ProgramError("the query has a filter that no program expresses")


def _comparison(expression: Expr, variable: object) -> tuple[str, Literal]:
    """Operator and literal of `variable operator literal`, turned round if need be."""
    if (
        isinstance(expression, SparqlCall)
        and expression.name in _COMPARISONS
        and len(expression.arguments) == 2
    ):
        left, right = (_uncast(side) for side in expression.arguments)
        if left == variable and isinstance(right, Literal):
            return expression.name, right
        if right == variable and isinstance(left, Literal):
            return _MIRRORED[expression.name], left
    raise ProgramError("the query has a filter that no program expresses")


def _uncast(expression: Expr) -> Expr:
    while isinstance(expression, SparqlCall) and expression.name in _CASTS and len(expression.arguments) == 1:
        expression = expression.arguments[0]
    return expression


def _typed(literal: Literal) -> Literal:
    """The published queries write days as dateTime and numbers as text."""
    text = literal.lexical
    if _DAY.fullmatch(text):
        return Literal(text, XSD + "date")
    if literal.datatype.startswith(XSD) and literal.datatype != XSD + "string":
        return literal
    if re.fullmatch(r"[+-]?\d+", text):
        return Literal(text, XSD + "integer")
    if re.fullmatch(r"[+-]?\d+\.\d+", text):
        return Literal(text, XSD + "float")
    raise ProgramError("the query compares text")


def _only_language(expression: Expr, target: Var) -> bool:
    """Whether a filter does nothing but keep English literals."""
    match expression:
        case SparqlCall(name, arguments) if name in _LANGUAGE:
            return all(_only_language(argument, target) for argument in arguments)
        case Var():
            return expression == target
        case Literal(lexical):
            return lexical in ("", "en")
        case _:
            return False


def moment(dates: list[Dated], profile: Profile) -> tuple[str, str, Value | Now]:
    """Start relation, end relation and the moment of two conditions `start <= day1, end >= day2`.

    The start is the condition that comes first, as in all published queries. A few queries ask for a
    stretch within the year instead of one that meets it; the year is what the question says, and both
    become it.
    """
    if len(dates) != 2 or {dates[0].operator, dates[1].operator} != {"<=", ">="}:
        raise ProgramError("the query has a time condition that no program expresses")
    start, end = dates
    days = sorted((start.day, end.day))
    if days[0] == days[1]:
        when: Value | Now = NOW if days[0] == profile.now else Value(Literal(days[0], XSD + "date"))
        return start.relation, end.relation, when
    year = days[0][:4]
    if days == [f"{year}-01-01", f"{year}-12-31"]:
        return start.relation, end.relation, Value(Literal(year, XSD + "gYear"))
    raise ProgramError("the query's time window is neither a day nor a year")


def ordered_by(query: Query) -> tuple[Var, bool] | None:
    """The variable whose largest (True) or smallest value is asked for."""
    if query.order is None:
        if query.limit is not None:
            raise ProgramError("the query limits its answers without an order")
        return None
    expression, descending = query.order
    variable = _uncast(expression)
    if not isinstance(variable, Var):
        raise ProgramError("the query orders by more than a value")
    if query.limit != 1 or query.offset:
        raise ProgramError("the query asks for other than the first")
    return variable, descending
