"""Relations that lead through nodes which only join things: contributions with a role, events, values.

A node without a name that says who did what in which role is no answer to anything. What it joins is offered
as one relation, called by the role ("editor"), by the kind of event ("writing") or by what leads to the value
("pages"); the steps stay beside it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence, Set
from dataclasses import dataclass, replace
from itertools import combinations
from urllib.parse import quote

import numpy as np

from arcaneqa.kb.build.classes import read_pairs
from arcaneqa.kb.build.sorted_facts import SortedFacts, SortedRows, sorted_pairs
from arcaneqa.kb.index.store import Array, IndexDraft, narrow
from arcaneqa.kb.schema import Chain, Path
from arcaneqa.kb.terms import XSD
from arcaneqa.support.ragged import offsets_of, ranges

CHAIN = "urn:chain:"
NAME = "name"
_ROLES = frozenset(
    ("role", "function", "capacity", "credit", "involvement", "relator", "responsibility", "relationship")
)
_VALUES = frozenset(("value", "content", "literal form", "symbolic content", "at some time within"))
"""What leads from a node to the value that it stands for."""
_UNITS = frozenset(("unit", "units", "currency", "language", "precision", "type"))
_NAMES = frozenset(("name", "title", "label", "appellation", "identified"))
"""Words of what leads to a node that stands for a name."""
_DOERS = frozenset(
    (
        *(
            "actor",
            "agent",
            "artist",
            "author",
            "by",
            "contact",
            "contributor",
            "creator",
            "employee",
            "holder",
        ),
        *("member", "participant", "people", "performer", "person", "player", "staff", "student", "user"),
        *("holder", "who", "worker"),
    )
)
_SMALL = frozenset(("has", "is", "of", "the", "a", "p", "was", "by"))
_PREPOSITIONS = (" at", " by", " in", " to")
"""What ends a verb, which tells less than the kind of an event: "took place at"."""
_MOST_ROLES = 24
_MOSTLY = 0.9
"""Share of the joining nodes that must have a leg."""
_LEAST = 2
"""Nodes; one alone joins by chance."""


@dataclass(frozen=True)
class Found:
    """A chain with what it is called, its relation's IRI, and its facts."""

    iri: str
    label: str
    chain: Chain
    subjects: Array
    objects: Array
    hides: int | None = None
    """A step that has nothing to say beside the chain."""


@dataclass(frozen=True)
class Steps:
    """What chains are found in. `shown` relations may be asked for, `is_named` says which entities have a
    name, `types` are the predicates of classes, and the nodes from `values[0]` to `values[1]` are truth
    values; `words` says what a relation is called, `name` what a node is, `written` how N-Triples write it
    (None for what cannot be named), and `says` whether the IRIs of some nodes tell what they are."""

    facts: SortedFacts
    iris: Sequence[str]
    shown: Sequence[int]
    types: Sequence[int]
    is_named: Array
    entities: int
    values: tuple[int, int]
    words: Callable[[int], str]
    name: Callable[[int], str | None]
    written: Callable[[int], str | None]
    says: Callable[[Array], bool]


@dataclass(frozen=True)
class _Leg:
    """What leads from joining nodes to something: `nodes` and `ends`, side by side."""

    path: Path
    words: str
    nodes: Array
    ends: Array


def find_chains(steps: Steps) -> list[Found]:
    values = list(_to_values(steps))
    joins = steps.is_named.copy()
    for each in values:
        joins[each.subjects] |= each.label == NAME
    steps = replace(steps, is_named=joins)
    by_roles = list(_by_roles(steps))
    unique: dict[str, Found] = {}
    for each in (*values, *by_roles, *_by_events(steps, values, {each.chain.start for each in by_roles})):
        unique.setdefault(each.iri, each)
    return list(unique.values())


