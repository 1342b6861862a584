"""RDF files as streams of quads, through pyoxigraph's parsers; bad input is named by file and line."""

from __future__ import annotations

import bz2
import gzip
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO, cast

import zstandard
from pyoxigraph import Quad, QuadParser, RdfFormat, parse

from arcaneqa.errors import InputError

_FORMATS = {
    ".nt": RdfFormat.N_TRIPLES,
    ".nq": RdfFormat.N_QUADS,
    ".ttl": RdfFormat.TURTLE,
    ".trig": RdfFormat.TRIG,
    ".rdf": RdfFormat.RDF_XML,
    ".xml": RdfFormat.RDF_XML,
    ".owl": RdfFormat.RDF_XML,
}
_LINES = (RdfFormat.N_TRIPLES, RdfFormat.N_QUADS)
_PACKED = (".gz", ".bz2", ".zst")
_CHUNK = 1 << 22
_SHOWN = 10


@dataclass
class Skipped:
    """What a lenient build left out: how much, and the first of it."""

    count: int = 0
    first: list[str] = field(default_factory=list)

    def add(self, sentence: str) -> None:
        self.count += 1
        if len(self.first) < _SHOWN:
            self.first.append(sentence)


class Source:
    """One file. `quads` streams it; `prefixes` holds what it declared once it has been read."""

    def __init__(self, path: Path, skipped: Skipped | None) -> None:
        self.path = path
        self.prefixes: dict[str, str] = {}
        self._skipped = skipped
        self._format = _format(path)
        if not path.is_file():
            reason = "is a folder" if path.is_dir() else "does not exist"
            raise InputError(f"The source {path} {reason}; give RDF files.")

    def quads(self) -> Iterator[Quad]:
        try:
            with self._open() as file:
                yield from self._lines(file) if self._format in _LINES else self._stream(file)
        except (EOFError, zlib.error, zstandard.ZstdError, gzip.BadGzipFile) as error:
            raise InputError(f"{self.path} cannot be unpacked: {error}.") from None
        except OSError as error:
            raise InputError(f"{self.path} cannot be read: {error.strerror or error}.") from None

    def _open(self) -> BinaryIO:
        match self.path.suffix.lower():
            case ".gz":
                return cast(BinaryIO, gzip.open(self.path))
            case ".bz2":
                return cast(BinaryIO, bz2.open(self.path))
            case ".zst":
                reader = zstandard.ZstdDecompressor().stream_reader(
                    self.path.open("rb"), read_across_frames=True, closefd=True
                )
                return cast(BinaryIO, reader)
        return self.path.open("rb")

    def _lines(self, file: BinaryIO) -> Iterator[Quad]:
        """Chunks of whole lines: where one does not parse, line by line finds what is wrong in it."""
        first, rest = 1, b""
        while piece := file.read(_CHUNK):
            end = piece.rfind(b"\n") + 1
            if not end:
                rest += piece
                continue
            chunk, rest = rest + piece[:end], piece[end:]
            yield from self._chunk(chunk, first)
            first += chunk.count(b"\n")
        if rest:
            yield from self._chunk(rest, first)

    def _chunk(self, chunk: bytes, first: int) -> Sequence[Quad]:
        try:
            return list(parse(chunk, format=self._format))
        except SyntaxError:
            found: list[Quad] = []
            for number, line in enumerate(chunk.split(b"\n"), first):
                try:
                    found.extend(list(parse(line, format=self._format)))
                except SyntaxError as error:
                    self._refuse(error, number)
            return found

    def _stream(self, file: BinaryIO) -> Iterator[Quad]:
        parser: QuadParser = parse(file, format=self._format)
        last = None
        while True:
            try:
                quad = next(parser)
            except StopIteration:
                break
            except SyntaxError as error:
                self._refuse(error, error.lineno)
                if str(error) == last:  # the parser cannot get past it
                    break
                last = str(error)
                continue
            last = None
            yield quad
        self.prefixes = dict(parser.prefixes)

    def _refuse(self, error: SyntaxError, line: int | None) -> None:
        # The parser's own position is within a chunk; ours is within the file.
        reason = error.msg.partition(": ")[2] if error.msg.startswith("Parser error") else error.msg
        where = f"{self.path}, line {line}" if line else str(self.path)
        sentence = f"{where}: {reason}"
        if self._skipped is None:
            raise InputError(f"{sentence}. Mend it, or give --lenient to leave such statements out.")
        self._skipped.add(sentence)


def _format(path: Path) -> RdfFormat:
    name = path.with_suffix("") if path.suffix.lower() in _PACKED else path
    found = _FORMATS.get(name.suffix.lower())
    if found is None:
        raise InputError(
            f"The format of {path} is not known by its name; it should end in "
            f"{', '.join(_FORMATS)}, and then perhaps {', '.join(_PACKED)}."
        )
    return found
