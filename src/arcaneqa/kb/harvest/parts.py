"""Many names as several small indexes: to build one takes memory by its size, to look into all little."""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack
from itertools import chain, zip_longest
from pathlib import Path
from typing import TypeVar

from arcaneqa.kb.index import Index
from arcaneqa.kb.names.forms import Form
from arcaneqa.kb.names.surfaces import Hit, Surfaces

MOST_FACTS = 50_000
"""Facts in one part: building it then takes little memory beside what the program takes anyway."""

T = TypeVar("T")


def part_of(subject: str, parts: int) -> int:
    """All names of one thing are in one part: what is called how is found out there."""
    return zlib.crc32(subject.encode()) % parts


def deal(pages: Sequence[Path], facts: int, folder: Path) -> list[list[Path]]:
    """The lines of the pages by their subjects, in as many parts as so many facts need."""
    count = -(-facts // MOST_FACTS)
    if count <= 1:
        return [list(pages)]
    folder.mkdir(exist_ok=True)
    paths = [folder / f"part-{number}.nt" for number in range(count)]
    with ExitStack() as stack:
        files = [stack.enter_context(path.open("w", encoding="utf-8")) for path in paths]
        for page in pages:
            with page.open(encoding="utf-8") as lines:
                for line in lines:
                    subject = line.partition(" ")[0].strip("<>")
                    files[part_of(subject, count)].write(line)
    return [[path] for path in paths if path.stat().st_size]


class Part:
    """One index of names: its nodes are not those of another part."""

    def __init__(self, folder: Path) -> None:
        self.index = Index(folder)
        self.surfaces = Surfaces(folder)


def merged_hits(found: Iterable[list[Hit]], limit: int) -> list[Hit]:
    """Hits of one key from all parts, in turn, as each has them in order of fame; whole names first."""
    hits = list(in_turn(found))
    return sorted(hits, key=lambda hit: hit.form >= Form.SHORT)[:limit]


def in_turn(lists: Iterable[Sequence[T]]) -> Iterator[T]:
    """The first of each, then the second of each, and so on."""
    missing = object()
    for row in zip_longest(*lists, fillvalue=missing):
        yield from (each for each in row if each is not missing)  # type: ignore[misc]


def added(counts: Iterable[dict[str, int]]) -> dict[str, int]:
    total: dict[str, int] = {}
    for name, count in chain.from_iterable(each.items() for each in counts):
        total[name] = total.get(name, 0) + count
    return total
