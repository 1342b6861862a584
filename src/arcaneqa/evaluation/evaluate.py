"""From a question file to a report: predict, score, explain."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import date
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from zlib import crc32

import numpy as np

from arcaneqa.answer import ArcaneQA, Entities
from arcaneqa.confidence import Confidence
from arcaneqa.errors import InputError
from arcaneqa.evaluation.calibration import expected_calibration_error
from arcaneqa.evaluation.judge import Judge, TolerantNames
from arcaneqa.evaluation.metrics import Mode
from arcaneqa.evaluation.predict import claim, identity, is_endpoint, predict
from arcaneqa.evaluation.prediction_files import Problems, QuestionFile, read_predictions, write_official
from arcaneqa.evaluation.report import write_report
from arcaneqa.evaluation.score import score, verdicts
from arcaneqa.figures import hardware, version
from arcaneqa.judgement.evidence import FEATURES
from arcaneqa.program.ontology import Ontology

OFFICIAL = "official.json"
_OWN_SCRIPT = (Mode.GRAILQA, Mode.WEBQSP, Mode.WEBQSP_TOP1)


@dataclass(frozen=True, slots=True)
class Run:
    """What is evaluated, and how; `calibrate` fits confidence and saves it in the model's folder.

    A `report` folder gets everything, and lets a run that was stopped go on.
    """

    data: Path
    kb: str | None = None
    model: Path | None = None
    entities: Entities = "linked"
    mode: Mode = Mode.SEMANTIC
    ontology: Path | None = None
    report: Path | None = None
    calibrate: bool = False
    seed: int = 0
    exact: bool = False
    device: str = "cpu"
    beam: int | None = None

    def what_counts(self) -> dict[str, str]:
        """What predictions depend on: a folder with those of another run is refused."""
        run = {
            "data": identity(self.data),
            "kb": identity(self.kb),
            "model": identity(self.model),
            "entities": self.entities,
        }
        if self.beam is not None:
            run["beam"] = str(self.beam)
        # With --calibrate nothing is held back, so the predictions differ.
        return run | {name: "yes" for name in ("calibrate", "exact") if getattr(self, name)}

    def about(self) -> dict[str, str]:
        return {
            "title": f"{self.data.stem}, {self.entities} entities",
            "data": self.data.name,
            "knowledge base": Path(self.kb).name if self.kb else "bundled",
            "model": self.model.name if self.model else "bundled",
            "entities": self.entities,
            "date": f"{date.today():%Y-%m-%d}",
            "hardware": hardware(),
            "software": version(),
        }


def evaluate(run: Run, opened: type[ArcaneQA] = ArcaneQA) -> dict[str, Any]:
    """The score, and with a report folder everything in it; `opened` loads the model."""
    if run.calibrate and run.model is None:
        raise InputError("--calibrate writes into the model's folder, so it needs --model MODEL.")
    questions = QuestionFile(run.data)
    with TemporaryDirectory() as scratch:
        folder = run.report or Path(scratch)
        claim(folder, run.what_counts())
        qa = opened.load(run.kb, run.model, run.beam, run.exact, run.device)
        if run.calibrate:
            every = replace(qa.confidence, threshold=0.0)
            qa = type(qa)(qa.kb, qa.scorer, every, qa.linker, qa.settings)
        judge = Judge(run.mode, _ontology(run, qa), qa.kb.profile)
        predictions = predict(questions, qa, run.entities, folder, judge)
        summary = score(questions, predictions, judge).summary(run.seed)
        if run.calibrate and run.model is not None:
            summary["fitted"] = fit_confidence(questions, predictions, judge, run.model)
        if run.report is not None:
            summary = write_report(questions, predictions, judge, summary, run.about(), folder)
            if run.mode in _OWN_SCRIPT:
                write_official(folder / OFFICIAL, read_predictions(predictions, Problems()), judge)
    return summary


def _ontology(run: Run, qa: ArcaneQA) -> Ontology:
    if run.ontology is None:
        return Ontology.of(qa.kb, roles=not is_endpoint(run.kb))
    return Ontology.load(run.ontology, TolerantNames(qa.kb.profile))


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
