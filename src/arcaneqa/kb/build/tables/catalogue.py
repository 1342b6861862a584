"""What tables the sources hold: each is loaded into one temporary DuckDB file, every cell as text."""

from __future__ import annotations

import codecs
import csv
import glob
import gzip
import re
import sqlite3
import zlib
from collections.abc import Iterator, Sequence
from contextlib import closing
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, TextIO, cast

import zstandard

from arcaneqa.kb.build.formats import JSON, PACKED, PARQUET, SQLITE, WORKBOOKS, table_format
from arcaneqa.kb.build.tables.limits import Limits, Row
from arcaneqa.kb.build.tables.loaded import (
    MOST_COLUMNS,
    Declared,
    Loaded,
    insert,
    numbered,
    stem,
    too_many,
    unique,
)
from arcaneqa.kb.build.tables.records import load_records
from arcaneqa.kb.build.tables.server import Server, load_server
from arcaneqa.kb.build.tables.workbook import load_workbook
from arcaneqa.support.errors import InputError

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection


# In which letters a file of cells is written: UTF-8, UTF-16 where its mark stands first, as
# spreadsheets save it, or those of Windows, where no byte beyond ASCII makes sense as UTF-8.


UTF8 = "utf-8-sig"
WINDOWS = "cp1252"
_UTF16 = "utf-16"
_BLOCK = 1 << 20
_MARKS = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)


def marked(path: Path) -> str:
    """By the first bytes alone: UTF-16 with its mark, else UTF-8."""
    with _bytes(path) as file:
        return _UTF16 if file.read(2) in _MARKS else UTF8


def is_windows(path: Path) -> bool:
    """Whether a file that is no UTF-8 has nothing in it that is. One that has both is damaged, and its
    letters cannot be told."""
    decoder = codecs.getincrementaldecoder("utf-8")("surrogateescape")
    with _bytes(path) as file:
        while block := file.read(_BLOCK):
            if any("\x7f" < letter < "\ud800" or letter > "\udfff" for letter in decoder.decode(block)):
                return False
    return True


def text_of(path: Path, encoding: str) -> TextIO:
    """What cannot be read passes as the sign for it: who reads it names the line."""
    kind = path.suffix.lower()
    if kind == ".gz":
        return cast(TextIO, gzip.open(path, "rt", encoding=encoding, errors="replace", newline=""))
    if kind == ".zst":
        return cast(TextIO, zstandard.open(path, "rt", encoding=encoding, errors="replace", newline=""))
    return path.open(encoding=encoding, errors="replace", newline="")


def _bytes(path: Path) -> BinaryIO:
    kind = path.suffix.lower()
    if kind == ".gz":
        return cast(BinaryIO, gzip.open(path, "rb"))
    return cast(BinaryIO, zstandard.open(path, "rb")) if kind == ".zst" else path.open("rb")


# What tables the sources hold: each is loaded into one temporary DuckDB file, every cell as text.


_DELIMITERS = ",;\t|"
_LONGEST_CELL = 1 << 27
"""Bytes that SQLite may make for one cell: a file can have it compute gigabytes."""
_LONGEST_ROW = 1 << 24
"""Bytes; a longer row is more likely an unclosed quote than a row."""
_HEADER_LINES = 20
_LINE = re.compile(r"Line: (\d+)")


def load(
    paths: Sequence[Path],
    connection: DuckDBPyConnection,
    servers: Sequence[Server] = (),
    most_rows: int | None = None,
) -> list[Loaded]:
    """Every table of every file and server; two of one name could not be told apart and are refused."""
    tables: list[Loaded] = []
    for server in servers:
        tables += load_server(server, connection, len(tables))
    for path in paths:
        kind, limits = table_format(path), Limits.of(path, most_rows)
        if kind in WORKBOOKS:
            loaded = load_workbook(path, connection, len(tables))
        elif kind in JSON:
            loaded = load_records(path, connection, len(tables))
        elif kind in SQLITE:
            loaded = _load_sqlite(limits, connection, len(tables))
        elif kind in PARQUET:
            loaded = [_load_parquet(limits, connection, f"t{len(tables)}")]
        else:
            loaded = [_load_separated(limits, connection, f"t{len(tables)}")]
        if not any(connection.execute(f"SELECT 1 FROM {each.place} LIMIT 1").fetchone() for each in loaded):
            raise InputError(f"There is nothing to index in {path}: it names columns, but has no rows.")
        tables += loaded
    seen: dict[str, Loaded] = {}
    for table in tables:
        other = seen.setdefault(table.name.lower().replace(" ", "_"), table)
        if other is not table:
            raise InputError(
                f"{other.source} and {table.source} both hold a table “{table.name}”; rename one of them."
            )
    return tables


