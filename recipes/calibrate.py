"""Fit a model's verdict: which reading is meant, how likely that is, and from when on it is given as an
answer.

    python recipes/calibrate.py MODEL GRAPHS --work DIR [--plot PNG]

GRAPHS is what `recipes/calibration_graphs.py` leaves: questions in the data's words and in other words, some
of which lost their answer; of each graph some are asked of another one, too. DIR keeps what searches find, so
that the same model searches only once; a fit then takes about two minutes. Writes `verdict.json` into MODEL.

All figures that are printed are about strangers: each graph is judged by a fit on the others. Thresholds are
the lowest that keep the promise of `PROMISED`; two kinds of failure are told apart: questions without an
answer, and wrong readings of questions that have one.
"""

from __future__ import annotations

import argparse
import pickle
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace
from functools import partial
from multiprocessing import get_context
from pathlib import Path

import numpy as np
from away import overlap, spellings
from numpy.typing import NDArray
from searches import Searched, kept

from arcaneqa.answer.arcaneqa import ArcaneQA
from arcaneqa.answer.describe import items_of_result
from arcaneqa.induction.found import Found
from arcaneqa.induction.search import run_together
from arcaneqa.kb.open import open_kb
from arcaneqa.lab.evaluation.metrics import expected_calibration_error, reliability
from arcaneqa.verdict.evidence import evidence
from arcaneqa.verdict.fitted import Case, Fitted, fit

RIDGES = (3.0, 10.0, 30.0, 100.0)
"""How much weights are held back, in questions; the more, the less a fit trusts its own graphs."""
PROMISED = 0.79
"""Of what is shown as an answer, the share that is right: somewhat more than is promised."""
SURE, PROMISED_SURE = 0.9, 0.957
"""The same of what is as sure as this."""
TEMPERS = (1.0, 0.975, 0.95, 0.925, 0.9, 0.85, 0.8, 0.75, 0.7)
"""What all weights are multiplied by, the largest that keeps that promise; the less, the less is sure."""
ASKED = 0.15
"""The share of all questions that is asked back at most."""
OFFERED = 3
"""Readings that are offered."""
TOGETHER = 16
THRESHOLDS = (0.0, 0.1, 0.2, 0.3, 0.5, 0.7, 0.9)
Numbers = NDArray[np.float64]
Flags = NDArray[np.bool_]


@dataclass(frozen=True)
class Judged:
    """A question's evidence, with the F1 of each reading."""

    graph: str
    id: str
    case: Case
    f1: tuple[float, ...]
    has_answer: bool


@dataclass(frozen=True)
class Told:
    """What a fit on other graphs makes of a question: F1 of the best reading, its chance, and that of the
    best few."""

    judged: Judged
    f1: float
    sure: float
    together: float

    @property
    def is_right(self) -> bool:
        return self.f1 > 0.5


def judged(model: Path, work: tuple[str, Sequence[Searched]]) -> list[Judged]:
    name, searched = work
    loaded = ArcaneQA.load(None, model)
    by_kb: dict[str, list[Searched]] = defaultdict(list)
    for one in searched:
        by_kb[one.kb].append(one)
    return [found for kb, own in by_kb.items() for found in _judged(loaded, name, kb, own)]


def _judged(loaded: ArcaneQA, name: str, kb: str, searched: Sequence[Searched]) -> Iterable[Judged]:
    with open_kb(kb) as opened:
        qa = loaded.over(opened)
        for start in range(0, len(searched), TOGETHER):
            group = searched[start : start + TOGETHER]
            read = [qa.search.read(one.links.read, one.outcome) for one in group]
            for one, outcome in zip(group, run_together(qa.scorer, read), strict=True):
                seen = evidence(one.links, outcome, qa.scorer.nearness, opened)
                f1 = tuple(_f1(qa, one, reading.found) for reading in seen.readings)
                groups = [reading.group for reading in seen.readings]
                best = max(f1, default=0.0)
                right = frozenset(
                    group for group, score in zip(groups, f1, strict=True) if score == best > 0.5
                )
                case = Case([reading.row for reading in seen.readings], groups, seen.none, right)
                yield Judged(name, one.id, case, f1, not (one.lost or one.strange))


