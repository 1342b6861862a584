"""A process that answers thousands of questions must not grow by each of them."""

from __future__ import annotations

import gc
import os
from itertools import islice
from pathlib import Path

import pytest

from arcaneqa.answer import ArcaneQA
from arcaneqa.model.config import ModelConfig
from arcaneqa.model.tokens import WordPieces
from arcaneqa.model.vocabulary import Vocabulary
from arcaneqa.synthesis.synthesize import synthesize
from tiny import tokenizer


def _resident() -> float:
    gc.collect()
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 1e6


def test_strings_met_before_are_forgotten_in_time() -> None:
    known = Vocabulary(WordPieces(tokenizer(), ModelConfig()), limit=100)
    for number in range(1_000):
        asked = known.asked(f"which city {number}", f"join {number}", ())
        known.pack([asked._replace(candidates=((f"town {number}", "city"), ("end", "")))])
    assert known.size <= 110


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="resident memory is read from /proc")
def test_many_different_questions_leave_no_trace() -> None:
    qa = ArcaneQA.load()
    questions = (question.question for question in synthesize(qa.kb, 2_000))
    sizes = []
    for _ in range(4):
        for question in islice(questions, 150):
            qa.ask(question)
        sizes.append(_resident())
    # Caches fill up at first; what every question left behind would show again and again.
    assert sizes[-1] - sizes[-2] < 12, sizes
