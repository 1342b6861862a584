"""Sets that stay on the server until someone looks at their members."""

from __future__ import annotations

import threading
from collections.abc import Sequence

from arcaneqa.kb.endpoint.client import Row
from arcaneqa.kb.endpoint.node_ids import Nodes
from arcaneqa.kb.endpoint.patterns import Listed, Pattern, fresh_variables
from arcaneqa.kb.endpoint.queries import Capabilities, Queries, Question
from arcaneqa.kb.interface import Ids, NodeSet
from arcaneqa.kb.sparql.terms import respelled
from arcaneqa.kb.terms import Literal, Term
from arcaneqa.kb.values import value_of

Parts = tuple[Pattern, ...]


def members(pattern: Pattern, capabilities: Capabilities) -> Question:
    where = pattern.where("?x", fresh_variables())
    if capabilities.whole_doubles:
        return Question(("?x",), where)
    return Question(("?x", "?digits"), f"{where} BIND(STR(?x) AS ?digits)")


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

    def _questions(self) -> list[Question]:
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
    return tuple(Listed(tuple(texts[start : start + size])) for start in range(0, len(texts), size))
