"""What a growing branch must come to meet, so that no token leads astray.

A branch beside a waiting set W must meet W, so that AND joins them. A set that is built inside a function
must fit it (its goal): share a class with the first set for OR and MEET, take something from it and leave
something for NOT, hold something that is counted for a count within it.

With reach 0 it does so already. With reach n, n JOINs may follow, and some member has a neighbour within
reach n - 1: a JOIN along that relation keeps the neighbour. Where that alone does not decide (NOT must
leave something; of a wide set the neighbourhood is not looked at), JOINs are tried out.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator

from arcaneqa.induction.building_order import MOST_BRANCH_JOINS
from arcaneqa.induction.kept_meanings import Meanings
from arcaneqa.induction.meaning import Meaning
from arcaneqa.induction.results import Results
from arcaneqa.induction.state import Known, State
from arcaneqa.induction.vocabulary import NOTHING, Options
from arcaneqa.kb.interface import NodeSet, Step
from arcaneqa.program.expression import Relation
from arcaneqa.program.steps import Function

MOST_INNER_JOINS = 3
"""JOINs of a set built inside a function: with tables of links between, "without a cat" takes three."""
FEW_STEPS = 16
"""From a set with more relations, one JOIN ahead is looked at, not two."""


class Reach:
    def __init__(self, meanings: Meanings, results: Results) -> None:
        self._meanings = meanings
        self._results = results
        self._fitting: dict[Hashable, bool] = {}

    def goal(self, state: State) -> Meaning | None:
        """What a set that is built inside a function must meet."""
        outer = state.outer
        if outer is None:
            return None
        assert outer.source is not None
        source = outer.source.meaning
        if outer.function is Function.NOT:
            return source
        if outer.function in (Function.OR, Function.MEET):
            return source.kin
        return self.counted(outer, source)

    def counted(self, state: State, source: Meaning) -> Meaning:
        """What the path of the count that stands in the open subprogram leads to."""
        for token in state.rest:
            if isinstance(token, Relation):
                source = self._meanings.join(source, self._results.step(token))
        return source

    def wanted(self, state: State, source: Known | None) -> Meaning | None:
        """What the open subprogram's result must come to meet: None where it is free."""
        waiting = state.waiting if source is state.top else state.top
        goal = self.goal(state)
        if waiting is None:
            return goal
        return waiting.meaning if goal is None else self._meanings.within(waiting.meaning, goal.nodes)

    def hops(self, state: State, source: Known | None) -> int:
        """How many JOINs may follow the open subprogram, if it is one, before its branch must fit."""
        starts = source is not state.top
        waiting = state.top if starts else state.waiting
        joins = 1 + (0 if starts else state.joins)
        if waiting is None:
            return min(MOST_INNER_JOINS - joins, state.left)
        return min(MOST_BRANCH_JOINS - joins, state.left - 1)

    def fits(self, state: State, meaning: Meaning) -> bool:
        """Whether a set built inside a function may be handed over."""
        goal = self.goal(state)
        assert goal is not None
        if not self._meanings.meet(meaning.nodes, goal.nodes):
            return False
        return not self.must_leave(state) or not self._meanings.covers(meaning, goal)

    def must_leave(self, state: State) -> bool:
        """Whether a set built inside a function must not cover its goal."""
        return state.outer is not None and state.outer.function is Function.NOT

    def comes_to_fit(self, state: State, meaning: Meaning, hops: int) -> bool:
        """Whether a set inside a function fits, or will after so many JOINs."""
        outer = state.outer
        assert outer is not None
        assert outer.source is not None
        key = (outer.function, outer.source.meaning, outer.rest, meaning, hops)
        found = self._fitting.get(key)
        if found is None:
            found = self._fitting[key] = self._comes_to_fit(state, meaning, hops)
        return found

    def _comes_to_fit(self, state: State, meaning: Meaning, hops: int) -> bool:
        if self.fits(state, meaning):
            return True
        if hops < 1:
            return False
        goal = self.goal(state)
        assert goal is not None
        near = goal.near if hops == 1 else goal.nearby
        if near is not None:
            if not self._meanings.meet(meaning.nodes, near):
                return False
            if hops == 1 and not self.must_leave(state):
                return True
        if hops > 1 and len(meaning.walks) > FEW_STEPS:
            return self.comes_to_fit(state, meaning, 1)
        return any(True for _ in self._steps(state, meaning, hops - 1))

    def _steps(self, state: State, meaning: Meaning, hops: int) -> Iterator[Step]:
        """Steps of a set inside a function after which it fits, or will after so many JOINs more."""
        goal = self.goal(state)
        assert goal is not None
        near = goal.nodes if hops == 0 else goal.near if hops == 1 else goal.nearby
        candidates = meaning.walks if near is None else self._meanings.steps_into(meaning, near)
        # At most one step away, that step is a JOIN; two steps may lead by a way that no JOIN takes.
        is_decided = near is not None and hops < 2 and not self.must_leave(state)
        for step in candidates:
            if is_decided or self.comes_to_fit(state, self._meanings.join(meaning, step), hops):
                yield step

    def can_walk(self, state: State, source: Known) -> bool:
        """Whether some JOIN of a set leaves its branch within reach."""
        if self.wanted(state, source) is None:
            return source.meaning.is_walkable
        if not self._is_inner(state, source):
            return len(self.walks(state, source)) > 0
        hops = self.hops(state, source)
        return hops >= 0 and any(True for _ in self._steps(state, source.meaning, hops))

    def walks(self, state: State, source: Known) -> Options:
        """JOINs of a set after which its branch is within reach."""
        wanted = self.wanted(state, source)
        if wanted is None:
            return source.meaning.joins
        hops = self.hops(state, source)
        if hops < 0:
            return NOTHING
        if self._is_inner(state, source):
            steps = list(self._steps(state, source.meaning, hops))
        else:
            steps = self._meanings.steps_into(source.meaning, wanted.around(hops))
        return self._meanings.vocabulary.joins_along(steps)

    def _is_inner(self, state: State, source: Known | None) -> bool:
        """Whether the result is the set that a function waits for, not a branch beside it."""
        return state.outer is not None and (state.waiting if source is state.top else state.top) is None

    def target(self, state: State, source: Known | None) -> NodeSet | None:
        """What the result of a subprogram that is not a JOIN must meet; None where it is free."""
        wanted = self.wanted(state, source)
        if wanted is None:
            return None
        return wanted.nodes if self._is_inner(state, source) else wanted.around(self.hops(state, source))

    def members(self, state: State, source: Known) -> Meaning:
        """The members of the newest set that a filter must leave at least one of."""
        wanted = self.wanted(state, source)
        if wanted is None:
            return source.meaning
        if self._is_inner(state, source):
            # What is filtered stays a part of what fits already.
            if not self.fits(state, source.meaning):
                return self._meanings.nothing
            return self._meanings.within(source.meaning, wanted.nodes)
        if state.left < 1:
            return self._meanings.nothing
        # A filter is no JOIN: as many may follow it as may follow now.
        hops = min(MOST_BRANCH_JOINS - state.joins, state.left - 1)
        return self._meanings.within(source.meaning, wanted.around(hops))

    def may_branch(self, state: State) -> bool:
        """Whether a topic may start the program, or a branch beside what there is."""
        if state.top is None:
            return True
        if state.waiting is not None or not state.top.meaning.is_set or state.left < 1:
            return False
        return state.outer is None or self.fits(state, state.top.meaning)
