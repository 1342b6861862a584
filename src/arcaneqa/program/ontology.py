"""What an ontology says about the words of a program: implied classes, inverse relations."""

from __future__ import annotations

import gzip
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from arcaneqa.errors import InputError
from arcaneqa.kb.schema import Schema
from arcaneqa.program.expression import Relation

ROLES, TYPES, REVERSE = "fb_roles", "fb_types", "reverse_properties"
_NOTHING: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Edge:
    """A relation as seen from one end, named the same whichever of its inverses was written."""

    name: str
    near: frozenset[str]
    far: frozenset[str]


@dataclass(frozen=True)
class Ontology:
    """Names are IRIs. `roles` holds the domain and range of a relation, `parents` the direct superclasses."""

    roles: Mapping[str, tuple[str | None, str | None]] = field(default_factory=dict)
    parents: Mapping[str, frozenset[str]] = field(default_factory=dict)
    inverses: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def load(cls, folder: Path, expand: Callable[[str], str]) -> Ontology:
        """From `fb_roles`, `fb_types` and `reverse_properties`, plain or .gz; `expand` makes names IRIs."""
        paths = {name: found for name in (ROLES, TYPES, REVERSE) if (found := _find(folder, name))}
        if not paths:
            raise InputError(
                f"{folder} holds no ontology; expected the files {ROLES}, {TYPES}, {REVERSE}, plain or .gz."
            )
        roles: dict[str, tuple[str | None, str | None]] = {}
        for domain, relation, range_ in _fields(paths.get(ROLES), 3):
            roles[expand(relation)] = (expand(domain), expand(range_))
        parents: dict[str, frozenset[str]] = {}
        for child, _, parent in _fields(paths.get(TYPES), 3):
            known = parents.get(expand(child), _NOTHING)
            parents[expand(child)] = known | {expand(parent)}
        inverses = {expand(one): expand(other) for one, other in _fields(paths.get(REVERSE), 2)}
        return cls(roles, parents, inverses)

    @classmethod
    def of(cls, schema: Schema) -> Ontology:
        """What a knowledge base says about itself."""

        def name(klass: int | None) -> str | None:
            return None if klass is None else schema.classes[klass].iri

        return cls(
            roles={r.iri: (name(r.domain), name(r.range)) for r in schema.relations},
            parents={klass.iri: _NOTHING for klass in schema.classes},
            inverses={
                r.iri: schema.relations[r.inverse].iri for r in schema.relations if r.inverse is not None
            },
        )

    @cached_property
    def classes(self) -> frozenset[str]:
        return frozenset(self.parents).union(*self.parents.values())

    def edge(self, relation: Relation) -> Edge:
        """The subject's end of a plain relation, the object's end of an inverse one."""
        end = (relation.iri, relation.inverse)
        known = self._edges.get(end)
        if known is None:
            near, far = self._ends(*end)
            known = self._edges[end] = Edge(_end_name(end), near, far)
        return known

    def ancestors(self, klass: str) -> frozenset[str]:
        """The class itself and everything it is a kind of."""
        known = self._ancestors.get(klass)
        if known is None:
            found, waiting = {klass}, [klass]
            while waiting:
                new = self.parents.get(waiting.pop(), _NOTHING) - found
                found |= new
                waiting += new
            known = self._ancestors[klass] = frozenset(found)
        return known

    @cached_property
    def _ancestors(self) -> dict[str, frozenset[str]]:
        return {}

    @cached_property
    def _edges(self) -> dict[tuple[str, bool], Edge]:
        """One edge for every group of ends that inverses tie together, directly or through others."""
        leader: dict[tuple[str, bool], tuple[str, bool]] = {}

        def find(end: tuple[str, bool]) -> tuple[str, bool]:
            while (up := leader.setdefault(end, end)) != end:
                leader[end] = end = leader[up]
            return end

        for one, other in self.inverses.items():
            for side in (False, True):
                leader[find((one, side))] = find((other, not side))
        groups: dict[tuple[str, bool], list[tuple[str, bool]]] = {}
        for end in sorted(leader):
            groups.setdefault(find(end), []).append(end)
        edges: dict[tuple[str, bool], Edge] = {}
        for ends in groups.values():
            sides = [self._ends(*end) for end in ends]
            near = _NOTHING.union(*(near for near, _ in sides))
            far = _NOTHING.union(*(far for _, far in sides))
            edges.update(dict.fromkeys(ends, Edge(_end_name(ends[0]), near, far)))
        return edges

    def _ends(self, iri: str, inverse: bool) -> tuple[frozenset[str], frozenset[str]]:
        domain, range_ = self.roles.get(iri, (None, None))
        near, far = (range_, domain) if inverse else (domain, range_)
        return frozenset({near} - {None}), frozenset({far} - {None})  # type: ignore[arg-type]


def _end_name(end: tuple[str, bool]) -> str:
    return repr(end[0]) + (" inverse" if end[1] else "")


def _find(folder: Path, name: str) -> Path | None:
    return next((path for path in (folder / name, folder / f"{name}.gz") if path.is_file()), None)


def _fields(path: Path | None, count: int) -> Iterator[list[str]]:
    if path is None:
        return
    opened = gzip.open if path.suffix == ".gz" else open
    try:
        with opened(path, "rt", encoding="utf-8") as lines:
            for number, line in enumerate(lines, 1):
                fields = line.split()
                # More is let pass: fb_types may end in a full stop, and the published fb_roles has two
                # places where the end of a line was lost.
                if 0 < len(fields) < count:
                    raise InputError(f"{path}, line {number}: expected {count} names, found {len(fields)}.")
                if fields:
                    yield fields[:count]
    except (OSError, EOFError, UnicodeDecodeError) as error:
        raise InputError(f"{path}: cannot be read ({error}).") from error
