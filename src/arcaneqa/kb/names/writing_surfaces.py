"""Write the names of a knowledge base to disk, with several processes, as `surfaces` reads them."""

from __future__ import annotations

import contextlib
import gc
import multiprocessing
import os
import signal
import sqlite3
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import chain
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from arcaneqa.kb.interface import Ids
from arcaneqa.kb.names.name_forms import (
    Forgotten,
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
from arcaneqa.kb.names.surfaces import ALIAS, FOLDER, LONGEST_TEXT
from arcaneqa.kb.terms import Iri, Term
from arcaneqa.support.errors import InputError

# Work on many pieces dealt out to several processes, which see all that this one sees.


P = TypeVar("P")
R = TypeVar("R")
MOST = 4
"""Processes at most; more would each take memory."""


def in_processes(work: Callable[[P], R], pieces: Sequence[P]) -> Iterator[R]:
    """What work makes of each piece, in order.

    A helper that nobody listens to any more ends, so that none is left behind however this ends.
    """
    count = min(len(pieces), os.cpu_count() or 1, MOST)
    if count < 2 or "fork" not in multiprocessing.get_all_start_methods():
        yield from map(work, pieces)
        return
    fork = multiprocessing.get_context("fork")
    lines: list[Connection] = []
    helpers: list[multiprocessing.process.BaseProcess] = []
    try:
        for first in range(count):
            here, there = fork.Pipe(duplex=False)
            # A later helper would keep an earlier one's line open, and its own.
            helpers.append(
                fork.Process(target=_help, args=(work, pieces[first::count], there, [*lines, here]))
            )
            with _interrupts_held():
                helpers[-1].start()
            there.close()
            lines.append(here)
        for number in range(len(pieces)):
            try:
                yield lines[number % count].recv()
            except EOFError:
                raise InputError("A process that was listing names ended; is there enough memory?") from None
    finally:
        for line in lines:
            line.close()
        for helper in helpers:
            helper.terminate()
            helper.join()


@contextlib.contextmanager
def _interrupts_held() -> Iterator[None]:
    """Until a helper that is being made has said that it does not want them."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _help(work: Callable[[P], R], pieces: Sequence[P], line: Connection, others: list[Connection]) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the build, which then stops listening
    gc.disable()  # names hold no cycles; to look for some takes a tenth of the time
    for other in others:
        other.close()
    with contextlib.suppress(BrokenPipeError):
        for piece in pieces:
            line.send(work(piece))


# Writes the names of a knowledge base to disk, as `surfaces` reads them.


CHUNK = 2_500
"""Entities whose names are worked out at a time; more take memory and no less time."""
FEW_CHUNKS = 40
"""For no more than these, further processes would take memory and save hardly a second."""
LONGEST_NAME = 300
"""Characters of a name that are kept."""


class NameSource(Protocol):
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


def build_surfaces(folder: Path, index: NameSource, nameless: Iterable[str] = ()) -> None:
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


def _best_known_first(index: NameSource, entities: Ids) -> Ids:
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
    def of(cls, index: NameSource, entities: Ids) -> _Listed:
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

    def add(self, index: NameSource, ids: Ids) -> None:
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

    def add_texts(self, index: NameSource, ids: Ids) -> None:
        for node, text in zip(ids.tolist(), index.labels(ids), strict=True):
            if text and len(text) <= LONGEST_TEXT:
                for value, form in keys_of_name(text):
                    # "Gentoo penguin (Pygoscelis papua)" is stated by its first words.
                    if form in (Forgotten.PLAIN, Forgotten.LOOSE) or (
                        form is Forgotten.SHORT and "(" in text
                    ):
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
    order = np.lexsort((forms % ALIAS >= Forgotten.SHORT, keys))
    np.save(target / "keys.npy", keys[order])
    np.save(target / "nodes.npy", _narrow(nodes[order]))
    np.save(target / "forms.npy", forms[order])


def _narrow(ids: Ids) -> NDArray[np.signedinteger]:
    return ids.astype(np.int32) if len(ids) == 0 or int(ids.max()) < 2**31 else ids
