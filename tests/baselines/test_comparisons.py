"""The comparisons offer what their papers say: templates, constraints by types, whole vocabularies."""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from dataclasses import replace

import numpy as np
import pytest

from arcaneqa.induction import scorer
from arcaneqa.induction.induction import Induction
from arcaneqa.induction.results import Partial
from arcaneqa.induction.scorer import Decision, Scores
from arcaneqa.induction.targets import Target, targets
from arcaneqa.induction.topics import Topic, Topics
from arcaneqa.kb import schema
from arcaneqa.kb.short_names import Names
from arcaneqa.kb.terms import XSD, Iri, Literal
from arcaneqa.language.expression import Class, Entity, Relation, Value
from arcaneqa.language.run import execute
from arcaneqa.language.steps import Function, Symbol, Variable
from arcaneqa.language.text import parse, print_program
from baselines.decoding import DecodingSearch, Fate, assembled, tried
from baselines.enumerated import Enumerator
from baselines.preparing import gold_states
from baselines.ranking import RankingSearch
from baselines.staged import StagedSearch, grown
from baselines.typed import Typed
from baselines.vocabulary import WholeVocabulary
from tests.induction.plain import EX, PROFILE, PlainKb

KB = PlainKb(
    [
        ("ridley", "films", "alien"),
        ("ridley", "films", "gladiator"),
        ("alien", "cast", "sigourney"),
        ("gladiator", "cast", "russell"),
        ("alien", "studio", "fox"),
        ("gladiator", "studio", "fox"),
        ("alien", "length", Literal("117", XSD + "integer")),
        ("gladiator", "length", Literal("155", XSD + "integer")),
        ("fox", "city", "la"),
        ("ridley", "type", "Person"),
        ("sigourney", "type", "Person"),
        ("russell", "type", "Person"),
        ("alien", "type", "Film"),
        ("gladiator", "type", "Film"),
        ("fox", "type", "Studio"),
        ("la", "type", "Place"),
    ]
)
LEADS = {"films": ("Person", "Film"), "cast": ("Film", "Person"), "studio": ("Film", "Studio")}
LEADS |= {"length": ("Film", ""), "city": ("Studio", "Place")}


def _known(relation: schema.Relation) -> schema.Relation:
    classes = [KB.schema.class_ids.get(EX + name) for name in LEADS[relation.iri.removeprefix(EX)]]
    return replace(relation, domain=classes[0], range=classes[1], domain_declared=True, range_declared=True)


KB.schema = replace(KB.schema, relations=[_known(relation) for relation in KB.schema.relations])
NAMES = Names(PROFILE)
PLAIN = Induction(KB, has_forms=False)


def topics(*names: str | Literal) -> Topics:
    terms = [Value(name) if isinstance(name, Literal) else Entity(Iri(EX + name)) for name in names]
    return Topics(
        tuple(Topic(term, scorer.TopicWords(str(place), 0, 0, place)) for place, term in enumerate(terms)),
        meant=len(terms),
    )


def target(text: str, *names: str | Literal) -> Target:
    found = targets(PLAIN, "", parse(text, NAMES, KB.schema), topics(*names))
    assert isinstance(found, Target)
    return found


def enumerated(*names: str | Literal) -> set[str]:
    programs = Enumerator(PLAIN).programs("", topics(*names))
    return {print_program(state.top.expression, NAMES) for state in programs.values() if state.top}


class Oracle:
    """Likes what a program says, and nothing else; for `whole` programs the one with its words."""

    def __init__(self, *texts: str) -> None:
        self._texts = texts
        self.offered: list[int] = []

    def score(self, decisions: Sequence[Decision]) -> list[Scores]:
        return [Scores(self._log_probs(one), (*self._before(one), one.choice)) for one in decisions]

    def _before(self, decision: Decision) -> tuple[object, ...]:
        return decision.state if isinstance(decision.state, tuple) else ()

    def _log_probs(self, decision: Decision) -> np.ndarray[tuple[int], np.dtype[np.float32]]:
        self.offered.append(len(decision.candidates))
        wanted = self._texts[min(len(self._before(decision)), len(self._texts) - 1)]
        liked = [one.text == wanted for one in decision.candidates]
        return np.where(liked, np.float32(0), np.float32(-9)).astype(np.float32)


