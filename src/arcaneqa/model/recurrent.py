"""LSTMs, compiled: over the words of questions there are many short steps, and a decoder's is short, too.

Weights are in torch's order (in, forget, new, out), all but `new` at half their size.
"""

from __future__ import annotations

import numpy as np

from arcaneqa.compiled import compiled
from arcaneqa.model.choosing import turn
from arcaneqa.model.product import multiply, panels_of
from arcaneqa.model.stored_arrays import Floats


class Recurrent:
    """Reads words; `again` are the weights of what was shown after the word before."""

    def __init__(self, again: Floats) -> None:
        self._panels = panels_of(again)
        self._nothing = np.zeros(len(again), np.float32)

    def __call__(self, inputs: Floats) -> Floats:
        """What is shown after every word, `[longest, n, hidden]`: the first words of all questions, then the
        second ones. `inputs` are the gates as the words alone would have them."""
        longest, count, gates = inputs.shape
        shown = np.empty((longest, count, gates // 4), np.float32)
        _read_words(inputs, self._panels, self._nothing, shown)
        return shown


class Cell:
    """One step: `matrix` are the weights of what comes in and of what was shown before, side by side."""

    def __init__(self, matrix: Floats, bias: Floats) -> None:
        self._panels, self._bias = panels_of(matrix), bias

    def __call__(self, inputs: Floats, memory: Floats) -> Floats:
        """What is shown next; what is remembered is written where it was."""
        shown = np.empty_like(memory)
        _step(inputs, self._panels, self._bias, memory, shown)
        return shown


@compiled
def _read_words(inputs: Floats, panels: Floats, nothing: Floats, shown: Floats) -> None:
    """Word after word, of all questions."""
    memory = np.zeros(shown.shape[1:], np.float32)
    gates = np.empty(inputs.shape[1:], np.float32)
    for word in range(len(inputs)):
        if word:
            multiply(shown[word - 1], panels, nothing, gates)
        else:
            gates[:] = 0
        for number in range(len(gates)):
            own, alone = gates[number], inputs[word, number]
            for gate in range(len(own)):
                own[gate] += alone[gate]
        turn(gates, memory, shown[word])


@compiled
def _step(inputs: Floats, panels: Floats, bias: Floats, memory: Floats, shown: Floats) -> None:
    gates = np.empty((len(inputs), len(bias)), np.float32)
    multiply(inputs, panels, bias, gates)
    turn(gates, memory, shown)
