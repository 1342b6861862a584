"""Between first and second pass, of an ontology without instances: what its classes are said to have.

OWL says "a stipe is part of a basidiocarp" as: a stipe is a kind of something without a name, which is part
of some basidiocarp. People ask what a stipe is part of, so that is a fact here.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from pyoxigraph import NamedNode, Triple

from arcaneqa.kb.build.statement_batches import ENTITY, Batch, Batches
from arcaneqa.kb.index.store import Array
from arcaneqa.kb.owl import ON_PROPERTY, SAYS_VALUES, SPEAKS_OF_CLASSES, owl_values
from arcaneqa.kb.profile import Profile
from arcaneqa.kb.selection import Selection, is_about_classes


def with_restrictions(batches: Batches, profile: Profile) -> Batches:
    """The batches with one more, where there is anything to add."""
    if ON_PROPERTY not in batches.predicates or not _is_about_classes(batches, profile):
        return batches
    found = sorted(set(owl_values(_Said(batches), str)))
    if not found:
        return batches
    added = Batch("")
    added.fill(iter([Triple(*map(NamedNode, fact)) for fact in found]))
    summary = added.write(batches.folder, len(batches), {})
    return Batches(batches.folder, [*batches.summaries, summary], batches.prefixes)


def _is_about_classes(batches: Batches, profile: Profile) -> bool:
    subclasses = sum(batches.facts_of_predicates.get(iri, 0) for iri in profile.subclass)
    selection = Selection(profile)
    kinds = (kind for iri in profile.type for _, kind in _pairs(batches, iri))
    return is_about_classes(subclasses, (1 for kind in kinds if not selection.hides(kind)))


class _Said:
    """What the batches say of classes, by the names of nodes."""

    def __init__(self, batches: Batches) -> None:
        self._pairs = {
            iri: list(_pairs(batches, iri)) for iri in (*SPEAKS_OF_CLASSES, ON_PROPERTY, *SAYS_VALUES)
        }
        self._first = {iri: dict(reversed(pairs)) for iri, pairs in self._pairs.items()}

    def pairs(self, predicate: str) -> list[tuple[str, str]]:
        return self._pairs[predicate]

    def one(self, predicate: str, subject: str) -> str | None:
        return self._first[predicate].get(subject)


def _pairs(batches: Batches, predicate: str) -> Iterator[tuple[str, str]]:
    """Subject and object of each statement with this predicate that leads to no literal."""
    if predicate not in batches.predicates:
        return
    relation = batches.predicates.index(predicate)
    for batch in range(len(batches)):
        at = np.flatnonzero(batches.predicates_of(batch) == relation)
        if not len(at):
            continue
        name = _Names(batches, batch)
        subjects, objects = (batches.load(batch, column, np.uint32)[at] for column in ("subjects", "objects"))
        are_things = batches.types_of(batch)[objects] == ENTITY
        for subject, object_ in zip(subjects[are_things].tolist(), objects[are_things].tolist(), strict=True):
            yield name[subject], name[object_]


class _Names:
    def __init__(self, batches: Batches, batch: int) -> None:
        self._heap = batches.heap(batch)
        self._ends: Array = np.cumsum(batches.load(batch, "lengths", np.uint32), dtype=np.int64)

    def __getitem__(self, place: int) -> str:
        start = int(self._ends[place - 1]) if place else 0
        return self._heap[start : int(self._ends[place])].decode()
