"""Compile the loops of questions for this processor: `python -m arcaneqa.apps.compiling PART`.

`support.loops` starts it where nothing is compiled yet; `arcaneqa index` waits for it.
"""

from __future__ import annotations

import fcntl
import os
import sys
from pathlib import Path

import numpy as np

from arcaneqa.induction.scorer import Candidate, Decision, TokenKind
from arcaneqa.int8.plain import PlainReader
from arcaneqa.kb.index import Index
from arcaneqa.kb.interface import KnowledgeBase
from arcaneqa.kb.open import open_kb
from arcaneqa.model.reader import CountedReader
from arcaneqa.model.scorer import ModelScorer
from arcaneqa.model.stored import Stored, bundled_model, read_stored
from arcaneqa.support import loops
from arcaneqa.support.errors import ModelError
from arcaneqa.support.terminal import Progress


def compile_part(part: str) -> None:
    """One of `loops.PARTS`, unless another process is at it or it is done."""
    mark = loops.is_done(part)
    if mark is None:
        return
    mark.parent.mkdir(parents=True, exist_ok=True)
    with mark.with_suffix(".lock").open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            return
        if mark.exists():
            return
        os.nice(loops.NICE)
        loops.use_always()
        stored = _stored()
        if part == "encoder":
            from arcaneqa.int8.bert import BertReader

            if stored is not None and BertReader.can_read(stored):
                BertReader(stored).read(np.arange(1_000, 1_008, dtype=np.int32), np.array([8]))
        else:
            if stored is not None:
                _choose(_WithoutEncoder(stored))
            with open_kb() as kb:
                _walk(kb)
        mark.touch()


def compile_ahead(progress: Progress, index: Path) -> None:
    """So that the first question about this index need not wait."""
    progress("compiling for this processor (once)", 0, None)
    loops.wait()
    with Index(index) as kb:
        _walk(kb)
    if (stored := _stored()) is not None:
        _choose(ModelScorer(stored))


def _stored() -> Stored | None:
    """None where the package was built without a model."""
    try:
        return read_stored(bundled_model())
    except ModelError:
        return None


class _WithoutEncoder(ModelScorer):
    @staticmethod
    def _reader_of(stored: Stored, device: str) -> CountedReader:  # noqa: ARG004 - the processor
        return CountedReader(PlainReader(stored))


def _choose(scorer: ModelScorer) -> None:
    candidates = [Candidate(TokenKind.RELATION, "capital"), Candidate(TokenKind.END, "end")]
    scorer.score([Decision("what is the capital?", (), candidates)])


def _walk(kb: KnowledgeBase) -> None:
    some, none = kb.nodes(np.zeros(1, np.int64)), np.empty(0, np.int64)
    kb.neighbours(some)
    kb.relations_into(some, none, some)
    kb.relations_telling_apart(some, none)
    kb.relations_to_values(some, none, none)


if __name__ == "__main__":
    compile_part(sys.argv[1])
