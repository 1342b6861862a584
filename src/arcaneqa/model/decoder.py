"""The decoder as arrays: what `network.Network` does at training, one step at a time and without gradients.

A test holds both to the same log-probabilities.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from arcaneqa.errors import ModelError
from arcaneqa.model.config import KIND_INDEX
from arcaneqa.model.product import Product
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
            Product(weight("candidate.weight", hidden, width), weight("candidate.bias", hidden))
            if config.projected
            else None
        )
        spans = config.projected and not config.late_spans
        self._span = Product(weight("span.weight", hidden, width)) if spans else None
        self._made = Product(weight("made.weight", hidden, hidden)) if config.projected else None
        self._kind = weight("kind.weight", kinds, hidden) if config.kinds else None
        self.forced = None if config.reads_forced else weight("forced.weight", kinds, hidden)
        self.start = np.zeros(hidden, np.float32) if config.question_start else weight("start", hidden)
        self._alone = (
            Product(weight("alone.weight", width, width), weight("alone.bias", width))
            if config.question_start
            else None
        )
        self.mention_width = hidden if config.late_spans else width
        self._entity_text, self._made_text = config.entity_text, config.made_text
        self._query = (
            Product(weight("query.weight", hidden, 2 * hidden), weight("query.bias", hidden))
            if config.attentive
            else None
        )
        self._relevance = (
            (
                Product(weight("relevance.0.weight", hidden, width), weight("relevance.0.bias", hidden)),
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
        found: Floats = self.read_question(self._alone(words)[None])[0]
        return found

    def embed(
        self, candidates: Floats, kinds: Ints, topics: Ints, mentions: Floats, made: Ints
    ) -> tuple[Floats, Floats]:
        """Rows of W_t, and the relevance of each candidate by itself.

        `topics` are the candidates that are linked entities, `mentions` the means of their spans' words,
        `made` the program's own variables, whose states are added later.
        """
        rows = candidates.copy() if self._candidate is None else self._candidate(candidates)
        if self._relevance is None:
            worth = np.zeros(len(rows), np.float32)
        else:
            first, last = self._relevance
            worth = np.einsum("nh,h->n", np.tanh(first(candidates)), last)
        for unread, is_read in ((topics, self._entity_text), (made, self._made_text)):
            if not is_read:
                rows[unread] = 0
                worth[unread] = 0
        rows[topics] += mentions if self._span is None else self._span(mentions)
        if self._kind is not None:
            rows += self._kind[kinds]
        return rows, worth

    def made(self, states: Floats) -> Floats:
        """What a variable of the program's own adds to its row."""
        return states if self._made is None else self._made(states)

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
        scores = np.where(mask, np.einsum("nwh,nh->nw", questions, hidden), np.float32(-1e30))
        weights = np.where(mask, softmax(scores), np.float32(0))
        found: Floats = np.einsum("nw,nwh->nh", weights, questions)
        return found

    def point(self, hidden: Floats, attended: Floats) -> Floats:
        """What candidates are multiplied with: h_t itself, or h_t joined with q_t."""
        return hidden if self._query is None else self._query(np.concatenate([hidden, attended], -1))


class _Cell:
    """An LSTM's weights, its gates in torch's order: in, forget, new, out."""

    def __init__(self, incoming: Floats, recurrent: Floats, bias: Floats) -> None:
        size = recurrent.shape[1]
        # The logistic function is a hyperbolic tangent at half the argument: one call for all gates.
        half = np.full(4 * size, 0.5, np.float32)
        half[2 * size : 3 * size] = 1
        self.inputs = Product(incoming * half[:, None], bias * half)
        self.recurrent = np.ascontiguousarray((recurrent * half[:, None]).T)
        self._again = Product(recurrent * half[:, None])

    def step(self, inputs: Floats, hidden: Floats, memory: Floats) -> tuple[Floats, Floats]:
        gates: Floats = np.tanh(inputs + self._again(hidden))
        size = hidden.shape[-1]
        take, keep, new, give = (gates[:, size * gate : size * (gate + 1)] for gate in range(4))
        after: Floats = _HALF * ((keep + 1) * memory + (take + 1) * new)
        shown: Floats = _HALF * (give + 1) * np.tanh(after)
        return shown, after
