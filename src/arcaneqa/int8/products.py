"""Products with small matrices, LSTMs and choices: by compiled loops, or by their twins in numpy.

Either way a row is multiplied the same beside any others.
"""

from __future__ import annotations

from functools import cached_property

import numpy as np

from arcaneqa.int8.stored_arrays import Floats
from arcaneqa.support import loops
from arcaneqa.support.ragged import Ints

_SECONDS = 1e-4
"""That the twin of one of these takes, about."""


def _are_compiled() -> bool:
    return loops.are_worth(_SECONDS)


class Product:
    """Rows times the transpose of a matrix `[outward, inward]`, as torch keeps it, and a bias."""

    def __init__(self, matrix: Floats, bias: Floats | None = None) -> None:
        self._outward, self._inward = matrix.shape
        self._matrix = matrix
        self._bias = np.zeros(self._outward, np.float32) if bias is None else bias

    @cached_property
    def _panels(self) -> Floats:
        from arcaneqa.int8.product_loops import panels_of

        return panels_of(self._matrix)

    def __call__(self, rows: Floats) -> Floats:
        flat = np.ascontiguousarray(rows).reshape(-1, self._inward)
        if _are_compiled():
            from arcaneqa.int8.product_loops import multiply

            found = np.empty((len(flat), self._outward), np.float32)
            multiply(flat, self._panels, self._bias, found)
        else:
            found = _each_times(flat, self._matrix) + self._bias
        return found.reshape(*rows.shape[:-1], self._outward)


def _each_times(rows: Floats, matrix: Floats) -> Floats:
    """Row by row: how a library adds up depends on how many rows there are."""
    found: Floats = np.matmul(matrix, rows[:, :, None])[:, :, 0]
    return found


def attended(questions: Floats, starts: Ints, hidden: Floats) -> Floats:
    """h_t joined with q_t: the words of each decision's question, which lie end to end, weighted by
    a_t = softmax(Q_t h_t); zero for a question without any."""
    count, size = hidden.shape
    joined = np.empty((count, 2 * size), np.float32)
    if _are_compiled():
        from arcaneqa.int8.product_loops import attend

        attend(questions, starts, hidden, np.empty(max(1, len(questions)), np.float32), joined)
        return joined
    joined[:, :size], joined[:, size:] = hidden, 0
    for number, own in enumerate(hidden):
        if len(words := questions[starts[number] : starts[number + 1]]):
            weights = np.exp((scores := words @ own) - scores.max())
            joined[number, size:] = (weights / weights.sum()) @ words
    return joined


def log_chances(rows: Floats, worth: Floats, starts: Ints, pointed: Floats) -> tuple[Floats, Floats]:
    """Log-probabilities of candidates, those of one decision after those of another: rows times what the
    decoder points at, and what each is worth by itself; and what was taken off each decision's, so that
    they add up to one."""
    found, levels = np.empty(len(rows), np.float32), np.empty(len(pointed), np.float32)
    if _are_compiled():
        from arcaneqa.int8.product_loops import compare

        compare(rows, worth, starts, pointed, found, levels)
        return found, levels
    for number, own in enumerate(pointed):
        part = slice(starts[number], starts[number + 1])
        scores = np.einsum("cp,p->c", rows[part], own) + worth[part]
        highest = scores.max(initial=-np.inf)
        levels[number] = highest + np.log(np.exp(scores - highest, dtype=np.float64).sum())
        found[part] = scores - levels[number]
    return found, levels


class Recurrent:
    """Reads words; `again` are the weights of what was shown after the word before."""

    def __init__(self, again: Floats) -> None:
        self._again = Product(again)

    def __call__(self, inputs: Floats) -> Floats:
        """What is shown after every word, `[longest, n, hidden]`: the first words of all questions, then the
        second ones. `inputs` are the gates as the words alone would have them."""
        longest, count, gates = inputs.shape
        shown = np.empty((longest, count, gates // 4), np.float32)
        if _are_compiled():
            from arcaneqa.int8.product_loops import read_words

            read_words(inputs, self._again._panels, self._again._bias, shown)
            return shown
        memory = np.zeros(shown.shape[1:], np.float32)
        for word, alone in enumerate(inputs):
            own = alone + self._again(shown[word - 1]) if word else alone.copy()
            shown[word] = _turned(own, memory)
        return shown


class Cell:
    """One step: `matrix` are the weights of what comes in and of what was shown before, side by side."""

    def __init__(self, matrix: Floats, bias: Floats) -> None:
        self._product = Product(matrix, bias)

    def __call__(self, inputs: Floats, memory: Floats) -> Floats:
        """What is shown next; what is remembered is written where it was."""
        if not _are_compiled():
            return _turned(self._product(inputs), memory)
        from arcaneqa.int8.product_loops import step

        shown = np.empty_like(memory)
        step(inputs, self._product._panels, self._product._bias, memory, shown)
        return shown


def _turned(gates: Floats, memory: Floats) -> Floats:
    """What an LSTM shows next; what it remembers is written where it was. Gates are in torch's order (in,
    forget, new, out), all but `new` at half their size: the logistic function is a hyperbolic tangent at half
    the argument."""
    half = np.float32(0.5)
    take, keep, new, give = np.split(np.tanh(gates), 4, axis=1)
    memory[...] = half * ((keep + 1) * memory + (take + 1) * new)
    shown: Floats = half * (give + 1) * np.tanh(memory)
    return shown
