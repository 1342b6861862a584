"""How candidates and the words of a question look at each other: schema linking made visible."""

from __future__ import annotations

import math
import re

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from arcaneqa.induction.scorer import Heat
from arcaneqa.model.encoder import ContextualEncoder, Encoder
from arcaneqa.model.network import Network
from arcaneqa.model.tokens import Pieces
from arcaneqa.model.vocabulary import Asked, Vocabulary

LAYERS = 2
"""The last layers see what the earlier ones have aligned."""


def heat(network: Network, vocabulary: Vocabulary, asked: Asked) -> Heat:
    packed = vocabulary.pack([asked])
    pieces = vocabulary.question(asked.question)
    length = len(pieces.ids)
    device = next(network.parameters()).device
    rows = np.zeros((len(asked.candidates), length), np.float32)
    for number, (start, size) in enumerate(zip(packed.input_starts, packed.input_lengths, strict=True)):
        ids = torch.from_numpy(packed.ids[start : start + size].astype(np.int64))[None].to(device)
        looks = _looks(network.encoder, ids)[:, 1 : 1 + length].cpu().numpy()
        for candidate in np.flatnonzero(packed.candidate_inputs == number):
            first = packed.candidate_starts[candidate] - start
            rows[candidate] = looks[first : first + max(1, packed.candidate_lengths[candidate])].mean(0)
    words, weights = _by_word(asked.question, pieces, rows)
    total = weights.sum(1, keepdims=True)
    return Heat(words, np.divide(weights, total, out=np.zeros_like(weights), where=total > 0))


def _looks(encoder: Encoder, ids: Tensor) -> Tensor:
    """How much each token of an input looks at each other one."""
    if isinstance(encoder, ContextualEncoder) and encoder.config.model_type == "bert":
        network = encoder.network
        states = network(input_ids=ids, output_hidden_states=True).hidden_states
        heads = int(encoder.config.num_attention_heads)
        found = []
        for place in range(max(0, len(network.encoder.layer) - LAYERS), len(network.encoder.layer)):
            part = network.encoder.layer[place].attention.self
            query, key = (
                projected(states[place])[0].unflatten(-1, (heads, -1)).transpose(0, 1)
                for projected in (part.query, part.key)
            )
            found.append((query @ key.transpose(1, 2) / math.sqrt(query.shape[-1])).softmax(-1).mean(0))
        return torch.stack(found).mean(0)
    vectors: Tensor = encoder(ids, torch.ones_like(ids, dtype=torch.bool))[0]
    return (vectors @ vectors.T / math.sqrt(vectors.shape[-1])).softmax(-1)


def _by_word(
    question: str, pieces: Pieces, rows: NDArray[np.float32]
) -> tuple[tuple[str, ...], NDArray[np.float32]]:
    """Word pieces of one word are added up; what was cut off has no weight."""
    spans = [match.span() for match in re.finditer(r"\S+", question)]
    weights = np.zeros((len(rows), len(spans)), np.float32)
    for piece, (start, end) in enumerate(pieces.spans):
        for word, (first, last) in enumerate(spans):
            if start < last and end > first:
                weights[:, word] += rows[:, piece]
    return tuple(question[first:last] for first, last in spans), weights
