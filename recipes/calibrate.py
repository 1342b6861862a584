"""Fit a model's confidence on held-out questions over several knowledge bases.

    python recipes/calibrate.py MODEL DATA.jsonl=KB … [--most 150]

It is fitted on all of them, and measured in ten folds: each question by a fit that has not seen it. An answer
counts as right if its set equals the gold one. Writes `confidence.json` into MODEL and prints the calibration
error, and the precision at several thresholds.
"""

from __future__ import annotations

import argparse
from dataclasses import replace
from pathlib import Path
from zlib import crc32

import numpy as np

from arcaneqa.answer import ArcaneQA
from arcaneqa.confidence import Confidence
from arcaneqa.evaluation.calibration import expected_calibration_error
from arcaneqa.record import read_questions

FOLDS = 10


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("model", type=Path)
    parser.add_argument("data", nargs="+", help="DATA.jsonl=KB; an empty KB is the bundled one")
    parser.add_argument("--most", type=int, default=150, help="questions of each file")
    parser.add_argument("--threshold", type=float, default=0.1, help="below it nothing is answered")
    arguments = parser.parse_args()
    rows: list[np.ndarray] = []
    correct: list[bool] = []
    for pair in arguments.data:
        path, _, kb = pair.partition("=")
        qa = ArcaneQA.load(kb or None, arguments.model)
        qa.confidence = replace(qa.confidence, threshold=0.0)
        questions = [q for q in read_questions(Path(path)) if q.answers]
        questions = sorted(questions, key=lambda q: crc32(q.id.encode()))[: arguments.most]
        right = 0
        for question, answer in zip(questions, qa.ask_many(questions), strict=True):
            if answer.evidence is not None:
                found = {item.id or item.value for item in answer.items}
                right += (is_right := found == set(question.answers or ()))
                rows.append(np.array(answer.evidence))
                correct.append(is_right)
        print(f"{path}: {right} of {len(questions)} right", flush=True)
    given, was_right = held_out(rows, correct)
    error = expected_calibration_error(given.tolist(), was_right.tolist())
    print(f"expected calibration error {error:.3f} on {len(given)} questions")
    for threshold in (0.0, 0.1, 0.2, 0.3, 0.5, 0.8):
        kept = given >= threshold
        share = was_right[kept].mean()
        print(f"threshold {threshold:.1f}: {kept.mean():.0%} answered, {share:.0%} of them right")
    Confidence.fit(rows, correct, arguments.threshold).save(arguments.model)


def held_out(rows: list[np.ndarray], correct: list[bool]) -> tuple[np.ndarray, np.ndarray]:
    """The confidence in each answer by a fit on nine tenths of the others, and which were right."""
    fold = np.random.default_rng(0).permutation(len(rows)) % FOLDS
    given = np.zeros(len(rows))
    for number in range(FOLDS):
        kept = np.flatnonzero(fold != number).tolist()
        fitted = Confidence.fit([rows[place] for place in kept], [correct[place] for place in kept])
        for place in np.flatnonzero(fold == number).tolist():
            given[place] = fitted.weigh(rows[place])
    return given, np.array(correct)


if __name__ == "__main__":
    main()
