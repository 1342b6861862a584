"""The span head: learned from questions whose entities are known, over an encoder that stays as it is.

A mention is the span that names an entity of the question best; every other span that was looked up is none.
What the linker knows by words and names is given, so that the head learns only what the encoder adds. It sees
vectors, never words, and half of their numbers are hidden in training: it is not to learn names by heart.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from arcaneqa.linking.linker import Linker
from arcaneqa.linking.mentions import Text
from arcaneqa.model.reader import QuestionReader
from arcaneqa.model.span_head import SpanHead, stretch_vectors
from arcaneqa.model.stored import Floats
from arcaneqa.training.linker import Example, best_spans

HIDDEN = 32
"""Units of the span head."""
EPOCHS = 8
"""Over all spans."""
BATCH = 512
"""Spans an update."""
RATE = 1e-3
"""Adam's, falling to 0."""
DECAY = 0.02
"""Of weights, a step, times the rate."""
BLANKED = 0.5
"""Share of a stretch's numbers that training hides."""
MISSED = 6.0
"""Other spans that one mention counts for: a search can leave a link out, but not make one up."""
TRUST = 0.6
"""How much of the learned correction is kept: on knowledge bases never seen, all of it is too much."""
TOGETHER = 64
"""Questions read by the encoder at a time."""


@dataclass(frozen=True, slots=True)
class Spans:
    """`rows` are the encoder's vectors of spans, `known` the linker's log-odds, `right` which are mentions;
    each counts by `importance`."""

    rows: NDArray[np.float16]
    known: Floats
    right: Floats
    importance: Floats


def read_spans(linker: Linker, part: Sequence[Example], reader: QuestionReader) -> Spans:
    rows, known, right = [], [], []
    for start in range(0, len(part), TOGETHER):
        group = part[start : start + TOGETHER]
        considered = [linker.consider(Text.of(example.question)) for example in group]
        read = reader.read([example.question for example in group])
        for example, one, question in zip(group, considered, read, strict=True):
            vectors, met = stretch_vectors(question, [one.text.stretch(span) for span in one.spans])
            odds, _ = linker.plain_scores(one)
            meant = best_spans(linker, one, example.nodes)
            rows.append(vectors[met].astype(np.float16))
            known.append(odds[met])
            right.append(np.array([span in meant for span in one.spans])[met])
    joined = np.concatenate(right).astype(np.float32)
    each = np.full(len(joined), 1 / max(1, len(joined)), np.float32)
    return Spans(np.concatenate(rows), np.concatenate(known).astype(np.float32), joined, each)


def fit(sets: Sequence[Spans], seed: int = 0) -> SpanHead:
    """Logistic loss by Adam, in numpy: a few seconds for a hundred thousand spans."""
    rows = np.concatenate([one.rows for one in sets])
    known = np.concatenate([one.known for one in sets])
    right = np.concatenate([one.right for one in sets])
    importance = np.concatenate([one.importance for one in sets]) * np.where(right > 0, MISSED, 1)
    importance = (importance * len(importance) / importance.sum()).astype(np.float32)
    centre, spread = rows.mean(0, np.float32), rows.std(0, np.float32) + np.float32(1e-3)
    chance = np.random.default_rng(seed)
    weights = [
        (chance.normal(size=(rows.shape[1], HIDDEN)) / np.sqrt(rows.shape[1])).astype(np.float32),
        np.zeros(HIDDEN, np.float32),
        np.zeros(HIDDEN, np.float32),
        np.array([1.0, 0.0], np.float32),
    ]
    adam = _Adam(weights, EPOCHS * -(-len(rows) // BATCH))
    for _ in range(EPOCHS):
        order = chance.permutation(len(rows))
        for start in range(0, len(rows), BATCH):
            part = order[start : start + BATCH]
            shown = chance.random((len(part), rows.shape[1]), np.float32) >= BLANKED
            inputs = (rows[part] - centre) / spread * shown / np.float32(1 - BLANKED)
            adam.step(_gradients(weights, inputs, known[part], right[part], importance[part]))
    inward, bias, outward, (factor, added) = weights
    inward /= spread[:, None]
    own = np.array([1 + TRUST * (factor - 1), TRUST * added], np.float32)
    return SpanHead(inward, bias - centre @ inward, TRUST * outward, own)


def _gradients(
    weights: Sequence[Floats], inputs: Floats, known: Floats, right: Floats, importance: Floats
) -> list[Floats]:
    inward, bias, outward, base = weights
    hidden = np.maximum(inputs @ inward + bias, 0)
    odds = hidden @ outward + base[0] * known + base[1]
    error = (1 / (1 + np.exp(-np.clip(odds, -30, 30))) - right) * importance / len(right)
    back = np.outer(error, outward) * (hidden > 0)
    return [
        inputs.T @ back,
        back.sum(0),
        hidden.T @ error,
        np.array([error @ known, error.sum()], np.float32),
    ]


class _Adam:
    """Changes arrays in place; the rate falls to nothing over the given steps, matrices decay."""

    def __init__(self, weights: Sequence[Floats], steps: int) -> None:
        self._weights = weights
        self._steps = steps
        self._done = 0
        self._means = [np.zeros_like(one) for one in weights]
        self._squares = [np.zeros_like(one) for one in weights]

    def step(self, gradients: Sequence[Floats]) -> None:
        rate = RATE * (1 - self._done / self._steps)
        self._done += 1
        for one, gradient, mean, square in zip(
            self._weights, gradients, self._means, self._squares, strict=True
        ):
            mean += 0.1 * (gradient - mean)
            square += 0.001 * (gradient**2 - square)
            corrected = mean / (1 - 0.9**self._done)
            spread = np.sqrt(square / (1 - 0.999**self._done))
            if one.ndim == 2:
                one -= rate * DECAY * one
            one -= rate * corrected / (spread + 1e-8)
