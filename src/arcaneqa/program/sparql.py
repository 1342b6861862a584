"""Programs as standard SPARQL 1.1 with the same answers on every server.

Names are full IRIs, and each term is written by a function that escapes it or refuses it, so nothing in a
program can change the shape of its query. How values compare is left to `kb.sparql.filters`.
"""

from __future__ import annotations

from functools import partial

from arcaneqa.kb.profile import Profile
from arcaneqa.kb.schema import Schema, ValueKind
from arcaneqa.kb.short_names import Names
from arcaneqa.program import expression as ex
from arcaneqa.program.check import check
from arcaneqa.program.sparql_keys import Among, group
from arcaneqa.program.sparql_sets import SetWriter, alternatives
from arcaneqa.program.sparql_values import order_key


def to_sparql(
    program: ex.Expression, profile: Profile, schema: Schema | None = None, exclude_mentioned: bool = False
) -> str:
    """A SELECT query for `?x`, for `?count` if the program is a COUNT, for `?value` if it gives another
    number, and for `?c1`, `?c2` … if it gives a table; an ASK query if it gives yes or no.

    A schema says which values a relation holds and so makes superlatives shorter; without one, a
    relation that marks a start is taken to have the partner its profile's pattern gives.
    """
    check(program, Names(profile))
    writer = SetWriter(profile, schema, ex.mentioned(program) if exclude_mentioned else [])
    return "\n".join(_Query(writer).lines(program))


