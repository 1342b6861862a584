"""Sets as SPARQL patterns: a group that binds one variable to the members."""

from __future__ import annotations

from functools import partial

from arcaneqa.kb.interface import Window
from arcaneqa.kb.profile import Profile
from arcaneqa.kb.schema import Schema, ValueKind
from arcaneqa.kb.short_names import Names
from arcaneqa.kb.sparql.filters import Bound, bounded, compares, equals, is_time, meets
from arcaneqa.kb.sparql.terms import quoted
from arcaneqa.kb.terms import Iri
from arcaneqa.kb.values import value_of
from arcaneqa.program import expression as ex
from arcaneqa.program.check import lets_none_pass
from arcaneqa.program.execute import now_window
from arcaneqa.program.rewrite import leaves
from arcaneqa.program.sparql_keys import Keys, named, triple
from arcaneqa.program.sparql_values import same_value


class SetWriter:
    """Writes the group that binds a variable to what a program of sets denotes."""

    def __init__(self, profile: Profile, schema: Schema | None, excluded: list[ex.Entity]) -> None:
        self.profile = profile
        self.schema = schema
        self.excluded = [named(entity.term) for entity in excluded]
        self.variables = 0
        self.keys = Keys(self)

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
                lines = [triple(x, relation, y), f"FILTER({compares(y, comparison, literal)})"]
            case ex.Compare(comparison, ex.Relation() as relation, value):
                lines = self.keys.beyond(x, comparison, relation, value)
            case ex.Compare():
                lines = self.keys.picked(x, node)
            case ex.Has(relation):
                lines = [triple(x, relation, self.fresh())]
            case ex.Like(relation, text):
                y, part = self.fresh(), quoted(text.literal.lexical.lower())
                lines = [
                    triple(x, relation, y),
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
            return [triple(x, relation, named(argument.term))]
        y = self.fresh()
        if isinstance(argument, ex.Value):
            literal = argument.literal
            if value_of(literal) is None:
                return [triple(x, relation, named(literal))]
            return [triple(x, relation, y), f"FILTER({equals(y, literal)})"]
        if not relation.inverse and self.holds_values(relation) and self.may_be_values(argument):
            z = self.fresh()
            lines = [*self.pattern(argument, z), triple(x, relation, y)]
            return [*lines, f"FILTER({same_value(y, z)})"]
        return [*self.pattern(argument, y), triple(x, relation, y)]

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
            self.undated_or(x, relation, y, bounded(y, Bound.STARTS_BEFORE, window.end)),
            self.undated_or(x, ex.Relation(end), y, bounded(y, Bound.ENDS_AFTER, window.start)),
        ]

    def undated_or(self, x: str, relation: ex.Relation, y: str, condition: str) -> str:
        fact = triple(x, relation, y)
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
