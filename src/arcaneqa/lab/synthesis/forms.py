"""Programs of every form of the language, each drawn from facts so that it has an answer."""

from __future__ import annotations

import re
from collections.abc import Callable
from random import Random

from arcaneqa.induction.vocabulary import Vocabulary
from arcaneqa.kb.interface import Comparison, KnowledgeBase, Step, Window
from arcaneqa.kb.schema import ValueKind
from arcaneqa.kb.terms import XSD, Literal
from arcaneqa.kb.values import Number, value_of
from arcaneqa.lab.synthesis.facts import FoundSet, SampledFacts, moment, threshold
from arcaneqa.lab.synthesis.walks import DrawnWalks
from arcaneqa.language import expression as ex
from arcaneqa.language.run import Budget, execute
from arcaneqa.support.errors import BudgetExceeded, ProgramError

_BUDGET = Budget(seconds=5)
_NESTED = 0.15
"""The share of sets that another form describes."""
_LARGEST_DESCRIBED = 5000
"""Members of a set that a form describes; more are nothing to ask on from."""
_CROWD = 60
"""A chain that leads through more nodes than this says nothing of the one it began with."""
_COUNTED = 0.2
"""The share of either, without and having that asks how many."""
_WORD = re.compile(r"[^\W\d_]{4,}")
_UNEQUAL = [comparison for comparison in Comparison if comparison is not Comparison.EQ]


