"""The arrays of an index, opened at once: what `Index` asks, and lets go of when it is closed."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arcaneqa.errors import IndexFormatError
from arcaneqa.kb.index import sets
from arcaneqa.kb.index.comparisons import Comparisons
from arcaneqa.kb.index.every_step import EveryStep
from arcaneqa.kb.index.extremes import Extremes
from arcaneqa.kb.index.literal_order import Order
from arcaneqa.kb.index.lookup import open_terms
from arcaneqa.kb.index.lower_case import Spoken
from arcaneqa.kb.index.rows import Lists, Rows, Steps
from arcaneqa.kb.index.store import Array, Strings, map_array
from arcaneqa.kb.index.walks import Walks
from arcaneqa.kb.interface import Step
from arcaneqa.kb.names.surfaces import Surfaces
from arcaneqa.kb.schema import Schema, ValueKind


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
        self.ahead = EveryStep(self.out, self.out_lists)
        self.back = EveryStep(self.into, self.literal_in_lists)
        self.comparable_lists = Lists(load, "relations.comparable", compared, None)
        steps = Steps(self.out, self.into, self.comparable_lists, self.nodes)
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
        self.spoken = Spoken(self.into, self.terms.literals, self.entities)
        self.degrees = load("degrees")
        self.order = Order(load, counts)
        self.extremes = Extremes(self.out, self.into, self.order, self.nodes)
        self.walks = Walks(self.out, self.into, self.order, self.nodes)
        self.comparisons = Comparisons(load, self.out, self.into, self.order, self.nodes, shown)


def _mask(flags: Iterable[bool]) -> NDArray[np.bool_]:
    return np.fromiter(flags, np.bool_)
