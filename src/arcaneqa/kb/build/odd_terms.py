"""IRIs and language tags that are not written as the standards say: read as what comes closest and counted.

One odd tag must not cost a file. The parser of RDF/XML cannot go on behind one, and that of JSON-LD drops in
silence what it stands at; so both read whatever is there, and here it is put right.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any
from urllib.parse import quote

from pyoxigraph import Literal, NamedNode, Quad

_ODD = re.compile(r"""[\x00-\x20<>"{}|^`\\]|%(?![0-9A-Fa-f]{2})""")
"""What no IRI holds; others might be told apart by it, so it is written out and not left out."""
_NOT_OF_TAGS = re.compile(r"[^a-z0-9]+")
_LANGUAGE = re.compile(r"[a-z]{2,3}(?=-|$)")
_SUBTAG = 8
"""Letters that a part of a tag may have."""
_KEPT = 1_000
_SHOWN = 5
_LONGEST_SHOWN = 80
_TAG = re.compile(rb"""(?<=")@([^\s"<>]+)(?=\s*(?:<[^<>"]*>\s*)?\.\s*(?:#.*)?$)""")
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
            if len(self.some) < _SHOWN and (cut := text[:_LONGEST_SHOWN]) not in self.some:
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
    return _TAG.sub(lambda found: b"@" + _tag(found[1].decode(errors="replace"), told).encode(), line)


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
        return NamedNode(quote(iri, safe=":"))


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
