"""Values, counts, totals, ranks and limits in SPARQL."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from arcaneqa.kb.interface import Comparison
from arcaneqa.kb.schema import Chain, Path, ValueKind
from arcaneqa.kb.sparql.filters import is_number, is_time
from arcaneqa.kb.sparql.terms import is_writable, quoted, written
from arcaneqa.kb.terms import XSD, Blank, Iri, Literal, Term
from arcaneqa.language import expression as ex
from arcaneqa.language.check import lets_none_pass
from arcaneqa.support.errors import ProgramError

# Values as SPARQL expressions that can be ordered and matched: doubles for numbers, moments for
# times.


_YEAR, _MONTH, _DATE = f"<{XSD}gYear>", f"<{XSD}gYearMonth>", f"<{XSD}date>"
_DATE_TIME, _STAMP = f"<{XSD}dateTime>", f"<{XSD}dateTimeStamp>"
_BOOLEAN, _INTEGER, _DOUBLE = f"<{XSD}boolean>", f"<{XSD}integer>", f"<{XSD}double>"
_DECIMAL = f"<{XSD}decimal>"
_OFFSET = "(Z|[+-][0-9][0-9]:[0-9][0-9])$"


@dataclass(frozen=True, slots=True)
class Key:
    """`lines` bind `variables`; values with equal variables have equal ranks, others are left out."""

    lines: tuple[str, ...]
    variables: tuple[str, ...]


def order_key(value: str, kinds: frozenset[ValueKind], largest: bool, fresh: Callable[[], str]) -> Key:
    """What orders the values of a variable, the most significant first.

    Numbers come before times where both are met; times go by their end for the largest, else by
    their start.
    """
    key = fresh()
    if ValueKind.TIME not in kinds:
        return Key((f"FILTER({is_number(value)})", f"BIND({_number(value)} AS {key})"), (key,))
    text, year = fresh(), fresh()
    parts = [f"BIND({_calendar(value)} AS {text})"]
    if largest:
        parts.append(f"BIND({_year_of_month(value, text)} AS {year})")
    moment = _moment(value, text, year if largest else None)
    if ValueKind.NUMBER not in kinds:
        return Key((f"FILTER({is_time(value)})", *parts, f"BIND({moment} AS {key})"), (key,))
    kind = fresh()
    lines = (
        f"BIND(IF({is_number(value)}, 1, IF({is_time(value)}, 0, -1)) AS {kind})",
        f"FILTER({kind} >= 0)",
        *parts,
        f"BIND(IF({kind} = 1, {_number(value)}, {moment}) AS {key})",
    )
    return Key(lines, (kind, key))


def summable(variable: str) -> str:
    """A number that adds up exactly where it has no exponent: as a decimal."""
    plain = f'REGEX(STR({variable}), "^[+-]?([0-9]+([.][0-9]*)?|[.][0-9]+)$")'
    return f'IF({plain}, {_DECIMAL}(IF({plain}, STR({variable}), "0")), {_number(variable)})'


def same_value(left: str, right: str) -> str:
    """Two variables hold literals of the same value, or the very same term."""
    same_type = f"DATATYPE({left}) = DATATYPE({right})"
    calendar = f"DATATYPE({left}) IN ({_YEAR}, {_MONTH}, {_DATE})"
    instants = " && ".join(f"DATATYPE({side}) IN ({_DATE_TIME}, {_STAMP})" for side in (left, right))
    branches = [
        f"sameTerm({left}, {right})",
        f"({is_number(left)} && {is_number(right)} && {_number(left)} = {_number(right)})",
        f"({same_type} && {calendar} && {_calendar(left)} = {_calendar(right)})",
        f"({instants} && {_instant(left)} = {_instant(right)})",
        f"({same_type} && DATATYPE({left}) = {_BOOLEAN} && {left} = {right})",
    ]
    return " || ".join(branches)


def _number(variable: str) -> str:
    # By way of its digits, so that a float and a double written alike are alike. Some servers try every
    # cast, whatever the conditions around it: so what is cast is always something that can be.
    return f'{_DOUBLE}(IF(isNumeric({variable}), STR({variable}), "0"))'


def _calendar(variable: str) -> str:
    return f'REPLACE(STR({variable}), {quoted(_OFFSET)}, "")'


def _instant(variable: str) -> str:
    return f"{_DATE_TIME}({_instant_text(variable)})"


def _instant_text(variable: str) -> str:
    text = f"STR({variable})"
    whole = f'IF(REGEX({text}, {quoted(_OFFSET)}), {text}, CONCAT({text}, "Z"))'
    return f'IF(DATATYPE({variable}) IN ({_DATE_TIME}, {_STAMP}), {whole}, "1970-01-01T00:00:00Z")'


def _year_of_month(value: str, text: str) -> str:
    return f'{_INTEGER}(IF(DATATYPE({value}) = {_MONTH}, SUBSTR({text}, 1, STRLEN({text}) - 3), "0"))'


def _moment(value: str, text: str, year: str | None) -> str:
    """The first moment of a time, or its last one: a microsecond before the next year, month or day.

    `text` is a variable with the calendar text of `value`, free of its offset; `year`, for the last
    moment, one with the year of a month.
    """
    clock = "T00:00:00Z" if year is None else "T23:59:59.999999Z"
    year_rest = f'"-01-01{clock}"' if year is None else f'"-12-31{clock}"'
    month_rest = f'"-01{clock}"' if year is None else f'"-", {_last_day(text, year)}, "{clock}"'
    branches = (
        (_DATE, f'CONCAT({text}, "{clock}")'),
        (_MONTH, f"CONCAT({text}, {month_rest})"),
        (_YEAR, f"CONCAT({text}, {year_rest})"),
    )
    result = _instant_text(value)
    for datatype, moment in branches:
        result = f"IF(DATATYPE({value}) = {datatype}, {moment}, {result})"
    return f"{_DATE_TIME}({result})"


def _last_day(text: str, year: str) -> str:
    month = f"SUBSTR({text}, STRLEN({text}) - 1)"
    fourth, hundredth, four_hundredth = (f"FLOOR({year} / {n}) * {n} = {year}" for n in (4, 100, 400))
    february = f'IF({fourth} && (!({hundredth}) || {four_hundredth}), "29", "28")'
    return f'IF({month} = "02", {february}, IF({month} IN ("04", "06", "09", "11"), "30", "31"))'


# Counts, totals, ranks and limits in SPARQL: subqueries that give members a number, and filters on
# it.


# A superlative needs its argument several times, so nesting multiplies the query each time.
_MAX_NESTED_SUPERLATIVES = 6
_NUMBER, _TIME = frozenset((ValueKind.NUMBER,)), frozenset((ValueKind.TIME,))

Among = Callable[[str], list[str]]
"""Lines that bind a variable to the members of a set."""


class Sets(Protocol):
    """What a writer of sets offers."""

    def fresh(self) -> str: ...

    def pattern(self, node: ex.Expression, x: str) -> list[str]: ...

    def kinds(self, relation: ex.Relation) -> frozenset[ValueKind] | None: ...

    def triple(self, x: str, relation: ex.Relation, y: str) -> str: ...


class KeyPatterns:
    def __init__(self, sets: Sets) -> None:
        self.sets = sets

    def fresh(self) -> str:
        return self.sets.fresh()

    def walk(self, x: str, path: ex.Path) -> tuple[list[str], str]:
        """Lines that lead from a variable along a path, and the variable at its end."""
        lines = []
        for relation in path:
            y = self.fresh()
            lines.append(self.sets.triple(x, relation, y))
            x = y
        return lines, x

    def ordered_kinds(self, relation: ex.Relation) -> list[frozenset[ValueKind]]:
        """Numbers, times or both: what of it the relation may hold."""
        kinds = self.sets.kinds(relation)
        return [kind for kind in (_NUMBER, _TIME) if kinds is None or kind <= kinds]

    # A number for each member ----------------------------------------------------------------

    def of_each(self, x: str, key: ex.Key, largest: bool, among: Among) -> tuple[list[str], str]:
        """Lines that bind a number to each `x` that has one; `among` are the members it is compared with."""
        number = self.fresh()
        match key:
            case ex.Counted(path, within):
                lines, y = self.walk(x, path)
                inside = [] if within is None else self.sets.pattern(within, y)
                return group(x, f"COUNT(DISTINCT {y})", number, [*lines, *inside]), number
            case ex.Totalled(ex.Aggregation.SUM | ex.Aggregation.AVG as function, path):
                lines, n = self.numbers(x, path)
                return group(x, f"{function}({n})", number, lines), number
            case ex.Totalled(function, path):
                return self.best(x, path, function is ex.Aggregation.MAX, among)
            case _:
                return self.best(x, key, largest, among)

    def numbers(self, x: str, path: ex.Path) -> tuple[list[str], str]:
        """Lines for every number that a path leads to."""
        lines, y = self.walk(x, path)
        n = self.fresh()
        return [*lines, f"FILTER({is_number(y)})", f"BIND({summable(y)} AS {n})"], n

    def best(self, x: str, path: ex.Path, largest: bool, among: Among) -> tuple[list[str], str]:
        """The best value of each member. Numbers decide if any member has one, otherwise times."""
        number = self.fresh()
        function = "MAX" if largest else "MIN"
        sides = []
        for kind in self.ordered_kinds(path[-1]):
            lines, y = self.walk(x, path)
            key = order_key(y, kind, largest, self.fresh)
            sides.append(group(x, f"{function}({key.variables[0]})", number, [*lines, *key.lines]))
        if len(sides) == 1:
            return sides[0], number
        other = self.fresh()
        lines, y = self.walk(other, path)
        some_number = [*among(other), *lines, f"FILTER({is_number(y)})"]
        times = [*sides[1], "FILTER NOT EXISTS {", *some_number, "}"]
        return ["{", *sides[0], "} UNION {", *times, "}"], number

    def scored(self, x: str, key: ex.Key, largest: bool, among: Among) -> tuple[list[str], str]:
        """Lines that bind the members that compete, and the number they compete by."""
        lines, number = self.of_each(x, key, largest, among)
        if not isinstance(key, ex.Counted):
            return [*among(x), *lines], number
        count = self.fresh()
        return [*among(x), "OPTIONAL {", *lines, "}", f"BIND(COALESCE({number}, 0) AS {count})"], count

    # Superlatives ----------------------------------------------------------------------------

    def extreme(self, node: ex.Extreme, x: str, among: Among) -> list[str]:
        if sum(isinstance(part, ex.Extreme) for part in ex.post_order(node)) > _MAX_NESTED_SUPERLATIVES:
            raise ProgramError(
                f"more than {_MAX_NESTED_SUPERLATIVES} superlatives inside one another make too long a query"
            )
        largest = node.direction is ex.Direction.LARGEST
        if isinstance(node.key, ex.Counted | ex.Totalled) or node.last > 1:
            return self.ranked(node, x, largest, among)
        lines, key = self.path_order(x, node.key, largest, among)
        best_lines, best_key = self.path_order(self.fresh(), node.key, largest, among)
        same = " && ".join(
            f"{mine} = {chosen}" for mine, chosen in zip(key.variables, best_key.variables, strict=True)
        )
        return [
            f"{{ SELECT {' '.join(best_key.variables)} WHERE {{",
            *(f"    {line}" for line in best_lines),
            f"  }} ORDER BY {direction(best_key, largest)} LIMIT 1 }}",
            *lines,
            f"FILTER({same})",
        ]

    def path_order(self, x: str, path: ex.Path, largest: bool, among: Among) -> tuple[list[str], Key]:
        """Members with the values that a path leads to, and what orders them."""
        lines, y = self.walk(x, path)
        kinds = frozenset[ValueKind]().union(*self.ordered_kinds(path[-1])) or _NUMBER | _TIME
        key = order_key(y, kinds, largest, self.fresh)
        return [*among(x), *lines, *key.lines], key

    def ranked(self, node: ex.Extreme, x: str, largest: bool, among: Among) -> list[str]:
        """As many are better than a member as places are before it: so it has to reach the number at the last
        rank, if there are so many, and to stay behind the one before the first."""
        lines, number = self.scored(x, node.key, largest, among)
        reaches, falls_short = (">=", "<") if largest else ("<=", ">")
        at_last, least = self.number_at(node, node.last, largest, among)
        lines += ["OPTIONAL {", *at_last, "}", f"FILTER(!BOUND({least}) || {number} {reaches} {least})"]
        if node.first > 1:
            before, most = self.number_at(node, node.first - 1, largest, among)
            lines += [*before, f"FILTER({number} {falls_short} {most})"]
        return lines

    def number_at(self, node: ex.Extreme, rank: int, largest: bool, among: Among) -> tuple[list[str], str]:
        other = self.fresh()
        lines, number = self.scored(other, node.key, largest, among)
        order = f"{'DESC' if largest else 'ASC'}({number})"
        return [
            f"{{ SELECT {number} WHERE {{ {{ SELECT DISTINCT {other} {number} WHERE {{",
            *(f"  {line}" for line in lines),
            f"}} }} }} ORDER BY {order} OFFSET {rank - 1} LIMIT 1 }}",
        ], number

    # Comparisons -----------------------------------------------------------------------------

    def picked(self, x: str, node: ex.Compare) -> list[str]:
        """Members whose count or total compares so; those with none count 0 where that passes."""
        assert isinstance(node.key, ex.Counted | ex.Totalled)
        lines, number = self.of_each(x, node.key, True, lambda _: [])
        if isinstance(node.value, ex.Value):
            limit = named(node.value.literal)
        else:
            limit = self.fresh()
            lines_of_limit = self.values(node.value, limit)
        before = [] if isinstance(node.value, ex.Value) else lines_of_limit
        sign = node.comparison.sign
        if not lets_none_pass(node):
            return [*lines, *before, f"FILTER({number} {sign} {limit})"]
        return ["OPTIONAL {", *lines, "}", *before, f"FILTER(COALESCE({number}, 0) {sign} {limit})"]

    def beyond(
        self, x: str, comparison: Comparison, relation: ex.Relation, value: ex.Expression
    ) -> list[str]:
        """`x` has a value that compares so with all values of a program: with the last one on the way."""
        sides = []
        for kind in self.ordered_kinds(relation):
            y, z = self.fresh(), self.fresh()
            mine, theirs = _edges(comparison, kind)
            lines, conditions = [self.sets.triple(x, relation, y)], []
            for my_end, their_end in zip(mine, theirs, strict=True):
                key = order_key(y, kind, my_end, self.fresh)
                limit = order_key(z, kind, their_end, self.fresh)
                low, high = self.fresh(), self.fresh()
                bounds = f"(MIN({limit.variables[0]}) AS {low}) (MAX({limit.variables[0]}) AS {high})"
                lines += [
                    f"{{ SELECT {bounds} WHERE {{",
                    *(f"  {line}" for line in self.values(value, z)),
                    *(f"  {line}" for line in limit.lines),
                    "} }",
                    *key.lines,
                ]
                if comparison is Comparison.EQ:
                    conditions += [f"{low} = {high}", f"{key.variables[0]} = {low}"]
                else:
                    edge = high if comparison in (Comparison.GT, Comparison.GE) else low
                    conditions.append(f"{key.variables[0]} {comparison.sign} {edge}")
            sides.append([*lines, f"FILTER({' && '.join(conditions)})"])
        if not sides:
            return ["FILTER(false)"]
        return sides[0] if len(sides) == 1 else ["{", *sides[0], "} UNION {", *sides[1], "}"]

    def values(self, node: ex.Expression, z: str) -> list[str]:
        """Lines that bind a variable to the values of a program, or to the number it gives."""
        match node:
            case ex.Count(argument, path):
                return ["{", *self.count(argument, path, z), "}"]
            case ex.Aggregate(function, argument, path):
                return ["{", *self.aggregate(function, argument, path, z), "}"]
            case _:
                return self.sets.pattern(node, z)

    def count(
        self, argument: ex.Expression, path: ex.Path, number: str, asked: Among | None = None
    ) -> list[str]:
        x = self.fresh()
        lines, y = self.walk(x, path)
        members = asked(x) if asked else self.sets.pattern(argument, x)
        return [f"SELECT (COUNT(DISTINCT {y}) AS {number}) WHERE {{", *_indented([*members, *lines]), "}"]

    def aggregate(
        self,
        function: ex.Aggregation,
        argument: ex.Expression,
        path: ex.Path,
        number: str,
        asked: Among | None = None,
    ) -> list[str]:
        """A query for one number, or none where no member has one."""
        x = self.fresh()
        among = asked or (lambda member: self.sets.pattern(argument, member))
        if function in (ex.Aggregation.MAX, ex.Aggregation.MIN):
            largest = function is ex.Aggregation.MAX
            lines, y = self.walk(x, path)
            kinds = frozenset[ValueKind]().union(*self.ordered_kinds(path[-1])) or _NUMBER | _TIME
            key = order_key(y, kinds, largest, self.fresh)
            return [
                f"SELECT ({y} AS {number}) WHERE {{",
                *_indented([*among(x), *lines, *key.lines]),
                f"}} ORDER BY {direction(key, largest)} LIMIT 1",
            ]
        lines, n = self.numbers(x, path)
        many = self.fresh()
        return [
            f"SELECT {number} WHERE {{",
            f"  {{ SELECT ({function}({n}) AS {number}) (COUNT({n}) AS {many}) WHERE {{",
            f"    {{ SELECT DISTINCT {x} WHERE {{",
            *_indented(_indented(among(x))),
            "    } }",
            *_indented(_indented(lines)),
            "  } }",
            f"  FILTER({many} > 0)",
            "}",
        ]


def group(x: str, aggregate: str, number: str, lines: list[str]) -> list[str]:
    """A subquery that gives each `x` a number."""
    return [f"{{ SELECT {x} ({aggregate} AS {number}) WHERE {{", *_indented(lines), f"}} GROUP BY {x} }}"]


def direction(key: Key, largest: bool) -> str:
    *kind, best = key.variables
    order = "DESC" if largest else "ASC"
    return " ".join([*(f"DESC({variable})" for variable in kind), f"{order}({best})"])


def triple(x: str, relation: ex.Relation, y: str, chain: Chain | None = None) -> str:
    """`(JOIN r y)`: x has y as its object; the other way round for an inverse relation. A chain is a join."""
    subject, object_ = (y, x) if relation.inverse else (x, y)
    if chain is None:
        return f"{subject} {named(Iri(relation.iri))} {object_} ."
    where = "" if chain.where is None else f"; <{chain.where[0]}> {chain.where[1]} "
    return f"[ {_path(chain.start)} {subject} {where}; {_path(chain.end)} {object_} ] ."


def _path(path: Path) -> str:
    return "/".join(f"{'^' if inverse else ''}{named(Iri(iri))}" for iri, inverse in path)


def named(term: Term) -> str:
    if not isinstance(term, Iri | Literal) or not is_writable(term):
        shown = f"the unnamed thing _:{term.label}" if isinstance(term, Blank) else f"“{_text_of(term)}”"
        raise ProgramError(f"SPARQL has no way to name {shown}")
    return written(term)


def _text_of(term: Iri | Literal) -> str:
    return term.value if isinstance(term, Iri) else term.lexical


def _edges(comparison: Comparison, kind: frozenset[ValueKind]) -> tuple[list[bool], list[bool]]:
    """Which ends of two stretches of time are compared, the last (True) or the first: ours and theirs."""
    if kind == _NUMBER:
        return [False], [False]
    return {
        Comparison.GT: ([False], [True]),
        Comparison.GE: ([False], [False]),
        Comparison.LT: ([True], [False]),
        Comparison.LE: ([True], [True]),
        Comparison.EQ: ([False, True], [False, True]),
    }[comparison]


def _indented(lines: list[str]) -> list[str]:
    return [f"  {line}" for line in lines]