class _Query:
    def __init__(self, writer: SetWriter) -> None:
        self.writer = writer
        self.keys = writer.keys

    def lines(self, program: ex.Expression) -> list[str]:
        match program:
            case ex.Count(argument, path):
                return self.keys.count(argument, path, "?count", self.among(argument))
            case ex.Aggregate(function, argument, path):
                return self.keys.aggregate(function, argument, path, "?value", self.among(argument))
            case ex.Meet(left, right):
                pattern = self.writer.pattern
                return ["ASK {", *_indented(pattern(left, "?x") + pattern(right, "?x")), "}"]
            case ex.Sort(ex.Per() as table, key, descending):
                place = (table.path, *table.columns).index(key)
                order = f"{'DESC' if descending else 'ASC'}(?c{place + 1})"
                return [*self.per(table), f"ORDER BY DESC(BOUND(?c{place + 1})) {order}"]
            case ex.Sort(argument, key, descending):
                lines, order = self.sorted(argument, key, descending)
                return ["SELECT ?x WHERE {", *_indented(lines), f"}} ORDER BY {order}"]
            case ex.Show(ex.Sort(argument, _, _), columns) if _is_one_row(columns):
                return self.show(argument, columns, [])
            case ex.Show(ex.Sort(argument, key, descending), columns):
                lines, order = self.sorted(argument, key, descending)
                return [*self.show(argument, columns, lines), f"ORDER BY {order}"]
            case ex.Show(argument, columns):
                return self.show(argument, columns, self.members(argument))
            case ex.Per():
                return self.per(program)
            case _:
                return ["SELECT DISTINCT ?x WHERE {", *_indented(self.among(program)("?x")), "}"]

    def among(self, node: ex.Expression) -> Among:
        return partial(self.writer.pattern, node, asked_for=True)

    def members(self, node: ex.Expression) -> list[str]:
        """Each member once."""
        return ["{ SELECT DISTINCT ?x WHERE {", *_indented(self.among(node)("?x")), "} }"]

    # Lists -----------------------------------------------------------------------------------

    def sorted(self, argument: ex.Expression, key: ex.Key, descending: bool) -> tuple[list[str], str]:
        """Lines that bind each member once, and the order: those without a value last, ties by name."""
        if self.holds_text(key):
            lines, by = self.text(ex.path_of(key), descending)
        else:
            lines, by = self.keys.of_each("?x", key, descending, self.among(argument))
        found = [*self.members(argument), "OPTIONAL {", *_indented(lines), "}"]
        if isinstance(key, ex.Counted):
            count = self.writer.fresh()
            found.append(f"BIND(COALESCE({by}, 0) AS {count})")
            by = count
        name_lines, name = self.text((), descending=False)
        order = f"DESC(BOUND({by})) {'DESC' if descending else 'ASC'}({by}) DESC(BOUND({name})) {name}"
        return [*found, "OPTIONAL {", *_indented(name_lines), "}"], order

    def holds_text(self, key: ex.Key) -> bool:
        """Whether members go by a name: their own, or that of what a path leads to."""
        if isinstance(key, ex.Counted | ex.Totalled):
            return False
        kinds = self.writer.kinds(key[-1]) if key else frozenset[ValueKind]()
        return kinds is not None and not kinds & {ValueKind.NUMBER, ValueKind.TIME}

    def text(self, path: ex.Path, descending: bool) -> tuple[list[str], str]:
        lines, y = self.keys.walk("?x", path)
        label, text = self.writer.fresh(), self.writer.fresh()
        names = f"OPTIONAL {{ {y} {alternatives(self.writer.profile.label)} {label} }}"
        shown = f"LCASE(STR(IF(isLiteral({y}), {y}, {label})))"
        anything = [] if path else ["?x ?p ?o ."]
        function = "MAX" if descending else "MIN"
        return group("?x", f"{function}({shown})", text, [*lines, *anything, names]), text

    # Tables ----------------------------------------------------------------------------------

    def show(self, argument: ex.Expression, columns: tuple[ex.Key, ...], members: list[str]) -> list[str]:
        among = self.among(argument)
        names = [f"?c{number}" for number in range(1, len(columns) + 1)]
        if _is_one_row(columns):
            body = []
            for column, name in zip(columns, names, strict=True):
                body += ["OPTIONAL { {", *_indented(self.of_all(argument, column, name, among)), "} }"]
        else:
            body = list(members)
            for column, name in zip(columns, names, strict=True):
                body += self.column("?x", column, name, among)
        return [f"SELECT {' '.join(names)} WHERE {{", *_indented(body), "}"]

    def of_all(self, argument: ex.Expression, column: ex.Key, name: str, among: Among) -> list[str]:
        if isinstance(column, ex.Totalled):
            return self.keys.aggregate(column.function, argument, column.path, name, among)
        assert isinstance(column, ex.Counted)
        x = self.writer.fresh()
        lines, y = self.keys.walk(x, column.path)
        inside = [] if column.within is None else self.writer.pattern(column.within, y)
        return [
            f"SELECT (COUNT(DISTINCT {y}) AS {name}) WHERE {{",
            *_indented([*among(x), *lines, *inside]),
            "}",
        ]

    def column(self, x: str, column: ex.Key, name: str, among: Among) -> list[str]:
        """Lines that bind a column's variable for each `x`, or leave it unbound."""
        if column == ():
            return [f"BIND({x} AS {name})"]
        if column == ex.Counted(()):
            return [f"BIND(1 AS {name})"]
        if isinstance(column, ex.Totalled) and column.function in (ex.Aggregation.MAX, ex.Aggregation.MIN):
            return ["OPTIONAL {", *self.best_literal(x, column, name, among), "}"]
        if isinstance(column, ex.Counted | ex.Totalled):
            lines, number = self.keys.of_each(x, column, True, among)
            default = f"COALESCE({number}, 0)" if isinstance(column, ex.Counted) else number
            return ["OPTIONAL {", *_indented(lines), "}", f"BIND({default} AS {name})"]
        lines, y = self.keys.walk(x, column)
        found = [f"{{ SELECT DISTINCT {x} ({y} AS {name}) WHERE {{", *_indented(lines), "} }"]
        return ["OPTIONAL {", *_indented(found), "}"]

    def best_literal(self, x: str, column: ex.Totalled, name: str, among: Among) -> list[str]:
        """The literal that is the largest or smallest for each `x`: one of those with the best key."""
        lines, best = self.keys.best(x, column.path, column.function is ex.Aggregation.MAX, among)
        literals, value = self.with_key(x, column, best)
        return _indented(group(x, f"SAMPLE({value})", name, [*lines, *literals]))

    def with_key(self, x: str, column: ex.Totalled, best: str) -> tuple[list[str], str]:
        """Lines for the literals that have the best key."""
        value, own = self.writer.fresh(), self.writer.fresh()
        lines: list[str] = []
        for kind in self.keys.ordered_kinds(column.path[-1]):
            walk, y = self.keys.walk(x, column.path)
            key = order_key(y, kind, column.function is ex.Aggregation.MAX, self.writer.fresh)
            shared = [f"BIND({y} AS {value})", f"BIND({key.variables[0]} AS {own})"]
            lines += ["} UNION {" if lines else "{", *_indented([*walk, *key.lines, *shared])]
        return [*lines, "}", f"FILTER({own} = {best})"], value

    def per(self, program: ex.Per) -> list[str]:
        members = self.among(program.argument)
        pair_lines, found = self.keys.walk("?x", program.path)
        pairs = [
            f"{{ SELECT DISTINCT ?x ({found} AS ?c1) WHERE {{",
            *_indented([*members("?x"), *pair_lines]),
            "} }",
        ]
        body = ["{ SELECT DISTINCT ?c1 WHERE {", *_indented(pairs), "} }"]
        names = ["?c1"]
        for number, column in enumerate(program.columns, 2):
            names.append(f"?c{number}")
            body += self.of_groups(column, names[-1], pairs, members)
        return [f"SELECT {' '.join(names)} WHERE {{", *_indented(body), "}"]

    def of_groups(
        self, column: ex.Counted | ex.Totalled, name: str, pairs: list[str], among: Among
    ) -> list[str]:
        number = self.writer.fresh()
        match column:
            case ex.Counted(path, within):
                lines, y = self.keys.walk("?x", path)
                inside = [] if within is None else self.writer.pattern(within, y)
                counted = group("?c1", f"COUNT(DISTINCT {y})", number, [*pairs, *lines, *inside])
                return ["OPTIONAL {", *_indented(counted), "}", f"BIND(COALESCE({number}, 0) AS {name})"]
            case ex.Totalled(ex.Aggregation.SUM | ex.Aggregation.AVG as function, path):
                lines, n = self.keys.numbers("?x", path)
                summed = group("?c1", f"{function}({n})", name, [*pairs, *lines])
                return ["OPTIONAL {", *_indented(summed), "}"]
            case _:
                return ["OPTIONAL {", *self.best_of_group(column, name, pairs, among), "}"]

    def best_of_group(self, column: ex.Totalled, name: str, pairs: list[str], among: Among) -> list[str]:
        """Best values of the members, of which the best of each group, and a literal that is it."""
        largest = column.function is ex.Aggregation.MAX
        function = "MAX" if largest else "MIN"
        lines, best = self.keys.best("?x", column.path, largest, among)
        winner = self.writer.fresh()
        winners = group("?c1", f"{function}({best})", winner, [*pairs, *lines])
        literals, value = self.with_key("?x", column, winner)
        return _indented(group("?c1", f"SAMPLE({value})", name, [*winners, *pairs, *literals]))


def _is_one_row(columns: tuple[ex.Key, ...]) -> bool:
    """Whether the columns say something of all members together."""
    return all(isinstance(column, ex.Counted | ex.Totalled) for column in columns)


def _indented(lines: list[str]) -> list[str]:
    return [f"  {line}" for line in lines]
