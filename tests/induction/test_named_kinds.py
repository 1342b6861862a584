"""Where several kinds of things share a relation, the kind that the question names is meant."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from arcaneqa import ArcaneQA
from arcaneqa.induction.named_kinds import with_named_kinds
from arcaneqa.kb.build import build_index
from arcaneqa.kb.open import open_kb
from arcaneqa.kb.terms import Iri
from arcaneqa.language import expression as ex
from arcaneqa.language.run import execute

AT = "http://school.example/"
ROOM = ex.Join(ex.Relation(AT + "room"), ex.Entity(Iri(AT + "r1")))
TEACHERS = ex.And(ex.Class(AT + "Teacher"), ROOM)

ROOMS, HELD = ex.Class(AT + "Room"), ex.Relation(AT + "room", inverse=True)
USED = ex.Has(HELD)


@pytest.fixture(scope="module")
def qa(tmp_path_factory: pytest.TempPathFactory) -> ArcaneQA:
    folder = tmp_path_factory.mktemp("school")
    facts = [f"@prefix : <{AT}> . @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> ."]
    for kind, count in (("Teacher", 4), ("Pupil", 9)):
        for number in range(count):
            name = f'rdfs:label "{kind} {number}" ; :surname "{kind[0]}{number}"'
            facts.append(f":{kind}{number} a :{kind} ; {name} ; :room :r{number % 2} .")
    facts.append(':Pupil9 a :Pupil ; rdfs:label "Pupil 9" ; :surname "P9" ; :room :r2 .')
    facts += [f':r{number} a :Room ; rdfs:label "Hall {number}" .' for number in range(4)]
    (folder / "facts.ttl").write_text("\n".join(facts))
    build_index([folder / "facts.ttl"], folder / "kb")
    return ArcaneQA.load(folder / "kb")


@pytest.mark.parametrize(
    ("question", "program", "expected"),
    [
        ("teachers in hall 1", ROOM, TEACHERS),
        ("how many teachers are in hall 1?", ex.Count(ROOM), ex.Count(TEACHERS)),
        (
            "the surnames of the teachers in hall 1",
            ex.Join(ex.Relation(AT + "surname", True), ROOM),
            ex.Join(ex.Relation(AT + "surname", True), TEACHERS),
        ),
        (
            "which rooms have no teachers?",
            ex.Not(ROOMS, USED),
            ex.Not(ROOMS, ex.Join(HELD, ex.Class(AT + "Teacher"))),
        ),
        ("which rooms are used by nobody?", ex.Not(ROOMS, USED), ex.Not(ROOMS, USED)),
        # Both kinds are named, none is, or a class says it already.
        ("teachers and pupils in hall 1", ROOM, ROOM),
        ("who is in hall 1?", ROOM, ROOM),
        ("teachers in hall 1", ex.Count(TEACHERS), ex.Count(TEACHERS)),
        ("which rooms have teachers?", ex.Class(AT + "Room"), ex.Class(AT + "Room")),
    ],
)
def test_only_the_kind_that_is_named_is_taken(
    qa: ArcaneQA, question: str, program: ex.Expression, expected: ex.Expression
) -> None:
    some = qa.search.run(question, [qa.topics(question, qa.linker.link(question))]).found[0]
    given = replace(some, program=program, result=execute(program, qa.kb))
    (one,) = with_named_kinds(question, [given], qa.kb)
    assert one.program == expected
    wanted = execute(expected, qa.kb)
    assert (one.result.nodes.ids.tolist(), one.result.value) == (wanted.nodes.ids.tolist(), wanted.value)


@pytest.mark.parametrize("more", [":Teacher9 a :Teacher, :Pupil .", ":Somebody :room :r1 ."])
def test_kinds_that_overlap_or_are_not_told_exclude_nobody(tmp_path: Path, qa: ArcaneQA, more: str) -> None:
    facts = [f"@prefix : <{AT}> .", *(f":{kind}1 a :{kind} ; :room :r1 ." for kind in ("Teacher", "Pupil"))]
    (tmp_path / "facts.ttl").write_text("\n".join([*facts, ":r1 a :Room .", more]))
    build_index([tmp_path / "facts.ttl"], tmp_path / "kb")
    question = "teachers in hall 1"
    with open_kb(tmp_path / "kb") as kb:
        some = qa.search.run(question, [qa.topics(question, qa.linker.link(question))]).found[0]
        given = replace(some, program=ROOM, result=execute(ROOM, kb))
        assert with_named_kinds(question, [given], kb) == (given,)
