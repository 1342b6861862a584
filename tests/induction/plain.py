"""A knowledge base of a few facts as plain Python sets: slow, and obvious."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from arcaneqa.kb.counting import ByTerms
from arcaneqa.kb.interface import Comparison, Ids, NodeSet, Pairs, Step, Window
from arcaneqa.kb.names.words import label_from_iri
from arcaneqa.kb.profile import Profile
from arcaneqa.kb.schema import Class, Relation, Schema, ValueKind
from arcaneqa.kb.terms import Iri, Literal, Term
from arcaneqa.kb.values import Number, Value, kind_of, value_of

EX = "http://ex.org/"
PROFILE = Profile("plain", (EX + "type",), (EX + "label",), (), prefixes=(("ex", EX),), now="2020-06-01")


class PlainKb(ByTerms):
    """Facts are (subject, relation, object) with short names; `type` facts give classes."""

    def __init__(
        self,
        facts: Iterable[tuple[str, str, str | Literal]],
        hidden: Iterable[str] = (),
        time_pairs: dict[str, str | None] | None = None,
        inverses: dict[str, str] | None = None,
        profile: Profile = PROFILE,
    ) -> None:
        facts = sorted(set(facts), key=repr)
        self.profile = profile
        plain = [fact for fact in facts if fact[1] != "type"]
        terms: dict[Term, int] = {}
        for subject, _, thing in plain:
            terms.setdefault(Iri(EX + subject), len(terms))
            terms.setdefault(thing if isinstance(thing, Literal) else Iri(EX + thing), len(terms))
        for subject, relation, _ in facts:
            if relation == "type":
                terms.setdefault(Iri(EX + subject), len(terms))
        self._ids = terms
        self._terms = list(terms)
        names = sorted({relation for _, relation, _ in plain})
        classes = sorted({str(thing) for _, relation, thing in facts if relation == "type"})
        self._facts: list[set[tuple[int, int]]] = [set() for _ in names]
        for subject, relation, thing in plain:
            key: Term = thing if isinstance(thing, Literal) else Iri(EX + thing)
            self._facts[names.index(relation)].add((terms[Iri(EX + subject)], terms[key]))
        self._members: list[set[int]] = [set() for _ in classes]
        for subject, relation, thing in facts:
            if relation == "type":
                self._members[classes.index(str(thing))].add(terms[Iri(EX + subject)])
        hide = set(hidden)
        twins = {**(inverses or {}), **{b: a for a, b in (inverses or {}).items()}}
        self.schema = Schema(
            [
                Relation(
                    i,
                    EX + name,
                    label_from_iri(EX + name),
                    len(self._facts[i]),
                    len({o for _, o in self._facts[i]}),
                    frozenset(self._kind(o) for _, o in self._facts[i]),
                    inverse=names.index(twins[name]) if twins.get(name) in names else None,
                    hidden=name in hide,
                )
                for i, name in enumerate(names)
            ],
            [
                Class(i, EX + name, label_from_iri(EX + name), len(self._members[i]), name in hide)
                for i, name in enumerate(classes)
            ],
            {
                names.index(start): names.index(end) if end in names else None
                for start, end in (time_pairs or {}).items()
                if start in names
            },
        )

    def _kind(self, node: int) -> ValueKind:
        term = self._terms[node]
        return kind_of(term) if isinstance(term, Literal) else ValueKind.ENTITY

    def _value(self, node: int) -> Value | None:
        term = self._terms[node]
        return value_of(term) if isinstance(term, Literal) else None

    @staticmethod
    def _set(ids: Iterable[int]) -> NodeSet:
        return NodeSet(np.array(sorted(set(ids)), np.int64))

    def node(self, term: Term) -> int | None:
        return self._ids.get(term)

    def nodes(self, ids: Ids) -> NodeSet:
        return self._set(ids.tolist())

    def terms(self, ids: Ids) -> list[Term]:
        return [self._terms[i] for i in ids.tolist()]

    def labels(self, ids: Ids) -> list[str | None]:
        return [t.lexical if isinstance(t, Literal) else label_from_iri(str(t)) for t in self.terms(ids)]

    def aliases(self, ids: Ids) -> list[list[str]]:
        return [[] for _ in ids]

    def are_literals(self, ids: Ids) -> NDArray[np.bool_]:
        return np.array([isinstance(term, Literal) for term in self.terms(ids)], bool)

    def degrees(self, ids: Ids) -> Ids:
        return np.array([sum(i in f for facts in self._facts for f in facts) for i in ids.tolist()], np.int64)

    def equal(self, literal: Literal) -> NodeSet:
        value = value_of(literal)
        return self._set(
            i
            for i, term in enumerate(self._terms)
            if term == literal or (value is not None and self._value(i) == value)
        )

    def objects(self, relation: int, subjects: NodeSet) -> NodeSet:
        given = set(subjects.ids.tolist())
        return self._set(o for s, o in self._facts[relation] if s in given)

    def subjects(self, relation: int, objects: NodeSet) -> NodeSet:
        given = set(objects.ids.tolist())
        values = {v for i in given if (v := self._value(i)) is not None}
        return self._set(s for s, o in self._facts[relation] if o in given or self._value(o) in values)

    def members(self, klass: int) -> NodeSet:
        return self._set(self._members[klass])

    def having(self, step: Step) -> NodeSet:
        return self._set(o if step.inverse else s for s, o in self._facts[step.relation])

    def containing(self, relation: int, text: str) -> NodeSet:
        texts = ((s, self._terms[o]) for s, o in self._facts[relation])
        return self._set(
            s for s, term in texts if isinstance(term, Literal) and text.lower() in term.lexical.lower()
        )

    def named(self, text: str) -> NodeSet:
        entities = ((i, term) for i, term in enumerate(self._terms) if isinstance(term, Iri))
        return self._set(i for i, term in entities if label_from_iri(str(term)).lower() == text.lower())

    def union(self, left: NodeSet, right: NodeSet) -> NodeSet:
        return self._set([*left.ids.tolist(), *right.ids.tolist()])

    def values(self, relation: int, subjects: NodeSet) -> Pairs:
        given = set(subjects.ids.tolist())
        pairs = sorted((s, o) for s, o in self._facts[relation] if s in given)
        return Pairs(np.array([s for s, _ in pairs], np.int64), np.array([o for _, o in pairs], np.int64))

    def out_relations(self, nodes: NodeSet) -> Ids:
        found = [r for r in range(len(self._facts)) if self.objects(r, nodes)]
        return np.array(found, np.int64)

    def in_relations(self, nodes: NodeSet) -> Ids:
        found = [r for r in range(len(self._facts)) if self.subjects(r, nodes)]
        return np.array(found, np.int64)

    def classes(self, nodes: NodeSet) -> Ids:
        given = set(nodes.ids.tolist())
        return np.array([c for c, members in enumerate(self._members) if members & given], np.int64)

    def comparable_relations(self, nodes: NodeSet) -> Ids:
        given = set(nodes.ids.tolist())
        found = [
            r
            for r, facts in enumerate(self._facts)
            if any(s in given and isinstance(self._value(o), Number | Window) for s, o in facts)
        ]
        return np.array(found, np.int64)

    def steps_to_values(self, nodes: NodeSet) -> list[Step]:
        steps = [Step(r, inverse) for r in range(len(self._facts)) for inverse in (False, True)]
        return [step for step in steps if len(self.comparable_relations(self.walk(step, nodes)))]

    def intersection(self, left: NodeSet, right: NodeSet) -> NodeSet:
        return self._set(set(left.ids.tolist()) & set(right.ids.tolist()))

    def intersects(self, left: NodeSet, right: NodeSet) -> bool:
        return bool(self.intersection(left, right))

    def difference(self, left: NodeSet, right: NodeSet) -> NodeSet:
        return self._set(set(left.ids.tolist()) - set(right.ids.tolist()))

    def compare(self, comparison: Comparison, relation: int, value: Literal) -> NodeSet:
        limit = value_of(value)
        return self._set(
            s for s, o in self._facts[relation] if plainly_holds(self._value(o), comparison, limit)
        )

    def relations_comparing(self, comparison: Comparison, value: Literal) -> Ids:
        found = [r for r in range(len(self._facts)) if self.compare(comparison, r, value)]
        return np.array(found, np.int64)

    def extreme(self, nodes: NodeSet, path: Sequence[Step], largest: bool) -> NodeSet:
        reached = []
        for node in nodes.ids.tolist():
            ends = self._set([node])
            for step in path:
                ends = self.walk(step, ends)
            reached += [(node, self._value(end)) for end in ends.ids.tolist()]
        numbers = [(node, value.nearest) for node, value in reached if isinstance(value, Number)]
        times = [
            (node, value.end if largest else value.start)
            for node, value in reached
            if isinstance(value, Window)
        ]
        decisive = numbers or times
        if not decisive:
            return self._set([])
        best = (max if largest else min)(value for _, value in decisive)
        return self._set(node for node, value in decisive if value == best)

    def valid_during(self, nodes: NodeSet, start: int, end: int | None, window: Window) -> NodeSet:
        return self._set(n for n in nodes.ids.tolist() if self._is_valid(n, start, end, window))

    def _is_valid(self, node: int, start: int, end: int | None, window: Window) -> bool:
        def times(relation: int) -> list[Window]:
            found = (self._value(o) for s, o in self._facts[relation] if s == node)
            return [value for value in found if isinstance(value, Window)]

        starts = times(start)
        if end is None:
            return not starts or any(w.start < window.end and window.start < w.end for w in starts)
        ends = times(end)
        begun = not starts or any(w.start < window.end for w in starts)
        return begun and (not ends or any(w.end > window.start for w in ends))

    def close(self) -> None:
        pass


def plainly_holds(value: Value | None, comparison: Comparison, to: Value | None) -> bool:
    """The slow, obvious twin of `arcaneqa.kb.values.holds`."""
    if isinstance(value, Number) and isinstance(to, Number):
        return {
            Comparison.LT: value < to,
            Comparison.LE: value <= to,
            Comparison.GT: value > to,
            Comparison.GE: value >= to,
            Comparison.EQ: value == to,
        }[comparison]
    if isinstance(value, Window) and isinstance(to, Window):
        return {
            Comparison.LT: value.end <= to.start,
            Comparison.LE: value.end <= to.end,
            Comparison.GT: value.start >= to.end,
            Comparison.GE: value.start >= to.start,
            Comparison.EQ: value == to,
        }[comparison]
    return False
