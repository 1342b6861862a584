"""A graph like Freebase, of any size: power-law degrees, classes, values, and sets of known size."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

BASE = "http://kb.example/"
RELATIONS = 2000
VALUED = 60
"""The last relations lead to values: the first half of them to numbers, the others to dates."""
CLASSES = 300
SET_SIZES = {1: 10, 100: 10, 10_000: 3, 300_000: 1}
"""How many sets of each size there are; a set is the subjects of (`set`, its object)."""
_CHUNK = 500_000
_XSD = "http://www.w3.org/2001/XMLSchema#"
_TYPE = "http://www.w3.org/1999/02/22-rdf-syntax-ns#type"


@dataclass(frozen=True)
class Graph:
    """What the file holds, for asking about it."""

    path: Path
    triples: int
    entities: int


def entity(number: int) -> str:
    return f"{BASE}m.{number:x}"


def relation(number: int) -> str:
    return f"{BASE}r.{number}"


def klass(number: int) -> str:
    return f"{BASE}c.{number}"


def set_object(size: int, number: int) -> str:
    return f"{BASE}set.{size}.{number}"


SET_RELATION = f"{BASE}member_of"
OTHER_SET = f"{BASE}set.other"
"""A second set of the largest size, to count neighbours in."""


def write_graph(path: Path, triples: int, seed: int = 7) -> Graph:
    """Write the graph as N-Triples, in no helpful order; the same seed gives the same bytes."""
    graph = Graph(path, triples, triples // 5)
    done = path.with_suffix(".done")
    if done.exists():
        return graph
    generator = np.random.default_rng(seed)
    with path.open("w", encoding="ascii") as file:
        for lines in _lines(graph, generator):
            file.write("\n".join(lines) + "\n")
    done.touch()
    return graph


def _lines(graph: Graph, generator: np.random.Generator) -> Iterator[list[str]]:
    # The sets come last: an index that numbers entities as it meets them would else have them side by side.
    named = [(set_object(size, number), size) for size, count in SET_SIZES.items() for number in range(count)]
    sets = [
        (object_, generator.choice(graph.entities, min(size, graph.entities // 2), replace=False))
        for object_, size in [*named, (OTHER_SET, max(SET_SIZES))]
    ]
    written = sum(len(members) for _, members in sets)
    for first in range(0, graph.entities, _CHUNK):
        numbers = np.arange(first, min(first + _CHUNK, graph.entities))
        classes = _skewed(generator, CLASSES, len(numbers), 3.0)
        yield [
            f"<{BASE}m.{number:x}> <{_TYPE}> <{BASE}c.{chosen}> ."
            for number, chosen in zip(numbers.tolist(), classes.tolist(), strict=True)
        ]
        written += len(numbers)
    while written < graph.triples:
        count = min(_CHUNK, graph.triples - written)
        yield _facts(graph, generator, count)
        written += count
    for object_, members in sets:
        yield [f"<{BASE}m.{member:x}> <{SET_RELATION}> <{object_}> ." for member in members.tolist()]


def _facts(graph: Graph, generator: np.random.Generator, count: int) -> list[str]:
    relations = _skewed(generator, RELATIONS - VALUED, count, 4.0)
    valued = generator.random(count) < 0.11
    relations[valued] = RELATIONS - VALUED + _skewed(generator, VALUED, int(valued.sum()), 2.0)
    # Every subject is as likely as any other for half of the facts; a few are told about at length.
    subjects = np.where(
        generator.random(count) < 0.5,
        generator.integers(graph.entities, size=count),
        _scattered(_skewed(generator, graph.entities, count, 2.5), graph.entities),
    )
    objects = _scattered(_skewed(generator, graph.entities, count, 3.0), graph.entities)
    numbers = np.round(generator.lognormal(6, 3, count), 2)
    days = generator.integers(0, 60_000, size=count)
    dates = (np.datetime64("1850-01-01") + days).astype(str)
    lines = []
    dated = RELATIONS - VALUED // 2
    for subject, one, object_, number, date in zip(
        subjects.tolist(), relations.tolist(), objects.tolist(), numbers.tolist(), dates.tolist(), strict=True
    ):
        if one < RELATIONS - VALUED:
            value = f"<{BASE}m.{object_:x}>"
        elif one < dated:
            value = f'"{number}"^^<{_XSD}double>'
        else:
            value = f'"{date}"^^<{_XSD}date>'
        lines.append(f"<{BASE}m.{subject:x}> <{BASE}r.{one}> {value} .")
    return lines


def _skewed(generator: np.random.Generator, below: int, count: int, power: float) -> NDArray[np.int64]:
    """Numbers below a bound, the small ones by far the most frequent."""
    return (below * generator.random(count) ** power).astype(np.int64)


def _scattered(numbers: NDArray[np.int64], below: int) -> NDArray[np.int64]:
    """The same frequencies with other names, so that the popular are not neighbours."""
    return (numbers * 2_654_435_761 + 12_345) % below
