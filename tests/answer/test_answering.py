"""The library as others use it: from many threads, from files, under a deadline."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor
from io import StringIO
from pathlib import Path

import numpy as np
import pytest
from rich.console import Console

from arcaneqa.answer.answer import Answer
from arcaneqa.answer.arcaneqa import ArcaneQA
from arcaneqa.answer.batch import answer_file
from arcaneqa.answer.describe import named_of
from arcaneqa.answer.explain import draw_answer
from arcaneqa.induction.found import Found, SearchOutcome, Trace
from arcaneqa.kb.build import build_index
from arcaneqa.kb.index import Index
from arcaneqa.kb.terms import Blank, Iri
from arcaneqa.language import expression as ex
from arcaneqa.language.run import execute
from arcaneqa.support.errors import InputError

SOURCE = Path(__file__).parents[1] / "strangers" / "brewery.ttl"
QUESTIONS = (
    "Who owns the Seeblick Brewery?",
    "which beers are brewed by the Seeblick Brewery?",
    "how many breweries are there?",
    "which beer has the highest alcohol content?",
    "how to brew a stout?",
)


@pytest.fixture(scope="module")
def kb(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("kb") / "index"
    build_index([SOURCE], folder)
    return folder


@pytest.fixture(scope="module")
def qa(kb: Path) -> ArcaneQA:
    return ArcaneQA.load(kb)


def test_threads_share_one_and_get_equal_answers(qa: ArcaneQA, kb: Path) -> None:
    alone = ArcaneQA.load(kb)
    expected = [alone.ask(question) for question in QUESTIONS]
    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(qa.ask, QUESTIONS * 4))
    for answer, serial in zip(answers, expected * 4, strict=True):
        assert (answer.program, answer.items, answer.reason) == (serial.program, serial.items, serial.reason)
        assert answer.score == (None if serial.score is None else pytest.approx(serial.score, abs=1e-4))


def test_the_parts_of_an_answers_time_make_up_the_whole(qa: ArcaneQA) -> None:
    answer = qa.ask(QUESTIONS[1])
    assert set(answer.timings) == {"linking", "induction", "model", "answer"}
    assert all(seconds >= 0 for seconds in answer.timings.values())
    assert sum(answer.timings.values()) == pytest.approx(answer.seconds, abs=1e-6)


def test_an_answer_says_what_share_is_right_at_its_threshold(qa: ArcaneQA) -> None:
    low, high = (qa.ask(QUESTIONS[1], threshold=limit) for limit in (0.0, 0.9))
    assert low.expected == qa.fitted.precision(0.0)
    assert high.expected == qa.fitted.precision(0.9)
    assert qa.ask(QUESTIONS[1]).expected == qa.fitted.precision(qa.fitted.answer)
    assert low.expected is not None
    assert high.expected is not None
    assert low.expected < high.expected


def test_it_shows_itself_in_a_line(qa: ArcaneQA, kb: Path) -> None:
    assert repr(qa) == f"ArcaneQA(Index('{kb}'))"


def test_answers_carry_their_iri_beside_the_short_name(qa: ArcaneQA) -> None:
    record = qa.ask("Which beers are brewed by Half Moon?").to_prediction("1").to_json()
    assert {item["label"] for item in record["answers"]} == {"Old Abbey", "Night Owl"}
    for item in record["answers"]:
        assert item["iri"] == qa.names.expand(item["id"])
        assert item["iri"].startswith("http://")
    [value] = qa.ask("What is the alcohol content of Coal Miner?").to_prediction("2").to_json()["answers"]
    assert "iri" not in value


def test_a_question_for_a_manner_is_refused_with_the_nearest_readings(qa: ArcaneQA) -> None:
    answer = qa.ask("how to brew a stout?")
    assert "how to" in (answer.reason or "")
    assert answer.readings


def test_no_time_is_a_reason(qa: ArcaneQA) -> None:
    answer = qa.ask(QUESTIONS[0], seconds=0.0)
    assert answer.items == ()
    assert "ran out of time" in (answer.reason or "")


def test_a_file_goes_on_where_it_was_cut(kb: Path, tmp_path: Path) -> None:
    source, target = tmp_path / "questions.jsonl", tmp_path / "predictions.jsonl"
    lines = [json.dumps({"id": str(n), "question": question}) for n, question in enumerate(QUESTIONS)]
    source.write_text("\n".join(lines), encoding="utf-8")
    first = answer_file(source, target, kb)
    assert (first.asked, first.before) == (len(QUESTIONS), 0)
    whole = target.read_bytes()
    kept = whole.splitlines(keepends=True)
    target.write_bytes(b"".join(kept[:2]) + kept[2][:20])  # killed in the middle of a line
    again = answer_file(source, target, kb)
    assert (again.asked, again.before) == (len(QUESTIONS) - 2, 2)
    programs = [
        [json.loads(line)["program"] for line in data.splitlines()] for data in (whole, target.read_bytes())
    ]
    assert programs[0] == programs[1]
    assert answer_file(source, target, kb).asked == 0
    (tmp_path / "other.jsonl").write_text("not a prediction\n")
    with pytest.raises(InputError, match="not a file of predictions"):
        answer_file(source, tmp_path / "other.jsonl", kb)


def test_who_somebody_is_is_told_by_all_their_facts() -> None:
    """Not by one relation that happened to be likeliest."""
    qa = ArcaneQA.load()
    for question in ("Who was Abraham Lincoln?", "tell me about Abraham Lincoln", "what’s Abraham Lincoln"):
        answer = qa.ask(question)
        assert answer.facts is not None
        assert [item.id for item in answer.items] == ["demo:Abraham_Lincoln"]
        assert answer.facts.relations == qa.facts("demo:Abraham_Lincoln").relations
        assert answer.to_prediction("1").to_json()["facts"]["classes"]
    assert qa.ask("What is the capital of France?").facts is None
    assert qa.ask("Who is the president?").facts is None
    assert qa.ask("Who was Abraham Lincoln and what did he do?").facts is not None
    # Whom an airport or a council is called after is not among the facts.
    for unknown in ("Who was Napoleon?", "What is the Arctic?"):
        assert qa.ask(unknown).facts is None


PEOPLE = """@prefix : <http://e/> . @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
:tex a :Person ; rdfs:label "Tex Beneke" ; :occupation :sax, :lead ; :birthPlace :fort .
:sax rdfs:label "saxophonist" . :lead rdfs:label "bandleader" . :fort rdfs:label "Fort Worth" .
"""


def test_what_somebody_is_by_profession_answers_who_they_are(tmp_path: Path) -> None:
    (tmp_path / "g.ttl").write_text(PEOPLE)
    build_index([tmp_path / "g.ttl"], tmp_path / "index")
    qa = ArcaneQA.load(tmp_path / "index")
    links = qa.linker.link("who was Tex Beneke?")

    def answered(relation: str, threshold: float = 0.0) -> Answer:
        program = ex.Join(ex.Relation(f"http://e/{relation}", inverse=True), ex.Entity(Iri("http://e/tex")))
        read = Found(program, -9.0, execute(program, qa.kb), (), Trace((), []), reading=-9.0)
        return qa.conclude(links.question, links, SearchOutcome((read,), True), threshold=threshold)

    by_profession = answered("occupation")
    assert {item.label for item in by_profession.items} == {"saxophonist", "bandleader"}
    assert by_profession.facts is not None, "and all else that is known"
    assert by_profession.facts.entity.label == "Tex Beneke"
    for portrait in (answered("birthPlace"), answered("occupation", threshold=0.95)):
        assert [item.label for item in portrait.items] == ["Tex Beneke"]
        assert portrait.facts == by_profession.facts
    drawn = Console(record=True, width=100, file=StringIO())
    draw_answer(drawn, by_profession)
    lines = drawn.export_text().splitlines()
    assert [line.split()[0] for line in lines[:3]] == ["saxophonist", "bandleader", "Tex"]


NAMELESS = """@prefix : <http://e/> . @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
:a :maker _:cecil ; :kind :b, [ :on :c ] . _:cecil rdfs:label "Cecil" . :b rdfs:label "Membrane" .
"""


def test_what_has_no_iri_is_asked_for_though_sparql_cannot_name_it(tmp_path: Path) -> None:
    (tmp_path / "g.ttl").write_text(NAMELESS)
    build_index([tmp_path / "g.ttl"], tmp_path / "index")
    qa = ArcaneQA.load(tmp_path / "index")
    maker = ex.Relation("http://e/maker", inverse=True)
    (cecil,) = qa.kb.terms(execute(ex.Join(maker, ex.Entity(Iri("http://e/a"))), qa.kb).nodes.ids)
    assert isinstance(cecil, Blank)
    answer = qa.run(ex.Join(ex.Relation("http://e/maker"), ex.Entity(cecil)))
    assert [item.iri for item in answer.items] == ["http://e/a"]
    assert answer.sparql is None


def test_what_nothing_names_is_left_out_beside_what_has_a_name(tmp_path: Path) -> None:
    (tmp_path / "g.ttl").write_text(NAMELESS)
    build_index([tmp_path / "g.ttl"], tmp_path / "index")
    with Index(tmp_path / "index") as kb:
        found = execute(ex.Join(ex.Relation("http://e/kind", inverse=True), ex.Entity(Iri("http://e/a"))), kb)
        assert len(found.nodes) == 2
        assert kb.labels(named_of(kb, found.nodes.ids)) == ["Membrane"]
        unnamed = np.array([node for node in found.nodes.ids if kb.labels(np.array([node])) == [None]])
        assert np.array_equal(named_of(kb, unnamed), unnamed), "nothing else was found"


def test_what_has_no_label_goes_by_its_iri_as_it_was_written(tmp_path: Path) -> None:
    named = {
        "http://spdx.org/licenses/MIT": "MIT",
        "http://e/TomatoTopping": "Tomato Topping",
        "http://e/big-fish": "big fish",
        "mailto:ann.lee@pm.me": "ann.lee@pm.me",
        "http://gareus.org/": None,
        "http://e/x17": None,
    }
    (tmp_path / "g.nt").write_text("".join(f"<http://e/a> <http://e/kin> <{iri}> .\n" for iri in named))
    build_index([tmp_path / "g.nt"], tmp_path / "index")
    qa = ArcaneQA.load(tmp_path / "index")
    items = qa.run("(JOIN <http://e/kin>_inv <http://e/a>)").items
    assert {item.iri: item.label for item in items} == named
    said = qa.run("(JOIN <http://e/kin> <http://spdx.org/licenses/MIT>)").paraphrase
    assert said == "things whose kin is MIT"
