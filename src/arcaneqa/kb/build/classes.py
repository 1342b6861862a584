"""Classes: the predicate that says what things are, who belongs to them, what follows from subclasses."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from urllib.parse import quote

import numpy as np

from arcaneqa.kb.build.sorted_facts import SortedFacts, sorted_pairs
from arcaneqa.kb.index.store import Array, IndexDraft, narrow
from arcaneqa.kb.predicate_names import gives_types, lack_types, may_say_types
from arcaneqa.support.errors import InputError
from arcaneqa.support.ragged import offsets_of, ranges

# The predicate of a build's facts that says what things are, where it is none that a profile knows.


_MOST_TEXTS = 100
"""Texts that are types are few: more of them are names, or notes."""
_LONGEST_TEXT = 40
"""Characters of a text that is a type."""


def find_type_relation(
    facts: SortedFacts,
    hidden: Array,
    is_typed: Array,
    is_schema: Array,
    first_text: int,
    words_of: Callable[[int], str],
) -> int | None:
    """The visible relation that says what most of the things without a type are, if there is one.

    It leads to things, or to a few texts ("restaurant"), not to both.
    """
    visible = np.flatnonzero(~hidden).tolist()
    candidates = [relation for relation in visible if may_say_types(words_of(relation))]
    if not candidates:
        return None
    described = np.zeros(len(is_typed), bool)
    for relation in visible:
        described[facts.rows("out", relation).keys] = True
    untyped = described & ~is_typed & ~is_schema
    count = int(untyped.sum())
    if not lack_types(count, int((described & ~is_schema).sum())):
        return None
    best, most = None, 0
    for relation in candidates:
        rows = facts.rows("out", relation)
        kinds = np.unique(rows.values)
        if not _are_types(kinds, len(is_typed), first_text):
            continue
        typed = int(untyped[rows.keys].sum())
        if typed >= most and gives_types(typed, count, len(rows.keys), len(kinds)):
            best, most = relation, typed
    return best


def _are_types(kinds: Array, entities: int, first_text: int) -> bool:
    """Whether these nodes can be types: all of them things, or all of them texts, and then few."""
    if np.all(kinds < entities):
        return True
    return bool(np.all(kinds >= first_text)) and len(kinds) <= _MOST_TEXTS


def classes_of_texts(predicate: str, texts: Sequence[str]) -> list[str | None]:
    """IRIs for types that are told as texts, below that of their predicate; None for what is no type."""
    return [
        f"{predicate.rstrip('/#')}/{quote(text, safe='')}"
        if any(map(str.isalpha, text)) and len(text) <= _LONGEST_TEXT
        else None
        for text in texts
    ]


# Classes: which nodes are classes, who belongs to them, and what follows from subclasses.


MOST_FOLLOWING = 10_000_000
"""Memberships that may follow from subclasses in any case: 10 million."""
MOST_ABOVE = 200
"""Memberships that may follow for each that is asserted, where that is more."""


@dataclass(frozen=True)
class Classes:
    """Classes by name. `pairs` are (node, class), distinct and in order, with what follows applied."""

    iris: list[str]
    nodes: Array
    classes: Array

    @property
    def ids(self) -> dict[str, int]:
        return {iri: number for number, iri in enumerate(self.iris)}

    def of_nodes(self, entities: int) -> tuple[Array, Array]:
        """Compressed rows: offsets by node, and the classes."""
        counts = np.bincount(self.nodes, minlength=entities)
        return offsets_of(counts), self.classes


def read_pairs(facts: SortedFacts, relations: Iterable[int]) -> tuple[Array, Array]:
    """Subject and object of every fact of these relations."""
    subjects, objects = [np.empty(0, np.int64)], [np.empty(0, np.int64)]
    for relation in relations:
        rows = facts.rows("out", relation)
        subjects.append(np.repeat(rows.keys, rows.counts).astype(np.int64))
        objects.append(rows.values.astype(np.int64))
    return np.concatenate(subjects), np.concatenate(objects)


def find_classes(
    members: tuple[Array, Array],
    names: dict[int, str],
    parents: Iterable[tuple[str, str]],
    mentioned: Sequence[str],
    closed: bool,
) -> Classes:
    """`members` are type facts, `names` the IRIs of their objects; blank nodes have no place there, so an
    unnamed class is none. `mentioned` classes are listed even where nobody belongs to them."""
    hierarchy = list(parents) if closed else []
    iris = sorted({*names.values(), *mentioned, *(iri for pair in hierarchy for iri in pair)})
    ids = {iri: number for number, iri in enumerate(iris)}
    nodes, objects = members
    known = np.array(sorted(names), np.int64)
    class_of = np.array([ids[names[node]] for node in known.tolist()], np.int64)
    if len(known):
        places = np.minimum(np.searchsorted(known, objects), len(known) - 1)
        named = known[places] == objects
        nodes, classes = nodes[named], class_of[places[named]]
    else:
        nodes, classes = nodes[:0], objects[:0]
    if hierarchy:
        nodes, classes = _close(nodes, classes, [(ids[low], ids[high]) for low, high in hierarchy], len(iris))
    largest = max(int(nodes.max(initial=0)), len(iris)) + 1
    distinct_nodes, distinct_classes = sorted_pairs(nodes, classes, largest)
    return Classes(iris, distinct_nodes.astype(np.int64), distinct_classes.astype(np.int64))


def _close(nodes: Array, classes: Array, hierarchy: list[tuple[int, int]], count: int) -> tuple[Array, Array]:
    """Only classes that somebody belongs to are followed upwards, and no further than is told below."""
    parents: list[set[int]] = [set() for _ in range(count)]
    for low, high in hierarchy:
        parents[low].add(high)
    members = np.bincount(classes, minlength=count)
    most, following = max(MOST_FOLLOWING, MOST_ABOVE * len(nodes)), 0
    sizes: Array = np.zeros(count, np.int64)
    above: list[Array] = []
    for start in np.flatnonzero(members).tolist():
        seen, ahead = {start}, [start]
        while ahead:  # a cycle makes its classes equal, and ends here all the same
            for parent in parents[ahead.pop()] - seen:
                seen.add(parent)
                ahead.append(parent)
        following += int(members[start]) * len(seen)
        if following > most:
            raise InputError(
                f"From the subclasses of this graph over {most:,} memberships would follow. Take classes "
                'as they are asserted: give --profile a JSON file with {"closed_classes": false}.'
            )
        sizes[start] = len(seen)
        above.append(np.array(sorted(seen), np.int64))
    flat = np.concatenate([np.empty(0, np.int64), *above])
    lengths = sizes[classes]
    return np.repeat(nodes, lengths), flat[ranges(offsets_of(sizes)[classes], lengths)]


def write_classes(classes: Classes, hidden: Array, entities: int, nodes: int, draft: IndexDraft) -> None:
    """Members by class, and the visible classes of each node."""
    order = np.argsort(classes.classes, kind="stable")
    counts = np.bincount(classes.classes, minlength=len(classes.iris))
    draft.save("members.offsets", offsets_of(counts))
    draft.save("members.nodes", classes.nodes[order].astype(narrow(max(nodes, 1 << 16))))
    shown = ~hidden[classes.classes]
    visible = Classes(classes.iris, classes.nodes[shown], classes.classes[shown])
    offsets, codes = visible.of_nodes(entities)
    draft.save("classes.offsets", offsets.astype(narrow(max(len(codes), 1 << 16))))
    draft.save("classes.codes", codes.astype(narrow(len(classes.iris))))
