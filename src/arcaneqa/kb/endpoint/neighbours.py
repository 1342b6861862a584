"""What touches a set: relations out and in, classes, where numbers and times are to be had, how many
neighbours its members have."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from arcaneqa.kb.endpoint.client import Row
from arcaneqa.kb.endpoint.discovery import Discovery
from arcaneqa.kb.endpoint.matching import Matching
from arcaneqa.kb.endpoint.patterns import Pattern, either, fresh_variables, unlike, walked
from arcaneqa.kb.endpoint.queries import Queries, Question, batches, whole_number
from arcaneqa.kb.endpoint.sets import Parts, RemoteSet
from arcaneqa.kb.interface import Ids, Step
from arcaneqa.kb.schema import ValueKind
from arcaneqa.kb.sparql import filters
from arcaneqa.kb.sparql.terms import iri
from arcaneqa.kb.terms import Iri, Term

_NAMED = 64
"""Relations that a query names; where more would be left, it names those that are hidden."""
_COMPARED = frozenset((ValueKind.NUMBER, ValueKind.TIME))


class Touching:
    """Each answer is kept with its set, so that it is asked for once. Hidden items are in no answer."""

    def __init__(self, queries: Queries, discovery: Discovery, matching: Matching) -> None:
        self._queries = queries
        self._matching = matching
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
        self._has_values = bool(shown)
        self._surely_compared = [r.iri for r in shown if r.kinds <= _COMPARED]
        self._sometimes_compared = [r.iri for r in shown if not r.kinds <= _COMPARED]
        self.hidden = tuple(r.iri for r in schema.relations if r.hidden)
        self._hidden_values = tuple(r.iri for r in schema.relations if r.hidden and r.comparable)
        self._members = {c.iri: c.members for c in schema.classes}
        self._sometimes_ids = np.array([self._relations[name] for name in self._sometimes_compared], np.int64)

    def rows(self, parts: Sequence[Pattern], variables: tuple[str, ...], where: str) -> list[Row]:
        """Distinct rows over all members `?x` of the parts."""
        questions = [Question(variables, f"{part.where('?x', fresh_variables())} {where}") for part in parts]
        return [row for rows in self._queries.all(questions) for row in rows]

    def out_relations(self, nodes: RemoteSet) -> Ids:
        return self._kept(nodes, "out", lambda: self._named(nodes, "?x ?r ?o", self._relations))

    def in_relations(self, nodes: RemoteSet) -> Ids:
        return self._kept(nodes, "in", lambda: self._leading_to(nodes, "?s", ""))

    def classes(self, nodes: RemoteSet) -> Ids:
        return self._kept(nodes, "classes", lambda: self._classes_of(nodes))

    def comparable_relations(self, nodes: RemoteSet) -> Ids:
        return self._kept(nodes, "comparable", lambda: self._compared(nodes))

    def steps_to_values(self, nodes: RemoteSet) -> list[Step]:
        codes = self._kept(nodes, "steps", lambda: self._steps(nodes))
        return [Step(code >> 1, bool(code & 1)) for code in codes.tolist()]

    def orderable_classes(self, hops: int) -> Ids:
        """Classes with a member that has a value, or a neighbour with one. Found class by class, because
        one member is enough; what one kind of path has shown, the next need not."""
        if not self._has_values:
            return np.empty(0, np.int64)
        seen = unlike("?r", self.hidden)
        ways = [self._valued("?x")]
        if hops > 1:
            ways += [f"?x ?r ?y . {seen} {self._valued('?y')}", f"?y ?r ?x . {seen} {self._valued('?y')}"]
        found: set[str] = set()
        for way in ways:
            left = [name for name, members in self._members.items() if members and name not in found]
            found |= self._with_member(left, way)
            found |= {above for name in found for above in self._superclasses.get(name, ())}
        return np.array(sorted(self._classes[name] for name in found if name in self._classes), np.int64)

    def classes_having(self, relations: Sequence[str], inverse: bool) -> Ids:
        """Classes with a member that is the subject of such a fact, or the object."""
        if not relations:
            return np.empty(0, np.int64)
        chosen = f"FILTER(?r IN ({', '.join(map(iri, relations))}))"
        # Of many relations it is quicker to say which are not meant.
        some = chosen if len(relations) <= _NAMED else unlike("?r", self.hidden)
        fact = "?y ?r ?x ." if inverse else "?x ?r ?y ."
        found = self._with_member(
            [name for name, members in self._members.items() if members], f"{fact} {some}"
        )
        found |= {above for name in found for above in self._superclasses.get(name, ())}
        return np.array(sorted(self._classes[name] for name in found if name in self._classes), np.int64)

    def _with_member(self, classes: Sequence[str], where: str) -> set[str]:
        questions = []
        for batch in batches(classes):
            each = (
                f"{{ SELECT ({iri(name)} AS ?c) WHERE {{ ?x {self._types} {iri(name)} . {where} }} LIMIT 1 }}"
                for name in batch
            )
            questions.append(Question(("?c",), " UNION ".join(each)))
        rows = [row for rows in self._queries.all(questions) for row in rows]
        return {row[0].value for row in rows if isinstance(row[0], Iri)}

    def _valued(self, subject: str) -> str:
        """The subject has a number or a time, not only by a hidden relation."""
        fact, value = f"{subject} ?w ?v .", f"isLiteral(?v) && {_has_value('?v')}"
        names = [*self._surely_compared, *self._sometimes_compared]
        if len(names) > _NAMED:
            return f"{fact} FILTER({value}) {unlike('?w', self._hidden_values)}"
        # To look at the relation first is quicker, as long as there are few.
        always = f"FILTER(?w IN ({', '.join(map(iri, names))}))"
        unsure = f"FILTER(?w IN ({', '.join(map(iri, self._surely_compared))}) || ({value}))"
        return f"{fact} {always} {unsure if self._sometimes_compared else ''}"

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
        asked = [name for name in self._sometimes_compared if self._relations[name] in unsure]
        values = f"VALUES ?r {{ {' '.join(map(iri, asked))} }} ?x ?r ?v . FILTER({_has_value('?v')})"
        return np.union1d(surely, self._named(nodes, values, self._relations))

    def _steps(self, nodes: RemoteSet) -> Ids:
        """Steps as numbers: twice the relation, and one more for an inverse step."""
        if not self._has_values:
            return np.empty(0, np.int64)
        valued = self._valued("?y")
        forwards = self._named(nodes, f"?x ?r ?y . {valued}", self._relations)
        return np.union1d(2 * forwards, 2 * self._leading_to(nodes, "?y", valued) + 1)

    def _leading_to(self, nodes: RemoteSet, subject: str, also: str) -> Ids:
        """Relations from some subject to a member, or to a literal of the same value."""
        found = self._named(nodes, f"{subject} ?r ?x . {also}", self._relations)
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


def neighbour_counts(
    queries: Queries, members: Parts, path: tuple[tuple[str, bool], ...], within: Parts | None
) -> dict[Term, int]:
    """For each member how many different nodes (of the set `within`) the path leads to, if any."""
    questions = []
    for part in members:
        fresh = fresh_variables()
        lines = [part.where("?x", fresh), walked("?x", path, "?y", fresh)]
        if within is not None:
            inside = (f"{{ {other.where('?y', fresh)} }}" for other in within)
            lines.append(" UNION ".join(inside) or "FILTER(false)")
        count = f"SELECT ?x (COUNT(DISTINCT ?y) AS ?n) WHERE {{ {' '.join(lines)} }} GROUP BY ?x"
        questions.append(Question(("?x", "?n"), f"{{ {count} }}"))
    return {
        row[0]: whole_number(row[1]) for rows in queries.all(questions) for row in rows if row[0] is not None
    }
