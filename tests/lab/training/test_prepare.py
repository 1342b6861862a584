"""Questions against a small knowledge base: every decision is there, and what is left out is counted."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

from arcaneqa.apps.cli.main import app
from arcaneqa.induction.found import NONE
from arcaneqa.kb.build import build_index
from arcaneqa.kb.terms import XSD, Literal
from arcaneqa.lab.training.prepare import GOLD, LINKED, READINGS, Plan, prepare
from arcaneqa.lab.training.prepared import manifest_of, read
from arcaneqa.lab.training.train import learned
from arcaneqa.model.stored import bundled_model
from arcaneqa.support.errors import InputError

FACTS = """
@prefix : <http://example.org/> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
:paris a :City ; rdfs:label "Paris"@en ; :country :france ; :population 2100000 ; :river :seine .
:paris_tx a :Town ; rdfs:label "Paris"@en ; :country :usa ; :population 25000 .
:lyon a :City ; rdfs:label "Lyon"@en ; :country :france ; :population 520000 ; :river :rhone .
:france a :Country ; rdfs:label "France"@en ; :capital :paris .
:usa a :Country ; rdfs:label "United States"@en .
:seine a :River ; rdfs:label "Seine"@en ; :length 775 .
:rhone a :River ; rdfs:label "Rhone"@en ; :length 813 .
"""
NS = "http://example.org/"


def record(number: int, question: str, program: str | None, *entities: str) -> dict[str, Any]:
    named = [{"id": f"<{NS}{entity}>", "mention": None} for entity in entities]
    return {"id": f"q{number}", "question": question, "program": program, "entities": named}


RECORDS = [
    record(0, "what is the capital of France?", f"(JOIN <{NS}capital>_inv <{NS}france>)", "france"),
    record(
        1,
        "which river flows through Paris?",
        f"(AND <{NS}River> (JOIN <{NS}river>_inv <{NS}paris>))",
        "paris",
    ),
    record(
        2,
        "which city of France has most people?",
        f"(ARGMAX (JOIN <{NS}country> <{NS}france>) <{NS}population>)",
        "france",
    ),
    record(3, "how many rivers are there?", f"(COUNT <{NS}River>)"),
    record(4, "is this a question?", None),
    record(5, "what flows through the United States?", f"(JOIN <{NS}river>_inv <{NS}usa>)", "usa"),
    record(6, "what is broken?", "(JOIN"),
]


@pytest.fixture(scope="module")
def kb(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("kb")
    (folder / "facts.ttl").write_text(FACTS)
    build_index([folder / "facts.ttl"], folder / "kb")
    return folder / "kb"


@pytest.fixture
def data(tmp_path: Path) -> Path:
    path = tmp_path / "questions.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in RECORDS))
    return path


def test_every_step_of_gold_programs(kb: Path, data: Path, tmp_path: Path) -> None:
    report = prepare([data], str(kb), tmp_path / "set", Plan((GOLD,)))
    assert (report.questions, report.examples, report.without_program) == (7, 4, 1)
    assert sum(report.left_out.values()) == 2
    assert "not admissible: relation" in report.left_out
    found = read(tmp_path / "set")
    assert found.ids == ["q0", "q1", "q2", "q3"]
    golds = found.set_candidates[found.set_offsets[found.step_sets] + found.step_gold]
    texts = [found.texts[found.candidate_texts[gold]] for gold in golds]
    steps = slice(found.step_offsets[0], found.step_offsets[1])
    assert texts[steps] == ["(", "follow", "France (country)", "capital", ")", "end"]
    assert manifest_of(tmp_path / "set")["report"]["left_out"] == dict(report.left_out.most_common())


def test_linked_topics_hold_the_gold_and_its_rivals(kb: Path, data: Path, tmp_path: Path) -> None:
    prepare([data], str(kb), tmp_path / "set", Plan((LINKED,), seed=3))
    found = read(tmp_path / "set")
    river = found.ids.index("q1")
    choice = next(
        step
        for step in range(found.step_offsets[river], found.step_offsets[river + 1])
        if found.candidate_variables[_members(found, step)].max() >= 0
    )
    named = [found.texts[found.candidate_texts[member]] for member in _members(found, choice)]
    assert sorted(named) == ["Paris (city)", "Paris (town)"]
    starts = found.topic_starts[found.topic_offsets[river] : found.topic_offsets[river + 1]]
    assert set(starts) == {RECORDS[1]["question"].index("Paris")}


def _members(found: Any, step: int) -> Any:
    group = found.step_sets[step]
    return found.set_candidates[found.set_offsets[group] : found.set_offsets[group + 1]]


def test_whole_programs_are_one_decision_with_the_gold_among_them(
    kb: Path, data: Path, tmp_path: Path
) -> None:
    prepare([data], str(kb), tmp_path / "set", Plan((READINGS,), holes=0))
    found = read(tmp_path / "set")
    assert NONE.text not in found.texts
    assert len(found) >= 3
    assert np.diff(found.step_offsets).max() == 1
    places = set()
    for number, name in enumerate(found.ids):
        members = _members(found, number)
        texts = [found.texts[found.candidate_texts[member]] for member in members]
        assert len(set(texts)) == len(texts) > 1
        places.add(int(found.step_gold[number]))
        if name == "q0":
            assert texts[found.step_gold[number]] == "the capital of France"
            assert found.texts[found.candidate_types[members[found.step_gold[number]]]] == "1 city"
    assert len(places) > 1, "the place of the gold says nothing"


def test_with_a_hole_none_is_right_and_what_is_missing_is_in_no_reading(
    kb: Path, data: Path, tmp_path: Path
) -> None:
    holes = []
    for seed in range(12):
        prepare([data], str(kb), tmp_path / "set", Plan((READINGS,), holes=1, seed=seed))
        found = read(tmp_path / "set")
        for number, name in enumerate(found.ids):
            texts = [found.texts[found.candidate_texts[member]] for member in _members(found, number)]
            assert texts.count(NONE.text) == 1, "it is always a choice"
            if texts[found.step_gold[number]] == NONE.text:
                holes.append((name, texts))
    assert {"q0", "q1", "q2"} <= {name for name, _ in holes}
    for name, texts in holes:
        assert len(texts) > 1
        # The right answer is found by no way round.
        assert name != "q0" or "the capital of France" not in texts
    rivers = [texts for name, texts in holes if name == "q1"]
    assert any(not any("Paris" in text for text in texts) for texts in rivers), "an entity may be missing"
    assert any(any("Paris" in text for text in texts) for texts in rivers), "or something else"


def test_a_model_that_does_not_find_the_right_reading_is_told_that_it_is_none_of_these(
    kb: Path, data: Path, tmp_path: Path
) -> None:
    prepare([data], str(kb), tmp_path / "set", Plan((READINGS,), holes=0.001, model=str(bundled_model())))
    found = read(tmp_path / "set")
    golds: dict[str, list[str]] = {}
    for number, name in enumerate(found.ids):
        gold = _members(found, number)[found.step_gold[number]]
        golds.setdefault(name, []).append(found.texts[found.candidate_texts[gold]])
    assert golds["q0"] == ["the capital of France"], "a model that finds it needs no second list"
    wrong = tmp_path / "wrong.jsonl"
    wrong.write_text(json.dumps(record(0, "how long is the Rhone?", RECORDS[0]["program"], "france")) + "\n")
    prepare([wrong], str(kb), tmp_path / "set", Plan((READINGS,), holes=0.001, model=str(bundled_model())))
    found = read(tmp_path / "set")
    as_found = _members(found, 0)[found.step_gold[0]]
    assert found.texts[found.candidate_texts[as_found]] == NONE.text


def test_questions_for_another_knowledge_base_have_no_right_reading(
    kb: Path, data: Path, tmp_path: Path
) -> None:
    other = tmp_path / "other.jsonl"
    other.write_text(json.dumps({"id": "s0", "question": "who sings in the choir of Paris?"}) + "\n")
    report = prepare([data], str(kb), tmp_path / "set", Plan((READINGS,)), strange=[other])
    assert report.questions == len(RECORDS) + 1
    found = read(tmp_path / "set")
    number = found.ids.index("s0")
    gold = _members(found, number)[found.step_gold[number]]
    assert found.texts[found.candidate_texts[gold]] == NONE.text
    with pytest.raises(InputError, match="readings with holes"):
        prepare([data], str(kb), tmp_path / "set", Plan((GOLD,)), strange=[other])


def test_programs_teach_constants_to_their_own_steps_and_to_the_model(kb: Path, tmp_path: Path) -> None:
    french = f"(CONS (JOIN <{NS}river>_inv <{NS}paris>) <{NS}length> 775^^xsd:integer)"
    lines = [record(number, "which long river flows through Paris?", french, "paris") for number in (0, 1)]
    data = tmp_path / "questions.jsonl"
    data.write_text("".join(json.dumps(line) + "\n" for line in lines))
    report = prepare([data], str(kb), tmp_path / "set", Plan((GOLD,)))
    assert report.examples == 2
    found = read(tmp_path / "set")
    assert {"only those with", "775"} <= set(found.texts)
    (pair,) = learned([tmp_path / "set"], None).constants
    assert pair == (f"{NS}length", Literal("775", XSD + "integer"))


def test_processes_change_nothing(kb: Path, data: Path, tmp_path: Path) -> None:
    for workers in (1, 2):
        prepare([data], str(kb), tmp_path / f"set{workers}", Plan(), workers)
    for path in (tmp_path / "set1").iterdir():
        assert path.read_bytes() == (tmp_path / "set2" / path.name).read_bytes()


def test_large_sets_are_cut_around_the_gold(kb: Path, data: Path, tmp_path: Path) -> None:
    report = prepare([data], str(kb), tmp_path / "set", Plan((GOLD,), most=4))
    whole = prepare([data], str(kb), tmp_path / "whole", Plan((GOLD,)))
    assert report.cut_sets > 0
    assert whole.cut_sets == 0
    few, all_of = read(tmp_path / "set"), read(tmp_path / "whole")
    assert np.diff(few.set_offsets).max() == 4
    for data_set in (few, all_of):
        golds = data_set.set_candidates[data_set.set_offsets[data_set.step_sets] + data_set.step_gold]
        names = [data_set.texts[data_set.candidate_texts[gold]] for gold in golds]
        assert names[:6] == ["(", "follow", "France (country)", "capital", ")", "end"]


def test_nothing_to_prepare_is_said(kb: Path, tmp_path: Path) -> None:
    (tmp_path / "empty.jsonl").write_text("")
    with pytest.raises(InputError, match="no questions"):
        prepare([tmp_path / "empty.jsonl"], str(kb), tmp_path / "set", Plan())
    assert not (tmp_path / "set").exists()


def test_the_verb(kb: Path, data: Path, tmp_path: Path) -> None:
    run = CliRunner().invoke(
        app,
        ["prepare", str(data), "--kb", str(kb), "--out", str(tmp_path / "set"), "--workers", "1", "--json"],
    )
    assert run.exit_code == 0, run.output
    assert json.loads(run.stdout)["questions"] == 7
    wrong = CliRunner().invoke(
        app, ["prepare", str(data), "--kb", str(kb), "--out", "x", "--topics", "some"], standalone_mode=False
    )
    assert isinstance(wrong.exception, InputError)


CHOSEN = """
@prefix : <http://example.org/> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
""" + "\n".join(
    f':player{n} a :Player ; rdfs:label "Player {n}" ; :decision "{"yes" if n % 2 else "no"}" ; :hours {n} .'
    for n in range(12)
)


def test_what_a_question_does_not_name_is_taught_as_a_constant(tmp_path: Path) -> None:
    """ "accepted" is nowhere in the facts: the decision yes can only be chosen, never be linked."""
    (tmp_path / "facts.ttl").write_text(CHOSEN)
    build_index([tmp_path / "facts.ttl"], tmp_path / "kb")
    program = f'(AND <{NS}Player> (JOIN <{NS}decision> "yes"))'
    rows = [record(0, "which players were accepted?", program)]
    (tmp_path / "data.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    prepare([tmp_path / "data.jsonl"], str(tmp_path / "kb"), tmp_path / "out", Plan((LINKED,)))
    found = read(tmp_path / "out")
    golds = found.set_candidates[found.set_offsets[found.step_sets] + found.step_gold]
    texts = [found.texts[found.candidate_texts[gold]] for gold in golds]
    assert texts == ["(", "only those with", "player", "decision", "yes", ")", "end"]
    assert len(found.topic_starts) == 0
