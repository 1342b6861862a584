"""The first glance at long lists: learned from what gold programs took of them.

The encoder stays as it is; only its table of words is looked at.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from safetensors.numpy import save_file
from torch import Tensor, nn

from arcaneqa.induction.scorer import TokenKind
from arcaneqa.int8.stored_arrays import VectorTable
from arcaneqa.lab.training.prepared import Prepared
from arcaneqa.model.config import KIND_INDEX
from arcaneqa.model.glance import LONGEST, TABLE
from arcaneqa.model.stored import Stored
from arcaneqa.model.word_pieces import Ids, PiecesOfWords
from arcaneqa.support.files import beside

WIDTH = 64
"""Numbers of a turned vector."""
SHORTEST = 10
"""Names in a list that is learned from."""
LONGEST_LIST = 64
"""Of longer lists a random part is learned from."""
BATCH = 16
"""Lists an update."""
RATE = 2e-3
"""Adam's, falling to 0."""
HIDDEN = 0.1
"""Share of a question's pieces that training hides: no single word is to decide."""
PROBES = 64
"""Rows of the table that are kept, to know it again."""
_NAMED = [KIND_INDEX[kind] for kind in (TokenKind.RELATION, TokenKind.CLASS, TokenKind.CONSTANT)]


@dataclass(frozen=True, slots=True)
class LongList:
    """A question, the names it was asked among, and which one was meant."""

    question: str
    texts: Sequence[str]
    gold: int


def lists_of(prepared: Prepared) -> Iterator[LongList]:
    """The long lists of a prepared set."""
    for number, question in enumerate(prepared.questions):
        for step in range(prepared.step_offsets[number], prepared.step_offsets[number + 1]):
            own, gold = prepared.step_sets[step], prepared.step_gold[step]
            candidates = prepared.set_candidates[prepared.set_offsets[own] : prepared.set_offsets[own + 1]]
            is_named = np.isin(prepared.candidate_kinds[candidates], _NAMED)
            if is_named.sum() < SHORTEST or not is_named[gold]:
                continue
            named = candidates[is_named]
            pairs = zip(prepared.candidate_texts[named], prepared.candidate_types[named], strict=True)
            texts = [f"{prepared.texts[text]} {prepared.texts[types]}" for text, types in pairs]
            yield LongList(question, texts, int(is_named[:gold].sum()))


class _Side(nn.Module):
    def __init__(self, width: int) -> None:
        super().__init__()
        self.matrix = nn.Linear(width, WIDTH, bias=False)
        self.weigh = nn.Linear(width, 1)

    def forward(self, rows: Tensor) -> tuple[Tensor, Tensor]:
        weights = nn.functional.softplus(self.weigh(rows)[..., 0])
        return nn.functional.normalize(self.matrix(rows), dim=-1), weights


class GlanceNetwork(nn.Module):
    """What `model.glance.Glance` does, with gradients."""

    def __init__(self, stored: Stored) -> None:
        super().__init__()
        table = VectorTable(stored, TABLE)
        self._rows = torch.from_numpy(table[np.arange(table.length, dtype=np.int32)])
        self._pieces = PiecesOfWords(stored.tokenizer)
        self.asked, self.offered = _Side(table.width), _Side(table.width)
        self.scales = nn.Parameter(torch.tensor([8.0, 8.0]))

    def forward(self, question: str, texts: Sequence[str]) -> Tensor:
        asked = self._ids(question)
        if self.training:
            asked = [one for one in asked if random.random() >= HIDDEN] or asked
        own = [torch.tensor(self._ids(text)) for text in texts]
        ids = nn.utils.rnn.pad_sequence(own, batch_first=True, padding_value=-1)
        is_there = ids >= 0
        # The names of a list share most of their pieces.
        pieces, where = torch.unique(ids.clamp(min=0), return_inverse=True)
        vectors, weights = self.offered(self._rows[pieces])
        looked_for, important = self.asked(self._rows[torch.tensor(asked)])
        alike = (vectors @ looked_for.T)[where]
        weights = weights[where] * is_there
        met = (weights * alike.max(2).values).sum(1) / weights.sum(1)
        taken_up = alike.masked_fill(~is_there[..., None], -1).max(1).values @ (important / important.sum())
        found: Tensor = self.scales[0] * met + self.scales[1] * taken_up
        return found

    def _ids(self, text: str) -> Ids:
        return self._pieces.of(text)[:LONGEST] or [0]

    def save(self, path: Path) -> None:
        probes = np.linspace(1_000, len(self._rows) - 1, PROBES).astype(np.int32)
        arrays = {"probes": probes, "scales": self.scales.detach().numpy()}
        arrays["probe_rows"] = self._rows[torch.from_numpy(probes)].numpy().astype(np.float16)
        for name, side in (("asked", self.asked), ("offered", self.offered)):
            arrays[f"{name}.matrix"] = side.matrix.weight.detach().numpy().T.astype(np.float16).copy()
            arrays[f"{name}.weigh"] = side.weigh.weight.detach().numpy()[0].astype(np.float16)
            arrays[f"{name}.bias"] = side.weigh.bias.detach().numpy()
        with beside(path) as draft:
            save_file(arrays, draft)


def train_glance(stored: Stored, lists: Sequence[LongList], epochs: int) -> GlanceNetwork:
    random.seed(0)
    torch.manual_seed(0)
    network = GlanceNetwork(stored).train()
    optimizer = torch.optim.AdamW(network.parameters(), RATE, weight_decay=1e-4)
    updates = epochs * -(-len(lists) // BATCH)
    schedule = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda step: max(0.0, 1 - step / updates))
    order = list(lists)
    for _ in range(epochs):
        random.shuffle(order)
        for start in range(0, len(order), BATCH):
            batch = [_shortened(one) for one in order[start : start + BATCH]]
            losses = [
                nn.functional.cross_entropy(network(one.question, one.texts)[None], torch.tensor([one.gold]))
                for one in batch
            ]
            optimizer.zero_grad()
            torch.stack(losses).mean().backward()  # type: ignore[no-untyped-call]
            optimizer.step()
            schedule.step()
    return network.eval()


def _shortened(listed: LongList) -> LongList:
    if len(listed.texts) <= LONGEST_LIST:
        return listed
    others = [place for place in range(len(listed.texts)) if place != listed.gold]
    kept = [listed.gold, *random.sample(others, LONGEST_LIST - 1)]
    return LongList(listed.question, [listed.texts[place] for place in kept], 0)
