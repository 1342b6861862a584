"""Whether two programs ask the same thing, with what an ontology says about their words."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

import numpy as np

from arcaneqa.kb import schema
from arcaneqa.kb.interface import Comparison, KnowledgeBase, Window
from arcaneqa.kb.ontology import ROLES, TYPES, ontology_rows
from arcaneqa.kb.short_names import Names
from arcaneqa.kb.terms import XSD, Blank, Iri, Literal
from arcaneqa.kb.values import Number, value_of
from arcaneqa.language import expression as ex
from arcaneqa.language.expression import Relation
from arcaneqa.language.rewrite import leaves

# What an ontology says about the words of a program: implied classes, inverse relations.


_NOTHING: frozenset[str] = frozenset()

End = tuple[str, bool]
Roles = tuple[str | None, str | None]


@dataclass(frozen=True, slots=True)
class RelationEnd:
    """A relation as seen from one end, named the same whichever of its inverses was written."""

    name: str
    near: frozenset[str]
    far: frozenset[str]


@dataclass(frozen=True)
class Ontology:
    """Names are IRIs. `roles` holds the domain and range of a relation, `parents` the direct superclasses."""

    roles: Mapping[str, Roles] = field(default_factory=dict)
    parents: Mapping[str, frozenset[str]] = field(default_factory=dict)
    inverses: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def load(cls, folder: Path, names: Names) -> Ontology:
        """From `fb_roles`, `fb_types` and `reverse_properties`, exactly as they say it."""
        roles: dict[str, Roles] = {}
        parents: dict[str, frozenset[str]] = {}
        inverses: dict[str, str] = {}
        for name, row in ontology_rows(folder, names):
            if name == ROLES:
                roles[row[1]] = (row[0], row[2])
            elif name == TYPES:
                parents[row[0]] = parents.get(row[0], _NOTHING) | {row[2]}
            else:
                inverses[row[0]] = row[1]
        return cls(roles, parents, inverses)

    @classmethod
    def of(cls, kb: KnowledgeBase, roles: bool = True) -> Ontology:
        """What holds in a knowledge base: a domain or range only where no fact goes against it.

        Without `roles` the facts are not looked at, which takes long where they are far away.
        """
        relations = kb.schema.relations
        return cls(
            roles=_HeldRoles(kb) if roles else {},
            parents={klass.iri: _NOTHING for klass in kb.schema.classes},
            inverses={r.iri: relations[r.inverse].iri for r in relations if r.inverse is not None},
        )

    @cached_property
    def classes(self) -> frozenset[str]:
        return frozenset(self.parents).union(*self.parents.values())

    def edge(self, relation: Relation) -> RelationEnd:
        """The subject's end of a plain relation, the object's end of an inverse one."""
        end = (relation.iri, relation.inverse)
        if (known := self._edges.get(end)) is not None:
            return known
        ends = self._groups.get(end, [end])
        sides = [self._ends(*other) for other in ends]
        near, far = (_NOTHING.union(*(side[at] for side in sides)) for at in (0, 1))
        edge = RelationEnd(_end_name(ends[0]), near, far)
        self._edges.update(dict.fromkeys(ends, edge))
        return edge

    def ancestors(self, klass: str) -> frozenset[str]:
        """The class itself and everything it is a kind of."""
        known = self._ancestors.get(klass)
        if known is None:
            found, waiting = {klass}, [klass]
            while waiting:
                new = self.parents.get(waiting.pop(), _NOTHING) - found
                found |= new
                waiting += new
            known = self._ancestors[klass] = frozenset(found)
        return known

    @cached_property
    def _ancestors(self) -> dict[str, frozenset[str]]:
        return {}

    @cached_property
    def _edges(self) -> dict[End, RelationEnd]:
        return {}

    @cached_property
    def _groups(self) -> dict[End, list[End]]:
        """Ends that inverses tie together, directly or through others, in one order for all of them."""
        leader: dict[End, End] = {}

        def find(end: End) -> End:
            while (up := leader.setdefault(end, end)) != end:
                leader[end] = end = leader[up]
            return end

        for one, other in self.inverses.items():
            for side in (False, True):
                leader[find((one, side))] = find((other, not side))
        groups: dict[End, list[End]] = {}
        for end in sorted(leader):
            groups.setdefault(find(end), []).append(end)
        return {end: ends for ends in groups.values() for end in ends}

    def _ends(self, iri: str, inverse: bool) -> tuple[frozenset[str], frozenset[str]]:
        domain, range_ = self.roles.get(iri, (None, None))
        near, far = (range_, domain) if inverse else (domain, range_)
        return frozenset({near} - {None}), frozenset({far} - {None})  # type: ignore[arg-type]


def _end_name(end: End) -> str:
    return repr(end[0]) + (" inverse" if end[1] else "")


class _HeldRoles(Mapping[str, Roles]):
    """Domain and range of a relation, looked up in the facts when first asked for.

    A schema's classes may be a majority's, and a declaration need not hold; whether leaving a class out
    changes an answer is decided by the facts.
    """

    def __init__(self, kb: KnowledgeBase) -> None:
        self._kb = kb
        self._known: dict[str, Roles] = {}

    def __getitem__(self, iri: str) -> Roles:
        if iri not in self._known:
            relation = self._kb.schema.relations[self._kb.schema.relation_ids[iri]]
            self._known[iri] = (
                self._held(relation.domain, self._facts_from(relation)),
                self._held(relation.range, self._facts_to(relation)),
            )
        return self._known[iri]

    def __iter__(self) -> Iterator[str]:
        return iter(self._kb.schema.relation_ids)

    def __len__(self) -> int:
        return len(self._kb.schema.relations)

    def _held(self, klass: int | None, all_facts: bool) -> str | None:
        return self._kb.schema.classes[klass].iri if klass is not None and all_facts else None

    def _facts_from(self, relation: schema.Relation) -> bool:
        """Whether every subject is of the domain."""
        if relation.domain is None:
            return False
        members = self._kb.members(relation.domain)
        return len(self._kb.values(relation.id, members).subjects) == relation.facts

    def _facts_to(self, relation: schema.Relation) -> bool:
        """Whether every object is of the range."""
        if relation.range is None:
            return False
        members = self._kb.members(relation.range)
        pairs = self._kb.values(relation.id, self._kb.subjects(relation.id, members))
        return int(np.isin(pairs.objects, members.ids).sum()) == relation.facts


# Whether two programs ask the same thing.


_EMPTY = Ontology()


def equivalent(left: ex.Expression, right: ex.Expression, ontology: Ontology | None = None) -> bool:
    return canonical(left, ontology) == canonical(right, ontology)


def canonical(expression: ex.Expression, ontology: Ontology | None = None) -> str:
    """A text that two programs share exactly if they are equivalent; not a program itself."""
    return _node(expression, ontology or _EMPTY, _NOTHING).text


@dataclass(frozen=True, slots=True)
class _Filter:
    """What TC asks of every member, on its own."""

    relation: ex.Relation
    when: ex.Value | ex.Now


@dataclass(frozen=True, slots=True)
class _Taken:
    """What NOT takes away from every member's set."""

    part: ex.Expression


