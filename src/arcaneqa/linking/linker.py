"""The linker: a question goes in, mentions with ranked entities, literals and likely classes come out."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from arcaneqa.kb.interface import KnowledgeBase
from arcaneqa.linking.features import NAMES, Featuriser
from arcaneqa.linking.forms import stem
from arcaneqa.linking.links import EntityCandidate, Links, MentionLink
from arcaneqa.linking.literals import find_literals
from arcaneqa.linking.mentions import Match, Proposal, Proposer, Span, Text
from arcaneqa.linking.surfaces import Surfaces
from arcaneqa.linking.vocabulary import known_short_forms
from arcaneqa.linking.weights import Weights, bundled

PER_MENTION = 5
MOST_MENTIONS = 6
LEAST_LIKELY = math.log(0.02)
"""Mentions less likely than this are left out."""
MOST_PROPOSALS = 200


class Linker:
    """Links questions to one knowledge base.

    `weights` are the bundled ones unless others were trained; `limit` is how many entities a mention keeps.
    """

    def __init__(self, kb: KnowledgeBase, weights: Weights | None = None, limit: int = PER_MENTION) -> None:
        self._kb = kb
        self._weights = bundled() if weights is None else weights
        self._limit = limit
        folder: Path = kb.folder  # type: ignore[attr-defined]
        self._surfaces = Surfaces(folder)
        short_forms = {**known_short_forms(), **self._weights.short_forms}
        self._proposer = Proposer(self._surfaces, short_forms)
        self._featuriser = Featuriser(kb, self._weights)
        self._vector = np.array([self._weights.features.get(name, 0.0) for name in NAMES])

    def link(self, question: str) -> Links:
        text = Text.of(question)
        proposals, rows, labels = self.considered(text)
        mentions = self._mentions(text, proposals, rows @ self._vector, labels)
        literals = find_literals(text.question[:4000], self._kb)
        return Links(question, tuple(mentions), tuple(literals))

    def considered(self, text: Text) -> tuple[list[Proposal], NDArray[np.float64], dict[int, str]]:
        """Every proposal with its features, and the labels of the entities proposed."""
        proposals = _most_promising(self._proposer.propose(text))
        nodes = list(dict.fromkeys(proposal.node for proposal in proposals))
        names = self._kb.labels(np.array(nodes, dtype=np.int64)) if nodes else []
        labels = {node: name or "" for node, name in zip(nodes, names, strict=True)}
        rows = self._featuriser.features(text, proposals, labels, self._rarity(text))
        return proposals, rows, labels

    def _rarity(self, text: Text) -> dict[str, float]:
        stems = list({stem(word.folded) for word in text.words})
        size = math.log1p(len(self._surfaces))
        return {
            word: 1 - math.log1p(count) / size for word, count in self._surfaces.frequencies(stems).items()
        }

    def _mentions(
        self, text: Text, proposals: Sequence[Proposal], logits: NDArray[np.float64], labels: dict[int, str]
    ) -> list[MentionLink]:
        by_span: dict[Span, list[tuple[float, int]]] = {}
        taken: set[int] = set()
        for number in np.argsort(-logits, kind="stable").tolist():
            node = proposals[number].node
            if node not in taken:  # an entity belongs to the span that names it best
                taken.add(node)
                by_span.setdefault(proposals[number].span, []).append((float(logits[number]), node))
        links: list[MentionLink] = []
        for span, scored in by_span.items():
            chosen = scored[: self._limit]
            total = float(np.logaddexp.reduce([score for score, _ in chosen]))
            start, end = text.words[span.first].start, text.words[span.last - 1].end
            candidates = tuple(EntityCandidate(node, labels[node], score - total) for score, node in chosen)
            score = -float(np.logaddexp(0, -chosen[0][0]))
            links.append(MentionLink(start, end, text.question[start:end], score, candidates))
        links.sort(key=lambda link: -link.score)
        likely = [link for link in links if link.score > LEAST_LIKELY] or links[:1]
        return likely[:MOST_MENTIONS]


def _most_promising(proposals: list[Proposal]) -> list[Proposal]:
    """A bound on work: whole and longer names first."""
    if len(proposals) <= MOST_PROPOSALS:
        return proposals
    proposals.sort(
        key=lambda proposal: (proposal.match > Match.KNOWN, proposal.span.first - proposal.span.last)
    )
    return proposals[:MOST_PROPOSALS]
