"""The names of a knowledge base on disk: found by key, by the words they hold, and through typing errors.

Keys are sorted arrays, memory-mapped: whole spans of a question are looked up there, all in one go. Words are
in SQLite's FTS5, whose rows are numbered from the best known entity to the least known one: reading in row
order gives the likeliest names first and stops after the few that are wanted, however common a word is.
"""

from __future__ import annotations

import sqlite3
import weakref
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import chain
from pathlib import Path
from queue import SimpleQueue
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray
from rapidfuzz import process
from rapidfuzz.distance import DamerauLevenshtein

from arcaneqa.errors import IndexFormatError
from arcaneqa.kb.interface import Ids
from arcaneqa.kb.names.forms import (
    Form,
    code_from_iri,
    is_code,
    key,
    keys_of_name,
    keys_of_words,
    loose,
    name_from_iri,
    split,
    stem,
)
from arcaneqa.kb.names.processes import in_processes
from arcaneqa.kb.terms import Iri, Term

FOLDER = "surfaces"
CHUNK = 2_500
"""Entities whose names are worked out at a time; more take memory and no less time."""
CONNECTIONS = 4
"""Threads that may search for words at a time; SQLite serves one a connection."""
FEW_CHUNKS = 40
"""For no more than these, further processes would take memory and save hardly a second."""
LONGEST_NAME = 300
"""Characters of a name that are kept."""
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
    form: Form
    alias: bool


class Named(Protocol):
    """What names are read from; an `Index` is one.

    `entities` leaves out literals, classes and relations; `texts` are literals that a question may state.
    """

    def entities(self) -> Ids: ...

    def texts(self) -> Ids: ...

    def degrees(self, ids: Ids) -> Ids: ...

    def labels(self, ids: Ids) -> list[str | None]: ...

    def aliases(self, ids: Ids) -> list[list[str]]: ...

    def foreign_names(self, ids: Ids) -> list[list[str]]: ...

    def terms(self, ids: Ids) -> list[Term]: ...

    def node(self, term: Term) -> int | None: ...


def build_surfaces(folder: Path, index: Named, nameless: Iterable[str] = ()) -> None:
    """Write `folder/surfaces` from the labels and aliases of every entity, or its IRI's last part, but for
    the `nameless` ones.

    Short texts are found by key as well, as if they were their own names.
    """
    target = folder / FOLDER
    target.mkdir(parents=True)
    keys: list[NDArray[np.uint64]] = []
    nodes: list[Ids] = []
    forms: list[NDArray[np.uint8]] = []
    rows: list[Ids] = []
    database = sqlite3.connect(target / "words.db", isolation_level=None)
    try:
        database.executescript(
            "PRAGMA journal_mode=OFF; PRAGMA synchronous=OFF; PRAGMA page_size=8192;"
            "CREATE VIRTUAL TABLE names USING fts5(name, content='', detail=none, "
            "tokenize=\"ascii tokenchars '+#'\"); BEGIN"
        )
        written = 0
        left_out = [node for name in nameless if (node := index.node(Iri(name))) is not None]
        entities = index.entities()
        if left_out:
            entities = np.setdiff1d(entities, left_out, assume_unique=True)
        chunks = list(_chunks(_best_known_first(index, entities)))
        work = partial(_Names.of, index)
        for listed in in_processes(work, chunks) if len(chunks) > FEW_CHUNKS else map(work, chunks):
            keys.append(listed.keys)
            nodes.append(listed.nodes)
            forms.append(listed.forms)
            rows.append(listed.rows)
            database.executemany(
                "INSERT INTO names(rowid, name) VALUES (?, ?)", enumerate(listed.texts, written)
            )
            written += len(listed.texts)
        for chunk in _chunks(_best_known_first(index, index.texts())):
            texts = _Names()
            texts.add_texts(index, chunk)
            listed = texts.listed()
            keys.append(listed.keys)
            nodes.append(listed.nodes)
            forms.append(listed.forms)
        database.executescript(
            "INSERT INTO names(names) VALUES ('optimize');"
            "CREATE VIRTUAL TABLE vocabulary USING fts5vocab(names, row);"
            "CREATE TABLE word(text TEXT PRIMARY KEY, names INTEGER) WITHOUT ROWID;"
            "INSERT INTO word SELECT term, doc FROM vocabulary;"
            "DROP TABLE vocabulary;"
            "CREATE TABLE backwards(text TEXT PRIMARY KEY) WITHOUT ROWID"
        )
        _write_backwards(database)
    finally:
        database.close()
    _write_keys(target, _joined(keys, np.uint64), _joined(nodes, np.int64), _joined(forms, np.uint8))
    np.save(target / "rows.npy", _narrow(_joined(rows, np.int64)))


def _joined(parts: Sequence[NDArray[Any]], dtype: type[np.generic]) -> NDArray[Any]:
    return np.concatenate([np.empty(0, dtype), *parts])


def _best_known_first(index: Named, entities: Ids) -> Ids:
    degrees = np.concatenate([index.degrees(chunk) for chunk in _chunks(entities)] or [entities])
    return entities[np.argsort(-degrees, kind="stable")]


def _chunks(ids: Ids) -> Iterator[Ids]:
    for start in range(0, len(ids), CHUNK):
        yield ids[start : start + CHUNK]


