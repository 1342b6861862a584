"""Programs in English."""

from __future__ import annotations

import gc
import weakref
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given

from arcaneqa.kb.build import build_index
from arcaneqa.kb.interface import KnowledgeBase
from arcaneqa.kb.open import open_kb
from arcaneqa.kb.short_names import Names
from arcaneqa.kb.terms import Literal
from arcaneqa.language.equivalence import canonical
from arcaneqa.language.expression import Class, Expression, Has, Like, Relation, Value, post_order
from arcaneqa.language.phrase import paraphrase
from arcaneqa.language.text import parse
from benchmarks.phrases import by_phrase, drawn, unfaithful
from tests.induction.plain import PlainKb
from tests.language.worlds import EX, PROFILE, indexed, programs, whole_graph

RDFS = "http://www.w3.org/2000/01/rdf-schema#"
RDF_TYPE = "http://www.w3.org/1999/02/22-rdf-syntax-ns#type"
NUMBER = "^^<http://www.w3.org/2001/XMLSchema#integer>"
YEAR = "^^<http://www.w3.org/2001/XMLSchema#gYear>"

GRAPH = "\n".join(
    f"{subject} {predicate} {value} ."
    for subject, predicate, value in [
        (f"<{EX}paris>", f"<{RDF_TYPE}>", f"<{EX}City>"),
        (f"<{EX}paris>", f"<{RDFS}label>", '"Paris"@en'),
        (f"<{EX}france>", f"<{RDFS}label>", '"France"@en'),
        (f"<{EX}paris>", f"<{EX}locatedIn>", f"<{EX}france>"),
        (f"<{EX}paris>", f"<{EX}population>", f'"2100000"{NUMBER}'),
        (f"<{EX}paris>", f"<{EX}founded>", f'"0250"{YEAR}'),
        (f"<{EX}paris>", f"<{EX}mayor>", f"<{EX}anne_hidalgo>"),
        (f"<{EX}paris>", f"<{EX}office>", f"<{EX}term>"),
        (f"<{EX}term>", f"<{EX}from>", f'"2014"{YEAR}'),
        (f"<{EX}paris>", f"<{EX}playsIn>", f"<{EX}league>"),
        (f"<{EX}paris>", f"<{EX}hasPart>", f"<{EX}order/17>"),
        (f"<{EX}paris>", f"<{EX}motto>", '"Does not sink"'),
    ]
)


@pytest.fixture(scope="module")
def kb() -> Iterator[KnowledgeBase]:
    with indexed(GRAPH) as opened:
        yield opened


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "(ARGMAX (AND ex:City (JOIN ex:locatedIn ex:france)) ex:population)",
            "cities located in France with the largest population",
        ),
        ("(JOIN ex:mayor_inv ex:paris)", "the mayor of Paris"),
        ("(JOIN ex:locatedIn_inv ex:paris)", "what Paris is located in"),
        ("(COUNT (JOIN ex:mayor_inv ex:paris))", "the number of mayors of Paris"),
        ("(COUNT (JOIN ex:mayor ex:anne_hidalgo))", "the number of things whose mayor is anne hidalgo"),
        (
            "(AND ex:City (AND (GT ex:population 5^^xsd:integer) (JOIN ex:mayor ex:anne_hidalgo)))",
            "cities whose population is more than 5 and whose mayor is anne hidalgo",
        ),
        ("(LT ex:founded 1000^^xsd:gYear)", "things founded before 1000"),
        ("(ARGMIN ex:City ex:founded)", "cities with the earliest founded"),
        ("(TC (JOIN ex:office_inv ex:paris) ex:from NOW)", "offices of Paris valid now by from"),
        ("(CONS ex:City ex:mayor ex:anne_hidalgo)", "cities whose mayor is anne hidalgo"),
        ("(AND ex:City (JOIN ex:office_inv ex:paris))", "cities that are offices of Paris"),
        (
            "(JOIN ex:population_inv (JOIN ex:mayor ex:anne_hidalgo))",
            "populations of things whose mayor is anne hidalgo",
        ),
        ("(JOIN ex:playsIn_inv ex:paris)", "what Paris plays in"),
        ("(JOIN ex:playsIn ex:league)", "things that play in league"),
        ("(JOIN ex:hasPart <http://example.org/order/17>)", "things whose part is order 17"),
        (
            "(AND (ARGMAX ex:City ex:population) (JOIN ex:locatedIn ex:france))",
            "cities with the largest population, only those located in France",
        ),
        ("(ARGMAX ex:City (COUNT ex:mayor))", "cities with the most mayors"),
        ("(ARGMAX ex:City (COUNT ex:locatedIn_inv ex:City))", "cities with the most cities located in them"),
        ("(ARGMAX ex:City ex:population 3)", "cities with the 3 largest populations"),
        (
            "(ARGMAX ex:City (JOIN ex:mayor ex:founded) 2 2)",
            "cities with the 2nd latest founded of their mayor",
        ),
        ("(AND ex:City (GE (COUNT ex:mayor) 3))", "cities with at least 3 mayors"),
        ("(OR ex:paris ex:france)", "either Paris or France"),
        (
            "(AND ex:City (OR (JOIN ex:locatedIn ex:france) (JOIN ex:mayor ex:anne_hidalgo)))",
            "cities either located in France or whose mayor is anne hidalgo",
        ),
        ("(NOT ex:City (JOIN ex:locatedIn ex:france))", "cities except those located in France"),
        ("(NOT ex:City (HAS ex:mayor))", "cities without a mayor"),
        ("(AND ex:City (HAS ex:mayor))", "cities with a mayor"),
        (
            "(AVG (AND ex:City (JOIN ex:locatedIn ex:france)) ex:population)",
            "the average of populations of cities located in France",
        ),
        ("(MAX ex:City ex:founded)", "the latest of founded of cities"),
        ("(COUNT ex:City ex:mayor)", "the number of different mayors of cities"),
        (
            "(AND ex:City (GT ex:population (JOIN ex:population_inv ex:paris)))",
            "cities whose population is more than the population of Paris",
        ),
        ("(MEET ex:paris ex:City)", "whether Paris is a city"),
        ('(AND ex:City (LIKE ex:motto "sink"))', 'cities whose motto contains "sink"'),
        ("(SORT ex:City ex:population DESC)", "cities, sorted by population, largest first"),
        ("(SHOW ex:City ex:mayor ex:population)", "cities: mayor and population"),
        ("(PER ex:City ex:locatedIn COUNT)", "number of cities for each what they are located in"),
        ('(AND ex:City (NAMED "Paris"))', 'cities called "Paris"'),
    ],
)
def test_phrases(kb: KnowledgeBase, text: str, expected: str) -> None:
    assert paraphrase(parse(text, Names(PROFILE), kb.schema), kb) == expected