def append_chains(facts: SortedFacts, found: Sequence[Found], nodes: int, draft: IndexDraft) -> SortedFacts:
    """The facts with those of the chains behind them."""
    node = narrow(max(nodes, 1 << 16))
    for way in ("out", "in"):
        starts, keys, offsets, values = (draft.take(f"{way}.{part}") for part in _PARTS)
        total = len(values) + sum(len(each.subjects) for each in found)
        ends = starts.tolist()
        span = narrow(max(total + 1, 1 << 16))
        with (
            draft.writer(f"{way}.keys", node) as all_keys,
            draft.writer(f"{way}.offsets", span) as all_offsets,
            draft.writer(f"{way}.values", node) as all_values,
        ):
            all_keys.append(keys)
            all_offsets.append(offsets)
            all_values.append(values)
            for each in found:
                sides = (each.subjects, each.objects)
                left, right = sorted_pairs(*(sides if way == "out" else sides[::-1]), nodes)
                fresh = np.flatnonzero(np.diff(left.astype(np.int64), prepend=-1))
                all_keys.append(left[fresh])
                all_offsets.append(all_values.length + np.append(fresh[1:], len(left)))
                all_values.append(right)
                ends.append(all_keys.length)
        draft.save(f"{way}.starts", np.array(ends, np.int64))
    return SortedFacts(draft, facts.relations + len(found))


_PARTS = ("starts", "keys", "offsets", "values")


# Nodes that stand for a value, with its unit perhaps: measurements, spans of time, names.


def _to_values(steps: Steps) -> Iterator[Found]:
    ends = []
    for end in steps.shown:
        rows = steps.facts.rows("out", end) if _says_value(steps.words(end)) else None
        if rows is None or len(rows.keys) < _LEAST or np.any(rows.counts != 1):
            continue
        if not steps.is_named[rows.keys].any() and not np.any(rows.values < steps.entities):
            ends.append((end, rows.keys.astype(np.int64), rows.values.astype(np.int64)))
    touching = _touching(steps, [nodes for _, nodes, _ in ends])
    for (end, nodes, texts), around in zip(ends, touching, strict=True):
        if any(_says_more(steps, relation, end) for relation, way, _ in around if way == "out"):
            continue
        for start, way, count in around:
            into = steps.facts.rows("in", start)
            if way == "out" or count < max(_LEAST, _MOSTLY * _entities(into, steps)):
                continue
            places, found = _at(into, nodes)
            if np.any(into.counts[places] != 1):
                continue
            subjects = into.values[into.offsets[places]].astype(np.int64)
            objects = texts[np.searchsorted(nodes, found)]
            said = steps.words(start)
            is_name = not _NAMES.isdisjoint(said.split())
            label = NAME if is_name else " ".join(word for word in said.split() if word != "has") or said
            chain = Chain(((steps.iris[start], True),), ((steps.iris[end], False),))
            name = f"{_local(steps.iris[start])}.{_local(steps.iris[end])}"
            if (one := _found(name, label, chain, subjects, objects, start)) is not None:
                yield one


def _says_more(steps: Steps, relation: int, end: int) -> bool:
    """Whether it tells of more than a value and its unit."""
    return relation != end and _UNITS.isdisjoint(steps.words(relation).split())


def _says_value(words: str) -> bool:
    plain = words.removeprefix("has ").removeprefix("is ")
    parts = plain.split()
    if parts and parts[0][:1] == "p" and parts[0][1:].isdigit():  # CIDOC numbers its properties
        plain = " ".join(parts[1:]).removeprefix("has ")
    return plain in _VALUES or plain.endswith(" value")


def _entities(rows: SortedRows, steps: Steps) -> int:
    return int(np.searchsorted(rows.keys, steps.entities))


def _at(rows: SortedRows, nodes: Array) -> tuple[Array, Array]:
    """Of these nodes, which rows are about them, and which they are."""
    if not len(rows.keys):
        return nodes[:0], nodes[:0]
    places = np.searchsorted(rows.keys, nodes.astype(rows.keys.dtype))
    places = np.minimum(places, len(rows.keys) - 1)
    has = rows.keys[places] == nodes
    return places[has], nodes[has]


# Nodes that join two things: who did what to which thing, in which role or at what kind of event.


_Around = list[tuple[int, str, int]]
"""Relations that lead from ("out") or to ("in") some of a group of entities, with the number of these."""