def _f1(qa: ArcaneQA, one: Searched, found: Found) -> float:
    """Of the answers by name or by IRI; what a question had before something was taken out is still right."""
    if one.strange:
        return 0.0
    has_ids = len(one.answers) == len(one.ids)
    gold = zip(one.answers, one.ids, strict=True) if has_ids else zip(one.answers, strict=True)
    items = items_of_result(qa.kb, found.result)
    texts = ([text for text in (i.label, i.value, i.iri, i.id) if text is not None] for i in items)
    return overlap(list(map(spellings, gold)), list(map(spellings, texts)))


Fold = tuple[Sequence[Judged], Mapping[str, float]]
"""Some graphs, and what was fitted on all others."""
FOLDS = 6


def folds(cases: Sequence[Judged], ridge: float) -> list[Fold]:
    names = sorted({one.graph for one in cases})
    found: list[Fold] = []
    for fold in range(FOLDS):
        out = set(names[fold::FOLDS])
        weights = fit([one.case for one in cases if one.graph not in out], ridge)
        found.append(([one for one in cases if one.graph in out], weights))
    return found


def left_out(fitted: Sequence[Fold], temper: float = 1.0) -> list[Told]:
    """What is made of each graph by a fit on others."""
    return [chosen(one, Fitted(tempered(weights, temper))) for cases, weights in fitted for one in cases]


def tempered(weights: Mapping[str, float], temper: float) -> dict[str, float]:
    return {name: round(weight * temper, 6) for name, weight in weights.items()}


def chosen(one: Judged, fitted: Fitted) -> Told:
    if not one.case.rows:
        return Told(one, 0.0, 0.0, 0.0)
    alone, together = fitted.chances(one.case.rows, one.case.groups, one.case.none)
    best = max(range(len(alone)), key=lambda place: (together[place], alone[place]))
    few = sorted(dict(zip(one.case.groups, together, strict=True)).values())
    return Told(one, one.f1[best], together[best], sum(few[-OFFERED:]))


def loss(told: Sequence[Told]) -> float:
    chance = np.array([one.sure if one.is_right else 1 - one.sure for one in told])
    return float(-np.log(np.clip(chance, 1e-9, 1)).mean())


def keeps(told: Sequence[Told]) -> bool:
    """Whether what is sure is right as often as is promised."""
    right = [one.is_right for one in told if one.sure >= SURE]
    return not right or sum(right) >= PROMISED_SURE * len(right)


def threshold(told: Sequence[Told]) -> float:
    """The lowest, in hundredths, from which on as many are right as is promised."""
    sure, right = np.array([one.sure for one in told]), np.array([one.is_right for one in told])
    lows = (low / 100 for low in range(5, 95) if (sure >= low / 100).any())
    return next((low for low in lows if right[sure >= low].mean() >= PROMISED), 0.95)


def asking(told: Sequence[Told], answer: float) -> float:
    """The lowest, in hundredths, from which on no more are asked back than is allowed."""
    together = np.array([one.together for one in told if one.sure < answer])
    return next(low / 100 for low in range(1, 101) if (together >= low / 100).sum() <= ASKED * len(told))


def area(sure: Numbers, wrong: Flags) -> float:
    """Under the curve of right against wrong ones: 1 where every right one is surer than every wrong one."""
    order = np.argsort(sure, kind="stable")
    ranks = np.empty(len(sure))
    ranks[order] = np.arange(1, len(sure) + 1)
    right = ~wrong
    surer = ranks[right].sum() - right.sum() * (right.sum() + 1) / 2
    return float(surer / max(right.sum() * wrong.sum(), 1))