@pytest.mark.parametrize(
    "program",
    [
        "(JOIN ex:films_inv ex:ridley)",
        "(JOIN ex:cast_inv (JOIN ex:films_inv ex:ridley))",
        "(AND ex:Film (JOIN ex:films_inv ex:ridley))",
        "(COUNT (JOIN ex:films_inv ex:ridley))",
        "(COUNT (AND ex:Film (JOIN ex:films_inv ex:ridley)))",
        "(ARGMAX (JOIN ex:films_inv ex:ridley) ex:length)",
        "(ARGMIN (AND ex:Film (JOIN ex:films_inv ex:ridley)) ex:length)",
    ],
)
def test_templates_of_one_entity_are_enumerated(program: str) -> None:
    assert program in enumerated("ridley")


def test_comparisons_conjunctions_and_extremes_of_classes_are_enumerated() -> None:
    assert any(one.startswith("(GT ex:length 120") for one in enumerated(Literal("120", XSD + "integer")))
    both = enumerated("ridley", "sigourney")
    gold = target("(AND (JOIN ex:films_inv ex:ridley) (JOIN ex:cast ex:sigourney))", "ridley", "sigourney")
    machine = PLAIN.machine()
    programs = Enumerator(PLAIN).programs("", gold.topics, machine)
    top = gold_states(machine, gold)[-1].top
    assert top is not None
    assert top.meaning in programs
    assert any(one.startswith("(AND ") and "ex:sigourney" in one and "ex:ridley" in one for one in both)
    found = Enumerator(PLAIN).programs("longest film", topics())
    assert any(
        print_program(s.top.expression, NAMES) == "(ARGMAX ex:Film ex:length)"
        for s in found.values()
        if s.top
    )


def test_nothing_enumerated_is_empty_and_nothing_has_three_hops() -> None:
    for state in Enumerator(PLAIN).programs("", topics("ridley", "fox")).values():
        assert state.top is not None
        result = execute(state.top.expression, KB)
        assert result.nodes or result.value is not None
        assert print_program(state.top.expression, NAMES).count("JOIN") <= 4, "two paths of two"
    assert all(one.count("JOIN") <= 2 for one in enumerated("ridley"))


def test_the_program_that_is_liked_best_is_ranked_first() -> None:
    states = Enumerator(PLAIN).programs("", topics("ridley"))
    wanted = next(s for s in states.values() if s.top and "cast" in s.top.words and "COUNT" not in str(s.top))
    assert wanted.top is not None
    search = RankingSearch(Enumerator(PLAIN), Oracle(wanted.top.words))
    best, *others = search.run("who played for ridley", [topics("ridley")]).found
    assert best.program == wanted.top.expression
    assert len(others) == 4


def test_types_are_checked_and_facts_are_not() -> None:
    typed = Typed(PLAIN)
    start = (Symbol.OPEN, Function.JOIN, Variable(0))
    relations = set(typed.options("", topics("sigourney"), start).tokens)
    assert Relation(EX + "films", True) in relations, "of a Person, though this one has none"
    assert Relation(EX + "cast") in relations
    assert Relation(EX + "city", True) not in relations, "of a Studio"
    joined = (*start, Relation(EX + "films", True), Symbol.CLOSE)
    assert set(typed.options("", topics("sigourney"), joined).tokens) == {Symbol.OPEN, Symbol.END}
    anded = (*joined, Symbol.OPEN, Function.AND, Variable(1))
    assert set(typed.options("", topics("sigourney"), anded).tokens) == {Class(EX + "Film")}
    keyed = (*joined, Symbol.OPEN, Function.ARGMAX, Variable(1))
    assert set(typed.options("", topics("sigourney"), keyed).tokens) == {Relation(EX + "length")}
    counted = (*joined, Symbol.OPEN, Function.COUNT, Variable(1), Symbol.CLOSE)
    assert set(typed.options("", topics("sigourney"), counted).tokens) == {Symbol.END}


def test_a_range_that_nobody_declared_forbids_nothing() -> None:
    undeclared = [replace(relation, range_declared=False) for relation in KB.schema.relations]
    kb = copy(KB)
    kb.schema = replace(KB.schema, relations=undeclared)
    typed = Typed(Induction(kb, has_forms=False))
    relations = set(typed.options("", topics("fox"), (Symbol.OPEN, Function.JOIN, Variable(0))).tokens)
    assert Relation(EX + "cast") in relations, "of a Person by most facts only"
    assert Relation(EX + "films", True) not in relations, "from a Person by what is declared"


