"""The names of a knowledge base on disk: found by key, by the words they hold, and through typing errors.

Keys are sorted arrays, memory-mapped: whole spans of a question are looked up there, all in one go. Words are
in SQLite's FTS5, whose rows are numbered from the best known entity to the least known one: reading in row
order gives the likeliest names first and stops after the few that are wanted, however common a word is.
"""

from __future__ import annotations

import sqlite3
import weakref
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from queue import SimpleQueue
from typing import Any

import numpy as np
from rapidfuzz import process
from rapidfuzz.distance import DamerauLevenshtein

from arcaneqa.kb.names.name_forms import Forgotten, split, stem
from arcaneqa.support.errors import IndexFormatError

FOLDER = "surfaces"
CONNECTIONS = 4
"""Threads that may search for words at a time; SQLite serves one a connection."""
LONGEST_TEXT = 60
"""Characters; a longer text is a description, which no question states."""
MOST_NEIGHBOURS = 2000
"""Words with the same beginning that a misspelt one is compared with."""
SHORTEST_MISSPELT = 5
"""Letters; shorter words have too many neighbours."""
LONG_WORD = 8
"""Letters from which on two mistakes are forgiven, not one."""
ALIAS = 16
"""Added to a form where the name is not the label."""


@dataclass(frozen=True, slots=True)
class Hit:
    node: int
    form: Forgotten
    alias: bool


class Surfaces:
    """The names written by `writing_surfaces.build_surfaces`; safe to share between threads."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder / FOLDER
        try:
            # As plain arrays: each slice of a mapped one would be another Python object that knows its file.
            self._keys, self._nodes, self._forms, self._rows = (
                np.asarray(np.load(self._folder / f"{part}.npy", mmap_mode="r"))
                for part in ("keys", "nodes", "forms", "rows")
            )
        except (OSError, ValueError) as error:
            raise IndexFormatError(
                f"{self._folder}: the names of this index are missing or damaged ({error}); build it again."
            ) from error
        self._words = _Words(self._folder / "words.db")

    def __len__(self) -> int:
        return len(self._rows)

    def check(self, nodes: int) -> None:
        """A ValueError where something is out of range, for a knowledge base of so many nodes."""
        keys, rows = self._keys, self._rows
        named = len(keys) == len(self._nodes) == len(self._forms)
        plain = all(
            each.ndim == 1 and each.dtype.kind in "iu" for each in (keys, self._nodes, self._forms, rows)
        )
        if not (plain and named and keys.dtype == np.uint64 and bool((keys[1:] >= keys[:-1]).all())):
            raise ValueError("surfaces: the keys are out of range")
        for found in (self._nodes, rows):
            if len(found) and not 0 <= int(found.min()) <= int(found.max()) < nodes:
                raise ValueError("surfaces: a node is out of range")
        if not np.isin(self._forms, [form + source for form in Forgotten for source in (0, ALIAS)]).all():
            raise ValueError("surfaces: a form is out of range")
        self._words.check()

    @staticmethod
    def exists(folder: Path) -> bool:
        return (folder / FOLDER / "keys.npy").exists()

    def find(self, keys: Sequence[int], limit: int) -> list[list[Hit]]:
        """For each key its names' entities, the best known first."""
        wanted = np.array(keys, dtype=np.uint64)
        starts = np.searchsorted(self._keys, wanted, side="left").tolist()
        ends = np.searchsorted(self._keys, wanted, side="right").tolist()
        found: list[list[Hit]] = []
        for start, end in zip(starts, ends, strict=True):
            end = min(end, start + limit)
            if start >= end:
                found.append([])
                continue
            nodes, forms = self._nodes[start:end].tolist(), self._forms[start:end].tolist()
            found.append(
                [Hit(n, Forgotten(f % ALIAS), f >= ALIAS) for n, f in zip(nodes, forms, strict=True)]
            )
        return found

    def containing(self, parts: Sequence[Sequence[str]], limit: int) -> list[int]:
        """Entities with a name that holds one word of every part, the best known first."""
        if not all(parts):
            return []
        choices = ("(" + " OR ".join(f'"{word}"' for word in words) + ")" for words in parts)
        return list(dict.fromkeys(self.named_by(" AND ".join(choices), limit)))

    def beginning(self, typed: str, limit: int) -> list[int]:
        """Entities with a name that holds the typed words, the last of them perhaps unfinished."""
        words = split(typed)
        if not words:
            return []
        *whole, last = words
        parts = [f'"{stem(word)}"' for word in whole] + [f'("{stem(last)}" OR "{last}" *)']
        return list(dict.fromkeys(self.named_by(" AND ".join(parts), 2 * limit)))[:limit]

    def named_by(self, query: str, limit: int) -> list[int]:
        """The entities of names that meet a query for words, one for each name, the best known first."""
        rows = self._words.rows(
            "SELECT rowid FROM names WHERE names MATCH ? ORDER BY rowid LIMIT ?", (query, limit)
        )
        if rows and not 0 <= rows[0][0] <= rows[-1][0] < len(self._rows):
            raise IndexFormatError(f"{self._folder} is damaged; build the index again.")
        return [int(self._rows[row]) for (row,) in rows]

    def frequencies(self, stems: Sequence[str]) -> dict[str, int]:
        """How many names hold each word; words of no name are left out."""
        marks = ",".join("?" * len(stems))
        return dict(self._words.rows(f"SELECT text, names FROM word WHERE text IN ({marks})", list(stems)))

    def similar(self, word: str, limit: int) -> list[str]:
        """Words of names one typing error away (two in long words), then words that begin with this one.

        One error leaves the first or the second half of a word as it was, so only words that share a half
        are compared; two letters swapped in the very middle are looked up by themselves.
        """
        if len(word) < SHORTEST_MISSPELT:
            return []
        allowed = _forgiven(word)
        half = len(word) // 2
        shortest, longest = len(word) - allowed, len(word) + allowed
        backwards = self._range("backwards", word[half:][::-1], shortest, longest)
        near = self._range("word", word[:half], shortest, longest)
        near.extend(text[::-1] for text in backwards)
        near.extend(self.frequencies([word[: half - 1] + word[half] + word[half - 1] + word[half + 1 :]]))
        alike = process.extract(
            word, sorted(set(near)), scorer=DamerauLevenshtein.distance, score_cutoff=allowed, limit=None
        )
        longer = self._range("word", word, len(word) + 1, 2 * len(word))
        return likeliest(word, (*(text for text, _, _ in alike), *longer))[:limit]

    def _range(self, table: str, prefix: str, shortest: int, longest: int) -> list[str]:
        rows = self._words.rows(
            f"SELECT text FROM {table} WHERE text >= ? AND text < ? AND length(text) BETWEEN ? AND ? LIMIT ?",
            (prefix, prefix + "\U0010ffff", shortest, longest, MOST_NEIGHBOURS),
        )
        return [text for (text,) in rows]


