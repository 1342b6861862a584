"""Programs drawn from a knowledge base: every function, every relation and class about equally often."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from random import Random

from arcaneqa.induction.vocabulary import Vocabulary
from arcaneqa.induction.wording import relation_words
from arcaneqa.kb.interface import Comparison, KnowledgeBase, NodeSet, Step
from arcaneqa.program import expression as ex
from arcaneqa.synthesis.idioms import idiom
from arcaneqa.synthesis.sampled_facts import Deck, Facts, Found
from arcaneqa.synthesis.thresholds import moment, threshold

_LARGEST_SET = 20_000
"""Members of a set that a program goes on from: what has more is not about anything in particular."""
_TRIES = 6
"""To draw a step that leads somewhere."""
_PLACES = 0.12
"""How often a walk starts with what something is in: people ask for the rivers of a state all the time."""


class Sampler:
    """Each kind of program has its own deck of relations, so that rare ones are asked about too."""

    def __init__(self, kb: KnowledgeBase, facts: Facts, vocabulary: Vocabulary, rng: Random) -> None:
        self.kb, self.facts, self.rng = kb, facts, rng
        self.vocabulary = vocabulary
        self._iris = [relation.iri for relation in kb.schema.relations]
        self._twin = [relation.inverse is not None for relation in kb.schema.relations]
        pairs = kb.schema.time_pairs
        self._dates = {*pairs, *(end for end in pairs.values() if end is not None)}
        self._used: Counter[tuple[int, bool]] = Counter()
        shown = [r for r in kb.schema.relations if not r.hidden and r.facts]
        classes = [c.id for c in kb.schema.classes if not c.hidden and c.members]
        comparable = [r.id for r in shown if r.comparable and not r.is_identifier]
        self._decks: dict[str, Deck] = {}
        cards = {
            "any": [r.id for r in shown],
            "place": [r.id for r in shown if _contains(relation_words(r))],
            "number": comparable,
            "class": classes,
        }
        cards["dated"] = sorted(vocabulary.dated)
        cards["closed"] = sorted(vocabulary.closed)
        self._cards = cards
        self.kinds: dict[str, Callable[[], Found | None]] = {
            "one": self.one_hop,
            "two": self.two_hops,
            "three": self.three_hops,
            "both": self.intersection,
            "compare": self.comparison,
            "extreme": self.superlative,
            "count": self.count,
            "cons": self.constant,
            "tc": self.dated,
        }

    def deal(self, kind: str, cards: str) -> int | None:
        name = f"{kind}/{cards}"
        if name not in self._decks:
            self._decks[name] = Deck(self._cards[cards], self.rng)
        return self._decks[name].deal() if self._decks[name] else None

    # Walks -----------------------------------------------------------------------------------

    def start(self, kind: str) -> Found | None:
        """One step from something the question names; across nodes without a name, two."""
        places = self.rng.random() < _PLACES and self._cards["place"]
        relation = self.deal(kind, "place" if places else "any")
        fact = None if relation is None else self.facts.fact(relation, self.rng)
        if relation is None or fact is None:
            return None
        subject, value = fact
        backwards = (
            self.rng.random() < (0.12 if self.facts.is_literal(value) else 0.5) and not self._twin[relation]
        )
        backwards = backwards or bool(places and self.rng.random() < 0.7 and not self._twin[relation])
        topic = value if backwards else subject
        if self.facts.is_named(topic):
            source = Found(self.facts.term(topic), self.facts.one(topic))
            found = self.join(source, relation, backwards)
        else:
            before = self.into(topic)
            found = before and self.join(before, relation, backwards)
        return found and self.named(found)

    def into(self, node: int) -> Found | None:
        """A set that holds a nameless node, one step from something with a name."""
        for relation, backwards in self.steps(self.facts.one(node)):
            # A step from the node to a named neighbour, walked the other way round.
            around = self.kb.walk(Step(relation, backwards), self.facts.one(node))
            named = [
                int(n)
                for n in around.ids[:20]
                if self.facts.is_named(int(n)) and not self.facts.is_literal(int(n))
            ]
            if named and not (not backwards and self._twin[relation]):
                topic = self.rng.choice(named)
                source = Found(self.facts.term(topic), self.facts.one(topic))
                return self.join(source, relation, not backwards)
        return None

    def steps(self, nodes: NodeSet) -> Iterator[tuple[int, bool]]:
        """Relations that touch a set and whether they are walked backwards, the least used first."""
        ahead = self.vocabulary.shown(self.kb.out_relations(nodes)).tolist()
        back = self.vocabulary.shown(self.kb.in_relations(nodes)).tolist()
        steps = [(relation, False) for relation in ahead]
        steps += [(relation, True) for relation in back if not self._twin[relation]]
        self.rng.shuffle(steps)
        yield from sorted(steps[:6], key=lambda step: self._used[step])
        yield from steps[6:]

    def join(self, source: Found, relation: int, backwards: bool) -> Found | None:
        nodes = self.kb.walk(Step(relation, backwards), source.nodes)
        if not 0 < len(nodes) <= _LARGEST_SET:
            return None
        self._used[relation, backwards] += 1
        return Found(ex.Join(ex.Relation(self._iris[relation], not backwards), source.expression), nodes)

    def hop(self, source: Found) -> Found | None:
        for relation, backwards in self.steps(source.nodes):
            if undoes(source.expression, self._iris[relation], backwards):
                continue
            found = self.join(source, relation, backwards)
            return found and self.named(found)
        return None

    def named(self, found: Found) -> Found | None:
        """The set, or one step on where its members have no names."""
        if not self.facts.is_nameless(found.nodes):
            return found
        for relation, backwards in self.steps(found.nodes):
            if isinstance(found.expression, ex.During) and relation in self._dates:
                continue
            if not undoes(found.expression, self._iris[relation], backwards):
                onward = self.join(found, relation, backwards)
                if onward is not None and not self.facts.is_nameless(onward.nodes):
                    return onward
        return None

    def of_class(self, found: Found) -> Found | None:
        """The members of a class in a set: mostly the narrowest class that holds nearly all of it."""
        classes = [c for c in self.kb.classes(found.nodes).tolist() if not self.kb.schema.classes[c].hidden]
        if not classes:
            return None
        some = self.kb.nodes(found.nodes.ids[:100])
        held = {c: len(self.kb.intersection(some, self.kb.members(c))) for c in classes[:30]}
        wide = [c for c in held if held[c] >= 0.8 * len(some)]
        if wide and self.rng.random() < 0.7:
            klass = min(wide, key=lambda c: (self.kb.schema.classes[c].members, c))
        else:
            klass = self.rng.choice(sorted(held))
        nodes = self.kb.intersection(found.nodes, self.kb.members(klass))
        return Found(ex.And(ex.Class(self.kb.schema.classes[klass].iri), found.expression), nodes)

    # Kinds of program ------------------------------------------------------------------------

    def one_hop(self) -> Found | None:
        found = self.start("one")
        if found is not None and not self._is_reached(found) and self.rng.random() < 0.6:
            return self.of_class(found) or found
        return found

    def two_hops(self, kind: str = "two") -> Found | None:
        found = self.start(kind)
        if found is None or self._is_values(found):
            found = self.start(kind)
        if found is None or self._is_values(found) or len(found.nodes) > 200:
            return None
        onward = self.hop(found)
        if onward is not None and not self._is_reached(onward) and self.rng.random() < 0.5:
            return self.of_class(onward) or onward
        return onward

    def three_hops(self) -> Found | None:
        found = self.two_hops("three")
        if found is None or not isinstance(found.expression, ex.Join) or self._is_values(found):
            return None
        return self.hop(found) if len(found.nodes) <= 50 else None

    def intersection(self) -> Found | None:
        first = self.start("both")
        if first is None or self._is_values(first):
            return None
        members = [int(n) for n in first.nodes.ids[:200] if self.facts.is_named(int(n))]
        if not members:
            return None
        second = self.around(self.rng.choice(members), first.expression)
        if second is None:
            return None
        nodes = self.kb.intersection(first.nodes, second.nodes)
        found = Found(ex.And(first.expression, second.expression), nodes)
        return self.of_class(found) or found if self.rng.random() < 0.5 else found

    def around(self, node: int, other: ex.Expression) -> Found | None:
        """Another set that holds the node, one step from something with a name."""
        for relation, backwards in list(self.steps(self.facts.one(node)))[:_TRIES]:
            around = self.kb.walk(Step(relation, backwards), self.facts.one(node))
            topics = [
                int(n)
                for n in around.ids[:50]
                if self.facts.is_named(int(n)) and not self.facts.is_literal(int(n))
            ]
            if not topics or (not backwards and self._twin[relation]):
                continue
            topic = self.rng.choice(topics)
            found = self.join(Found(self.facts.term(topic), self.facts.one(topic)), relation, not backwards)
            if (
                found is not None
                and found.expression != other
                and _topics(found.expression) != _topics(other)
            ):
                return found
        return None

    def comparison(self, kind: str = "compare") -> Found | None:
        relation = self.deal(kind, "number")
        if relation is None:
            return None
        subjects, objects = self.facts.pairs(relation)
        if len(subjects) < 3:
            return None
        comparison = self.rng.choice([c for c in Comparison if c is not Comparison.EQ])
        literal = threshold(
            [self.facts.literal(int(n)) for n in self._some(objects.tolist(), 25)], comparison, self.rng
        )
        if literal is None:
            return None
        nodes = self.kb.compare(comparison, relation, literal)
        if not nodes:
            return None
        found = Found(ex.Compare(comparison, ex.Relation(self._iris[relation]), ex.Value(literal)), nodes)
        if self.facts.is_nameless(nodes):
            return None
        if self.rng.random() < 0.35:
            member = self.rng.choice(nodes.ids[:500].tolist())
            other = self.around(int(member), found.expression)
            if other is not None:
                both = self.kb.intersection(other.nodes, nodes)
                found = Found(ex.And(other.expression, found.expression), both)
                return self.of_class(found) or found if self.rng.random() < 0.5 else found
        return self.of_class(found) or found

    def superlative(self) -> Found | None:
        source = self.several("extreme")
        if source is None:
            return None
        path = self._value_path(source.nodes)
        if path is None:
            return None
        largest = self.rng.random() < 0.6
        nodes = self.kb.extreme(source.nodes, path, largest)
        if not 0 < len(nodes) <= 3 or self.facts.is_nameless(nodes):
            return None
        relations = tuple(ex.Relation(self._iris[step.relation], step.inverse) for step in path)
        direction = ex.Direction.LARGEST if largest else ex.Direction.SMALLEST
        found = Found(ex.Extreme(direction, source.expression, relations), nodes)
        return self.hop(found) if self.rng.random() < 0.2 else found

    def several(self, kind: str) -> Found | None:
        """A class, or a set of at least two that the question describes."""
        if self.rng.random() < 0.45:
            klass = self.deal(kind, "class")
            if klass is None:
                return None
            schema = self.kb.schema.classes[klass]
            return Found(ex.Class(schema.iri), self.kb.members(klass)) if schema.members > 2 else None
        for _ in range(_TRIES):
            found = self.start(kind)
            if found is None or self._is_values(found) or len(found.nodes) < 2:
                continue
            return self.of_class(found) or found if self.rng.random() < 0.7 else found
        return None

    def _value_path(self, nodes: NodeSet) -> tuple[Step, ...] | None:
        shown = self.vocabulary.shown(self.kb.comparable_relations(nodes)).tolist()
        direct = [relation for relation in shown if not self.kb.schema.relations[relation].is_identifier]
        if direct and self.rng.random() < 0.9:
            self.rng.shuffle(direct)
            best = min(direct[:6], key=lambda relation: self._used[relation, False])
            self._used[best, False] += 1
            return (Step(best),)
        if len(nodes) > 5000:
            return None
        steps = [step for step in self.kb.steps_to_values(nodes) if self.vocabulary.visible[step.relation]]
        steps = [step for step in steps if not (step.inverse and self._twin[step.relation])]
        if not steps:
            return None
        near = self.rng.choice(steps)
        far = self.vocabulary.shown(self.kb.comparable_relations(self.kb.walk(near, nodes))).tolist()
        return (near, Step(self.rng.choice(far))) if far else None

    def count(self) -> Found | None:
        draw = self.rng.random()
        if draw < 0.1:
            klass = self.deal("count", "class")
            if klass is None:
                return None
            found: Found | None = Found(ex.Class(self.kb.schema.classes[klass].iri), self.kb.members(klass))
        elif draw < 0.65:
            found = None
            for _ in range(_TRIES):
                found = self.start("count")
                if found is not None and (len(found.nodes) > 1 or self.rng.random() < 0.1):
                    break
            if found is not None and not self._is_reached(found):
                found = self.of_class(found) or found
        else:
            found = self.rng.choice((self.intersection, self.comparison, self.two_hops))()
        if found is None or self._is_values(found):
            return None
        return Found(ex.Count(found.expression), found.nodes)

    def constant(self) -> Found | None:
        relation = self.deal("cons", "closed")
        fact = None if relation is None else self.facts.fact(relation, self.rng)
        if relation is None or fact is None:
            return None
        member, value = fact
        if not self.facts.is_named(value) or not self.facts.is_named(member):
            return None
        source = self.around(member, self.facts.term(value))
        if source is None or len(source.nodes) < 2:
            return None
        if self.rng.random() < 0.4:
            source = self.of_class(source) or source
        nodes = self.kb.intersection(source.nodes, self.kb.subjects(relation, self.facts.one(value)))
        if not 0 < len(nodes) < len(source.nodes):
            return None
        constant = self.facts.term(value)
        return Found(ex.Cons(source.expression, ex.Relation(self._iris[relation]), constant), nodes)

    def dated(self) -> Found | None:
        relation = self.deal("tc", "dated")
        fact = None if relation is None else self.facts.fact(relation, self.rng)
        if relation is None or fact is None:
            return None
        member, value = fact
        literal = self.facts.literal(value)
        when = None if literal is None else moment(literal, self.rng)
        source = (
            self.around(member, self.facts.term(member)) if self.facts.is_named(member) else self.into(member)
        )
        if when is None or source is None:
            return None
        when_literal, window = when
        nodes = self.kb.valid_during(source.nodes, relation, self.kb.schema.time_pairs.get(relation), window)
        if not nodes:
            return None
        found = Found(
            ex.During(source.expression, ex.Relation(self._iris[relation]), ex.Value(when_literal)), nodes
        )
        if self.facts.is_nameless(nodes):
            return self.named(found)
        return self.hop(found) if self.rng.random() < 0.3 else found

    # Small things ----------------------------------------------------------------------------

    def _some(self, items: list[int], most: int) -> list[int]:
        return items if len(items) <= most else self.rng.sample(items, most)

    def _is_values(self, found: Found) -> bool:
        return self.facts.is_literal(int(found.nodes.ids[0])) if found.nodes else True

    @staticmethod
    def _is_reached(found: Found) -> bool:
        return isinstance(found.expression, ex.Join) and found.expression.relation.inverse


def undoes(expression: ex.Expression, iri: str, backwards: bool) -> bool:
    """Whether a step leads straight back to where the last one came from."""
    while isinstance(expression, ex.During | ex.Cons | ex.Extreme):
        expression = expression.argument
    return isinstance(expression, ex.Join) and expression.relation == ex.Relation(iri, backwards)


def _topics(expression: ex.Expression) -> frozenset[ex.Expression]:
    return frozenset(node for node in ex.post_order(expression) if isinstance(node, ex.Entity | ex.Value))


def _contains(label: str) -> bool:
    saying = idiom(label)
    return saying is not None and saying.has
