"""Fit a model's confidence on held-out questions over several knowledge bases.

    python recipes/calibrate.py MODEL DATA.jsonl=KB … [--most 150]

Half of the questions of each file fit it, the other half measures it. An answer counts as right if its set
equals the gold one. Writes `confidence.json` into MODEL and prints the calibration error, and the precision
at several thresholds.
"""

from __future__ import annotations

import argparse
from dataclasses import replace
from pathlib import Path
from zlib import crc32

import numpy as np

from arcaneqa.answer import ArcaneQA
from arcaneqa.confidence import Confidence
from arcaneqa.datasets.record import read_questions
from arcaneqa.evaluation.calibration import expected_calibration_error


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("model", type=Path)
    parser.add_argument("data", nargs="+", help="DATA.jsonl=KB; an empty KB is the bundled one")
    parser.add_argument("--most", type=int, default=150, help="questions of each file")
    arguments = parser.parse_args()
    halves: tuple[list[tuple[np.ndarray, bool]], ...] = ([], [])
    for pair in arguments.data:
        path, _, kb = pair.partition("=")
        qa = ArcaneQA.load(kb or None, arguments.model)
        qa.confidence = replace(qa.confidence, threshold=0.0)
        questions = [q for q in read_questions(Path(path)) if q.answers]
        questions = sorted(questions, key=lambda q: crc32(q.id.encode()))[: arguments.most]
        right = 0
        for place, (question, answer) in enumerate(zip(questions, qa.ask_many(questions), strict=True)):
            if answer.evidence is not None:
                found = {item.id or item.value for item in answer.items}
                is_right = found == set(question.answers or ())
                right += is_right
                halves[place % 2].append((np.array(answer.evidence), is_right))
        print(f"{path}: {right} of {len(questions)} right", flush=True)
    fitted = Confidence.fit([row for row, _ in halves[0]], [is_right for _, is_right in halves[0]])
    given = np.array([fitted.weigh(row) for row, _ in halves[1]])
    correct = np.array([is_right for _, is_right in halves[1]])
    error = expected_calibration_error(given.tolist(), correct.tolist())
    print(f"expected calibration error {error:.3f} on {len(given)} others")
    for threshold in (0.0, 0.1, 0.2, 0.3, 0.5, 0.8):
        kept = given >= threshold
        print(
            f"threshold {threshold:.1f}: {kept.mean():.0%} answered, {correct[kept].mean():.0%} of them right"
        )
    fitted.save(arguments.model)


if __name__ == "__main__":
    main()