def report(told: Sequence[Told], answer: float, ask: float) -> None:
    by_kind: dict[str, list[Told]] = defaultdict(list)
    for one in told:
        kind = one.judged.graph.partition("-")[0]
        by_kind[f"{kind}, in other words" if "synonyms" in one.judged.id else kind].append(one)
    for name, own in [*sorted(by_kind.items()), ("all", list(told))]:
        has = [one for one in own if one.judged.has_answer]
        without = [one for one in own if not one.judged.has_answer and not one.is_right]
        shown = [one for one in own if one.sure >= answer]
        asked = [one for one in own if one.sure < answer and one.together >= ask]
        sure = [one for one in own if one.sure >= SURE]
        best = [one for one in own if one.is_right]
        print(
            f"{name:26} F1 {_share(has, lambda one: one.f1)} (of all found "
            f"{_share(has, lambda one: max(one.judged.f1, default=0.0))}) of {len(has):4}"
            f"  not answered {_share(without, lambda one: one.sure < answer)} of {len(without):4}"
            f"  shown {_share(own, lambda one: one.sure >= answer)}, "
            f"right {_share(shown, lambda one: one.is_right)}"
            f"  asked back {100 * len(asked) / max(1, len(own)):4.1f}"
            f"  right not shown {_share(best, lambda one: one.sure < answer)}"
            f"  sure {len(sure):4} right {_share(sure, lambda one: one.is_right)}"
        )
    chance, right = np.array([one.sure for one in told]), np.array([one.is_right for one in told])
    answerable = np.array([one.judged.has_answer for one in told])
    wrong = ~right
    kinds = {"questions without an answer": wrong & ~answerable, "wrong readings": wrong & answerable}
    for name, failed in kinds.items():
        mine = right | failed
        under, kept = area(chance[mine], failed[mine]), _coverage(chance[mine], right[mine])
        print(f"{name}: area under the curve {under:.3f}, coverage at 95% right {kept:.0%}")
    print(f"expected calibration error {expected_calibration_error(chance.tolist(), right.tolist()):.3f}")
    for low, high, size, mean, accuracy in reliability(chance.tolist(), right.tolist()):
        print(f"  {low:.1f} to {high:.1f}: {size:5} answers, {mean:.0%} sure, {accuracy:.0%} right")


def _coverage(sure: Numbers, right: Flags) -> float:
    """The largest share that can be answered with 95% of it right."""
    order = np.argsort(-sure, kind="stable")
    precision = np.cumsum(right[order]) / np.arange(1, len(order) + 1)
    good = np.flatnonzero(precision >= 0.95)
    return float((good[-1] + 1) / len(order)) if len(good) else 0.0


def _share(of: Sequence[Told], what: Callable[[Told], float]) -> str:
    return f"{100 * sum(map(what, of)) / max(1, len(of)):5.1f}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("model", type=Path)
    parser.add_argument("graphs", type=Path)
    parser.add_argument("--work", type=Path, required=True, help="folder for what searches find")
    parser.add_argument("--most", type=int, default=200, help="questions of a graph")
    parser.add_argument("--plot", type=Path, help="draw confidence against accuracy into this file")
    given = parser.parse_args()
    searched = kept(given.model, given.graphs, given.work, given.most)
    with ProcessPoolExecutor(2, get_context("spawn")) as pool:
        cases = [one for own in pool.map(partial(judged, given.model), searched.items()) for one in own]
    (given.work / "cases.pickle").write_bytes(pickle.dumps(cases))
    finish(cases, given.model, given.plot)


def finish(cases: Sequence[Judged], model: Path, plot: Path | None = None) -> None:
    """Choose how much weights are held back, tell how that fares, and keep a fit on all graphs."""
    fitted = {ridge: folds(cases, ridge) for ridge in RIDGES}
    ridge = min(RIDGES, key=lambda ridge: loss(left_out(fitted[ridge])))
    temper = next((one for one in TEMPERS if keeps(left_out(fitted[ridge], one))), TEMPERS[-1])
    told = left_out(fitted[ridge], temper)
    answer = threshold(told)
    ask = asking(told, answer)
    print(f"{len(cases)} questions, ridge {ridge:g}, tempered by {temper:g}: ", end="")
    print(f"answers from {answer:.2f}, asks back from {ask:.2f}")
    report(told, answer, ask)
    sure, right = np.array([one.sure for one in told]), np.array([one.is_right for one in told])
    expected = tuple(
        (limit, round(float(right[sure >= limit].mean()), 3)) for limit in sorted({*THRESHOLDS, answer})
    )
    weights = tempered(fit([one.case for one in cases], ridge), temper)
    replace(Fitted(weights), answer=answer, ask=ask, examples=len(cases), expected=expected).save(model)
    if plot is not None:
        from arcaneqa.lab.evaluation.report import draw_calibration

        draw_calibration(plot, sure.tolist(), right.tolist())


if __name__ == "__main__":
    main()
