"""Programs as standard SPARQL 1.1 with the same answers on every server.

Names are full IRIs, and each term is written by a function that escapes it or refuses it, so nothing in a
program can change the shape of its query. How values compare is left to `kb.endpoint.filters`.
"""

from __future__ import annotations

from arcaneqa.errors import ProgramError
from arcaneqa.kb.interface import Window
from arcaneqa.kb.profile import Profile
from arcaneqa.kb.schema import Schema, ValueKind
from arcaneqa.kb.short_names import Names
from arcaneqa.kb.sparql.filters import Bound, bounded, compares, equals, is_time, meets
from arcaneqa.kb.sparql.terms import is_writable, written
from arcaneqa.kb.terms import Iri, Literal, Term
from arcaneqa.kb.values import value_of
from arcaneqa.program.check import check
from arcaneqa.program.execute import now_window
from arcaneqa.program.expression import (
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
    mentioned,
    path_of,
    post_order,
)
from arcaneqa.program.order import order_key, same_value

# A superlative needs its argument twice, so nesting doubles the query each time.
_MAX_NESTED_SUPERLATIVES = 6


def to_sparql(
    program: Expression, profile: Profile, schema: Schema | None = None, exclude_mentioned: bool = False
) -> str:
    """A SELECT query for `?x`, or for `?count` if the program is a COUNT.

    A schema says which values a relation holds and so makes superlatives shorter; without one, a
    relation that marks a start is taken to have the partner its profile's pattern gives.
    """
    check(program, Names(profile))
    writer = _Writer(profile, schema, mentioned(program) if exclude_mentioned else [])
    asked = program.argument if isinstance(program, Count) else program
    head = "(COUNT(DISTINCT ?x) AS ?count)" if isinstance(program, Count) else "DISTINCT ?x"
    lines = writer.pattern(asked, "?x", asked_for=True)
    return "\n".join([f"SELECT {head} WHERE {{", *(f"  {line}" for line in lines), "}"])


