"""RDF files as streams of statements; bad input is named by file and line, odd terms are read as what comes
closest."""

from __future__ import annotations

import bz2
import gzip
import re
import zlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import islice
from operator import attrgetter
from pathlib import Path
from typing import Any, BinaryIO, cast
from urllib.parse import quote
from xml.parsers import expat

import zstandard
from pyoxigraph import DefaultGraph, Literal, NamedNode, Quad, QuadParser, RdfFormat, Triple, parse

from arcaneqa.kb.build.bounds import (
    DEEPEST_TURTLE,
    LONGEST_VALUE,
    ByteBound,
    Depth,
    JsonDepth,
    Stretches,
    XmlEntities,
    too_long,
)
from arcaneqa.kb.build.formats import PACKED, KnownContexts, OldXml, format_of
from arcaneqa.support.errors import InputError

# IRIs and language tags that are not written as the standards say: read as what comes closest and
# counted.


_ODD = re.compile(r"""[\x00-\x20<>"{}|^`\\]|%(?![0-9A-Fa-f]{2})""")
"""What no IRI holds; others might be told apart by it, so it is written out and not left out."""
_NOT_OF_TAGS = re.compile(r"[^a-z0-9]+")
_LANGUAGE = re.compile(r"[a-z]{2,3}(?=-|$)")
_SUBTAG = 8
"""Letters that a part of a tag may have."""
_KEPT = 1_000
_ODD_SHOWN = 5
_LONGEST_SHOWN = 80
_LANGUAGE_TAG = re.compile(rb"""(?<=")@([^\s"<>]+)(?=\s*(?:<[^<>"]*>\s*)?\.\s*(?:#.*)?$)""")
"""The language of a line's object, in N-Triples and N-Quads."""
_ABSOLUTE = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:")


@dataclass
class Odd:
    """How often a term was not sound, and some of them as they were written."""

    count: int = 0
    some: list[str] = field(default_factory=list)

    def add(self, text: str) -> None:
        self.merge(1, [text])

    def merge(self, count: int, some: Iterable[str]) -> None:
        self.count += count
        for text in some:
            if len(self.some) < _ODD_SHOWN and (cut := text[:_LONGEST_SHOWN]) not in self.some:
                self.some.append(cut)


def mended(quads: Iterator[Quad], told: Odd) -> Iterator[Quad]:
    """The same statements with sound terms; what was odd is counted in `told`."""
    for quad in quads:
        subject, predicate, object_ = quad.subject, quad.predicate, quad.object
        if _is_odd(object_) or _is_odd(subject) or _is_odd(predicate):
            terms = (_sound(subject, told), _sound(predicate, told), _sound(object_, told))
            yield Quad(*terms, quad.graph_name)
        else:
            yield quad


def line_with_a_tag(line: bytes, told: Odd) -> bytes:
    """A line of N-Triples as the parser can read it: it takes no odd tag, however lenient."""
    return _LANGUAGE_TAG.sub(
        lambda found: b"@" + _tag(found[1].decode(errors="replace"), told).encode(), line
    )


def is_absolute(quad: Quad) -> bool:
    """Lines know no IRI that is completed by another; the parser, made lenient, lets them pass."""
    terms = (quad.subject, quad.predicate, quad.object)
    return all(_ABSOLUTE.match(iri) is not None for term in terms if (iri := _iri_of(term)) is not None)


def _iri_of(term: object) -> str | None:
    """Of a literal, its datatype."""
    match term:
        case NamedNode(value=iri) | Literal(datatype=NamedNode(value=iri)):
            return str(iri)
    return None


def _is_odd(term: object) -> bool:
    if isinstance(term, Literal):
        if (tag := term.language) is not None:
            return _is_odd_tag(tag)
        return _is_odd_datatype(term.datatype.value)
    return isinstance(term, NamedNode) and _ODD.search(term.value) is not None


def _sound(term: Any, told: Odd) -> Any:
    if not _is_odd(term):
        return term
    if isinstance(term, NamedNode):
        return _iri(term.value, told)
    if term.language is not None:
        return Literal(term.value, language=_tag(term.language, told))
    return Literal(term.value, datatype=_iri(term.datatype.value, told))


def _iri(iri: str, told: Odd) -> NamedNode:
    told.add(iri)
    try:
        return NamedNode(_ODD.sub(lambda found: quote(found[0], safe=""), iri))
    except ValueError:  # nor is it sound elsewhere, as in the name of its host
        with suppress(ValueError):
            return NamedNode(quote(iri, safe=":"))
    return NamedNode(f"urn:odd:{quote(iri, safe='')}")  # it has no scheme


