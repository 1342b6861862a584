"""Terms and what they are called, and a server's own search for words of names."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections import defaultdict
from collections.abc import Callable, Container, Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from arcaneqa.kb.endpoint.client import Rejected, Row, TimedOut, Unsupported
from arcaneqa.kb.endpoint.patterns import either
from arcaneqa.kb.endpoint.queries import Queries, SelectQuery, whole_number
from arcaneqa.kb.endpoint.sets import Nodes
from arcaneqa.kb.interface import Ids
from arcaneqa.kb.names.called import FOREIGN, tier_of
from arcaneqa.kb.names.surfaces import Surfaces
from arcaneqa.kb.profile import Profile
from arcaneqa.kb.sparql.terms import iri, is_writable, quoted, written
from arcaneqa.kb.terms import RDF_LANG_STRING, Iri, Literal, Term
from arcaneqa.support.errors import EndpointError

# What nodes are called: one label in the preferred language, and the other names.


class Harvested(Surfaces, ABC):
    """Names that were fetched before: found like those of an index, and read without asking the server."""

    made: float

    @abstractmethod
    def labels(self, terms: Sequence[Term]) -> list[str | None]: ...

    @abstractmethod
    def aliases(self, terms: Sequence[Term]) -> list[list[str]]: ...


@dataclass(frozen=True, slots=True)
class Called:
    """`tier` is how good the label is by its language."""

    label: str | None
    others: list[str]
    tier: int


def name_predicates(profile: Profile) -> tuple[str, ...]:
    """Predicates that name, those of labels first."""
    named = [name for name in (*profile.label, *profile.names) if name not in profile.alias]
    return tuple(dict.fromkeys((*named, *profile.alias)))


class Naming:
    """The profile's way to choose: preferred language, then untagged, then foreign; earlier predicates first.
    Foreign names other than the label are left out."""

    def __init__(self, profile: Profile, present: Container[str]) -> None:
        """`present` are the predicates that occur at all."""
        self._language = profile.language.lower()
        self._predicates = [
            (name, name in profile.alias) for name in name_predicates(profile) if name in present
        ]

    def questions(self, listed: str) -> list[SelectQuery]:
        """One for each predicate: servers plan that better than a choice of predicates."""
        nodes = f"VALUES ?x {{ {listed} }}"
        return [
            SelectQuery(("?x", "?l"), f"{nodes} ?x {iri(name)} ?l . FILTER(isLiteral(?l))")
            for name, _ in self._predicates
        ]

    def sorted_out(self, results: Iterable[Iterable[Row]]) -> dict[Term, Called]:
        """From the results of the questions, of one or several lists."""
        by_node: dict[Term, list[tuple[bool, int, int, str]]] = defaultdict(list)
        for number, rows in enumerate(results):
            place = number % len(self._predicates)
            is_alias = self._predicates[place][1]
            for node, name in rows:
                if isinstance(name, Literal) and node is not None:
                    by_node[node].append(
                        (is_alias, tier_of(name.language.lower(), self._language), place, name.lexical)
                    )
        return {node: _called(sorted(names)) for node, names in by_node.items()}


def _called(names: list[tuple[bool, int, int, str]]) -> Called:
    is_alias, tier, _, first = names[0]
    label = None if is_alias else first
    others = names if label is None else names[1:]
    return Called(label, [lexical for _, tier, _, lexical in others if tier < FOREIGN], tier)


# A server's own search for words of names, where it has one; which it is, is found by trying.


_WORD = re.compile(r"\w+")
_SHORTEST_PREFIX = 4
"""Letters that Virtuoso wants before a star."""
_SEARCH_PATIENCE = 5.0
"""Seconds that a server gets to show that it can."""
_MOST = 200
"""Hits of a search for words."""


@dataclass(frozen=True, slots=True)
class TextSearch:
    """`pattern` binds ?x and ?l, given a predicate and words of letters and digits; a word with a star at its
    end stands for all that begin so."""

    name: str
    pattern: Callable[[str, Sequence[str]], str]

    def question(self, predicates: Sequence[str], words: Sequence[str]) -> SelectQuery:
        each = (f"{{ {self.pattern(predicate, words)} }}" for predicate in predicates)
        return SelectQuery(("?x", "?l"), " UNION ".join(each))


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
        named = SelectQuery(("?l",), f"?x {iri(predicate)} ?l . FILTER(isIRI(?x) && isLiteral(?l))")
        for (name,) in queries.first([named], 3)[0]:
            words = words_to_seek(name.lexical) if isinstance(name, Literal) else []
            word = max(words, key=len, default="")
            if word.isascii() and len(word) >= _SHORTEST_PREFIX:
                return next((each for each in DIALECTS if _finds(queries, each, predicate, word)), None)
    return None


def _finds(queries: Queries, dialect: str, predicate: str, word: str) -> bool:
    question = DIALECTS[dialect].question([predicate], [word])
    try:
        rows = queries.first([question], 1, _SEARCH_PATIENCE)[0]
    except EndpointError:
        return False
    return any(isinstance(name, Literal) and word in name.lexical.lower() for _, name in rows)


# Terms, names and how often a node is mentioned: asked in batches, side by side.


_PATIENCE = 2.0
"""Seconds that somebody who types will wait for proposals."""
_KNOWN = 5
"""Entities looked at for each one that is wanted: the best known of them are proposed."""


class TermNames:
    def __init__(
        self,
        queries: Queries,
        nodes: Nodes,
        profile: Profile,
        present: Container[str],
        search: TextSearch | None = None,
    ) -> None:
        """`search` is the server's own for words of names, if it has one."""
        self._queries = queries
        self._nodes = nodes
        self._naming = Naming(profile, present)
        self._predicates = tuple(name for name in (*profile.label, *profile.alias) if name in present)
        self._names = either(self._predicates)
        self._search = search
        self._language = profile.language
        self._too_slow = False

    def mentioned(self, term: Iri | Literal) -> Term | None:
        """The term as the server writes it, if any fact mentions it."""
        facts = f"VALUES ?x {{ {written(term)} }} ?s ?p ?x"
        if isinstance(term, Iri):
            facts = f"{{ {facts} }} UNION {{ VALUES ?x {{ {written(term)} }} ?x ?p ?o }}"
        rows = self._queries.first([SelectQuery(("?x",), facts)], 1)[0]
        return rows[0][0] if rows else None

    def called(self, terms: Sequence[Term]) -> dict[Term, Called]:
        names = list(dict.fromkeys(term for term in terms if isinstance(term, Iri)))
        texts = [written(name) for name in names]
        questions = [
            question for chunk in self._chunks(texts) for question in self._naming.questions(" ".join(chunk))
        ]
        return self._naming.sorted_out(self._queries.all(questions))

    def degrees(self, ids: Ids) -> Ids:
        distinct = np.unique(ids)
        nameable = [node for node in distinct.tolist() if self._nodes.written(np.array([node])) is not None]
        texts = self._nodes.written(np.array(nameable, np.int64)) or ()
        questions = []
        for chunk in self._chunks(texts):
            values = f"VALUES ?x {{ {' '.join(chunk)} }}"
            facts = f"{{ {values} ?x ?p ?o }} UNION {{ {values} ?o ?p ?x }}"
            grouped = f"SELECT ?x (COUNT(*) AS ?n) WHERE {{ {facts} }} GROUP BY ?x"
            questions.append(SelectQuery(("?x", "?n"), f"{{ {grouped} }}"))
        counts = {
            self._nodes.known(term): whole_number(count)
            for rows in self._queries.all(questions)
            for term, count in rows
            if term is not None
        }
        return np.array([counts.get(node, 0) for node in ids.tolist()], np.int64)

    def search(self, texts: Sequence[str]) -> list[list[int]]:
        """Nodes that have one of the profile's names with this text, in a few variants of case."""
        if not self._names:
            return [[] for _ in texts]
        wanted: dict[Literal, set[int]] = {}
        for place, text in enumerate(texts):
            for variant in _variants(text):
                for form in (Literal(variant), Literal(variant, RDF_LANG_STRING, self._language)):
                    if is_writable(form):
                        wanted.setdefault(form, set()).add(place)
        questions = [
            SelectQuery(("?x", "?l"), f"VALUES ?l {{ {' '.join(chunk)} }} ?x {self._names} ?l")
            for chunk in self._chunks([written(form) for form in wanted])
        ]
        by_text: dict[tuple[str, str], set[int]] = {}
        for form, places in wanted.items():
            by_text.setdefault((form.lexical, form.language), set()).update(places)
        found: list[set[int]] = [set() for _ in texts]
        for rows in self._queries.all(questions):
            for term, name in rows:
                if term is not None and isinstance(name, Literal):
                    node = int(self._nodes.intern([term])[0])
                    for place in by_text.get((name.lexical, name.language), ()):
                        found[place].add(node)
        return [sorted(nodes) for nodes in found]

    def containing(self, texts: Sequence[str], limit: int) -> list[list[int]]:
        """Nodes one of whose names holds all words of the text, where the server can search for words."""
        if self._search is None:
            return [[] for _ in texts]
        sought = [words_to_seek(text) for text in texts]
        questions = [self._search.question(self._predicates, words) for words in sought if words]
        found = iter(self._queries.first(questions, min(limit, self._queries.capabilities.page)))
        return [
            self._nodes.intern_each(
                dict.fromkeys(row[0] for row in next(found) if isinstance(row[0], Iri))
            ).tolist()
            if words
            else []
            for words in sought
        ]

    def beginning(self, typed: str, limit: int) -> list[int]:
        """Entities one of whose names begins so, in whatever case, the most mentioned first.

        Plain SPARQL can only look through all names for that. Whether a server does so in time is found by
        trying; one that does not is not tried again.
        """
        prefix = Literal(" ".join(typed.lower().split()))
        if not self._names or not prefix.lexical or not is_writable(prefix):
            return []
        begins = f"isIRI(?x) && isLiteral(?l) && STRSTARTS(LCASE(STR(?l)), {written(prefix)})"
        question = SelectQuery(("?x", "?l"), f"?x {self._names} ?l . FILTER({begins})")
        if self._search is not None and (words := words_to_seek(prefix.lexical)):
            sought = self._search.question(self._predicates, with_star(words))
            question = SelectQuery(sought.variables, f"{sought.where} FILTER({begins})")
        try:
            if self._too_slow:
                raise TimedOut("Tried before.")
            rows = self._queries.first([question], _KNOWN * limit, _PATIENCE)[0]
        except (TimedOut, Rejected):
            self._too_slow = True
            raise Unsupported(
                f"The endpoint {self._queries.client.name} does not look through its names within "
                f"{_PATIENCE:g} seconds; ask with whole names, which it finds."
            ) from None
        shortest: dict[Term, int] = {}
        for term, name in rows:
            if term is not None and isinstance(name, Literal):
                shortest[term] = min(len(name.lexical), shortest.get(term, len(name.lexical)))
        nodes = self._nodes.intern_each(shortest)
        order = np.lexsort((np.array(list(shortest.values())), -self.degrees(nodes)))
        found: list[int] = nodes[order].tolist()
        return found[:limit]

    def _chunks(self, texts: Sequence[str]) -> Iterator[Sequence[str]]:
        size = self._queries.capabilities.listed
        return (texts[start : start + size] for start in range(0, len(texts), size))


def _variants(text: str) -> tuple[str, ...]:
    """As written, as a title, as a sentence begins, all small, all capital."""
    text = " ".join(text.split())
    title = " ".join(word[:1].upper() + word[1:] for word in text.split(" "))
    return tuple(dict.fromkeys((text, title, text[:1].upper() + text[1:], text.lower(), text.upper())))
