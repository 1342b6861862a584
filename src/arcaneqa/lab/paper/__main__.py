"""The paper's replica from data to figures: `python -m arcaneqa.lab.paper prepare|train|evaluate …`."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from pathlib import Path

from arcaneqa.lab.evaluation.evaluate import EvaluationRun, evaluate
from arcaneqa.lab.evaluation.metrics import Mode
from arcaneqa.lab.evaluation.score import score_text
from arcaneqa.lab.paper.answering import PaperQA
from arcaneqa.lab.paper.preparing import PaperPlan, PaperPreparer
from arcaneqa.lab.training.prepare import prepare
from arcaneqa.support.errors import ArcaneError
from arcaneqa.support.terminal import say


def main(arguments: Sequence[str] | None = None) -> None:
    given = list(sys.argv[1:] if arguments is None else arguments)
    try:
        if given[:1] == ["train"]:
            # Torch is imported only by who trains or asks.
            from arcaneqa.lab.paper.train import train

            progress = train(given[1:])
            say(f"{progress.step} updates; best {progress.best:.2f} at {progress.best_step}")
            return
        options = _parser().parse_args(given)
        options.run(options)
    except ArcaneError as error:
        say(f"arcaneqa: {error}", err=True)
        sys.exit(2)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m arcaneqa.lab.paper", description=__doc__)
    verbs = parser.add_subparsers(required=True)
    preparing = verbs.add_parser("prepare", help="gold entities, whole sets, the paper's tokens")
    preparing.add_argument("data", type=Path, nargs="+")
    preparing.add_argument("--kb")
    preparing.add_argument("--out", type=Path, required=True)
    preparing.add_argument("--workers", type=int, default=os.cpu_count() or 1)
    preparing.set_defaults(run=_prepare)
    verbs.add_parser("train", help="with the options of python -m arcaneqa.lab.training.train")
    asking = verbs.add_parser("evaluate", help="answer every question of a file and score the answers")
    asking.add_argument("data", type=Path)
    asking.add_argument("--kb")
    asking.add_argument("--model", type=Path, required=True)
    asking.add_argument("--entities", choices=("linked", "gold"), default="linked")
    asking.add_argument("--mode", type=Mode, default=Mode.SEMANTIC)
    asking.add_argument("--ontology", type=Path)
    asking.add_argument("--report", type=Path)
    asking.add_argument("--device", default="cpu")
    asking.set_defaults(run=_evaluate)
    return parser


def _prepare(given: argparse.Namespace) -> None:
    report = prepare(given.data, given.kb, given.out, PaperPlan(), given.workers, preparer=PaperPreparer)
    say(f"{report.examples:,} examples from {report.questions:,} questions in {given.out}")
    for reason, count in report.left_out.most_common():
        say(f"left out, {reason}: {count:,}")


def _evaluate(given: argparse.Namespace) -> None:
    run = EvaluationRun(
        given.data,
        given.kb,
        given.model,
        given.entities,
        given.mode,
        given.ontology,
        given.report,
        device=given.device,
    )
    say(score_text(evaluate(run, PaperQA)))


if __name__ == "__main__":
    main()
