"""Over graphs with holes: how many questions that lost their answer are refused, and what the others score.

    arcaneqa ask --input DIR/questions.jsonl --output DIR/predictions.jsonl --kb DIR/index
    python recipes/refused.py DIR…

A DIR is what `recipes/holes.py` makes, with predictions beside it. F1 is over answers as records write them,
numbers to six digits.
"""

from __future__ import annotations

import argparse
import json
from collections import defaultdict
from pathlib import Path
from typing import Any

from arcaneqa.evaluation.metrics import overlap

SURE = 0.9


def lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def plain(text: str) -> str:
    try:
        return f"{float(text):.6g}"
    except ValueError:
        return text


def scored(folder: Path) -> list[tuple[str | None, float, float, bool]]:
    """For each question its hole, F1, confidence, and whether it was refused."""
    told = {prediction["id"]: prediction for prediction in lines(folder / "predictions.jsonl")}
    rows = []
    for question in lines(folder / "questions.jsonl"):
        prediction = told[question["id"]]
        found = {plain(str(item.get("id") or item["value"])) for item in prediction["answers"]}
        gold = {plain(text) for text in question["answers"]}
        f1 = overlap(gold, found).f1 if gold and found else 0.0
        rows.append((question.get("hole"), f1, prediction["confidence"] or 0.0, not found))
    return rows


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("folders", nargs="+", type=Path)
    rows = [row for folder in parser.parse_args().folders for row in scored(folder)]
    kept = [row for row in rows if row[0] is None]
    print(f"{len(kept)} with an answer: F1 {100 * sum(f1 for _, f1, _, _ in kept) / max(len(kept), 1):.1f}")
    by_kind: dict[str, list[bool]] = defaultdict(list)
    for hole, _, _, is_refused in rows:
        if hole is not None:
            by_kind[hole].append(is_refused)
    every = [is_refused for refused in by_kind.values() for is_refused in refused]
    for kind, refused in [*sorted(by_kind.items()), ("anything", every)]:
        print(f"{len(refused)} without their {kind}: {sum(refused) / max(len(refused), 1):.0%} refused")
    sure = [f1 == 1 for _, f1, confidence, is_refused in rows if confidence >= SURE and not is_refused]
    right = sum(f1 == 1 for _, f1, _, _ in rows)
    print(
        f"{len(sure)} answers at {SURE} and more: {sum(sure) / max(len(sure), 1):.0%} right, "
        f"{sum(sure) / max(right, 1):.0%} of all right answers"
    )


if __name__ == "__main__":
    main()
