"""Relations and classes of a knowledge base: described, selected by a profile, and as people edit them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import astuple, dataclass, field, fields
from enum import StrEnum
from fnmatch import translate
from functools import cached_property
from itertools import chain
from typing import Any

from arcaneqa.kb.names.words import label_from_iri
from arcaneqa.kb.profile import Profile
from arcaneqa.kb.short_names import Names

# Relations and classes of a knowledge base: their names, words, value kinds, inverses, domain and
# range.


ROW = "row"
"""What the rows of a table are called whose own name does not say what they are."""
COVERS = 0.8
"""A class covers a relation's subjects if this share of them is in it; the smallest such class says most."""
MOST_OTHER_HOMES = 2
"""Classes of subjects beside the domain: where there are more, the subjects are just things."""


class ValueKind(StrEnum):
    ENTITY = "entity"
    NUMBER = "number"
    TIME = "time"
    TEXT = "text"
    BOOLEAN = "boolean"


Path = tuple[tuple[str, bool], ...]
"""Relations by IRI, and whether each is walked from object to subject."""


@dataclass(frozen=True, slots=True)
class Chain:
    """How a relation that no fact states leads through nodes that only join things: from such a node `start`
    leads to the subject and `end` to the object. `where` is a predicate and an object, as N-Triples write
    it, that the node must have. No two nodes join the same pair."""

    start: Path
    end: Path
    where: tuple[str, str] | None = None


@dataclass(frozen=True, slots=True)
class Relation:
    """`objects` counts distinct objects. `domain` and `range` are class ids; None if unknown. Where it is not
    declared, either is a hint, the class of most subjects or objects, and never shown as a fact;
    `other_domains` are classes of subjects that are not in it.

    An identifier may look like a number but only tells things apart: nothing is the largest by it.
    """

    id: int
    iri: str
    label: str
    facts: int
    objects: int
    kinds: frozenset[ValueKind]
    domain: int | None = None
    range: int | None = None
    inverse: int | None = None
    hidden: bool = False
    is_identifier: bool = False
    domain_declared: bool = False
    range_declared: bool = False
    other_domains: tuple[int, ...] = ()
    chain: Chain | None = None

    @property
    def comparable(self) -> bool:
        return ValueKind.NUMBER in self.kinds or ValueKind.TIME in self.kinds


@dataclass(frozen=True, slots=True)
class Class:
    """Where its members tell their type as a `text`, its IRI is ours, not one of the facts."""

    id: int
    iri: str
    label: str
    members: int
    hidden: bool = False
    text: str | None = None


@dataclass(frozen=True)
class Schema:
    """Ids are positions: `relations[i].id == i` and `classes[i].id == i`."""

    relations: Sequence[Relation]
    classes: Sequence[Class]
    time_pairs: dict[int, int | None] = field(default_factory=dict)
    """Relation that marks a start (or a point) → the relation that marks the end."""

    @cached_property
    def relation_ids(self) -> dict[str, int]:
        return {relation.iri: relation.id for relation in self.relations}

    @cached_property
    def class_ids(self) -> dict[str, int]:
        return {klass.iri: klass.id for klass in self.classes}

    @cached_property
    def is_of_rows(self) -> bool:
        """Whether all there is are rows of a table of which nobody knows what it lists."""
        shown = [klass for klass in self.classes if klass.members and not klass.hidden]
        return [klass.label for klass in shown] == [ROW]

    @cached_property
    def facts(self) -> int:
        return sum(relation.facts for relation in self.relations)

    @cached_property
    def shown_relations(self) -> list[Relation]:
        """Those that are not hidden, the most used first."""
        return sorted((r for r in self.relations if not r.hidden), key=lambda relation: -relation.facts)

    @cached_property
    def shown_classes(self) -> list[Class]:
        """Those that are not hidden, the largest first."""
        return sorted((c for c in self.classes if not c.hidden), key=lambda klass: -klass.members)

    def to_json(self) -> dict[str, Any]:
        """Items as rows: their fields in order, without the id, which is the row's place."""
        relations = [[getattr(relation, name) for name in _RELATION] for relation in self.relations]
        for row in relations:
            row[_KINDS] = sorted(row[_KINDS])
            row[_CHAIN] = row[_CHAIN] and astuple(row[_CHAIN])
        classes = [[getattr(klass, name) for name in _CLASS] for klass in self.classes]
        return {"relations": relations, "classes": classes, "time_pairs": list(self.time_pairs.items())}

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> Schema:
        relations = [_relation(number, row) for number, row in enumerate(data["relations"])]
        classes = [Class(number, *row) for number, row in enumerate(data["classes"])]
        return cls(relations, classes, dict(data["time_pairs"]))


