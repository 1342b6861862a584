"""Overnight's logical forms as programs over a world of four facts."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import overnight
import pytest

from arcaneqa.kb.build import build_index
from arcaneqa.kb.interface import KnowledgeBase
from arcaneqa.kb.open import open_kb
from arcaneqa.kb.short_names import Names
from arcaneqa.lab.datasets.convert import ConversionSummary, Converter

NS = overnight.NAMESPACE
BLOCKS = "( call SW.getProperty ( call SW.singleton en.block ) ( string ! type ) )"
WORLD = f"""@prefix : <{NS}p/> . @prefix c: <{NS}class/> . @prefix b: <{NS}block/> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
b:one a c:block ; rdfs:label "block 1" ; :width 3 ; :left b:two ; :special true .
b:two a c:block ; rdfs:label "block 2" ; :width 6 ; :left b:three ; :special false .
b:three a c:block ; rdfs:label "block 3" ; :width 6 .
"""


@pytest.fixture(scope="module")
def kb(tmp_path_factory: pytest.TempPathFactory) -> KnowledgeBase:
    folder = tmp_path_factory.mktemp("overnight")
    (folder / "world.ttl").write_text(WORLD)
    build_index([folder / "world.ttl"], folder / "index")
    return open_kb(folder / "index")


def filtered(rest: str) -> str:
    return f"( call SW.listValue ( call SW.filter {BLOCKS} {rest} ) )"


@pytest.mark.parametrize(
    ("form", "answers"),
    [
        (filtered("( string left ) ( string = ) en.block.two"), ["block/one"]),
        (filtered("( string left ) ( string ! = ) en.block.two"), ["block/two", "block/three"]),
        (filtered("( call SW.reverse ( string left ) ) ( string = ) en.block.two"), ["block/three"]),
        (filtered("( string special )"), ["block/one"]),
        (
            filtered(
                "( call SW.ensureNumericProperty ( string width ) ) ( string > ) "
                "( call SW.ensureNumericEntity ( number 3 en.inch ) )"
            ),
            ["block/two", "block/three"],
        ),
        (
            f"( call SW.listValue ( call SW.superlative {BLOCKS} ( string min ) ( string width ) ) )",
            ["block/one"],
        ),
        (
            f"( call SW.listValue ( call SW.countComparative {BLOCKS} ( string left ) ( string >= ) "
            "( number 1 ) ) )",
            ["block/one", "block/two"],
        ),
    ],
)
def test_a_form_finds_what_it_denotes(kb: KnowledgeBase, form: str, answers: list[str]) -> None:
    item: dict[str, Any] = {"id": "1", "question": "which blocks?", "lf": form}
    item |= {"answers": answers, "answer_ids": [NS + answer for answer in answers]}
    (record,) = Converter(Names(kb.profile), kb).records(overnight.drafts([item], kb))
    assert record.program is not None


def test_a_form_that_finds_other_answers_gives_no_program(kb: KnowledgeBase) -> None:
    summary = ConversionSummary()
    form = f"( call SW.listValue ( call .size {BLOCKS} ) )"
    item: dict[str, Any] = {"id": "1", "question": "which blocks?", "lf": form}
    item |= {"answers": ["2"], "answer_ids": [None]}
    (record,) = Converter(Names(kb.profile), kb, summary).records(overnight.drafts([item], kb))
    assert (record.program, summary.converted) == (None, 0)


def test_an_unknown_form_is_said() -> None:
    with pytest.raises(overnight.Unsayable):
        overnight.program_of(overnight.form_of("( call SW.dance en.block )"))


def test_the_held_world_is_a_world() -> None:
    assert overnight.HELD in overnight.WORLDS
    assert overnight.records_of(Path("w"), "blocks") != overnight.records_of(Path("w"), overnight.HELD)
