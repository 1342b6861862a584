"""What a visitor wants to know of the knowledge base before the first question."""

from __future__ import annotations

from functools import cached_property

import numpy as np

from arcaneqa.answer import ArcaneQA
from arcaneqa.entity_facts import facts_about, find_entity, step_named
from arcaneqa.induction.topics import describe
from arcaneqa.kb.terms import Literal
from arcaneqa.service.contract import (
    Counted,
    EntityHit,
    EntityResponse,
    KnowledgeBaseResponse,
)
from arcaneqa.service.items import facts_sent
from arcaneqa.service.suggestions import Suggestions

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
