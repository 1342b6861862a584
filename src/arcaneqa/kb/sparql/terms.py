"""Terms as SPARQL text and as they come back in SPARQL's JSON results."""

from __future__ import annotations

import re
from typing import Any

import numpy as np

from arcaneqa.kb.terms import RDF_LANG_STRING, XSD, XSD_STRING, Blank, Iri, Literal, Term
from arcaneqa.support.errors import InputError

# What SPARQL allows between < and >. An IRI with anything else can be in no store and must be in no query.
_IRI = re.compile(r"[^\x00-\x20<>\"{}|^`\\\ud800-\udfff]+")
_SURROGATE = re.compile(r"[\ud800-\udfff]")
_LANGUAGE = re.compile(r"[A-Za-z]+(-[A-Za-z0-9]+)*")
_BOOLEAN, _FLOAT = XSD + "boolean", XSD + "float"
_FLOATING = frozenset((_FLOAT, XSD + "double"))
_NUMERAL = re.compile(r"[+-]?[0-9.]+([eE][+-]?[0-9]+)?")
_ESCAPES = {"\\": "\\\\", '"': '\\"', "\n": "\\n", "\r": "\\r", "\t": "\\t", "\b": "\\b", "\f": "\\f"}
_TO_ESCAPE = re.compile(r'[\\"\n\r\t\x08\x0c]')


def is_writable(term: Term) -> bool:
    """Whether SPARQL has a way to write this very term; a blank node has none."""
    match term:
        case Iri(value):
            return _IRI.fullmatch(value) is not None
        case Literal(lexical, datatype, language):
            tagged = not language or _LANGUAGE.fullmatch(language) is not None
            return tagged and _SURROGATE.search(lexical) is None and _IRI.fullmatch(datatype) is not None
        case _:
            return False


class NotAnIri(InputError, ValueError):
    """Somebody, a file or a server, calls this an IRI."""


def iri(value: str) -> str:
    if not _IRI.fullmatch(value):
        raise NotAnIri(f"{value!r} is not an IRI and can be in no query.")
    return f"<{value}>"


def quoted(text: str) -> str:
    return '"' + _TO_ESCAPE.sub(lambda found: _ESCAPES[found[0]], text) + '"'


def written(term: Iri | Literal) -> str:
    if isinstance(term, Iri):
        return iri(term.value)
    if term.language:
        return f"{quoted(term.lexical)}@{term.language}"
    if term.datatype == XSD_STRING:
        return quoted(term.lexical)
    return f"{quoted(term.lexical)}^^{iri(term.datatype)}"


def respelled(term: Term | None, digits: Term | None) -> Term | None:
    """A number in floating point with all its digits, where the server wrote fewer into its results."""
    if not isinstance(term, Literal) or not isinstance(digits, Literal) or term.datatype not in _FLOATING:
        return term
    if term.datatype == _FLOAT and _NUMERAL.fullmatch(digits.lexical):
        return Literal(str(np.float32(digits.lexical)), _FLOAT)
    return Literal(digits.lexical, term.datatype)


def from_json(binding: Any) -> Term:
    """One bound value of a result; raises ValueError, KeyError or TypeError where it is not one."""
    value = binding["value"]
    if not isinstance(value, str):
        raise TypeError("a value must be a string")
    match binding["type"]:
        case "uri":
            return Iri(value)
        case "bnode":
            return Blank(value)
        case "literal" | "typed-literal":
            if language := binding.get("xml:lang"):
                # Tags mean the same in any case, and stores disagree on which to keep.
                return Literal(value, RDF_LANG_STRING, str(language).lower())
            datatype = str(binding.get("datatype", XSD_STRING))
            if datatype == _BOOLEAN:
                value = {"0": "false", "1": "true"}.get(value, value)  # servers differ here too
            return Literal(value, datatype)
        case kind:
            raise ValueError(f"unknown kind of term {kind!r}")
