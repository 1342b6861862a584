"""Which files are RDF and which are tables, by their names; ways of packing; the files of a folder."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterable
from itertools import islice
from pathlib import Path

from pyoxigraph import NamedNode, RdfFormat

from arcaneqa.errors import InputError

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
_PACKED_TABLES = (".gz", ".zst")
_ENDINGS = ", ".join((*FORMATS, *SQLITE, *SEPARATED, *PARQUET))


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
    if ending in SEPARATED or (path == name and ending in (*SQLITE, *PARQUET)):
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
        inside = sorted(each for each in path.rglob("*") if each.is_file() and _is_source(each))
        if not inside:
            raise InputError(
                f"The folder {path} holds no RDF files and no tables (names that end in {_ENDINGS})."
            )
        found.extend(inside)
    return found


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