def _load_separated(limits: Limits, connection: DuckDBPyConnection, place: str) -> Loaded:
    path = limits.path
    columns, delimiter, encoding = _header(path)
    cells = ", ".join(f"'c{number}': 'VARCHAR'" for number in range(len(columns)))
    reading = (
        "read_csv(?, delim=?, quote='\"', escape='\"', auto_detect=false, header=true, strict_mode=true, "
        f"hive_partitioning=false, null_padding=false, max_line_size={_LONGEST_ROW}, columns={{{cells}}})"
    )
    _measure(limits)
    try:
        if encoding != UTF8:
            raise _WrittenOtherwise(encoding=encoding)
        _create(path, connection, place, reading, [_literally(path), delimiter])
    except _WrittenOtherwise as otherwise:
        if otherwise.encoding == WINDOWS:
            columns, delimiter, encoding = _header(path, WINDOWS)
        rows = _rows(path, len(columns), delimiter, otherwise.escape, encoding)
        insert(connection, place, len(columns), limits.counted(rows))
    return Loaded(stem(path), place, columns, path, may_have_decimal_commas=delimiter != ",")


def _measure(limits: Limits) -> None:
    """A file that is not packed is no larger than it is."""
    if limits.path.suffix.lower() in PACKED:
        try:
            with _bytes(limits.path) as file:
                limits.measure(file)
        except (OSError, EOFError, zlib.error, zstandard.ZstdError) as error:
            raise InputError(f"{limits.path} cannot be unpacked: {error}.") from None


class _WrittenOtherwise(Exception):
    """DuckDB reads no file whose lines end in two ways, nor one whose quotes are escaped in another way (by
    `escape`) than it was told, nor one in other letters than those of UTF-8."""

    def __init__(self, escape: str | None = None, encoding: str | None = None) -> None:
        self.escape, self.encoding = escape, encoding


def _rows(path: Path, width: int, delimiter: str, escape: str | None, encoding: str) -> Iterator[Row]:
    """Slower than DuckDB, but any line end will do, and any letters."""
    with closing(text_of(path, encoding)) as file:
        spaced = escape is not None
        reader = csv.reader(
            file, delimiter=delimiter, strict=True, escapechar=escape, skipinitialspace=spaced
        )
        try:
            next(reader)
            for row in reader:
                if len(row) != width and row:
                    raise InputError(f"{path}, line {reader.line_num}: {_RAGGED}")
                if any("\ufffd" in cell for cell in row):
                    raise InputError(f"{path}, line {reader.line_num}: {_NOT_UTF8}")
                if row:
                    yield [cell or None for cell in row]
        except csv.Error:
            raise InputError(f"{path}, line {reader.line_num}: {_UNQUOTED}") from None


_PARQUET = "read_parquet(?, hive_partitioning=false)"


def _literally(path: Path) -> str:
    """DuckDB takes stars and brackets in a name for a pattern, and `~`, `file:` or `s3:` at its beginning for
    another place: it would read other files."""
    return glob.escape(str(path.absolute()))


def _load_parquet(limits: Limits, connection: DuckDBPyConnection, place: str) -> Loaded:
    import duckdb

    path = limits.path
    try:
        described = connection.execute(f"SELECT * FROM {_PARQUET} LIMIT 0", [_literally(path)]).description
    except duckdb.Error as error:
        raise InputError(f"{path} cannot be read as Parquet: {_first_line(error)}") from None
    columns = unique([column[0] for column in described or ()], path)
    # What has parts (lists, structures) is no cell; its text would be nobody's value.
    chosen = ", ".join(f"{_quoted(column)}::VARCHAR AS c{number}" for number, column in enumerate(columns))
    some = f"(SELECT {chosen} FROM {_PARQUET} LIMIT {limits.rows + 1})"
    text = " + ".join(f"sum(coalesce(strlen(c{number}), 0))" for number in range(len(columns)))
    try:
        counted = connection.execute(f"SELECT count(*), {text} FROM {some}", [_literally(path)]).fetchone()
    except duckdb.Error as error:
        raise InputError(f"{path} cannot be read as Parquet: {_first_line(error)}") from None
    rows, size = counted or (0, 0)
    limits.check(rows, int(size or 0))
    _create(path, connection, place, some, [_literally(path)])
    return Loaded(stem(path), place, columns, path)


def _create(path: Path, connection: DuckDBPyConnection, place: str, reading: str, given: list[str]) -> None:
    import duckdb

    try:
        connection.execute(f"CREATE TABLE {place} AS SELECT * FROM {reading}", given)
    except duckdb.Error as error:
        if "state machine" in str(error):
            raise _WrittenOtherwise from None
        line, reason = _LINE.search(str(error)), _reason(str(error))
        if reason is _UNQUOTED:
            raise _WrittenOtherwise("\\") from None
        if reason is _NOT_UTF8 and is_windows(path):
            raise _WrittenOtherwise(encoding=WINDOWS) from None
        where = f"{path}, line {line[1]}" if line else str(path)
        raise InputError(f"{where}: {reason}") from None


