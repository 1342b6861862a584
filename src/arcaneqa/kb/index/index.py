"""A knowledge base in a folder of memory-mapped arrays: every question answered exactly, at any size."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cached_property
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from arcaneqa.kb.diagnosis import Diagnosis
from arcaneqa.kb.index import sets
from arcaneqa.kb.index.checks import check_contents
from arcaneqa.kb.index.literal_order import Comparisons, Order
from arcaneqa.kb.index.lookup import LowerCaseTexts, open_terms
from arcaneqa.kb.index.rows import Lists, Rows, ValueSteps
from arcaneqa.kb.index.store import Array, Strings, map_array, open_manifest, read_seal
from arcaneqa.kb.index.walks import Extremes, Walks
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
    ordered,
)
from arcaneqa.kb.names.called import names_of
from arcaneqa.kb.names.glossary import Glossary
from arcaneqa.kb.names.surfaces import Surfaces
from arcaneqa.kb.profile import profile_from_json
from arcaneqa.kb.schema import Schema, ValueKind
from arcaneqa.kb.terms import Iri, Literal, Term
from arcaneqa.kb.values import Number, value_of
from arcaneqa.support import loops
from arcaneqa.support.errors import IndexFormatError
from arcaneqa.support.files import plain_json
from arcaneqa.support.ragged import ranges

if TYPE_CHECKING:
    from arcaneqa.kb.index.steps import EveryStep

# The arrays of an index, opened at once: what `Index` asks, and lets go of when it is closed.


class Arrays:
    """`entities` and `nodes` are where the ids of entities and of all nodes end; literals lie between.

    `names` are there once the index is built.
    """

    names: Surfaces | None = None

    def __init__(self, folder: Path, manifest: dict[str, Any], schema: Schema) -> None:
        def load(name: str) -> Array:
            try:
                return map_array(folder / f"{name}.bin", manifest["arrays"][name])
            except (KeyError, OSError, ValueError):
                raise IndexFormatError(
                    f"The index {folder} is damaged: {name} cannot be read. Build it again."
                ) from None

        counts = manifest["counts"]
        self.entities: int = counts["entities"]
        self.nodes: int = self.entities + sum(
            counts[kind] for kind in ("numbers", "times", "booleans", "text")
        )
        self.terms = open_terms(load, manifest["types"], manifest.get("spellings", {}))
        self.out, self.into = Rows(load, "out"), Rows(load, "in")
        shown = _mask(not relation.hidden for relation in schema.relations)
        reached = shown & _mask(ValueKind.ENTITY in relation.kinds for relation in schema.relations)
        compared = shown & _mask(relation.comparable for relation in schema.relations)
        peopled = _mask(klass.members > 0 and not klass.hidden for klass in schema.classes)
        self.out_lists = Lists(load, "relations.out", shown, self.out)
        self.in_lists = Lists(load, "relations.in", reached, self.into)
        self.literal_in_lists = Lists(load, "relations.in", shown, self.into)
        self.shown = shown
        self.comparable_lists = Lists(load, "relations.comparable", compared, None)
        steps = ValueSteps(self.out, self.into, self.comparable_lists, self.nodes)
        self.step_lists = Lists(load, "steps", np.column_stack((shown, reached)).ravel(), steps)
        self.literal_step_lists = Lists(load, "steps", np.repeat(shown, 2), steps)
        self.class_lists = Lists(load, "classes", peopled, None)
        self.steps = [Step(code >> 1, bool(code & 1)) for code in range(2 * len(shown))]
        self.member_offsets: list[int] = load("members.offsets").tolist()
        self.members = load("members.nodes")
        self.large_classes: dict[int, sets.Bits] = {}
        self.labels = load("labels")
        self.joined_names = Strings(load("joined.heap"), load("joined.offsets"))
        self.alias_offsets, self.aliases = load("aliases.offsets"), load("aliases.values")
        self.spoken = LowerCaseTexts(self.into, self.terms.literals, self.entities)
        self.degrees = load("degrees")
        self.order = Order(load, counts)
        self.extremes = Extremes(self.out, self.into, self.order, self.nodes)
        self.walks = Walks(self.out, self.into, self.order, self.nodes)
        self.comparisons = Comparisons(load, self.out, self.into, self.order, self.nodes, shown)

    # Both are made when first needed: their loops are loaded with them.

    @cached_property
    def ahead(self) -> EveryStep:
        from arcaneqa.kb.index.steps import EveryStep

        return EveryStep(self.out, self.out_lists)

    @cached_property
    def back(self) -> EveryStep:
        from arcaneqa.kb.index.steps import EveryStep

        return EveryStep(self.into, self.literal_in_lists)


_RELATION = 2e-5
"""Seconds that one relation of a set takes when it is asked by itself, about."""
_NEIGHBOURS = 20
"""Relations of a set, about."""


def _at_once(relations: int) -> bool:
    """Whether a compiled loop asks so many relations at once."""
    return loops.are_worth(relations * _RELATION)


def _mask(flags: Iterable[bool]) -> NDArray[np.bool_]:
    return np.fromiter(flags, np.bool_)


# A knowledge base in a folder of memory-mapped arrays: every question answered exactly, at any
# size.


_ATTEMPTS = 5
"""To open a folder that is being replaced at that moment."""


class Index(KnowledgeBase):
    """Opened from its folder without reading it; many threads and processes may share one folder.

    Everything is opened at once, names included, and is of one build: a folder that is replaced meanwhile is
    opened anew, one that is replaced later does not matter to who has opened it. `seal` tells builds apart.
    """

    def __init__(self, folder: str | Path, manifest: dict[str, Any] | None = None) -> None:
        self.folder = Path(folder)
        self._opened: Arrays | None = None
        if manifest is not None:  # still being built: there are no names yet, and nobody replaces it
            self._open(manifest)
            return
        for attempt in range(1, _ATTEMPTS + 1):
            self.seal = read_seal(self.folder)
            try:
                manifest = open_manifest(self.folder, check_contents)
                self.seal = str(manifest["seal"])
                self._open(manifest)
                self.open_names()
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
        self.profile = profile_from_json(manifest["profile"], str(self.folder))
        self.counts: dict[str, int] = manifest["counts"]
        self.sources = manifest.get("sources", ())
        told = manifest.get("diagnosis")  # indexes of the first days have none
        self.diagnosis = None if told is None else Diagnosis.from_json(told)
        self.schema = Schema.from_json(plain_json(self.folder / "schema.json"))
        self._glossary: str | None = manifest.get("glossary")
        self._opened = Arrays(self.folder, manifest, self.schema)

    def open_names(self) -> None:
        """Once the build has written them."""
        self._arrays.names = Surfaces(self.folder)

    @property
    def is_closed(self) -> bool:
        return self._opened is None

    @property
    def _arrays(self) -> Arrays:
        if self._opened is None:
            raise ValueError(f"The index {self.folder} is closed.")
        return self._opened

    # Names -----------------------------------------------------------------------------------

    def node(self, term: Term) -> int | None:
        return self._arrays.terms.find(term)

    def nodes(self, ids: Ids) -> NodeSet:
        return NodeSet(ordered(np.asarray(ids, np.int64)))

    def terms(self, ids: Ids) -> list[Term]:
        return self._arrays.terms.many(ids)

    def labels(self, ids: Ids) -> list[str | None]:
        arrays = self._arrays
        literals = np.array(ids, np.int64)
        named = literals < arrays.entities
        literals[named] = arrays.labels[literals[named]]
        spoken = literals < arrays.nodes
        found = iter(arrays.terms.literals.many(literals[spoken] - arrays.entities))
        labels = [next(found) if has_label else None for has_label in spoken.tolist()]
        for place in np.flatnonzero(literals > arrays.nodes).tolist():
            labels[place] = arrays.joined_names[int(literals[place]) - arrays.nodes - 1]
        # People's names are typed by hand; what is a literal itself stays as it was written.
        return [
            " ".join(label.split()) or None if label and is_entity else label
            for label, is_entity in zip(labels, named.tolist(), strict=True)
        ]

    def surfaces(self) -> Surfaces | None:
        return self._arrays.names

    def glossary(self) -> Glossary | None:
        return None if self._glossary is None else Glossary.of_text(self._glossary, str(self.folder))

    def aliases(self, ids: Ids) -> list[list[str]]:
        arrays = self._arrays
        named = np.minimum(ids, arrays.entities)
        starts = arrays.alias_offsets[named]
        ends = arrays.alias_offsets[np.minimum(named + 1, arrays.entities)]
        lengths = ends - starts
        if not lengths.any():
            return [[] for _ in named]
        literals = arrays.aliases[ranges(starts, lengths)].astype(np.int64)
        found = iter(arrays.terms.literals.many(literals - arrays.entities))
        return [[" ".join(name.split()) for name in islice(found, length)] for length in lengths.tolist()]

    def foreign_names(self, ids: Ids) -> list[list[str]]:
        """For each node its labels and aliases in other languages than the preferred one."""
        terms, own = self._arrays.terms, self.profile.language.lower()
        found: dict[int, list[str]] = {}
        if terms.has_other_languages(own):
            nodes = self.nodes(ids)
            for iri in (*self.profile.label, *self.profile.names, *self.profile.alias):
                if (relation := self.schema.relation_ids.get(iri)) is not None:
                    pairs = self.values(relation, nodes)
                    foreign = terms.are_in_other_languages(pairs.objects, own)
                    names = terms.literals.many(pairs.objects[foreign] - self._arrays.entities)
                    for node, name in zip(pairs.subjects[foreign].tolist(), names, strict=True):
                        found.setdefault(node, []).append(name)
        return [found.get(node, []) for node in np.asarray(ids).tolist()]

    def are_literals(self, ids: Ids) -> NDArray[np.bool_]:
        return np.asarray(ids >= self._arrays.entities)

    def degrees(self, ids: Ids) -> Ids:
        return self._arrays.degrees[ids].astype(np.int64)

    def equal(self, literal: Literal) -> NodeSet:
        value = value_of(literal)
        if value is not None:
            return NodeSet(self._arrays.order.equal(value))
        node = self.node(literal)
        return NodeSet(sets.EMPTY if node is None else np.array([node], np.int64))

    def entities(self) -> Ids:
        """Every node that is neither a literal nor a relation or class of the schema, and of which there is
        something to tell. A class that nobody belongs to, but of which facts tell, is one: titanium is a kind
        of metal."""
        arrays = self._arrays
        kept: NDArray[np.bool_] = arrays.labels != arrays.nodes
        if self.profile.coded:  # Wikipedia's articles have names too, and nothing to tell
            kept[:] = False
        for lists in (arrays.out_lists, arrays.in_lists, arrays.class_lists):
            kept |= lists.filled(arrays.entities)
        for iri in self.schema.relation_ids:
            node = self.node(Iri(iri))
            if node is not None:
                kept[node] = False
        for klass in self.schema.classes:
            node = self.node(Iri(klass.iri))
            if node is not None and (klass.members or not len(arrays.out_lists.union(np.array([node])))):
                kept[node] = False
        for iri in self.profile.describes:
            if (relation := self.schema.relation_ids.get(iri)) is not None:
                kept[arrays.out.keys[arrays.out.starts[relation] : arrays.out.starts[relation + 1]]] = False
        return np.flatnonzero(kept)

    def texts(self) -> Ids:
        """Every text that some visible relation gives; names stand for their entities."""
        arrays = self._arrays
        everything = NodeSet(np.arange(arrays.entities))
        names = {*self.profile.label, *self.profile.names, *self.profile.alias}
        spoken = [
            r.id
            for r in self.schema.relations
            if ValueKind.TEXT in r.kinds and not r.hidden and r.iri not in names
        ]
        found: Ids = ordered(np.concatenate([sets.EMPTY, *(self.objects(r, everything).ids for r in spoken)]))
        texts: Ids = found[found >= arrays.nodes - self.counts["text"]]
        return texts

    def example(self, relation: int) -> tuple[str, str] | None:
        """A fact of this relation in words: what it tells of, and what it tells."""
        arrays = self._arrays
        first = arrays.out.starts[relation]
        if first == arrays.out.starts[relation + 1]:
            return None
        fact = np.array([arrays.out.keys[first], arrays.out.values[arrays.out.offsets[first]]], np.int64)
        subject, object_ = names_of(self, fact, nameless="something")
        return subject, object_

    def datatypes(self) -> dict[str, int]:
        """How many numbers and times have each datatype."""
        return self._arrays.terms.datatypes(self.counts["numbers"] + self.counts["times"])

    # Walking ---------------------------------------------------------------------------------

    def objects(self, relation: int, subjects: NodeSet) -> NodeSet:
        arrays = self._arrays
        return NodeSet(arrays.out.union(arrays.out.find(relation, subjects.ids), arrays.nodes))

    def subjects(self, relation: int, objects: NodeSet) -> NodeSet:
        arrays = self._arrays
        wanted = arrays.order.with_equals(objects.ids)
        return NodeSet(arrays.into.union(arrays.into.find(relation, wanted), arrays.nodes))

    def members(self, klass: int) -> NodeSet:
        arrays = self._arrays
        first, last = arrays.member_offsets[klass], arrays.member_offsets[klass + 1]
        nodes = arrays.members[first:last]
        if not sets.are_dense(nodes):
            return NodeSet(nodes.astype(np.int64))
        return sets.LargeClass(nodes.astype(np.int64), arrays.large_classes, klass)

    def having(self, step: Step) -> NodeSet:
        arrays = self._arrays
        rows = arrays.into if step.inverse else arrays.out
        first, last = rows.starts[step.relation], rows.starts[step.relation + 1]
        return NodeSet(rows.keys[first:last].astype(np.int64))

    def containing(self, relation: int, text: str) -> NodeSet:
        arrays = self._arrays
        return NodeSet(arrays.into.union(arrays.spoken.holding(relation, text.lower()), arrays.nodes))

    def named(self, text: str) -> NodeSet:
        arrays, found = self._arrays, [sets.EMPTY]
        for iri in (*self.profile.label, *self.profile.alias):
            if (relation := self.schema.relation_ids.get(iri)) is not None:
                rows = arrays.spoken.equal(relation, text.lower())
                found.append(arrays.into.union(rows, arrays.nodes))
        return self.nodes(np.concatenate(found))

    def values(self, relation: int, subjects: NodeSet) -> Pairs:
        return Pairs(*self._arrays.out.pairs(relation, subjects.ids))

    def neighbours(self, nodes: NodeSet) -> NodeSet:
        arrays = self._arrays
        if not _at_once(_NEIGHBOURS):
            return super().neighbours(nodes)
        ahead = arrays.ahead.ends(nodes.ids, arrays.shown, arrays.nodes)
        back = arrays.back.ends(arrays.order.with_equals(nodes.ids), arrays.shown, arrays.nodes)
        return NodeSet(sets.merged(ahead, back))

    def relations_into(self, nodes: NodeSet, relations: Ids, target: NodeSet, inverse: bool = False) -> Ids:
        if not _at_once(len(relations)):
            return super().relations_into(nodes, relations, target, inverse)
        arrays = self._arrays
        ids = arrays.order.with_equals(nodes.ids) if inverse else nodes.ids
        # A fact is found from either end: from that of fewer nodes it is quicker.
        if len(ids) <= len(target):
            return (arrays.back if inverse else arrays.ahead).leading(ids, relations, target.ids)
        return (arrays.ahead if inverse else arrays.back).leading(target.ids, relations, ids)

    def relations_telling_apart(self, nodes: NodeSet, relations: Ids, inverse: bool = False) -> Ids:
        arrays = self._arrays
        # Several literals may be of one value.
        if not _at_once(len(relations)) or (inverse and self.are_literals(nodes.ids).any()):
            return super().relations_telling_apart(nodes, relations, inverse)
        return (arrays.back if inverse else arrays.ahead).telling_apart(nodes.ids, relations)

    def relations_to_values(self, nodes: NodeSet, relations: Ids, values: Ids, inverse: bool = False) -> Ids:
        if not _at_once(len(relations)):
            return super().relations_to_values(nodes, relations, values, inverse)
        arrays = self._arrays
        ids = arrays.order.with_equals(nodes.ids) if inverse else nodes.ids
        lists = arrays.comparable_lists.arrays
        return (arrays.back if inverse else arrays.ahead).leading_to(ids, relations, lists, values)

    # What touches a set ----------------------------------------------------------------------

    def out_relations(self, nodes: NodeSet) -> Ids:
        return self._arrays.out_lists.union(nodes.ids)

    def in_relations(self, nodes: NodeSet) -> Ids:
        arrays = self._arrays
        entities, literals = self._split(nodes)
        return sets.merged(arrays.in_lists.union(entities), arrays.literal_in_lists.union(literals))

    def classes(self, nodes: NodeSet) -> Ids:
        return self._arrays.class_lists.union(nodes.ids)

    def comparable_relations(self, nodes: NodeSet) -> Ids:
        return self._arrays.comparable_lists.union(nodes.ids)

    def steps_to_values(self, nodes: NodeSet) -> list[Step]:
        arrays = self._arrays
        entities, literals = self._split(nodes)
        codes = sets.merged(arrays.step_lists.union(entities), arrays.literal_step_lists.union(literals))
        return [arrays.steps[code] for code in codes.tolist()]

    def _split(self, nodes: NodeSet) -> tuple[Ids, Ids]:
        """The entities, and the literals with all of equal value."""
        arrays = self._arrays
        ids = arrays.order.with_equals(nodes.ids)
        place = (
            len(ids) if not len(ids) or ids[-1] < arrays.entities else int(ids.searchsorted(arrays.entities))
        )
        return ids[:place], ids[place:]

    # Algebra ---------------------------------------------------------------------------------

    def intersection(self, left: NodeSet, right: NodeSet) -> NodeSet:
        for one, other in ((left, right), (right, left)):
            if isinstance(other, sets.LargeClass) and len(one) <= len(other) and sets.is_large(len(one)):
                return NodeSet(other.bits().among(one.ids))
        return NodeSet(sets.intersection(left.ids, right.ids))

    def intersects(self, left: NodeSet, right: NodeSet) -> bool:
        return sets.intersects(left.ids, right.ids)

    def difference(self, left: NodeSet, right: NodeSet) -> NodeSet:
        return NodeSet(sets.difference(left.ids, right.ids))

    def includes(self, large: NodeSet, small: NodeSet) -> bool:
        return sets.includes(large.ids, small.ids)

    def union(self, left: NodeSet, right: NodeSet) -> NodeSet:
        return NodeSet(sets.merged(left.ids, right.ids))

    # Counting --------------------------------------------------------------------------------

    def walks(self, nodes: NodeSet, path: Sequence[Step]) -> Pairs:
        return Pairs(*self._arrays.walks.pairs(nodes.ids, path))

    def tally(self, nodes: NodeSet, path: Sequence[Step], within: NodeSet | None = None) -> Tally:
        return self._arrays.walks.tally(nodes.ids, path, None if within is None else within.ids)

    def totals(self, nodes: NodeSet, path: Sequence[Step]) -> Totals:
        return self._arrays.walks.totals(nodes.ids, path)

    def standings(self, nodes: NodeSet, path: Sequence[Step], largest: bool) -> Standings:
        return self._arrays.walks.standings(nodes.ids, path, largest)

    def edges(self, comparison: Comparison, nodes: NodeSet) -> list[Literal]:
        arrays = self._arrays
        found = (arrays.terms[node] for node in arrays.walks.edges(comparison, nodes.ids))
        return [term for term in found if isinstance(term, Literal)]

    # Order -----------------------------------------------------------------------------------

    def compare(self, comparison: Comparison, relation: int, value: Literal) -> NodeSet:
        edge = value_of(value)
        if comparison is Comparison.EQ and isinstance(edge, Number | Window):
            return self.subjects(relation, self.equal(value))
        return self._arrays.comparisons.compare(comparison, relation, edge)

    def relations_comparing(self, comparison: Comparison, value: Literal) -> Ids:
        if comparison is Comparison.EQ:
            return self.in_relations(self.equal(value))
        return self._arrays.comparisons.relations(comparison, value_of(value))

    def extreme(self, nodes: NodeSet, path: Sequence[Step], largest: bool) -> NodeSet:
        if not path or path[-1].inverse:
            return NodeSet(sets.EMPTY)
        return NodeSet(self._arrays.extremes.find(nodes.ids, path, largest))

    def valid_during(self, nodes: NodeSet, start: int, end: int | None, window: Window) -> NodeSet:
        return self._arrays.comparisons.valid_during(nodes, start, end, window)

    def __repr__(self) -> str:
        return f"Index({str(self.folder)!r})"

    def close(self) -> None:
        """Let go of all maps and files; what is known without them, as the schema, stays."""
        self._opened = None
