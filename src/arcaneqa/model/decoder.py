"""The decoder as arrays: what `network.Network` does at training, one step at a time and without gradients.

A test holds both to the same log-probabilities.
"""

from __future__ import annotations

import numpy as np

from arcaneqa.errors import ModelError
from arcaneqa.model.choosing import attended
from arcaneqa.model.config import KIND_INDEX
from arcaneqa.model.product import Product
from arcaneqa.model.recurrent import Cell, Recurrent
from arcaneqa.model.stored import Floats, Stored
from arcaneqa.ragged import Ints


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
        # The logistic function is a hyperbolic tangent at half the argument: one function for all gates.
        half = np.full((4 * hidden, 1), 0.5, np.float32)
        half[2 * hidden : 3 * hidden] = 1

        def gates(cell: str, layer: str, inward: int) -> tuple[Floats, Floats, Floats]:
            """An LSTM's weights of what comes in and of what it has shown, and their bias."""
            bias = weight(f"{cell}.bias_ih{layer}", 4 * hidden) + weight(f"{cell}.bias_hh{layer}", 4 * hidden)
            return (
                weight(f"{cell}.weight_ih{layer}", 4 * hidden, inward) * half,
                weight(f"{cell}.weight_hh{layer}", 4 * hidden, hidden) * half,
                bias * half[:, 0],
            )

        incoming, again, bias = gates("question_lstm", "_l0", width)
        self._words = Product(incoming, bias)
        self._read_words = Recurrent(again)
        incoming, again, bias = gates("cell", "", 2 * hidden)
        self.advance = Cell(np.concatenate([incoming, again], axis=1), bias)
        """h_t = LSTM(h_{t-1}, c_{t-1}), where c_{t-1} joins the last token and the attended question: all
        three are its inputs."""
        # What becomes of a candidate's vector, and what is it worth: one product for both.
        self._projected = config.projected
        layers = ["candidate"] * config.projected + ["relevance.0"] * config.relevance
        self._candidate = (
            Product(
                np.concatenate([weight(f"{layer}.weight", hidden, width) for layer in layers]),
                np.concatenate([weight(f"{layer}.bias", hidden) for layer in layers]),
            )
            if layers
            else None
        )
        self._relevance = weight("relevance.2.weight", 1, hidden)[0] if config.relevance else None
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

    def read_question(self, words: Floats) -> Floats:
        """Q_t: the words `[longest, n, width]` of questions, each word with those before it."""
        return self._read_words(self._words(words))

    def read_alone(self, words: Floats) -> Floats:
        """One question by itself, as the decoder's start sees it: its words after the LSTM."""
        assert self._alone is not None
        found: Floats = self.read_question(self._alone(words)[:, None])[:, 0]
        return found

    def candidates(self, vectors: Floats) -> tuple[Floats, Floats]:
        """Rows of W_t as far as the encoder decides them, and the relevance of each candidate by itself."""
        found = vectors if self._candidate is None else self._candidate(vectors)
        rows = found[:, : self.hidden] if self._projected else vectors
        if self._relevance is None:
            return rows, np.zeros(len(rows), np.float32)
        return rows, np.einsum("nh,h->n", np.tanh(found[:, -self.hidden :]), self._relevance)

    def embed(
        self,
        rows: Floats,
        worth: Floats,
        kinds: list[int],
        topics: list[int],
        mentions: list[Floats],
        made: list[int],
    ) -> None:
        """The rest of the rows of W_t, in place.

        `topics` are the candidates that are linked entities, `mentions` the means of their spans' words,
        `made` the program's own variables, whose states are added later.
        """
        for unread, is_read in ((topics, self._entity_text), (made, self._made_text)):
            if unread and not is_read:
                rows[unread] = 0
                worth[unread] = 0
        if topics:
            words = np.array(mentions)
            rows[topics] += words if self._span is None else self._span(words)
        if self._kind is not None:
            rows += self._kind[kinds]

    def made(self, states: Floats) -> Floats:
        """What a variable of the program's own adds to its row."""
        return states if self._made is None else self._made(states)

    def look(self, hidden: Floats, questions: Floats, starts: Ints) -> tuple[Floats, Floats]:
        """q_t, the question as h_t attends to it; and what candidates are multiplied with: h_t itself, or
        h_t joined with q_t."""
        joined = attended(questions, starts, hidden)
        return joined[:, self.hidden :], hidden if self._query is None else self._query(joined)
