"""Knowledge bases nobody here modelled, asked with the bundled model and without training.

Three styles: full IRIs without labels; Turtle with prefixes, labels and classes; blank nodes and several
languages. What is not answered is named, so that a change for the better shows as well.
"""

import json
from functools import cache
from pathlib import Path

import pytest

from arcaneqa.answer import ArcaneQA
from arcaneqa.kb.build.build import build_index

FOLDER = Path(__file__).parent / "strangers"
QUESTIONS: dict[str, list[tuple[str, list[str]]]] = json.loads((FOLDER / "questions.json").read_text())
NOT_ANSWERED = {
    "Which stouts are brewed by the Black Hill Brewery?",
    "In which city is the museum where Guernica hangs?",
    "Which seat does Clara Weiss have?",
}


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
    is_right = sorted(item.label or "" for item in answer.items) == sorted(expected)
    assert is_right == (question not in NOT_ANSWERED), (answer.program, [item.label for item in answer.items])
