"""How often the right program is among those found, over the databases that training keeps out.

    python recipes/found.py --work FOLDER [--model MODEL] [--beam 5 --beam 16] [--enough 0.99]

FOLDER is that of `training_data.py`. Of each wording: questions with a program, the share for which a program
with the right answers is among those found and is the first, how many programs were found, decisions asked of
the model, and milliseconds a question. `--beam` and `--enough` replace the model's own.
"""

from __future__ import annotations

import argparse
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from training_data import PEOPLE, is_held

from arcaneqa import ArcaneQA
from arcaneqa.induction.found import is_same
from arcaneqa.induction.scorer import Decision, Scorer, Scores
from arcaneqa.induction.topics import topics_from_links
from arcaneqa.kb.open import open_kb
from arcaneqa.language.run import execute
from arcaneqa.language.text import parse
from arcaneqa.record import read_questions
from arcaneqa.support.errors import ArcaneError


class Counting:
    """A scorer that counts the decisions it is asked."""

    def __init__(self, scorer: Scorer) -> None:
        self._scorer = scorer
        self.asked = 0

    def score(self, decisions: Sequence[Decision]) -> list[Scores]:
        self.asked += len(decisions)
        return self._scorer.score(decisions)


def measured(loaded: ArcaneQA, work: Path, source: str) -> Counter[str]:
    total: Counter[str] = Counter()
    for path in sorted((work / "records" / source).glob("*.jsonl")):
        if not is_held(path.stem):
            continue
        qa = loaded.over(open_kb(work / "kb" / path.stem))
        counting = Counting(qa.search.scorer)
        qa.search.scorer = counting
        for question in read_questions(path):
            if question.program is None:
                continue
            gold = execute(parse(question.program, qa.names, qa.kb.schema), qa.kb)
            topics = topics_from_links(qa.linker.link(question.question), qa.kb)
            begun = time.perf_counter()
            try:
                found = qa.search.run(question.question, [topics]).found
            except ArcaneError:
                found = ()
            right = [is_same(one.result, gold, qa.kb) for one in found]
            total.update({"questions": 1, "found": any(right), "first": right[:1] == [True]})
            total.update({"programs": len(found), "microseconds": round(1e6 * (time.perf_counter() - begun))})
        total["decisions"] += counting.asked
        qa.kb.close()
    return total


def told(total: Counter[str]) -> str:
    count = max(1, total["questions"])
    return (
        f"{count} questions, right among those found {total['found'] / count:.1%}, "
        f"first {total['first'] / count:.1%}; "
        f"{total['programs'] / count:.1f} programs, {total['decisions'] / count:.1f} decisions, "
        f"{total['microseconds'] / count / 1000:.0f} ms"
    )


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--work", type=Path, required=True)
    parser.add_argument("--model", type=Path)
    parser.add_argument("--beam", type=int, action="append", default=[])
    parser.add_argument("--enough", type=float, action="append", default=[])
    given = parser.parse_args()
    loaded = ArcaneQA.load(None, given.model)
    for beam in given.beam or [loaded.settings.beam]:
        for enough in given.enough or [loaded.settings.enough]:
            loaded.settings = replace(loaded.settings, beam=beam, enough=enough)
            for source in PEOPLE:
                print(
                    f"beam {beam}, {enough}, {source}: {told(measured(loaded, given.work, source))}",
                    flush=True,
                )


if __name__ == "__main__":
    main()
