"""A knowledge base in a folder of memory-mapped arrays: every question answered exactly, at any size."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arcaneqa.errors import IndexFormatError
from arcaneqa.kb import sets
from arcaneqa.kb.interface import Comparison, Ids, KnowledgeBase, NodeSet, Pairs, Step, Window
from arcaneqa.kb.lookup import Terms
from arcaneqa.kb.order import Order
from arcaneqa.kb.profile import profile_from_json
from arcaneqa.kb.schema import Class, Relation, Schema, ValueKind
from arcaneqa.kb.store import Array, map_array, read_manifest
from arcaneqa.kb.strings import Strings
from arcaneqa.kb.terms import Iri, Literal, Term
from arcaneqa.kb.values import Number, value_of


class _Rows:
    """All facts one way: for each relation its keys in order, and for each key its values in order."""

    def __init__(self, load: Callable[[str], Array], way: str) -> None:
        self.starts: list[int] = load(f"{way}.starts").tolist()
        self.keys, self.offsets, self.values = (
            load(f"{way}.{part}") for part in ("keys", "offsets", "values")
        )

    def find(self, relation: int, nodes: Ids) -> Ids:
        """Rows of those nodes that have this relation."""
        first, last = self.starts[relation], self.starts[relation + 1]
        return sets.find(self.keys[first:last], nodes) + first

    def union(self, rows: Ids, universe: int) -> Ids:
        """The distinct values of these rows."""
        if len(rows) == 1:
            row = int(rows[0])
            return self.values[self.offsets[row] : self.offsets[row + 1]].astype(np.int64)
        if len(rows) < sets.LARGE:
            return sets.distinct(self.values[self._places(rows)], universe)
        from arcaneqa.kb import kernels

        words = np.zeros((universe >> 6) + 1, np.uint64)
        return kernels.set_bits(words, kernels.mark_values(rows, self.offsets, self.values, words))

    def pairs(self, rows: Ids) -> tuple[Ids, Ids]:
        if len(rows) < sets.LARGE:
            lengths = self._lengths(rows)
            keys = np.repeat(self.keys[rows], lengths).astype(np.int64)
            return keys, self.values[self._places(rows)].astype(np.int64)
        from arcaneqa.kb import kernels

        return kernels.gather(rows, self.offsets, self.values, self.keys)

    def _lengths(self, rows: Ids) -> Ids:
        return self.offsets[rows + 1].astype(np.int64) - self.offsets[rows].astype(np.int64)

    def _places(self, rows: Ids) -> Ids:
        return sets.spread(self.offsets[rows].astype(np.int64), self._lengths(rows))


class _Lists:
    """A short list of codes for each node."""

    def __init__(self, load: Callable[[str], Array], name: str, codes: int) -> None:
        self._offsets, self._codes = load(f"{name}.offsets"), load(f"{name}.codes")
        self._count = codes

    def union(self, nodes: Ids) -> Ids:
        """The distinct codes of these nodes; nodes beyond the lists have none."""
        if len(nodes) and nodes[-1] >= len(self._offsets) - 1:
            nodes = nodes[: nodes.searchsorted(len(self._offsets) - 1)]
        if len(nodes) == 1:
            node = int(nodes[0])
            return self._codes[self._offsets[node] : self._offsets[node + 1]].astype(np.int64)
        seen = np.zeros(self._count, bool)
        if len(nodes) < sets.LARGE:
            starts = self._offsets[nodes].astype(np.int64)
            lengths = self._offsets[nodes + 1].astype(np.int64) - starts
            seen[self._codes[sets.spread(starts, lengths)]] = True
        else:
            from arcaneqa.kb import kernels

            kernels.mark_codes(nodes, self._offsets, self._codes, seen)
        return np.flatnonzero(seen)


class Index(KnowledgeBase):
    """Opened from its folder without reading it; many threads and processes may share one folder."""

    def __init__(self, folder: str | Path, manifest: dict[str, Any] | None = None) -> None:
        self.folder = Path(folder)
        manifest = read_manifest(self.folder) if manifest is None else manifest

        def load(name: str) -> Array:
            try:
                return map_array(self.folder / f"{name}.bin", manifest["arrays"][name])
            except (KeyError, OSError, ValueError):
                raise IndexFormatError(
                    f"The index {self.folder} is damaged: {name} cannot be read. Build it again."
                ) from None

        self.profile = profile_from_json(manifest["profile"], str(self.folder))
        self.counts: dict[str, int] = manifest["counts"]
        self.schema = _read_schema(self.folder)
        relations, classes = len(self.schema.relations), len(self.schema.classes)
        self._entities = self.counts["entities"]
        self._terms = open_terms(load, manifest["types"])
        self._nodes = self._entities + sum(
            self.counts[kind] for kind in ("numbers", "times", "booleans", "text")
        )
        self._out, self._in = _Rows(load, "out"), _Rows(load, "in")
        self._out_lists = _Lists(load, "relations.out", relations)
        self._in_lists = _Lists(load, "relations.in", relations)
        self._comparable_lists = _Lists(load, "relations.comparable", relations)
        self._step_lists = _Lists(load, "steps", 2 * relations)
        self._class_lists = _Lists(load, "classes", classes)
        self._member_offsets: list[int] = load("members.offsets").tolist()
        self._members = load("members.nodes")
        self._labels = load("labels")
        self._alias_offsets, self._aliases = load("aliases.offsets"), load("aliases.values")
        self._degrees = load("degrees")
        self._order = Order(load, self.counts)
        self._visible = np.array([not relation.hidden for relation in self.schema.relations], bool)
        self._spans = load("relation.spans").reshape(-1, 3)
        self._least, self._greatest = load("relation.numbers").reshape(-1, 2).T
        self._latest_start, self._earliest_end = load("relation.times").reshape(-1, 2).T

    # Names -----------------------------------------------------------------------------------

    def node(self, term: Term) -> int | None:
        return self._terms.find(term)

    def nodes(self, ids: Ids) -> NodeSet:
        return NodeSet(np.unique(np.asarray(ids, np.int64)))

    def terms(self, ids: Ids) -> list[Term]:
        return [self._terms[node] for node in ids.tolist()]

    def labels(self, ids: Ids) -> list[str | None]:
        found: list[str | None] = []
        for node in ids.tolist():
            literal = node if node >= self._entities else int(self._labels[node])
            found.append(None if literal == self._nodes else self._terms.literals[literal - self._entities])
        return found

    def aliases(self, ids: Ids) -> list[list[str]]:
        return [
            []
            if node >= self._entities
            else [
                self._terms.literals[literal - self._entities]
                for literal in self._aliases[
                    self._alias_offsets[node] : self._alias_offsets[node + 1]
                ].tolist()
            ]
            for node in ids.tolist()
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
        """Every node that is neither a literal nor a relation or class of the schema."""
        kept = np.ones(self._entities, bool)
        for iri in (*self.schema.relation_ids, *self.schema.class_ids):
            node = self.node(Iri(iri))
            if node is not None:
                kept[node] = False
        return np.flatnonzero(kept)

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
        return NodeSet(self._members[first:last].astype(np.int64))

    def values(self, relation: int, subjects: NodeSet) -> Pairs:
        return Pairs(*self._out.pairs(self._out.find(relation, subjects.ids)))

    # What touches a set ----------------------------------------------------------------------

    def out_relations(self, nodes: NodeSet) -> Ids:
        return self._out_lists.union(nodes.ids)

    def in_relations(self, nodes: NodeSet) -> Ids:
        return self._in_lists.union(self._order.with_equals(nodes.ids))

    def classes(self, nodes: NodeSet) -> Ids:
        return self._class_lists.union(nodes.ids)

    def comparable_relations(self, nodes: NodeSet) -> Ids:
        return self._comparable_lists.union(nodes.ids)

    def steps_to_values(self, nodes: NodeSet) -> list[Step]:
        codes = self._step_lists.union(self._order.with_equals(nodes.ids)).tolist()
        return [Step(code >> 1, bool(code & 1)) for code in codes]

    # Algebra ---------------------------------------------------------------------------------

    def intersection(self, left: NodeSet, right: NodeSet) -> NodeSet:
        return NodeSet(sets.intersection(left.ids, right.ids))

    def intersects(self, left: NodeSet, right: NodeSet) -> bool:
        return sets.intersects(left.ids, right.ids)

    def difference(self, left: NodeSet, right: NodeSet) -> NodeSet:
        return NodeSet(sets.difference(left.ids, right.ids))

    # Order -----------------------------------------------------------------------------------

    def compare(self, comparison: Comparison, relation: int, value: Literal) -> NodeSet:
        edge = value_of(value)
        if not isinstance(edge, (Number, Window)):
            return NodeSet(sets.EMPTY)
        base = self._in.starts[relation]
        numbers, times, others = self._spans[relation].tolist()
        first, last = (numbers, times) if isinstance(edge, Number) else (times, others)
        matching = self._order.matching(comparison, edge, self._in.keys[base + first : base + last])
        rows = np.flatnonzero(matching) + (base + first)
        if not len(rows):
            return NodeSet(sets.EMPTY)
        low, high = int(rows[0]), int(rows[-1]) + 1
        if high - low == len(rows):  # neighbouring rows, as a rule: their values lie end to end
            found = self._in.values[self._in.offsets[low] : self._in.offsets[high]]
            return NodeSet(sets.distinct(found, self._nodes))
        return NodeSet(self._in.union(rows, self._nodes))

    def relations_comparing(self, comparison: Comparison, value: Literal) -> Ids:
        edge = value_of(value)
        if isinstance(edge, Window):
            match comparison:
                case Comparison.LT:
                    mask = self._earliest_end <= edge.start
                case Comparison.LE:
                    mask = self._earliest_end <= edge.end
                case Comparison.GT:
                    mask = self._latest_start >= edge.end
                case Comparison.GE:
                    mask = self._latest_start >= edge.start
        elif isinstance(edge, Number):
            below, through = self._order.around(edge)
            match comparison:
                case Comparison.LT:
                    mask = (self._least >= 0) & (self._least < below)
                case Comparison.LE:
                    mask = (self._least >= 0) & (self._least < through)
                case Comparison.GT:
                    mask = self._greatest >= through
                case Comparison.GE:
                    mask = self._greatest >= below
        else:
            return sets.EMPTY
        return np.flatnonzero(mask & self._visible)

    def extreme(self, nodes: NodeSet, path: Sequence[Step], largest: bool) -> NodeSet:
        if not path or path[-1].inverse:
            return NodeSet(sets.EMPTY)
        reached = [nodes]
        for step in path:
            reached.append(self.walk(step, reached[-1]))
        best = NodeSet(self._order.best(reached.pop().ids, largest))
        for step, before in zip(reversed(path), reversed(reached), strict=True):
            best = self.intersection(self.walk(Step(step.relation, not step.inverse), best), before)
        return best

    def valid_during(self, nodes: NodeSet, start: int, end: int | None, window: Window) -> NodeSet:
        starting, times = self._times(start, nodes)
        fits = self._order.starts[times] < window.end
        if end is None:
            return _without_failing(nodes, starting, fits & (self._order.ends[times] > window.start))
        begun = _without_failing(nodes, starting, fits)
        ending, times = self._times(end, begun)
        return _without_failing(begun, ending, self._order.ends[times] > window.start)

    def _times(self, relation: int, nodes: NodeSet) -> tuple[Ids, Ids]:
        """Members with the times this relation gives them, counted from the first time."""
        pairs = self.values(relation, nodes)
        timed = (pairs.objects >= self._order.times) & (pairs.objects < self._order.booleans)
        return pairs.subjects[timed], pairs.objects[timed] - self._order.times

    def close(self) -> None:
        """Nothing to do: the maps go with the last array that looks into them."""


def open_terms(load: Callable[[str], Array], types: list[str]) -> Terms:
    return Terms(
        Strings(load("entity.heap"), load("entity.offsets")),
        Strings(load("literal.heap"), load("literal.offsets")),
        load("literal.types"),
        types,
        [load("lookup.digests"), load("lookup.nodes")],
    )


def _without_failing(nodes: NodeSet, dated: Ids, fits: NDArray[np.bool_]) -> NodeSet:
    """Without the members that have dates of which none fits."""
    failing = sets.difference(np.unique(dated), np.unique(dated[fits]))
    return NodeSet(sets.difference(nodes.ids, failing))


def _read_schema(folder: Path) -> Schema:
    data = json.loads((folder / "schema.json").read_text(encoding="utf-8"))
    relations = [
        Relation(number, iri, label, facts, objects, frozenset(map(ValueKind, kinds)), *rest)
        for number, (iri, label, facts, objects, kinds, *rest) in enumerate(data["relations"])
    ]
    classes = [Class(number, *row) for number, row in enumerate(data["classes"])]
    return Schema(relations, classes, dict(data["time_pairs"]))
