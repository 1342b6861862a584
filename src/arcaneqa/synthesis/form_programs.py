"""Programs of the forms beyond the paper's: counts, ranks, totals, either, not, yes or no, tables."""

from __future__ import annotations

import re
from collections.abc import Callable

from arcaneqa.errors import BudgetExceeded, ProgramError
from arcaneqa.kb.interface import Comparison, Step, Window
from arcaneqa.kb.schema import ValueKind
from arcaneqa.kb.terms import XSD, Literal
from arcaneqa.kb.values import Number, value_of
from arcaneqa.program import expression as ex
from arcaneqa.program.execute import execute
from arcaneqa.synthesis.count_forms import CountForms
from arcaneqa.synthesis.drawing import FEW
from arcaneqa.synthesis.sampled_facts import Found
from arcaneqa.synthesis.sampling import Sampler, undoes
from arcaneqa.synthesis.thresholds import threshold

_WORD = re.compile(r"[^\W\d_]{4,}")
_NESTED = 0.15
"""The share of sets that another form describes."""
_LARGEST_DESCRIBED = 5000
"""Members of a set that a form describes; more are nothing to ask on from."""
_CROWD = 60
"""A chain that leads through more nodes than this says nothing of the one it began with."""


class FormSampler(CountForms):
    """Programs of each form, by the name of its kind."""

    def __init__(self, sampler: Sampler) -> None:
        super().__init__(sampler)
        self.kinds: dict[str, Callable[[], ex.Expression | None]] = {
            "most": self.by_count,
            "many": self.with_count,
            "rank": self.ranked,
            "either": self.either,
            "without": self.without,
            "having": self.having,
            "total": self.total,
            "different": self.different,
            "than": self.more_than,
            "range": self.between,
            "same": self.same,
            "yes": self.yes_or_no,
            "like": self.containing,
            "sort": self.sorted,
            "table": self.table,
            "each": self.each,
            "chain": self.chain,
            "of": self.of_these,
        }

    # Sets that a form describes --------------------------------------------------------------------

    def some_set(self, kind: str) -> Found | None:
        """As ever, or now and then what another form describes: forms are asked of forms."""
        if self.rng.random() < _NESTED and (found := self.described()) is not None and len(found.nodes) > 2:
            return found
        return super().some_set(kind)

    def described(self) -> Found | None:
        """ "customers without orders", "schools larger than the average"."""
        forms = (self.with_count, self.by_count, self.without, self.having, self.more_than, self.between)
        program = self.rng.choice((*forms, self.either, self.ranked))()
        if program is None or ex.denotes(program) is not ex.Denotation.SET:
            return None
        try:
            nodes = execute(program, self.kb).nodes
        except (ProgramError, BudgetExceeded):
            return None
        return Found(program, nodes) if 0 < len(nodes) <= _LARGEST_DESCRIBED else None

    def of_these(self) -> ex.Expression | None:
        """What is known of those that a form describes, or what belongs to them."""
        found = self.described()
        if found is None or self.facts.is_nameless(found.nodes):
            return None
        if self.rng.random() < 0.6:
            attributes = self.attributes(found.nodes)
            return (
                ex.Join(ex.Relation(attributes[0].iri, inverse=True), found.expression)
                if attributes
                else None
            )
        for step in self.steps(found.nodes)[:6]:
            onward = self.sampler.join(found, step.relation, step.inverse)
            if onward is not None and not self.facts.is_nameless(onward.nodes):
                belonging = self.sampler.of_class(onward) if step.inverse else onward
                return None if belonging is None else belonging.expression
        return None

    # Order ---------------------------------------------------------------------------------------

    def ranked(self) -> ex.Expression | None:
        found = self.some_set("rank")
        numbers = found and self.numbers(found.nodes)
        if found is None or not numbers or len(found.nodes) < 4:
            return None
        direction = ex.Direction.LARGEST if self.rng.random() < 0.7 else ex.Direction.SMALLEST
        last = self.rng.choice([2, 3, 3, 5, 10])
        first = last if last <= 5 and self.rng.random() < 0.4 else 1
        if last >= len(found.nodes):
            return None
        return ex.Extreme(direction, found.expression, (numbers[0],), first, last)

    def sorted(self) -> ex.Expression | None:
        found = self.some_set("sort")
        numbers = found and self.numbers(found.nodes)
        if found is None or not numbers:
            return None
        return ex.Sort(found.expression, (numbers[0],), self.rng.random() < 0.55)

    def more_than(self) -> ex.Expression | None:
        """Compared with another member, or with the average of all."""
        found = self.some_class("than")
        numbers = found and self.numbers(found.nodes)
        if found is None or not numbers:
            return None
        comparison = self.rng.choice([Comparison.GT, Comparison.GT, Comparison.LT])
        if self.rng.random() < 0.35 and self.is_number(numbers[0]):
            value: ex.Expression = ex.Aggregate(ex.Aggregation.AVG, found.expression, (numbers[0],))
        else:
            named = self.named(found.nodes)
            if named is None:
                return None
            value = ex.Join(ex.Relation(numbers[0].iri, inverse=True), named)
        return ex.And(found.expression, ex.Compare(comparison, numbers[0], value))

    def between(self) -> ex.Expression | None:
        """From one value to another, the ends among them or not."""
        found = self.some_class("range")
        numbers = found and self.numbers(found.nodes)
        if found is None or not numbers:
            return None
        relation = self.kb.schema.relation_ids[numbers[0].iri]
        objects = self.kb.values(relation, self.kb.nodes(found.nodes.ids[:FEW])).objects
        literals = [self.facts.literal(int(node)) for node in objects[:200]]
        over, under = self.rng.choice([(Comparison.GE, Comparison.LE), (Comparison.GT, Comparison.LT)])
        low, high = (threshold(literals, side, self.rng) for side in (over, under))
        if low is None or high is None or not _is_before(value_of(low), value_of(high)):
            return None
        ends = ex.And(
            ex.Compare(over, numbers[0], ex.Value(low)), ex.Compare(under, numbers[0], ex.Value(high))
        )
        return ex.And(found.expression, ends)

    def same(self) -> ex.Expression | None:
        """Members that share something with one of them."""
        found = self.some_class("same")
        shared = found and self.kinds_of(found.nodes)
        named = self.named(found.nodes) if found is not None and shared else None
        if found is None or not shared or named is None:
            return None
        back = ex.Relation(shared[0].iri, inverse=True)
        return ex.And(found.expression, ex.Join(shared[0], ex.Join(back, named)))

    def total(self) -> ex.Expression | None:
        found = self.some_set("total")
        numbers = found and self.numbers(found.nodes)
        if found is None or not numbers:
            return None
        function = self.rng.choice(list(ex.Aggregation))
        times = not self.is_number(numbers[0])
        if times:
            function = self.rng.choice([ex.Aggregation.MAX, ex.Aggregation.MIN])
        if self.rng.random() < 0.12 and not times:
            pair = self.rng.sample(list(ex.Aggregation), 2)
            return ex.Show(found.expression, tuple(ex.Totalled(one, (numbers[0],)) for one in pair))
        return ex.Aggregate(function, found.expression, (numbers[0],))

    # Either, not, yes or no ------------------------------------------------------------------------

    def either(self) -> ex.Expression | None:
        found = self.some_class("either")
        if found is None:
            return None
        numbers = self.numbers(found.nodes)
        if numbers and self.rng.random() < 0.25:
            one, two = self.named(found.nodes), self.named(found.nodes)
            if one is None or two is None or one == two:
                return None
            direction = self.rng.choice(list(ex.Direction))
            return ex.Extreme(direction, ex.Or(one, two), (numbers[0],))
        shared = self.kinds_of(found.nodes)
        values = self.values_of(found.nodes, shared[0], 2) if shared else []
        if len(values) != 2:
            return None
        program = ex.And(found.expression, ex.Join(shared[0], ex.Or(*values)))
        return ex.Count(program) if self.rng.random() < 0.2 else program

    def without(self) -> ex.Expression | None:
        found = self.some_class("without")
        if found is None:
            return None
        program: ex.Expression | None = None
        if self.rng.random() < 0.5:
            shared = self.kinds_of(found.nodes)
            values = self.values_of(found.nodes, shared[0], 1) if shared else []
            if values:
                program = ex.Not(found.expression, ex.Join(shared[0], values[0]))
        else:
            for step in self.steps(found.nodes)[:8]:
                some = self.kb.walk(Step(step.relation, not step.inverse), self.kb.walk(step, found.nodes))
                if self.kb.difference(found.nodes, some):
                    program = ex.Not(found.expression, self.with_some(step))
                    break
        return ex.Count(program) if program is not None and self.rng.random() < 0.2 else program

    def having(self) -> ex.Expression | None:
        found = self.some_class("having")
        if found is None:
            return None
        for step in self.steps(found.nodes)[:8]:
            some = self.kb.walk(Step(step.relation, not step.inverse), self.kb.walk(step, found.nodes))
            if self.kb.difference(found.nodes, some):
                program = ex.And(found.expression, self.with_some(step))
                return ex.Count(program) if self.rng.random() < 0.2 else program
        return None

    def yes_or_no(self) -> ex.Expression | None:
        found = self.some_class("yes")
        named = None if found is None else self.named(found.nodes)
        if found is None or named is None:
            return None
        draw = self.rng.random()
        numbers = self.numbers(found.nodes)
        if draw < 0.3 and numbers:
            other = self.named(found.nodes)
            if other is None or other == named:
                return None
            comparison = self.rng.choice([Comparison.GT, Comparison.LT])
            than = ex.Join(ex.Relation(numbers[0].iri, inverse=True), other)
            return ex.Meet(named, ex.Compare(comparison, numbers[0], than))
        shared = self.kinds_of(found.nodes)
        if not shared:
            return None
        values = self.values_of(found.nodes, shared[0], 1)
        if not values:
            return None
        condition = ex.Join(shared[0], values[0])
        return ex.Meet(found.expression if draw > 0.75 else named, condition)

    def containing(self) -> ex.Expression | None:
        found = self.some_class("like")
        if found is None:
            return None
        for relation in self.attributes(found.nodes):
            pairs = self.kb.values(
                self.kb.schema.relation_ids[relation.iri], self.kb.nodes(found.nodes.ids[:200])
            )
            texts = [self.facts.literal(int(node)) for node in pairs.objects[:50]]
            words = [
                w
                for text in texts
                if text is not None and _is_text(text)
                for w in _WORD.findall(text.lexical)
            ]
            if words:
                return ex.And(found.expression, ex.Like(relation, ex.Value(Literal(self.rng.choice(words)))))
        return None

    # Tables ------------------------------------------------------------------------------------------

    def table(self) -> ex.Expression | None:
        found = self.some_set("table")
        columns = found and self.attributes(found.nodes)
        if found is None or not columns:
            return None
        size = self.rng.choice([1, 1, 2, 2, 3])
        shown: list[ex.Key] = [self._column(found, column) for column in columns[:size]]
        if size == 1 or self.rng.random() < 0.7:
            shown.insert(0 if self.rng.random() < 0.6 else self.rng.randint(0, size), ())
        numbers = self.numbers(found.nodes)
        listed = found.expression
        if numbers and self.rng.random() < 0.15:
            listed = ex.Sort(listed, (numbers[0],), self.rng.random() < 0.5)
        return ex.Show(listed, tuple(shown))

    def _column(self, found: Found, column: ex.Relation) -> ex.Path:
        """What members have, or now and then what the one thing has that it leads to."""
        relation = self.kb.schema.relation_ids[column.iri]
        if self.rng.random() < 0.6 or ValueKind.ENTITY not in self.kb.schema.relations[relation].kinds:
            return (column,)
        onward = self.attributes(self.kb.walk(Step(relation), self.kb.nodes(found.nodes.ids[:FEW])))
        return (column, onward[0]) if onward else (column,)

    def each(self) -> ex.Expression | None:
        found = self.some_set("each")
        shared = found and self.kinds_of(found.nodes)
        if found is None or not shared:
            return None
        numbers = [n for n in self.numbers(found.nodes) if n != shared[0] and self.is_number(n)]
        column: ex.Counted | ex.Totalled = ex.Counted(())
        if numbers and self.rng.random() < 0.4:
            column = ex.Totalled(self.rng.choice(list(ex.Aggregation)), (numbers[0],))
        program: ex.Expression = ex.Per(found.expression, (shared[0],), (column,))
        return ex.Sort(program, column, self.rng.random() < 0.7) if self.rng.random() < 0.12 else program

    # Chains --------------------------------------------------------------------------------------------

    def chain(self) -> ex.Expression | None:
        """Two to four steps from something with a name, never through many at once."""
        start = self.some_class("chain")
        named = None if start is None else self.named(start.nodes)
        node = None if named is None else self.kb.node(named.term)
        if named is None or node is None:
            return None
        found: Found | None = Found(named, self.facts.one(node))
        length = self.rng.choice([2, 3, 3, 3, 4, 4])
        for number in range(1, length + 1):
            found = None if found is None else self._onward(found, number == length)
        return None if found is None else found.expression

    def _onward(self, found: Found, last: bool) -> Found | None:
        """One step further: to entities, or at the end mostly to what is known of them."""
        steps = self.steps(found.nodes)
        if last and self.rng.random() < 0.6:
            ids = self.kb.schema.relation_ids
            steps = [Step(ids[relation.iri]) for relation in self.attributes(found.nodes)]
        for step in steps[:6]:
            if not undoes(found.expression, self.kb.schema.relations[step.relation].iri, step.inverse):
                onward = self.sampler.join(found, step.relation, step.inverse)
                if onward is None or len(onward.nodes) > _CROWD:
                    continue
                if not (last and self.facts.is_nameless(onward.nodes)):
                    return onward
        return None


def _is_before(low: object, high: object) -> bool:
    """Whether two values are of one kind, and the first is smaller."""
    if isinstance(low, Number) and isinstance(high, Number):
        return low < high
    return isinstance(low, Window) and isinstance(high, Window) and low.end <= high.start


def _is_text(literal: Literal) -> bool:
    return literal.datatype == XSD + "string" and len(literal.lexical) < 80
