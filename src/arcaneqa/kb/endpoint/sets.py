"""Sets that stay on the server until someone looks at their members, and the integers that stand for its
terms."""

from __future__ import annotations

import threading
from collections.abc import Iterable, Sequence

import numpy as np

from arcaneqa.kb.endpoint.client import Row
from arcaneqa.kb.endpoint.patterns import ListedNodes, Pattern, fresh_variables
from arcaneqa.kb.endpoint.queries import Capabilities, Queries, SelectQuery
from arcaneqa.kb.interface import Ids, NodeSet
from arcaneqa.kb.sparql.terms import iri, is_writable, respelled, written
from arcaneqa.kb.terms import Blank, Iri, Literal, Term
from arcaneqa.kb.values import value_of

# The integers that stand for an endpoint's terms, given out as terms appear.


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


# Sets that stay on the server until someone looks at their members.


Parts = tuple[Pattern, ...]


def members(pattern: Pattern, capabilities: Capabilities) -> SelectQuery:
    where = pattern.where("?x", fresh_variables())
    if capabilities.whole_doubles:
        return SelectQuery(("?x",), where)
    return SelectQuery(("?x", "?digits"), f"{where} BIND(STR(?x) AS ?digits)")


def member(row: Row) -> Term | None:
    return row[0] if len(row) == 1 else respelled(row[0], row[1])


class RemoteSet(NodeSet):
    """The union of some patterns. A set is peeked at once: a small one becomes its list of ids and from
    then on travels as that; a large one stays its query, and is counted or fetched only on demand."""

    __slots__ = ("_known", "_large", "_lock", "_nodes", "_parts", "_queries", "kept")

    def __init__(
        self,
        queries: Queries,
        nodes: Nodes,
        parts: Parts,
        known: Ids | None = None,
        large: bool = False,
    ) -> None:
        self._queries = queries
        self._nodes = nodes
        self._parts = parts
        self._known = known
        self._large = large
        self._lock = threading.RLock()
        self.kept: dict[str, Ids] = {}
        """What has been found to touch this set, by the question asked."""

    @property
    def ids(self) -> Ids:
        with self._lock:
            if self._peeked() is None:
                results = self._queries.all(self._questions())
                self._known = self._nodes.intern(member(row) for rows in results for row in rows)
            assert self._known is not None
            return self._known

    def __len__(self) -> int:
        known = self._peeked()
        if known is None and len(self._parts) == 1:
            return self._queries.count(self._questions()[0])
        return len(self.ids)

    def __bool__(self) -> bool:
        known = self._peeked()
        return known is None or len(known) > 0

    @property
    def small(self) -> Ids | None:
        """The ids, if they are known without much ado."""
        return self._peeked()

    @property
    def parts(self) -> Parts:
        """Patterns to build on: the list of a small set, the definition of a large one; none if empty."""
        known = self._peeked()
        return self._parts if known is None else self._naming(known)

    @property
    def sources(self) -> Parts:
        """Like `parts`, but of members that may be subjects or match by name. Not literals with a value: they
        match by value, and not every server tells two of them apart in a join."""
        known = self._peeked()
        if known is None:
            return self._parts
        terms = self._nodes.terms(known)
        return self._naming(known[[not _has_value(term) for term in terms]])

    @property
    def values(self) -> list[Literal]:
        """The members that are literals with a value."""
        terms = self._nodes.terms(self.ids)
        return [term for term in terms if isinstance(term, Literal) and _has_value(term)]

    def _questions(self) -> list[SelectQuery]:
        return [members(part, self._queries.capabilities) for part in self._parts]

    def _naming(self, ids: Ids) -> Parts:
        if not len(ids):
            return ()
        size = self._queries.capabilities.listed
        if -(-len(ids) // size) > len(self._parts) > 0:
            return self._parts
        texts = self._nodes.written(ids)
        return self._parts if texts is None else listed(texts, size)

    def _peeked(self) -> Ids | None:
        with self._lock:
            if self._known is None and not self._large:
                limit = self._queries.capabilities.listed + 1
                results = self._queries.first(self._questions(), limit)
                if any(len(rows) == limit for rows in results):
                    self._large = True
                else:
                    self._known = self._nodes.intern(member(row) for rows in results for row in rows)
            return self._known


def _has_value(term: Term) -> bool:
    return isinstance(term, Literal) and value_of(term) is not None


def listed(texts: Sequence[str], size: int) -> Parts:
    return tuple(ListedNodes(tuple(texts[start : start + size])) for start in range(0, len(texts), size))
