"""What touches a set: relations out and in, classes, and where numbers and times are to be had."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from arcaneqa.kb.endpoint import filters
from arcaneqa.kb.endpoint.classwise import Classwise
from arcaneqa.kb.endpoint.client import Row
from arcaneqa.kb.endpoint.discovery import Discovery
from arcaneqa.kb.endpoint.matching import Matching
from arcaneqa.kb.endpoint.patterns import Pattern, either, fresh_variables
from arcaneqa.kb.endpoint.queries import Queries, Question
from arcaneqa.kb.endpoint.sets import RemoteSet
from arcaneqa.kb.endpoint.terms import iri
from arcaneqa.kb.interface import Ids, Step
from arcaneqa.kb.schema import ValueKind
from arcaneqa.kb.terms import Iri

_COMPARED = frozenset((ValueKind.NUMBER, ValueKind.TIME))


class Touching:
    """Each answer is kept with its set, so that it is asked for once. Hidden items are in no answer."""

    def __init__(self, queries: Queries, discovery: Discovery, matching: Matching) -> None:
        self._queries = queries
        self._matching = matching
        self._classwise = Classwise(queries, discovery)
        schema = discovery.schema
        self._relations = {r.iri: r.id for r in schema.relations if not r.hidden}
        self._classes = {c.iri: c.id for c in schema.classes if not c.hidden}
        self._types = either(discovery.profile.type)
        self._superclasses: dict[str, list[str]] = {}
        for high, below in discovery.subclasses.items():
            for low in below:
                self._superclasses.setdefault(low, []).append(high)
        shown = [r for r in schema.relations if not r.hidden and r.comparable]
        self._always_compared = np.array([r.id for r in shown if r.kinds <= _COMPARED], np.int64)
        self._sometimes_compared = [r.iri for r in shown if not r.kinds <= _COMPARED]
        hidden = [iri(r.iri) for r in schema.relations if r.hidden and r.comparable]
        self._visible = f"FILTER(?w NOT IN ({', '.join(hidden)}))" if hidden else ""
        self._sometimes_ids = np.array([self._relations[name] for name in self._sometimes_compared], np.int64)

    def rows(self, parts: Sequence[Pattern], variables: tuple[str, ...], where: str) -> list[Row]:
        """Distinct rows over all members `?x` of the parts."""
        questions = [Question(variables, f"{part.where('?x', fresh_variables())} {where}") for part in parts]
        return [row for rows in self._queries.all(questions) for row in rows]

    def out_relations(self, nodes: RemoteSet) -> Ids:
        return self._kept(nodes, "out", lambda: self._touched(nodes, "?x ?r ?o"))

    def in_relations(self, nodes: RemoteSet) -> Ids:
        return self._kept(nodes, "in", lambda: self._leading_to(nodes, "?s", ""))

    def classes(self, nodes: RemoteSet) -> Ids:
        return self._kept(nodes, "classes", lambda: self._classes_of(nodes))

    def comparable_relations(self, nodes: RemoteSet) -> Ids:
        return self._kept(nodes, "comparable", lambda: self._compared(nodes))

    def steps_to_values(self, nodes: RemoteSet) -> list[Step]:
        codes = self._kept(nodes, "steps", lambda: self._steps(nodes))
        return [Step(code >> 1, bool(code & 1)) for code in codes.tolist()]

    def _kept(self, nodes: RemoteSet, name: str, asked: Callable[[], Ids]) -> Ids:
        found = nodes.kept.get(name)
        if found is None:
            found = nodes.kept[name] = asked()
        return found

    def _named(self, nodes: RemoteSet, where: str, ids: dict[str, int]) -> Ids:
        return self._ids(self.rows(nodes.sources, ("?r",), where), ids)

    @staticmethod
    def _ids(rows: Sequence[Row], ids: dict[str, int]) -> Ids:
        names = {row[0].value for row in rows if isinstance(row[0], Iri)}
        return np.array(sorted(ids[name] for name in names if name in ids), np.int64)

    def _classes_of(self, nodes: RemoteSet) -> Ids:
        rows = self.rows(nodes.sources, ("?c",), f"?x {self._types} ?c")
        names = {row[0].value for row in rows if isinstance(row[0], Iri)}
        names |= {above for name in names for above in self._superclasses.get(name, ())}
        return np.array(sorted(self._classes[name] for name in names if name in self._classes), np.int64)

    def _compared(self, nodes: RemoteSet) -> Ids:
        out = self.out_relations(nodes)
        surely = np.intersect1d(out, self._always_compared)
        unsure = np.intersect1d(out, self._sometimes_ids)
        if not len(unsure):
            return surely
        asked = self._sometimes_compared
        if nodes.klass is None:
            asked = [name for name in asked if self._relations[name] in unsure]
        values = f"VALUES ?r {{ {' '.join(map(iri, asked))} }} ?x ?r ?v . FILTER({_has_value('?v')})"
        return np.union1d(surely, self._touched(nodes, values))

    def _touched(self, nodes: RemoteSet, where: str) -> Ids:
        """The relations `?r` for which a member `?x` fulfils the pattern."""
        if nodes.klass is None:
            return self._named(nodes, where, self._relations)
        names = self._classwise.relations(nodes.klass.iri, where)
        return np.array(sorted(self._relations[name] for name in names if name in self._relations), np.int64)

    def _steps(self, nodes: RemoteSet) -> Ids:
        """Steps as numbers: twice the relation, and one more for an inverse step."""
        valued = f"?y ?w ?v . FILTER(isLiteral(?v) && {_has_value('?v')}) {self._visible}"
        forwards = self._touched(nodes, f"?x ?r ?y . {valued}")
        return np.union1d(2 * forwards, 2 * self._leading_to(nodes, "?y", valued) + 1)

    def _leading_to(self, nodes: RemoteSet, subject: str, also: str) -> Ids:
        """Relations from some subject to a member, or to a literal of the same value."""
        found = self._touched(nodes, f"{subject} ?r ?x . {also}")
        if nodes.klass is not None:
            return found
        questions = [
            Question(
                ("?r",),
                f"VALUES ?r {{ {' '.join(map(iri, match.relations))} }} {subject} ?r ?x . "
                f"FILTER({match.condition.text('?x')}) {also}",
            )
            for match in self._matching.of(nodes)
        ]
        rows = [row for rows in self._queries.all(questions) for row in rows]
        return np.union1d(found, self._ids(rows, self._relations))


def _has_value(variable: str) -> str:
    return f"({filters.is_number(variable)} || {filters.is_time(variable)})"
