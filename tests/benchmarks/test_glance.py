"""The first glance against none, over a few questions of the demonstration."""

from __future__ import annotations

import re
from itertools import islice
from pathlib import Path

from arcaneqa.lab.evaluation.metrics import Mode
from arcaneqa.record import read_questions
from benchmarks.glance import report


def test_fewer_word_pieces_are_read_and_the_answers_are_judged() -> None:
    questions = list(islice(read_questions(Path("demo/questions.jsonl")), 4))
    said = report(questions, None, None, Mode.SEMANTIC)
    pieces = [int(found.replace(",", "")) for found in re.findall(r"\| with\w* ?i?t? +\| +([\d,]+) \|", said)]
    assert len(pieces) == 2
    assert pieces[0] > pieces[1] > 0
    assert "Of 4 best programs" in said