_NOT_UTF8 = "this is not UTF-8; save the file as UTF-8 and index it again."
_RAGGED = "the row has another number of cells than the header; mend it and index again."
_UNQUOTED = "a quoted cell does not end; mend the quotes and index again."


def _reason(message: str) -> str:
    """DuckDB's own messages name its options; ours say what to mend."""
    lowered = message.lower()
    if "unicode" in lowered or "utf-8" in lowered:
        return _NOT_UTF8
    if "columns" in lowered and ("expected" in lowered or "too many" in lowered or "missing" in lowered):
        return _RAGGED
    if "unterminated quote" in lowered or "quoted value" in lowered:
        return _UNQUOTED
    return f"it cannot be read: {message.splitlines()[0]}"


def _header(path: Path, encoding: str | None = None) -> tuple[tuple[str, ...], str, str]:
    """The names of the columns, what stands between cells, and in which letters they are written."""
    try:
        encoding = encoding or marked(path)
        with closing(text_of(path, encoding)) as file:
            # A name may have line breaks, within quotes.
            first, *more = islice(iter(lambda: file.readline(_LONGEST_ROW), None), 1 + _HEADER_LINES)
    except (OSError, EOFError, zstandard.ZstdError) as error:
        raise InputError(f"{path} cannot be read: {error}.") from None
    if not first.strip():
        raise InputError(f"{path} is empty; a table begins with a line of column names.")
    tabs = path.name.lower().removesuffix(".gz").removesuffix(".zst").endswith(".tsv")
    delimiter = "\t" if tabs else max(_DELIMITERS, key=first.count)
    if first.count(delimiter) >= MOST_COLUMNS:
        raise InputError(f"{path}, line 1: {too_many(first.count(delimiter) + 1)}")
    try:
        names = next(csv.reader((first, *more), delimiter=delimiter), [])
    except csv.Error as error:
        raise InputError(f"{path}, line 1: the names of the columns cannot be read ({error}).") from None
    return unique(numbered([" ".join(name.split()) for name in names]), path), delimiter, encoding


def _load_sqlite(limits: Limits, connection: DuckDBPyConnection, first: int) -> list[Loaded]:
    path = limits.path
    tables: list[Loaded] = []
    try:
        with closing(sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True, timeout=2)) as database:
            database.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, _LONGEST_CELL)
            database.text_factory = lambda text: text.decode("utf-8", "replace")
            known = "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'"
            for (name,) in database.execute(f"{known} ORDER BY name").fetchall():
                place = f"t{first + len(tables)}"
                tables.append(_sqlite_table(limits, database, name, connection, place))
    except (sqlite3.Error, UnicodeDecodeError) as error:
        locked = "locked" in str(error)
        hint = "close the program that writes it" if locked else "is it a SQLite file, and whole?"
        raise InputError(f"{path} cannot be read ({error}); {hint}") from None
    if not tables:
        raise InputError(f"{path} holds no tables.")
    return tables


def _sqlite_table(
    limits: Limits, database: sqlite3.Connection, name: str, connection: DuckDBPyConnection, place: str
) -> Loaded:
    # With columns that are computed, without those that virtual tables hide.
    known = database.execute(f"PRAGMA table_xinfo({_quoted(name)})").fetchall()
    about = [row for row in known if row[6] != 1]
    columns = unique([row[1] for row in about], limits.path)
    key = tuple(row[1] for row in sorted(about, key=lambda row: row[5]) if row[5])
    booleans = frozenset(row[1] for row in about if str(row[2]).upper().startswith("BOOL"))
    rows = database.execute(
        f"SELECT {', '.join(map(_quoted, (row[1] for row in about)))} FROM {_quoted(name)}"
    )
    insert(connection, place, len(columns), limits.counted(tuple(map(_cell, row)) for row in rows))
    declared = tuple(_declared(database, name))
    return Loaded(name, place, columns, limits.path, key, declared, booleans, has_types=True)


def _cell(cell: object) -> str | None:
    """What is no text or number (a picture) is nobody's value."""
    return None if cell is None or isinstance(cell, bytes) else str(cell)


def _declared(database: sqlite3.Connection, name: str) -> Iterator[Declared]:
    found: dict[int, list[tuple[str, str, str | None]]] = {}
    for number, _, table, column, target, *_ in database.execute(f"PRAGMA foreign_key_list({_quoted(name)})"):
        found.setdefault(number, []).append((column, table, target))
    for parts in found.values():
        table = parts[0][1]
        targets = tuple(target for _, _, target in parts if target is not None)
        if not targets:  # it names the other table's primary key without saying so
            about = database.execute(f"PRAGMA table_info({_quoted(table)})").fetchall()
            targets = tuple(row[1] for row in sorted(about, key=lambda row: row[5]) if row[5])
        yield Declared(tuple(column for column, _, _ in parts), table, targets)


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _first_line(error: Exception) -> str:
    return str(error).splitlines()[0]
