"""From a term to its node, and from words to the texts that hold them."""

from __future__ import annotations

import hashlib
from collections import OrderedDict
from collections.abc import Callable, Iterator, Sequence
from threading import Lock

import numpy as np

from arcaneqa.kb.index.rows import Rows
from arcaneqa.kb.index.store import Array, Strings
from arcaneqa.kb.interface import Ids
from arcaneqa.kb.terms import RDF_LANG_STRING, Blank, Iri, Literal, Term
from arcaneqa.support.ragged import offsets_of

# From a term to its node: a binary search over digests, then a look at the term itself.


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


# Texts of a relation in lower case, end to end: one search through them finds all that hold some
# words.


_BETWEEN = "\0"
MOST_KEPT = 8_000_000
"""Characters that are kept for the next question; up to four bytes each."""


class LowerCaseTexts:
    """The texts that relations lead to, made when first asked for; the least recently used go first."""

    def __init__(self, into: Rows, literals: Strings, entities: int) -> None:
        self._into, self._literals, self._entities = into, literals, entities
        self._kept: OrderedDict[int, _Texts] = OrderedDict()
        self._size = 0
        self._lock = Lock()

    def holding(self, relation: int, words: str) -> Ids:
        """Rows of the texts that hold these words (in lower case)."""
        texts = self._texts(relation)
        return texts.first_row + np.fromiter(texts.holding(words), np.int64)

    def equal(self, relation: int, text: str) -> Ids:
        """Rows of the texts that are this one (in lower case)."""
        texts = self._texts(relation)
        # A text stands between two separators; one of its own would make it look like several.
        found = (place for place in texts.holding(text) if texts[place] == text)
        return texts.first_row + np.fromiter(found, np.int64)

    def _texts(self, relation: int) -> _Texts:
        with self._lock:
            if relation in self._kept:
                self._kept.move_to_end(relation)
                return self._kept[relation]
        first, last = self._into.starts[relation], self._into.starts[relation + 1]
        keys = self._into.keys[first:last]
        first += int(keys.searchsorted(keys.dtype.type(self._entities)))
        literals = self._into.keys[first:last].astype(np.int64) - self._entities
        made = _Texts(first, [text.lower() for text in self._literals.many(literals)])
        with self._lock:
            if relation not in self._kept:
                self._kept[relation] = made
                self._size += len(made.text)
            while self._size > MOST_KEPT:
                self._size -= len(self._kept.popitem(last=False)[1].text)
        return made


class _Texts:
    """Texts with a separator after each; `first_row` is where the first of them stands in the relation."""

    def __init__(self, first_row: int, texts: list[str]) -> None:
        self.first_row = first_row
        self.text = "".join(f"{text}{_BETWEEN}" for text in texts)
        self._starts = offsets_of(np.array([len(text) + 1 for text in texts], np.int64))

    def __getitem__(self, place: int) -> str:
        return self.text[self._starts[place] : self._starts[place + 1] - 1]

    def holding(self, words: str) -> Iterator[int]:
        at = self.text.find(words)
        while 0 <= at < len(self.text):
            place = int(self._starts.searchsorted(at, "right")) - 1
            end = int(self._starts[place + 1])
            # Words with a separator in them may begin in one text and end in the next.
            if at + len(words) < end:
                yield place
                at = self.text.find(words, end)
            else:
                at = self.text.find(words, at + 1)
