"""Which files are RDF and which are tables, how they are packed, and what old or remote contexts are read
as."""

from __future__ import annotations

import codecs
import csv
import re
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from itertools import islice
from pathlib import Path
from typing import BinaryIO

from pyoxigraph import NamedNode, RdfFormat

from arcaneqa.kb.index.store import INDEX, MANIFEST
from arcaneqa.support.errors import InputError
from arcaneqa.support.files import cache_place

# Which files are RDF and which are tables, by their names; ways of packing; the files of a folder.


FORMATS = {
    ".nt": RdfFormat.N_TRIPLES,
    ".nq": RdfFormat.N_QUADS,
    ".ttl": RdfFormat.TURTLE,
    ".trig": RdfFormat.TRIG,
    ".n3": RdfFormat.N3,
    ".rdf": RdfFormat.RDF_XML,
    ".xml": RdfFormat.RDF_XML,
    ".owl": RdfFormat.RDF_XML,
    ".jsonld": RdfFormat.JSON_LD,
}
PACKED = (".gz", ".bz2", ".zst")
SQLITE = (".sqlite", ".sqlite3", ".db")
SEPARATED = (".csv", ".tsv")
_TEXT = ".txt"
"""Of any text; of a table where its lines say so, as in timetables of buses and trains (GTFS)."""
_COLUMN = re.compile(r"\ufeff?[\w.-]{1,60}")
_LINES_READ = 3
_LONGEST_LINE = 10_000
PARQUET = (".parquet",)
WORKBOOKS = (".xlsx", ".xlsm", ".xlsb", ".xls", ".ods")
JSON_LINES = (".jsonl", ".ndjson")
JSON = (".json", ".geojson", *JSON_LINES)
_PACKED_TABLES = (".gz", ".zst")
_ENDINGS = ", ".join((*FORMATS, *SQLITE, *SEPARATED, *PARQUET, *WORKBOOKS, *JSON))


def format_of(path: Path) -> RdfFormat:
    found = _known(path)
    if found is None:
        raise InputError(
            f"The format of {path} is not known by its name; it should end in {_ENDINGS}, "
            f"and then perhaps {', '.join(PACKED)}."
        )
    return found


def table_format(path: Path) -> str | None:
    """The ending that tells a table's format, or None for a file that is no table."""
    name = path.with_suffix("") if path.suffix.lower() in _PACKED_TABLES else path
    ending = name.suffix.lower()
    if ending in (*SEPARATED, *JSON) or (path == name and ending in (*SQLITE, *PARQUET, *WORKBOOKS)):
        return ending
    return ending if path == name and ending == _TEXT and _is_separated(path) else None


def _is_separated(path: Path) -> bool:
    """Whether a text begins with the names of columns, words without spaces, and has as many cells below."""
    if not path.is_file():
        return False
    with path.open(encoding="utf-8", errors="replace") as file:
        lines = list(islice(iter(lambda: file.readline(_LONGEST_LINE), ""), _LINES_READ))
    for delimiter in ",\t;|":
        header, *rows = csv.reader(lines, delimiter=delimiter) if lines else [[]]
        if len(header) > 1 and all(map(_COLUMN.fullmatch, header)):
            return bool(rows) and all(len(row) == len(header) for row in rows if row)
    return False


def source_files(paths: Iterable[Path]) -> list[Path]:
    """The files as they are given, and in place of a folder every RDF file and table in it, by name."""
    found: list[Path] = []
    for path in paths:
        if not path.is_dir():
            found.append(path)
            continue
        if not (inside := sorted(_sources_in(path))):
            raise InputError(
                f"The folder {path} holds no RDF files and no tables (names that end in {_ENDINGS})."
            )
        found.extend(inside)
    return found


def _made_here(folder: Path) -> Callable[[Path], bool]:
    """What in a folder is no source because it was made of some: files of indexes, all of one whose build did
    not end, and what is kept in our cache."""
    files: set[Path] = set()
    folders: set[Path] = set()
    with suppress(OSError):
        folders.add(cache_place())
    for manifest in folder.rglob(MANIFEST):
        names = INDEX.names(manifest.parent)
        if names == {MANIFEST}:
            folders.add(manifest.parent)
        files.update(manifest.parent / name for name in names or ())
    return lambda path: path in files or not folders.isdisjoint((*path.parents, *path.resolve().parents))


def holds_sources(folder: Path) -> bool:
    return next(_sources_in(folder), None) is not None


def _sources_in(folder: Path) -> Iterator[Path]:
    is_ours = _made_here(folder)
    return (each for each in folder.rglob("*") if each.is_file() and not is_ours(each) and _is_source(each))


