"""Many names as several small indexes: to build one takes memory by its size, to look into all little."""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path

import numpy as np

from arcaneqa.kb.index import Index
from arcaneqa.kb.names.name_forms import Form
from arcaneqa.kb.names.surfaces import Hit, Surfaces
from arcaneqa.kb.terms import Term

MOST_FACTS = 50_000
"""Facts in one part: building it then takes little memory beside what the program takes anyway."""


def part_of(subject: str, parts: int) -> int:
    """All names of one thing are in one part: what is called how is found out there."""
    return zlib.crc32(subject.encode()) % parts


def deal(pages: Sequence[Path], count: int, folder: Path) -> list[Path]:
    """The lines of the pages by their subjects, in so many files; some of them may stay empty."""
    folder.mkdir(exist_ok=True)
    paths = [folder / f"part-{number}.nt" for number in range(count)]
    with ExitStack() as stack:
        files = [stack.enter_context(path.open("w", encoding="utf-8")) for path in paths]
        for page in pages:
            with page.open(encoding="utf-8") as lines:
                for line in lines:
                    subject = line.partition(" ")[0].strip("<>")
                    files[part_of(subject, count)].write(line)
    return paths


def fame(dealt: Path, iris: Sequence[str]) -> list[int]:
    """How many facts of the server mention each, where that was fetched with its names."""
    known = {}
    with dealt.open(encoding="utf-8") as lines:
        for line in lines:
            name, _, count = line.rpartition(" ")
            known[name[1:-1]] = int(count)
    return [known.get(name, 0) for name in iris]


class Part:
    """One index of names: its nodes are not those of another part."""

    def __init__(self, folder: Path) -> None:
        self.index = Index(folder)
        self.surfaces = Surfaces(folder)

    def hits(self, keys: Sequence[int], limit: int) -> list[list[Ranked]]:
        found = self.surfaces.find(keys, limit)
        nodes = np.array([hit.node for hits in found for hit in hits], np.int64)
        told = zip(
            self.index.are_literals(nodes).tolist(),
            self.index.degrees(nodes).tolist(),
            self.index.terms(nodes),
            strict=True,
        )
        return [[_ranked(hit, *next(told)) for hit in hits] for hits in found]

    def named_by(self, query: str, limit: int) -> list[tuple[int, Term]]:
        """For each name that meets a query for words how well its entity is known, and the entity."""
        nodes = np.array(self.surfaces.named_by(query, limit), np.int64)
        return list(zip(self.index.degrees(nodes).tolist(), self.index.terms(nodes), strict=True))


@dataclass(frozen=True, slots=True, order=True)
class Ranked:
    """A hit of one part and its place among those of all: as an index has them, whole names come first, then
    entities, then what is best known."""

    place: tuple[bool, bool, int]
    term: Term = field(compare=False)
    form: Form = field(compare=False)
    alias: bool = field(compare=False)


def _ranked(hit: Hit, is_literal: bool, known: int, term: Term) -> Ranked:
    return Ranked((hit.form >= Form.SHORT, is_literal, -known), term, hit.form, hit.alias)


def first(hits: Iterable[Ranked], limit: int) -> list[Ranked]:
    """Hits of one key from all parts; a text that several parts hold is one."""
    distinct = {(hit.term, hit.form, hit.alias): hit for hit in hits}
    return sorted(distinct.values())[:limit]


def added(counts: Iterable[dict[str, int]]) -> dict[str, int]:
    total: dict[str, int] = {}
    for name, count in chain.from_iterable(each.items() for each in counts):
        total[name] = total.get(name, 0) + count
    return total
