"""The classes that a program can start from, for each function that takes a whole class.

Lists are made when first asked for and kept as long as the knowledge base is open. They are found relation by
relation, since one question gives all classes whose members have it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import cached_property

import numpy as np

from arcaneqa.induction.meaning import Meaning
from arcaneqa.induction.vocabulary import Options, Vocabulary
from arcaneqa.kb.interface import Ids
from arcaneqa.kb.schema import ValueKind

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
        return self._of_several(np.unique(self._related))

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
        left = np.setdiff1d(perhaps, surely)
        passed = [klass for klass in left.tolist() if test(self._members(klass))]
        return self._options(np.concatenate([surely, np.array(passed, np.int64)]))

    def _members(self, klass: int) -> Meaning:
        return Meaning(self._vocabulary, self._kb.members(klass))

    def _options(self, classes: Ids) -> Options:
        found = np.unique(classes)
        return self._vocabulary.classes(found[self._vocabulary.visible_classes[found]])
