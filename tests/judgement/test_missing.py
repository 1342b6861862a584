"""What a refusal says: gaps in the facts and in the schema, names that nobody has."""

from __future__ import annotations

import pytest

from arcaneqa.judgement.coverage import coverage
from arcaneqa.judgement.refusals import Refusals
from arcaneqa.links import Links
from tests.judgement.test_coverage import KB, found, mention


def said(question: str, program: str, *names: str, linked: str | None = None) -> str:
    links = Links(question, () if linked is None else (mention(question, linked),))
    start = 0 if linked is None else question.index(linked)
    topic = None if linked is None else ("bert", start, start + len(linked))
    nearest = found(program, *names, topic=topic)
    refusals = Refusals(KB, lambda typed, _: ["anna", "anton"] if typed.startswith("Ann") else [])
    return refusals.missing(question, links, nearest, coverage(question, links, nearest, KB))


@pytest.mark.parametrize(
    ("question", "sentence"),
    [
        ("in what year was bert born?", "Of bert nothing here says “born”, though it is said of others."),
        ("how many total credits has bert?", "bert has no total credit here, though others have."),
        ("what does bert eat?", "Nothing found here says “eat” of bert."),
    ],
)
def test_a_gap_in_the_facts_is_no_gap_in_the_schema(question: str, sentence: str) -> None:
    told = said(question, "(JOIN ex:height_inv ex:bert)", "height", linked="bert")
    assert sentence in told
    assert told.endswith("It has a gender and a height.")


def test_a_gap_is_told_where_the_program_takes_it_from_others() -> None:
    told = said(
        "what are the total credits of bert?", "(JOIN ex:height_inv ex:bert)", "total credits", linked="bert"
    )
    assert told.startswith("bert has no total credit here, though others have.")


def test_the_one_with_a_stated_value_was_understood() -> None:
    told = said("who eats with 180?", "(JOIN ex:height 180^^xsd:integer)", "height")
    assert "of bert. It has" in told


def test_a_name_that_nobody_has() -> None:
    told = said("who pays Annabel Lee?", "ex:Worker", "worker")
    assert told == "No entity is called Annabel Lee; near: anna and anton. Nothing found here says “pays”."