def _tag(tag: str, told: Odd) -> str:
    """`es_PE` is Peru's Spanish; what begins with no language, such as `i18n`, is a tag for private use."""
    if not _is_odd_tag(tag):
        return tag
    told.add(f"@{tag}")
    parts = _NOT_OF_TAGS.sub("-", tag.lower()).strip("-")
    language = _LANGUAGE.match(parts)
    if language is None:
        cut = "-".join(part[:_SUBTAG] for part in parts.split("-"))
        return f"x-{cut}" if cut else "und"
    return language[0] if _is_odd_tag(parts) else parts


@lru_cache(_KEPT)
def _is_odd_datatype(iri: str) -> bool:
    return _ODD.search(iri) is not None


@lru_cache(_KEPT)
def _is_odd_tag(tag: str) -> bool:
    try:
        Literal("", language=tag)
    except ValueError:
        return True
    return False


# RDF files as streams of statements, through pyoxigraph's parsers; bad input is named by file and
# line.


_LINES = (RdfFormat.N_TRIPLES, RdfFormat.N_QUADS)
_WITHOUT_LINES = (RdfFormat.RDF_XML, RdfFormat.JSON_LD)
"""One odd term in these would cost the rest of the file, or itself in silence."""
_PIECE = 1 << 22
"""Bytes (4 MiB) read at a time."""
_SHOWN = 10
"""Lines with faults that are told; the others are counted."""
_BOM = b"\xef\xbb\xbf"
_OTHER_ENCODINGS = (b"\xff\xfe", b"\xfe\xff")
_CLOSE_LOOK = 1 << 10
"""Bytes read at a time, at first, where what is left out has to be measured."""
_MUCH = 0.05
"""A share of a file that nobody leaves out without being told."""
# A language tag with a capital letter, after a quoted string or in XML's attribute.
_TAG = re.compile(rb"""(?:["']@|xml:lang\s*=\s*["'])([a-z0-9-]*[A-Z][A-Za-z0-9-]*)""")
_QUOTING = re.compile(b"<<")
"""Begins a statement that another quotes; an expression finds out twice as fast as `bytes.count`."""
_IMPLIES = "http://www.w3.org/2000/10/swap/log#implies"
_VARIABLES = "variables are not allowed"
"""What the parser says of a statement with variables, which only N3 has."""
_LONGEST_TAG = 64
"""Bytes kept from one piece to the next, for a tag that is cut in two."""

Statement = Quad | Triple
"""A quad where the format has no graphs to name; making triples of them takes time."""


@dataclass
class Skipped:
    """What a lenient build left out: how much, the first of it, and whole stretches of files."""

    count: int = 0
    first: list[str] = field(default_factory=list)
    outcries: list[str] = field(default_factory=list)

    def add(self, count: int, sentences: list[str]) -> None:
        self.count += count
        self.first.extend(sentences[: _SHOWN - len(self.first)])


