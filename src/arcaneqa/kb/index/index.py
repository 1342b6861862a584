"""A knowledge base in a folder of memory-mapped arrays: every question answered exactly, at any size."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from arcaneqa.errors import IndexFormatError
from arcaneqa.files import plain_json
from arcaneqa.kb.counting import spread
from arcaneqa.kb.diagnosis import Diagnosis
from arcaneqa.kb.index import sets
from arcaneqa.kb.index.comparisons import Comparisons
from arcaneqa.kb.index.extremes import Extremes
from arcaneqa.kb.index.literal_order import Order
from arcaneqa.kb.index.lookup import open_terms
from arcaneqa.kb.index.rows import Lists, Rows, Steps
from arcaneqa.kb.index.store import Array, map_array, open_manifest, read_seal
from arcaneqa.kb.index.strings import Strings
from arcaneqa.kb.index.walks import Walks
from arcaneqa.kb.interface import (
    Comparison,
    Ids,
    KnowledgeBase,
    NodeSet,
    Pairs,
    Standings,
    Step,
    Tally,
    Totals,
    Window,
)
from arcaneqa.kb.names.forms import name_from_iri
from arcaneqa.kb.names.surfaces import Surfaces
from arcaneqa.kb.profile import profile_from_json
from arcaneqa.kb.schema import Schema, ValueKind
from arcaneqa.kb.terms import Iri, Literal, Term
from arcaneqa.kb.values import Number, value_of

_ATTEMPTS = 5


class Index(KnowledgeBase):
    """Opened from its folder without reading it; many threads and processes may share one folder.

    Everything is opened at once, names included, and is of one build: a folder that is replaced meanwhile is
    opened anew, one that is replaced later does not matter to who has opened it. `seal` tells builds apart.
    """

    def __init__(self, folder: str | Path, manifest: dict[str, Any] | None = None) -> None:
        self.folder = Path(folder)
        self._surfaces: Surfaces | None = None
        if manifest is not None:  # still being built: there are no names yet, and nobody replaces it
            self._open(manifest)
            return
        for attempt in range(1, _ATTEMPTS + 1):
            self.seal = read_seal(self.folder)
            try:
                manifest = open_manifest(self.folder)
                self.seal = str(manifest["seal"])
                self._open(manifest)
                self._surfaces = Surfaces(self.folder)
            except IndexFormatError:
                if attempt == _ATTEMPTS or read_seal(self.folder) == self.seal:
                    raise
            except (OSError, ValueError, LookupError, TypeError, AttributeError) as error:
                if attempt == _ATTEMPTS or read_seal(self.folder) == self.seal:
                    raise IndexFormatError(
                        f"The index {self.folder} does not hold what its manifest says ({error}). Build it "
                        "again with `arcaneqa index`."
                    ) from error
            if read_seal(self.folder) == self.seal:
                return
        raise IndexFormatError(f"The index {self.folder} is replaced again and again; try later.")

    def _open(self, manifest: dict[str, Any]) -> None:
        def load(name: str) -> Array:
            try:
                return map_array(self.folder / f"{name}.bin", manifest["arrays"][name])
            except (KeyError, OSError, ValueError):
                raise IndexFormatError(
                    f"The index {self.folder} is damaged: {name} cannot be read. Build it again."
                ) from None

        self.profile = profile_from_json(manifest["profile"], str(self.folder))
        self.counts: dict[str, int] = manifest["counts"]
        told = manifest.get("diagnosis")  # indexes of the first days have none
        self.diagnosis = None if told is None else Diagnosis.from_json(told)
        self.schema = Schema.from_json(plain_json(self.folder / "schema.json"))
        self._entities = self.counts["entities"]
        self._terms = open_terms(load, manifest["types"], manifest.get("spellings", {}))
        self._nodes = self._entities + sum(
            self.counts[kind] for kind in ("numbers", "times", "booleans", "text")
        )
        self._visible = _mask(not relation.hidden for relation in self.schema.relations)
        self._out, self._in = Rows(load, "out"), Rows(load, "in")
        shown = self._visible
        reached = shown & _mask(ValueKind.ENTITY in relation.kinds for relation in self.schema.relations)
        compared = shown & _mask(relation.comparable for relation in self.schema.relations)
        peopled = _mask(klass.members > 0 and not klass.hidden for klass in self.schema.classes)
        self._out_lists = Lists(load, "relations.out", shown, self._out)
        self._in_lists = Lists(load, "relations.in", reached, self._in)
        self._literal_in_lists = Lists(load, "relations.in", shown, self._in)
        self._comparable_lists = Lists(load, "relations.comparable", compared, None)
        steps = Steps(self._out, self._in, self._comparable_lists, self._nodes)
        self._step_lists = Lists(load, "steps", np.column_stack((shown, reached)).ravel(), steps)
        self._literal_step_lists = Lists(load, "steps", np.repeat(shown, 2), steps)
        self._class_lists = Lists(load, "classes", peopled, None)
        self._steps = [Step(code >> 1, bool(code & 1)) for code in range(2 * len(shown))]
        self._member_offsets: list[int] = load("members.offsets").tolist()
        self._members = load("members.nodes")
        self._large_classes: dict[int, sets.Bits] = {}
        self._labels = load("labels")
        self._joined_names = Strings(load("joined.heap"), load("joined.offsets"))
        self._alias_offsets, self._aliases = load("aliases.offsets"), load("aliases.values")
        self._degrees = load("degrees")
        self._order = Order(load, self.counts)
        self._extremes = Extremes(self._out, self._in, self._order, self._nodes)
        self._walks = Walks(self._out, self._in, self._order, self._nodes)
        ways = (self._out, self._in)
        self._comparisons = Comparisons(load, *ways, self._order, self._nodes, self._visible)

    # Names -----------------------------------------------------------------------------------

    def node(self, term: Term) -> int | None:
        return self._terms.find(term)

    def nodes(self, ids: Ids) -> NodeSet:
        return NodeSet(sets.ordered(np.asarray(ids, np.int64)))

    def terms(self, ids: Ids) -> list[Term]:
        return self._terms.many(ids)

    def labels(self, ids: Ids) -> list[str | None]:
        literals = np.array(ids, np.int64)
        named = literals < self._entities
        literals[named] = self._labels[literals[named]]
        spoken = literals < self._nodes
        found = iter(self._terms.literals.many(literals[spoken] - self._entities))
        labels = [next(found) if has_label else None for has_label in spoken.tolist()]
        for place in np.flatnonzero(literals > self._nodes).tolist():
            labels[place] = self._joined_names[int(literals[place]) - self._nodes - 1]
        # People's names are typed by hand; what is a literal itself stays as it was written.
        return [
            " ".join(label.split()) or None if label and is_entity else label
            for label, is_entity in zip(labels, named.tolist(), strict=True)
        ]

    def surfaces(self) -> Surfaces | None:
        return self._surfaces

    def aliases(self, ids: Ids) -> list[list[str]]:
        named = np.minimum(ids, self._entities)
        starts = self._alias_offsets[named]
        ends = self._alias_offsets[np.minimum(named + 1, self._entities)]
        lengths = ends - starts
        if not lengths.any():
            return [[] for _ in named]
        literals = self._aliases[spread(starts, lengths)].astype(np.int64)
        found = iter(self._terms.literals.many(literals - self._entities))
        return [[" ".join(name.split()) for name in islice(found, length)] for length in lengths.tolist()]

    def foreign_names(self, ids: Ids) -> list[list[str]]:
        """For each node its labels and aliases in other languages than the preferred one."""
        found: dict[int, list[int]] = {}
        nodes = self.nodes(ids)
        for iri in (*self.profile.label, *self.profile.names, *self.profile.alias):
            if (relation := self.schema.relation_ids.get(iri)) is not None:
                pairs = self.values(relation, nodes)
                for node, name in zip(pairs.subjects.tolist(), pairs.objects.tolist(), strict=True):
                    found.setdefault(node, []).append(name)
        names = sorted({name for literals in found.values() for name in literals if name >= self._entities})
        terms = dict(zip(names, self.terms(np.array(names, np.int64)), strict=True))
        own = self.profile.language.lower()
        foreign = {
            name: term.lexical
            for name, term in terms.items()
            if isinstance(term, Literal) and term.language and term.language.lower().split("-")[0] != own
        }
        if not foreign:
            return [[] for _ in ids]
        return [
            [foreign[n] for n in found.get(node, ()) if n in foreign] for node in np.asarray(ids).tolist()
        ]

    def are_literals(self, ids: Ids) -> NDArray[np.bool_]:
        return np.asarray(ids >= self._entities)

    def degrees(self, ids: Ids) -> Ids:
        return self._degrees[ids].astype(np.int64)

    def equal(self, literal: Literal) -> NodeSet:
        value = value_of(literal)
        if value is not None:
            return NodeSet(self._order.equal(value))
        node = self.node(literal)
        return NodeSet(sets.EMPTY if node is None else np.array([node], np.int64))

    def entities(self) -> Ids:
        """Every node that is neither a literal nor a relation or class of the schema, and of which there is
        something to tell. A class that nobody belongs to, but of which facts tell, is one: titanium is a kind
        of metal."""
        kept: NDArray[np.bool_] = self._labels != self._nodes
        if self.profile.coded:  # Wikipedia's articles have names too, and nothing to tell
            kept[:] = False
        for lists in (self._out_lists, self._in_lists, self._class_lists):
            kept |= lists.filled(self._entities)
        for iri in self.schema.relation_ids:
            node = self.node(Iri(iri))
            if node is not None:
                kept[node] = False
        for klass in self.schema.classes:
            node = self.node(Iri(klass.iri))
            if node is not None and (klass.members or not len(self._out_lists.union(np.array([node])))):
                kept[node] = False
        for iri in self.profile.describes:
            if (relation := self.schema.relation_ids.get(iri)) is not None:
                kept[self._out.keys[self._out.starts[relation] : self._out.starts[relation + 1]]] = False
        return np.flatnonzero(kept)

    def texts(self) -> Ids:
        """Every text that some visible relation gives; names stand for their entities."""
        everything = NodeSet(np.arange(self._entities))
        names = {*self.profile.label, *self.profile.names, *self.profile.alias}
        spoken = [
            r.id
            for r in self.schema.relations
            if ValueKind.TEXT in r.kinds and not r.hidden and r.iri not in names
        ]
        found: Ids = np.unique(
            np.concatenate([sets.EMPTY, *(self.objects(r, everything).ids for r in spoken)])
        )
        texts: Ids = found[found >= self._nodes - self.counts["text"]]
        return texts

    def example(self, relation: int) -> tuple[str, str] | None:
        """A fact of this relation in words: what it tells of, and what it tells."""
        first = self._out.starts[relation]
        if first == self._out.starts[relation + 1]:
            return None
        fact = np.array([self._out.keys[first], self._out.values[self._out.offsets[first]]], np.int64)
        terms, labels = self.terms(fact), self.labels(fact)
        subject, object_ = (
            label or (name_from_iri(term.value) if isinstance(term, Iri) else "something")
            for term, label in zip(terms, labels, strict=True)
        )
        return subject, object_

    def datatypes(self) -> dict[str, int]:
        """How many numbers and times have each datatype."""
        return self._terms.datatypes(self.counts["numbers"] + self.counts["times"])

    # Walking ---------------------------------------------------------------------------------

    def objects(self, relation: int, subjects: NodeSet) -> NodeSet:
        return NodeSet(self._out.union(self._out.find(relation, subjects.ids), self._nodes))

    def subjects(self, relation: int, objects: NodeSet) -> NodeSet:
        wanted = self._order.with_equals(objects.ids)
        return NodeSet(self._in.union(self._in.find(relation, wanted), self._nodes))

    def members(self, klass: int) -> NodeSet:
        first, last = self._member_offsets[klass], self._member_offsets[klass + 1]
        nodes = self._members[first:last]
        if not sets.are_dense(nodes):
            return NodeSet(nodes.astype(np.int64))
        return sets.LargeClass(nodes.astype(np.int64), self._large_classes, klass)

    def having(self, step: Step) -> NodeSet:
        rows = self._in if step.inverse else self._out
        first, last = rows.starts[step.relation], rows.starts[step.relation + 1]
        return NodeSet(rows.keys[first:last].astype(np.int64))

    def containing(self, relation: int, text: str) -> NodeSet:
        wanted = text.lower()
        return self._spoken([relation], lambda found: wanted in found)

    def named(self, text: str) -> NodeSet:
        wanted = text.lower()
        spoken = [self.schema.relation_ids.get(iri) for iri in (*self.profile.label, *self.profile.alias)]
        return self._spoken([r for r in spoken if r is not None], lambda found: found == wanted)

    def _spoken(self, relations: Sequence[int], fits: Callable[[str], bool]) -> NodeSet:
        """Subjects with a literal that fits, in lower case, for one of these relations."""
        found = [sets.EMPTY]
        for relation in relations:
            first, last = self._in.starts[relation], self._in.starts[relation + 1]
            first += int(self._in.keys[first:last].searchsorted(self._in.keys.dtype.type(self._entities)))
            texts = self._terms.literals.many(self._in.keys[first:last].astype(np.int64) - self._entities)
            rows = [first + place for place, text in enumerate(texts) if fits(text.lower())]
            found.append(self._in.union(np.array(rows, np.int64), self._nodes))
        return self.nodes(np.concatenate(found))

    def values(self, relation: int, subjects: NodeSet) -> Pairs:
        return Pairs(*self._out.pairs(relation, subjects.ids))

    # What touches a set ----------------------------------------------------------------------

    def out_relations(self, nodes: NodeSet) -> Ids:
        return self._out_lists.union(nodes.ids)

    def in_relations(self, nodes: NodeSet) -> Ids:
        entities, literals = self._split(nodes)
        return sets.merged(self._in_lists.union(entities), self._literal_in_lists.union(literals))

    def classes(self, nodes: NodeSet) -> Ids:
        return self._class_lists.union(nodes.ids)

    def comparable_relations(self, nodes: NodeSet) -> Ids:
        return self._comparable_lists.union(nodes.ids)

    def steps_to_values(self, nodes: NodeSet) -> list[Step]:
        entities, literals = self._split(nodes)
        codes = sets.merged(self._step_lists.union(entities), self._literal_step_lists.union(literals))
        return [self._steps[code] for code in codes.tolist()]

    def _split(self, nodes: NodeSet) -> tuple[Ids, Ids]:
        """The entities, and the literals with all of equal value."""
        ids = self._order.with_equals(nodes.ids)
        place = (
            len(ids) if not len(ids) or ids[-1] < self._entities else int(ids.searchsorted(self._entities))
        )
        return ids[:place], ids[place:]

    # Algebra ---------------------------------------------------------------------------------

    def intersection(self, left: NodeSet, right: NodeSet) -> NodeSet:
        for one, other in ((left, right), (right, left)):
            if isinstance(other, sets.LargeClass) and sets.LARGE <= len(one) <= len(other):
                return NodeSet(other.bits().among(one.ids))
        return NodeSet(sets.intersection(left.ids, right.ids))

    def intersects(self, left: NodeSet, right: NodeSet) -> bool:
        return sets.intersects(left.ids, right.ids)

    def difference(self, left: NodeSet, right: NodeSet) -> NodeSet:
        return NodeSet(sets.difference(left.ids, right.ids))

    def union(self, left: NodeSet, right: NodeSet) -> NodeSet:
        return NodeSet(sets.merged(left.ids, right.ids))

    # Counting --------------------------------------------------------------------------------

    def walks(self, nodes: NodeSet, path: Sequence[Step]) -> Pairs:
        return Pairs(*self._walks.pairs(nodes.ids, path))

    def tally(self, nodes: NodeSet, path: Sequence[Step], within: NodeSet | None = None) -> Tally:
        return self._walks.tally(nodes.ids, path, None if within is None else within.ids)

    def totals(self, nodes: NodeSet, path: Sequence[Step]) -> Totals:
        return self._walks.totals(nodes.ids, path)

    def standings(self, nodes: NodeSet, path: Sequence[Step], largest: bool) -> Standings:
        return self._walks.standings(nodes.ids, path, largest)

    def edges(self, comparison: Comparison, nodes: NodeSet) -> list[Literal]:
        found = (self._terms[node] for node in self._walks.edges(comparison, nodes.ids))
        return [term for term in found if isinstance(term, Literal)]

    # Order -----------------------------------------------------------------------------------

    def compare(self, comparison: Comparison, relation: int, value: Literal) -> NodeSet:
        edge = value_of(value)
        if comparison is Comparison.EQ and isinstance(edge, Number | Window):
            return self.subjects(relation, self.equal(value))
        return self._comparisons.compare(comparison, relation, edge)

    def relations_comparing(self, comparison: Comparison, value: Literal) -> Ids:
        if comparison is Comparison.EQ:
            return self.in_relations(self.equal(value))
        return self._comparisons.relations(comparison, value_of(value))

    def extreme(self, nodes: NodeSet, path: Sequence[Step], largest: bool) -> NodeSet:
        if not path or path[-1].inverse:
            return NodeSet(sets.EMPTY)
        return NodeSet(self._extremes.find(nodes.ids, path, largest))

    def valid_during(self, nodes: NodeSet, start: int, end: int | None, window: Window) -> NodeSet:
        return self._comparisons.valid_during(nodes, start, end, window)

    def __repr__(self) -> str:
        return f"Index({str(self.folder)!r})"

    def close(self) -> None:
        """Let go of all maps and files; what is known without them, as the schema, stays."""
        for name in [name for name in vars(self) if name.startswith("_")]:
            delattr(self, name)

    if not TYPE_CHECKING:  # a type checker would take every name for an attribute

        def __getattr__(self, name: str) -> Any:
            if "_nodes" not in vars(self) and name.startswith("_") and not name.startswith("__"):
                raise ValueError(f"The index {vars(self).get('folder')} is closed.")
            raise AttributeError(f"An index has no {name}.")


def _mask(flags: Iterable[bool]) -> NDArray[np.bool_]:
    return np.fromiter(flags, np.bool_)