def test_entities_of_one_name_are_told_apart(demo: KnowledgeBase) -> None:
    names = Names(demo.profile)
    phrases = [
        paraphrase(parse(f"(JOIN demo:country_inv {place})", names, demo.schema), demo)
        for place in ("demo:Springfield_OH", "demo:Aberdeen_Hong_Kong", "demo:Aberdeen")
    ]
    assert len(set(phrases)) == 3
    assert phrases[1] == "the country of Aberdeen (Hong Kong)"


@pytest.fixture(scope="module")
def demo() -> Iterator[KnowledgeBase]:
    with open_kb(None) as opened:
        yield opened


def test_no_two_meanings_share_a_phrase(demo: KnowledgeBase) -> None:
    """Of all pairs among thousands of programs of few names, which is far more than ten thousand pairs."""
    programs = [program for seed in range(4) for program in drawn(demo, seed, 1500)]
    phrases = [paraphrase(program, demo) for program in programs]
    meanings = by_phrase(phrases, [canonical(program) for program in programs])
    assert not {phrase: found for phrase, found in meanings.items() if len(found) > 1}


def test_classes_in_a_phrase_are_those_of_its_program(demo: KnowledgeBase) -> None:
    programs = drawn(demo, 5, 1500)
    assert any(isinstance(node, Class) for program in programs for node in post_order(program))
    assert unfaithful(programs, demo) == []


@pytest.fixture(scope="module")
def whole() -> Iterator[KnowledgeBase]:
    with indexed(whole_graph()) as opened:
        yield opened


@given(program=programs)
def test_every_program_has_a_phrase(program: Expression, whole: KnowledgeBase) -> None:
    phrase = paraphrase(program, whole)
    assert phrase.strip() == phrase != ""
    assert "http" not in phrase
    assert "  " not in phrase


def test_a_hidden_label_is_said_beside_relations_called_the_same(tmp_path: Path) -> None:
    """Columns called "label" or "name" do not keep a LIKE over the label itself from being said."""
    columns = [f"{table}/{name}" for table in "ab" for name in ("label", "name")]
    lines = [f'<{EX}{n}> <{EX}{column}> "word {n}" .' for n in (1, 2) for column in columns]
    lines += [f'<{EX}{n}> <{RDFS}label> "thing {n}" .' for n in (1, 2)]
    (tmp_path / "facts.nt").write_text("\n".join(lines) + "\n")
    build_index([tmp_path / "facts.nt"], tmp_path / "kb")
    with open_kb(str(tmp_path / "kb")) as kb:
        program = Like(Relation(f"{RDFS}label"), Value(Literal("thing")))
        assert "thing" in paraphrase(program, kb)


def test_who_is_something_of_something_is_told_by_the_name_of_the_relation(tmp_path: Path) -> None:
    """Two tables point to members: "members of something" could be either."""
    ns = "http://club.example/"
    (tmp_path / "facts.nt").write_text(
        "".join(
            f"<{ns}{subject}> <{ns}{relation}> <{ns}{thing}> .\n"
            for subject, relation, thing in [
                ("r1", "round.member", "ann"),
                ("r2", "round.host", "bob"),
                ("v1", "visit.guest", "ann"),
            ]
        )
    )
    build_index([tmp_path / "facts.nt"], tmp_path / "kb")
    with open_kb(str(tmp_path / "kb")) as kb:
        said = paraphrase(Has(Relation(ns + "round.member", True)), kb)
    assert said == "members (round) of something"


def test_what_is_kept_to_speak_of_a_knowledge_base_does_not_keep_it() -> None:
    """A service that changes to a new index lets go of the old one."""
    kb = PlainKb([("anna", "knows", "bert")])
    assert paraphrase(Has(Relation(kb.schema.relations[0].iri)), kb)
    gone = weakref.ref(kb)
    del kb
    gc.collect()
    assert gone() is None
