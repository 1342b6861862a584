"""`arcaneqa score`: score predictions made anywhere."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from arcaneqa.apps.cli import Json
from arcaneqa.lab.evaluation.metrics import Mode


def command(
    data: Annotated[Path, typer.Argument(help="Questions as unified records, one JSON object a line.")],
    predictions: Annotated[Path, typer.Argument(help="Predictions, one JSON object a line.")],
    against: Annotated[
        Path | None, typer.Option(help="Other predictions for the same data: is the difference real?")
    ] = None,
    mode: Annotated[Mode, typer.Option(help="Whose rules to follow.")] = Mode.SEMANTIC,
    ontology: Annotated[
        Path | None,
        typer.Option(help="Folder with fb_roles, fb_types, reverse_properties (plain or .gz)."),
    ] = None,
    unconvertible: Annotated[
        int,
        typer.Option(
            min=0, help="With graphq: questions left out of DATA that count as misses (188 published)."
        ),
    ] = 0,
    official: Annotated[
        Path | None,
        typer.Option(help="With grailqa or webqsp: also write the file that the official script reads."),
    ] = None,
    as_json: Json = False,
) -> None:
    """Exact match and F1 of a prediction file, by level, function and number of relations.

    Unknown or repeated ids, malformed programs and answers of a wrong type are counted, named and scored
    as misses.

    Example: arcaneqa score dev.jsonl predictions.jsonl --mode grailqa --ontology ontology/
    """
    from arcaneqa.lab.evaluation.judge import ANY_PROFILE, Judge, TolerantNames
    from arcaneqa.lab.evaluation.prediction_files import (
        Problems,
        QuestionFile,
        read_predictions,
        write_official,
    )
    from arcaneqa.lab.evaluation.score import compare, score, score_text
    from arcaneqa.language.equivalence import Ontology
    from arcaneqa.support.terminal import say, say_json

    known = None if ontology is None else Ontology.load(ontology, TolerantNames(ANY_PROFILE))
    judge = Judge(mode, known)
    questions = QuestionFile(data)
    scored = score(questions, predictions, judge, unconvertible)
    summary = scored.summary()
    if against is not None:
        summary["against"] = compare(scored, score(questions, against, judge, unconvertible))
    if official is not None:
        write_official(official, read_predictions(predictions, Problems()), judge)
    if as_json:
        say_json(summary)
    else:
        say(score_text(summary))