def check_file(path: Path) -> None:
    """A pipe would be waited for, perhaps for ever."""
    if not path.is_file():
        reason = "is not a plain file" if path.exists() else "does not exist"
        raise InputError(f"The source {path} {reason}; give RDF files, tables, or folders of them.")


def check_base(base: str | None) -> None:
    try:
        NamedNode(base or "a:a")
    except ValueError as error:
        raise InputError(
            f"--base takes an IRI such as http://example.org/, not “{base}” ({error})."
        ) from None


def _is_source(path: Path) -> bool:
    return _known(path) is not None or table_format(path) is not None


def _known(path: Path) -> RdfFormat | None:
    name = path.with_suffix("") if path.suffix.lower() in PACKED else path
    return FORMATS.get(name.suffix.lower())


# XML as old tools write it, in another encoding than UTF-8 or with entities in single quotes: the
# parser reads neither.


_DECLARED = re.compile(rb"""(<\?xml[^>]{0,100}?encoding\s*=\s*["'])([A-Za-z][\w.-]{0,40})""")
_ENTITY = re.compile(rb"""(<!ENTITY\s+[\w.-]+\s+)'([^'"<>]*)'(?=\s*>)""")
_START = 1 << 14
"""Bytes within which XML declares its encoding and its entities."""


class OldXml:
    """A file of XML as UTF-8, whatever it was written in."""

    def __init__(self, file: BinaryIO, name: str) -> None:
        self._file, self._name = file, name
        self._waiting = b""
        self._decoder: codecs.IncrementalDecoder | None = None
        self._start = _ENTITY.sub(rb'\1"\2"', file.read(_START))
        declared = _DECLARED.match(self._start)
        if declared is not None and _codec(declared[2], name) not in ("utf-8", "ascii"):
            self._decoder = codecs.getincrementaldecoder(declared[2].decode())()
            self._start = declared[1] + b"UTF-8" + self._start[declared.end() :]

    def read(self, size: int = -1) -> bytes:
        """No more than `size` bytes: what takes more as UTF-8 waits."""
        if not self._waiting:
            self._waiting = self._next(size)
        size = len(self._waiting) if size < 0 else size
        piece, self._waiting = self._waiting[:size], self._waiting[size:]
        return piece

    def _next(self, size: int) -> bytes:
        piece = self._start or self._file.read(size)
        self._start = b""
        if self._decoder is None:
            return piece
        try:
            text = self._decoder.decode(piece, final=not piece)
        except UnicodeDecodeError as error:
            raise InputError(f"{self._name} is not in the encoding that it declares: {error}.") from error
        # Half a character alone must not look like the end.
        return text.encode() if text or not piece else self._next(size)


def _codec(encoding: bytes, name: str) -> str:
    try:
        return codecs.lookup(encoding.decode()).name
    except LookupError as error:
        raise InputError(f"{name} declares an encoding that nobody knows: {encoding.decode()}.") from error


# JSON-LD that leaves its context on the web: nothing is fetched, but schema.org's words need no
# list, and most pages and packages speak in them.


_KNOWN = re.compile(
    rb'("@context"\s{0,80}:\s{0,80}(?:\[\s{0,80})?)'
    rb'"https?://(?:(?:www\.)?schema\.org(?:/?|/docs/jsonldcontext\.jsonl?d?)'
    rb'|w3id\.org/ro/crate/[\w.-]{1,20}/context|(?:w3id\.org/codemeta|doi\.org/10\.5063/schema/codemeta)[\w./-]{0,20})"'
)
"""The contexts of schema.org, of packages of research data (RO-Crate) and of software (CodeMeta), whose words
are those of schema.org."""
_LONGEST = 512
"""Bytes of such a context with the key before it."""
_WORDS = rb'\1{"@vocab": "http://schema.org/"}'


class KnownContexts:
    """A file of JSON-LD, with contexts that are known written into it."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self._held, self._waiting = b"", b""

    def read(self, size: int = -1) -> bytes:
        """No more than `size` bytes: what a context takes more waits."""
        while not self._waiting:
            piece = self._file.read(size)
            text = _KNOWN.sub(_WORDS, self._held + piece)
            # A context may go on in the next piece.
            end = len(text) - _LONGEST if piece and size >= 0 else len(text)
            self._waiting, self._held = text[: max(end, 0)], text[max(end, 0) :]
            if not piece:
                break
        size = len(self._waiting) if size < 0 else size
        piece, self._waiting = self._waiting[:size], self._waiting[size:]
        return piece
