"""JOIN, whole classes and HAS: how a branch begins and how it walks on."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from arcaneqa.induction.meaning import Meaning
from arcaneqa.induction.rules import CLOSE, Rules, is_alone, variables
from arcaneqa.induction.state import Known, State
from arcaneqa.induction.tokens import Chosen, Form
from arcaneqa.induction.vocabulary import NOTHING, Options
from arcaneqa.kb.interface import Step
from arcaneqa.program.expression import Class
from arcaneqa.program.steps import Function


class Walking(Rules):
    functions = frozenset((Function.JOIN, Form.ALL, Function.HAS))

    def offers(self, state: State, function: Chosen) -> bool:
        if function is Form.ALL:
            return state.top is None and state.outer is None and len(self._vocabulary.countable) > 0
        if function is Function.HAS:
            return self._may_have(state) and self._is_had(state)
        top = state.top
        if top is not None and is_alone(state) and top.meaning.is_set and top.meaning.is_walkable:
            return True  # quicker to see than whether another topic is within reach
        return any(True for _ in self._walkers(state))

    def sources(self, state: State, function: Chosen) -> Options:
        if function is Form.ALL:
            return self._vocabulary.countable
        if function is Function.HAS:
            return self._had(state)
        return variables(self._walkers(state))

    def arguments(self, state: State, function: Chosen, source: Known) -> Options:
        if function is not Function.JOIN or state.rest:
            return CLOSE
        return self._reach.walks(state, source)

    def _walkers(self, state: State) -> Iterator[Known]:
        """Topics and the newest set, where a JOIN of them stays within reach."""
        top = state.top
        if self._reach.may_branch(state) and not (top is not None and isinstance(top.expression, Class)):
            for topic in self.free_topics(state):
                if self._can_start(state, topic):
                    yield topic
        if top is not None and top.meaning.is_set and self._reach.can_walk(state, top):
            yield top

    def _can_start(self, state: State, topic: Known) -> bool:
        if state.top is None:
            return self._reach.can_walk(state, topic)
        wanted = self._reach.wanted(state, topic)
        assert wanted is not None
        if self._reach.hops(state, topic) >= 1:
            return self._meanings.is_near(topic.meaning, wanted)
        return bool(self._meanings.steps_into(topic.meaning, wanted.nodes))

    # HAS -------------------------------------------------------------------------------------

    def _may_have(self, state: State) -> bool:
        top = state.top
        if top is not None and isinstance(top.expression, Class):
            return False
        return self._reach.may_branch(state)

    def _is_had(self, state: State) -> bool:
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

    def _had(self, state: State) -> Options:
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

    def _fitting(self, state: State, goal: Meaning) -> Iterator[Step]:
        """Of a set that is built inside a function nothing but HAS: it must fit."""
        if not self._reach.must_leave(state):
            yield from goal.walks  # what members of the goal have meets it
            return
        for step in goal.walks:
            if self._reach.fits(state, self._meanings.having_some(step)):
                yield step
