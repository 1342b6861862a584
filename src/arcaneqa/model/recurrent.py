"""An LSTM over the words of questions, compiled: there are many short steps."""

from __future__ import annotations

import numpy as np

from arcaneqa.compiled import compiled
from arcaneqa.model.choosing import turn
from arcaneqa.model.product import multiply, panels_of, room_for
from arcaneqa.model.stored import Floats


class Recurrent:
    """`again` are the weights of what was shown after the word before, in torch's order (in, forget, new,
    out), all but `new` at half their size."""

    def __init__(self, again: Floats) -> None:
        self._panels = panels_of(again)
        self._size = again.shape[1]

    def __call__(self, inputs: Floats) -> Floats:
        """What is shown after every word, `[n, longest, hidden]`. `inputs` are the gates as the words alone
        would have them."""
        count, longest, gates = inputs.shape
        shown = np.empty((longest, count, self._size), np.float32)
        by_word = np.ascontiguousarray(inputs.transpose(1, 0, 2))
        memory = np.zeros((count, self._size), np.float32)
        _read_words(by_word, self._panels, np.zeros(gates, np.float32), memory, shown, room_for(self._size))
        return np.ascontiguousarray(shown.transpose(1, 0, 2))


@compiled
def _read_words(
    inputs: Floats, panels: Floats, nothing: Floats, memory: Floats, shown: Floats, room: Floats
) -> None:
    """Word after word, of all questions."""
    gates = np.empty(inputs.shape[1:], np.float32)
    for word in range(len(inputs)):
        if word:
            multiply(shown[word - 1], panels, nothing, gates, room)
        else:
            gates[:] = 0
        for number in range(len(gates)):
            own, alone = gates[number], inputs[word, number]
            for gate in range(len(own)):
                own[gate] += alone[gate]
        turn(gates, memory, shown[word])
