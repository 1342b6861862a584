"""A first glance at a long list: by word pieces alone, before the encoder reads what is left.

A word piece is its vector in the encoder's own table, whatever stands beside it, turned by a small learned
matrix; one for questions and one for candidates. A candidate is as good as its pieces are met, each by the
nearest piece of the question, and as the question's pieces are met by its own. How much a piece counts is
learned, too (`recipes/glance.py`).

Training an encoder hardly moves the table, so one glance serves all models that began with the same encoder.
It keeps some rows of the table it was trained with, to tell.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from threading import Lock

import numpy as np
from safetensors.numpy import load_file

from arcaneqa.induction.scorer import WordRanker
from arcaneqa.int8.products import Product
from arcaneqa.int8.stored_arrays import Floats, VectorTable
from arcaneqa.model.stored import Stored
from arcaneqa.model.word_pieces import PiecesOfWords
from arcaneqa.support.ragged import Ints

FILE = Path(__file__).parents[1] / "data" / "glance.safetensors"
TABLE = "encoder.network.embeddings.word_embeddings.weight"
LONGEST = 48
"""Word pieces of a question or candidate that are looked at."""
_GAP = 5.0
"""How far behind the best a candidate may be, as a log-probability. With 4 all lists of GrailQA dev and of 17
Spider databases, none of which was learned from, keep what is meant."""
_LEAST = 20
"""Candidates that stay, however far behind: for mountains in Spain, a relation that only says country."""
_MOST_READ = 512
"""Of more candidates than this the words choose first."""
_MOST_TEXTS = 8_192
"""Whose pieces are kept; when there are more it begins anew."""
_ALIKE = 0.9
"""The cosine of two tables' rows, on average, above which they are the same encoder's."""


class Side:
    """Turns word pieces of questions, or of candidates."""

    def __init__(self, matrix: Floats, weigh: Floats, bias: Floats) -> None:
        """The last column is what a piece counts for."""
        columns = np.concatenate([matrix, weigh[:, None]], axis=1)
        self._turn = Product(columns.T, np.concatenate([np.zeros(matrix.shape[1], np.float32), bias]))

    def of(self, rows: Floats) -> tuple[Floats, Floats]:
        """Unit vectors, and their weights."""
        turned = self._turn(rows)
        vectors, weights = turned[:, :-1], turned[:, -1]
        norms = np.maximum(np.sqrt(np.einsum("nd,nd->n", vectors, vectors)), 1e-9)
        # Softplus: never negative.
        return vectors / norms[:, None], np.logaddexp(weights, np.float32(0))


class Glance:
    """Implements `induction.scorer.Ranker`; threads may share it."""

    beyond = 24

    def __init__(
        self, table: VectorTable, pieces: PiecesOfWords, asked: Side, offered: Side, scales: Floats
    ) -> None:
        self._table = table
        self._pieces = pieces
        self._asked, self._offered, self._scales = asked, offered, scales
        self._by_words = WordRanker()
        self._known: dict[str, Ints] = {}
        self._lock = Lock()

    @classmethod
    def of(cls, stored: Stored, file: Path = FILE) -> Glance | None:
        """None for a model whose table of words is another."""
        if TABLE not in stored.names():
            return None
        learned, table = load_file(file), VectorTable(stored, TABLE)
        probes, own = learned["probes"], learned["probe_rows"].astype(np.float32)
        if probes.max() >= table.length or own.shape[1] != table.width:
            return None
        rows = table[probes]
        norms = np.linalg.norm(rows, axis=1) * np.linalg.norm(own, axis=1)
        if ((rows * own).sum(1) / np.maximum(norms, 1e-9)).mean() < _ALIKE:
            return None
        asked, offered = (
            Side(*(learned[f"{side}.{part}"].astype(np.float32) for part in ("matrix", "weigh", "bias")))
            for side in ("asked", "offered")
        )
        return cls(table, PiecesOfWords(stored.tokenizer), asked, offered, learned["scales"])

    def rank(self, question: str, texts: Sequence[str], limit: int) -> Sequence[int]:
        """Only those that may still be meant."""
        places: Sequence[int] = range(len(texts))
        if len(texts) > _MOST_READ:
            places = sorted(self._by_words.rank(question, texts, _MOST_READ))
        if not places:
            return []
        scores = self.scores(question, [texts[place] for place in places])
        order = np.argsort(-scores, kind="stable")[:limit]
        likely = max(_LEAST, int((scores[order] >= scores[order[0]] - _GAP).sum()))
        return [places[rank] for rank in order[:likely].tolist()]

    def scores(self, question: str, texts: Sequence[str]) -> Floats:
        """Log-probabilities but for a constant."""
        own = [self._ids(text) for text in texts]
        ids, where = np.unique(np.concatenate(own), return_inverse=True)
        looked_for, important = self._asked.of(self._table[self._ids(question)])
        vectors, weights = self._offered.of(self._table[ids])
        alike, weights = Product(looked_for)(vectors)[where], weights[where]
        firsts = np.cumsum([0, *map(len, own[:-1])])
        met = np.add.reduceat(weights * alike.max(1), firsts) / np.add.reduceat(weights, firsts)
        taken_up = np.maximum.reduceat(alike, firsts) @ (important / important.sum())
        found: Floats = self._scales[0] * met + self._scales[1] * taken_up
        return found

    def _ids(self, text: str) -> Ints:
        if (known := self._known.get(text)) is None:
            known = np.array(self._pieces.of(text)[:LONGEST] or [0], np.int64)
            with self._lock:
                if len(self._known) >= _MOST_TEXTS:
                    self._known.clear()
                self._known[text] = known
        return known
