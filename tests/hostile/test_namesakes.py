"""Many of one name: whichever of them is answered for, it would be a guess."""

from __future__ import annotations

import pytest

from arcaneqa.answer.arcaneqa import ArcaneQA
from arcaneqa.kb.build import build_index
from arcaneqa.record import Outcome

LABEL = "<http://www.w3.org/2000/01/rdf-schema#label>"
TYPE = "<http://www.w3.org/1999/02/22-rdf-syntax-ns#type>"


@pytest.fixture(scope="module")
def qa(tmp_path_factory: pytest.TempPathFactory) -> ArcaneQA:
    folder, many = tmp_path_factory.mktemp("namesakes"), 3_000
    lines = [f'<http://x/Person> {LABEL} "person" .', f'<http://x/knows> {LABEL} "knows" .']
    for number in range(many):
        lines += [
            f'<http://x/j{number}> {LABEL} "John Smith" .',
            f"<http://x/j{number}> {TYPE} <http://x/Person> .",
        ]
    for number in range(many // 10):
        who = f"<http://x/p{number}>"
        lines += [f'{who} {LABEL} "Ann Miller {number}" .', f"{who} {TYPE} <http://x/Person> ."]
        lines.append(f"{who} <http://x/knows> <http://x/j{number * 3}> .")
    # One whom more know is as much a guess.
    lines += [f"<http://x/p{number}> <http://x/knows> <http://x/j0> ." for number in range(30)]
    (folder / "f.nt").write_text("\n".join(lines) + "\n")
    build_index([folder / "f.nt"], folder / "kb")
    return ArcaneQA.load(folder / "kb")


@pytest.mark.parametrize("question", ["how many people know John Smith?", "who knows John Smith?"])
def test_which_of_them_is_asked_back(qa: ArcaneQA, question: str) -> None:
    answer = qa.ask(question)
    assert answer.outcome is not Outcome.ANSWER, answer
    assert answer.confidence is None or answer.confidence < 0.5
