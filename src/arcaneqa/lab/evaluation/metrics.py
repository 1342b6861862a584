"""F1 by published conventions, by cells of the paper's tables, with intervals, and calibration."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence, Set
from dataclasses import asdict, dataclass
from enum import StrEnum
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from arcaneqa.language.expression import Compare, Count, Expression, Extreme, post_order, relations
from arcaneqa.record import Question

# F1 of answer sets, under each of the conventions that published figures use.


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


# The cells of the paper's tables: level of generalisation, function, number of relations.


NONE, COUNT, COMPARATIVE, SUPERLATIVE = "none", "count", "comparative", "superlative"
FUNCTIONS = (NONE, COUNT, COMPARATIVE, SUPERLATIVE)
LEVELS = ("i.i.d.", "compositional", "zero-shot")
_PUBLISHED = {
    "argmax": SUPERLATIVE,
    "argmin": SUPERLATIVE,
    "comparison": COMPARATIVE,
    **dict.fromkeys(("<", "<=", ">", ">=", "lt", "le", "gt", "ge"), COMPARATIVE),
}

Cells = dict[str, str]


def cells(question: Question, gold: Expression | None) -> Cells:
    """Where a question belongs in each table; what its record does not say is read off the gold program."""
    found: Cells = {}
    if question.level is not None:
        found["level"] = str(question.level)
    if question.function is not None:
        found["function"] = _PUBLISHED.get(str(question.function).lower(), str(question.function).lower())
    elif gold is not None:
        found["function"] = function_of(gold)
    if question.relations is not None:
        found["relations"] = str(question.relations)
    elif gold is not None:
        found["relations"] = str(relation_count(gold))
    return found


def function_of(program: Expression) -> str:
    """The paper's four kinds; a count of superlatives is a count, as in GrailQA's own labels."""
    nodes = list(post_order(program))
    for kind, name in ((Count, COUNT), (Extreme, SUPERLATIVE), (Compare, COMPARATIVE)):
        if any(isinstance(node, kind) for node in nodes):
            return name
    return NONE


def relation_count(program: Expression) -> int:
    return sum(len(relations(node)) for node in post_order(program))


def table(
    rows: Sequence[Cells], scores: Mapping[str, NDArray[np.float64]]
) -> dict[str, dict[str, dict[str, float]]]:
    """Mean of every score in every cell, in percent, with the number of questions."""
    result: dict[str, dict[str, dict[str, float]]] = {}
    for dimension in ("level", "function", "relations"):
        members: dict[str, list[int]] = {}
        for index, row in enumerate(rows):
            if dimension in row:
                members.setdefault(row[dimension], []).append(index)
        result[dimension] = {
            cell: {"n": len(chosen)}
            | {name: percent(float(values[chosen].mean())) for name, values in scores.items()}
            for cell, chosen in sorted(members.items(), key=lambda item: _order(item[0]))
        }
    return result


def percent(share: float) -> float:
    return round(100 * share, 4)


def _order(cell: str) -> tuple[int, int, str]:
    known = (*LEVELS, *FUNCTIONS)
    if cell in known:
        return 0, known.index(cell), cell
    return 1, int(cell) if cell.isdecimal() else 0, cell


# How sure a figure is: intervals from resampled questions, alone and against another system.


SAMPLES = 1000
"""Times that the questions are drawn anew."""
_AT_ONCE = 2_000_000  # drawn numbers held in memory at a time

Scores = NDArray[np.float64]


def resampled_means(values: Scores, seed: int = 0, samples: int = SAMPLES) -> Scores:
    """`values` is questions × figures; the result is samples × figures."""
    random = np.random.default_rng(seed)
    count = len(values)
    means = np.empty((samples, values.shape[1]))
    step = max(1, _AT_ONCE // count)
    for start in range(0, samples, step):
        chosen = random.integers(0, count, size=(min(step, samples - start), count))
        for figure in range(values.shape[1]):
            means[start : start + len(chosen), figure] = values[chosen, figure].mean(axis=1)
    return means


def interval(means: Scores) -> tuple[float, float]:
    low, high = np.quantile(means, [0.025, 0.975])
    return percent(float(low)), percent(float(high))


@dataclass(frozen=True, slots=True)
class PairedComparison:
    """`difference` is this system minus the other in percentage points; `p` is two-sided."""

    difference: float
    interval: tuple[float, float]
    p: float

    def to_json(self) -> dict[str, object]:
        return asdict(self)


def paired(own: Scores, other: Scores, seed: int = 0, samples: int = SAMPLES) -> PairedComparison:
    """The same questions are drawn for both, so that a hard sample is hard for both."""
    differences = own - other
    means = resampled_means(differences[:, None], seed, samples)[:, 0]
    # Half of an even split counts for either side, so that equal systems give p = 1.
    below = float(np.mean(means < 0) + np.mean(means == 0) / 2)
    p = max(2 * min(below, 1 - below), 1 / samples)
    return PairedComparison(percent(float(differences.mean())), interval(means), round(p, 6))


# How well confidence keeps its word.


class Bin(NamedTuple):
    """Answers whose confidence lies in `[low, high)`; the last bin includes 1."""

    low: float
    high: float
    size: int
    confidence: float
    accuracy: float


def reliability(confidence: Sequence[float], correct: Sequence[bool], bins: int = 10) -> list[Bin]:
    """Bins that hold something, from unsure to sure."""
    values, right = np.asarray(confidence, dtype=float), np.asarray(correct, dtype=float)
    place = np.minimum((values * bins).astype(int), bins - 1)
    found = []
    for at in range(bins):
        inside = place == at
        if inside.any():
            means = float(values[inside].mean()), float(right[inside].mean())
            found.append(Bin(at / bins, (at + 1) / bins, int(inside.sum()), *means))
    return found


def expected_calibration_error(confidence: Sequence[float], correct: Sequence[bool], bins: int = 10) -> float:
    """Mean gap between confidence and accuracy over the bins, weighted by how many answers they hold."""
    found = reliability(confidence, correct, bins)
    total = sum(each.size for each in found)
    return sum(each.size * abs(each.confidence - each.accuracy) for each in found) / total if total else 0.0
