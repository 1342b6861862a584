"""`arcaneqa evaluate`: predict and score."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated, Literal

import typer

from arcaneqa.apps.cli import Device, Exact, Json, Kb, Model
from arcaneqa.lab.evaluation.metrics import Mode


class Entities(StrEnum):
    GOLD = "gold"
    LINKED = "linked"


def command(
    data: Annotated[Path, typer.Argument(help="Questions as unified records, one JSON object a line.")],
    kb: Kb = None,
    model: Model = None,
    entities: Annotated[
        Entities, typer.Option(help="Take entities from the data, or find them.")
    ] = Entities.LINKED,
    mode: Annotated[Mode, typer.Option(help="Whose rules to score by.")] = Mode.SEMANTIC,
    ontology: Annotated[
        Path | None,
        typer.Option(
            help="Folder with fb_roles, fb_types, reverse_properties (plain or .gz); the knowledge base's "
            "own schema if left out."
        ),
    ] = None,
    report: Annotated[
        Path | None,
        typer.Option(
            help="Folder for predictions, report and plots; the same folder goes on where it stopped."
        ),
    ] = None,
    exact: Exact = False,
    beam: Annotated[
        int | None, typer.Option(min=1, help="Programs that grow side by side; the model's own if left out.")
    ] = None,
    device: Device = "cpu",
    seed: Annotated[int, typer.Option(min=0, help="For the bootstrap intervals.")] = 0,
    as_json: Json = False,
) -> None:
    """Answer every question of a file and score the answers.

    Example: arcaneqa evaluate dev.jsonl --kb my-kb --entities gold --report reports/dev
    """
    from arcaneqa.support.errors import needs

    if report is not None:
        with needs("A report with plots", "evaluate"):
            import matplotlib  # noqa: F401 - said before hours of predicting, not after
    from arcaneqa.lab.evaluation.evaluate import EvaluationRun, evaluate
    from arcaneqa.lab.evaluation.score import score_text
    from arcaneqa.support.terminal import say, say_json

    chosen: Literal["gold", "linked"] = "gold" if entities is Entities.GOLD else "linked"
    run = EvaluationRun(data, kb, model, chosen, mode, ontology, report, seed, exact, device, beam)
    summary = evaluate(run)
    if as_json:
        say_json(summary)
    else:
        say(score_text(summary))
    if report is not None and not as_json:
        say(f"\nThe report is in {report / 'report.md'}, every question in {report / 'report.html'}.")
