"""What answers gain or lose where mentions are replaced by the kind of thing they name.

`python -m baselines.measure_anonymisation QUESTIONS.jsonl [--kb KB] [--model MODEL] [--most 100]`

With `--kinds-model` the questions that name kinds are asked of a model that was trained on such
(`anonymise`); without it, of the model that was trained on names.
"""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import islice
from pathlib import Path

from arcaneqa.answer.arcaneqa import ArcaneQA
from arcaneqa.lab.evaluation.metrics import overlap
from arcaneqa.lab.figures import write_section
from arcaneqa.linking.features import bundled
from arcaneqa.linking.linker import Linker
from arcaneqa.links import Links
from arcaneqa.record import Question, read_questions
from baselines.anonymise import anonymise


class _Linked(Linker):
    """Links that are known already."""

    def __init__(self, links: Mapping[str, Links]) -> None:
        self._links = links

    def link(self, question: str) -> Links:
        return self._links[question]


def report(questions: Sequence[Question], qa: ArcaneQA, kinds: ArcaneQA | None = None) -> str:
    """F1 of the same questions with their own words and with kinds in place of names."""
    own = [qa.linker.link(question.question) for question in questions]
    hidden = [anonymise(links, qa.kb, bundled().inside) for links in own]
    changed = sum(one.question != other.question for one, other in zip(own, hidden, strict=True))
    lines = ["| mentions | questions | changed | F1 |", "|---|---:|---:|---:|"]
    for name, links, count in (("as said", own, 0), ("as kinds", hidden, changed)):
        asked = [replace(q, question=found.question) for q, found in zip(questions, links, strict=True)]
        answering = kinds if kinds is not None and name == "as kinds" else qa
        answering.linker = _Linked({found.question: found for found in links})
        lines.append(f"| {name} | {len(asked):,} | {count:,} | {mean_f1(asked, answering):.1f} |")
    return "\n".join(lines)


def mean_f1(questions: Sequence[Question], qa: ArcaneQA) -> float:
    total = 0.0
    for question, answer in zip(questions, qa.ask_many(questions), strict=True):
        found = {item.id or item.value or "" for item in answer.items}
        total += overlap(set(question.answers or ()), found).f1
    return 100 * total / len(questions)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path, help="questions with their answers, as unified records")
    parser.add_argument("--kb", help="index folder or endpoint; the demo if left out")
    parser.add_argument("--model", type=Path, help="checkpoint; the bundled one if left out")
    parser.add_argument("--kinds-model", type=Path, help="trained on questions that name kinds")
    parser.add_argument("--most", type=int, default=100, help="use at most so many questions, the first ones")
    parser.add_argument("--document", type=Path, default=Path("docs/measurements/results.md"))
    given = parser.parse_args()
    questions = list(islice(read_questions(given.data), given.most))
    kinds = None if given.kinds_model is None else ArcaneQA.load(given.kb, given.kinds_model)
    body = report(questions, ArcaneQA.load(given.kb, given.model), kinds)
    line = f"python -m baselines.measure_anonymisation {given.data.name} --kb KB --most {given.most}"
    name = given.data.stem
    write_section(given.document, f"anonymisation {name}", f"Anonymisation: {name}", line, body)
    print(body)


if __name__ == "__main__":
    main()
