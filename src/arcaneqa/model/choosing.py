"""What a decoder does between its products, compiled: by a library every short loop would be a call."""

from __future__ import annotations

from typing import Any

import numpy as np

from arcaneqa.compiled import compiled
from arcaneqa.model.curves import exp_of_negative, tanh
from arcaneqa.model.stored_arrays import Floats
from arcaneqa.ragged import Ints


def _loops(function: Any) -> Any:
    """Sums are added in an order that the compiler chooses, the same for every decision."""
    return compiled(function, error_model="numpy", fastmath={"reassoc", "nnan", "nsz", "contract"})


@_loops
def turn(gates: Floats, memory: Floats, shown: Floats) -> None:
    """What an LSTM shows next; what it remembers is written where it was. Gates are in torch's order (in,
    forget, new, out), all but `new` at half their size (the logistic function is a hyperbolic tangent at half
    the argument), and are written over."""
    count, size = memory.shape
    half = np.float32(0.5)
    for number in range(count):
        own, kept, out = gates[number], memory[number], shown[number]
        for gate in range(4 * size):
            own[gate] = tanh(own[gate])
        take, keep, new, give = own[:size], own[size : 2 * size], own[2 * size : 3 * size], own[3 * size :]
        for place in range(size):
            kept[place] = half * ((keep[place] + 1) * kept[place] + (take[place] + 1) * new[place])
        for place in range(size):
            out[place] = tanh(kept[place])
        for place in range(size):
            out[place] *= half * (give[place] + 1)


def attended(questions: Floats, starts: Ints, hidden: Floats) -> Floats:
    """h_t joined with q_t: the words of each decision's question, which lie end to end, weighted by
    a_t = softmax(Q_t h_t); zero for a question without any."""
    count, size = hidden.shape
    joined = np.empty((count, 2 * size), np.float32)
    _attend(questions, starts, hidden, np.empty(max(1, len(questions)), np.float32), joined)
    return joined


@_loops
def _attend(questions: Floats, starts: Ints, hidden: Floats, weights: Floats, joined: Floats) -> None:
    count, size = hidden.shape
    for number in range(count):
        own, first, last = hidden[number], starts[number], starts[number + 1]
        state, seen = joined[number, :size], joined[number, size:]
        for place in range(size):
            state[place] = own[place]
            seen[place] = 0
        highest = np.float32(-1e30)
        for word in range(first, last):
            row, score = questions[word], np.float32(0)
            for place in range(size):
                score += row[place] * own[place]
            weights[word] = score
            highest = max(highest, score)
        total = np.float32(0)
        for word in range(first, last):
            weights[word] = exp_of_negative(weights[word] - highest)
            total += weights[word]
        for word in range(first, last):
            row, weight = questions[word], weights[word] / total
            for place in range(size):
                seen[place] += weight * row[place]


def log_chances(rows: Floats, worth: Floats, starts: Ints, pointed: Floats) -> tuple[Floats, Floats]:
    """Log-probabilities of candidates, those of one decision after those of another: rows times what the
    decoder points at, and what each is worth by itself; and what was taken off each decision's, so that
    they add up to one."""
    found, levels = np.empty(len(rows), np.float32), np.empty(len(pointed), np.float32)
    _compare(rows, worth, starts, pointed, found, levels)
    return found, levels


@_loops
def _compare(
    rows: Floats, worth: Floats, starts: Ints, pointed: Floats, found: Floats, levels: Floats
) -> None:
    for number in range(len(pointed)):
        own, first, last = pointed[number], starts[number], starts[number + 1]
        highest = np.float32(-np.inf)
        for candidate in range(first, last):
            row, score = rows[candidate], worth[candidate]
            for place in range(len(own)):
                score += row[place] * own[place]
            found[candidate] = score
            highest = max(highest, score)
        total = 0.0
        for candidate in range(first, last):
            found[candidate] -= highest
            total += np.exp(np.float64(found[candidate]))
        missing = np.float32(np.log(total))
        levels[number] = highest + missing
        for candidate in range(first, last):
            found[candidate] -= missing
