"""Other words for what a knowledge base holds, from its own second labels, from a file, and mended."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from arcaneqa.kb.build import build_index
from arcaneqa.kb.index import Index
from arcaneqa.kb.names.glossary import Glossary, Wording
from arcaneqa.support.errors import InputError

FACTS = """
@prefix : <http://example.org/> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix skos: <http://www.w3.org/2004/02/skos/core#> .
:revenue rdfs:label "revenue" ; skos:altLabel "turnover", "capital", "earn" .
:capital rdfs:label "capital" .
:Firm rdfs:label "firm" ; skos:altLabel "corporation" .
:a :population 3 .
:a a :Firm ; rdfs:label "Arbor" ; :revenue 12 ; :capital 5 .
:b a :Firm ; rdfs:label "Captial Works" ; :revenue 7 ; :capital 9 .
"""


@pytest.fixture(scope="module")
def kb(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Index]:
    folder = tmp_path_factory.mktemp("kb")
    (folder / "kb.ttl").write_text(FACTS)
    build_index([folder / "kb.ttl"], folder / "index")
    with Index(folder / "index") as opened:
        yield opened


def test_second_labels_of_the_schema_are_heard(kb: Index) -> None:
    said = Wording(kb).said
    assert said("Which corporations have the highest turnover?") == "Which firm have the highest revenue?"
    assert said("How much does Arbor earn?") == "How much does Arbor earn?"
    assert said("What is the capital of Arbor?") == "What is the capital of Arbor?"  # a label of its own


def test_slips_are_mended_where_nothing_is_called_so(kb: Index) -> None:
    said = Wording(kb).said
    assert said("what is the reveneu of Arbor") == "what is the revenue of Arbor"
    assert said("populaton") == "population"
    assert said("who populates it") == "who populates it"
    assert said("the revenues and the captial") == "the revenues and the captial"  # a word of a name


@pytest.mark.parametrize("name", ["revenue", ":revenue", "http://example.org/revenue", "Revenue"])
def test_a_file_names_what_is_meant_by_label_or_iri(kb: Index, name: str) -> None:
    found = Glossary.of_text(f'[words]\n"{name}" = ["money in", "intake"]', "words.toml")
    assert Wording(kb, found).said("How much Money In has Arbor?") == "How much revenue has Arbor?"
    found = Glossary.of_text('[words]\n"Arbor" = "the tree people"', "words.toml")
    assert Wording(kb, found).said("revenue of the tree people") == "revenue of Arbor"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("[words", "is not TOML"),
        ("words = 3", "is a table such as"),
        ("[words]\nrevenue = [3]", "needs a list of other words"),
        ('[words]\nrevenue = ["?"]', "needs a list of other words"),
        ('[synonyms]\na = "b"', "not “synonyms”"),
        ('[[examples]]\nquestion = "x"', "a question and a program"),
        ('[words]\nrevenu = ["takings"]', "is not here; near: revenue"),
    ],
)
def test_a_broken_file_is_a_sentence(kb: Index, text: str, expected: str) -> None:
    with pytest.raises(InputError, match=expected):
        Wording(kb, Glossary.of_text(text, "words.toml"))


def test_a_build_keeps_what_it_is_given(tmp_path: Path) -> None:
    (tmp_path / "kb.ttl").write_text(FACTS)
    (tmp_path / "words.toml").write_text(
        '[words]\nrevenue = ["intake"]\n'
        '[[examples]]\nquestion = "Who is big?"\nprogram = "(ARGMAX :Firm :revenue)"\n'
    )
    build_index([tmp_path / "kb.ttl"], tmp_path / "index", glossary=tmp_path / "words.toml")
    with Index(tmp_path / "index") as kb:
        wording = Wording(kb, kb.glossary())
        assert wording.said("intake of Arbor") == "revenue of Arbor"
        assert wording.program("who is big") == "(ARGMAX :Firm :revenue)"
    (tmp_path / "words.toml").write_text('[words]\nrevenu = ["intake"]\n')
    with pytest.raises(InputError, match="near: revenue"):
        build_index([tmp_path / "kb.ttl"], tmp_path / "index", glossary=tmp_path / "words.toml")
    with Index(tmp_path / "index") as kb:
        assert kb.glossary() is not None  # the old index stays