def likeliest(word: str, spellings: Iterable[str]) -> list[str]:
    """Spellings that a word may stand for: those with the fewest typing errors, then the shortest longer
    words; each once."""

    def place(text: str) -> tuple[bool, int, str]:
        errors = DamerauLevenshtein.distance(word, text)
        return (False, errors, text) if errors <= _forgiven(word) else (True, len(text), text)

    return sorted(set(spellings), key=place)


def _forgiven(word: str) -> int:
    return 1 if len(word) < LONG_WORD else 2


class _Words:
    """The database of words, opened at once so that it stays the one of these names whatever takes its place.

    SQLite wants a connection for each thread that asks at the same time; more threads than these wait.
    """

    def __init__(self, path: Path) -> None:
        address = path.resolve().as_uri() + "?mode=ro&immutable=1"
        self._idle: SimpleQueue[sqlite3.Connection] = SimpleQueue()
        try:
            opened = [sqlite3.connect(address, uri=True, check_same_thread=False) for _ in range(CONNECTIONS)]
        except sqlite3.Error as error:
            raise IndexFormatError(f"{path} cannot be opened ({error}); build the index again.") from error
        for connection in opened:
            weakref.finalize(self, connection.close)
            self._idle.put(connection)
        self._path = path

    def check(self) -> None:
        """A ValueError where it has anything that runs when it is read, or words that are none."""
        kinds = self.rows("SELECT type, coalesce(sql, '') FROM sqlite_schema", ())
        for kind, sql in kinds:
            is_virtual = sql.upper().lstrip().startswith("CREATE VIRTUAL")
            if kind not in ("table", "index") or (is_virtual and "USING fts5(" not in sql):
                raise ValueError("surfaces: words.db holds more than words")
        for column in ("text", "names"):
            kind = "text" if column == "text" else "integer"
            if self.rows(f"SELECT 1 FROM word WHERE typeof({column}) != ? LIMIT 1", (kind,)):
                raise ValueError("surfaces: a word is none")
        if self.rows("SELECT 1 FROM backwards WHERE typeof(text) != 'text' LIMIT 1", ()):
            raise ValueError("surfaces: a word is none")

    def rows(self, query: str, values: Sequence[Any]) -> list[Any]:
        connection = self._idle.get()
        try:
            return connection.execute(query, values).fetchall()
        except sqlite3.DatabaseError as error:
            raise IndexFormatError(f"{self._path} is damaged ({error}); build the index again.") from error
        finally:
            self._idle.put(connection)
