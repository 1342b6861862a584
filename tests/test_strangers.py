"""Knowledge bases nobody here modelled, asked with the bundled model and without training.

Three styles: full IRIs without labels; Turtle with prefixes, labels and classes; blank nodes and several
languages. All of these are answered; a question that no longer is belongs into the model card's limits.
"""

import json
from functools import cache
from pathlib import Path

import pytest

from arcaneqa.answer.arcaneqa import ArcaneQA
from arcaneqa.kb.build.build import build_index

FOLDER = Path(__file__).parent / "strangers"
QUESTIONS: dict[str, list[tuple[str, list[str]]]] = json.loads((FOLDER / "questions.json").read_text())


@pytest.fixture(scope="module")
def ask(tmp_path_factory: pytest.TempPathFactory):  # type: ignore[no-untyped-def]
    @cache
    def opened(source: str) -> ArcaneQA:
        target = tmp_path_factory.mktemp("kb") / "index"
        build_index([FOLDER / source], target)
        return ArcaneQA.load(target)

    return lambda source, question: opened(source).ask(question)


@pytest.mark.parametrize(
    ("source", "question", "expected"),
    [(source, question, expected) for source, pairs in QUESTIONS.items() for question, expected in pairs],
)
def test_a_stranger_gets_an_answer(ask, source: str, question: str, expected: list[str]) -> None:  # type: ignore[no-untyped-def]
    answer = ask(source, question)
    assert sorted(item.value or item.label or "" for item in answer.items) == sorted(expected), answer.program