def _touching(steps: Steps, groups: Sequence[Array]) -> list[_Around]:
    found: list[_Around] = [[] for _ in groups]
    if not groups:
        return found
    nodes, numbers = np.concatenate(groups), np.repeat(np.arange(len(groups)), list(map(len, groups)))
    order = np.argsort(nodes, kind="stable")
    numbers, offsets = numbers[order], offsets_of(np.bincount(nodes, minlength=steps.entities))
    for relation in steps.shown:
        for way in ("out", "in"):
            keys = steps.facts.rows(way, relation).keys
            keys = keys[: np.searchsorted(keys, steps.entities)].astype(np.int64)
            starts = offsets[keys]
            counts = np.bincount(numbers[ranges(starts, offsets[keys + 1] - starts)], minlength=len(groups))
            for group in np.flatnonzero(counts).tolist():
                found[group].append((relation, way, int(counts[group])))
    return found


def _legs(
    steps: Steps, nodes: Array, around: Sequence[tuple[int, str, int]], besides: int | None
) -> list[_Leg]:
    """What leads from nearly all of the nodes to one thing each."""
    found = []
    for relation, way, count in around:
        if relation == besides or count < _MOSTLY * len(nodes):
            continue
        rows = steps.facts.rows(way, relation)
        places, held = _at(rows, nodes)
        if np.any(rows.counts[places] != 1):
            continue
        ends = rows.values[rows.offsets[places]].astype(np.int64)
        if np.all(ends < steps.entities):
            path = ((steps.iris[relation], way == "in"),)
            found.append(_Leg(path, steps.words(relation), held, ends))
    return found


def _by_roles(steps: Steps) -> Iterator[Found]:
    said = [
        relation for relation in steps.shown if _are_roles(steps, relation) or _are_flags(steps, relation)
    ]
    nodes = [steps.facts.rows("out", relation).keys.astype(np.int64) for relation in said]
    for relation, joining, around in zip(said, nodes, _touching(steps, nodes), strict=True):
        legs = _legs(steps, joining, around, relation)
        if len(legs) != 2:
            continue
        inward, are_flags = steps.facts.rows("in", relation), _are_flags(steps, relation)
        for place, value in enumerate(inward.keys.astype(np.int64).tolist()):
            name, written = steps.name(value), steps.written(value)
            if are_flags:
                if written != f'"true"^^<{XSD}boolean>':
                    continue
                name = steps.words(relation)
            if name is None or written is None:
                continue
            chosen = inward.values[inward.offsets[place] : inward.offsets[place + 1]].astype(np.int64)
            where = (steps.iris[relation], written)
            about = f"{_local(steps.iris[relation])}.{quote(name.replace(' ', '_'), safe='')}"
            yield from _joined(about, name.lower(), _ordered(legs), where, chosen)


def _are_flags(steps: Steps, relation: int) -> bool:
    values = steps.facts.rows("in", relation).keys
    low, high = steps.values
    return bool(np.all((values >= low) & (values < high))) and _says_one(steps, relation)


def _are_roles(steps: Steps, relation: int) -> bool:
    return steps.words(relation).split()[-1] in _ROLES and _says_one(steps, relation)


def _says_one(steps: Steps, relation: int) -> bool:
    """Whether it says one of a few things of each of some nodes without names."""
    rows, values = steps.facts.rows("out", relation), steps.facts.rows("in", relation).keys
    is_few = len(rows.keys) >= _LEAST and 0 < len(values) <= _MOST_ROLES
    return is_few and not np.any(rows.counts != 1) and not bool(steps.is_named[rows.keys].any())


