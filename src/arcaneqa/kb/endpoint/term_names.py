"""Terms, names and how often a node is mentioned: asked in batches, side by side."""

from __future__ import annotations

from collections.abc import Container, Iterator, Sequence

import numpy as np

from arcaneqa.kb.endpoint.client import Rejected, TimedOut, Unsupported
from arcaneqa.kb.endpoint.naming import Called, Naming
from arcaneqa.kb.endpoint.node_ids import Nodes
from arcaneqa.kb.endpoint.patterns import either
from arcaneqa.kb.endpoint.queries import Queries, Question, whole_number
from arcaneqa.kb.endpoint.text_search import TextSearch, with_star, words_to_seek
from arcaneqa.kb.interface import Ids
from arcaneqa.kb.profile import Profile
from arcaneqa.kb.sparql.terms import is_writable, written
from arcaneqa.kb.terms import RDF_LANG_STRING, Iri, Literal, Term

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
        rows = self._queries.first([Question(("?x",), facts)], 1)[0]
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
            questions.append(Question(("?x", "?n"), f"{{ {grouped} }}"))
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
            Question(("?x", "?l"), f"VALUES ?l {{ {' '.join(chunk)} }} ?x {self._names} ?l")
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
        question = Question(("?x", "?l"), f"?x {self._names} ?l . FILTER({begins})")
        if self._search is not None and (words := words_to_seek(prefix.lexical)):
            sought = self._search.question(self._predicates, with_star(words))
            question = Question(sought.variables, f"{sought.where} FILTER({begins})")
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
