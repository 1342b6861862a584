"""A server's own search for words of names, where it has one; which it is, is found by trying.

Each dialect is a few lines of SPARQL: names `?l` of `?x` by one predicate that hold all of some words. Only
Virtuoso's was tried on a real server; the others were written without one at hand.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from arcaneqa.errors import EndpointError
from arcaneqa.kb.endpoint.queries import Queries, Question
from arcaneqa.kb.sparql.terms import iri, quoted
from arcaneqa.kb.terms import Literal

_WORD = re.compile(r"\w+")
_SHORTEST_PREFIX = 4
"""Letters that Virtuoso wants before a star."""
_PATIENCE = 5.0
"""Seconds that a server gets to show that it can."""
_MOST = 200
"""Hits of a search for words."""


@dataclass(frozen=True, slots=True)
class TextSearch:
    """`pattern` binds ?x and ?l, given a predicate and words of letters and digits; a word with a star at its
    end stands for all that begin so."""

    name: str
    pattern: Callable[[str, Sequence[str]], str]

    def question(self, predicates: Sequence[str], words: Sequence[str]) -> Question:
        each = (f"{{ {self.pattern(predicate, words)} }}" for predicate in predicates)
        return Question(("?x", "?l"), " UNION ".join(each))


def _virtuoso(predicate: str, words: Sequence[str]) -> str:
    wanted = " AND ".join(f"'{word}'" for word in words)
    return f"?x {iri(predicate)} ?l . ?l <bif:contains> {quoted(wanted)}"


def _jena(predicate: str, words: Sequence[str]) -> str:
    wanted = f"({iri(predicate)} {quoted(' AND '.join(words))} {_MOST})"
    return f"(?x ?score ?l) <http://jena.apache.org/text#query> {wanted}"


def _graphdb(predicate: str, words: Sequence[str]) -> str:
    return f"?l <http://www.ontotext.com/fts> {quoted(' AND '.join(words))} . ?x {iri(predicate)} ?l"


def _qlever(predicate: str, words: Sequence[str]) -> str:
    builtin = "http://qlever.cs.uni-freiburg.de/builtin-functions/"
    text = f"?t {iri(builtin + 'contains-entity')} ?l . "
    text += f"?t {iri(builtin + 'contains-word')} {quoted(' '.join(words))}"
    return f"?x {iri(predicate)} ?l . {text}"


DIALECTS = {
    search.name: search
    for search in (
        TextSearch("Virtuoso's bif:contains", _virtuoso),
        TextSearch("Jena's text:query", _jena),
        TextSearch("GraphDB's onto:fts", _graphdb),
        TextSearch("QLever's ql:contains-word", _qlever),
    )
}


def words_to_seek(text: str) -> list[str]:
    """The words of a text as a search may have them, so that nothing in it is taken for an operator."""
    return [word for word in _WORD.findall(text.lower()) if word not in ("and", "or", "not", "near")]


def with_star(words: Sequence[str]) -> list[str]:
    """The last word may be unfinished, if there is enough of it."""
    return [*words[:-1], words[-1] + "*" * (len(words[-1]) >= _SHORTEST_PREFIX)]


def find_text_search(queries: Queries, predicates: Sequence[str]) -> str | None:
    """The dialect in which the server finds one of its own names by a word of it."""
    for predicate in predicates:
        named = Question(("?l",), f"?x {iri(predicate)} ?l . FILTER(isIRI(?x) && isLiteral(?l))")
        for (name,) in queries.first([named], 3)[0]:
            words = words_to_seek(name.lexical) if isinstance(name, Literal) else []
            word = max(words, key=len, default="")
            if word.isascii() and len(word) >= _SHORTEST_PREFIX:
                return next((each for each in DIALECTS if _finds(queries, each, predicate, word)), None)
    return None


def _finds(queries: Queries, dialect: str, predicate: str, word: str) -> bool:
    question = DIALECTS[dialect].question([predicate], [word])
    try:
        rows = queries.first([question], 1, _PATIENCE)[0]
    except EndpointError:
        return False
    return any(isinstance(name, Literal) and word in name.lexical.lower() for _, name in rows)
