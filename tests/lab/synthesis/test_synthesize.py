from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

import pytest

from arcaneqa.induction.induction import Induction
from arcaneqa.induction.targets import Inadmissible, targets
from arcaneqa.induction.topics import topics_from_gold
from arcaneqa.kb.build import build_index
from arcaneqa.kb.index import Index
from arcaneqa.kb.interface import KnowledgeBase
from arcaneqa.kb.short_names import Names
from arcaneqa.lab.synthesis.synthesize import function_of, synthesize, with_programs
from arcaneqa.language.expression import (
    Compare,
    Cons,
    Entity,
    Expression,
    Extreme,
    Sort,
    Value,
    count_relations,
    post_order,
    relations,
)
from arcaneqa.language.rewrite import canonical
from arcaneqa.language.run import answer_terms, execute
from arcaneqa.language.text import parse, print_program
from arcaneqa.record import Question

pytest_plugins = ["tests.lab.synthesis.fixtures"]


def program_of(question: Question, kb: KnowledgeBase) -> Expression:
    assert question.program is not None
    return parse(question.program, Names(kb.profile), kb.schema)


def relations_in(program: Expression) -> set[str]:
    return {relation.iri for node in post_order(program) for relation in relations(node)}


@pytest.fixture(scope="module")
def pairs(atlas: Index) -> list[Question]:
    return list(synthesize(atlas, 600, seed=3))


@pytest.fixture(scope="module")
def demo_pairs(demo: Index) -> list[Question]:
    return list(synthesize(demo, 1500, seed=3))


def test_the_same_seed_gives_the_same_pairs(atlas: Index, pairs: list[Question]) -> None:
    assert list(synthesize(atlas, 200, seed=3)) == pairs[:200]
    assert list(synthesize(atlas, 200, seed=4)) != pairs[:200]


def test_programs_find_the_recorded_answers(
    atlas: Index, pairs: list[Question], demo: Index, demo_pairs: list[Question]
) -> None:
    for kb, questions in ((atlas, pairs), (demo, demo_pairs[:400])):
        for question in questions:
            result = execute(program_of(question, kb), kb)
            assert question.answers, question
            assert set(answer_terms(result, kb)) == set(question.answers), question


def test_programs_are_canonical_and_described(atlas: Index, pairs: list[Question]) -> None:
    names = Names(atlas.profile)
    for question in pairs:
        program = program_of(question, atlas)
        assert print_program(program, names) == question.program
        gold = topics_from_gold(question.entities, atlas, question.question, program)
        assert canonical(program, [topic.term for topic in gold.items]) == program
        assert (function_of(program), count_relations(program)) == (question.function, question.relations)


def test_induction_can_build_every_program(demo: Index, demo_pairs: list[Question]) -> None:
    induction = Induction(demo)
    for question in demo_pairs[:300]:
        program = program_of(question, demo)
        topics = topics_from_gold(question.entities, demo, question.question, program)
        assert not isinstance(targets(induction, question.question, program, topics), Inadmissible), question


def test_spans_point_at_the_mentions(pairs: list[Question], demo_pairs: list[Question]) -> None:
    for question in [*pairs, *demo_pairs]:
        for entity in question.entities:
            assert entity.mention
            assert question.question[entity.start : entity.end] == entity.mention


def test_every_entity_and_value_of_a_program_is_mentioned(
    atlas: Index, pairs: list[Question], demo: Index, demo_pairs: list[Question]
) -> None:
    for kb, questions in ((atlas, pairs), (demo, demo_pairs)):
        names = Names(kb.profile)
        for question in questions:
            nodes = list(post_order(program_of(question, kb)))
            implied = {node.constant for node in nodes if isinstance(node, Cons)}
            named = {node for node in nodes if isinstance(node, Entity | Value)} - implied
            topics = {
                node.literal.lexical if isinstance(node, Value) else names.write(node.term) for node in named
            }
            assert topics <= {entity.id for entity in question.entities}, question


def test_every_function_is_asked_for(pairs: list[Question], demo_pairs: list[Question]) -> None:
    functions = {"none", "count", "argmax", "argmin", "<", ">", "<=", ">=", "cons", "tc"}
    assert {question.function for question in pairs} >= functions
    assert {question.function for question in demo_pairs} >= functions
    assert max(Counter(question.function for question in demo_pairs).values()) < 0.65 * len(demo_pairs)


def test_every_form_is_asked_for(demo: Index, demo_pairs: list[Question]) -> None:
    forms: Counter[str] = Counter()
    for question in demo_pairs:
        for node in post_order(program_of(question, demo)):
            forms[type(node).__name__] += 1
            if isinstance(node, Extreme | Compare | Sort):
                forms[f"{type(node).__name__} by {type(node.key).__name__}"] += 1
            if isinstance(node, Extreme):
                forms["ranks"] += node.last > 1
    wanted = {"Or", "Not", "Meet", "Sort", "Show", "Per", "Aggregate", "ranks"}
    wanted |= {"Extreme by Counted", "Extreme by Totalled", "Compare by Counted"}
    assert {form for form in wanted if forms[form] < 3} == set()


