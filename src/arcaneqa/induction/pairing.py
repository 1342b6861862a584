"""OR, NOT and MEET: two sets side by side, the second an entity, a class, or built inside the function."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from arcaneqa.induction.meaning import Meaning
from arcaneqa.induction.rules import CLOSE, OPEN, Rules, is_alone, variables
from arcaneqa.induction.state import Known, State
from arcaneqa.induction.tokens import PAIRING, Chosen
from arcaneqa.induction.vocabulary import NOTHING, Options
from arcaneqa.kb.interface import Ids
from arcaneqa.kb.values import kind_of
from arcaneqa.program.expression import Class, Entity, Expression, Or, Value
from arcaneqa.program.steps import Function

FEW_CLASSES = 64
"""Classes whose members all have the same relations are tried one by one with what the question names, unless
there are more of them than this."""


class Pairing(Rules):
    functions = PAIRING

    def offers(self, state: State, function: Chosen) -> bool:
        if not is_alone(state):
            return False
        if state.top is None and function is Function.NOT:
            return self._starts.have_parts(self._has_parts) or len(self._whole(state)) > 0
        return any(True for _ in self._firsts(state, function))

    def sources(self, state: State, function: Chosen) -> Options:
        if state.top is None and function is Function.NOT:
            return self._whole(state)
        return variables(self._firsts(state, function))

    def arguments(self, state: State, function: Chosen, source: Known) -> Options:
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

    def _whole(self, state: State) -> Options:
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

    def _can_take(self, state: State, klass: Known) -> bool:
        opened = self._opened(state, Function.NOT, klass)
        return any(True for _ in self._within(opened, klass.meaning)) or self._tools.can_build(opened)

    def _built(self, state: State) -> Options:
        return OPEN if self._tools.can_build(state) else NOTHING

    def _firsts(self, state: State, function: Chosen) -> Iterator[Known]:
        """What the first set can be: the newest one, or at the start a topic."""
        top = state.top
        if top is None:
            for topic in self.free_topics(state):
                if self._can_be_first(state, function, topic):
                    yield topic
        elif top.meaning.is_set and self._can_go_on(state, function, top):
            yield top

    def _can_be_first(self, state: State, function: Chosen, topic: Known) -> bool:
        if function is Function.MEET:
            return isinstance(topic.expression, Entity) and len(topic.meaning.classes) > 0
        return any(True for _ in self._partners(self._opened(state, function, topic), topic))

    def _can_go_on(self, state: State, function: Chosen, top: Known) -> bool:
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

    def _opened(self, state: State, function: Chosen, source: Known) -> State:
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

    def _partners(self, state: State, source: Known) -> Iterator[Known]:
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

    def _within(self, state: State, members: Meaning) -> Iterator[Known]:
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
