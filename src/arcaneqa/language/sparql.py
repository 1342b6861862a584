"""Programs as standard SPARQL 1.1 with the same answers on every server."""

from __future__ import annotations

from functools import partial

from arcaneqa.kb.interface import Window
from arcaneqa.kb.profile import Profile
from arcaneqa.kb.schema import Schema, ValueKind
from arcaneqa.kb.short_names import Names
from arcaneqa.kb.sparql.filters import TimeBound, bounded, compares, equals, is_time, meets
from arcaneqa.kb.sparql.terms import quoted
from arcaneqa.kb.terms import Iri
from arcaneqa.kb.values import value_of
from arcaneqa.language import expression as ex
from arcaneqa.language.check import check, lets_none_pass
from arcaneqa.language.rewrite import leaves
from arcaneqa.language.run import now_window
from arcaneqa.language.sparql_keys import Among, KeyPatterns, group, named, order_key, same_value, triple

# Sets as SPARQL patterns: a group that binds one variable to the members.


class SetWriter:
    """Writes the group that binds a variable to what a program of sets denotes."""

    def __init__(self, profile: Profile, schema: Schema | None, excluded: list[ex.Entity]) -> None:
        self.profile = profile
        self.schema = schema
        self.excluded = [named(entity.term) for entity in excluded]
        self.variables = 0
        self.keys = KeyPatterns(self)

    def fresh(self) -> str:
        self.variables += 1
        return f"?v{self.variables}"

    def pattern(self, node: ex.Expression, x: str, asked_for: bool = False) -> list[str]:
        """Lines of a group that binds `x` to what the node denotes."""
        match node:
            case ex.And(left, right):
                if lets_none_pass(left):
                    left, right = right, left
                return [*self.pattern(left, x, asked_for), *self.pattern(right, x, asked_for)]
            case ex.Or(left, right):
                sides = [self.pattern(side, x, asked_for) for side in (left, right)]
                return ["{", *sides[0], "} UNION {", *sides[1], "}"]
            case ex.Not(argument, without):
                return [*self.pattern(argument, x, asked_for), *self.taken(without, x)]
            case ex.Cons(argument, relation, constant):
                return [*self.pattern(argument, x, asked_for), *self.join(relation, constant, x)]
            case ex.During(argument, relation, when):
                return [*self.pattern(argument, x, asked_for), *self.during(x, relation, when)]
            case ex.Extreme():
                among = partial(self.pattern, node.argument, asked_for=asked_for)
                return self.keys.extreme(node, x, among)
            case ex.Join(relation, argument):
                lines = self.join(relation, argument, x)
            case ex.Compare(comparison, ex.Relation() as relation, ex.Value(literal)):
                y = self.fresh()
                lines = [self.triple(x, relation, y), f"FILTER({compares(y, comparison, literal)})"]
            case ex.Compare(comparison, ex.Relation() as relation, value):
                lines = self.keys.beyond(x, comparison, relation, value)
            case ex.Compare():
                lines = self.keys.picked(x, node)
            case ex.Has(relation):
                lines = [self.triple(x, relation, self.fresh())]
            case ex.Like(relation, text):
                y, part = self.fresh(), quoted(text.literal.lexical.lower())
                lines = [
                    self.triple(x, relation, y),
                    f"FILTER(isLiteral({y}) && CONTAINS(LCASE(STR({y})), {part}))",
                ]
            case ex.Named(text):
                y, name = self.fresh(), quoted(text.literal.lexical.lower())
                names = alternatives((*self.profile.label, *self.profile.alias))
                lines = [f"{x} {names} {y} .", f"FILTER(isLiteral({y}) && LCASE(STR({y})) = {name})"]
            case ex.Class(iri):
                lines = self.member(x, named(Iri(iri)))
            case ex.Entity(term):
                # The node must be there, as it must be in the index.
                y, p, q, z = (self.fresh() for _ in range(4))
                there = f"EXISTS {{ {x} {p} {y} }} || EXISTS {{ {z} {q} {x} }}"
                lines = [f"VALUES {x} {{ {named(term)} }}", f"FILTER({there})"]
            case ex.Value(literal):
                lines = [f"{self.fresh()} {self.fresh()} {x} .", f"FILTER({equals(x, literal)})"]
            case _:
                raise AssertionError("checked before")
        if asked_for and self.excluded:
            lines.append(f"FILTER({x} NOT IN ({', '.join(self.excluded)}))")
        return lines

    def taken(self, without: ex.Expression, x: str) -> list[str]:
        """Lines that leave out what NOT takes away."""
        lines = []
        for part in leaves(without, ex.Or):
            if isinstance(part, ex.Entity):
                # MINUS with a VALUES block alone takes nothing away on some servers.
                lines.append(f"FILTER({x} != {named(part.term)})")
            else:
                lines += ["MINUS {", *self.pattern(part, x), "}"]
        return lines

    def join(self, relation: ex.Relation, argument: ex.Expression, x: str) -> list[str]:
        if isinstance(argument, ex.Entity):
            return [self.triple(x, relation, named(argument.term))]
        y = self.fresh()
        if isinstance(argument, ex.Value):
            literal = argument.literal
            if value_of(literal) is None:
                return [self.triple(x, relation, named(literal))]
            return [self.triple(x, relation, y), f"FILTER({equals(y, literal)})"]
        if not relation.inverse and self.holds_values(relation) and self.may_be_values(argument):
            z = self.fresh()
            lines = [*self.pattern(argument, z), self.triple(x, relation, y)]
            return [*lines, f"FILTER({same_value(y, z)})"]
        return [*self.pattern(argument, y), self.triple(x, relation, y)]

    def member(self, x: str, klass: str) -> list[str]:
        types = alternatives(self.profile.type)
        if (text := self._text_of_class(klass)) is not None:
            kind = self.fresh()
            return [f"{x} {types} {kind} .", f"FILTER(STR({kind}) = {quoted(text)})"]
        if not self.profile.closed_classes or not self.profile.subclass:
            return [f"{x} {types} {klass} ."]
        # The limit changes nothing, except that Virtuoso then computes the closure first: joined with other
        # patterns, a closure loses members there.
        below = self.fresh()
        closure = f"{below} {alternatives(self.profile.subclass)}* {klass}"
        return [
            f"{{ SELECT DISTINCT {below} WHERE {{ {closure} }} LIMIT 1000000 }}",
            f"{x} {types} {below} .",
        ]

    def _text_of_class(self, klass: str) -> str | None:
        number = None if self.schema is None else self.schema.class_ids.get(klass[1:-1])
        return None if self.schema is None or number is None else self.schema.classes[number].text

    def triple(self, x: str, relation: ex.Relation, y: str) -> str:
        known = None if self.schema is None else self.schema.relation_ids.get(relation.iri)
        chain = None if self.schema is None or known is None else self.schema.relations[known].chain
        return triple(x, relation, y, chain)

    # Values ----------------------------------------------------------------------------------

    def kinds(self, relation: ex.Relation) -> frozenset[ValueKind] | None:
        if self.schema is None or relation.iri not in self.schema.relation_ids:
            return None
        return self.schema.relations[self.schema.relation_ids[relation.iri]].kinds

    def holds_values(self, relation: ex.Relation) -> bool:
        """Whether the schema knows of objects that equal others written differently."""
        return bool((self.kinds(relation) or frozenset()) - {ValueKind.ENTITY, ValueKind.TEXT})

    def may_be_values(self, node: ex.Expression) -> bool:
        match node:
            case ex.Join(relation, _):
                return relation.inverse and self.holds_values(relation)
            case ex.And(left, right):
                return self.may_be_values(left) and self.may_be_values(right)
            case ex.Cons(argument, _, _) | ex.During(argument, _, _) | ex.Extreme(_, argument, _):
                return self.may_be_values(argument)
            case _:
                return isinstance(node, ex.Value)

    # Time ------------------------------------------------------------------------------------

    def during(self, x: str, relation: ex.Relation, when: ex.Value | ex.Now) -> list[str]:
        window = now_window(self.profile) if isinstance(when, ex.Now) else value_of(when.literal)
        assert isinstance(window, Window), "checked before"
        end = self.end_of(relation)
        y = self.fresh()
        if end is None:
            return [self.undated_or(x, relation, y, meets(y, window))]
        return [
            self.undated_or(x, relation, y, bounded(y, TimeBound.STARTS_BEFORE, window.end)),
            self.undated_or(x, ex.Relation(end), y, bounded(y, TimeBound.ENDS_AFTER, window.start)),
        ]

    def undated_or(self, x: str, relation: ex.Relation, y: str, condition: str) -> str:
        fact = self.triple(x, relation, y)
        undated = f"NOT EXISTS {{ {fact} FILTER({is_time(y)}) }}"
        return f"FILTER({undated} || EXISTS {{ {fact} FILTER({condition}) }})"

    def end_of(self, relation: ex.Relation) -> str | None:
        if self.schema is not None:
            start = self.schema.relation_ids.get(relation.iri)
            end = None if start is None else self.schema.time_pairs.get(start)
            return None if end is None else self.schema.relations[end].iri
        names = Names(self.profile)
        name = names.short(relation.iri)
        for start_pattern, end_pattern in self.profile.time_pairs:
            before, _, after = start_pattern.partition("*")
            matches = name.startswith(before) and name.endswith(after)
            if matches and len(name) >= len(before) + len(after):
                shared = name[len(before) : len(name) - len(after)]
                return names.expand(end_pattern.replace("*", shared, 1)) if end_pattern else None
        return None


def alternatives(predicates: tuple[str, ...]) -> str:
    texts = [named(Iri(predicate)) for predicate in predicates]
    return texts[0] if len(texts) == 1 else f"({'|'.join(texts)})"


# Programs as standard SPARQL 1.1 with the same answers on every server.


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
