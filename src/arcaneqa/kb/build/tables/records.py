"""JSON as tables: a list of records is one, what is nested in them are others, linked by numbers of ours.

Nested records that say the same under one key are one thing: a publisher stands there once, however many
books it has.
"""

from __future__ import annotations

import gzip
import json
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from arcaneqa.kb.build.formats import JSON_LINES
from arcaneqa.kb.build.tables.loaded import Declared, Loaded, insert, numbered, stem, unique
from arcaneqa.kb.names.name_forms import stem as singular
from arcaneqa.support.errors import InputError

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

_KEY = "record number"
_VALUE = "value"
_MOST_BYTES = 1 << 30
"""Bytes (1 GiB) of a file, which is held whole."""


@dataclass
class _Table:
    """Records by what they say, with their number; columns in the order in which they were met."""

    name: str
    columns: dict[str, None] = field(default_factory=dict)
    rows: list[dict[str, str | None]] = field(default_factory=list)
    known: dict[str, int] = field(default_factory=dict)
    links: dict[str, str] = field(default_factory=dict)
    said: str = ""


def load_records(path: Path, connection: DuckDBPyConnection, first: int) -> list[Loaded]:
    try:
        lists = dict(_lists(path, _content(path)))
        reader = _Reader(lists)
        for name, records in lists.items():
            for record in records:
                reader.take(name, record, is_row=True)
    except RecursionError:
        raise InputError(f"{path} has records nested too deep to read; flatten it.") from None
    except MemoryError:
        raise InputError(f"{path} is too large to hold; write it as JSON lines or CSV, in parts.") from None
    tables = [table for table in reader.tables.values() if table.rows]
    if not tables:
        raise InputError(f"{path} holds no records: give a list of objects, or an object for each line.")
    return [_loaded(table, f"t{number}", path, connection) for number, table in enumerate(tables, first)]


def _loaded(table: _Table, place: str, path: Path, connection: DuckDBPyConnection) -> Loaded:
    key = (_KEY,) if table.known else ()
    names = [*key, *table.columns]
    columns = unique(numbered(list(names)), path)
    insert(connection, place, len(columns), ([row.get(name) for name in names] for row in table.rows))
    spelled = dict(zip(names, columns, strict=True))
    declared = tuple(Declared((spelled[own],), other, (_KEY,)) for own, other in table.links.items())
    return Loaded(table.name, place, columns, path, key, declared, said=table.said)


def _content(path: Path) -> Any:
    """The parsed file; of JSON lines, a list of what each holds."""
    try:
        with gzip.open(path) if path.suffix.lower() == ".gz" else path.open("rb") as file:
            text = file.read(_MOST_BYTES + 1)
    except (OSError, EOFError) as error:
        raise InputError(f"{path} cannot be read: {error}.") from None
    if len(text) > _MOST_BYTES:
        raise InputError(f"{path} is larger than {_MOST_BYTES >> 30} GiB; write it as CSV, or in parts.")
    try:
        if _ending(path) not in JSON_LINES:
            return json.loads(text)
        return [_line(path, number, line) for number, line in enumerate(text.splitlines(), 1) if line.strip()]
    except UnicodeDecodeError:
        raise InputError(f"{path}: this is not UTF-8; save the file as UTF-8 and index it again.") from None
    except json.JSONDecodeError as error:
        raise InputError(f"{path}, line {error.lineno}: this is not JSON ({error.msg}); mend it.") from None


def _line(path: Path, number: int, line: bytes) -> Any:
    try:
        return json.loads(line)
    except json.JSONDecodeError as error:
        raise InputError(f"{path}, line {number}: this is not JSON ({error.msg}); mend it.") from None


def _ending(path: Path) -> str:
    return (path.with_suffix("") if path.suffix.lower() == ".gz" else path).suffix.lower()


def _lists(path: Path, content: Any) -> Iterator[tuple[str, list[dict[str, Any]]]]:
    """Lists of records with their names: the file's own, or those under its keys."""
    if isinstance(content, dict):
        if content.get("type") == "FeatureCollection":
            features = content.get("features") or []
            yield stem(path), [each.get("properties") or {} for each in features if isinstance(each, dict)]
            return
        lists = {name: value for name, value in content.items() if _are_records(value)}
        if lists:
            yield from lists.items()
        elif content and all(isinstance(value, dict) for value in content.values()):
            yield stem(path), [{"name": name, **value} for name, value in content.items()]
        else:
            yield stem(path), [content]
    elif _are_records(content):
        yield stem(path), content


def _are_records(value: Any) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(each, dict) for each in value)


class _Reader:
    def __init__(self, names: Collection[str]) -> None:
        self.tables: dict[str, _Table] = {}
        self._names = frozenset(names)

    def take(self, name: str, record: dict[str, Any], is_row: bool = False) -> str:
        """Note a record in the table of this name; its number there. Rows are told apart though they say the
        same."""
        table = self.tables.setdefault(name, _Table(name))
        said = str(len(table.rows)) if is_row else json.dumps(record, sort_keys=True)
        if (known := table.known.get(said)) is not None:
            return str(known)
        number = table.known[said] = len(table.rows) + 1
        row: dict[str, str | None] = {_KEY: str(number)}
        table.rows.append(row)
        for key, value in record.items():
            self._fill(table, row, str(key), value)
        return str(number)

    def _fill(self, table: _Table, row: dict[str, str | None], key: str, value: Any) -> None:
        if isinstance(value, dict):
            if value:
                other = self._named(table, key)
                table.columns.setdefault(key)
                table.links[key] = other
                row[key] = self.take(other, value)
        elif isinstance(value, list):
            for each in value:
                if each is not None and each != {}:
                    self._pair(table, str(row[_KEY]), key, each)
        else:
            table.columns.setdefault(key)
            row[key] = _text(value)

    def _pair(self, table: _Table, number: str, key: str, value: Any) -> None:
        """One of several: a row that joins a record and what it holds."""
        holds = self._named(table, singular(key))
        plain = json.dumps(value) if isinstance(value, list) else value
        other = self.take(holds, value if isinstance(value, dict) else {"name": plain})
        name = f"{table.name} {key}" if key in (holds, *self._names) else key
        pairs = self.tables.setdefault(name, _Table(name, said=key))
        pairs.columns |= {table.name: None, holds: None}
        pairs.links |= {table.name: table.name, holds: holds}
        pairs.rows.append({table.name: number, holds: other})

    def _named(self, table: _Table, key: str) -> str:
        """A table of what stands under a key; not that of the records that hold it."""
        return key if key != table.name else f"inner {key}"


def _text(value: Any) -> str | None:
    if isinstance(value, bool):
        return "true" if value else "false"
    return None if value is None else str(value)