@dataclass(frozen=True, slots=True)
class _Listed:
    """Names of some entities as they go to disk: small enough to be handed from process to process."""

    keys: NDArray[np.uint64]
    nodes: Ids
    forms: NDArray[np.uint8]
    rows: Ids
    texts: list[str]


class _Names:
    """Names of some entities as they are found."""

    def __init__(self) -> None:
        self.keys: list[int] = []
        self.nodes: list[int] = []
        self.forms: list[int] = []
        self.rows: list[int] = []
        self.texts: list[str] = []

    @classmethod
    def of(cls, index: Named, entities: Ids) -> _Listed:
        names = cls()
        names.add(index, entities)
        return names.listed()

    def listed(self) -> _Listed:
        return _Listed(
            np.array(self.keys, np.uint64),
            np.array(self.nodes, np.int64),
            np.array(self.forms, np.uint8),
            np.array(self.rows, np.int64),
            self.texts,
        )

    def add(self, index: Named, ids: Ids) -> None:
        columns = (index.terms(ids), index.labels(ids), index.aliases(ids), index.foreign_names(ids))
        for node, term, label, aliases, foreign in zip(ids.tolist(), *columns, strict=True):
            seen: set[int] = set()
            if label:
                self._add(node, label[:LONGEST_NAME], 0, seen)
            for name in chain(aliases, foreign):
                self._add(node, name[:LONGEST_NAME], ALIAS, seen)
            if not isinstance(term, Iri):
                continue
            if len(term.value) > LONGEST_NAME or (code := code_from_iri(term.value)) is None:
                self._add_iri(node, name_from_iri(term.value)[:LONGEST_NAME], seen)
            elif not seen:
                self._add_key(node, key([code]), 0)

    def add_texts(self, index: Named, ids: Ids) -> None:
        for node, text in zip(ids.tolist(), index.labels(ids), strict=True):
            if text and len(text) <= LONGEST_TEXT:
                for value, form in keys_of_name(text):
                    if form in (Form.PLAIN, Form.LOOSE):
                        self._add_key(node, value, form)

    def _add_key(self, node: int, value: int, form: int) -> None:
        self.keys.append(value)
        self.nodes.append(node)
        self.forms.append(form)

    def _add_iri(self, node: int, name: str, seen: set[int]) -> None:
        """Where there is no other name, an IRI's words are the name; else one may still be called by them."""
        parts = split(name)
        is_name = not is_code(parts)
        if is_name and not seen:
            self._add(node, name, 0, seen)
        elif (is_name or not seen) and not all(map(str.isdigit, parts)) and (whole := key(parts)) not in seen:
            self._add_key(node, whole, ALIAS if seen else 0)

    def _add(self, node: int, name: str, source: int, seen: set[int]) -> None:
        parts = split(name) or ([name.strip()] if name.strip() else [])
        if not parts:
            return
        before = len(seen)
        for value, form in keys_of_words(name, parts, loose(parts)):
            if value not in seen:
                seen.add(value)
                self._add_key(node, value, form + source)
        if len(seen) > before:
            self.texts.append(" ".join(map(stem, parts)))
            self.rows.append(node)


def _write_backwards(database: sqlite3.Connection) -> None:
    """Words spelt backwards, sorted: an error in the first half of a word leaves its second half."""
    database.create_function("backwards", 1, lambda text: text[::-1], deterministic=True)
    database.execute(
        "INSERT INTO backwards SELECT backwards(text) FROM word WHERE length(text) > 3 ORDER BY 1"
    )


def _write_keys(target: Path, keys: NDArray[np.uint64], nodes: Ids, forms: NDArray[np.uint8]) -> None:
    # Whole names come before parts of names; otherwise the best known entity stays in front.
    order = np.lexsort((forms % ALIAS >= Form.SHORT, keys))
    np.save(target / "keys.npy", keys[order])
    np.save(target / "nodes.npy", _narrow(nodes[order]))
    np.save(target / "forms.npy", forms[order])


def _narrow(ids: Ids) -> NDArray[np.signedinteger]:
    return ids.astype(np.int32) if len(ids) == 0 or int(ids.max()) < 2**31 else ids


class Surfaces:
    """The names written by `build_surfaces`; safe to share between threads."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder / FOLDER
        try:
            self._keys = np.load(self._folder / "keys.npy", mmap_mode="r")
            self._nodes = np.load(self._folder / "nodes.npy", mmap_mode="r")
            self._forms = np.load(self._folder / "forms.npy", mmap_mode="r")
            self._rows = np.load(self._folder / "rows.npy", mmap_mode="r")
        except (OSError, ValueError) as error:
            raise IndexFormatError(
                f"{self._folder}: the names of this index are missing or damaged ({error}); build it again."
            ) from error
        self._words = _Words(self._folder / "words.db")

    def __len__(self) -> int:
        return len(self._rows)

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
            found.append([Hit(n, Form(f % ALIAS), f >= ALIAS) for n, f in zip(nodes, forms, strict=True)])
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

    def rows(self, query: str, values: Sequence[Any]) -> list[Any]:
        connection = self._idle.get()
        try:
            return connection.execute(query, values).fetchall()
        finally:
            self._idle.put(connection)
