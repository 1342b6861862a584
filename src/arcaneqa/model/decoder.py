"""The decoder as arrays: what the network does at training, one step at a time and without gradients."""

from __future__ import annotations

import numpy as np

from arcaneqa.int8.products import Cell, Product, Recurrent, attended
from arcaneqa.int8.stored_arrays import Flags, Floats
from arcaneqa.model.config import KIND_INDEX
from arcaneqa.model.stored import Stored
from arcaneqa.model.word_pieces import Packed
from arcaneqa.support.errors import ModelError
from arcaneqa.support.ragged import Ints, offsets_of, ranges


def is_gathered(packed: Packed) -> Flags:
    """Which rows of the encoder the decoder looks at: the question's words and the candidates."""
    found = np.zeros(len(packed.ids), np.bool_)
    lengths = packed.question_lengths[packed.input_decisions]
    found[ranges(packed.input_starts + 1, lengths)] = True
    found[ranges(packed.candidate_starts, packed.candidate_lengths)] = True
    return found


def gathered(packed: Packed, tokens: Floats) -> tuple[Floats, Floats]:
    """The words of each decision's question, averaged over its inputs and padded with zeros: first the first
    words of all, as they are read next. And every candidate as the mean of its word pieces, zero where it has
    none."""
    width, decisions = tokens.shape[1], packed.input_decisions
    words = np.zeros((packed.question_lengths.max(), len(packed.question_lengths), width), np.float32)
    for start, decision in zip(packed.input_starts.tolist(), decisions.tolist(), strict=True):
        length = packed.question_lengths[decision]
        words[:length, decision] += tokens[start + 1 : start + 1 + length]
    inputs = np.bincount(decisions, minlength=len(packed.question_lengths))
    words *= (1 / np.maximum(inputs, 1)).astype(np.float32)[:, None]
    candidates = np.zeros((len(packed.candidate_lengths), width), np.float32)
    filled = np.flatnonzero(packed.candidate_lengths)
    if len(filled):
        lengths = packed.candidate_lengths[filled]
        pieces = tokens[ranges(packed.candidate_starts[filled], lengths)]
        candidates[filled] = np.add.reduceat(pieces, offsets_of(lengths)[:-1], axis=0)
        candidates[filled] *= (1 / lengths).astype(np.float32)[:, None]
    return words, candidates


class Decoder:
    def __init__(self, stored: Stored, width: int) -> None:
        self._stored = stored
        self.hidden = hidden = stored.config.hidden
        weight = self._weight

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
        self._query = Product(weight("query.weight", hidden, 2 * hidden), weight("query.bias", hidden))
        self._build(width, hidden)

    def _build(self, width: int, hidden: int) -> None:
        weight, kinds = self._weight, len(KIND_INDEX)
        # What becomes of a candidate's vector, and what is it worth: one product for both.
        layers = ("candidate", "relevance.0")
        self._candidate = Product(
            np.concatenate([weight(f"{layer}.weight", hidden, width) for layer in layers]),
            np.concatenate([weight(f"{layer}.bias", hidden) for layer in layers]),
        )
        self._relevance = weight("relevance.2.weight", 1, hidden)[0]
        self._span = Product(weight("span.weight", hidden, width))
        self._made = Product(weight("made.weight", hidden, hidden))
        self._kind = weight("kind.weight", kinds, hidden)
        self.forced = weight("forced.weight", kinds, hidden)
        self.start = weight("start", hidden)

    def _weight(self, name: str, *shape: int) -> Floats:
        found = self._stored.floats(name)
        if found.shape != shape:
            raise ModelError(
                f"the weights in {self._stored.folder} do not fit its configuration: "
                f"{name} is {found.shape}, not {shape}"
            )
        return found

    def read_question(self, words: Floats) -> Floats:
        """Q_t: the words `[longest, n, width]` of questions, each word with those before it."""
        return self._read_words(self._words(words))

    def candidates(self, vectors: Floats) -> tuple[Floats, Floats]:
        """Rows of W_t as far as the encoder decides them, and the relevance of each candidate by itself."""
        found = self._candidate(vectors)
        return found[:, : self.hidden], np.einsum(
            "nh,h->n", np.tanh(found[:, self.hidden :]), self._relevance
        )

    def embed(
        self,
        rows: Floats,
        kinds: list[int],
        topics: list[int],
        mentions: list[Floats],
        made: list[int],
        states: list[Floats],
    ) -> None:
        """The rest of the rows of W_t, in place.

        `topics` are the candidates that are linked entities, `mentions` the means of their spans' words,
        `made` the program's own variables, `states` those that stand for them.
        """
        if topics:
            rows[topics] += self._span(np.array(mentions))
        rows += self._kind[kinds]
        if made:
            rows[made] += self.made(np.array(states))

    def made(self, states: Floats) -> Floats:
        """What a variable of the program's own adds to its row."""
        return self._made(states)

    def look(self, hidden: Floats, questions: Floats, starts: Ints) -> tuple[Floats, Floats]:
        """q_t, the question as h_t attends to it; and what candidates are multiplied with: h_t joined with
        q_t."""
        joined = attended(questions, starts, hidden)
        return joined[:, self.hidden :], self._query(joined)
