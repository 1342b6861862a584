"""The form head: learned from questions whose programs are known, over an encoder that stays as it is.

Two limits belong to it. They are chosen on questions over knowledge bases that a head was trained without
(`FOLDS` heads, each without one part of them): of all pairs that refuse at most `MOST_WRONG` of the questions
which the paper's forms can say, the one that hears most of the others.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from arcaneqa.model.form_head import FormHead, described
from arcaneqa.model.reader import QuestionReader
from arcaneqa.model.stored import Floats
from arcaneqa.program.forms import NEVER, SAYABLE, Form

HIDDEN = 256
"""Units: with 128 one in a hundred less is heard on databases left out."""
EPOCHS = 20
BATCH = 256
"""Questions an update."""
RATE = 1e-3
"""AdamW's, falling to a twentieth."""
DECAY = 0.1
"""Of weights, a step, times the rate."""
BLANKED = 0.5
"""Share of the hidden units that training blanks."""
FOLDS = 5
MOST_WRONG = 0.015
"""Of the questions that need no form, on databases left out; others' questions are a little harder."""
HEEDED = (0.05, 0.1, 0.2, 0.3)
SURE = (0.8, 0.9, 0.95, 0.98)
TOGETHER = 32
"""Questions read by the encoder at a time."""
FORMS = tuple(form.name for form in Form if form not in NEVER)
SIGNS = tuple(form.name for form in Form)
_NEW = np.array([Form[name] not in SAYABLE for name in FORMS])


@dataclass(frozen=True, slots=True)
class Heard:
    """A question over the knowledge base `source`, the forms of its program, and what its words tell
    (`judgement.lacking.signs_of`). `weight`: how much it counts; `is_measured`: whether limits look at it."""

    source: str
    question: str
    forms: frozenset[Form]
    signs: dict[str, bool]
    weight: float
    is_measured: bool


def train_forms(questions: Sequence[Heard], reader: QuestionReader, seed: int = 0) -> FormHead:
    rows = _rows(questions, reader)
    meant = np.array([[Form[name] in one.forms for name in FORMS] for one in questions], np.float32)
    weights = np.array([one.weight for one in questions], np.float32)
    folds = np.array([crc32(one.source.encode()) % FOLDS for one in questions])
    chances = np.zeros_like(meant)
    for fold in range(FOLDS):
        apart = folds == fold
        head = _fit(rows[~apart], meant[~apart], weights[~apart], seed)
        chances[apart] = head.chances(rows[apart])
    measured = np.array([one.is_measured for one in questions])
    kept = [one for one in questions if one.is_measured]
    limits = _limits(kept, chances[measured])
    head = _fit(rows, meant, weights, seed)
    return FormHead(FORMS, SIGNS, head.inward, head.bias, head.outward, head.added, limits)


def refused(
    questions: Sequence[Heard], chances: Floats, heeded: float, sure: float
) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Which would be refused by a model of the paper's forms, and which need another."""
    told, columns = (
        np.array([[one.signs.get(name) is is_column for name in FORMS] for one in questions])
        for is_column in (False, True)
    )
    by_words = (told & (chances > heeded))[:, _NEW].any(1)
    alone = 1 - np.prod(1 - np.where(columns, 0, chances)[:, _NEW], axis=1) > sure
    needed = np.array([bool(one.forms - SAYABLE) for one in questions])
    return by_words | alone, needed


def _limits(questions: Sequence[Heard], chances: Floats) -> Floats:
    best, found = -1.0, (HEEDED[-1], SURE[-1])
    for heeded, sure in product(HEEDED, SURE):
        declined, needed = refused(questions, chances, heeded, sure)
        heard = float(declined[needed].mean())
        if declined[~needed].mean() <= MOST_WRONG and heard > best:
            best, found = heard, (heeded, sure)
    return np.array(found, np.float32)


def _rows(questions: Sequence[Heard], reader: QuestionReader) -> Floats:
    rows = []
    for start in range(0, len(questions), TOGETHER):
        group = questions[start : start + TOGETHER]
        read = reader.read([one.question for one in group])
        rows += [described(vectors, one.signs, SIGNS) for one, vectors in zip(group, read, strict=True)]
    return np.stack(rows).astype(np.float32)


def _fit(rows: Floats, meant: Floats, weights: Floats, seed: int) -> FormHead:
    import torch
    from torch.nn import Dropout, Linear, ReLU, Sequential
    from torch.nn.functional import binary_cross_entropy_with_logits as loss_of

    torch.manual_seed(seed)
    centre, spread = rows.mean(0), rows.std(0) + np.float32(1e-2)
    inputs, targets, counts = (torch.from_numpy(one) for one in ((rows - centre) / spread, meant, weights))
    inward, outward = Linear(rows.shape[1], HIDDEN), Linear(HIDDEN, meant.shape[1])
    network = Sequential(inward, ReLU(), Dropout(BLANKED), outward)
    adam = torch.optim.AdamW(network.parameters(), lr=RATE, weight_decay=DECAY)
    steps = EPOCHS * max(1, len(rows) // BATCH)
    falling = torch.optim.lr_scheduler.LinearLR(adam, 1.0, 0.05, total_iters=steps)
    chance = np.random.default_rng(seed)
    for _ in range(EPOCHS):
        order = chance.permutation(len(rows))
        for start in range(0, max(1, len(rows) - BATCH + 1), BATCH):
            part = torch.from_numpy(order[start : start + BATCH])
            losses = loss_of(network(inputs[part]), targets[part], reduction="none").sum(1)
            adam.zero_grad()
            loss = (losses * counts[part]).mean()
            loss.backward()  # type: ignore[no-untyped-call]
            adam.step()
            falling.step()
    arrays = [one.detach().numpy() for one in (inward.weight.T, inward.bias, outward.weight.T, outward.bias)]
    scaled = arrays[0] / spread[:, None]
    none = np.array([HEEDED[-1], SURE[-1]], np.float32)
    return FormHead(FORMS, SIGNS, scaled, arrays[1] - centre @ scaled, arrays[2], arrays[3], none)