def _by_events(steps: Steps, values: Sequence[Found], told: Set[Path]) -> Iterator[Found]:
    """Kinds of events that share their relations, so that only the kind says what was done. `told` are legs
    of nodes whose role says it."""
    nodes, kinds = read_pairs(steps.facts, steps.types)
    is_thing = (nodes < steps.entities) & (kinds < steps.entities)
    nodes, kinds = nodes[is_thing], kinds[is_thing]
    is_plain = ~np.isin(kinds, np.unique(kinds[steps.is_named[nodes]]))
    nodes, kinds = nodes[is_plain], kinds[is_plain]
    events: dict[int, tuple[Array, list[_Leg]]] = {}
    shared: Counter[Path] = Counter()
    order = np.argsort(kinds, kind="stable")
    different, firsts = np.unique(kinds[order], return_index=True)
    groups = [np.unique(each) for each in np.split(nodes[order], firsts[1:])] if len(different) else []
    for kind, members, around in zip(different.tolist(), groups, _touching(steps, groups), strict=True):
        is_event = len(members) >= _LEAST and not steps.says(members)
        legs = _legs(steps, members, around, None) if is_event else []
        if told.isdisjoint(leg.path for leg in legs):
            events[kind] = members, legs
            shared.update(leg.path for leg in legs)
    for kind, (members, legs) in events.items():
        name, written = steps.name(kind), steps.written(kind)
        if name is None or written is None or not any(shared[leg.path] > 1 for leg in legs):
            continue
        where, about = (steps.iris[steps.types[0]], written), _local(written[1:-1])
        of_values = [leg for each in values if (leg := _value_leg(each, members)) is not None]
        things = [leg for leg in legs if not any(leg.path == value.path[:1] for value in of_values)]
        for pair in map(_ordered, combinations(things, 2)):
            if shared[pair[1].path] > 1 or pair[1].words.endswith(_PREPOSITIONS):
                label = name if len(things) == 2 else f"{name} {_plain(pair[1].words)}"
                yield from _joined(f"{about}.{_local(pair[1].path[0][0])}", label, pair, where, members)
        for value in of_values:
            label = f"{name} {'date' if 'time' in value.words else value.words}"
            for thing in things:
                does = not _DOERS.isdisjoint(thing.words.split()) and len(things) > 1
                if shared[value.path[:1]] > 1 and not does:
                    yield from _joined(
                        f"{about}.{_local(value.path[0][0])}", label, (thing, value), where, members
                    )


def _value_leg(value: Found, members: Array) -> _Leg | None:
    """A value behind a node of theirs, as a leg of the members."""
    have = np.isin(value.subjects, members)
    if have.sum() < _MOSTLY * len(members):
        return None
    (iri, _), end = value.chain.start[0], value.chain.end
    return _Leg(((iri, False), *end), value.label, value.subjects[have], value.objects[have])


def _ordered(legs: Sequence[_Leg]) -> Sequence[_Leg]:
    """The thing first, and then whoever did something to it."""
    first, second = legs
    does = [not _DOERS.isdisjoint(leg.words.split()) for leg in legs]
    return (second, first) if does[0] and not does[1] else (first, second)


def _joined(
    about: str, label: str, legs: Sequence[_Leg], where: tuple[str, str], nodes: Array
) -> Iterator[Found]:
    """From the first leg's end to the second's, through these of the nodes."""
    first, second = legs
    chosen = first.nodes[np.isin(first.nodes, nodes)]
    order = np.argsort(second.nodes, kind="stable")
    places = np.searchsorted(second.nodes, chosen, sorter=order)
    places = order[np.minimum(places, len(order) - 1)]
    both = second.nodes[places] == chosen
    own = np.argsort(first.nodes, kind="stable")
    starts = first.ends[own[np.searchsorted(first.nodes, chosen[both], sorter=own)]]
    chain = Chain(first.path, second.path, where)
    if (one := _found(about, label, chain, starts, second.ends[places[both]])) is not None:
        yield one


def _found(
    name: str, label: str, chain: Chain, subjects: Array, objects: Array, hides: int | None = None
) -> Found | None:
    """None where two nodes join the same pair: SPARQL would count it twice."""
    if len(subjects) < _LEAST or len(np.unique(np.stack([subjects, objects]), axis=1)[0]) < len(subjects):
        return None
    return Found(CHAIN + name, label, chain, subjects, objects, hides)


def _plain(words: str) -> str:
    return " ".join(word for word in words.split() if word not in _SMALL) or words


def _local(iri: str) -> str:
    return quote(iri.rstrip("/#").replace("#", "/").rpartition("/")[2].rpartition(":")[2], safe=".")
