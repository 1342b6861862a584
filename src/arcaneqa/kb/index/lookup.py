"""From a term to its node: a binary search over digests, then a look at the term itself."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence

import numpy as np

from arcaneqa.kb.index.store import Array, Strings
from arcaneqa.kb.interface import Ids
from arcaneqa.kb.terms import RDF_LANG_STRING, Blank, Iri, Literal, Term


def literal_type(datatype: str, language: str) -> str:
    """How an index writes what a literal is: its datatype, or `@` and its language."""
    return f"@{language.lower()}" if language and datatype == RDF_LANG_STRING else datatype


def term_key(text: bytes, type_name: str | None) -> bytes:
    """Distinct for distinct terms: no IRI begins with a quote, no type holds one."""
    return text if type_name is None else b'"%b"%b' % (type_name.encode(), text)


def term_digests(keys: Sequence[bytes]) -> bytes:
    """Sixteen bytes a key, end to end."""
    return b"".join([hashlib.blake2b(key, digest_size=16).digest() for key in keys])


class Terms:
    """The terms of an index: entities by name, literals by lexical form and type.

    Language tags are compared in lower case; `spelled_types` are the types with tags as they were written.
    """

    def __init__(
        self,
        entities: Strings,
        literals: Strings,
        literal_types: Array,
        types: list[str],
        spelled_types: list[str],
        lookup: list[Array],
    ) -> None:
        self.entities, self.literals = entities, literals
        self._literal_types, self._types, self._spelled_types = literal_types, types, spelled_types
        self._digests, self._nodes = lookup

    def find(self, term: Term) -> int | None:
        match term:
            case Iri(text):
                type_name = None
            case Blank(label):
                text, type_name = f"_:{label}", None
            case Literal(text, datatype, language):
                # Any language makes a language-tagged string, however the caller spelled the datatype.
                type_name = literal_type(RDF_LANG_STRING if language else datatype, language)
        try:
            digest = term_digests([term_key(text.encode(), type_name)])
        except UnicodeEncodeError:  # a lone surrogate is in no RDF file
            return None
        wanted = self._digests.dtype.type(int.from_bytes(digest[:8], "little"))
        place = int(self._digests.searchsorted(wanted))
        while place < len(self._digests) and self._digests[place] == wanted:
            node = int(self._nodes[place])
            if self._is(node, text, type_name):
                return node
            place += 1
        return None

    def _is(self, node: int, text: str, type_name: str | None) -> bool:
        if node < len(self.entities):
            return type_name is None and self.entities[node] == text
        literal = node - len(self.entities)
        return self.literals[literal] == text and self._types[self._literal_types[literal]] == type_name

    def has_other_languages(self, language: str) -> bool:
        return bool(self._in_other_languages(language).any())

    def are_in_other_languages(self, nodes: Ids, language: str) -> Array:
        """Which of these nodes are texts in a language other than this."""
        found = np.zeros(len(nodes), bool)
        literals = nodes >= len(self.entities)
        types = self._literal_types[nodes[literals] - len(self.entities)]
        found[literals] = self._in_other_languages(language)[types]
        return found

    def _in_other_languages(self, language: str) -> Array:
        """For each type of literals; a language goes by its first part, whatever the country."""
        tags = (name[1:].split("-")[0] if name.startswith("@") else language for name in self._types)
        return np.fromiter((tag != language for tag in tags), bool, len(self._types))

    def datatypes(self, literals: int) -> dict[str, int]:
        """How many of the first so many literals have each datatype."""
        counts = np.bincount(self._literal_types[:literals], minlength=len(self._types))
        return {name: int(count) for name, count in zip(self._types, counts, strict=True) if count}

    def many(self, nodes: Ids) -> list[Term]:
        if len(nodes) and nodes.max() >= len(self.entities):
            return [self[node] for node in nodes.tolist()]
        names = self.entities.many(nodes)
        return [Blank(name[2:]) if name.startswith("_:") else Iri(name) for name in names]

    def __getitem__(self, node: int) -> Term:
        if node < len(self.entities):
            name = self.entities[node]
            return Blank(name[2:]) if name.startswith("_:") else Iri(name)
        literal = node - len(self.entities)
        type_name = self._spelled_types[self._literal_types[literal]]
        if type_name.startswith("@"):
            return Literal(self.literals[literal], RDF_LANG_STRING, type_name[1:])
        return Literal(self.literals[literal], type_name)


def open_terms(load: Callable[[str], Array], types: list[str], spellings: dict[str, str]) -> Terms:
    return Terms(
        Strings(load("entity.heap"), load("entity.offsets")),
        Strings(load("literal.heap"), load("literal.offsets")),
        load("literal.types"),
        types,
        [spellings.get(name, name) for name in types],
        [load("lookup.digests"), load("lookup.nodes")],
    )