class Source:
    """One file. `statements` streams it; `prefixes` holds what it declared once it has been read, and
    `spellings` how it writes the language tags that the parsers hand out in lower case. `bytes` counts what
    was read of it, unpacked, and `watcher` is told; `rules` counts the statements of N3's rules, which are no
    facts; `odd` counts terms that were not sound, and were mended.

    Files of lines can be had in blocks of whole lines instead, which others may parse: `blocks` and
    `statements_of`. Without `skipped`, the first bad statement raises. `base` completes relative IRIs, else
    the name of the file does.
    """

    def __init__(self, path: Path, skipped: Skipped | None, base: str | None = None) -> None:
        self.path = path
        self.prefixes: dict[str, str] = {}
        self.spellings: dict[str, str] = {}
        self.bytes = 0
        self.rules = 0
        self.odd = Odd()
        self.watcher: Callable[[int], None] | None = None
        self._skipped = skipped
        # As other readers do, but for the folder: an index must not depend on where its sources lay.
        self._base = base or f"file:///{quote(path.name)}"
        self._format = format_of(path)

    @property
    def has_lines(self) -> bool:
        return self._format in _LINES

    @property
    def is_packed(self) -> bool:
        return self.path.suffix.lower() in PACKED

    def statements(self) -> Iterator[Statement]:
        return self._without_graphs(self._quads())

    def statements_of(self, block: bytes, first: int) -> Iterator[Statement]:
        return self._without_graphs(self._quads_of(block, first))

    def _without_graphs(self, quads: Iterator[Quad]) -> Iterator[Statement]:
        if self._format is RdfFormat.N3:
            return filter(self._is_fact, quads)
        return map(attrgetter("triple"), quads) if self._format.supports_datasets else quads

    def _is_fact(self, quad: Quad) -> bool:
        """A rule is none, nor is what it speaks of."""
        is_rule = quad.predicate.value == _IMPLIES or not isinstance(quad.graph_name, DefaultGraph)
        self.rules += is_rule
        return not is_rule

    def _quads(self) -> Iterator[Quad]:
        if self.has_lines:
            for block, first, _ in self.blocks(_PIECE):
                yield from self._quads_of(block, first)
        else:
            with self._opened() as file:
                quads = self._stream(self._watched(file))
                yield from mended(quads, self.odd) if self._format in _WITHOUT_LINES else quads

    def _watched(self, file: BinaryIO) -> _Watched:
        is_measured, name = self._skipped is not None, str(self.path)
        text: BinaryIO | OldXml | KnownContexts = file
        if self._format is RdfFormat.RDF_XML:
            text = OldXml(file, name)
        elif self._format is RdfFormat.JSON_LD:
            text = KnownContexts(file)
        return _Watched(text, self._note_spellings, self._bounds(), name, is_measured)

    def _bounds(self) -> list[ByteBound]:
        name = str(self.path)
        match self._format:
            case RdfFormat.RDF_XML:
                return [self, XmlEntities(name), Depth.of_xml(name), Stretches(name)]
            case RdfFormat.JSON_LD:
                return [self, JsonDepth(name)]
        return [self, Depth.of_turtle(name)]

    def see(self, piece: bytes) -> None:
        """A source counts what is read of it."""
        self.bytes += len(piece)
        if self.watcher is not None:
            self.watcher(self.bytes)

    def _note_spellings(self, text: bytes) -> None:
        if b"@" in text or b"xml:lang" in text:
            for tag in map(bytes.decode, _TAG.findall(text)):
                self.spellings.setdefault(tag.lower(), tag)

    def blocks(self, size: int) -> Iterator[tuple[bytes, int, int]]:
        """Whole lines, about `size` bytes at a time, with the number of the first and where it begins."""
        first, rest = 1, b""
        with self._opened() as file:
            while piece := file.read(size):
                self.see(piece)
                end = piece.rfind(b"\n") + 1
                if not end:
                    rest += piece
                    if len(rest) > LONGEST_VALUE:
                        raise InputError(f"{self.path}, line {first}: {too_long('it')}")
                    continue
                block, rest = rest + piece[:end], piece[end:]
                yield block, first, self.bytes - len(rest) - len(block)
                first += block.count(b"\n")
        if rest:
            yield rest, first, self.bytes - len(rest)

    def _quads_of(self, block: bytes, first: int) -> Iterator[Quad]:
        """In pieces: where one does not parse, going line by line finds what is wrong in it."""
        start = 0
        if first == 1:
            _check_encoding(block, str(self.path))
            start = len(_BOM) if block.startswith(_BOM) else 0
        while start < len(block):
            end = block.find(b"\n", start + _PIECE) + 1 or len(block)
            piece = block[start:end]
            self._note_spellings(piece)
            if _QUOTING.search(piece) and piece.count(b"<<") > DEEPEST_TURTLE:
                Depth.of_turtle(str(self.path)).see(piece)
            try:
                yield from parse(piece, format=self._format)
            except (SyntaxError, MemoryError):
                lines = self._line_by_line(piece, first + block.count(b"\n", 0, start))
                yield from islice(lines, self._good(piece), None)
            start = end

    def _good(self, piece: bytes) -> int:
        """How many statements there are before the first that does not parse."""
        count = 0
        with suppress(SyntaxError, MemoryError):
            for _ in parse(piece, format=self._format):
                count += 1
        return count

    def _line_by_line(self, piece: bytes, first: int) -> Iterator[Quad]:
        for number, line in enumerate(piece.split(b"\n"), first):
            try:
                yield from list(parse(line, format=self._format))
            except SyntaxError as error:
                if (quads := self._of_odd(line)) is not None:
                    yield from quads
                else:
                    self._refuse(error.msg, number)
            except MemoryError:
                self._refuse(too_long("it"), number)

    def _of_odd(self, line: bytes) -> list[Quad] | None:
        """What a line says whose terms are odd and whose form is sound."""
        odd = Odd()
        try:
            text = line_with_a_tag(line, odd)
            quads = list(mended(filter(is_absolute, parse(text, format=self._format, lenient=True)), odd))
        except SyntaxError:
            return None
        self.odd.merge(odd.count, odd.some)
        return quads or None

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

    def _stream(self, file: _Watched) -> Iterator[Quad]:
        parser: QuadParser = parse(
            cast(BinaryIO, file),
            format=self._format,
            base_iri=self._base,
            lenient=self._format in _WITHOUT_LINES,
        )
        last = None
        lost = 0
        broken: int | None = None
        """Where the parser stood when it met what it could not read, until it reads again."""
        while True:
            try:
                quad = next(parser)
            except StopIteration:
                break
            except SyntaxError as error:
                if error.msg.startswith(_VARIABLES):  # the parser stands behind the statement
                    self.rules += 1
                    continue
                broken = file.position if broken is None else broken
                if self._format in _WITHOUT_LINES:
                    line = error.lineno or self._line_of_bad_xml()
                    self._refuse(error.msg, line, "; so the rest of it is unread")
                    break
                self._refuse(error.msg, error.lineno)
                if str(error) == last:  # the parser cannot get past it
                    break
                last = str(error)
                continue
            except MemoryError:
                self._refuse(too_long("it"), None, "; so the rest of it is unread")
                break
            if broken is not None:
                lost += file.position - broken
                broken = None
            last = None
            yield quad
        self.prefixes = dict(parser.prefixes)
        if self._skipped is not None and broken is not None:
            lost += file.length() - broken
        self._cry_out(lost, file.position)

    def _cry_out(self, lost: int, total: int) -> None:
        if self._skipped is not None and lost > _CLOSE_LOOK and lost > _MUCH * total:
            self._skipped.outcries.append(
                f"About {lost / total:.0%} of {self.path} could not be read; mend what is named above."
            )

    def _line_of_bad_xml(self) -> int | None:
        """The parser of RDF/XML does not say where it stopped; one of plain XML does, if it stops too."""
        if self._format is not RdfFormat.RDF_XML:
            return None
        plain = expat.ParserCreate()
        try:
            with self._opened() as file:
                plain.ParseFile(cast(BinaryIO, self._watched(file)))
        except expat.ExpatError as error:
            return error.lineno
        return None

    def _refuse(self, message: str, line: int | None, consequence: str = "") -> None:
        # The parser's own position is within a piece; ours is within the file.
        reason = message.partition(": ")[2] if message.startswith("Parser error") else message
        where = f"{self.path}, line {line}" if line else str(self.path)
        sentence = f"{where}: {reason}"
        if self._skipped is None:
            raise InputError(f"{sentence.removesuffix('.')}. {self._way_out(reason)}")
        self._skipped.add(1, [sentence + consequence])

    def _way_out(self, reason: str) -> str:
        if "remote context" in reason:
            return (
                "Nothing is fetched from the web: write the context into the file; often "
                '"@context": {"@vocab": "https://example.org/"} does.'
            )
        if "namespaces are required" in reason and self._format is RdfFormat.RDF_XML:
            return (
                "This may be OWL/XML, which is not RDF/XML: save the ontology as Turtle or RDF/XML, as "
                "Protégé does by File, Save as."
            )
        return "Mend it, or give --lenient to leave such statements out."


