"""In which letters a file of cells is written: UTF-8, UTF-16 where its mark stands first, as spreadsheets
save it, or those of Windows, where no byte beyond ASCII makes sense as UTF-8."""

from __future__ import annotations

import codecs
import gzip
from pathlib import Path
from typing import BinaryIO, TextIO, cast

import zstandard

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
