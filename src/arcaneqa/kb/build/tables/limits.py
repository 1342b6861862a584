"""How much a table may hold for the bytes of its file: small files can be made that have rows without end."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from arcaneqa.support.errors import InputError

_ROWS = 1_000_000
_ROWS_A_BYTE = 20
"""Ten times what well packed Parquet has."""
_TEXT = 1 << 30
_TEXT_A_BYTE = 100
"""Bytes (beyond 1 GiB) of which a file holds one; texts of machines pack to a fiftieth."""
_TEXT_A_ROW = 1 << 10
"""Bytes that a row may have where somebody says how many there are."""
_BLOCK = 1 << 20

Row = Sequence[str | None]


@dataclass(frozen=True, slots=True)
class Limits:
    """Of one file."""

    path: Path
    rows: int
    text: int

    @classmethod
    def of(cls, path: Path, rows: int | None) -> Limits:
        """`rows` is what its owner says."""
        size = path.stat().st_size
        text = _TEXT + max(_TEXT_A_BYTE * size, _TEXT_A_ROW * (rows or 0))
        return cls(path, _ROWS + _ROWS_A_BYTE * size if rows is None else rows, text)

    def check(self, rows: int, text: int) -> None:
        if rows > self.rows or text > self.text:
            found = f"{self.rows:,} rows" if rows > self.rows else f"{self.text >> 20:,} MiB of text"
            raise InputError(
                f"{self.path} holds more than {found}, far more than its {self.path.stat().st_size:,} bytes "
                "should; if that is so, index it with --rows and their number."
            )

    def counted(self, rows: Iterator[Row]) -> Iterator[Row]:
        """The same, while they are not too many."""
        text = 0
        for number, row in enumerate(rows, 1):
            text += sum(map(len, filter(None, row)))
            self.check(number, text)
            yield row

    def measure(self, unpacked: BinaryIO) -> None:
        size = 0
        while block := unpacked.read(_BLOCK):
            size += len(block)
            self.check(0, size)
