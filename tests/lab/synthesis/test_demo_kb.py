from __future__ import annotations

import subprocess
import sys
from collections import Counter
from importlib.resources import files
from pathlib import Path

import numpy as np
import pyoxigraph
import pytest

from arcaneqa.induction.induction import Induction
from arcaneqa.induction.targets import Inadmissible, targets
from arcaneqa.induction.topics import topics_from_gold
from arcaneqa.kb.index import Index
from arcaneqa.kb.short_names import Names
from arcaneqa.kb.terms import Iri
from arcaneqa.lab.synthesis.synthesize import function_of
from arcaneqa.language import expression as ex
from arcaneqa.language.run import answer_terms, execute
from arcaneqa.language.text import parse
from arcaneqa.record import Question, read_questions
from arcaneqa.support.files import read_lines

pytest_plugins = ["tests.lab.synthesis.fixtures"]

DEMO = Path(__file__).parents[3] / "demo"


@pytest.fixture(scope="module")
def asked() -> list[Question]:
    return list(read_questions(DEMO / "questions.jsonl"))


def test_the_bundle_is_small_and_holds_many_facts(demo: Index) -> None:
    assert len((files("arcaneqa.data") / "demo.ttl.zst").read_bytes()) < 4 * 2**20
    shown = [relation for relation in demo.schema.relations if not relation.hidden]
    assert sum(relation.facts for relation in shown) > 50_000
    assert any(relation.comparable for relation in shown)


def test_everything_has_a_label_and_relations_say_what_they_join(demo: Index) -> None:
    entities = demo.entities()
    own = [isinstance(term, Iri) and "example.org/demo/" in term.value for term in demo.terms(entities)]
    assert sum(own) > 30_000
    assert all(demo.labels(entities[np.array(own)]))
    shown = [relation for relation in demo.schema.relations if not relation.hidden]
    assert all(relation.domain is not None for relation in shown)
    assert sum(map(len, demo.aliases(entities))) > 1000


def test_the_hand_written_questions_have_the_answers_they_record(demo: Index, asked: list[Question]) -> None:
    names, induction = Names(demo.profile), Induction(demo)
    assert len(asked) >= 150
    assert len({question.question.lower() for question in asked}) == len(asked)
    for question in asked:
        assert question.program is not None
        program = parse(question.program, names, demo.schema)
        answers = answer_terms(execute(program, demo), demo)
        assert question.answers
        assert set(answers) == set(question.answers), question.question
        assert (question.function, question.relations) == (function_of(program), ex.count_relations(program))
        for entity in question.entities:
            assert question.question[entity.start : entity.end] == entity.mention
        topics = topics_from_gold(question.entities, demo, question.question, program)
        assert not isinstance(targets(induction, question.question, program, topics), Inadmissible), question


def test_the_hand_written_questions_use_every_function(asked: list[Question]) -> None:
    functions = Counter(question.function for question in asked)
    assert set(functions) == {"none", "count", "argmax", "argmin", "<", ">", "<=", ">=", "cons", "tc"}


def test_the_dialogues_have_the_answers_they_record(demo: Index) -> None:
    names = Names(demo.profile)
    dialogues = [data for _, data in read_lines(DEMO / "dialogues.jsonl")]
    assert Counter(dialogue["kind"] for dialogue in dialogues) == dict.fromkeys(
        (
            "another entity",
            "another relation",
            "narrowing",
            "superlative among them",
            "count",
            "back to the first",
        ),
        5,
    )
    for turn in (turn for dialogue in dialogues for turn in dialogue["turns"]):
        found = execute(parse(turn["program"], names, demo.schema), demo)
        assert set(answer_terms(found, demo)) == set(turn["answers"]), turn["question"]


def test_imaginary_worlds_are_sound_turtle(tmp_path: Path) -> None:
    command = [sys.executable, str(DEMO / "worlds.py"), "--out", str(tmp_path), "--worlds", "2"]
    subprocess.run(command, check=True, capture_output=True)
    first = (tmp_path / "world0.ttl").read_bytes()
    assert sum(1 for _ in pyoxigraph.parse(first, format=pyoxigraph.RdfFormat.TURTLE)) > 5000
    again = tmp_path / "again"
    subprocess.run([*command[:3], str(again), *command[4:]], check=True, capture_output=True)
    assert (again / "world0.ttl").read_bytes() == first
