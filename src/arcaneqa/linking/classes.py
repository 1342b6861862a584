"""Answer types: the classes of a knowledge base ranked by how well their words fit what is asked for."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterator

import numpy as np

from arcaneqa.kb.interface import KnowledgeBase
from arcaneqa.linking.forms import split, stem
from arcaneqa.linking.links import ClassLink
from arcaneqa.linking.mentions import Text
from arcaneqa.linking.vocabulary import STOP_WORDS, kindred_words

MOST_CLASSES = 10
ASKING = frozenset({"which", "what", "whose", "many", "name", "list", "find", "give", "show"})
"""What is asked for stands right after these words."""
IMPLIED = {"who": ("person", "people"), "whom": ("person", "people"), "where": ("place", "location")}
NEAR = 5
ROOT = 5
SHARPNESS = 6.0


class AnswerTypes:
    def __init__(self, kb: KnowledgeBase) -> None:
        visible = [klass for klass in kb.schema.classes if not klass.hidden]
        self._ids = [klass.id for klass in visible]
        holders: dict[str, list[int]] = defaultdict(list)
        parts = [[stem(part) for part in split(klass.label)] for klass in visible]
        for number, words in enumerate(parts):
            for word in set(words) - STOP_WORDS:
                holders[word].append(number)
        self._holders = {word: np.array(numbers) for word, numbers in holders.items()}
        self._weights = {word: math.log(1 + len(visible) / len(n)) for word, n in holders.items()}
        totals = [sum(self._weights.get(word, 0.0) for word in set(words)) for words in parts]
        self._totals = np.maximum(np.array(totals), 1e-9)
        heads: dict[str, list[int]] = defaultdict(list)
        for number, words in enumerate(parts):
            if words:
                heads[words[-1]].append(number)
        self._heads = {word: np.array(numbers) for word, numbers in heads.items()}
        self._kindred = kindred_words()
        self._roots: dict[str, list[str]] = defaultdict(list)
        for word in holders:
            self._roots[word[:ROOT]].append(word)
        members = np.array([klass.members for klass in visible], dtype=np.float64)
        self._known = np.log1p(members) / 40

    def rank(self, text: Text) -> list[ClassLink]:
        """The classes with a word in common with the question, likeliest first."""
        said = self._said(text)
        covered = np.zeros(len(self._ids))
        named = np.zeros(len(self._ids))
        for word, emphasis in said.items():
            if word in self._holders:
                covered[self._holders[word]] += emphasis * self._weights[word]
            if word in self._heads:
                heads = self._heads[word]
                named[heads] = np.maximum(named[heads], emphasis)
        scores = np.where(covered > 0, covered / self._totals + named / 2 + self._known, -np.inf)
        best = np.argsort(-scores, kind="stable")[:MOST_CLASSES]
        best = best[np.isfinite(scores[best])]
        if not len(best):
            return []
        logits = SHARPNESS * scores[best]
        logits -= np.logaddexp.reduce(logits)
        return [ClassLink(self._ids[n], float(logit)) for n, logit in zip(best, logits, strict=True)]

    def _said(self, text: Text) -> dict[str, float]:
        """Stems of the question with their emphasis: what follows a question word counts most."""
        said: dict[str, float] = {}
        since = NEAR + 1
        for word in text.words:
            since = 0 if word.folded in ASKING else since + 1
            for implied in IMPLIED.get(word.folded, ()):
                said[implied] = max(said.get(implied, 0.0), 0.6)
            if word.folded not in STOP_WORDS:
                emphasis = 1.0 if since <= NEAR else 0.7
                for other, likeness in self._alike(word.folded):
                    said[other] = max(said.get(other, 0.0), emphasis * likeness)
        return said

    def _alike(self, word: str) -> Iterator[tuple[str, float]]:
        """The word itself, what else it may be called, and words of one root (invented, inventor)."""
        yield stem(word), 1.0
        for other in {*self._kindred.get(word, ()), *self._kindred.get(word.removesuffix("s"), ())}:
            yield other, 0.8
        if len(word) > ROOT:
            for other in self._roots.get(word[:ROOT], ()):
                yield other, 0.5