class _Writer:
    def __init__(self, profile: Profile, schema: Schema | None, excluded: list[Entity]) -> None:
        self.profile = profile
        self.schema = schema
        self.excluded = [_written(entity.term) for entity in excluded]
        self.variables = 0

    def fresh(self) -> str:
        self.variables += 1
        return f"?v{self.variables}"

    def pattern(self, node: Expression, x: str, asked_for: bool = False) -> list[str]:
        """Lines of a group that binds `x` to what the node denotes."""
        match node:
            case And(left, right):
                return [*self.pattern(left, x, asked_for), *self.pattern(right, x, asked_for)]
            case Cons(argument, relation, constant):
                return [*self.pattern(argument, x, asked_for), *self.join(relation, constant, x)]
            case During(argument, relation, when):
                return [*self.pattern(argument, x, asked_for), *self.during(x, relation, when)]
            case Extreme():
                return self.extreme(node, x, asked_for)
            case Join(relation, argument):
                lines = self.join(relation, argument, x)
            case Compare(comparison, relation, value):
                y = self.fresh()
                condition = compares(y, comparison, value.literal)
                lines = [_triple(x, relation, y), f"FILTER({condition})"]
            case Class(iri):
                lines = self.member(x, _written(Iri(iri)))
            case Entity(term):
                # The node must be there, as it must be in the index.
                y, p, q, z = (self.fresh() for _ in range(4))
                there = f"EXISTS {{ {x} {p} {y} }} || EXISTS {{ {z} {q} {x} }}"
                lines = [f"VALUES {x} {{ {_written(term)} }}", f"FILTER({there})"]
            case Value(literal):
                lines = [f"{self.fresh()} {self.fresh()} {x} .", f"FILTER({equals(x, literal)})"]
            case Count():
                raise AssertionError("checked before")
        if asked_for and self.excluded:
            lines.append(f"FILTER({x} NOT IN ({', '.join(self.excluded)}))")
        return lines

    def join(self, relation: Relation, argument: Expression, x: str) -> list[str]:
        if isinstance(argument, Entity):
            return [_triple(x, relation, _written(argument.term))]
        y = self.fresh()
        if isinstance(argument, Value):
            literal = argument.literal
            if value_of(literal) is None:
                return [_triple(x, relation, _written(literal))]
            return [_triple(x, relation, y), f"FILTER({equals(y, literal)})"]
        if not relation.inverse and self.holds_values(relation) and self.may_be_values(argument):
            z = self.fresh()
            lines = [*self.pattern(argument, z), _triple(x, relation, y)]
            return [*lines, f"FILTER({same_value(y, z)})"]
        return [*self.pattern(argument, y), _triple(x, relation, y)]

    def member(self, x: str, klass: str) -> list[str]:
        types = _alternatives(self.profile.type)
        if not self.profile.closed_classes or not self.profile.subclass:
            return [f"{x} {types} {klass} ."]
        # The limit changes nothing, except that Virtuoso then computes the closure first: joined with other
        # patterns, a closure loses members there.
        below = self.fresh()
        closure = f"{below} {_alternatives(self.profile.subclass)}* {klass}"
        return [
            f"{{ SELECT DISTINCT {below} WHERE {{ {closure} }} LIMIT 1000000 }}",
            f"{x} {types} {below} .",
        ]

    # Values ----------------------------------------------------------------------------------

    def kinds(self, relation: Relation) -> frozenset[ValueKind] | None:
        if self.schema is None or relation.iri not in self.schema.relation_ids:
            return None
        return self.schema.relations[self.schema.relation_ids[relation.iri]].kinds

    def holds_values(self, relation: Relation) -> bool:
        """Whether the schema knows of objects that equal others written differently."""
        return bool((self.kinds(relation) or frozenset()) - {ValueKind.ENTITY, ValueKind.TEXT})

    def may_be_values(self, node: Expression) -> bool:
        match node:
            case Join(relation, _):
                return relation.inverse and self.holds_values(relation)
            case And(left, right):
                return self.may_be_values(left) and self.may_be_values(right)
            case Cons(argument, _, _) | During(argument, _, _) | Extreme(_, argument, _):
                return self.may_be_values(argument)
            case _:
                return isinstance(node, Value)

    # Time ------------------------------------------------------------------------------------

    def during(self, x: str, relation: Relation, when: Value | Now) -> list[str]:
        window = now_window(self.profile) if isinstance(when, Now) else value_of(when.literal)
        assert isinstance(window, Window), "checked before"
        end = self.end_of(relation)
        y = self.fresh()
        if end is None:
            return [self.undated_or(x, relation, y, meets(y, window))]
        return [
            self.undated_or(x, relation, y, bounded(y, Bound.STARTS_BEFORE, window.end)),
            self.undated_or(x, Relation(end), y, bounded(y, Bound.ENDS_AFTER, window.start)),
        ]

    def undated_or(self, x: str, relation: Relation, y: str, condition: str) -> str:
        fact = _triple(x, relation, y)
        undated = f"NOT EXISTS {{ {fact} FILTER({is_time(y)}) }}"
        return f"FILTER({undated} || EXISTS {{ {fact} FILTER({condition}) }})"

    def end_of(self, relation: Relation) -> str | None:
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

    # Superlatives ----------------------------------------------------------------------------

    def extreme(self, node: Extreme, x: str, asked_for: bool) -> list[str]:
        if sum(isinstance(part, Extreme) for part in post_order(node)) > _MAX_NESTED_SUPERLATIVES:
            raise ProgramError(
                f"more than {_MAX_NESTED_SUPERLATIVES} superlatives inside one another make too long a query"
            )
        lines, key = self.ranked(node, x, asked_for)
        best_lines, best_key = self.ranked(node, self.fresh(), asked_for)
        direction = "DESC" if node.direction is Direction.LARGEST else "ASC"
        *kind, best = best_key
        order = " ".join([*(f"DESC({variable})" for variable in kind), f"{direction}({best})"])
        same = " && ".join(f"{mine} = {chosen}" for mine, chosen in zip(key, best_key, strict=True))
        return [
            f"{{ SELECT {' '.join(best_key)} WHERE {{",
            *(f"    {line}" for line in best_lines),
            f"  }} ORDER BY {order} LIMIT 1 }}",
            *lines,
            f"FILTER({same})",
        ]

    def ranked(self, node: Extreme, x: str, asked_for: bool) -> tuple[list[str], tuple[str, ...]]:
        """The pattern of a superlative's argument with its path, and the variables that order it."""
        lines = self.pattern(node.argument, x, asked_for)
        here = x
        for relation in path_of(node.key):
            there = self.fresh()
            lines.append(_triple(here, relation, there))
            here = there
        kinds = self.kinds(path_of(node.key)[-1]) or frozenset((ValueKind.NUMBER, ValueKind.TIME))
        key = order_key(here, kinds, node.direction is Direction.LARGEST, self.fresh)
        return [*lines, *key.lines], key.variables


def _triple(x: str, relation: Relation, y: str) -> str:
    """`(JOIN r y)`: x has y as its object; the other way round for an inverse relation."""
    predicate = _written(Iri(relation.iri))
    return f"{y} {predicate} {x} ." if relation.inverse else f"{x} {predicate} {y} ."


def _alternatives(predicates: tuple[str, ...]) -> str:
    texts = [_written(Iri(predicate)) for predicate in predicates]
    return texts[0] if len(texts) == 1 else f"({'|'.join(texts)})"


def _written(term: Term) -> str:
    if not isinstance(term, Iri | Literal) or not is_writable(term):
        raise ProgramError(f"SPARQL has no way to name {term}")
    return written(term)
