"""Attention between question words and schema items, step by step: the paper's Figure 1b of any answer."""

from __future__ import annotations

import re
from dataclasses import dataclass
from html import escape
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from rich.table import Table
from rich.text import Text

from arcaneqa.answer.answer import Answer
from arcaneqa.answer.arcaneqa import ArcaneQA
from arcaneqa.induction.found import Considered
from arcaneqa.induction.scorer import Heat, TokenKind
from arcaneqa.support.errors import InputError, needs
from arcaneqa.support.files import beside, replacing
from arcaneqa.support.outputs import FileKind

MOST_CANDIDATES = 6
"""Rows of a picture: the likeliest candidates of a step."""
_HEAD = "<!doctype html><meta charset=utf-8><title>ArcaneQA</title>"
_PICTURE = rb"\x89PNG(?s:.*)tEXtSoftware\0ArcaneQA"
HEAT_MAP = FileKind("a heat map", re.compile(_PICTURE + rb"|" + re.escape(_HEAD).encode()))
_SCHEMA_ITEMS = (TokenKind.RELATION, TokenKind.CLASS)


@dataclass(frozen=True, slots=True)
class HeatMap:
    """One step: the likeliest candidates, the one taken first among equals, over the question's words."""

    title: str
    candidates: tuple[str, ...]
    heat: Heat


def heat_maps(qa: ArcaneQA, answer: Answer) -> list[HeatMap]:
    """A map for every step that chose a relation or a class."""
    steps = answer.trace.steps if answer.trace is not None else ()
    maps = (heat_map(qa, answer.question, step) for step in steps)
    return [found for found in maps if found is not None]


def heat_map(qa: ArcaneQA, question: str, step: Considered) -> HeatMap | None:
    """The map of one step; None where no schema item was chosen."""
    if len(step.candidates) == 1 or step.candidates[step.choice].kind not in _SCHEMA_ITEMS:
        return None
    order = (-step.log_probs).argsort(kind="stable")[:MOST_CANDIDATES].tolist()
    shown = step._replace(candidates=[step.candidates[place] for place in order])
    heat = qa.heat(question, shown)
    if heat is None:
        return None
    return HeatMap(step.context, tuple(candidate.text for candidate in shown.candidates), heat)


def terminal(shown: HeatMap) -> Table:
    """Darker where a candidate looks more at a word."""
    table = Table(title=shown.title, title_justify="left", box=None, pad_edge=False)
    table.add_column("")
    for word in shown.heat.words:
        table.add_column(word, justify="center", overflow="fold")
    for name, weights in zip(shown.candidates, shown.heat.weights, strict=True):
        most = max(float(weights.max()), 1e-9)
        cells = [Text("███"[: round(3 * float(weight) / most)] or "·", style="blue") for weight in weights]
        table.add_row(Text(name), *cells)
    return table


def check_place(path: Path) -> None:
    """An InputError where no heat map can be written."""
    if path.suffix not in (".png", ".html"):
        raise InputError(f"{path}: a heat map is written as .png or .html.")
    HEAT_MAP.check(path, "--heatmap")


def save(maps: list[HeatMap], path: Path) -> None:
    """Write all maps of an answer as one picture (.png) or page (.html)."""
    check_place(path)
    writers = {".png": _png, ".html": _html}
    if not maps:
        raise InputError("There is no step to draw: no relation or class was chosen.")
    try:
        writers[path.suffix](maps, path)
    except OSError as error:
        raise InputError(f"{path}: cannot be written ({error.strerror}).") from error


def _png(maps: list[HeatMap], path: Path) -> None:
    with needs("A heat map as a picture (.html does without)", "evaluate"):
        from matplotlib.figure import Figure

    figure = Figure(figsize=(14, 1.2 + 2.2 * len(maps)), layout="constrained")
    for row, shown in enumerate(maps):
        for column, (says, weights) in enumerate(_directions(shown)):
            axes = figure.add_subplot(len(maps), 2, 2 * row + column + 1)
            axes.imshow(weights, cmap="Blues", aspect="auto")
            axes.set_title(_plain(f"{shown.title}: {says}"), fontsize=9, loc="left")
            words = map(_plain, shown.heat.words)
            axes.set_xticks(range(len(shown.heat.words)), words, rotation=45, ha="right")
            axes.set_yticks(range(len(shown.candidates)), map(_plain, shown.candidates))
    with beside(path) as draft:
        figure.savefig(draft, format="png", dpi=120, metadata={"Software": "ArcaneQA"})


def _directions(shown: HeatMap) -> list[tuple[str, NDArray[np.float32]]]:
    """Each map twice: the second is the paper's Figure 1b."""
    return [("items look at words", shown.heat.weights), ("words look at items", shown.heat.from_words)]


def _plain(text: str) -> str:
    # Matplotlib reads dollar signs as mathematics.
    return text.replace("$", r"\$")


def _html(maps: list[HeatMap], path: Path) -> None:
    parts = [_HEAD]
    for shown in maps:
        head = "".join(f"<th>{escape(word)}" for word in shown.heat.words)
        parts.append(f"<h3>{escape(shown.title)}</h3>")
        for says, rows in _directions(shown):
            parts.append(f"<table><caption>{says}</caption><tr><th>{head}")
            for name, weights in zip(shown.candidates, rows, strict=True):
                most = max(float(weights.max()), 1e-9)
                cells = "".join(
                    f'<td title="{weight:.3f}" style="background:rgba(31,86,173,{weight / most:.2f})">'
                    for weight in weights.tolist()
                )
                parts.append(f"<tr><th align=right>{escape(name)}{cells}")
            parts.append("</table>")
    with replacing(path) as file:
        file.write("\n".join(parts))
