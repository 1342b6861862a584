"""The five tables of the comparison, from what `asking` wrote down: lines in, Markdown out."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from arcaneqa.lab.evaluation.metrics import FUNCTIONS, LEVELS, interval, resampled_means
from baselines.decoding import Fate

Line = dict[str, Any]
Runs = Mapping[tuple[str, str, str], Sequence[Line]]
"""Lines by method, dataset and place: entities `linked` or `gold`; linked ones, timed over the `index` or an
`endpoint`."""
Says = Mapping[str, str]
"""What methods are called, in the order of the tables."""

_ARCANEQA = ("ArcaneQA", "63.8 / 73.7", "69.5 / 76.9", "75.6", "5.6")
_STATIC = ("ArcaneQA w/o contextualised encoding", "49.7 / 59.1", "–", "68.8", "–")
PUBLISHED = {
    "ours": _ARCANEQA,
    "paper": _ARCANEQA,
    "static": _STATIC,
    "paperstatic": _STATIC,
    "typed": ("ReTraCk", "58.1 / 65.3", "–", "71.0", "–"),
    "whole": ("BERT + Transduction*", "33.3 / 36.8", "–", "–", "–"),
    "ranking": ("BERT + Ranking*", "50.6 / 58.0", "51.0 / 58.4", "–", "115.5"),
    "suggested": ("RnG-KBQA", "68.8 / 74.4", "71.4 / 76.8", "75.6", "82.1"),
    "staged": ("QGG*", "– / 36.7", "–", "74.0", "–"),
}
"""Name; GrailQA test and dev, EM / F1; WebQSP F1; seconds: the paper's Tables 2, 6 and its running times. A
star: on GrailQA with the baseline's linked entities, with which ArcaneQA has 58.8 / 67.2."""
_BUCKETS = ((0, 9), (10, 19), (20, 39), (40, 10**9))


def overall(runs: Runs, says: Says) -> str:
    """Table 1: EM / F1 on GrailQA, overall and by level; F1 on the others, with 95% intervals."""
    rows = []
    for entities in ("linked", "gold"):
        for method, name in says.items():
            grailqa = runs.get((method, "grailqa", entities), ())
            cells = [_em_f1(grailqa, with_interval=True)]
            cells += [_em_f1([x for x in grailqa if x["cells"].get("level") == level]) for level in LEVELS]
            cells += [_f1(runs.get((method, dataset, entities), ())) for dataset in ("webqsp", "lcquad")]
            if any(cell != "–" for cell in cells):
                rows.append([name, entities, *cells])
    head = [
        "method",
        "entities",
        "GrailQA EM / F1",
        *(f"{level}" for level in LEVELS),
        "WebQSP F1",
        "LC-QuAD F1",
    ]
    return _table(head, rows)


def by_function(runs: Runs, says: Says) -> str:
    """Table 2: EM / F1 on GrailQA by function and by number of relations, entities linked."""
    columns: list[tuple[str, Callable[[Line], bool]]] = [
        (name, lambda line, name=name: line["cells"].get("function") == name)  # type: ignore[misc]
        for name in FUNCTIONS
    ]
    columns += [
        (f"{count} relations", lambda line, count=count: line["cells"].get("relations") == str(count))  # type: ignore[misc]
        for count in (1, 2, 3, 4)
    ]
    rows = []
    for method, name in says.items():
        lines = runs.get((method, "grailqa", "linked"), ())
        if lines:
            rows.append([name, *(_em_f1([x for x in lines if keeps(x)]) for _, keeps in columns)])
    first = next((lines for (_, dataset, _), lines in runs.items() if dataset == "grailqa" and lines), ())
    head = ["method", *(f"{label} ({sum(map(keeps, first))})" for label, keeps in columns)]
    return _table(head, rows)


