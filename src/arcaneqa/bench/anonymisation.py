"""What answers gain or lose where mentions are replaced by the kind of thing they name."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from arcaneqa.answer import ArcaneQA
from arcaneqa.evaluation.metrics import overlap
from arcaneqa.linking.anonymise import anonymise
from arcaneqa.linking.linker import Linker
from arcaneqa.linking.links import Links
from arcaneqa.linking.weights import bundled
from arcaneqa.record import Question


class _Linked(Linker):
    """Links that are known already."""

    def __init__(self, links: Mapping[str, Links]) -> None:
        self._links = links

    def link(self, question: str) -> Links:
        return self._links[question]


def report(questions: Sequence[Question], qa: ArcaneQA) -> str:
    """F1 of the same questions with their own words and with kinds in place of names."""
    own = [qa.linker.link(question.question) for question in questions]
    hidden = [anonymise(links, qa.kb, bundled().inside) for links in own]
    changed = sum(one.question != other.question for one, other in zip(own, hidden, strict=True))
    lines = ["| mentions | questions | changed | F1 |", "|---|---:|---:|---:|"]
    for name, links, count in (("as said", own, 0), ("as kinds", hidden, changed)):
        asked = [replace(q, question=found.question) for q, found in zip(questions, links, strict=True)]
        qa.linker = _Linked({found.question: found for found in links})
        lines.append(f"| {name} | {len(asked):,} | {count:,} | {mean_f1(asked, qa):.1f} |")
    return "\n".join(lines)


def mean_f1(questions: Sequence[Question], qa: ArcaneQA) -> float:
    total = 0.0
    for question, answer in zip(questions, qa.ask_many(questions), strict=True):
        found = {item.id or item.value or "" for item in answer.items}
        total += overlap(set(question.answers or ()), found).f1
    return 100 * total / len(questions)
