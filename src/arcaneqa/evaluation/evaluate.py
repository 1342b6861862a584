"""From a question file to a report: predict, score, explain."""

from __future__ import annotations

from dataclasses import replace
from datetime import date
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from zlib import crc32

import numpy as np

from arcaneqa.answer import ArcaneQA, Entities
from arcaneqa.confidence import FEATURES, Confidence
from arcaneqa.errors import InputError
from arcaneqa.evaluation.calibration import expected_calibration_error
from arcaneqa.evaluation.judge import Judge, TolerantNames
from arcaneqa.evaluation.metrics import Mode
from arcaneqa.evaluation.official import write_official
from arcaneqa.evaluation.predict import claim, identity, is_endpoint, predict
from arcaneqa.evaluation.reading import Problems, QuestionFile, read_predictions
from arcaneqa.evaluation.report import write_report
from arcaneqa.evaluation.score import score, verdicts
from arcaneqa.figures import hardware, version
from arcaneqa.program.ontology import Ontology

OFFICIAL = "official.json"
_OWN_SCRIPT = (Mode.GRAILQA, Mode.WEBQSP, Mode.WEBQSP_TOP1)


def evaluate(
    data: Path,
    kb: str | None,
    model: Path | None,
    entities: Entities,
    mode: Mode,
    ontology: Path | None,
    report: Path | None,
    calibrate: bool,
    seed: int,
    exact: bool = False,
    device: str = "cpu",
) -> dict[str, Any]:
    """The score, and with a report folder everything in it; the folder also lets a run be resumed."""
    if calibrate and model is None:
        raise InputError("--calibrate writes into the model's folder, so it needs --model MODEL.")
    questions = QuestionFile(data)
    run = {"data": identity(data), "kb": identity(kb), "model": identity(model), "entities": entities}
    if calibrate:
        run["calibrate"] = "yes"  # nothing is held back then, so the predictions differ
    if exact:
        run["exact"] = "yes"
    with TemporaryDirectory() as scratch:
        folder = report or Path(scratch)
        claim(folder, run)
        qa = ArcaneQA.load(kb, model, exact=exact, device=device)
        if calibrate:
            qa.confidence = replace(qa.confidence, threshold=0.0)
        if ontology is None:
            known = Ontology.of(qa.kb, roles=not is_endpoint(kb))
        else:
            known = Ontology.load(ontology, TolerantNames(qa.kb.profile))
        judge = Judge(mode, known, qa.kb.profile)
        predictions = predict(questions, qa, entities, folder, judge)
        summary = score(questions, predictions, judge).summary(seed)
        if calibrate and model is not None:
            summary["fitted"] = fit_confidence(questions, predictions, judge, model)
        if report is not None:
            about = about_run(data, kb, model, entities)
            summary = write_report(questions, predictions, judge, summary, about, folder)
            if mode in _OWN_SCRIPT:
                write_official(folder / OFFICIAL, read_predictions(predictions, Problems()), judge)
    return summary


def about_run(data: Path, kb: str | None, model: Path | None, entities: Entities) -> dict[str, str]:
    return {
        "title": f"{data.stem}, {entities} entities",
        "data": data.name,
        "knowledge base": Path(kb).name if kb else "bundled",
        "model": model.name if model else "bundled",
        "entities": entities,
        "date": f"{date.today():%Y-%m-%d}",
        "hardware": hardware(),
        "software": version(),
    }


def fit_confidence(
    questions: QuestionFile, predictions: Path, judge: Judge, model: Path
) -> dict[str, float | int]:
    """Fit and save confidence; its error is measured on answers it was not fitted on."""
    rows: list[np.ndarray[Any, np.dtype[np.float64]]] = []
    right: list[bool] = []
    half: list[int] = []
    for _, question, prediction, verdict in verdicts(questions, predictions, judge, Problems()):
        row = prediction.extra.get("evidence")
        if isinstance(row, list) and len(row) == len(FEATURES):
            rows.append(np.array(row, dtype=float))
            right.append(verdict.answers.f1 == 1)
            half.append(crc32(question.id.encode()) % 2)
    if len(set(half)) < 2:
        raise InputError("There are too few answers to fit confidence on; use more questions.")
    error = float(np.mean([_held_out_error(rows, right, half, fold) for fold in (0, 1)]))
    confidence = Confidence.fit(rows, right)
    confidence.save(model)
    return {"examples": len(rows), "held_out_ece": round(error, 4)}


def _held_out_error(rows: list[Any], right: list[bool], half: list[int], fold: int) -> float:
    inside = [at for at, each in enumerate(half) if each == fold]
    outside = [at for at, each in enumerate(half) if each != fold]
    fitted = Confidence.fit([rows[at] for at in outside], [right[at] for at in outside])
    return expected_calibration_error([fitted.weigh(rows[at]) for at in inside], [right[at] for at in inside])
