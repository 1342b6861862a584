"""Relations and classes described: words, counts, value kinds, domain, range and inverse."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from arcaneqa.kb.build.classes import Classes, read_pairs
from arcaneqa.kb.build.dictionary import Dictionary
from arcaneqa.kb.build.sorted_facts import SortedFacts, SortedRows
from arcaneqa.kb.index.store import Array, IndexDraft
from arcaneqa.kb.names.words import label_from_iri, words
from arcaneqa.kb.ontology import SAYS_CLASSES, Declarations, owl_parents
from arcaneqa.kb.predicate_names import is_identifier
from arcaneqa.kb.profile import Profile
from arcaneqa.kb.schema import COVERS, MOST_OTHER_HOMES, Chain, Class, Relation, Schema, ValueKind, time_pairs
from arcaneqa.support.ragged import ranges

_KINDS = (ValueKind.ENTITY, ValueKind.NUMBER, ValueKind.TIME, ValueKind.BOOLEAN, ValueKind.TEXT)

LabelOf = Callable[[str], str | None]


@dataclass(frozen=True)
class SchemaInputs:
    facts: SortedFacts
    dictionary: Dictionary
    relations: list[str]
    hidden_relations: Array
    classes: Classes
    hidden_classes: Array
    declared: Declarations
    profile: Profile
    label_of: LabelOf
    chains: Mapping[str, Chain]


def read_declared(
    facts: SortedFacts,
    relations: dict[str, int],
    profile: Profile,
    name_of: Callable[[int], str],
    told: Declarations,
) -> Declarations:
    """What the facts say about the schema, after what the given ontology says."""

    def pairs(predicates: tuple[str, ...]) -> list[tuple[str, str]]:
        known = [relations[iri] for iri in predicates if iri in relations]
        subjects, objects = read_pairs(facts, known)
        return [
            (name_of(subject), name_of(object_))
            for subject, object_ in zip(subjects.tolist(), objects.tolist(), strict=True)
        ]

    for relation, domain in pairs(profile.domain):
        told.domains.setdefault(relation, domain)
    for relation, range_ in pairs(profile.range):
        told.ranges.setdefault(relation, range_)
    for left, right in pairs(profile.inverse):
        told.inverses.setdefault(left, right)
        told.inverses.setdefault(right, left)
    told.parents.extend(
        (low, high) for low, high in pairs(profile.subclass) if _is_iri(low) and _is_iri(high)
    )
    if profile.closed_classes and any(iri in relations for iri in SAYS_CLASSES):
        told.parents.extend(owl_parents(_OwlFacts(facts, relations), name_of))
    return told


class _OwlFacts:
    def __init__(self, facts: SortedFacts, relations: Mapping[str, int]) -> None:
        self._facts, self._relations = facts, relations

    def pairs(self, predicate: str) -> Iterator[tuple[int, int]]:
        if predicate in self._relations:
            rows = self._facts.rows("out", self._relations[predicate])
            subjects = rows.keys.repeat(rows.counts).tolist()
            yield from zip(subjects, rows.values.tolist(), strict=True)

    def one(self, predicate: str, subject: int) -> int | None:
        if predicate not in self._relations:
            return None
        rows = self._facts.rows("out", self._relations[predicate])
        place = int(rows.keys.searchsorted(rows.keys.dtype.type(subject)))
        found = place < len(rows.keys) and rows.keys[place] == subject
        return int(rows.values[rows.offsets[place]]) if found else None


def describe(inputs: SchemaInputs, draft: IndexDraft) -> Schema:
    """The schema, and beside it the extremes of each relation's values, which answer at a glance whether
    any value compares."""
    dictionary, facts = inputs.dictionary, inputs.facts
    ids = {iri: number for number, iri in enumerate(inputs.relations)}
    class_ids = inputs.classes.ids
    shown = ~inputs.hidden_classes[inputs.classes.classes]
    visible = Classes(inputs.classes.iris, inputs.classes.nodes[shown], inputs.classes.classes[shown])
    offsets, codes = visible.of_nodes(dictionary.nodes)
    sizes = np.bincount(inputs.classes.classes, minlength=len(class_ids))
    edges = np.cumsum([0, dictionary.entities, dictionary.numbers, dictionary.times, dictionary.booleans])
    spans = np.zeros((len(ids), len(_KINDS) + 1), np.int64)
    values = draft.load("number.major")
    relations = []
    for number, iri in enumerate(inputs.relations):
        outward, inward = facts.rows("out", number), facts.rows("in", number)
        cuts = [*np.searchsorted(inward.keys, edges.astype(inward.keys.dtype)).tolist(), len(inward.keys)]
        spans[number] = cuts
        kinds = frozenset(kind for kind, low, high in zip(_KINDS, cuts, cuts[1:], strict=False) if high > low)
        domain = class_ids.get(inputs.declared.domains.get(iri, ""))
        range_ = class_ids.get(inputs.declared.ranges.get(iri, ""))
        are_declared = domain is not None, range_ is not None
        label = _called(iri, inputs)
        numbers = values[inward.keys[cuts[1] : cuts[2]].astype(np.int64) - dictionary.entities]
        counts = len(outward.values), len(inward.keys)
        are_whole = bool(np.array_equal(numbers, np.floor(numbers)))
        is_code = is_identifier(words(label), label_from_iri(iri), len(numbers), are_whole, *counts)
        others: tuple[int, ...] = ()
        if domain is None:
            subjects = _Kinds(outward.keys, offsets, codes, sizes)
            domain = subjects.home()
            others = () if domain is None else subjects.others(domain)
        if range_ is None and 2 * cuts[1] > len(inward.keys):
            range_ = _Kinds(inward.keys[: cuts[1]], offsets, codes, sizes).home()
        relations.append(
            Relation(
                number,
                iri,
                label,
                *counts,
                kinds,
                domain,
                range_,
                ids.get(inputs.declared.inverses.get(iri, "")),
                bool(inputs.hidden_relations[number]),
                is_code,
                *are_declared,
                others,
                inputs.chains.get(iri),
            )
        )
    classes = [
        Class(
            number,
            iri,
            _called(iri, inputs),
            int(sizes[number]),
            bool(inputs.hidden_classes[number]),
        )
        for number, iri in enumerate(inputs.classes.iris)
    ]
    _write_extremes(facts, spans, dictionary, draft)
    times = {iri: number for iri, number in ids.items() if ValueKind.TIME in relations[number].kinds}
    return Schema(relations, classes, time_pairs(inputs.profile, times))


def _called(iri: str, inputs: SchemaInputs) -> str:
    """The label; one that is written as machines write (`has_narrow_synonym`) in words."""
    label = inputs.label_of(iri)
    if label and "_" in label and " " not in label:
        label = words(label)
    return label or label_from_iri(iri)


class _Kinds:
    """The classes of some nodes."""

    def __init__(self, nodes: Array, offsets: Array, codes: Array, sizes: Array) -> None:
        starts = offsets[nodes]
        self._lengths = offsets[nodes.astype(np.int64) + 1] - starts
        self._classes, self._sizes = codes[ranges(starts, self._lengths)], sizes

    def home(self) -> int | None:
        """The smallest class of most nodes, else the commonest."""
        if not len(self._classes):
            return None
        counts, sizes = np.bincount(self._classes, minlength=len(self._sizes)), self._sizes
        covering = np.flatnonzero(counts >= COVERS * np.count_nonzero(self._lengths))
        if len(covering):
            return int(covering[np.lexsort((-counts[covering], sizes[covering]))[0]])
        return int(np.argmax(counts))

    def others(self, home: int) -> tuple[int, ...]:
        """The commonest classes of the nodes that are not at home there."""
        owners = np.repeat(np.arange(len(self._lengths)), self._lengths)
        left, klass = self._lengths > 0, home
        found: list[int] = []
        while len(found) <= MOST_OTHER_HOMES:
            left[owners[self._classes == klass]] = False
            counts = np.bincount(self._classes[left[owners]], minlength=len(self._sizes))
            if not counts.any():
                return tuple(found)
            klass = int(np.argmax(counts))
            found.append(klass)
        return ()  # subjects of so many kinds are just things


def _write_extremes(facts: SortedFacts, spans: Array, dictionary: Dictionary, draft: IndexDraft) -> None:
    """Per relation: where its numbers and times lie among its objects, its least and greatest number (as
    nodes, -1 for none), the latest start and the earliest end of its times."""
    count = len(spans)
    numbers = np.full((count, 2), -1, np.int64)
    times = np.column_stack([np.full(count, -np.inf), np.full(count, np.inf)])
    starts, ends = draft.load("time.major"), draft.load("time.minor")
    base = dictionary.entities + dictionary.numbers
    for number, (_, first_number, first_time, first_other, *_) in enumerate(spans.tolist()):
        if first_other == first_number:
            continue
        rows: SortedRows = facts.rows("in", number)
        if first_time > first_number:
            numbers[number] = rows.keys[first_number], rows.keys[first_time - 1]
        if first_other > first_time:
            moments = rows.keys[first_time:first_other].astype(np.int64) - base
            times[number] = starts[moments[-1]], ends[moments].min()
    draft.save("relation.spans", spans[:, 1:4].ravel())
    draft.save("relation.numbers", numbers.ravel())
    draft.save("relation.times", times.ravel())


def _is_iri(name: str) -> bool:
    return not name.startswith("_:")