def test_schema_alone_lets_an_empty_program_pass_and_the_end_finds_out() -> None:
    words = ("(", "follow", "0", "films", ")", "end")
    search = DecodingSearch(KB, Typed(PLAIN), Oracle(*words), beam=1)
    assert search.run("", [topics("sigourney")]).found == ()
    assert search.fate is Fate.EMPTY
    again = DecodingSearch(KB, Typed(PLAIN), Oracle(*words), beam=1)
    (found,) = again.run("", [topics("ridley")]).found
    assert print_program(found.program, NAMES) == "(JOIN ex:films_inv ex:ridley)"
    assert again.fate is Fate.FINE


def test_the_whole_vocabulary_is_offered_at_every_step() -> None:
    whole = WholeVocabulary(PLAIN)
    first = set(whole.options("", topics("ridley"), ()).tokens)
    later = set(whole.options("", topics("ridley"), (Symbol.OPEN, Symbol.OPEN, Symbol.CLOSE)).tokens)
    assert later - first == {Variable(1)}, "only what was closed joins it"
    assert {Symbol.CLOSE, Function.COUNT, Variable(0), Class(EX + "Film")} <= first
    assert Relation(EX + "cast") in first, "two hops"
    assert Relation(EX + "city") not in first, "three hops"
    assert Relation(EX + "city") in set(whole.options("", topics(), ()).tokens), "no entity: the whole schema"


def test_what_is_decoded_freely_may_be_no_program() -> None:
    search = DecodingSearch(KB, WholeVocabulary(PLAIN), Oracle("COUNT", "COUNT", "@end@"), beam=1)
    assert search.run("", [topics("ridley")]).found == ()
    assert search.fate is Fate.ILL_FORMED


def test_tokens_spell_the_program_they_came_from() -> None:
    gold = target("(COUNT (AND ex:Film (JOIN ex:films_inv ex:ridley)))", "ridley")
    program = assembled(gold.tokens[:-1], gold.topics)
    assert program is not None
    assert print_program(program, NAMES) == "(COUNT (AND ex:Film (JOIN ex:films_inv ex:ridley)))"
    assert tried(program, KB)[0] is Fate.FINE
    assert assembled((Symbol.OPEN, Function.JOIN, Symbol.CLOSE), gold.topics) is None
    assert assembled((Symbol.OPEN, Symbol.CLOSE), gold.topics) is None


def test_a_stage_grows_a_graph_by_one_action() -> None:
    machine = PLAIN.machine()
    first = grown(machine, machine.start(topics("ridley")), KB.schema)
    assert {print_program(s.top.expression, NAMES) for s in first if s.top} == {
        "(JOIN ex:films_inv ex:ridley)"
    }
    (films,) = first
    actions = {
        print_program(s.top.expression, NAMES).split()[0] for s in grown(machine, films, KB.schema) if s.top
    }
    assert actions == {"(JOIN", "(AND", "(COUNT", "(ARGMAX", "(ARGMIN"}


def test_stages_go_on_until_nothing_better_comes() -> None:
    machine = PLAIN.machine()
    (films,) = grown(machine, machine.start(topics("ridley")), KB.schema)
    cast = next(s for s in grown(machine, films, KB.schema) if s.top and "cast" in s.top.words)

    def words(state: Partial) -> str:
        return machine.context(state)

    oracle = Staged([words(films), words(cast)])
    best = StagedSearch(PLAIN, oracle).run("", [topics("ridley")]).found[0]
    assert cast.top is not None
    assert best.program == cast.top.expression
    assert oracle.stages == 3, "the third finds nothing better"


class Staged:
    """Likes the last of some texts that is there."""

    def __init__(self, texts: Sequence[str]) -> None:
        self._texts = list(texts)
        self.stages = 0

    def score(self, decisions: Sequence[Decision]) -> list[Scores]:
        self.stages += 1
        (decision,) = decisions
        rank = {text: place for place, text in enumerate(self._texts)}
        worth = [rank.get(one.text, -1) - 0.01 * place for place, one in enumerate(decision.candidates)]
        return [Scores(np.array(worth, np.float32), None)]
