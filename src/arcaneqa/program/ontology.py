"""What an ontology says about the words of a program: implied classes, inverse relations."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from arcaneqa.kb.build.ontology import ROLES, TYPES, ontology_rows
from arcaneqa.kb.names import Names
from arcaneqa.kb.schema import Schema
from arcaneqa.program.expression import Relation

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
    def load(cls, folder: Path, names: Names) -> Ontology:
        """From `fb_roles`, `fb_types` and `reverse_properties`, exactly as they say it."""
        roles: dict[str, tuple[str | None, str | None]] = {}
        parents: dict[str, frozenset[str]] = {}
        inverses: dict[str, str] = {}
        for name, row in ontology_rows(folder, names):
            if name == ROLES:
                roles[row[1]] = (row[0], row[2])
            elif name == TYPES:
                parents[row[0]] = parents.get(row[0], _NOTHING) | {row[2]}
            else:
                inverses[row[0]] = row[1]
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
