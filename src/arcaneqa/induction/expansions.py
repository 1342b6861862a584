"""Expansion rules of sets: JOIN, classes, HAS; AND, CONS, TC; comparisons; OR, NOT and MEET."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from arcaneqa.induction import vocabulary
from arcaneqa.induction.meaning import Meaning
from arcaneqa.induction.results import Known, Partial
from arcaneqa.induction.rules import CLOSE, OPEN, Rules, is_alone, variable, variables
from arcaneqa.induction.scorer import Candidate, TokenKind
from arcaneqa.induction.vocabulary import COMPARATIVES, NOTHING, PAIRING, Chosen, DecisionForm, Options, Token
from arcaneqa.kb.interface import Comparison, Ids, Step, Window
from arcaneqa.kb.names.called import names_of
from arcaneqa.kb.names.words import label_from_iri
from arcaneqa.kb.schema import ValueKind
from arcaneqa.kb.terms import Literal, Term
from arcaneqa.kb.values import kind_of, value_of
from arcaneqa.language import expression as ex
from arcaneqa.language.expression import Aggregate, Class, Entity, Expression, Or, Value
from arcaneqa.language.steps import Function, Variable

# JOIN, whole classes and HAS: how a branch begins and how it walks on.


class Walking(Rules):
    functions = frozenset((Function.JOIN, DecisionForm.ALL, Function.HAS))

    def offers(self, state: Partial, function: Chosen) -> bool:
        if function is DecisionForm.ALL:
            return state.top is None and state.outer is None and len(self._vocabulary.countable) > 0
        if function is Function.HAS:
            return self._may_have(state) and self._is_had(state)
        top = state.top
        if top is not None and is_alone(state) and top.meaning.is_set and top.meaning.is_walkable:
            return True  # quicker to see than whether another topic is within reach
        return any(True for _ in self._walkers(state))

    def sources(self, state: Partial, function: Chosen) -> Options:
        if function is DecisionForm.ALL:
            return self._vocabulary.countable
        if function is Function.HAS:
            return self._had(state)
        return variables(self._walkers(state))

    def arguments(self, state: Partial, function: Chosen, source: Known) -> Options:
        if function is not Function.JOIN or state.rest:
            return CLOSE
        return self._reach.walks(state, source)

    def _walkers(self, state: Partial) -> Iterator[Known]:
        """Topics and the newest set, where a JOIN of them stays within reach."""
        top = state.top
        if self._reach.may_branch(state) and not (top is not None and isinstance(top.expression, Class)):
            for topic in self.free_topics(state):
                if self._can_start(state, topic):
                    yield topic
        if top is not None and top.meaning.is_set and self._reach.can_walk(state, top):
            yield top

    def _can_start(self, state: Partial, topic: Known) -> bool:
        if state.top is None:
            return self._reach.can_walk(state, topic)
        wanted = self._reach.wanted(state, topic)
        assert wanted is not None
        if self._reach.hops(state, topic) >= 1:
            return self._meanings.is_near(topic.meaning, wanted)
        return bool(self._meanings.steps_into(topic.meaning, wanted.nodes))

    # HAS -------------------------------------------------------------------------------------

    def _may_have(self, state: Partial) -> bool:
        top = state.top
        if top is not None and isinstance(top.expression, Class):
            return False
        return self._reach.may_branch(state)

    def _is_had(self, state: Partial) -> bool:
        outer = state.outer
        if state.top is not None:
            wanted = self._reach.wanted(state, None)
            assert wanted is not None
            return wanted.has_entities and wanted.is_walkable
        if outer is None:
            return bool(self._vocabulary.visible.any())
        assert outer.source is not None
        if outer.function in (Function.OR, Function.MEET):
            return outer.source.meaning.is_walkable  # what its own members have goes with them
        goal = self._reach.goal(state)
        assert goal is not None
        return goal.has_entities and any(True for _ in self._fitting(state, goal))

    def _had(self, state: Partial) -> Options:
        """Relations that some member of what must be met has; where nothing must be met, all there are."""
        wanted = self._reach.wanted(state, None) if state.top is not None else self._reach.goal(state)
        if wanted is None:
            return self._vocabulary.every
        if not wanted.has_entities:
            return NOTHING
        if state.top is not None:
            return wanted.steps
        fitting = list(self._fitting(state, wanted))
        forward = [step.relation for step in fitting if not step.inverse]
        backward = [step.relation for step in fitting if step.inverse]
        return self._vocabulary.paths(np.array(forward, np.int64), np.array(backward, np.int64))

    def _fitting(self, state: Partial, goal: Meaning) -> Iterator[Step]:
        """Of a set that is built inside a function nothing but HAS: it must fit."""
        if not self._reach.must_leave(state):
            yield from goal.walks  # what members of the goal have meets it
            return
        for step in goal.walks:
            if self._reach.fits(state, self._meanings.having_some(step)):
                yield step


# AND, CONS and TC: what keeps some members of a set.


class Filtering(Rules):
    functions = frozenset((Function.AND, Function.CONS, Function.TC))

    def offers(self, state: Partial, function: Chosen) -> bool:
        top = state.top
        if top is None:
            starts = function is Function.CONS and state.outer is None and self._has_forms
            return starts and len(self._starts.with_constants) > 0
        return top.meaning.is_set and len(self._first(state, function, top)) > 0

    def sources(self, state: Partial, function: Chosen) -> Options:  # noqa: ARG002
        if state.top is None:
            return self._starts.with_constants
        return variables([state.top])

    def arguments(self, state: Partial, function: Chosen, source: Known) -> Options:
        rest = state.rest
        if not rest:
            return self._first(state, function, source)
        if function is Function.AND or len(rest) == 2:
            return CLOSE
        relation = rest[0]
        assert isinstance(relation, ex.Relation)
        if function is Function.CONS:
            return self._constants(state, source, relation)
        return self._moments(state, source, self._results.relation(relation))

    def _first(self, state: Partial, function: Chosen, source: Known) -> Options:
        match function:
            case Function.AND:
                return self._conjuncts(state, source)
            case Function.CONS:
                relations = self._reach.members(state, source).closed
                if used := constraints_of(source.expression):
                    relations = [
                        number for number in relations if self._has_others(state, source, number, used)
                    ]
                return self._vocabulary.attributes(np.array(relations, np.int64))
            case _:
                return self._dates(state, source)

    def _conjuncts(self, state: Partial, source: Known) -> Options:
        classes = self._reach.members(state, source).classes
        repeated = [klass for klass in classes.tolist() if self._has_class(source.meaning, klass)]
        if repeated:
            classes = classes[~np.isin(classes, repeated)]
        options = self._vocabulary.classes(classes)
        waiting = state.waiting
        if waiting is None:
            return options
        wanted = self._reach.wanted(state, source)
        assert wanted is not None
        if self._meanings.meet(source.meaning.nodes, wanted.nodes):
            return variables([waiting]) + options
        return options

    def _has_class(self, meaning: Meaning, klass: int) -> bool:
        return len(meaning.parts) > 1 and self._meanings.members(klass) in meaning.parts

    def _has_others(self, state: Partial, source: Known, number: int, used: Used) -> bool:
        """Whether a relation has a constant that does not hold of the set already."""
        relation = ex.Relation(self._kb.schema.relations[number].iri)
        return (
            all(known != relation for known, _ in used) or len(self._constants(state, source, relation)) > 0
        )

    def _constants(self, state: Partial, source: Known, relation: ex.Relation) -> Options:
        used = constraints_of(source.expression)
        ids = self._reach.members(state, source).constants(self._results.relation(relation)).ids
        tokens: list[Token] = []
        candidates = []
        names = names_of(self._kb, ids, label_from_iri, nameless="something")
        for term, name in zip(self._kb.terms(ids), names, strict=True):
            constant = ex.Value(term) if isinstance(term, Literal) else ex.Entity(term)
            if (relation, constant) in used:
                continue
            tokens.append(constant)
            candidates.append(Candidate(TokenKind.CONSTANT, self._constant_words(term, name, relation)))
        return Options(tokens, candidates)

    def _constant_words(self, term: Term, name: str, relation: ex.Relation) -> str:
        if isinstance(term, Literal) and kind_of(term) is ValueKind.BOOLEAN:
            # "discontinued" and "not discontinued" say more than true and false.
            words = self._results.label(relation)
            return words if value_of(term) else f"not {words}"
        return term.lexical if isinstance(term, Literal) else name

    def _dates(self, state: Partial, source: Known) -> Options:
        relations = [
            relation
            for relation in self._reach.members(state, source).dated
            if len(self._moments(state, source, relation))
        ]
        return self._vocabulary.attributes(np.array(relations, np.int64))

    def _moments(self, state: Partial, source: Known, relation: int) -> Options:
        members = self._reach.members(state, source)
        tokens: list[Token] = []
        candidates = []
        for topic in self.free_topics(state):
            term = topic.expression
            if not isinstance(term, ex.Value) or not isinstance(value_of(term.literal), Window):
                continue
            if self._meanings.during(members, relation, term):
                assert topic.index is not None
                tokens.append(Variable(topic.index))
                candidates.append(variable(topic))
        if self._meanings.during(members, relation, ex.NOW):
            tokens.append(ex.NOW)
            candidates.append(vocabulary.NOW_CANDIDATE)
        return Options(tokens, candidates)


Used = frozenset[tuple[ex.Relation, ex.Entity | ex.Value]]


def constraints_of(program: ex.Expression) -> Used:
    """The CONS that hold of all members of a set: once more they would change nothing."""
    match program:
        case ex.Cons(argument, relation, constant):
            return constraints_of(argument) | {(relation, constant)}
        case ex.And(left, right):
            return constraints_of(left) | constraints_of(right)
        case ex.During(argument, _, _) | ex.Extreme(_, argument, _):
            return constraints_of(argument)
        case _:
            return frozenset()


# Comparisons with a value of the question or of a program, and texts.


class Comparing(Rules):
    functions = COMPARATIVES | {Function.LIKE, Function.NAMED}

    def offers(self, state: Partial, function: Chosen) -> bool:
        return any(True for _ in self._values(state, function))

    def sources(self, state: Partial, function: Chosen) -> Options:
        return variables(self._values(state, function))

    def arguments(self, state: Partial, function: Chosen, source: Known) -> Options:
        if state.rest or function is Function.NAMED:
            return CLOSE
        return self._vocabulary.attributes(self._relations(state, function, source))

    def _values(self, state: Partial, function: Chosen) -> Iterator[Known]:
        """Values of the question, and those that the newest set or number is."""
        top = state.top
        if self._reach.may_branch(state) and not (top is not None and isinstance(top.expression, Class)):
            for topic in self.free_topics(state):
                if isinstance(topic.expression, Value) and self._is_of_use(state, function, topic):
                    yield topic
        if top is not None and function in COMPARATIVES and is_alone(state) and self._has_forms:
            is_value = isinstance(top.expression, Aggregate) or top.meaning.value_kind is not None
            if is_value and len(self._relations(state, function, top)):
                yield top

    def _is_of_use(self, state: Partial, function: Chosen, topic: Known) -> bool:
        if function is Function.NAMED:
            return self._names_some(state, topic)
        return len(self._relations(state, function, topic)) > 0

    def _relations(self, state: Partial, function: Chosen, source: Known) -> Ids:
        if function is Function.LIKE:
            return self._texts(state, source)
        comparison = Comparison(function.value)
        literal = self._literal(comparison, source)
        if literal is None:
            return _NONE
        relations = self._vocabulary.shown(self._meanings.relations_comparing(comparison, literal))
        if source is state.top:
            return relations
        target = self._reach.target(state, source)
        if target is None:
            return relations
        found = self._meanings.comparing_into(comparison, literal, relations, target)
        if state.outer is None or state.top is not None:
            return found
        fits = [
            self._reach.fits(state, self._meanings.compare(comparison, relation, literal))
            for relation in found.tolist()
        ]
        kept: Ids = found[np.array(fits, bool)]
        return kept

    def _literal(self, comparison: Comparison, source: Known) -> Literal | None:
        if isinstance(source.expression, Value):
            return source.expression.literal
        return self._meanings.edge(comparison, source.meaning)

    # Texts -----------------------------------------------------------------------------------

    def _texts(self, state: Partial, source: Known) -> Ids:
        text = _text(source)
        if text is None:
            return _NONE
        wanted = self._reach.wanted(state, source)
        relations = self._vocabulary.texts
        if wanted is not None:
            relations = relations[np.isin(relations, [*wanted.forward, *self._vocabulary.naming])]
        found = [
            relation
            for relation in relations.tolist()
            if self._may_stand(state, source, self._meanings.like(relation, text))
        ]
        return np.array(found, np.int64)

    def _names_some(self, state: Partial, topic: Known) -> bool:
        text = _text(topic)
        return text is not None and self._may_stand(state, topic, self._meanings.named(text))

    def _may_stand(self, state: Partial, source: Known, found: Meaning) -> bool:
        if not found:
            return False
        target = self._reach.target(state, source)
        if target is not None and not self._meanings.meet(found.nodes, target):
            return False
        return state.outer is None or state.top is not None or self._reach.fits(state, found)


def _text(topic: Known) -> str | None:
    expression = topic.expression
    if not isinstance(expression, Value) or kind_of(expression.literal) is not ValueKind.TEXT:
        return None
    return expression.literal.lexical


_NONE: Ids = np.empty(0, np.int64)


# OR, NOT and MEET: two sets side by side, the second an entity, a class, or built inside the
# function.


FEW_CLASSES = 64
"""Classes whose members all have the same relations are tried one by one with what the question names, unless
there are more of them than this."""


class Pairing(Rules):
    functions = PAIRING

    def offers(self, state: Partial, function: Chosen) -> bool:
        if not is_alone(state):
            return False
        if state.top is None and function is Function.NOT:
            return self._starts.have_parts(self._has_parts) or len(self._whole(state)) > 0
        return any(True for _ in self._firsts(state, function))

    def sources(self, state: Partial, function: Chosen) -> Options:
        if state.top is None and function is Function.NOT:
            return self._whole(state)
        return variables(self._firsts(state, function))

    def arguments(self, state: Partial, function: Chosen, source: Known) -> Options:
        if state.rest:
            return CLOSE
        is_topic = source is not state.top and not isinstance(source.expression, Class)
        if function is Function.OR:
            options = variables(self._partners(state, source))
            if _is_of_classes(source.expression):
                others = np.array(list(self._other_classes(source.meaning)), np.int64)
                return options + self._vocabulary.classes(others)
            return options if is_topic else options + self._built(state)
        if function is Function.NOT:
            classes = [
                klass
                for klass in source.meaning.classes.tolist()
                if not self._meanings.covers(self._meanings.members(klass), source.meaning)
            ]
            within = variables(self._within(state, source.meaning))
            return within + self._vocabulary.classes(np.array(classes, np.int64)) + self._built(state)
        classes_of_kin = self._vocabulary.classes(source.meaning.kin.classes)
        if is_topic:
            return classes_of_kin
        return variables(self._within(state, source.meaning.kin)) + classes_of_kin + self._built(state)

    def _whole(self, state: Partial) -> Options:
        """Classes from which something can be taken: by what their members have, or by what is named."""
        known = self._starts.with_parts(self._has_parts)
        alike = self._starts.without_parts
        if not state.topics.items or not 0 < len(alike) <= FEW_CLASSES:
            return known
        others = [
            place
            for place, klass in enumerate(alike.tokens)
            if isinstance(klass, Class) and self._can_take(state, self._results.known_class(klass))
        ]
        if not others:
            return known
        return known + Options([alike.tokens[i] for i in others], [alike.candidates[i] for i in others])

    def _can_take(self, state: Partial, klass: Known) -> bool:
        opened = self._opened(state, Function.NOT, klass)
        return any(True for _ in self._within(opened, klass.meaning)) or self._tools.can_build(opened)

    def _built(self, state: Partial) -> Options:
        return OPEN if self._tools.can_build(state) else NOTHING

    def _firsts(self, state: Partial, function: Chosen) -> Iterator[Known]:
        """What the first set can be: the newest one, or at the start a topic."""
        top = state.top
        if top is None:
            for topic in self.free_topics(state):
                if self._can_be_first(state, function, topic):
                    yield topic
        elif top.meaning.is_set and self._can_go_on(state, function, top):
            yield top

    def _can_be_first(self, state: Partial, function: Chosen, topic: Known) -> bool:
        if function is Function.MEET:
            return isinstance(topic.expression, Entity) and len(topic.meaning.classes) > 0
        return any(True for _ in self._partners(self._opened(state, function, topic), topic))

    def _can_go_on(self, state: Partial, function: Chosen, top: Known) -> bool:
        meaning = top.meaning
        if function is not Function.NOT and not meaning.has_entities:
            return False
        if function is Function.MEET and len(meaning.classes) > 0:
            return True
        if function is Function.NOT and len(meaning.nodes) < 2:
            return False
        # What takes a part away is a subprogram, and there must be room for it.
        if function is Function.NOT and state.left > 1 and self._has_parts(meaning):
            return True
        opened = self._opened(state, function, top)
        if function is Function.OR and _is_of_classes(top.expression):
            others = self._other_classes(meaning)
            return any(True for _ in others) or any(True for _ in self._partners(opened, top))
        if function is Function.OR:
            return any(True for _ in self._partners(opened, top)) or self._tools.can_build(opened)
        among = meaning.kin if function is Function.MEET else meaning
        return any(True for _ in self._within(opened, among)) or self._tools.can_build(opened)

    def _opened(self, state: Partial, function: Chosen, source: Known) -> Partial:
        """The state once the function has this source."""
        excluded = state.excluded
        if source is not state.top and source.index is not None:
            excluded |= state.topics.excluded_by[source.index]
        return state._replace(is_open=True, function=function, source=source, excluded=excluded)

    def _other_classes(self, members: Meaning) -> Iterator[int]:
        """Classes of the same kind of things that neither hold all of these nor are among them."""
        for klass in members.kin.classes.tolist():
            other = self._meanings.members(klass)
            if not self._meanings.covers(other, members) and not self._meanings.covers(members, other):
                yield klass

    def _partners(self, state: Partial, source: Known) -> Iterator[Known]:
        """Topics that can stand beside the source in an OR: of its kind, and not in it."""
        for topic in self.free_topics(state):
            if topic.meaning.nodes and self._is_like(topic, source):
                yield topic

    def _is_like(self, one: Known, two: Known) -> bool:
        if isinstance(one.expression, Value) and isinstance(two.expression, Value):
            kinds = (kind_of(one.expression.literal), kind_of(two.expression.literal))
            return kinds[0] is kinds[1] and bool(two.meaning.nodes) and one.meaning is not two.meaning
        if not (one.meaning.has_entities and two.meaning.has_entities):
            return False
        is_new = not self._meanings.covers(two.meaning, one.meaning)
        return is_new and one.meaning.is_akin(two.meaning)

    def _within(self, state: Partial, members: Meaning) -> Iterator[Known]:
        """Entities of the question that are in the set."""
        for topic in self.free_topics(state):
            is_entity = isinstance(topic.expression, Entity)
            if is_entity and self._meanings.meet(topic.meaning.nodes, members.nodes):
                yield topic

    def _has_parts(self, members: Meaning) -> bool:
        """Whether some relation or class takes part of the members away and leaves part."""
        ids = members.nodes.ids
        if len(ids) < 2 or not members.has_entities:
            return False
        first, last = (Meaning(self._vocabulary, self._kb.nodes(ends)) for ends in (ids[:1], ids[-1:]))
        if _differ(first.forward, last.forward) or _differ(first.classes, last.classes):
            return True  # quick to see, and mostly so
        return any(
            not self._meanings.covers(self._meanings.having_some(step), members) for step in members.walks
        )


def _is_of_classes(program: Expression) -> bool:
    if isinstance(program, Or):
        return _is_of_classes(program.left) and _is_of_classes(program.right)
    return isinstance(program, Class)


def _differ(one: Ids, two: Ids) -> bool:
    return not np.array_equal(one, two)
