"""Which schema items a profile hides, and which relations it pairs as start and end."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from fnmatch import translate
from itertools import chain

from arcaneqa.kb.names import Names
from arcaneqa.kb.profile import Profile


class Selection:
    """The profile's `hide` and `only`; the predicates it reads as schema are hidden in any case."""

    def __init__(self, profile: Profile) -> None:
        self._names = Names(profile)
        self._hide = _any(profile.hide)
        self._only = _any(profile.only)
        spoken = (profile.type, profile.label, profile.alias)
        declared = (profile.subclass, profile.inverse, profile.domain, profile.range)
        self._schema = frozenset(chain(*spoken, *declared))

    def hides(self, iri: str) -> bool:
        if iri in self._schema:
            return True
        name = self._names.short(iri)
        if self._only is not None and not self._only.fullmatch(name):
            return True
        return self._hide is not None and self._hide.fullmatch(name) is not None


def time_pairs(profile: Profile, relations: Mapping[str, int]) -> dict[int, int | None]:
    """Start (or point) → end, as ids, for the relations (IRI → id) that the profile's patterns name."""
    names = Names(profile)
    by_name = {names.short(iri): relation for iri, relation in relations.items()}
    found: dict[int, int | None] = {}
    for start, end in profile.time_pairs:
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


def _any(patterns: Iterable[str]) -> re.Pattern[str] | None:
    parts = [translate(pattern) for pattern in patterns]
    return re.compile("|".join(parts)) if parts else None
