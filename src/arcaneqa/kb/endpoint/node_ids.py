"""The integers that stand for an endpoint's terms, given out as terms appear."""

from __future__ import annotations

import threading
from collections.abc import Iterable

import numpy as np

from arcaneqa.kb.endpoint.queries import Queries
from arcaneqa.kb.interface import Ids
from arcaneqa.kb.sparql.terms import iri, is_writable, written
from arcaneqa.kb.terms import Blank, Iri, Literal, Term


class Nodes:
    """Terms ⇄ ids; safe to share between threads."""

    def __init__(self, queries: Queries) -> None:
        self._queries = queries
        self._lock = threading.Lock()
        self._terms: list[Term] = []
        self._ids: dict[Term, int] = {}
        self._blanks_have_names: bool | None = None

    def intern(self, terms: Iterable[Term | None]) -> Ids:
        """Ids of the terms, sorted and without repeats; what is unbound is left out."""
        with self._lock:
            found = {self._id(term) for term in terms if term is not None}
        return np.array(sorted(found), np.int64)

    def intern_each(self, terms: Iterable[Term]) -> Ids:
        """Ids of the terms, in their order."""
        with self._lock:
            return np.fromiter((self._id(term) for term in terms), np.int64)

    def terms(self, ids: Ids) -> list[Term]:
        return [self._terms[position] for position in ids.tolist()]

    def known(self, term: Term) -> int | None:
        return self._ids.get(term)

    def written(self, ids: Ids) -> tuple[str, ...] | None:
        """The nodes as SPARQL text; None where one of them is a blank node that cannot be named."""
        texts = []
        for term in self.terms(ids):
            text = self._written(term)
            if text is None:
                return None
            texts.append(text)
        return tuple(texts)

    def _id(self, term: Term) -> int:
        number = self._ids.get(term)
        if number is None:
            number = self._ids[term] = len(self._terms)
            self._terms.append(term)
        return number

    def _written(self, term: Term) -> str | None:
        if isinstance(term, Iri | Literal):
            return written(term)
        return iri(term.label) if self._has_name(term) else None

    def _has_name(self, blank: Blank) -> bool:
        """Some servers take a blank node's label for an IRI; the first one met tells."""
        if ":" not in blank.label or not is_writable(Iri(blank.label)):
            return False
        if self._blanks_have_names is None:
            listed = f"VALUES ?x {{ {iri(blank.label)} }}"
            mentions = f"{{ {listed} ?x ?p ?o }} UNION {{ {listed} ?s ?p ?x }}"
            rows = self._queries.client.select(f"SELECT ?x WHERE {{ {mentions} }} LIMIT 1")
            self._blanks_have_names = any(row[0] is not None for row in rows)
        return self._blanks_have_names
