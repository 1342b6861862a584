"""Language tags and IRIs that are none by the standards: read as what comes closest, and told."""

from __future__ import annotations

from pathlib import Path
from unittest.mock import patch

import numpy as np
import pytest

from arcaneqa.kb.build import batches, build_index
from arcaneqa.kb.index import Index
from arcaneqa.kb.terms import RDF, Iri, Literal, Term
from arcaneqa.support.errors import InputError

EX = "http://example.org/"
AS_XML = f"""<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns:e="{EX}">
<rdf:Description rdf:about="{EX}a">
  <e:p xml:lang="i18n">key</e:p> <e:p xml:lang="sr@latin">pravo</e:p> <e:p xml:lang="es_PE">derecho</e:p>
  <e:p xml:lang="en_US.UTF-8">law</e:p> <e:p xml:lang="en-GB">right</e:p> <e:q rdf:resource="{EX}100%/a b"/>
</rdf:Description></rdf:RDF>"""
AS_JSON = f"""{{"@context": {{"@vocab": "{EX}"}}, "@id": "{EX}a", "q": {{"@id": "{EX}100%/a b"}}, "p": [
  {{"@value": "key", "@language": "i18n"}}, {{"@value": "pravo", "@language": "sr@latin"}},
  {{"@value": "derecho", "@language": "es_PE"}}, {{"@value": "law", "@language": "en_US.UTF-8"}},
  {{"@value": "right", "@language": "en-GB"}}]}}"""
AS_LINES = f"""<{EX}a> <{EX}p> "key"@i18n .
<{EX}a> <{EX}p> "pravo"@sr@latin . # by hand
<{EX}a> <{EX}p> "derecho"@es_PE .
<{EX}a> <{EX}p> "law"@en_US.UTF-8 .
<{EX}a> <{EX}p> "right"@en-GB .
<{EX}a> <{EX}q> <{EX}100%/a b> .
"""
LANG = RDF + "langString"
SOUND = {
    Literal("key", LANG, "x-i18n"),
    Literal("pravo", LANG, "sr-latin"),
    Literal("derecho", LANG, "es-pe"),
    Literal("law", LANG, "en"),
    Literal("right", LANG, "en-GB"),
    Iri(f"{EX}100%25/a%20b"),
}


def objects(index: Path) -> set[Term]:
    with Index(index) as kb:
        node = kb.node(Iri(f"{EX}a"))
        assert node is not None
        nodes = kb.nodes(np.array([node], np.int64))
        relations = kb.out_relations(nodes).tolist()
        return {term for one in relations for term in kb.terms(kb.objects(one, nodes).ids)}


@pytest.mark.parametrize(("name", "text"), [("g.rdf", AS_XML), ("g.jsonld", AS_JSON), ("g.nt", AS_LINES)])
def test_odd_terms_are_read_and_told(tmp_path: Path, name: str, text: str) -> None:
    (tmp_path / name).write_text(text)
    report = build_index([tmp_path / name], tmp_path / "index")
    assert objects(tmp_path / "index") == SOUND
    assert report.diagnosis.odd == 5
    (told,) = (line for line in report.diagnosis.oddities() if "no sound" in line)
    assert "i18n" in told
    assert not report.skipped.count


def test_helpers_read_them_too(tmp_path: Path) -> None:
    (tmp_path / "g.nt").write_text(AS_LINES * 100)
    with patch.object(batches, "_BLOCK", 5_000):
        report = build_index([tmp_path / "g.nt"], tmp_path / "index")
    assert objects(tmp_path / "index") == SOUND
    assert report.diagnosis.odd == 500


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("g.rdf", AS_XML.replace('xml:lang="en-GB"', 'rdf:datatype="http://a/&quot;b c"')),
        ("g.nt", f'<{EX}a> <{EX}p> "right"^^<http://a/b c> .'),
    ],
)
def test_an_odd_datatype_breaks_nothing(tmp_path: Path, name: str, text: str) -> None:
    (tmp_path / name).write_text(text)
    build_index([tmp_path / name], tmp_path / "index")
    (found,) = (term for term in objects(tmp_path / "index") if getattr(term, "lexical", "") == "right")
    assert isinstance(found, Literal)
    assert found.datatype.endswith("b%20c")


def test_an_odd_host_is_kept_apart(tmp_path: Path) -> None:
    (tmp_path / "g.nt").write_text(f"<{EX}a> <{EX}q> <http://[a b/x> .\n")
    build_index([tmp_path / "g.nt"], tmp_path / "index")
    assert objects(tmp_path / "index") == {Iri("http:%2F%2F%5Ba%20b%2Fx")}


@pytest.mark.parametrize(
    "line",
    [f'<a> <{EX}p> "x" .', f'<{EX}a> <{EX}p> "x"@ .', f'<{EX}a> "y"@i18n .', f'<{EX}a> <{EX}p> "1"^^<int> .'],
)
def test_what_is_no_line_is_none_for_its_terms(tmp_path: Path, line: str) -> None:
    (tmp_path / "g.nt").write_text(f'<{EX}a> <{EX}p> "good" .\n{line}\n')
    with pytest.raises(InputError, match="line 2: "):
        build_index([tmp_path / "g.nt"], tmp_path / "index")
