"""What an ontology says about the words of a program: implied classes, inverse relations."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

import numpy as np

from arcaneqa.kb import schema
from arcaneqa.kb.interface import KnowledgeBase
from arcaneqa.kb.ontology_folder import ROLES, TYPES, ontology_rows
from arcaneqa.kb.short_names import Names
from arcaneqa.program.expression import Relation

_NOTHING: frozenset[str] = frozenset()

End = tuple[str, bool]
Roles = tuple[str | None, str | None]


@dataclass(frozen=True, slots=True)
class Edge:
    """A relation as seen from one end, named the same whichever of its inverses was written."""

    name: str
    near: frozenset[str]
    far: frozenset[str]


@dataclass(frozen=True)
class Ontology:
    """Names are IRIs. `roles` holds the domain and range of a relation, `parents` the direct superclasses."""

    roles: Mapping[str, Roles] = field(default_factory=dict)
    parents: Mapping[str, frozenset[str]] = field(default_factory=dict)
    inverses: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def load(cls, folder: Path, names: Names) -> Ontology:
        """From `fb_roles`, `fb_types` and `reverse_properties`, exactly as they say it."""
        roles: dict[str, Roles] = {}
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
    def of(cls, kb: KnowledgeBase, roles: bool = True) -> Ontology:
        """What holds in a knowledge base: a domain or range only where no fact goes against it.

        Without `roles` the facts are not looked at, which takes long where they are far away.
        """
        relations = kb.schema.relations
        return cls(
            roles=_HeldRoles(kb) if roles else {},
            parents={klass.iri: _NOTHING for klass in kb.schema.classes},
            inverses={r.iri: relations[r.inverse].iri for r in relations if r.inverse is not None},
        )

    @cached_property
    def classes(self) -> frozenset[str]:
        return frozenset(self.parents).union(*self.parents.values())

    def edge(self, relation: Relation) -> Edge:
        """The subject's end of a plain relation, the object's end of an inverse one."""
        end = (relation.iri, relation.inverse)
        if (known := self._edges.get(end)) is not None:
            return known
        ends = self._groups.get(end, [end])
        sides = [self._ends(*other) for other in ends]
        near, far = (_NOTHING.union(*(side[at] for side in sides)) for at in (0, 1))
        edge = Edge(_end_name(ends[0]), near, far)
        self._edges.update(dict.fromkeys(ends, edge))
        return edge

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
    def _edges(self) -> dict[End, Edge]:
        return {}

    @cached_property
    def _groups(self) -> dict[End, list[End]]:
        """Ends that inverses tie together, directly or through others, in one order for all of them."""
        leader: dict[End, End] = {}

        def find(end: End) -> End:
            while (up := leader.setdefault(end, end)) != end:
                leader[end] = end = leader[up]
            return end

        for one, other in self.inverses.items():
            for side in (False, True):
                leader[find((one, side))] = find((other, not side))
        groups: dict[End, list[End]] = {}
        for end in sorted(leader):
            groups.setdefault(find(end), []).append(end)
        return {end: ends for ends in groups.values() for end in ends}

    def _ends(self, iri: str, inverse: bool) -> tuple[frozenset[str], frozenset[str]]:
        domain, range_ = self.roles.get(iri, (None, None))
        near, far = (range_, domain) if inverse else (domain, range_)
        return frozenset({near} - {None}), frozenset({far} - {None})  # type: ignore[arg-type]


def _end_name(end: End) -> str:
    return repr(end[0]) + (" inverse" if end[1] else "")


class _HeldRoles(Mapping[str, Roles]):
    """Domain and range of a relation, looked up in the facts when first asked for.

    A schema's classes may be a majority's, and a declaration need not hold; whether leaving a class out
    changes an answer is decided by the facts.
    """

    def __init__(self, kb: KnowledgeBase) -> None:
        self._kb = kb
        self._known: dict[str, Roles] = {}

    def __getitem__(self, iri: str) -> Roles:
        if iri not in self._known:
            relation = self._kb.schema.relations[self._kb.schema.relation_ids[iri]]
            self._known[iri] = (
                self._held(relation.domain, self._facts_from(relation)),
                self._held(relation.range, self._facts_to(relation)),
            )
        return self._known[iri]

    def __iter__(self) -> Iterator[str]:
        return iter(self._kb.schema.relation_ids)

    def __len__(self) -> int:
        return len(self._kb.schema.relations)

    def _held(self, klass: int | None, all_facts: bool) -> str | None:
        return self._kb.schema.classes[klass].iri if klass is not None and all_facts else None

    def _facts_from(self, relation: schema.Relation) -> bool:
        """Whether every subject is of the domain."""
        if relation.domain is None:
            return False
        members = self._kb.members(relation.domain)
        return len(self._kb.values(relation.id, members).subjects) == relation.facts

    def _facts_to(self, relation: schema.Relation) -> bool:
        """Whether every object is of the range."""
        if relation.range is None:
            return False
        members = self._kb.members(relation.range)
        pairs = self._kb.values(relation.id, self._kb.subjects(relation.id, members))
        return int(np.isin(pairs.objects, members.ids).sum()) == relation.facts
