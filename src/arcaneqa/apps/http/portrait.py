"""What a visitor wants to know of the knowledge base first, and example questions that are answered well."""

from __future__ import annotations

import math
import re
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from arcaneqa.answer.answer import Answer
from arcaneqa.answer.arcaneqa import ArcaneQA
from arcaneqa.answer.entity_facts import facts_about, find_entity, step_named
from arcaneqa.apps.http.contract import Counted, EntityHit, EntityResponse, KnowledgeBaseResponse, facts_sent
from arcaneqa.induction.topics import describe
from arcaneqa.kb.terms import RDF, XSD, Literal
from arcaneqa.lab.synthesis.examples import example_questions, is_worth_showing
from arcaneqa.support.errors import ArcaneError

# Example questions that are answered well: made from the graph, chosen by the model and by variety.


COUNT = 6
"""Example questions on the page."""
ENOUGH = 18
"""Good examples after which no more are looked for; some of them are then chosen."""
SECONDS = 30.0
"""No more time than this goes into them, beside everything else."""
SURE = 0.75
"""Confidence with which an example must be answered, and by its own program."""
_AGAIN = {"forms": 0.2, "opening": 0.1, "name": 0.1}
"""What an example loses for each chosen one of the same forms, with the same first two words, or with a
class, relation or entity of it."""
_NAMES_SOMETHING = 0.2
"""What an example gains by naming what most is known of; by naming anything it gains a share of it."""
_A_LETTER, _A_RELATION = 0.002, 0.1
"""What each letter, and each relation after the first, costs: short questions are read, long ones are not."""
_READ = (None, f"{XSD}string", f"{RDF}langString")
_NAME = re.compile(r"[^\s()]*[a-z:][^\s()]*")
_FORM = re.compile(r"\(([A-Z]+)")


@dataclass(frozen=True, slots=True)
class _Asked:
    question: str
    program: str
    confidence: float
    facts: int
    relations: int

    @property
    def names(self) -> set[str]:
        return {name.removesuffix("_inv") for name in _NAME.findall(self.program)}

    @property
    def opening(self) -> list[str]:
        return self.question.lower().split()[:2]

    @property
    def forms(self) -> set[str]:
        return set(_FORM.findall(self.program))


class Suggestions:
    """Made once, beside everything else, when somebody first asks for them."""

    def __init__(self, qa: ArcaneQA) -> None:
        self._qa = qa
        self._made: list[str] = []
        self._end = threading.Event()
        self._beginning = threading.Lock()
        self._work: threading.Thread | None = None

    def within(self, seconds: float) -> list[str]:
        """None as long as they are not ready; whoever asks again gets them."""
        with self._beginning:
            if self._work is None and not self._end.is_set():
                self._work = threading.Thread(target=self._make, daemon=True)
                self._work.start()
        if self._work is not None:
            self._work.join(seconds)
        return self._made

    def close(self) -> None:
        self._end.set()
        with self._beginning:
            if self._work is not None:
                self._work.join()

    def _make(self) -> None:
        with suppress(ArcaneError):  # an endpoint that fails has no examples
            self._made = suggestions(self._qa, self._end.is_set)


def suggestions(qa: ArcaneQA, is_over: Callable[[], bool] = lambda: False, count: int = COUNT) -> list[str]:
    """Fewer, or none, where little can be asked or the model is not sure of much."""
    until = time.monotonic() + SECONDS
    found: list[_Asked] = []
    for example in example_questions(qa.kb):
        left = until - time.monotonic()
        if len(found) == ENOUGH or left <= 0 or is_over():
            break
        asked, program = example.question.question, example.question.program or ""
        relations = example.question.relations or 0
        answer = qa.ask(asked, seconds=left)
        confidence = answer.confidence or 0
        if answer.program == program and confidence >= SURE and _tells_something(answer):
            found.append(_Asked(asked, program, confidence, example.facts, relations))
    most = max((one.facts for one in found), default=0)
    chosen: list[_Asked] = []
    while found and len(chosen) < count:
        best = max(found, key=lambda one: _worth(one, chosen, most))
        found.remove(best)
        chosen.append(best)
    return [one.question for one in chosen]


def _tells_something(answer: Answer) -> bool:
    """Things with a name, numbers and dates, texts that are read at a glance; not what the question says."""
    read = [item.label or item.term for item in answer.items if item.datatype in _READ]
    return all(is_worth_showing(text) and text not in answer.question for text in read)


def _worth(one: _Asked, chosen: list[_Asked], most: int) -> float:
    same = sum(one.forms == other.forms for other in chosen)
    begun = sum(one.opening == other.opening for other in chosen)
    shared = sum(len(one.names & other.names) for other in chosen)
    fame = math.log1p(one.facts) / math.log1p(most) if most else 0.0
    gain = _NAMES_SOMETHING * fame - _A_LETTER * len(one.question) - _A_RELATION * max(one.relations - 1, 0)
    again = _AGAIN["forms"] * same + _AGAIN["opening"] * begun + _AGAIN["name"] * shared
    return one.confidence + gain - again


# What a visitor wants to know of the knowledge base before the first question.


MOST_COUNTED = 20
"""Relations and classes that a page shows."""
PATIENCE = 1.0
"""Seconds that a visitor waits for example questions; they are made when the service starts."""


class Portrait:
    def __init__(self, qa: ArcaneQA) -> None:
        self._qa = qa
        self._suggestions = Suggestions(qa)

    def knowledge_base(self) -> KnowledgeBaseResponse:
        return self._described.model_copy(update={"examples": self._suggestions.within(PATIENCE)})

    def close(self) -> None:
        self._suggestions.close()

    @cached_property
    def _described(self) -> KnowledgeBaseResponse:
        schema, short = self._qa.kb.schema, self._qa.names.short
        relations, classes = schema.shown_relations[:MOST_COUNTED], schema.shown_classes[:MOST_COUNTED]
        return KnowledgeBaseResponse(
            facts=schema.facts,
            relations=[Counted(name=short(r.iri), label=r.label, count=r.facts) for r in relations],
            classes=[Counted(name=short(c.iri), label=c.label, count=c.members) for c in classes],
            examples=[],
        )

    def entity(self, name: str, page: int, relation: str | None, inverse: bool) -> EntityResponse:
        kb = self._qa.kb
        node, namesakes = find_entity(kb, self._qa.linker, name)
        only = None if relation is None else step_named(kb, relation, inverse)
        return facts_sent(facts_about(kb, node, page, namesakes, only), page)

    def entities(self, prefix: str, limit: int) -> list[EntityHit]:
        kb = self._qa.kb
        found = self._qa.linker.suggest(prefix, limit)
        terms = kb.terms(np.array([candidate.node for candidate in found], np.int64))
        return [
            EntityHit(
                id=self._qa.names.write(term),
                label=candidate.label,
                description=describe(kb, candidate.node, candidate.label),
            )
            for candidate, term in zip(found, terms, strict=True)
            if not isinstance(term, Literal)
        ]
