"""Words of a question hidden at random, so that a model cannot learn its training questions by heart."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import torch

from arcaneqa.model.network import Sequences


def masked(batch: Sequences, share: float, mask: int, seed: int) -> Sequences:
    """The batch with a `share` of its questions' word pieces exchanged for `mask`, others in every input."""
    inputs = batch.inputs
    places = inputs.words[inputs.word_mask[inputs.input_decisions]].numpy()
    hidden = places[np.random.default_rng(seed).random(len(places)) < share]
    flat = torch.cat([ids.reshape(-1) for ids, _ in inputs.calls])
    flat[torch.from_numpy(hidden)] = mask
    calls, start = [], 0
    for ids, present in inputs.calls:
        calls.append((flat[start : start + ids.numel()].view(ids.shape), present))
        start += ids.numel()
    return replace(batch, inputs=replace(inputs, calls=tuple(calls)))
