"""`arcaneqa score` from files to figures, on cases small enough to work out by hand."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arcaneqa.apps.cli.main import main
from arcaneqa.lab.evaluation.judge import ANY_PROFILE, Judge, TolerantNames
from arcaneqa.lab.evaluation.metrics import Mode, cells
from arcaneqa.lab.evaluation.prediction_files import NO_ANSWERS, QuestionFile
from arcaneqa.lab.evaluation.score import score
from arcaneqa.language.text import parse
from arcaneqa.record import Question
from arcaneqa.support.errors import InputError

Files = Callable[..., list[str]]


def lines(path: Path, records: list[Any]) -> Path:
    text = "".join((r if isinstance(r, str) else json.dumps(r)) + "\n" for r in records)
    path.write_text(text, encoding="utf-8")
    return path


def question(name: str, program: str | None, answers: list[str] | None, **more: Any) -> dict[str, Any]:
    return {"id": name, "question": f"what is {name}?", "program": program, "answers": answers} | more


def prediction(name: str, program: Any, *answers: Any, **more: Any) -> dict[str, Any]:
    items = [{"id": a, "label": None} if isinstance(a, str) else a for a in answers]
    return {"id": name, "question": "", "program": program, "answers": items} | more


def run(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, *arguments: object
) -> tuple[int, str, str]:
    monkeypatch.setattr(sys, "argv", ["arcaneqa", "score", *map(str, arguments)])
    with pytest.raises(SystemExit) as stop:
        main()
    out = capsys.readouterr()
    code = stop.value.code
    return (code if isinstance(code, int) else 0), out.out, out.err


@pytest.fixture
def scored(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> Callable[..., Any]:
    def go(data: list[Any], predictions: list[Any], *options: object) -> Any:
        files = lines(tmp_path / "data.jsonl", data), lines(tmp_path / "predictions.jsonl", predictions)
        code, out, err = run(capsys, monkeypatch, *files, "--json", *options)
        assert code == 0, err
        return json.loads(out)

    return go


A, B = "(JOIN film.film.actor m.0a)", "(JOIN film.film.actor m.0b)"
DATA = [
    question("1", A, ["m.01", "m.02"], level="i.i.d.", function="none", relations=1),
    question("2", B, ["m.03"], level="zero-shot", function="none", relations=1),
    question("3", f"(COUNT {A})", ["2"], level="zero-shot", function="count", relations=1),
    question("4", f"(AND {A} {B})", ["m.01"], level="compositional"),
]


def test_figures_of_a_small_file(scored: Callable[..., Any]) -> None:
    found = scored(
        DATA,
        [
            prediction("1", A, "m.01", "m.02", seconds=0.1),
            prediction("2", A, "m.03", "m.04", seconds=0.3),
            prediction("3", f"(COUNT {A})", {"value": "2", "datatype": "xsd:integer"}, seconds=0.2),
            prediction("4", f"(AND {B} {A})", "m.05"),
        ],
    )
    assert (found["n"], found["em"]) == (4, 75)
    assert found["f1"] == pytest.approx(100 * (1 + 2 / 3 + 1 + 0) / 4, abs=1e-3)
    assert found["by"]["level"]["zero-shot"] == {"n": 2, "em": 50, "f1": pytest.approx(250 / 3, abs=1e-3)}
    assert list(found["by"]["level"]) == ["i.i.d.", "compositional", "zero-shot"]
    assert found["by"]["function"]["count"] == {"n": 1, "em": 100, "f1": 100}
    assert found["by"]["relations"] == {
        "1": {"n": 3, "em": pytest.approx(200 / 3, abs=1e-3), "f1": pytest.approx(800 / 9, abs=1e-3)},
        "2": {"n": 1, "em": 100, "f1": 0},
    }
    assert found["seconds"] == {"p50": 0.2, "p95": 0.29, "mean": 0.2}
    assert found["problems"] == {}
    low, high = found["intervals"]["em"]
    assert low <= 75 <= high


@pytest.mark.parametrize(
    "gold", ["http://rdf.freebase.com/ns/m.01", "<http://rdf.freebase.com/ns/m.01>", "m.01"]
)
def test_gold_answers_may_be_plain_iris(scored: Callable[..., Any], gold: str) -> None:
    elsewhere = "http://films.example/Heat?id=1"
    data = [question("1", A, [gold]), question("2", A, [elsewhere]), question("3", A, [elsewhere])]
    found = scored(
        data,
        [
            prediction("1", A, "m.01"),
            prediction("2", A, f"<{elsewhere}>"),
            prediction("3", A, {"value": elsewhere, "datatype": "http://www.w3.org/2001/XMLSchema#anyURI"}),
        ],
    )
    assert found["f1"] == 100


def test_it_is_told_where_no_answers_are_recorded(scored: Callable[..., Any]) -> None:
    """Else the share of right programs is read as if answers had been compared."""
    found = scored(
        [question("1", A, None), question("2", A, ["m.01"])],
        [prediction("1", A, "m.01"), prediction("2", A, "m.01")],
    )
    (told,) = found["problems"].items()
    assert told == (NO_ANSWERS, {"count": 1, "examples": ["1"]})


def test_everything_wrong_is_counted_named_and_a_miss(scored: Callable[..., Any]) -> None:
    found = scored(
        [*DATA, question("5", B, ["m.03"])],
        [
            prediction("1", A, "m.01", "m.02"),
            prediction("1", A, "m.01", "m.02"),
            prediction("nobody", A),
            prediction("2", "(JOIN film.film.actor", "m.09"),
            prediction("3", f"(COUNT {A})", 2),
            prediction("4", 5, "m.07"),
            "{not json",
            "[1, 2]",
            '{"question": "no id"}',
        ],
    )
    assert (found["n"], found["em"], found["f1"]) == (5, 0, 0)
    assert found["problems"] == {
        "duplicated ids": {"count": 1, "examples": ["1"]},
        "unknown ids": {"count": 1, "examples": ["nobody"]},
        "malformed programs": {"count": 2, "examples": ["2", "4"]},
        "wrong answer types": {"count": 1, "examples": ["3"]},
        "unreadable lines": {"count": 3, "examples": ["line 7", "line 8", "line 9"]},
        "missing predictions": {"count": 1, "examples": ["5"]},
    }


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
        lambda inner: (
            st.lists(inner, max_size=3)
            | st.dictionaries(
                st.sampled_from(["id", "value", "answers", "program", "seconds", "label"]), inner, max_size=4
            )
        ),
        max_leaves=12,
    )
)
def test_no_prediction_however_odd_stops_the_score(
    tmp_path_factory: pytest.TempPathFactory, odd: Any
) -> None:
    folder = tmp_path_factory.mktemp("odd")
    data = QuestionFile(lines(folder / "data.jsonl", DATA))
    record = {"id": "1", "answers": odd, "program": odd, "seconds": odd, "confidence": odd}
    path = lines(folder / "p.jsonl", [odd, record, {"id": odd}, {"id": "2", "answers": [odd]}])
    summary = score(data, path, Judge(Mode.SEMANTIC)).summary()
    assert summary["n"] == len(DATA)
    json.dumps(summary, allow_nan=False)


def test_grailqa_mode_gives_full_f1_where_programs_match(scored: Callable[..., Any]) -> None:
    predictions = [prediction("1", A, "m.99"), prediction("2", A, "m.03")]
    found = scored(DATA[:2], predictions, "--mode", "grailqa")
    assert (found["em"], found["f1"]) == (50, 100)
    assert scored(DATA[:2], predictions)["f1"] == 50


def test_webqsp_takes_the_best_parse_and_top1_the_first(scored: Callable[..., Any]) -> None:
    data = [
        question("q1", A, ["m.01"], programs=[A, B], answer_sets=[["m.01"], ["m.02", "m.03"]]),
        question("q2", None, ["m.05"], answer_sets=[["m.05"]]),
        question("q3", None, [], answer_sets=[[]]),
        question("q4", A, ["m.01"], answer_sets=[["m.01"]]),
    ]
    predictions = [
        prediction("q1", B, "m.02"),
        prediction("q2", None, "m.05"),
        prediction("q3", None, "m.06"),
    ]
    official = scored(data, predictions, "--mode", "webqsp")
    assert official["f1"] == pytest.approx(100 * (2 / 3 + 1 + 0 + 0) / 4, abs=1e-3)
    assert official["precision"] == pytest.approx(50)
    assert official["recall"] == pytest.approx(100 * (0.5 + 1 + 1 + 0) / 4)
    assert official["accuracy"] == 25
    assert official["em"] == 25
    first = scored(data, predictions, "--mode", "webqsp-top1")
    assert first["f1"] == pytest.approx(100 * (0 + 1 + 1 + 0) / 4)
    assert first["em"] == 0


def test_graphq_counts_unconvertible_questions_in_the_headline_only(scored: Callable[..., Any]) -> None:
    data = [DATA[0], question("u", None, ["m.01"])]
    predictions = [prediction("1", A, "m.01", "m.02"), prediction("u", A, "m.01")]
    found = scored(data, predictions, "--mode", "graphq", "--unconvertible", 2)
    assert (found["n"], found["f1"]) == (4, 25)
    assert found["convertible"] == {"n": 1, "em": 100, "f1": 100}


def test_against_another_file(scored: Callable[..., Any], tmp_path: Path) -> None:
    other = lines(tmp_path / "other.jsonl", [prediction("1", A, "m.01", "m.02"), prediction("x", A)])
    found = scored(DATA[:2], [prediction("1", A, "m.01"), prediction("2", B, "m.03")], "--against", other)
    assert found["against"]["em"]["difference"] == 50
    assert found["against"]["f1"]["difference"] == pytest.approx(100 * (2 / 3 + 1 - 1) / 2, abs=1e-3)
    assert found["against"]["problems"]["unknown ids"]["count"] == 1


def test_an_ontology_makes_implied_classes_equal(scored: Callable[..., Any], tmp_path: Path) -> None:
    (tmp_path / "fb_roles").write_text("film.film film.film.actor people.person\n")
    predictions = [prediction("1", f"(AND film.film {A})", "m.01", "m.02")]
    assert scored(DATA[:1], predictions)["em"] == 0
    assert scored(DATA[:1], predictions, "--ontology", tmp_path)["em"] == 100


def test_names_are_the_same_however_they_are_written(scored: Callable[..., Any]) -> None:
    base = "http://rdf.freebase.com/ns/"
    data = [
        question("1", A, ["m.01", "geo:texas", "12:30:00"]),
        question("2", "(JOIN geo:borders geo:texas)", ["<http://x.org/a>"]),
    ]
    long = f"(JOIN <{base}film.film.actor> ns:m.0a)"
    found = scored(
        data,
        [
            prediction("1", long, f"<{base}m.01>", "geo:texas", {"value": "12:30:00"}),
            prediction("2", "(JOIN geo:borders geo:texas)", "<http://x.org/a>"),
        ],
    )
    assert (found["em"], found["f1"]) == (100, 100)


def test_a_class_is_a_class_however_plainly_it_was_written(scored: Callable[..., Any]) -> None:
    found = scored(
        [question("1", "(JOIN film.film.actor people.person)", None)],
        [prediction("1", "(JOIN film.film.actor (CLASS people.person))")],
    )
    assert (found["em"], found["f1"]) == (100, 100)


def test_official_files(scored: Callable[..., Any], tmp_path: Path) -> None:
    out = tmp_path / "official.json"
    predictions = [
        prediction("1", "(CONS (JOIN film.film.actor_inv m.0a) people.person.sex m.0m)", "m.01"),
        prediction("2", "(GE film.film.year 1999^^http://www.w3.org/2001/XMLSchema#gYear)", {"value": "2"}),
        prediction("3", None),
    ]
    scored(DATA, predictions, "--mode", "grailqa", "--official", out)
    assert json.loads(out.read_text()) == {
        "1": {
            "logical_form": "(AND (JOIN (R film.film.actor) m.0a) (JOIN people.person.sex m.0m))",
            "answer": ["m.01"],
        },
        "2": {
            "logical_form": "(ge film.film.year 1999^^http://www.w3.org/2001/XMLSchema#gYear)",
            "answer": ["2"],
        },
        "3": {"logical_form": "", "answer": []},
    }
    scored(DATA, predictions, "--mode", "webqsp", "--official", out)
    assert json.loads(out.read_text())[:2] == [
        {"QuestionId": "1", "Answers": ["m.01"]},
        {"QuestionId": "2", "Answers": ["2"]},
    ]


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (['{"id": 1, "question": "x"'], "line 1: not JSON"),
        (['{"id": 1}'], "line 1: a question record needs"),
        ([], "no questions"),
        ([question("1", A, None), question("1", B, None)], "'1' occurs twice"),
    ],
)
def test_bad_data_is_one_sentence(
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    data: list[Any],
    message: str,
) -> None:
    path = lines(tmp_path / "data.jsonl", data)
    code, _, err = run(capsys, monkeypatch, path, path)
    assert code == 2
    assert message in err
    assert "Traceback" not in err


def test_missing_files_and_modes_are_one_sentence(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    data = lines(tmp_path / "data.jsonl", DATA)
    code, _, err = run(capsys, monkeypatch, data, tmp_path / "nowhere.jsonl")
    assert (code, "cannot be read" in err) == (2, True)
    code, _, err = run(capsys, monkeypatch, data, data, "--official", tmp_path / "x")
    assert (code, "no official script" in err) == (2, True)
    code, _, err = run(capsys, monkeypatch, data, data, "--unconvertible", 3)
    assert (code, "graphq" in err) == (2, True)


def test_the_text_for_people(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    data = lines(tmp_path / "data.jsonl", DATA)
    predictions = lines(
        tmp_path / "p.jsonl", [prediction("1", A, "m.01", "m.02", seconds=0.1), prediction("z", A)]
    )
    code, out, _ = run(capsys, monkeypatch, data, predictions, "--against", predictions)
    assert code == 0
    assert "EM 25.0" in out
    assert "unknown ids: 1 (z)" in out
    assert "| zero-shot" in out
    assert "paired bootstrap" in out


def test_functions_and_relations_are_read_off_the_program_where_the_record_is_silent() -> None:
    names = TolerantNames(ANY_PROFILE)

    def cell(program: str) -> tuple[str, str]:
        found = cells(Question("1", "?"), parse(program, names))
        return found["function"], found["relations"]

    assert cell(A) == ("none", "1")
    assert cell(f"(COUNT (ARGMAX {A} (JOIN film.x.y film.y.z)))") == ("count", "3")
    assert cell(f"(ARGMIN {A} film.y.z)") == ("superlative", "2")
    assert cell(f"(AND {A} (LT film.y.z 3^^xsd:integer))") == ("comparative", "2")
    assert cells(Question("1", "?", function=">="), None) == {"function": "comparative"}


def test_left_out_questions_belong_to_graphq() -> None:
    with pytest.raises(InputError, match="graphq"):
        score(None, Path(), Judge(Mode.SEMANTIC), left_out=1)  # type: ignore[arg-type]
