"""Texts in several languages."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from arcaneqa.answer.describe import facts_of
from arcaneqa.kb.build import build_index
from arcaneqa.kb.index import Index
from arcaneqa.kb.names.called import in_asked_language


@pytest.mark.parametrize(
    ("relation", "question", "expected"),
    [
        ("note", "what is the note of a?", ["a hill"]),
        ("note", "what is the French note of a?", ["une colline"]),
        ("spelt", "how is a spelt?", ["a harbor", "a harbour"]),
        ("note", "what is the Russian note of a?", ["a hill"]),
        ("plain", "what is the plain text of a?", ["one", "two"]),
        ("foreign", "what is the foreign note of a?", ["ein Berg", "une colline"]),
    ],
)
def test_the_asked_language_is_answered(
    tmp_path: Path, relation: str, question: str, expected: list[str]
) -> None:
    (tmp_path / "facts.ttl").write_text(
        '@prefix : <http://x.example/> .\n:a :note "a hill"@en, "une colline"@fr, "ein Berg"@de ;\n'
        ':spelt "a harbour"@en, "a harbour"@en-gb, "a harbor"@en-us, "un port"@fr ;\n'
        ':plain "one", "two" ; :foreign "une colline"@fr, "ein Berg"@de .',
        encoding="utf-8",
    )
    build_index([tmp_path / "facts.ttl"], tmp_path / "index")
    with Index(tmp_path / "index") as kb:
        everything = kb.nodes(np.arange(kb.counts["entities"]))
        texts = kb.objects(kb.schema.relation_ids[f"http://x.example/{relation}"], everything).ids
        found = in_asked_language(kb, question, texts)
        assert sorted(label or "" for label in kb.labels(found)) == expected


def test_what_has_no_name_is_told_in_the_preferred_language(tmp_path: Path) -> None:
    (tmp_path / "facts.ttl").write_text(
        '@prefix : <http://x.example/> .\n:a :part [ :description "archive"@fr, "zipped"@en, "Zip"@de ] .',
        encoding="utf-8",
    )
    build_index([tmp_path / "facts.ttl"], tmp_path / "index")
    with Index(tmp_path / "index") as kb:
        everything = kb.nodes(np.arange(kb.counts["entities"]))
        parts = kb.objects(kb.schema.relation_ids["http://x.example/part"], everything)
        assert facts_of(kb, int(parts.ids[0])) == "description: zipped"
