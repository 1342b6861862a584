"""Paths that a superlative can order by: relations that lead from a set to numbers or times."""

from __future__ import annotations

import numpy as np

from arcaneqa.induction.meaning import Meaning, Meanings
from arcaneqa.induction.vocabulary import NOTHING, Options
from arcaneqa.kb.interface import Step


class Paths:
    """A path of at most `most_hops` relations; the last one gives the values, the others lead there."""

    def __init__(self, meanings: Meanings) -> None:
        self._meanings = meanings
        self._vocabulary = meanings.vocabulary
        self._kb = meanings.kb

    def options(self, source: Meaning, path: tuple[Step, ...]) -> Options:
        """Relations by which the path can go on; none once it has ended in values."""
        hops_left = self._vocabulary.most_hops - len(path)
        if hops_left < 1:
            return NOTHING
        reached = self._reached(source, path)
        forward = set(reached.comparable.tolist())
        backward: set[int] = set()
        for step in self._steps(reached, hops_left - 1):
            (backward if step.inverse else forward).add(step.relation)
        return self._vocabulary.paths(
            np.array(sorted(forward), np.int64), np.array(sorted(backward), np.int64)
        )

    def exist(self, source: Meaning) -> bool:
        return len(source.comparable) > 0 or bool(self._steps(source, self._vocabulary.most_hops - 1))

    def ends(self, source: Meaning, path: tuple[Step, ...]) -> bool:
        """Whether the path leads to values already."""
        if not path or path[-1].inverse:
            return False
        return path[-1].relation in self._reached(source, path[:-1]).comparable

    def _reached(self, source: Meaning, path: tuple[Step, ...]) -> Meaning:
        for step in path:
            source = self._meanings.join(source, step)
        return source

    def _steps(self, source: Meaning, hops_left: int) -> list[Step]:
        """Steps after which values can be reached within so many relations."""
        if hops_left < 1:
            return []
        visible = self._vocabulary.visible
        near = [step for step in source.value_steps if visible[step.relation]]
        if self._vocabulary.hides_comparable:
            near = [step for step in near if len(self._meanings.join(source, step).comparable)]
        if hops_left == 1:
            return near
        found = set(near)
        for step in source.walks:
            if step not in found and self._steps(self._meanings.join(source, step), hops_left - 1):
                found.add(step)
        return sorted(found)
