"""Programs that count: the most of something, so many of it, how many different ones."""

from __future__ import annotations

from arcaneqa.kb.interface import Comparison, Step
from arcaneqa.kb.terms import XSD, Literal
from arcaneqa.program import expression as ex
from arcaneqa.synthesis.drawing import FEW, Drawing
from arcaneqa.synthesis.sampled_facts import Found


class CountForms(Drawing):
    def by_count(self) -> ex.Expression | None:
        direction = ex.Direction.LARGEST if self.rng.random() < 0.75 else ex.Direction.SMALLEST
        if self.rng.random() < 0.35:
            return self._commonest(direction)
        found = self.some_set("most")
        step = None if found is None else self.countable(found)
        if found is None or step is None:
            return None
        within = self._kind(found, step[0]) or self._part(found, step[0])
        key: ex.Key = ex.Counted((self.relation(step[0]),), within)
        totals = [n for n in self.numbers(self.kb.walk(step[0], found.nodes)) if self.is_number(n)]
        if totals and self.rng.random() < 0.25:
            function = self.rng.choice([ex.Aggregation.SUM, ex.Aggregation.AVG])
            key = ex.Totalled(function, (self.relation(step[0]), totals[0]))
        if self.rng.random() < 0.12:
            return ex.Extreme(direction, found.expression, key, 1, self.rng.choice([2, 3, 5]))
        return ex.Extreme(direction, found.expression, key)

    def _kind(self, found: Found, step: Step) -> ex.Class | None:
        """Which kind is counted, where a step leads to several: the bridges of an architect, not mills."""
        if not step.inverse:
            return None
        reached = self.kb.walk(step, self.kb.nodes(found.nodes.ids[:FEW]))
        schema = self.kb.schema
        shown = [c for c in self.kb.classes(reached).tolist() if not schema.classes[c].hidden]
        parts = [c for c in shown if self.kb.difference(reached, self.kb.members(c))]
        domain = schema.relations[step.relation].domain
        if not parts or (domain is not None and domain in shown and domain not in parts):
            return None
        return ex.Class(schema.classes[self.rng.choice(parts)].iri)

    def _part(self, found: Found, step: Step) -> ex.Expression | None:
        """Now and then only some of the neighbours count: "the most products that cost more than 5"."""
        if self.rng.random() < 0.75:
            return None
        reached = self.kb.walk(step, found.nodes)
        if not reached:
            return None
        member = int(self.rng.choice(reached.ids[:200].tolist()))
        condition = self.sampler.around(member, found.expression)
        return None if condition is None else condition.expression

    def _commonest(self, direction: ex.Direction) -> ex.Expression | None:
        """The value that most members of a class have."""
        found = self.some_class("most")
        shared = found and self.kinds_of(found.nodes)
        if found is None or not shared:
            return None
        back = ex.Relation(shared[0].iri, inverse=True)
        relation = self.kb.schema.relation_ids[back.iri]
        sharing = self.kb.subjects(relation, self.kb.walk(Step(relation), found.nodes))
        within = found.expression if self.kb.difference(sharing, found.nodes) else None
        return ex.Extreme(direction, ex.Join(back, found.expression), ex.Counted((back,), within))

    def with_count(self) -> ex.Expression | None:
        found = self.some_set("many")
        step = None if found is None else self.countable(found)
        if found is None or step is None:
            return None
        counts = sorted(step[1].values())
        number = self.rng.choice(counts)
        comparison = self.rng.choice(
            [Comparison.GT, Comparison.GE, Comparison.GE, Comparison.LT, Comparison.EQ]
        )
        if comparison is Comparison.GT:
            number = max(1, number - 1)
        counted = ex.Counted((self.relation(step[0]),), self._kind(found, step[0]))
        picked = ex.Compare(comparison, counted, _integer(number))
        program: ex.Expression = ex.And(found.expression, picked)
        return ex.Count(program) if self.rng.random() < 0.15 else program

    def different(self) -> ex.Expression | None:
        found = self.some_set("different")
        shared = found and self.kinds_of(found.nodes)
        return ex.Count(found.expression, (shared[0],)) if found is not None and shared else None


def _integer(number: int) -> ex.Value:
    return ex.Value(Literal(str(number), XSD + "integer"))
