"""Constants and dates that training programs teach: offered where they occur, and only there."""

from __future__ import annotations

import random
from dataclasses import replace
from pathlib import Path

import pytest

from arcaneqa.induction.building import buildable
from arcaneqa.induction.found import is_same
from arcaneqa.induction.induction import Induction
from arcaneqa.induction.learned import FILE, Learned
from arcaneqa.induction.search import Search
from arcaneqa.induction.targets import Target, targets
from arcaneqa.induction.topics import Topics, terms_of, topics_from_gold
from arcaneqa.kb.short_names import Names
from arcaneqa.kb.terms import XSD, Iri, Literal, Term
from arcaneqa.language.expression import Denotation, denotes
from arcaneqa.language.run import execute
from arcaneqa.language.text import parse, print_program
from arcaneqa.support.errors import ModelError
from tests.induction.plain import EX, PROFILE, PlainKb
from tests.induction.randomness import VALUES, RandomScorer, random_kb, random_topics

NAMES = Names(PROFILE)
KB = PlainKb(
    [
        *((f"member{i}", "party", f"party{i}") for i in range(6)),
        *((f"member{i}", "chamber", f"chamber{i % 5}") for i in range(6)),
        *((f"member{i}", "sits", "parliament") for i in range(6)),
        *((f"member{i}", "elected", Literal(str(2000 + i), XSD + "gYear")) for i in range(6)),
    ]
)
IN_HOUSE = "(CONS (JOIN ex:sits ex:parliament) ex:chamber ex:chamber1)"
IN_SENATE = "(CONS (JOIN ex:sits ex:parliament) ex:chamber ex:chamber2)"
ELECTED = "(TC (JOIN ex:sits ex:parliament) ex:elected 2003^^xsd:gYear)"
TAUGHT = Learned.of([parse(text, NAMES) for text in (IN_HOUSE, IN_HOUSE, IN_SENATE, ELECTED, ELECTED)])


def test_two_programs_teach_and_one_does_not() -> None:
    assert TAUGHT.constants == {(EX + "chamber", Iri(EX + "chamber1"))}
    assert TAUGHT.times == {EX + "elected"}
    inverse = parse("(CONS (JOIN ex:sits ex:parliament) ex:chamber_inv ex:chamber1)", NAMES)
    assert not Learned.of([inverse, inverse]).constants


def test_a_taught_constant_needs_no_topic() -> None:
    program = parse(IN_HOUSE, NAMES)
    assert print_program(buildable(program, KB), NAMES).startswith("(AND")
    assert buildable(program, KB, TAUGHT) == program
    topics = topics_from_gold((), KB, "who sits in parliament's house?", program, TAUGHT)
    assert [topic.term for topic in topics.items] == terms_of(parse("(JOIN ex:sits ex:parliament)", NAMES))
    found = targets(Induction(KB, TAUGHT), "who?", program, topics)
    assert isinstance(found, Target)
    assert KB.terms(found.result.nodes.ids) == [Iri(EX + "member1")]
    offered = [candidate.text for step in found.steps for candidate in step.candidates]
    assert "chamber1" in offered
    assert "chamber2" not in offered


def test_a_taught_date_is_offered() -> None:
    program = parse(ELECTED, NAMES)
    topics = topics_from_gold((), KB, "who was elected in 2003?", program)
    assert not isinstance(targets(Induction(KB), "who?", program, topics), Target)
    found = targets(Induction(KB, TAUGHT), "who?", program, topics)
    assert isinstance(found, Target)
    assert KB.terms(found.result.nodes.ids) == [Iri(EX + "member3")]


def test_what_this_knowledge_base_does_not_have_teaches_nothing() -> None:
    elsewhere = Learned(
        frozenset({(EX + "chamber", Iri(EX + "nowhere")), (EX + "unknown", Iri(EX + "chamber1"))}),
        frozenset({EX + "unknown"}),
    )
    vocabulary = Induction(KB, elsewhere).vocabulary
    assert not any(len(nodes) for nodes in vocabulary.taught.values())
    assert not vocabulary.dated


@pytest.mark.parametrize("block", range(4))
def test_random_lessons_lead_to_no_dead_end_and_no_empty_program(block: int) -> None:
    for seed in range(block * 60, block * 60 + 60):
        kb, rng = random_kb(seed), random.Random(seed)
        relations = [relation.iri for relation in kb.schema.relations]
        terms: list[Term] = [*VALUES, *(Iri(f"{EX}n{number}") for number in range(14))]
        pairs = {(rng.choice(relations), rng.choice(terms)) for _ in range(20)}
        taught = Learned(
            frozenset((iri, term) for iri, term in pairs if isinstance(term, Iri | Literal)),
            frozenset(rng.sample(relations, 1)),
        )
        induction = Induction(kb, taught)
        for topics in random_topics(seed):
            machine = induction.machine()
            state = machine.start(topics)
            options = machine.options(state)
            while len(options):
                state = machine.advance(state, rng.choice(options.tokens))
                options = machine.options(state)
                assert len(options) or state.is_complete
        for found in Search(induction, RandomScorer(seed), beam=3).run("which?", random_topics(seed)).found:
            result = execute(found.program, kb)
            assert is_same(result, found.result, kb)
            assert denotes(found.program) is not Denotation.SET or len(result.nodes) > 0


def test_lessons_are_kept_in_a_model_folder(tmp_path: Path) -> None:
    assert Learned.of_model(tmp_path) == Learned()
    more = replace(TAUGHT, constants=TAUGHT.constants | {(EX + "r", Literal("x", XSD + "string", "en"))})
    (TAUGHT | more).save(tmp_path)
    assert Learned.of_model(tmp_path) == more


@pytest.mark.parametrize("text", ["", "[]", '{"constants": []}', '{"constants": [["a"]], "times": []}'])
def test_a_damaged_file_says_what_to_do(tmp_path: Path, text: str) -> None:
    (tmp_path / FILE).write_text(text)
    with pytest.raises(ModelError, match="train again or remove it"):
        Learned.of_model(tmp_path)


def test_nothing_taught_changes_nothing() -> None:
    assert Induction(KB).vocabulary.taught == {}
    assert Learned.of([]) == Learned()
    topics = Topics()
    machine, other = Induction(KB).machine(), Induction(KB, Learned()).machine()
    assert machine.options(machine.start(topics)) == other.options(other.start(topics))