def _relation(number: int, row: list[Any]) -> Relation:
    # What was added to relations last may not be there yet.
    known = dict(zip(_RELATION, row, strict=False))
    known["kinds"] = frozenset(map(ValueKind, known["kinds"]))
    known["other_domains"] = tuple(known.get("other_domains", ()))
    known["chain"] = _chain(known.get("chain"))
    return Relation(number, **known)


def _chain(row: list[Any] | None) -> Chain | None:
    if row is None:
        return None
    start, end = (tuple((iri, inverse) for iri, inverse in path) for path in row[:2])
    return Chain(start, end, row[2] and (row[2][0], row[2][1]))


_RELATION = tuple(one.name for one in fields(Relation))[1:]
_KINDS = _RELATION.index("kinds")
_CHAIN = _RELATION.index("chain")
_CLASS = tuple(one.name for one in fields(Class))[1:]


# Which schema items a profile hides, and which relations it pairs as start and end.


_ONTOLOGY = 20
"""Fewer subclasses than these are no ontology."""


def is_about_classes(subclasses: int, members: Iterable[int]) -> bool:
    """An ontology without instances: there classes are what people ask about, and what they are kinds of is a
    fact like any other. `members` of the classes are counted no further than is needed."""
    if subclasses < _ONTOLOGY:
        return False
    total = 0
    for count in members:
        total += count
        if 2 * total >= subclasses:
            return False
    return True


class Selection:
    """The profile's `hide` and `only`; the predicates it reads as schema are hidden in any case,
    but not those that are attributes too."""

    def __init__(self, profile: Profile) -> None:
        self._names = Names(profile)
        self._hide = _Patterns(profile.hide)
        self._hide_called = _Patterns(profile.hide_called)
        self._only = _Patterns(profile.only) if profile.only else None
        spoken = (profile.type, profile.label, profile.alias)
        declared = (profile.subclass, profile.inverse, profile.domain, profile.range)
        self._schema = frozenset(chain(*spoken, *declared)) - frozenset(profile.names)

    def hides(self, iri: str, label: str | None = None) -> bool:
        if iri in self._schema or (label is not None and label in self._hide_called):
            return True
        name = self._names.short(iri)
        return name in self._hide or (self._only is not None and name not in self._only)


def time_pairs(profile: Profile, relations: Mapping[str, int]) -> dict[int, int | None]:
    """Start (or point) → end, as ids, for the relations (IRI → id) that the profile's patterns name."""
    names = Names(profile)
    # An IRI without a prefix is matched as it is, so that `*startDate` finds it too.
    by_name = {_bare(names.short(iri)): relation for iri, relation in relations.items()}
    found: dict[int, int | None] = {}
    for start, end in ((_bare(start), _bare(end)) for start, end in profile.time_pairs):
        before, _, after = start.partition("*")
        for name, relation in by_name.items():
            if relation in found or len(name) < len(before) + len(after):
                continue
            if not (name.startswith(before) and name.endswith(after)):
                continue
            shared = name[len(before) : len(name) - len(after)]
            partner = by_name.get(end.replace("*", shared, 1)) if end else None
            if partner is not None or not end:
                found[relation] = partner
    return found


