"""What touches the members of every class, asked for many classes at once: induction wants to know all."""

from __future__ import annotations

import threading
from collections import defaultdict

from arcaneqa.kb.endpoint.discovery import Discovery
from arcaneqa.kb.endpoint.patterns import either
from arcaneqa.kb.endpoint.queries import Queries, Question
from arcaneqa.kb.endpoint.terms import iri
from arcaneqa.kb.terms import Iri

_BATCH = 50


class Classwise:
    """Answers are for asserted types; a class has those of its subclasses too."""

    def __init__(self, queries: Queries, discovery: Discovery) -> None:
        self._queries = queries
        self._types = either(discovery.profile.type)
        self._classes = [klass.iri for klass in discovery.schema.classes if klass.members]
        self._subclasses = discovery.subclasses
        self._lock = threading.Lock()
        self._answers: dict[str, dict[str, set[str]]] = {}

    def relations(self, klass: str, where: str) -> set[str]:
        """The relations `?r` for which a member `?x` fulfils the pattern."""
        with self._lock:
            answers = self._answers.get(where)
            if answers is None:
                answers = self._answers[where] = self._asked(where)
        names = (klass, *self._subclasses.get(klass, ()))
        return set().union(*(answers.get(name, set()) for name in names))

    def _asked(self, where: str) -> dict[str, set[str]]:
        questions = []
        for start in range(0, len(self._classes), _BATCH):
            listed = " ".join(map(iri, self._classes[start : start + _BATCH]))
            questions.append(
                Question(("?t", "?r"), f"VALUES ?t {{ {listed} }} ?x {self._types} ?t . {where}")
            )
        found: dict[str, set[str]] = defaultdict(set)
        for rows in self._queries.all(questions):
            for klass, relation in rows:
                if isinstance(klass, Iri) and isinstance(relation, Iri):
                    found[klass.value].add(relation.value)
        return found