def test_chains_lead_through_several_relations(demo_pairs: list[Question]) -> None:
    lengths = Counter((question.program or "").count("JOIN") for question in demo_pairs)
    assert lengths[3] + lengths[4] > 0.03 * len(demo_pairs)


def test_rare_relations_and_classes_are_asked_about_too(demo: Index, demo_pairs: list[Question]) -> None:
    """A planet's temperature has eight facts, a city's time zone twenty thousand."""
    used: Counter[str] = Counter()
    for question in demo_pairs:
        used.update(relations_in(program_of(question, demo)))
    shown = [relation for relation in demo.schema.relations if not relation.hidden]
    assert all(used[relation.iri] for relation in shown), [r.iri for r in shown if not used[r.iri]]
    assert max(used.values()) < 12 * sorted(used.values())[len(used) // 2]
    text = " ".join(question.program or "" for question in demo_pairs)
    classes = [klass for klass in demo.schema.classes if klass.members and not klass.hidden]
    missing = [klass.iri for klass in classes if f"demo:{klass.iri.rpartition('/')[2]} " not in f"{text} "]
    assert len(missing) < 5, missing


def test_nodes_without_names_are_passed_through(pairs: list[Question]) -> None:
    """Posts are neither named by a question nor given as its answer."""
    for question in pairs:
        assert not any(entity.id.startswith(":p") and entity.id[2:].isdigit() for entity in question.entities)
        if question.function != "count":
            assert not any(answer in {":p1", ":p2", ":p3", ":p4"} for answer in question.answers or ()), (
                question
            )
    mediated = [question for question in pairs if ":office" in (question.program or "")]
    assert mediated
    assert any(":held" in (question.program or "") for question in mediated)


def test_no_question_twice_and_none_trivial(pairs: list[Question]) -> None:
    texts = [question.question.lower().rstrip("?.") for question in pairs]
    assert len(set(texts)) == len(texts)
    for question in pairs:
        if question.function != "count":
            assert not set(question.answers or ()) <= {entity.id for entity in question.entities}, question


def test_aliases_are_used(pairs: list[Question]) -> None:
    assert any(entity.mention and entity.mention.lower() == "aviana" for q in pairs for entity in q.entities)


def test_a_tiny_knowledge_base_gives_what_it_has(tmp_path: Path) -> None:
    source = tmp_path / "tiny.ttl"
    label = "<http://www.w3.org/2000/01/rdf-schema#label>"
    source.write_text(
        f'<http://a/s> <http://a/p> <http://a/o> ; {label} "Sea" . <http://a/o> {label} "Oak" .'
    )
    build_index([source], tmp_path / "kb")
    with Index(tmp_path / "kb") as kb:
        assert 1 < len(list(synthesize(kb, 1000))) < 100


def test_of_a_relation_that_several_kinds_have_only_the_kind_that_is_said_is_counted(tmp_path: Path) -> None:
    """Architects have bridges and mills: "the most bridges" must not count the mills."""
    facts = ["@prefix : <http://a/> . @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> ."]
    for kind, number in (("Bridge", 9), ("Mill", 7)):
        for place in range(number):
            name = f"rdfs:label '{kind} No {place}'"
            facts.append(f":{kind}{place} a :{kind} ; {name} ; :architect :A{place % 5 % 3} .")
    facts += [f":A{place} a :Architect ; rdfs:label 'Architect {place}' ." for place in range(3)]
    (tmp_path / "facts.ttl").write_text("\n".join(facts))
    build_index([tmp_path / "facts.ttl"], tmp_path / "kb")
    with Index(tmp_path / "kb") as kb:
        pairs = [(pair.question.lower(), pair.program or "") for pair in synthesize(kb, 80, seed=1)]
    counts = [(text, program) for text, program in pairs if "(COUNT :architect_inv" in program]
    assert counts
    for text, program in counts:
        (kind,) = {kind for kind in ("Bridge", "Mill") if kind.lower() in text}
        assert f"(COUNT :architect_inv :{kind})" in program, (text, program)


def test_forms_are_asked_of_what_forms_describe(demo_pairs: list[Question]) -> None:
    nested = [
        q for q in demo_pairs if re.search(r"_inv \((NOT|AND \S+ \((GE|GT|LT|EQ) \(COUNT)", q.program or "")
    ]
    assert nested


def test_the_program_beside_a_record_is_the_one_in_it(atlas: Index) -> None:
    names = Names(atlas.profile)
    for question, program in with_programs(atlas, 200, seed=5):
        assert question.program is not None
        assert parse(question.program, names, atlas.schema) == program