def _bare(name: str) -> str:
    return name.removeprefix("<").removesuffix(">")


class _Patterns:
    """Glob patterns; plain names among them, of which there may be thousands, are looked up."""

    def __init__(self, patterns: Iterable[str]) -> None:
        given = set(patterns)
        globs = {pattern for pattern in given if set(pattern) & set("*?[")}
        self._names = given - globs
        self._globs = re.compile("|".join(map(translate, sorted(globs)))) if globs else None

    def __contains__(self, name: str) -> bool:
        return name in self._names or (self._globs is not None and bool(self._globs.fullmatch(name)))


# A schema as `arcaneqa info KB --json` prints it: by names instead of numbers, to be read, edited
# and handed to an endpoint. What an index keeps for itself is `Schema.to_json`.


def written(schema: Schema, names: Names) -> dict[str, list[dict[str, Any]]]:
    """Relations and classes, the most used first."""
    class_names = [names.short(klass.iri) for klass in schema.classes]
    relation_names = [names.short(relation.iri) for relation in schema.relations]
    return {
        "relations": [
            {
                "name": relation_names[relation.id],
                "iri": relation.iri,
                "label": relation.label,
                "facts": relation.facts,
                "objects": relation.objects,
                "kinds": sorted(relation.kinds),
                "domain": None if relation.domain is None else class_names[relation.domain],
                "range": None if relation.range is None else class_names[relation.range],
                "inverse": None if relation.inverse is None else relation_names[relation.inverse],
                "hidden": relation.hidden,
                "is_identifier": relation.is_identifier,
                "domain_declared": relation.domain_declared,
                "range_declared": relation.range_declared,
                "other_domains": [class_names[klass] for klass in relation.other_domains],
            }
            for relation in sorted(schema.relations, key=lambda relation: -relation.facts)
            if relation.chain is None  # an endpoint holds none of its facts
        ],
        "classes": [
            {
                "name": class_names[klass.id],
                "iri": klass.iri,
                "label": klass.label,
                "members": klass.members,
                "hidden": klass.hidden,
                "text": klass.text,
            }
            for klass in sorted(schema.classes, key=lambda klass: -klass.members)
        ],
    }


def read(data: Mapping[str, Any], profile: Profile) -> Schema:
    """The schema that was written so. Of a relation `name`, `iri` and `kinds` are needed, of a class `name`
    and `iri`; what is named and not there was taken out."""
    class_ids = {item["name"]: number for number, item in enumerate(data["classes"])}
    relation_ids = {item["name"]: number for number, item in enumerate(data["relations"])}
    classes = [
        Class(
            id=number,
            iri=str(item["iri"]),
            label=item.get("label") or label_from_iri(item["iri"]),
            members=int(item.get("members", 0)),
            hidden=bool(item.get("hidden")),
            text=item.get("text"),
        )
        for number, item in enumerate(data["classes"])
    ]
    relations = [
        Relation(
            id=number,
            iri=str(item["iri"]),
            label=item.get("label") or label_from_iri(item["iri"]),
            facts=int(item.get("facts", 0)),
            objects=int(item.get("objects", 0)),
            kinds=frozenset(map(ValueKind, item["kinds"])),
            domain=class_ids.get(item.get("domain")),
            range=class_ids.get(item.get("range")),
            inverse=relation_ids.get(item.get("inverse")),
            hidden=bool(item.get("hidden")),
            is_identifier=bool(item.get("is_identifier")),
            domain_declared=bool(item.get("domain_declared")),
            range_declared=bool(item.get("range_declared")),
            other_domains=_known(item.get("other_domains", ()), class_ids),
        )
        for number, item in enumerate(data["relations"])
    ]
    times = {relation.iri: relation.id for relation in relations if ValueKind.TIME in relation.kinds}
    return Schema(relations, classes, time_pairs(profile, times))


def _known(names: Iterable[str], ids: Mapping[str, int]) -> tuple[int, ...]:
    return tuple(ids[name] for name in names if name in ids)
