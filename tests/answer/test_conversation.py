"""Conversations over a small world, scores drawn at random: whatever is read, what is carried is exact."""

from __future__ import annotations

from pathlib import Path

import pytest

from arcaneqa.answer.answer import Answer
from arcaneqa.answer.arcaneqa import ArcaneQA
from arcaneqa.answer.conversation import Conversation, among, in_place_of
from arcaneqa.answer.turns import Turn
from arcaneqa.kb.build import build_index
from arcaneqa.kb.index import Index
from arcaneqa.kb.terms import Iri
from arcaneqa.language.expression import Class, Entity, mentioned
from arcaneqa.language.run import execute
from arcaneqa.language.text import parse
from arcaneqa.support.errors import InputError
from tests.apps.http.service_world import answering, small_world

EX = "http://example.org/"
CITIES = "(JOIN ex:country ex:France)"
FIRST = [f"which cities are in {name}?" for name in ("France", "Norway", "Peru", "Chile")]
FOLLOWING = [
    "which of them has the most people?",
    "how many?",
    "and in Japan?",
    "what is its capital?",
    "how many people live there?",
    "which of those are in Kenya?",
    "what are their countries?",
    "and the smallest?",
]


@pytest.fixture(scope="module")
def kb(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return small_world(tmp_path_factory.mktemp("world"))


@pytest.fixture(scope="module")
def qa(kb: Path) -> ArcaneQA:
    return answering(kb)[0]


@pytest.mark.parametrize("first", FIRST)
def test_whatever_is_read_every_answer_is_what_its_program_finds(qa: ArcaneQA, first: str) -> None:
    for following in FOLLOWING:
        talk = qa.conversation()
        before = talk.ask(first)
        answer = talk.ask(following)
        assert bool(answer.items) != bool(answer.reason), following
        if answer.expression is not None:
            again = qa.run(answer.expression)
            assert (again.items, again.sparql) == (answer.items, answer.sparql)
            assert answer.confidence is not None
            assert before.confidence is not None
            if answer.carried is not None and answer.carried.startswith("of the"):
                assert answer.confidence <= before.confidence


def test_which_of_them_are_some_of_them(qa: ArcaneQA) -> None:
    talk = qa.conversation()
    _tell(talk, qa, CITIES)
    for text in ("which of them has the most people?", "which of those are in Kenya?", "only the largest"):
        answer = talk.ask(text)
        if answer.reason is None and answer.table is None and all(item.id for item in answer.items):
            assert {item.id for item in answer.items} <= {"ex:c0", "ex:bad"}
            assert answer.carried == "of the 2 before"
    assert talk.ask("how many?").items[0].value == "2"


def test_another_entity_takes_the_place_of_its_like(qa: ArcaneQA) -> None:
    talk = qa.conversation()
    _tell(talk, qa, "(JOIN ex:capital_inv ex:France)")
    answer = talk.ask("and Norway?")
    assert answer.program == "(JOIN ex:capital_inv ex:Norway)"
    assert answer.carried == "Norway in place of France"
    refused = talk.ask("and Norway City?")  # a city is no country, and one thing cannot be narrowed to it
    assert refused.program != "(JOIN ex:capital_inv ex:c1)"


def test_without_a_past_nothing_is_carried(qa: ArcaneQA) -> None:
    talk = qa.conversation()
    assert "nothing before this" in (talk.ask("which of them are in Peru?").reason or "")
    assert talk.ask("which country has Peru City as its capital?").carried is None


def test_another_reading_can_be_chosen_and_is_built_upon(qa: ArcaneQA) -> None:
    talk = qa.conversation()
    with pytest.raises(InputError, match="There is no reading 1"):
        talk.choose(1)
    talk.ask(FIRST[0])
    known = talk.readings
    assert len(known) > 1
    chosen = talk.choose(2)
    assert chosen.program == known[1].program
    assert talk.readings[0].program == chosen.program
    with pytest.raises(InputError, match="There is no reading 9"):
        talk.choose(9)


def test_what_builds_on_the_unsure_is_no_surer(qa: ArcaneQA) -> None:
    for threshold in (0.0, 1.0):
        talk = qa.conversation()
        _tell(talk, qa, CITIES, certainty=0.4)
        answer = talk.ask("how many?", threshold=threshold)
        assert answer.confidence == pytest.approx(0.4)
        assert (answer.reason is None) == (threshold == 0.0)
    assert "builds on" in (answer.reason or "")
    assert answer.readings[0].program == f"(COUNT {CITIES})"


def test_among_is_the_intersection(kb: Path) -> None:
    with Index(kb) as opened:
        names = answering(kb)[0].names
        members = parse(CITIES, names, opened.schema)
        own = set(execute(members, opened).nodes.ids.tolist())
        for text in ("ex:City", "(JOIN ex:country ex:France)", "(AND ex:City (GT ex:population 50))"):
            program = parse(text, names, opened.schema)
            found = set(execute(program, opened).nodes.ids.tolist())
            narrowed = among(program, EX + "City", members)
            assert set(execute(narrowed, opened).nodes.ids.tolist()) == own & found
        assert among(Class(EX + "City"), EX + "City", members) == members


def test_an_exchanged_entity_is_gone(kb: Path) -> None:
    with Index(kb) as opened:
        names = answering(kb)[0].names
        old, new = Entity(Iri(EX + "France")), Entity(Iri(EX + "Peru"))
        for text in (
            CITIES,
            "(COUNT (CONS ex:City ex:country ex:France))",
            "(AND ex:City (JOIN ex:country ex:France))",
        ):
            changed = in_place_of(parse(text, names, opened.schema), old, new)
            assert mentioned(changed) == [new]


def _tell(talk: Conversation, qa: ArcaneQA, program: str, certainty: float = 1.0) -> None:
    """As if a question had been answered with this program."""
    talk._kept(qa.run(program, "which?"), certainty)


def test_what_has_no_label_is_called_by_the_words_of_its_iri(tmp_path: Path) -> None:
    (tmp_path / "facts.nt").write_text(f"<{EX}AlphaCentauri> <{EX}near> _:dust .\n")
    build_index([tmp_path / "facts.nt"], tmp_path / "kb")
    with Index(tmp_path / "kb") as kb:
        turn = Turn(Answer("which star is near?"), 1.0, kb)
        star = kb.node(Iri(EX + "AlphaCentauri"))
        assert star is not None
        assert turn.label(star) == "Alpha Centauri"
        assert turn.label(1 - star) == "that"
