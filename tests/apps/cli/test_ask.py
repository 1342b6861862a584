from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from arcaneqa import __version__
from arcaneqa.kb.build import build_index
from arcaneqa.model.stored import bundled_model
from arcaneqa.verdict.fitted import Fitted
from tests.apps.cli.verbs import Verbs

SOURCE = Path(__file__).parents[2] / "strangers" / "brewery.ttl"
QUESTION = "Which beers are brewed by Half Moon?"


@pytest.fixture(scope="module")
def kb(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("kb") / "index"
    build_index([SOURCE], folder)
    return folder


@pytest.fixture
def questions(tmp_path: Path) -> Path:
    path = tmp_path / "questions.jsonl"
    asked = [QUESTION, "Who owns the Seeblick Brewery?"]
    path.write_text(
        "".join(json.dumps({"id": str(n), "question": text}) + "\n" for n, text in enumerate(asked))
    )
    return path


def records(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text().splitlines()]


def test_the_version(arcaneqa: Verbs) -> None:
    assert arcaneqa("--version") == (0, f"arcaneqa {__version__}\n", "")


def test_an_answer_as_text_and_as_a_record(arcaneqa: Verbs, kb: Path) -> None:
    code, out, err = arcaneqa("ask", QUESTION, "--kb", kb)
    assert (code, err) == (0, "")
    assert "Old Abbey" in out
    assert "Night Owl" in out
    code, out, _ = arcaneqa("ask", QUESTION, "--kb", kb, "--json", "--explain")
    record = json.loads(out)
    assert code == 0
    assert {item["label"] for item in record["answers"]} == {"Old Abbey", "Night Owl"}
    assert record["trace"]["steps"]


def test_no_answer_is_exit_code_1_with_a_reason(arcaneqa: Verbs, kb: Path) -> None:
    code, out, _ = arcaneqa("ask", QUESTION, "--kb", kb, "--threshold", "1", "--json")
    assert code == 1
    record = json.loads(out)
    assert record["outcome"] == "ask"
    assert record["reason"].endswith("meant?")
    assert record["readings"][0]["program"] == record["program"]


def test_a_threshold_says_what_to_expect(arcaneqa: Verbs, kb: Path, questions: Path) -> None:
    expected = Fitted.of_model(bundled_model()).precision(0.3)
    assert expected is not None
    _, out, _ = arcaneqa("ask", QUESTION, "--kb", kb, "--threshold", "0.3")
    assert f"{expected:.0%} of answers from 0.30 on are right" in " ".join(out.split())
    output = questions.with_name("found.jsonl")
    _, _, err = arcaneqa("ask", "--input", questions, "--output", output, "--kb", kb, "--threshold", "0.3")
    assert f"Expect {expected:.0%} of the answers to be right." in " ".join(err.split())
    _, out, _ = arcaneqa("ask", QUESTION, "--kb", kb)
    assert "are right" not in out


def test_a_file_is_asked_like_single_questions(arcaneqa: Verbs, kb: Path, questions: Path) -> None:
    output = questions.with_name("found.jsonl")
    code, out, err = arcaneqa("ask", "--input", questions, "--output", output, "--kb", kb)
    assert (code, out) == (0, "")
    assert "2 questions asked, 2 answered" in err
    assert [len(record["answers"]) for record in records(output)] == [2, 1]


def test_a_threshold_holds_for_files_too(arcaneqa: Verbs, kb: Path, questions: Path) -> None:
    output = questions.with_name("found.jsonl")
    arcaneqa("ask", "--input", questions, "--output", output, "--kb", kb, "--threshold", "1")
    for record in records(output):
        assert record["outcome"] != "answer"
        assert record["reason"]


def test_mentioned_entities_are_left_out_of_files_too(arcaneqa: Verbs, kb: Path, questions: Path) -> None:
    output = questions.with_name("found.jsonl")
    arcaneqa("ask", "--input", questions, "--output", output, "--kb", kb, "--exclude-mentioned")
    for record in records(output):
        assert record["sparql"] is None or "FILTER" in record["sparql"]


FOR_ONE_QUESTION = [["--json"], ["--format", "csv"], ["--explain"], ["--heatmap", "heat.html"]]


@pytest.mark.parametrize("option", [*FOR_ONE_QUESTION, ["--exclude-mentioned"]])
def test_what_is_for_one_question_is_refused_for_a_conversation(
    arcaneqa: Verbs, kb: Path, option: list[str]
) -> None:
    code, _, err = arcaneqa("ask", "--kb", kb, *option)
    assert code == 2
    assert f"{option[0]} is for one question; give one" in err


@pytest.mark.parametrize("option", FOR_ONE_QUESTION)
def test_what_is_for_one_question_is_refused_for_a_file(
    arcaneqa: Verbs, kb: Path, questions: Path, option: list[str]
) -> None:
    output = questions.with_name("found.jsonl")
    code, _, err = arcaneqa("ask", "--input", questions, "--output", output, "--kb", kb, *option)
    assert code == 2
    assert f"{option[0]} is for one question" in err
    assert not output.exists()


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["why?", "--input", "a.jsonl"], "either a question"),
        (["--input", "a.jsonl"], "go together"),
        (["why?", "--threshold", "2"], "between 0 and 1"),
    ],
)
def test_bad_usage_is_a_sentence(arcaneqa: Verbs, arguments: list[str], sentence: str) -> None:
    code, _, err = arcaneqa("ask", *arguments)
    assert code == 2
    assert sentence in err
