"""F1 of answer sets, under each of the conventions that published figures use."""

from __future__ import annotations

from collections.abc import Collection, Set
from dataclasses import dataclass
from enum import StrEnum


class Mode(StrEnum):
    """Whose rules a score follows.

    semantic: exact match by `program.equivalence`, F1 of the answers alone.
    grailqa: GrailQA's script: its matcher, and F1 = 1 where the programs match.
    webqsp: WebQSP's script: the best F1 over all parses of a question.
    webqsp-top1: the first parse only, as the paper's own script compares.
    graphq: as webqsp-top1; questions without a program count as misses in the headline figure.
    """

    SEMANTIC = "semantic"
    GRAILQA = "grailqa"
    WEBQSP = "webqsp"
    WEBQSP_TOP1 = "webqsp-top1"
    GRAPHQ = "graphq"


@dataclass(frozen=True, slots=True)
class Overlap:
    precision: float
    recall: float
    f1: float


NOTHING = Overlap(0.0, 0.0, 0.0)
FULL = Overlap(1.0, 1.0, 1.0)


def overlap(gold: Set[str], predicted: Set[str]) -> Overlap:
    """Precision, recall and F1 of sets that are not both empty; 0 where they share nothing."""
    common = len(gold & predicted)
    if not common:
        return NOTHING
    precision, recall = common / len(predicted), common / len(gold)
    return Overlap(precision, recall, 2 * precision * recall / (precision + recall))


def plain(gold: Set[str], predicted: Set[str]) -> Overlap:
    """Two empty sets agree."""
    return FULL if not gold and not predicted else overlap(gold, predicted)


def lenient(gold: Set[str], predicted: Set[str]) -> Overlap:
    """The paper's script for WebQSP and GraphQuestions: nothing can be wrong where gold is empty."""
    return overlap(gold, predicted) if gold else FULL


def webqsp(gold: Collection[str], predicted: Collection[str]) -> Overlap:
    """WebQSP's script. It counts answers, not distinct answers, and an empty side has perfect precision or
    recall: (1, 0, 0) for no prediction, (0, 1, 0) for any prediction where gold is empty."""
    if not gold:
        return Overlap(0.0, 1.0, 0.0) if predicted else FULL
    if not predicted:
        return Overlap(1.0, 0.0, 0.0)
    known, given = set(gold), set(predicted)
    found = sum(answer in given for answer in gold)
    if not found:
        return NOTHING
    wrong = sum(answer not in known for answer in predicted)
    precision, recall = found / (found + wrong), found / len(gold)
    return Overlap(precision, recall, 2 * precision * recall / (precision + recall))


def best_of_parses(parses: Collection[Collection[str]], predicted: Collection[str]) -> Overlap:
    """The parse with the highest F1; the first of them where several are equal."""
    return max((webqsp(gold, predicted) for gold in parses), key=lambda found: found.f1)
