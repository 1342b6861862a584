"""Paths that lead from a set to values, or to whatever is counted; and keys, which follow them: what members
are ordered by and what stands in columns."""

from __future__ import annotations

from collections.abc import Hashable

import numpy as np

from arcaneqa.induction.kept_meanings import Meanings
from arcaneqa.induction.meaning import Meaning
from arcaneqa.induction.results import Results
from arcaneqa.induction.tokens import Token
from arcaneqa.induction.vocabulary import NOTHING, Options
from arcaneqa.kb.interface import Ids, Step
from arcaneqa.program.expression import Counted, Key, Relation, Totalled
from arcaneqa.program.steps import Function, Symbol

FEW_STEPS = 8
"""How many steps are tried to see whether numbers lie behind one of them."""


class Paths:
    """A path of at most `most_hops` relations; the last one gives the values, the others lead there.

    With `numbers` the values are numbers that can be added up: no times, and no identifiers.
    """

    def __init__(self, meanings: Meanings) -> None:
        self._meanings = meanings
        self._vocabulary = meanings.vocabulary
        self._kb = meanings.kb
        self._known: dict[Hashable, list[Step]] = {}

    def options(self, source: Meaning, path: tuple[Step, ...], numbers: bool = False) -> Options:
        """Relations by which the path can go on; none once it has ended in values."""
        hops_left = self._vocabulary.most_hops - len(path)
        if hops_left < 1:
            return NOTHING
        reached = self._reached(source, path)
        if not self._goes_on(reached, path):
            return NOTHING
        forward = set(_last(reached, numbers).tolist())
        backward: set[int] = set()
        for step in self._steps(reached, hops_left - 1, numbers):
            (backward if step.inverse else forward).add(step.relation)
        return self._vocabulary.paths(
            np.array(sorted(forward), np.int64), np.array(sorted(backward), np.int64)
        )

    def exist(self, source: Meaning) -> bool:
        if not self._goes_on(source, ()):
            return False
        return len(source.comparable) > 0 or bool(self._steps(source, self._vocabulary.most_hops - 1))

    def seen_to_numbers(self, source: Meaning) -> bool:
        """Whether it is quick to see that a path leads to numbers."""
        if len(source.numeric) > 0:
            return True
        if self._vocabulary.most_hops < 2 or not self._goes_on(source, ()):
            return False
        return bool(self._leading(source, self._near(source)[:FEW_STEPS], numbers=True))

    def ends(self, source: Meaning, path: tuple[Step, ...], numbers: bool = False) -> bool:
        """Whether the path leads to values already."""
        if not path or path[-1].inverse:
            return False
        return path[-1].relation in _last(self._reached(source, path[:-1]), numbers)

    def onward(self, source: Meaning, path: tuple[Step, ...]) -> Options:
        """Relations by which a path to anything can go on."""
        if self._vocabulary.most_hops - len(path) < 1:
            return NOTHING
        reached = self._reached(source, path)
        if not path or reached.has_entities:
            return reached.steps
        # A table that names rows of another by their numbers is followed through them.
        return reached.steps if self._kb.schema.relations[path[-1].relation].is_identifier else NOTHING

    def _goes_on(self, reached: Meaning, path: tuple[Step, ...]) -> bool:
        """Whether anything may follow. No path leads on from numbers and times, which others may have written
        otherwise; but a table that names rows of another by their numbers is followed through them."""
        if reached.value_kind is None:
            return True
        return bool(path) and self._kb.schema.relations[path[-1].relation].is_identifier

    def _reached(self, source: Meaning, path: tuple[Step, ...]) -> Meaning:
        for step in path:
            source = self._meanings.join(source, step)
        return source

    def _steps(self, source: Meaning, hops_left: int, numbers: bool = False) -> list[Step]:
        """Steps after which values can be reached within so many relations."""
        if hops_left < 1:
            return []
        near = self._near(source)
        if self._vocabulary.hides_comparable or numbers:
            near = self._leading(source, near, numbers)
        if hops_left == 1:
            return near
        found = set(near)
        for step in source.walks:
            if step in found:
                continue
            reached = self._meanings.join(source, step)
            if self._goes_on(reached, (step,)) and self._steps(reached, hops_left - 1, numbers):
                found.add(step)
        return sorted(found)

    def _near(self, source: Meaning) -> list[Step]:
        visible = self._vocabulary.visible
        return [step for step in source.value_steps if visible[step.relation]]

    def _leading(self, source: Meaning, steps: list[Step], numbers: bool) -> list[Step]:
        """Those of the steps that lead to a node with values."""
        key = (source, tuple(steps), numbers)
        found = self._known.get(key)
        if found is None:
            vocabulary = self._vocabulary
            sure = self._to_values(source, steps, vocabulary.numeric if numbers else vocabulary.comparable)
            mixed = self._to_values(source, steps, vocabulary.mixed) if numbers else set()
            found = self._known[key] = [
                step
                for step in steps
                if step in sure or (step in mixed and len(self._meanings.join(source, step).numeric))
            ]
        return found

    def _to_values(self, source: Meaning, steps: list[Step], values: Ids) -> set[Step]:
        if not len(values):
            return set()
        leading = (
            self._kb.relations_to_values(
                source.nodes,
                np.array([step.relation for step in steps if step.inverse == inverse], np.int64),
                values,
                inverse,
            )
            for inverse in (False, True)
        )
        return set(self._vocabulary.steps(*leading))


def _last(reached: Meaning, numbers: bool) -> Ids:
    return reached.numeric if numbers else reached.comparable


TOTALS = (Function.SUM, Function.AVG)
MEASURES = (*TOTALS, Function.MAX, Function.MIN)


def steps_of(results: Results, tokens: tuple[Token, ...]) -> tuple[Step, ...]:
    return tuple(results.step(token) for token in tokens if isinstance(token, Relation))


def key_options(
    paths: Paths, results: Results, members: Meaning, tokens: tuple[Token, ...], bare_count: bool = False
) -> tuple[Options, bool]:
    """How a key that has begun goes on, and whether it may end here."""
    path = steps_of(results, tokens)
    function = tokens[0]
    if isinstance(function, Function) and function is not Function.COUNT:
        numbers = function in TOTALS
        return paths.options(members, path, numbers), paths.ends(members, path, numbers)
    return paths.onward(members, path), bool(path) or bare_count


def key_tokens(key: Key) -> tuple[Token, ...]:
    """The tokens of a key that counts in no set."""
    match key:
        case Counted(path, _):
            return (Function.COUNT, *path)
        case Totalled(function, path):
            return (Function(function.value), *path)
        case _:
            return key or (Symbol.SELF,)
