"""Four small plots: accuracy by length and by number of candidates, calibration, latency."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from matplotlib.figure import Figure

from arcaneqa.evaluation.calibration import reliability

if TYPE_CHECKING:
    from arcaneqa.evaluation.report import Observed

_BINS = 8
"""Columns of a plot, each with about as many questions."""
_BLUE, _ORANGE, _GREY = "#2563eb", "#ea8a2f", "#9ca3af"


def draw_plots(observed: Observed, folder: Path) -> dict[str, str]:
    """File name and title of every plot there was something to draw for."""
    drawn: dict[str, str] = {}
    f1, match = np.array(observed.f1), np.array(observed.match, dtype=float)
    if len(f1):
        _by_bins(folder / "length.png", observed.words, f1, match, "words in the question")
        drawn["length.png"] = "Accuracy by length of the question"
    chosen = [at for at, count in enumerate(observed.candidates) if count]
    if chosen:
        counts = [count for count in observed.candidates if count]
        _by_bins(
            folder / "candidates.png", counts, f1[chosen], match[chosen], "candidates in the widest step"
        )
        drawn["candidates.png"] = "Accuracy by number of candidates"
    confidence, right = observed.calibration()
    if confidence:
        draw_calibration(folder / "calibration.png", confidence, right)
        drawn["calibration.png"] = "Confidence and accuracy"
    if observed.seconds:
        _latency(folder / "latency.png", observed.seconds)
        drawn["latency.png"] = "Seconds a question"
    return drawn


def _axes() -> tuple[Figure, Any]:
    figure = Figure(figsize=(6, 3.4), layout="constrained")
    axes = figure.add_subplot()
    axes.spines[["top", "right"]].set_visible(False)
    axes.grid(axis="y", color=_GREY, alpha=0.3)
    axes.set_axisbelow(True)
    return figure, axes


def _by_bins(path: Path, values: Sequence[int], f1: Any, match: Any, label: str) -> None:
    """Bins hold about as many questions each, so that no bar stands on a handful."""
    array = np.asarray(values)
    edges = np.unique(np.quantile(array, np.linspace(0, 1, _BINS + 1)).astype(int))
    place = np.clip(np.searchsorted(edges, array, side="right") - 1, 0, max(len(edges) - 2, 0))
    groups = [np.flatnonzero(place == at) for at in range(max(len(edges) - 1, 1))]
    groups = [group for group in groups if len(group)]
    names = [_range(int(array[group].min()), int(array[group].max())) for group in groups]
    figure, axes = _axes()
    x = np.arange(len(groups))
    axes.bar(x - 0.2, [100 * match[group].mean() for group in groups], 0.4, label="EM", color=_BLUE)
    axes.bar(x + 0.2, [100 * f1[group].mean() for group in groups], 0.4, label="F1", color=_ORANGE)
    axes.set_xticks(
        x, [f"{name}\nn={len(group)}" for name, group in zip(names, groups, strict=True)], fontsize=8
    )
    axes.set(xlabel=label, ylabel="%", ylim=(0, 100))
    axes.legend(frameon=False, ncols=2)
    _save(figure, path)


def draw_calibration(path: Path, confidence: Sequence[float], right: Sequence[bool]) -> None:
    bins = reliability(confidence, right)
    figure, axes = _axes()
    axes.plot([0, 100], [0, 100], color=_GREY, linestyle="--", linewidth=1)
    largest = max(each.size for each in bins)
    axes.scatter(
        [100 * each.confidence for each in bins],
        [100 * each.accuracy for each in bins],
        s=[20 + 180 * each.size / largest for each in bins],
        color=_BLUE,
        alpha=0.8,
    )
    axes.set(xlabel="confidence, %", ylabel="all answers right, %", xlim=(0, 102), ylim=(0, 102))
    _save(figure, path)


def _latency(path: Path, seconds: Sequence[float]) -> None:
    ordered = np.sort(np.maximum(seconds, 1e-6))
    figure, axes = _axes()
    axes.plot(
        ordered, 100 * np.arange(1, len(ordered) + 1) / len(ordered), color=_BLUE, drawstyle="steps-post"
    )
    # The slowest half percent would otherwise squeeze all others into a line.
    longest = float(np.quantile(ordered, 0.995))
    axes.set(xlabel="seconds", ylabel="questions answered within, %", xlim=(0, 1.05 * longest), ylim=(0, 102))
    _save(figure, path)


def _range(low: int, high: int) -> str:
    return str(low) if low == high else f"{low}–{high}"


def _save(figure: Figure, path: Path) -> None:
    # Without a date or version inside, equal plots are equal files.
    figure.savefig(path, dpi=110, metadata={"Software": None})
