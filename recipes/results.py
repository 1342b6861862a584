"""`docs/measurements/results.md`: what recipes measured, with date, hardware, commit and the reports."""

from __future__ import annotations

import re
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from arcaneqa.lab.evaluation.report import JSON, MARKDOWN
from arcaneqa.lab.evaluation.score import fine_table, markdown_table, results_table
from arcaneqa.lab.figures import write_section
from arcaneqa.support.files import plain_json

HEADER = """# Results

Every section is written by the recipe whose command it names (see `recipes/`); a section is replaced when its
recipe is run again. EM is semantic equivalence of programs, F1 compares answers; both are in percent.
"""


def publish(
    document: Path, name: str, title: str, command: str, reports: Mapping[str, Path], note: str
) -> None:
    """Put reports, by setting, into one section of a document; copy their Markdown and plots beside it."""
    if not document.exists():
        document.parent.mkdir(parents=True, exist_ok=True)
        document.write_text(HEADER, encoding="utf-8")
    summaries = {setting: _summary(folder) for setting, folder in reports.items()}
    links = {}
    for setting, folder in reports.items():
        copy = document.parent / document.stem / f"{name}-{_slug(setting)}"
        _copy_small_files(folder, copy)
        links[setting] = (copy / MARKDOWN).relative_to(document.parent).as_posix()
    write_section(document, name, title, command, _body(summaries, links, note))


def _body(summaries: Mapping[str, Any], links: Mapping[str, str], note: str) -> str:
    rows = []
    for setting, summary in summaries.items():
        low, high = summary["intervals"]["f1"]
        times = summary["seconds"]
        rows.append(
            [
                f"[{setting}]({links[setting]})",
                str(summary["n"]),
                f"{summary['em']:.1f}",
                f"{summary['f1']:.1f}",
                f"{low:.1f} to {high:.1f}",
                f"{summary['calibration']['ece']:.3f}",
                "" if times["p50"] is None else f"{times['p50']:.2f} / {times['p95']:.2f}",
            ]
        )
    head = ["", "n", "EM", "F1", "F1, 95% interval", "ECE", "seconds p50 / p95"]
    parts = [note, markdown_table(head, rows)]
    for setting, summary in summaries.items():
        by = summary["by"]
        tables = [results_table(summary)] if by["level"] else []
        tables += [fine_table(summary, key) for key in ("function", "relations") if by[key]]
        parts += [f"### {setting}", *tables]
    software = next(iter(summaries.values()))["about"]["software"]
    return "\n\n".join([*parts, f"Measured with {software}."])


def _summary(folder: Path) -> Any:
    return plain_json(folder / JSON)


def _copy_small_files(report: Path, copy: Path) -> None:
    shutil.rmtree(copy, ignore_errors=True)
    copy.mkdir(parents=True)
    for file in (report / MARKDOWN, *sorted(report.glob("*.png"))):
        shutil.copyfile(file, copy / file.name)


def _slug(text: str) -> str:
    return re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-")
