"""Which schema items a profile hides, and which relations it pairs as start and end."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from fnmatch import translate
from itertools import chain

from arcaneqa.kb.profile import Profile
from arcaneqa.kb.short_names import Names

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