@dataclass(frozen=True, slots=True)
class _Node:
    """`classes` are those its members are known to have, asked for or implied."""

    text: str
    classes: frozenset[str]


def _node(expression: ex.Expression, ontology: Ontology, implied: frozenset[str]) -> _Node:
    """`implied` are the classes that the way to this node already grants its members."""
    asked: set[str] = set()
    granted = set(implied)
    conditions: set[str] = set()
    for part in _conditions(expression):
        match part:
            case ex.Class(iri):
                asked.add(_representative(iri, ontology))
            case ex.Entity(Iri(value)) if value in ontology.classes:
                # Text alone does not tell a class from an entity where JOIN takes its argument.
                asked.add(_representative(value, ontology))
            case ex.Entity(term):
                conditions.add(repr(f"_:{term.label}" if isinstance(term, Blank) else term.value))
            case ex.Value(literal):
                conditions.add(literal_key(literal))
            case ex.Join(relation, argument):
                edge = ontology.edge(relation)
                granted |= edge.near
                conditions.add(f"{edge.name} {_node(argument, ontology, edge.far).text}")
            case ex.Has(relation):
                edge = ontology.edge(relation)
                granted |= edge.near
                conditions.add(f"HAS {edge.name}")
            case ex.Like(relation, text):
                edge = ontology.edge(relation)
                granted |= edge.near
                conditions.add(f"LIKE {edge.name} {text.literal.lexical.lower()!r}")
            case ex.Named(text):
                conditions.add(f"NAMED {text.literal.lexical.lower()!r}")
            case ex.Compare(comparison, key, value):
                if isinstance(key, ex.Relation):
                    granted |= ontology.edge(key).near
                conditions.add(f"{comparison} {_key(key, ontology)} {_limit(value, ontology)}")
            case ex.Extreme(direction, argument, key, first, last):
                # Only members with a value compete, and those have the class of the path's first step; but
                # members with nothing to count compete too.
                counts = isinstance(key, ex.Counted)
                near = _NOTHING if counts else ontology.edge(ex.path_of(key)[0]).near
                inner = _node(argument, ontology, near)
                granted |= inner.classes
                ranks = "" if first == last == 1 else f" {first} to {last}"
                conditions.add(f"{direction} {inner.text} by {_key(key, ontology)}{ranks}")
            case ex.Or():
                sides = sorted({_text_of(side, ontology) for side in leaves(part, ex.Or)})
                conditions.add(f"OR [{', '.join(sides)}]")
            case ex.Count(argument, path):
                conditions.add(f"COUNT {_text_of(argument, ontology)} {_path(path, ontology)}")
            case ex.Aggregate(function, argument, path):
                conditions.add(f"{function} {_text_of(argument, ontology)} {_path(path, ontology)}")
            case ex.Meet(left, right):
                sides = sorted((_text_of(left, ontology), _text_of(right, ontology)))
                conditions.add(f"MEET {' '.join(sides)}")
            case ex.Sort(argument, key, descending):
                order = "descending" if descending else "ascending"
                conditions.add(f"SORT {_text_of(argument, ontology)} {_key(key, ontology)} {order}")
            case ex.Show(argument, columns):
                shown = "; ".join(_key(column, ontology) for column in columns)
                conditions.add(f"SHOW {_text_of(argument, ontology)} [{shown}]")
            case ex.Per(argument, path, columns):
                shown = "; ".join(_key(column, ontology) for column in (path, *columns))
                conditions.add(f"PER {_text_of(argument, ontology)} [{shown}]")
            case _Taken(taken):
                conditions.add(f"NOT {_text_of(taken, ontology)}")
            case _Filter(relation, when):
                # Not by its inverse's name: the profile pairs a start with its end by this one.
                moment = "NOW" if isinstance(when, ex.Now) else literal_key(when.literal)
                conditions.add(f"TC {relation.iri!r} {relation.inverse} {moment}")
    return _Node(_text(conditions, asked, granted, ontology), frozenset(asked | granted))


