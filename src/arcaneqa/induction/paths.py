"""The classes that programs start from, and paths to values, to what is counted, and to keys."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
from functools import cached_property

import numpy as np

from arcaneqa.induction.meaning import Meaning, Meanings
from arcaneqa.induction.results import Results
from arcaneqa.induction.vocabulary import NOTHING, Options, Token, Vocabulary
from arcaneqa.kb.interface import Ids, Step, ordered
from arcaneqa.kb.schema import ValueKind
from arcaneqa.language.expression import Counted, Key, Relation, Totalled
from arcaneqa.language.steps import Function, Symbol

# The classes that a program can start from, for each function that takes a whole class.


_FEW = 8
"""Relations that nearly always show whether there is a class to start from. All are looked at only when it is
asked which those are: over a large schema that takes longer than a question does."""


class Starts:
    def __init__(self, vocabulary: Vocabulary) -> None:
        self._vocabulary = vocabulary
        self._kb = vocabulary.kb
        self._with_parts: Options | None = None
        self._without_parts: Options | None = None
        self._with_totals: Options | None = None
        self._some_parts: bool | None = None

    @cached_property
    def related(self) -> Options:
        """Classes with a member that has some relation, either way."""
        return self._options(self._related)

    @cached_property
    def keyed(self) -> Options:
        """Starts of superlatives: of several members that can be counted by, or with values to order by."""
        return self._options(np.concatenate([self._several, self._valued]))

    @cached_property
    def valued(self) -> Options:
        """Classes with a member that has a number or a time, or a neighbour with one."""
        return self._options(self._valued)

    @cached_property
    def numeric(self) -> Options:
        """Classes with a member that has a number."""
        relations = self._kb.schema.relations
        visible = self._vocabulary.visible
        numbers = [r for r in relations if visible[r.id] and ValueKind.NUMBER in r.kinds]
        surely = [r.id for r in numbers if r.kinds == {ValueKind.NUMBER} and not r.is_identifier]
        perhaps = self._having(r.id for r in numbers if len(r.kinds) > 1)
        return self._tested(self._having(surely), perhaps, lambda members: len(members.numeric) > 0)

    @cached_property
    def with_constants(self) -> Options:
        """Classes with a member that has an implied constant."""
        perhaps = self._having(self._vocabulary.taught)
        return self._tested(self._having(self._vocabulary.closed), perhaps, lambda m: len(m.closed) > 0)

    def with_parts(self, has_parts: Callable[[Meaning], bool]) -> Options:
        """Classes from which something can be taken so that something is left."""
        if self._with_parts is None:
            self._with_parts = self._tested(self._several[:0], self._several, has_parts)
        return self._with_parts

    def with_totals(self, has_numbers: Callable[[Meaning], bool]) -> Options:
        """Classes from whose members a path leads to numbers."""
        if self._with_totals is None:
            self._with_totals = self._tested(self._several[:0], self._valued, has_numbers)
        return self._with_totals

    @property
    def without_parts(self) -> Options:
        """The other classes of several members, once `with_parts` has been asked for."""
        assert self._with_parts is not None
        if self._without_parts is None:
            self._without_parts = self._others(self._with_parts)
        return self._without_parts

    def _others(self, options: Options) -> Options:
        known = set(options.tokens)
        several = self._options(self._several)
        kept = [place for place, klass in enumerate(several.tokens) if klass not in known]
        return Options([several.tokens[i] for i in kept], [several.candidates[i] for i in kept])

    def have_parts(self, has_parts: Callable[[Meaning], bool]) -> bool:
        """Whether there is such a class: quicker to see than which they are."""
        if self._some_parts is None:
            self._some_parts = self._are_some(self._some_several, has_parts) or self._are_some(
                self._several, has_parts
            )
        return self._some_parts

    def _are_some(self, classes: Ids, has_parts: Callable[[Meaning], bool]) -> bool:
        return any(has_parts(self._members(klass)) for klass in classes.tolist())

    @cached_property
    def has_several(self) -> bool:
        """Whether members of some class of several have any relation: quicker to see than which they are.
        Where they do, superlatives, counts and tables have something to start from."""
        return len(self._some_several) > 0 or len(self._several) > 0

    @cached_property
    def _related(self) -> Ids:
        visible = np.flatnonzero(self._vocabulary.visible)
        both = [self._kb.classes_having(visible, inverse) for inverse in (False, True)]
        return np.concatenate(both)

    @cached_property
    def _several(self) -> Ids:
        return self._of_several(ordered(self._related))

    @cached_property
    def _some_several(self) -> Ids:
        few = np.flatnonzero(self._vocabulary.visible)[:_FEW]
        return self._of_several(self._kb.classes_having(few))

    def _of_several(self, classes: Ids) -> Ids:
        known = (self._kb.schema.classes[klass] for klass in classes.tolist())
        return np.array([klass.id for klass in known if klass.members > 1 and not klass.hidden], np.int64)

    @cached_property
    def _valued(self) -> Ids:
        return self._kb.orderable_classes(self._vocabulary.most_hops)

    def _having(self, relations: Iterable[int]) -> Ids:
        return self._kb.classes_having(np.array(sorted(relations), np.int64))

    def _tested(self, surely: Ids, perhaps: Ids, test: Callable[[Meaning], bool]) -> Options:
        left = ordered(perhaps[~np.isin(perhaps, surely)])
        passed = [klass for klass in left.tolist() if test(self._members(klass))]
        return self._options(np.concatenate([surely, np.array(passed, np.int64)]))

    def _members(self, klass: int) -> Meaning:
        return Meaning(self._vocabulary, self._kb.members(klass))

    def _options(self, classes: Ids) -> Options:
        found = ordered(classes)
        return self._vocabulary.classes(found[self._vocabulary.visible_classes[found]])


# Paths that lead from a set to values, or to whatever is counted; and keys, which follow them: what
# members are ordered by and what stands in columns.


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