def efficiency(runs: Runs, says: Says) -> str:
    """Table 3: what a question of GrailQA costs, over the index and over an endpoint, and how time grows.

    Over the index it is the processor's time, which other work beside it does not lengthen; a server's time
    is only seen by the clock.
    """
    rows = []
    for place in ("index", "endpoint"):
        for method, name in says.items():
            lines = runs.get((method, "grailqa", place), ())
            if not lines:
                continue
            kind = "processor" if place == "index" else "seconds"
            seconds = np.array([line[kind] for line in lines])
            means = [f"{np.mean([line[key] for line in lines]):,.0f}" for key in _COUNTED]
            grown = [
                _median([x[kind] for x in lines if low <= x["degree"] <= high]) for low, high in _BUCKETS
            ]
            rows.append(
                [
                    name,
                    place,
                    f"{np.median(seconds):.2f}",
                    f"{np.quantile(seconds, 0.95):.2f}",
                    *means,
                    *grown,
                ]
            )
    spans = [
        f"s at {low}–{high} relations" if high < 10**9 else f"s at {low} and more" for low, high in _BUCKETS
    ]
    head = [
        "method",
        "over",
        "s median",
        "s p95",
        "decisions",
        "candidates",
        "word pieces",
        "questions to the KB",
    ]
    return _table([*head, *spans], rows)


_COUNTED = ("decisions", "candidates", "pieces", "asked")


def faithfulness(runs: Runs, says: Says) -> str:
    """Table 4: what becomes of the program that a method likes best; all datasets, entities linked."""
    rows = []
    for method, name in says.items():
        places = {place for own, _, place in runs if own == method}
        chosen = "linked" if "linked" in places else "index"
        lines = [
            x for (own, _, place), part in runs.items() if own == method and place == chosen for x in part
        ]
        if lines:
            shares = [np.mean([line["fate"] == fate for line in lines]) for fate in Fate]
            rows.append([name, str(len(lines)), *(f"{100 * share:.1f}" for share in shares)])
    return _table(["method", "questions", *(f"{fate.value}, %" for fate in Fate)], rows)


def beside_published(runs: Runs, says: Says) -> str:
    """Table 5: the authors' figures beside ours, also of methods that were not asked here."""
    rows = []
    for method, name in says.items():
        if method in PUBLISHED:
            grailqa = runs.get((method, "grailqa", "linked"), ())
            time = _median([line["processor"] for line in runs.get((method, "grailqa", "index"), ())])
            own = [_em_f1(grailqa), _f1(runs.get((method, "webqsp", "linked"), ())), time]
            rows.append([name, *own, *PUBLISHED[method]])
    head = ["method", "here: GrailQA EM / F1", "WebQSP F1", "s", "published as"]
    return _table([*head, "GrailQA test EM / F1", "dev", "WebQSP F1", "s"], rows)


TABLES: dict[str, tuple[str, Callable[[Runs, Says], str]]] = {
    "overall": ("Table 1: overall, and by level of generalisation", overall),
    "functions": ("Table 2: by function and number of relations", by_function),
    "efficiency": ("Table 3: efficiency", efficiency),
    "faithfulness": ("Table 4: programs that do not execute or are empty", faithfulness),
    "published": ("Table 5: beside the published figures", beside_published),
}


def _em_f1(lines: Sequence[Line], with_interval: bool = False) -> str:
    if not lines:
        return "–"
    em, f1 = (100 * np.mean([line[key] for line in lines]) for key in ("em", "f1"))
    more = f" {_interval(lines)}" if with_interval else ""
    return f"{em:.1f} / {f1:.1f}{more}"


def _f1(lines: Sequence[Line]) -> str:
    return f"{100 * np.mean([line['f1'] for line in lines]):.1f} {_interval(lines)}" if lines else "–"


def _interval(lines: Sequence[Line]) -> str:
    low, high = interval(resampled_means(np.array([[line["f1"]] for line in lines]))[:, 0])
    return f"[{low:.0f}, {high:.0f}]"


def _median(values: Sequence[float]) -> str:
    return f"{np.median(values):.2f}" if values else "–"


def _table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    lines = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    return "\n".join([*lines, *("| " + " | ".join(row) + " |" for row in rows)])
