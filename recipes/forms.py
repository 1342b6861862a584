"""Trains the form head of a model: which forms a question asks for, as its encoder hears them.

    python recipes/forms.py MODEL WORK [RECORDS.jsonl …]

WORK is the folder of `recipes/training_data.py` after its stages index, convert, wikisql and synth; of Spider
that is the training part alone. RECORDS are further questions with programs (`arcaneqa convert`), of which
only what their words ask for is known. MODEL gets `forms.safetensors` and is sealed anew. It belongs to one
encoder: after MODEL's weights have changed, train it again (three minutes on one core).
"""

from __future__ import annotations

import argparse
import random
from collections.abc import Iterator
from pathlib import Path

from arcaneqa.errors import ArcaneError
from arcaneqa.evaluation.judge import ANY_PROFILE, TolerantNames
from arcaneqa.judgement.asked import signs
from arcaneqa.judgement.lacking import signs_of
from arcaneqa.kb.open import open_kb
from arcaneqa.model.scorer import ModelScorer
from arcaneqa.program.forms import Form, forms_of
from arcaneqa.program.text import parse
from arcaneqa.record import read_questions
from arcaneqa.training.form_training import Heard, train_forms

MOST = {"spider": 1000, "wikisql": 250, "synth": 40}
"""Questions of each knowledge base."""
MOST_OTHERS = 2000
"""Questions of each further file."""
OTHERS_COUNT = 0.3
"""What a question counts that is not of Spider: those have hardly any new form, or are made up."""


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("model", type=Path)
    parser.add_argument("work", type=Path)
    parser.add_argument("records", type=Path, nargs="*")
    options = parser.parse_args()
    questions = [*_worked(options.work), *(one for path in options.records for one in _others(path))]
    print(f"{len(questions):,} questions", flush=True)
    head = train_forms(questions, ModelScorer.load(options.model).questions)
    head.save(options.model)
    print(f"heeded {head.limits[0]:.2f}, sure {head.limits[1]:.2f}")


def _worked(work: Path) -> Iterator[Heard]:
    for kind, most in MOST.items():
        for path in sorted((work / "records" / kind).glob("*.jsonl")):
            with open_kb(work / "kb" / path.stem) as kb:
                for question, forms in _some(path, most):
                    weight = 1.0 if kind == "spider" else OTHERS_COUNT
                    told = signs_of(question, kb)
                    yield Heard(path.stem, question, forms, told, weight, is_measured=kind == "spider")


def _others(path: Path) -> Iterator[Heard]:
    for question, forms in _some(path, MOST_OTHERS):
        told = {sign.form.name: False for sign in signs(question)}
        yield Heard(question, question, forms, told, OTHERS_COUNT, is_measured=False)


def _some(path: Path, most: int) -> list[tuple[str, frozenset[Form]]]:
    names = TolerantNames(ANY_PROFILE)
    found = []
    for record in read_questions(path):
        if record.program is not None:
            try:
                found.append((record.question, forms_of(parse(record.program, names))))
            except ArcaneError:
                continue
    return random.Random(path.stem).sample(found, min(most, len(found)))


if __name__ == "__main__":
    main()
