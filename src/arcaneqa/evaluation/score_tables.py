"""A score as text: the paper's tables in Markdown, which is as readable in a terminal as in a report."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

_TITLES = {"level": "Level", "function": "Function", "relations": "Relations"}


def markdown_table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    widths = [max(len(row[at]) for row in (head, *rows)) for at in range(len(head))]

    def line(row: Sequence[str]) -> str:
        first, *rest = (
            cell.ljust(width) if at == 0 else cell.rjust(width)
            for at, (cell, width) in enumerate(zip(row, widths, strict=True))
        )
        return "| " + " | ".join((first, *rest)) + " |"

    rule = (
        "|" + "|".join("-" * (width + 1) + ("-" if at == 0 else ":") for at, width in enumerate(widths)) + "|"
    )
    return "\n".join((line(head), rule, *map(line, rows)))


def results_table(summary: Mapping[str, Any]) -> str:
    """The paper's first table: overall and by level."""
    levels = summary["by"]["level"]
    cells = [("overall", summary), *levels.items()]
    rows = [[name, str(cell["n"]), _one(cell["em"]), _one(cell["f1"])] for name, cell in cells]
    return markdown_table(["", "n", "EM", "F1"], rows)


def fine_table(summary: Mapping[str, Any], dimension: str) -> str:
    """The paper's fine-grained table: EM/F1 for each cell."""
    cells = summary["by"][dimension]
    head = [_TITLES[dimension], *cells]
    return markdown_table(
        head,
        [
            ["n", *(str(cell["n"]) for cell in cells.values())],
            ["EM/F1", *(f"{_one(cell['em'])}/{_one(cell['f1'])}" for cell in cells.values())],
        ],
    )


def score_text(summary: Mapping[str, Any]) -> str:
    figures = (
        f"{name.upper()} {_one(summary[name])} {_range(summary['intervals'][name])}" for name in ("em", "f1")
    )
    parts = [
        f"{summary['n']} questions, mode {summary['mode']}",
        f"{'   '.join(figures)}   (95% intervals, bootstrap)",
    ]
    if "accuracy" in summary:
        parts.append(
            f"precision {_one(summary['precision'])}   recall {_one(summary['recall'])}   "
            f"all answers right {_one(summary['accuracy'])}"
        )
    if "convertible" in summary:
        only = summary["convertible"]
        parts.append(
            f"without the unconvertible: {only['n']} questions, EM {_one(only['em'])}, F1 {_one(only['f1'])}"
        )
    if summary["by"]["level"]:
        parts += ["", results_table(summary)]
    parts += [f"\n{fine_table(summary, key)}" for key in ("function", "relations") if summary["by"][key]]
    if "against" in summary:
        parts += ["", against_text(summary["against"])]
    if summary["seconds"]["mean"] is not None:
        times = summary["seconds"]
        parts += [
            "",
            f"seconds a question: p50 {times['p50']:.3f}, p95 {times['p95']:.3f}, mean {times['mean']:.3f}",
        ]
    if "fitted" in summary:
        fitted = summary["fitted"]
        parts.append(
            f"confidence fitted on {fitted['examples']} answers; expected calibration error "
            f"{fitted['held_out_ece']:.3f} on answers it was not fitted on"
        )
    parts += problem_lines(summary["problems"])
    return "\n".join(parts)


def against_text(against: Mapping[str, Any]) -> str:
    rows = [
        [name.upper(), f"{found['difference']:+.1f}", _range(found["interval"]), f"{found['p']:.4f}"]
        for name, found in against.items()
        if name != "problems"
    ]
    lines = [
        "Against the other file (paired bootstrap):",
        markdown_table(["", "difference", "95%", "p"], rows),
    ]
    return "\n".join((*lines, *problem_lines(against["problems"])))


def problem_lines(problems: Mapping[str, Any]) -> list[str]:
    lines = []
    for kind, found in problems.items():
        more = ["…"] if found["count"] > len(found["examples"]) else []
        lines.append(f"{kind}: {found['count']} ({', '.join([*found['examples'], *more])})")
    return lines


def _one(value: float) -> str:
    return f"{value:.1f}"


def _range(interval: Sequence[float]) -> str:
    return f"[{interval[0]:.1f}, {interval[1]:.1f}]"