class Forms(DrawnWalks):
    """`draw` gives a program, or None where what was drawn leads nowhere."""

    def __init__(self, kb: KnowledgeBase, facts: SampledFacts, vocabulary: Vocabulary, rng: Random) -> None:
        super().__init__(kb, facts, vocabulary, rng)
        self._shares: dict[Callable[[], ex.Expression | None], float] = {
            self.chain: 0.32,
            self.intersection: 0.08,
            self.comparison: 0.08,
            self.superlative: 0.09,
            self.count: 0.07,
            self.constant: 0.02,
            self.dated: 0.02,
            self.by_count: 0.05,
            self.with_count: 0.03,
            self.ordered: 0.045,
            self.either: 0.03,
            self.lacking: 0.05,
            self.total: 0.04,
            self.different: 0.015,
            self.than: 0.025,
            self.between: 0.015,
            self.same: 0.015,
            self.yes_or_no: 0.03,
            self.containing: 0.01,
            self.table: 0.04,
            self.each: 0.02,
            self.of_these: 0.06,
        }

    def draw(self) -> ex.Expression | None:
        (form,) = self.rng.choices(list(self._shares), list(self._shares.values()))
        return form()

    # Walks from what the question names --------------------------------------------------------

    def chain(self) -> ex.Expression | None:
        """One to four steps, never through many nodes at once."""
        (length,) = self.rng.choices((1, 2, 3, 4), (10, 9, 8, 8))
        found = self._chain(f"chain {length}", length)
        if found and not _is_reached(found.expression) and self.chance(0.55):
            found = self.of_class(found)
        return found.expression if found else None

    def _chain(self, kind: str, length: int) -> FoundSet | None:
        found = self.start(kind)
        for left in range(length - 1, 0, -1):
            if found is None or self.is_values(found) or len(found.nodes) > _CROWD:
                return None
            found = self.hop(found, to_entities=left > 1)
        return found

    def intersection(self) -> ex.Expression | None:
        first = self.start("both")
        if first is None or self.is_values(first):
            return None
        members = [node for node in first.nodes.ids[:200].tolist() if self.facts.is_named(node)]
        return self._also(first, self.rng.choice(members)).expression if members else None

    def _also(self, found: FoundSet, member: int) -> FoundSet:
        """With another condition that one of the members meets, and half the time a class."""
        other = self.around(member, found.expression)
        if other is None:
            return self.of_class(found)
        both = ex.And(other.expression, found.expression)
        joined = FoundSet(both, self.kb.intersection(found.nodes, other.nodes))
        return self.of_class(joined) if self.chance(0.5) else joined

    def comparison(self) -> ex.Expression | None:
        relation = self.deal("compare", "number")
        if relation is None:
            return None
        objects = self.facts.pairs(relation)[1].tolist()
        sign = self.rng.choice(_UNEQUAL)
        some = self.rng.sample(objects, min(25, len(objects)))
        literal = threshold([self.facts.literal(node) for node in some], sign, self.rng)
        nodes = None if literal is None else self.kb.compare(sign, relation, literal)
        if literal is None or not nodes or self.facts.is_nameless(nodes):
            return None
        found = FoundSet(ex.Compare(sign, self.step(Step(relation)), ex.Value(literal)), nodes)
        if self.chance(0.35):
            return self._also(found, self.rng.choice(nodes.ids[:500].tolist())).expression
        return self.of_class(found).expression

    def superlative(self) -> ex.Expression | None:
        """Of a class or of a set that the question describes, by a value or one that lies a step away."""
        source = self.some_class("extreme") if self.chance(0.45) else self._several("extreme")
        if source is None:
            return None
        path = self._value_path(source)
        largest = self.chance(0.6)
        nodes = None if path is None else self.kb.extreme(source.nodes, path, largest)
        if path is None or nodes is None or not 0 < len(nodes) <= 3 or self.facts.is_nameless(nodes):
            return None
        direction = ex.Direction.LARGEST if largest else ex.Direction.SMALLEST
        found = FoundSet(ex.Extreme(direction, source.expression, tuple(map(self.step, path))), nodes)
        onward = self.hop(found) if self.chance(0.2) else found
        return onward.expression if onward else None

    def _several(self, kind: str) -> FoundSet | None:
        for _ in range(6):
            found = self.start(kind)
            if found is not None and len(found.nodes) > 1 and not self.is_values(found):
                return self.of_class(found) if self.chance(0.7) else found
        return None

    def _value_path(self, source: FoundSet) -> tuple[Step, ...] | None:
        direct = self.numbers(source.nodes)
        if direct and self.chance(0.9):
            return (Step(self.id(direct[0])),)
        steps = [] if len(source.nodes) > 5000 else list(self.kb.steps_to_values(source.nodes))
        near = [
            step
            for step in steps
            if self.vocabulary.visible[step.relation] and not (step.inverse and self.is_twin(step.relation))
        ]
        if not near:
            return None
        first = self.rng.choice(near)
        far = self.numbers(self.kb.walk(first, source.nodes))
        return (first, Step(self.id(far[0]))) if far else None

    def count(self) -> ex.Expression | None:
        draw = self.rng.random()
        if draw < 0.1:
            klass = self.some_class("count")
            return ex.Count(klass.expression) if klass else None
        if draw < 0.65:
            found = self._several("count")
            return ex.Count(found.expression) if found else None
        program = self.rng.choice((self.intersection, self.comparison, self.chain))()
        return ex.Count(program) if program and not _is_reached(program) else None

    def constant(self) -> ex.Expression | None:
        """With a condition that the question implies rather than names."""
        relation = self.deal("cons", "closed")
        fact = None if relation is None else self.facts.fact(relation, self.rng)
        if relation is None or fact is None or not all(map(self.facts.is_named, fact)):
            return None
        member, value = fact
        constant = self.facts.term(value)
        source = self.around(member, constant)
        if source is None or len(source.nodes) < 2:
            return None
        nodes = self.kb.intersection(source.nodes, self.kb.subjects(relation, self.facts.one(value)))
        if not 0 < len(nodes) < len(source.nodes):
            return None
        of = self.of_class(source).expression if self.chance(0.4) else source.expression
        return ex.Cons(of, self.step(Step(relation)), constant)

    def dated(self) -> ex.Expression | None:
        relation = self.deal("tc", "dated")
        fact = None if relation is None else self.facts.fact(relation, self.rng)
        literal = None if fact is None else self.facts.literal(fact[1])
        when = None if literal is None else moment(literal, self.rng)
        if relation is None or fact is None or when is None:
            return None
        named = self.facts.is_named(fact[0])
        source = self.around(fact[0], self.facts.term(fact[0])) if named else self.into(fact[0])
        end = self.kb.schema.time_pairs.get(relation)
        nodes = None if source is None else self.kb.valid_during(source.nodes, relation, end, when[1])
        if source is None or not nodes:
            return None
        found = FoundSet(ex.During(source.expression, self.step(Step(relation)), ex.Value(when[0])), nodes)
        onward = self.hop(found) if named and self.chance(0.3) else self.named(found)
        return onward.expression if onward else None

    # Sets of a class, or that a form describes ----------------------------------------------------

    def some_set(self, kind: str) -> FoundSet | None:
        """A class, those of it that meet a condition, or now and then what another form describes."""
        if self.chance(_NESTED) and (found := self.described()) is not None and len(found.nodes) > 2:
            return found
        found = self.some_class(kind)
        if found is None or self.chance(0.65):
            return found
        condition = self.around(self.rng.choice(found.nodes.ids[:500].tolist()), found.expression)
        if condition is None:
            return found
        nodes = self.kb.intersection(found.nodes, condition.nodes)
        return FoundSet(ex.And(found.expression, condition.expression), nodes) if len(nodes) > 2 else found

    def described(self) -> FoundSet | None:
        """ "customers without orders", "schools larger than the average"."""
        forms = (self.with_count, self.by_count, self.lacking, self.lacking, self.than, self.between)
        program = self.rng.choice((*forms, self.either, self.ordered))()
        if program is None or ex.denotes(program) is not ex.Denotation.SET:
            return None
        try:
            nodes = execute(program, self.kb, _BUDGET).nodes
        except (ProgramError, BudgetExceeded):
            return None
        fits = 0 < len(nodes) <= _LARGEST_DESCRIBED and not self.facts.is_nameless(nodes)
        return FoundSet(program, nodes) if fits else None

    def of_these(self) -> ex.Expression | None:
        """What is known of those that a form describes, or what belongs to them."""
        found = self.described()
        if found is None:
            return None
        if self.chance(0.6):
            known = self.attributes(found.nodes)
            return ex.Join(ex.Relation(known[0].iri, inverse=True), found.expression) if known else None
        onward = self.hop(found)
        if onward and not _is_reached(onward.expression):
            onward = self.of_class(onward)
        return onward.expression if onward else None

    def _measured(self, found: FoundSet | None) -> tuple[FoundSet, ex.Relation] | None:
        """A set with something to measure its members by."""
        numbers = self.numbers(found.nodes) if found else []
        return (found, numbers[0]) if found and numbers else None

    def _sorted_out(self, found: FoundSet | None) -> tuple[FoundSet, ex.Relation] | None:
        """A set with something that says of what kind its members are."""
        kinds = self.kinds_of(found.nodes) if found else []
        return (found, kinds[0]) if found and kinds else None

    def _direction(self) -> ex.Direction:
        return ex.Direction.LARGEST if self.chance(0.7) else ex.Direction.SMALLEST

    # Counts and order -----------------------------------------------------------------------------

    def by_count(self) -> ex.Expression | None:
        """The most products, the highest total price; or the value that most members have."""
        if self.chance(0.35):
            return self._commonest()
        found = self.some_set("most")
        countable = found and self.countable(found)
        if not found or not countable:
            return None
        step = countable[0]
        key: ex.Key = ex.Counted((self.step(step),), self._kind(found, step))
        totals = [n for n in self.numbers(self.kb.walk(step, found.nodes)) if self.is_number(n)]
        if totals and self.chance(0.25):
            function = self.rng.choice([ex.Aggregation.SUM, ex.Aggregation.AVG])
            key = ex.Totalled(function, (self.step(step), totals[0]))
        last = self.rng.choice([2, 3, 5]) if self.chance(0.12) else 1
        return ex.Extreme(self._direction(), found.expression, key, 1, last)

    def _kind(self, found: FoundSet, step: Step) -> ex.Class | None:
        """Which kind is counted, where a step leads to several: the bridges of an architect, not mills."""
        if not step.inverse:
            return None
        reached = self.kb.walk(step, self.some(found.nodes))
        shown = [c for c in self.kb.classes(reached).tolist() if not self.classes[c].hidden]
        parts = [c for c in shown if self.kb.difference(reached, self.kb.members(c))]
        domain = self.relations[step.relation].domain
        if not parts or (domain is not None and domain in shown and domain not in parts):
            return None
        return ex.Class(self.classes[self.rng.choice(parts)].iri)

    def _commonest(self) -> ex.Expression | None:
        drawn = self._sorted_out(self.some_class("most"))
        if drawn is None:
            return None
        found, shared = drawn
        back = ex.Relation(shared.iri, inverse=True)
        sharing = self.kb.subjects(self.id(shared), self.kb.walk(Step(self.id(shared)), found.nodes))
        within = found.expression if self.kb.difference(sharing, found.nodes) else None
        return ex.Extreme(self._direction(), ex.Join(back, found.expression), ex.Counted((back,), within))

    def with_count(self) -> ex.Expression | None:
        found = self.some_set("many")
        countable = found and self.countable(found)
        if not found or not countable:
            return None
        step, counts = countable
        sign = self.rng.choice([Comparison.GT, Comparison.GE, Comparison.GE, Comparison.LT, Comparison.EQ])
        number = max(1, self.rng.choice(counts) - (sign is Comparison.GT))
        key = ex.Counted((self.step(step),), self._kind(found, step))
        value = ex.Value(Literal(str(number), XSD + "integer"))
        return self._perhaps_counted(ex.And(found.expression, ex.Compare(sign, key, value)))

    def _perhaps_counted(self, program: ex.Expression) -> ex.Expression:
        return ex.Count(program) if self.chance(_COUNTED) else program

    def different(self) -> ex.Expression | None:
        drawn = self._sorted_out(self.some_set("different"))
        return ex.Count(drawn[0].expression, (drawn[1],)) if drawn else None

    def ordered(self) -> ex.Expression | None:
        """The third, the first five, or all in order."""
        drawn = self._measured(self.some_set("order"))
        if drawn is None:
            return None
        found, number = drawn
        last = self.rng.choice([2, 3, 3, 5, 10])
        if last >= len(found.nodes) or self.chance(0.3):
            return ex.Sort(found.expression, (number,), self.chance(0.55))
        first = last if last <= 5 and self.chance(0.4) else 1
        return ex.Extreme(self._direction(), found.expression, (number,), first, last)

    def than(self) -> ex.Expression | None:
        """Compared with another member, or with the average of all."""
        drawn = self._measured(self.some_class("than"))
        named = self.member(drawn[0].nodes) if drawn else None
        if drawn is None or named is None:
            return None
        found, number = drawn
        sign = self.rng.choice([Comparison.GT, Comparison.GT, Comparison.LT])
        value: ex.Expression = ex.Join(ex.Relation(number.iri, inverse=True), named)
        if self.chance(0.35) and self.is_number(number):
            value = ex.Aggregate(ex.Aggregation.AVG, found.expression, (number,))
        return ex.And(found.expression, ex.Compare(sign, number, value))

    def between(self) -> ex.Expression | None:
        """From one value to another, the ends among them or not."""
        drawn = self._measured(self.some_class("range"))
        if drawn is None:
            return None
        found, number = drawn
        objects = self.kb.values(self.id(number), self.some(found.nodes)).objects
        literals = [self.facts.literal(node) for node in objects[:200].tolist()]
        over, under = self.rng.choice([(Comparison.GE, Comparison.LE), (Comparison.GT, Comparison.LT)])
        low, high = (threshold(literals, sign, self.rng) for sign in (over, under))
        if low is None or high is None or not _is_before(value_of(low), value_of(high)):
            return None
        ends = (ex.Compare(over, number, ex.Value(low)), ex.Compare(under, number, ex.Value(high)))
        return ex.And(found.expression, ex.And(*ends))

    def total(self) -> ex.Expression | None:
        drawn = self._measured(self.some_set("total"))
        if drawn is None:
            return None
        found, number = drawn
        best = [ex.Aggregation.MAX, ex.Aggregation.MIN]
        if not self.is_number(number):
            return ex.Aggregate(self.rng.choice(best), found.expression, (number,))
        if self.chance(0.12):
            pair = self.rng.sample(list(ex.Aggregation), 2)
            return ex.Show(found.expression, tuple(ex.Totalled(one, (number,)) for one in pair))
        return ex.Aggregate(self.rng.choice(list(ex.Aggregation)), found.expression, (number,))

    # Either, not, the same, yes or no ----------------------------------------------------------------

    def either(self) -> ex.Expression | None:
        """Which of two is more, or members with one of two values."""
        found = self.some_class("either")
        if self.chance(0.25):
            drawn = self._measured(found)
            pair = [self.member(drawn[0].nodes) for _ in range(2)] if drawn else []
            if drawn is None or None in pair or pair[0] == pair[1]:
                return None
            return ex.Extreme(self._direction(), ex.Or(*filter(None, pair)), (drawn[1],))
        condition = self._with_value(found, 2)
        return self._perhaps_counted(ex.And(found.expression, condition)) if found and condition else None

    def lacking(self) -> ex.Expression | None:
        """With some neighbour or without any, or without one value."""
        found = self.some_class("lacking")
        if self.chance(0.3):
            condition, has = self._with_value(found, 1), False
        else:
            step = self.partial(found) if found else None
            condition, has = (self._with_some(step) if step else None), self.chance(0.4)
        if found is None or condition is None:
            return None
        return self._perhaps_counted((ex.And if has else ex.Not)(found.expression, condition))

    def _with_value(self, found: FoundSet | None, count: int) -> ex.Expression | None:
        """Having one value, or either of two, that some of the members have."""
        drawn = self._sorted_out(found)
        values = self.values_of(drawn[0].nodes, drawn[1], count) if drawn else []
        if drawn is None or not values:
            return None
        return ex.Join(drawn[1], values[0] if count == 1 else ex.Or(*values))

    def _with_some(self, step: Step) -> ex.Expression:
        """Members with some neighbour: of a class where the relation comes from there, else any."""
        domain = self.relations[step.relation].domain
        if step.inverse and domain is not None:
            return ex.Join(self.step(step), ex.Class(self.classes[domain].iri))
        return ex.Has(self.step(step))

    def same(self) -> ex.Expression | None:
        """Members that share something with one of them."""
        drawn = self._sorted_out(self.some_class("same"))
        named = self.member(drawn[0].nodes) if drawn else None
        if drawn is None or named is None:
            return None
        found, shared = drawn
        theirs = ex.Join(ex.Relation(shared.iri, inverse=True), named)
        return ex.And(found.expression, ex.Join(shared, theirs))

    def yes_or_no(self) -> ex.Expression | None:
        found = self.some_class("yes")
        one = self.member(found.nodes) if found else None
        if found is None or one is None:
            return None
        drawn = self._measured(found)
        if drawn is not None and self.chance(0.3):
            two, number = self.member(found.nodes), drawn[1]
            sign = self.rng.choice([Comparison.GT, Comparison.LT])
            if two is None or two == one:
                return None
            than = ex.Join(ex.Relation(number.iri, inverse=True), two)
            return ex.Meet(one, ex.Compare(sign, number, than))
        condition = self._with_value(found, 1)
        asked = found.expression if self.chance(0.3) else one
        return None if condition is None else ex.Meet(asked, condition)

    def containing(self) -> ex.Expression | None:
        """With a word within a text."""
        found = self.some_class("like")
        if found is None:
            return None
        for relation in self.attributes(found.nodes):
            objects = self.kb.values(self.id(relation), self.kb.nodes(found.nodes.ids[:200])).objects
            texts = filter(None, map(self.facts.literal, objects[:50].tolist()))
            words = [word for text in texts if _is_text(text) for word in _WORD.findall(text.lexical)]
            if words:
                like = ex.Like(relation, ex.Value(Literal(self.rng.choice(words))))
                return ex.And(found.expression, like)
        return None

    # Tables ------------------------------------------------------------------------------------------

    def table(self) -> ex.Expression | None:
        found = self.some_set("table")
        columns = found and self.attributes(found.nodes)
        if not found or not columns:
            return None
        size = self.rng.choice([1, 1, 2, 2, 3])
        shown: list[ex.Key] = [self._column(found, column) for column in columns[:size]]
        if size == 1 or self.chance(0.7):
            shown.insert(0 if self.chance(0.6) else self.rng.randint(0, size), ())
        numbers = self.numbers(found.nodes)
        listed = found.expression
        if numbers and self.chance(0.15):
            listed = ex.Sort(listed, (numbers[0],), self.chance(0.5))
        return ex.Show(listed, tuple(shown))

    def _column(self, found: FoundSet, column: ex.Relation) -> ex.Path:
        """What members have, or now and then what the one thing has that it leads to."""
        relation = self.id(column)
        if self.chance(0.6) or ValueKind.ENTITY not in self.relations[relation].kinds:
            return (column,)
        onward = self.attributes(self.kb.walk(Step(relation), self.some(found.nodes)))
        return (column, onward[0]) if onward else (column,)

    def each(self) -> ex.Expression | None:
        drawn = self._sorted_out(self.some_set("each"))
        if drawn is None:
            return None
        found, shared = drawn
        numbers = [n for n in self.numbers(found.nodes) if n != shared and self.is_number(n)]
        column: ex.Counted | ex.Totalled = ex.Counted(())
        if numbers and self.chance(0.4):
            column = ex.Totalled(self.rng.choice(list(ex.Aggregation)), (numbers[0],))
        program: ex.Expression = ex.Per(found.expression, (shared,), (column,))
        return ex.Sort(program, column, self.chance(0.7)) if self.chance(0.12) else program


def _is_reached(expression: ex.Expression) -> bool:
    """Whether the last step leads from subjects to objects."""
    return isinstance(expression, ex.Join) and expression.relation.inverse


def _is_before(low: object, high: object) -> bool:
    """Whether two values are of one kind, and the first is smaller."""
    if isinstance(low, Number) and isinstance(high, Number):
        return low < high
    return isinstance(low, Window) and isinstance(high, Window) and low.end <= high.start


def _is_text(literal: Literal) -> bool:
    return literal.datatype == XSD + "string" and len(literal.lexical) < 80
