"""RDF terms as plain immutable values: what stands at the door of a knowledge base."""

from __future__ import annotations

from dataclasses import dataclass

XSD = "http://www.w3.org/2001/XMLSchema#"
RDF = "http://www.w3.org/1999/02/22-rdf-syntax-ns#"
XSD_STRING = XSD + "string"
RDF_LANG_STRING = RDF + "langString"


@dataclass(frozen=True, slots=True, order=True)
class Iri:
    value: str


@dataclass(frozen=True, slots=True, order=True)
class Blank:
    """A blank node; its label is unique within one knowledge base."""

    label: str


@dataclass(frozen=True, slots=True, order=True)
class Literal:
    """A literal exactly as it was written: the lexical form is never normalised."""

    lexical: str
    datatype: str = XSD_STRING
    language: str = ""


Term = Iri | Blank | Literal