def _text(conditions: set[str], asked: set[str], granted: set[str], ontology: Ontology) -> str:
    known = _NOTHING.union(*(ontology.ancestors(klass) for klass in granted))
    wider = _NOTHING.union(*(ontology.ancestors(klass) - {klass} for klass in asked))
    named = {f"a {klass!r}" for klass in asked if klass not in known and klass not in wider}
    return "{" + "; ".join(sorted(conditions | named)) + "}"


def _representative(klass: str, ontology: Ontology) -> str:
    """One name for classes that an ontology declares to be kinds of each other."""
    return min(other for other in ontology.ancestors(klass) if klass in ontology.ancestors(other))


def _text_of(expression: ex.Expression, ontology: Ontology) -> str:
    return _node(expression, ontology, _NOTHING).text


def _path(path: ex.Path, ontology: Ontology) -> str:
    return f"[{', '.join(ontology.edge(relation).name for relation in path)}]"


def _key(key: ex.Key | ex.Relation, ontology: Ontology) -> str:
    match key:
        case ex.Relation():
            return ontology.edge(key).name
        case ex.Counted(path, within):
            return (
                f"COUNT {_path(path, ontology)}{'' if within is None else f' {_text_of(within, ontology)}'}"
            )
        case ex.Totalled(function, path):
            return f"{function} {_path(path, ontology)}"
        case _:
            return _path(key, ontology)


def _limit(value: ex.Expression, ontology: Ontology) -> str:
    return literal_key(value.literal) if isinstance(value, ex.Value) else _text_of(value, ontology)


def _counting(node: ex.Compare) -> ex.Expression | _Taken:
    """A comparison of counts, as HAS, JOIN or with the nearest whole number that can be reached."""
    limit = value_of(node.value.literal) if isinstance(node.value, ex.Value) else None
    key, comparison = node.key, node.comparison
    if not isinstance(key, ex.Counted) or not isinstance(limit, Number) or not math.isfinite(limit.nearest):
        return node
    number = limit.nearest
    if comparison in (Comparison.GT, Comparison.GE):
        is_strict = comparison is Comparison.GT
        comparison, number = Comparison.GE, math.floor(number) + 1 if is_strict else math.ceil(number)
    elif comparison in (Comparison.LT, Comparison.LE):
        is_strict = comparison is Comparison.LT
        comparison, number = Comparison.LE, math.ceil(number) - 1 if is_strict else math.floor(number)
    if len(key.path) == 1:
        some = ex.Has(key.path[0]) if key.within is None else ex.Join(key.path[0], key.within)
        if comparison is Comparison.GE and number == 1:
            return some
        if comparison is not Comparison.GE and number == 0:
            return _Taken(some)
    return ex.Compare(comparison, key, ex.Value(Literal(f"{number:g}", XSD + "decimal")))


def _conditions(expression: ex.Expression) -> Iterator[ex.Expression | _Filter | _Taken]:
    waiting = [expression]
    while waiting:
        match waiting.pop():
            case ex.Not(argument, without):
                yield from map(_Taken, leaves(without, ex.Or))
                waiting.append(argument)
            case ex.Or(left, right) if len(leaves(ex.Or(left, right), ex.Or)) == 1:
                waiting.append(leaves(left, ex.Or)[0])
            case ex.Compare(Comparison.EQ, ex.Relation() as relation, ex.Value() as value):
                yield ex.Join(relation, value)
            case ex.Compare(_, ex.Counted(), _) as comparison:
                yield _counting(comparison)
            case ex.And(left, right):
                waiting += (right, left)
            case ex.Cons(argument, relation, constant):
                yield ex.Join(relation, constant)
                waiting.append(argument)
            case ex.During(argument, relation, when):
                yield _Filter(relation, when)
                waiting.append(argument)
            case part:
                yield part


def literal_key(literal: Literal) -> str:
    """Equal for literals of equal value, as the knowledge base compares them."""
    match value_of(literal):
        case Number(nearest, rest):
            return f"number {nearest!r} {rest!r}"
        case Window(start, end):
            return f"time {start!r} {end!r}"
        case bool(truth):
            return f"boolean {truth}"
        case _:
            return repr((literal.lexical, literal.datatype, literal.language.lower()))
