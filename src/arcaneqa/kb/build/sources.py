"""RDF files as streams of statements, through pyoxigraph's parsers; bad input is named by file and line."""

from __future__ import annotations

import bz2
import gzip
import re
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from itertools import islice
from operator import attrgetter
from pathlib import Path
from typing import BinaryIO, cast
from xml.parsers import expat

import zstandard
from pyoxigraph import Quad, QuadParser, RdfFormat, Triple, parse

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
_PIECE = 1 << 22
_SHOWN = 10
# A language tag with a capital letter, after a quoted string or in XML's attribute.
_TAG = re.compile(rb"""(?:["']@|xml:lang\s*=\s*["'])([a-z0-9-]*[A-Z][A-Za-z0-9-]*)""")
_LONGEST_TAG = 64

Statement = Quad | Triple
"""A quad where the format has no graphs to name; making triples of them takes time."""


@dataclass
class Skipped:
    """What a lenient build left out: how much, and the first of it."""

    count: int = 0
    first: list[str] = field(default_factory=list)

    def add(self, count: int, sentences: list[str]) -> None:
        self.count += count
        self.first.extend(sentences[: _SHOWN - len(self.first)])


class Source:
    """One file. `statements` streams it; `prefixes` holds what it declared once it has been read, and
    `spellings` how it writes the language tags that the parsers hand out in lower case.

    Files of lines can be had in blocks of whole lines instead, which others may parse: `blocks` and
    `statements_of`. Without `skipped`, the first bad statement raises.
    """

    def __init__(self, path: Path, skipped: Skipped | None) -> None:
        self.path = path
        self.prefixes: dict[str, str] = {}
        self.spellings: dict[str, str] = {}
        self._skipped = skipped
        self._format = _format(path)

    @property
    def has_lines(self) -> bool:
        return self._format in _LINES

    @property
    def is_packed(self) -> bool:
        return self.path.suffix.lower() in _PACKED

    def check(self) -> None:
        if not self.path.is_file():
            reason = "is a folder" if self.path.is_dir() else "does not exist"
            raise InputError(f"The source {self.path} {reason}; give RDF files.")

    def statements(self) -> Iterator[Statement]:
        return self._without_graphs(self._quads())

    def statements_of(self, block: bytes, first: int) -> Iterator[Statement]:
        return self._without_graphs(self._quads_of(block, first))

    def _without_graphs(self, quads: Iterator[Quad]) -> Iterator[Statement]:
        return map(attrgetter("triple"), quads) if self._format.supports_datasets else quads

    def _quads(self) -> Iterator[Quad]:
        if self.has_lines:
            for block, first in self.blocks(_PIECE):
                yield from self._quads_of(block, first)
        else:
            with self._opened() as file:
                yield from self._stream(cast(BinaryIO, _Watched(file, self._note_spellings)))

    def _note_spellings(self, text: bytes) -> None:
        if b"@" in text or b"xml:lang" in text:
            for tag in map(bytes.decode, _TAG.findall(text)):
                self.spellings.setdefault(tag.lower(), tag)

    def blocks(self, size: int) -> Iterator[tuple[bytes, int]]:
        """Whole lines, about `size` bytes at a time, with the number of the first."""
        first, rest = 1, b""
        with self._opened() as file:
            while piece := file.read(size):
                end = piece.rfind(b"\n") + 1
                if not end:
                    rest += piece
                    continue
                block, rest = rest + piece[:end], piece[end:]
                yield block, first
                first += block.count(b"\n")
        if rest:
            yield rest, first

    def _quads_of(self, block: bytes, first: int) -> Iterator[Quad]:
        """In pieces: where one does not parse, going line by line finds what is wrong in it."""
        start = 0
        while start < len(block):
            end = block.find(b"\n", start + _PIECE) + 1 or len(block)
            piece = block[start:end]
            self._note_spellings(piece)
            try:
                yield from parse(piece, format=self._format)
            except SyntaxError:
                yield from islice(self._line_by_line(piece, first), self._good(piece), None)
            start, first = end, first + piece.count(b"\n")

    def _good(self, piece: bytes) -> int:
        """How many statements there are before the first that does not parse."""
        count = 0
        with suppress(SyntaxError):
            for _ in parse(piece, format=self._format):
                count += 1
        return count

    def _line_by_line(self, piece: bytes, first: int) -> Iterator[Quad]:
        for number, line in enumerate(piece.split(b"\n"), first):
            try:
                yield from list(parse(line, format=self._format))
            except SyntaxError as error:
                self._refuse(error, number)

    @contextmanager
    def _opened(self) -> Iterator[BinaryIO]:
        try:
            with self._unpacked() as file:
                yield file
        except (EOFError, zlib.error, zstandard.ZstdError, gzip.BadGzipFile) as error:
            raise InputError(f"{self.path} cannot be unpacked: {error}.") from None
        except OSError as error:
            raise InputError(f"{self.path} cannot be read: {error.strerror or error}.") from None

    def _unpacked(self) -> BinaryIO:
        match self.path.suffix.lower():
            case ".gz":
                return cast(BinaryIO, gzip.open(self.path))
            case ".bz2":
                return cast(BinaryIO, bz2.open(self.path))
            case ".zst":
                file = self.path.open("rb")
                unpacked = zstandard.ZstdDecompressor().stream_reader(file, read_across_frames=True)
                return cast(BinaryIO, unpacked)
        return self.path.open("rb")

    def _stream(self, file: BinaryIO) -> Iterator[Quad]:
        parser: QuadParser = parse(file, format=self._format)
        last = None
        while True:
            try:
                quad = next(parser)
            except StopIteration:
                break
            except SyntaxError as error:
                if self._format is RdfFormat.RDF_XML:
                    self._refuse(
                        error, error.lineno or self._line_of_bad_xml(), "; so the rest of it is unread"
                    )
                    break
                self._refuse(error, error.lineno)
                if str(error) == last:  # the parser cannot get past it
                    break
                last = str(error)
                continue
            last = None
            yield quad
        self.prefixes = dict(parser.prefixes)

    def _line_of_bad_xml(self) -> int | None:
        """The parser of RDF/XML does not say where it stopped; one of plain XML does, if it stops too."""
        plain = expat.ParserCreate()
        try:
            with self._opened() as file:
                plain.ParseFile(file)
        except expat.ExpatError as error:
            return error.lineno
        return None

    def _refuse(self, error: SyntaxError, line: int | None, consequence: str = "") -> None:
        # The parser's own position is within a piece; ours is within the file.
        reason = error.msg.partition(": ")[2] if error.msg.startswith("Parser error") else error.msg
        where = f"{self.path}, line {line}" if line else str(self.path)
        sentence = f"{where}: {reason}"
        if self._skipped is None:
            raise InputError(f"{sentence}. Mend it, or give --lenient to leave such statements out.")
        self._skipped.add(1, [sentence + consequence])


class _Watched:
    """A file, and somebody who sees all that is read from it, in overlapping pieces."""

    def __init__(self, file: BinaryIO, see: Callable[[bytes], None]) -> None:
        self._file, self._see, self._last = file, see, b""

    def read(self, size: int = -1) -> bytes:
        piece = self._file.read(size)
        seen = self._last + piece
        self._see(seen)
        self._last = seen[-_LONGEST_TAG:]
        return piece


def _format(path: Path) -> RdfFormat:
    name = path.with_suffix("") if path.suffix.lower() in _PACKED else path
    found = _FORMATS.get(name.suffix.lower())
    if found is None:
        raise InputError(
            f"The format of {path} is not known by its name; it should end in "
            f"{', '.join(_FORMATS)}, and then perhaps {', '.join(_PACKED)}."
        )
    return found
