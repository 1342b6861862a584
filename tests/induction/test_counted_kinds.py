"""Where a relation leads to several kinds of things, the kind that the question names is counted."""

from __future__ import annotations

from dataclasses import replace

import pytest

from arcaneqa import ArcaneQA
from arcaneqa.induction.counted_kinds import with_counted_kinds
from arcaneqa.kb.build import build_index
from arcaneqa.language import expression as ex
from arcaneqa.language.run import execute

BUILT = {"Ada Stone": (2, 4), "Ben Wood": (3, 1), "Cleo Brick": (1, 0)}
"""Bridges and mills of each architect: Ada has built most, Ben most bridges."""


@pytest.fixture(scope="module")
def qa(tmp_path_factory: pytest.TempPathFactory) -> ArcaneQA:
    folder = tmp_path_factory.mktemp("built")
    facts = ["@prefix : <http://built.example/> . @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> ."]
    for number, (name, built) in enumerate(BUILT.items()):
        facts.append(f':a{number} a :Architect ; rdfs:label "{name}" .')
        for kind, count in zip(("Bridge", "Mill"), built, strict=True):
            for place in range(count):
                named = f'rdfs:label "{kind} {number}{place}"'
                facts.append(f":{kind}{number}x{place} a :{kind} ; {named} ; :architect :a{number} .")
    (folder / "facts.ttl").write_text("\n".join(facts))
    build_index([folder / "facts.ttl"], folder / "kb")
    return ArcaneQA.load(folder / "kb")


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("Which architect has the most bridges?", {"Ben Wood"}),
        ("Which architect has the most mills?", {"Ada Stone"}),
        ("Which architects have more than 2 bridges?", {"Ben Wood"}),
    ],
)
def test_the_kind_that_is_named_is_counted(qa: ArcaneQA, question: str, expected: set[str]) -> None:
    answer = qa.ask(question, threshold=0.0)
    assert {item.label for item in answer.items} == expected, answer.program


def test_what_nobody_has_so_many_of_is_no_answer(qa: ArcaneQA) -> None:
    """Ada has built six things, but nobody five bridges."""
    answer = qa.ask("Which architects have more than 5 bridges?", threshold=0.0)
    assert all("COUNT :architect_inv)" not in one.program for one in answer.readings)
    assert [item.label for item in answer.items] != ["Ada Stone"], answer.program


def test_a_table_is_sorted_by_the_column_it_has_now(qa: ArcaneQA) -> None:
    """A row for each building, with how many its architect has built, the most first."""
    back = ex.Relation("http://built.example/architect", True)
    counted = ex.Counted((back,), None)
    rows = ex.Per(ex.Class("http://built.example/Architect"), (back,), (counted,))
    program = ex.Sort(rows, counted, descending=True)
    asked = "Which architect has the most bridges?"
    one = qa.search.run(asked, [qa.topics(asked, qa.linker.link(asked))]).found[0]
    whole = replace(one, program=program, result=execute(program, qa.kb))
    (narrowed,) = with_counted_kinds("bridges of each architect", [whole], qa.kb)
    bridges = ex.Counted((back,), ex.Class("http://built.example/Bridge"))
    assert narrowed.program == replace(program, argument=replace(rows, columns=(bridges,)), key=bridges)
