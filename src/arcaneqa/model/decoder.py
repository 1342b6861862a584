"""The decoder as arrays: what `network.Network` does at training, one step at a time and without gradients.

A test holds both to the same log-probabilities.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from arcaneqa.errors import ModelError
from arcaneqa.model.config import KIND_INDEX
from arcaneqa.model.reader import softmax
from arcaneqa.model.recurrent import read_words
from arcaneqa.model.stored import Floats, Stored
from arcaneqa.ragged import Ints

_HALF = np.float32(0.5)


class Decoder:
    def __init__(self, stored: Stored, width: int) -> None:
        config = stored.config
        self.hidden = hidden = config.hidden

        def weight(name: str, *shape: int) -> Floats:
            found = stored.floats(name)
            if found.shape != shape:
                raise ModelError(
                    f"the weights in {stored.folder} do not fit its configuration: "
                    f"{name} is {found.shape}, not {shape}"
                )
            return found

        kinds = len(KIND_INDEX)
        self._question = _Cell(
            weight("question_lstm.weight_ih_l0", 4 * hidden, width),
            weight("question_lstm.weight_hh_l0", 4 * hidden, hidden),
            weight("question_lstm.bias_ih_l0", 4 * hidden) + weight("question_lstm.bias_hh_l0", 4 * hidden),
        )
        self._step = _Cell(
            weight("cell.weight_ih", 4 * hidden, 2 * hidden),
            weight("cell.weight_hh", 4 * hidden, hidden),
            weight("cell.bias_ih", 4 * hidden) + weight("cell.bias_hh", 4 * hidden),
        )
        self._candidate = (
            (weight("candidate.weight", hidden, width), weight("candidate.bias", hidden))
            if config.projected
            else None
        )
        spans = config.projected and not config.late_spans
        self._span = weight("span.weight", hidden, width) if spans else None
        self._made = weight("made.weight", hidden, hidden) if config.projected else None
        self._kind = weight("kind.weight", kinds, hidden) if config.kinds else None
        self.forced = None if config.reads_forced else weight("forced.weight", kinds, hidden)
        self.start = np.zeros(hidden, np.float32) if config.question_start else weight("start", hidden)
        self._alone = (
            (weight("alone.weight", width, width), weight("alone.bias", width))
            if config.question_start
            else None
        )
        self.mention_width = hidden if config.late_spans else width
        self._entity_text, self._made_text = config.entity_text, config.made_text
        self._query = (
            (weight("query.weight", hidden, 2 * hidden), weight("query.bias", hidden))
            if config.attentive
            else None
        )
        self._relevance = (
            (
                weight("relevance.0.weight", hidden, width),
                weight("relevance.0.bias", hidden),
                weight("relevance.2.weight", 1, hidden)[0],
            )
            if config.relevance
            else None
        )

    def read_question(self, words: Floats) -> Floats:
        """Q_t: the words `[n, longest, width]` of questions, each word with those before it."""
        return read_words(self._question.inputs(words), self._question.recurrent)

    def read_alone(self, words: Floats) -> Floats:
        """One question by itself, as the decoder's start sees it: its words after the LSTM."""
        assert self._alone is not None
        matrix, bias = self._alone
        found: Floats = self.read_question((words @ matrix.T + bias)[None])[0]
        return found

    def embed(
        self, candidates: Floats, kinds: Ints, topics: Ints, mentions: Floats, made: Ints
    ) -> tuple[Floats, Floats]:
        """Rows of W_t, and the relevance of each candidate by itself.

        `topics` are the candidates that are linked entities, `mentions` the means of their spans' words,
        `made` the program's own variables, whose states are added later.
        """
        rows = candidates.copy()
        if self._candidate is not None:
            matrix, bias = self._candidate
            rows = candidates @ matrix.T + bias
        if self._relevance is None:
            worth = np.zeros(len(rows), np.float32)
        else:
            first, own, last = self._relevance
            worth = np.tanh(candidates @ first.T + own) @ last
        for unread, is_read in ((topics, self._entity_text), (made, self._made_text)):
            if not is_read:
                rows[unread] = 0
                worth[unread] = 0
        rows[topics] += mentions if self._span is None else mentions @ self._span.T
        if self._kind is not None:
            rows += self._kind[kinds]
        return rows, worth

    def made(self, states: Floats) -> Floats:
        """What a variable of the program's own adds to its row."""
        found: Floats = states if self._made is None else states @ self._made.T
        return found

    def advance(
        self, tokens: Floats, attended: Floats, hidden: Floats, memory: Floats
    ) -> tuple[Floats, Floats]:
        """h_t = LSTM(h_{t-1}, c_{t-1}), where c_{t-1} joins the last token and the attended question."""
        inputs = self._step.inputs(np.concatenate([tokens, attended], -1))
        return self._step.step(inputs, hidden, memory)

    def attend(self, hidden: Floats, questions: Floats, mask: NDArray[np.bool_]) -> Floats:
        """q_t: the question's words, weighted by a_t = softmax(Q_t h_t); zero for a question without any."""
        if not questions.shape[1]:
            return np.zeros_like(hidden)
        scores = np.where(mask, (questions @ hidden[:, :, None])[:, :, 0], np.float32(-1e30))
        weights = np.where(mask, softmax(scores), np.float32(0))
        found: Floats = (weights[:, None, :] @ questions)[:, 0]
        return found

    def point(self, hidden: Floats, attended: Floats) -> Floats:
        """What candidates are multiplied with: h_t itself, or h_t joined with q_t."""
        if self._query is None:
            return hidden
        matrix, bias = self._query
        found: Floats = np.concatenate([hidden, attended], -1) @ matrix.T + bias
        return found


class _Cell:
    """An LSTM's weights, its gates in torch's order: in, forget, new, out."""

    def __init__(self, incoming: Floats, recurrent: Floats, bias: Floats) -> None:
        size = recurrent.shape[1]
        # The logistic function is a hyperbolic tangent at half the argument: one call for all gates.
        half = np.full(4 * size, 0.5, np.float32)
        half[2 * size : 3 * size] = 1
        self._incoming = np.ascontiguousarray((incoming * half[:, None]).T)
        self.recurrent = np.ascontiguousarray((recurrent * half[:, None]).T)
        self._bias = bias * half

    def inputs(self, values: Floats) -> Floats:
        found: Floats = values @ self._incoming + self._bias
        return found

    def step(self, inputs: Floats, hidden: Floats, memory: Floats) -> tuple[Floats, Floats]:
        gates: Floats = np.tanh(inputs + hidden @ self.recurrent)
        size = hidden.shape[-1]
        take, keep, new, give = (gates[:, size * gate : size * (gate + 1)] for gate in range(4))
        after: Floats = _HALF * ((keep + 1) * memory + (take + 1) * new)
        shown: Floats = _HALF * (give + 1) * np.tanh(after)
        return shown, after
