"""Whole results of SELECT queries: what a server caps is fetched page by page, and the pages are counted.

What servers can do differs; it is probed once (`probe`) and kept as `Capabilities`, never guessed from a
server's name.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from time import monotonic

from arcaneqa.kb.allowance import spend
from arcaneqa.kb.endpoint.client import Client, Garbled, Oversized, Rejected, Row, TimedOut
from arcaneqa.kb.sparql.terms import iri, written
from arcaneqa.kb.terms import XSD, Literal
from arcaneqa.kb.values import value_of

_PAGE = 10_000
"""Rows asked for at a time; Virtuoso as shipped gives no more."""
_LISTED = (1000, 200, 40)
"""Names in a VALUES block: the first of these sizes that the server takes."""
_TOGETHER = 16
"""Pages asked for at a time: a server that runs out of rows is not asked for the rest."""
_BATCH = 50
"""Names in one query that counts or groups by them."""
MOST_ROWS = 20_000_000
"""Of one answer, so that it fits into memory."""
_CELLS = 16
"""A row takes as much memory as so many cells of an execution."""


@dataclass(frozen=True, slots=True)
class Capabilities:
    """`page` rows surely arrive in one answer; `listed` terms surely fit into one VALUES block;
    `whole_doubles` says whether results hold all digits of a number in floating point."""

    page: int
    listed: int
    whole_doubles: bool = True


@dataclass(frozen=True, slots=True)
class SelectQuery:
    """SELECT DISTINCT `variables` WHERE `where`: all of it."""

    variables: tuple[str, ...]
    where: str

    def text(self, limit: int) -> str:
        return f"SELECT DISTINCT {' '.join(self.variables)} WHERE {{ {self.where} }} LIMIT {limit}"

    def page(self, offset: int, limit: int) -> str:
        # Sorted inside and cut outside: Virtuoso limits how far a sorted result may be cut directly.
        # Sorted as text: Oxigraph's own order of terms of many types is none, and its server falls over that.
        names = " ".join(self.variables)
        order = " ".join(f"STR({x}) STR(DATATYPE({x})) LANG({x})" for x in self.variables)
        inner = f"SELECT DISTINCT {names} WHERE {{ {self.where} }} ORDER BY {order}"
        return f"SELECT {names} WHERE {{ {{ {inner} }} }} OFFSET {offset} LIMIT {limit}"

    def unsorted(self, offset: int, limit: int) -> str:
        """For who checks in the end that the pages together are everything."""
        return f"SELECT {' '.join(self.variables)} WHERE {{ {self.where} }} OFFSET {offset} LIMIT {limit}"

    def counted(self) -> str:
        inner = f"SELECT DISTINCT {' '.join(self.variables)} WHERE {{ {self.where} }}"
        return f"SELECT (COUNT(*) AS ?n) WHERE {{ {{ {inner} }} }}"


class Queries:
    def __init__(self, client: Client, capabilities: Capabilities) -> None:
        self.client = client
        self.capabilities = capabilities

    def all(self, questions: Sequence[SelectQuery], deadline: float | None = None) -> list[list[Row]]:
        """Every row of every question; the questions run side by side."""
        page = self.capabilities.page
        results = self.first(questions, page, deadline)
        return [
            rows if len(rows) < page else self._paged(question, deadline)
            for question, rows in zip(questions, results, strict=True)
        ]

    def first(
        self, questions: Sequence[SelectQuery], limit: int, deadline: float | None = None
    ) -> list[list[Row]]:
        """Up to `limit` rows of every question; `limit` is at most a page."""
        results = self.client.select_all([question.text(limit) for question in questions], deadline)
        for question, rows in zip(questions, results, strict=True):
            self._check(question, rows)
        return results

    def count(self, question: SelectQuery) -> int:
        return only_number(self.client.select(question.counted()))

    def _paged(self, question: SelectQuery, deadline: float | None) -> list[Row]:
        """All pages together have the deadline of one query, and end where the server has no more to say."""
        size = self.capabilities.page
        end = monotonic() + (self.client.deadline if deadline is None else deadline)
        total = self.count(question)
        if total > MOST_ROWS:
            raise Oversized(
                f"The endpoint {self.client.name} counts {total:,} rows for one query; no more than "
                f"{MOST_ROWS:,} are fetched, so ask something narrower."
            )
        rows: dict[Row, None] = {}
        offsets = range(0, total, size)
        for first in range(0, len(offsets), _TOGETHER):
            if (left := end - monotonic()) <= 0:
                raise TimedOut(
                    f"The endpoint {self.client.name} did not hand out {total:,} rows in time; "
                    "give it more with ARCANEQA_ENDPOINT_DEADLINE."
                )
            asked = [question.page(offset, size) for offset in offsets[first : first + _TOGETHER]]
            pages = self.client.select_all(asked, left)
            spend(_CELLS * sum(map(len, pages)))
            for page in pages:
                self._check(question, page)
                rows.update(dict.fromkeys(page))
            if not all(pages):
                break
        if len(rows) != total:
            raise Oversized(
                f"The endpoint {self.client.name} counts {total} rows but hands out {len(rows)}; it may be "
                "changing under the query, or cut results short. Try again."
            )
        return list(rows)

    def _check(self, question: SelectQuery, rows: Sequence[Row]) -> None:
        wanted = len(question.variables)
        if any(len(row) != wanted for row in rows):
            raise Garbled(
                f"The endpoint {self.client.name} sent rows without the {wanted} columns that were asked for."
            )


def whole_number(term: object) -> int:
    if isinstance(term, Literal):
        with suppress(ValueError, OverflowError):
            if (number := int(float(term.lexical))) >= 0:
                return number
    raise Garbled(f"The endpoint answered {term!r} where a count was asked for.")


def only_number(rows: Sequence[Row]) -> int:
    """The count that a query of one row asked for."""
    if not rows:
        raise Garbled("The endpoint answered nothing where a count was asked for.")
    return whole_number(rows[0][0])


def probe(client: Client) -> Capabilities:
    """What this server can do, by trying it on its own facts."""
    return Capabilities(_largest_page(client), _most_listed(client), _writes_whole_doubles(client))


def _writes_whole_doubles(client: Client) -> bool:
    number = Literal("1234567.125", XSD + "double")
    rows = client.select(f"SELECT ({written(number)} AS ?x) WHERE {{ ?s ?p ?o }} LIMIT 1")
    return all(isinstance(row[0], Literal) and value_of(row[0]) == value_of(number) for row in rows)


def _largest_page(client: Client) -> int:
    """A page that arrives whole: as many rows as we like to have, or as the server's cap allows."""
    facts = "SELECT ?s ?p ?o WHERE { ?s ?p ?o }"
    rows = len(client.select(f"{facts} LIMIT {_PAGE}"))
    if rows == _PAGE:
        return _PAGE
    more = client.select(f"{facts} OFFSET {rows} LIMIT 1")
    # Either that was every fact there is, or the server caps its results at what it sent.
    return _PAGE if not more else rows


def _most_listed(client: Client) -> int:
    for size in _LISTED:
        names = " ".join(f"<urn:arcaneqa:probe:a-name-of-usual-length:{number}>" for number in range(size))
        try:
            client.select(f"SELECT ?s ?o WHERE {{ VALUES ?s {{ {names} }} ?s ?p ?o }} LIMIT 1")
        except Rejected:
            continue
        return size
    raise Rejected(f"The endpoint {client.name} refuses every VALUES block; it does not speak SPARQL 1.1.")


def batches(names: Sequence[str]) -> list[Sequence[str]]:
    """The names in parts, one for each query."""
    return [names[start : start + _BATCH] for start in range(0, len(names), _BATCH)]


def iris(names: Iterable[str]) -> str:
    """As a VALUES block lists them."""
    return " ".join(map(iri, names))
