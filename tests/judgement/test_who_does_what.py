"""Relations that are verbs, either way round, and gaps that a program goes around."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from arcaneqa.induction.found import Found, Trace
from arcaneqa.induction.scorer import TopicWords
from arcaneqa.induction.topics import Topic
from arcaneqa.judgement.detours import detour
from arcaneqa.judgement.directions import is_turned
from arcaneqa.kb.build import build_index
from arcaneqa.kb.index import Index
from arcaneqa.kb.short_names import Names
from arcaneqa.program import expression as ex
from arcaneqa.program.execute import execute
from arcaneqa.program.text import parse

FACTS = """@prefix : <http://example.org/> . @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
:barelyKnows rdfs:label "barely knows" . :genres rdfs:label "genres" .
:anna a :Person ; rdfs:label "Anna" ; :spouse :bert ; :barelyKnows :cleo ; :genres :jazz ; :born 1901 .
:bert a :Person ; rdfs:label "Bert" ; :death 1950 ; :barelyKnows :anna ; :born 1900 .
:cleo a :Person ; rdfs:label "Cleo" ; :death 1960 ; :spouse :dan ; :employer :firm .
:dan a :Person ; :death 1970 . :firm a :Firm ; :founded 1920 .
"""


@pytest.fixture(scope="module")
def kb(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Index]:
    folder = tmp_path_factory.mktemp("kb")
    (folder / "g.ttl").write_text(FACTS)
    build_index([folder / "g.ttl"], folder / "index")
    with Index(folder / "index") as opened:
        yield opened


def found(question: str, program: str, kb: Index, name: str = "Anna") -> Found:
    parsed = parse(program, Names(kb.profile), kb.schema)
    start = question.index(name)
    topics = tuple(
        Topic(entity, TopicWords("", start, start + len(name), 0)) for entity in ex.mentioned(parsed)
    )
    return Found(parsed, -1.0, execute(parsed, kb), topics, Trace((), []))


KNOWN = "(JOIN :barelyKnows_inv :anna)"
KNOWING = "(JOIN :barelyKnows :anna)"


@pytest.mark.parametrize(
    ("question", "turned"),
    [
        ("Who barely knows Anna?", KNOWN),
        ("Which people barely knows Anna?", KNOWN),
        ("How many people does Anna barely know?", KNOWING),
        ("whom did Anna barely know", KNOWING),
        # Other words may mean either.
        ("Who is barely known to Anna?", None),
        ("What does Anna barely know of Cleo?", None),
        ("Who barely knows Anna and Cleo?", None),
    ],
)
def test_a_verb_says_who_does_it_to_whom(kb: Index, question: str, turned: str | None) -> None:
    for program in (KNOWN, KNOWING):
        assert is_turned(question, found(question, program, kb), kb) is (program == turned)
        assert is_turned(question, found(question, f"(COUNT {program})", kb), kb) is (program == turned)


def test_the_plural_of_a_noun_is_no_verb(kb: Index) -> None:
    question = "what genres Anna"
    assert not is_turned(question, found(question, "(JOIN :genres_inv :anna)", kb), kb)


@pytest.mark.parametrize(
    ("question", "program", "is_gap"),
    [
        ("When did Anna die?", "(JOIN :death_inv (JOIN :spouse_inv :anna))", True),
        ("When did the husband of Anna die?", "(JOIN :death_inv (JOIN :spouse_inv :anna))", False),
        ("When was Anna born?", "(JOIN :born_inv (JOIN :spouse_inv :anna))", False),  # she has it herself
        ("When did Anna die?", "(JOIN :born_inv :anna)", False),
    ],
)
def test_a_gap_is_not_gone_around(kb: Index, question: str, program: str, is_gap: bool) -> None:
    gap = detour(question, found(question, program, kb), kb)
    assert (gap is not None) is is_gap
    if gap is not None:
        assert gap[0].iri == "http://example.org/death"


def test_what_only_another_kind_has_is_no_gap(kb: Index) -> None:
    question = "When was Cleo founded?"
    program = "(JOIN :founded_inv (JOIN :employer_inv :cleo))"
    assert detour(question, found(question, program, kb, "Cleo"), kb) is None
