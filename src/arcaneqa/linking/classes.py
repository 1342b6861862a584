"""Answer types: the classes of a knowledge base ranked by how near they are to what a question asks for."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import numpy as np

from arcaneqa.kb.interface import KnowledgeBase
from arcaneqa.linking.links import ClassLink

MOST_CLASSES = 10
SHARPNESS = 40.0
"""Turns differences of nearness into log-probabilities; by the likelihood of gold classes."""
KNOWN = 0.01
"""What a class gains by being large: people ask for what there is much of."""


class Nearness(Protocol):
    """How near texts are in meaning; a model's encoder knows."""

    def nearest(self, question: str, texts: Sequence[str]) -> tuple[Sequence[int], Sequence[float]]:
        """Places of texts with their nearness, at most 1; of very many texts only of the likelier ones."""


class AnswerTypes:
    def __init__(self, kb: KnowledgeBase, nearness: Nearness) -> None:
        visible = [klass for klass in kb.schema.classes if not klass.hidden and klass.label]
        self._ids = [klass.id for klass in visible]
        self._labels = [klass.label for klass in visible]
        self._known = KNOWN * np.log1p([klass.members for klass in visible])
        self._nearness = nearness

    def rank(self, question: str) -> list[ClassLink]:
        """The nearest classes, likeliest first."""
        places, nearness = self._nearness.nearest(question, self._labels)
        if not places:
            return []
        scores = SHARPNESS * (np.array(nearness, np.float64) + self._known[list(places)])
        best = np.argsort(-scores, kind="stable")[:MOST_CLASSES]
        scores -= np.logaddexp.reduce(scores[best])
        return [ClassLink(self._ids[places[n]], float(scores[n])) for n in best.tolist()]