class _Watched:
    """A file as the parsers read it, seen by its bounds and by whoever notes what is in it.

    `see` gets overlapping pieces, so that no word is cut apart for it; bounds get each piece once.
    """

    def __init__(
        self,
        file: BinaryIO | OldXml | KnownContexts,
        see: Callable[[bytes], None],
        bounds: Sequence[ByteBound] = (),
        name: str = "",
        is_measured: bool = False,
    ) -> None:
        self._file, self._see, self._bounds, self._name = file, see, bounds, name
        self._is_measured = is_measured
        self._last = b""
        self.position = 0

    def read(self, size: int = -1) -> bytes:
        if self._is_measured:
            # In a small part of what there was so far: reading always as little would take long.
            little = max(_CLOSE_LOOK, self.position >> 6)
            size = little if size < 0 else min(size, little)
        piece = self._file.read(size)
        if self.position == 0:
            _check_encoding(piece, self._name)
            if piece.startswith(_BOM):
                self.position = len(_BOM)
                piece = piece[len(_BOM) :] or self._file.read(size)
        self.position += len(piece)
        for bound in self._bounds:
            bound.see(piece)
        seen = self._last + piece
        self._see(seen)
        self._last = seen[-_LONGEST_TAG:]
        return piece

    def length(self) -> int:
        """Of the whole file, read to its end."""
        while piece := self._file.read(_PIECE):
            self.position += len(piece)
        return self.position


def _check_encoding(start: bytes, name: str) -> None:
    if start.startswith(_OTHER_ENCODINGS):
        raise InputError(f"{name} is written in UTF-16; RDF is read as UTF-8, so convert it first.")
