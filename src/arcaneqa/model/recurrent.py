"""An LSTM over the words of questions, compiled: there are many short steps."""

from __future__ import annotations

import numpy as np

from arcaneqa.compiled import compiled
from arcaneqa.model.curves import tanh
from arcaneqa.model.stored import Floats


def read_words(inputs: Floats, recurrent: Floats) -> Floats:
    """What is shown after every word, `[n, longest, hidden]`. `inputs` are the gates as the words alone would
    have them, in torch's order (in, forget, new, out), all but `new` at half their size as in `recurrent`:
    the logistic function is a hyperbolic tangent at half the argument."""
    count, longest, gates = inputs.shape
    shown = np.empty((count, longest, gates // 4), np.float32)
    _read(inputs, recurrent, np.empty(gates, np.float32), np.empty(gates // 4, np.float32), shown)
    return shown


def _read_words(inputs: Floats, recurrent: Floats, gates: Floats, memory: Floats, shown: Floats) -> None:
    size, half = len(memory), np.float32(0.5)
    for number in range(inputs.shape[0]):
        for place in range(size):
            memory[place] = 0
        for word in range(inputs.shape[1]):
            own, now = inputs[number, word], shown[number, word]
            for gate in range(4 * size):
                gates[gate] = own[gate]
            if word:
                before = shown[number, word - 1]
                for place in range(size):
                    value, weights = before[place], recurrent[place]
                    for gate in range(4 * size):
                        gates[gate] += value * weights[gate]
            for gate in range(4 * size):
                gates[gate] = tanh(gates[gate])
            take, keep, new, give = (
                gates[:size],
                gates[size : 2 * size],
                gates[2 * size : 3 * size],
                gates[3 * size :],
            )
            for place in range(size):
                memory[place] = half * ((keep[place] + 1) * memory[place] + (take[place] + 1) * new[place])
                now[place] = half * (give[place] + 1) * tanh(memory[place])


_read = compiled(_read_words, error_model="numpy", fastmath={"contract", "nnan", "nsz"})
