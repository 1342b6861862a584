"""Files as they really are: folders, marks, relative IRIs, and files of which only a part can be read."""

from __future__ import annotations

import gzip
import re
import shutil
from pathlib import Path
from unittest.mock import patch

import pytest

from arcaneqa.kb.build import batches, build_index
from arcaneqa.kb.index import Index
from arcaneqa.kb.terms import Iri, Literal
from arcaneqa.support.errors import InputError

EX = "http://example.org/"


def test_lenient_xml_ends_where_it_breaks_with_an_outcry(tmp_path: Path) -> None:
    item = '<rdf:Description rdf:about="http://a/{n}"><e:p>{n}</e:p></rdf:Description>'
    items = [item.format(n=n) for n in range(200)]
    text = f"{items[0]}{items[1]}<oops>{''.join(items)}</rdf:RDF>"
    head = '<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns:e="http://e/">'
    (tmp_path / "g.rdf").write_text(head + text)
    report = build_index([tmp_path / "g.rdf"], tmp_path / "index", lenient=True)
    assert report.facts < 10
    assert report.skipped.count >= 1
    assert re.search(r"About 9\d% of .*g.rdf could not be read", report.skipped.outcries[0])


def test_lenient_turtle_that_swallows_the_rest_cries_out(tmp_path: Path) -> None:
    lines = "".join(f'<{EX}s{n}> <{EX}p> "{n}" .\n' for n in range(3000))
    (tmp_path / "g.ttl").write_text(f'{lines[:200]}\n<{EX}a> <{EX}p> """unclosed .\n{lines}')
    report = build_index([tmp_path / "g.ttl"], tmp_path / "index", lenient=True)
    assert report.facts < 100
    assert report.skipped.outcries


def test_one_bad_statement_is_no_outcry(tmp_path: Path) -> None:
    lines = "".join(f'<{EX}s{n}> <{EX}p> "{n}" .\n' for n in range(3000))
    (tmp_path / "g.ttl").write_text(f"{lines}<{EX}a> <b b> 1 .\n{lines}")
    report = build_index([tmp_path / "g.ttl"], tmp_path / "index", lenient=True)
    assert report.facts == 3000
    assert report.skipped.count >= 1
    assert not report.skipped.outcries


def test_more_left_out_than_read_is_an_outcry(tmp_path: Path) -> None:
    (tmp_path / "g.nt").write_text(f"<{EX}a> <{EX}p> <{EX}b> .\nbad\nbad\n")
    report = build_index([tmp_path / "g.nt"], tmp_path / "index", lenient=True)
    assert "more was left out (2" in report.skipped.outcries[0]


def test_folders_and_several_files(tmp_path: Path) -> None:
    (tmp_path / "in" / "deeper").mkdir(parents=True)
    (tmp_path / "in" / "a.nt").write_text(f"<{EX}a> <{EX}p> <{EX}b> .\n")
    (tmp_path / "in" / "deeper" / "b.ttl").write_text(f"<{EX}c> <{EX}p> <{EX}d> .\n")
    (tmp_path / "in" / "readme.txt").write_text("no RDF")
    (tmp_path / "c.n3").write_text(
        f"<{EX}e> <{EX}p> <{EX}f> . {{ <{EX}g> <{EX}p> <{EX}h> }} => {{ <{EX}i> <{EX}p> <{EX}j> }} ."
    )
    build_index([tmp_path / "in", tmp_path / "c.n3"], tmp_path / "index")
    with Index(tmp_path / "index") as kb:
        assert all(kb.node(Iri(EX + name)) is not None for name in "abcdef")
        assert kb.node(Iri(EX + "g")) is None, "what a rule speaks of is no fact"
    (tmp_path / "none").mkdir()
    with pytest.raises(InputError, match="holds no RDF files"):
        build_index([tmp_path / "none"], tmp_path / "index")


def test_what_was_made_of_sources_is_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An index in the folder that is indexed, one whose build was killed, and the cache of a home folder."""
    home = tmp_path / "home"
    monkeypatch.setenv("XDG_CACHE_HOME", str(home / "cache"))
    (home / "notes").mkdir(parents=True)
    (home / "facts.nt").write_text("<http://x/a> <http://x/p> <http://x/b> .\n")
    for _ in range(2):
        assert build_index([home], home / "kb").facts == 1
    shutil.copytree(home / "kb", home / ".other.building")
    (home / ".other.building" / "manifest.json").write_text('{"format": "arcaneqa-index"}')
    (home / "cache" / "arcaneqa" / "endpoints").mkdir(parents=True)
    shutil.copy(home / "facts.nt", home / "cache" / "arcaneqa" / "endpoints" / "names.nt")
    assert build_index([home], home / "kb").facts == 1
    # What somebody put into an index's folder is theirs, and a source.
    (home / "kb" / "more.nt").write_text("<http://x/a> <http://x/p> <http://x/c> .\n")
    assert build_index([home], home / "kb").facts == 2


def test_relative_iris_are_completed_by_the_file_or_by_a_base(tmp_path: Path) -> None:
    (tmp_path / "g h.ttl").write_text("<a> <b> <c> . <> <b> <#here> .")
    (tmp_path / "g.jsonld").write_text('{"@id": "d", "http://e/p": {"@id": "e"}}')
    sources = [tmp_path / "g h.ttl", tmp_path / "g.jsonld"]
    build_index(sources, tmp_path / "index")
    with Index(tmp_path / "index") as kb:
        names = ("a", "c", "d", "e", "g%20h.ttl", "g%20h.ttl#here")
        assert all(kb.node(Iri(f"file:///{name}")) is not None for name in names)
    build_index(sources, tmp_path / "index", base="http://here/")
    with Index(tmp_path / "index") as kb:
        assert all(kb.node(Iri(f"http://here/{name}")) is not None for name in "acde")
    with pytest.raises(InputError, match="--base takes an IRI"):
        build_index(sources, tmp_path / "index", base="here")


def test_a_text_is_a_table_where_its_lines_say_so(tmp_path: Path) -> None:
    (tmp_path / "stops.txt").write_text("stop_id,stop_name\n1,Cedar Road\n2,Palm Cove\n")
    (tmp_path / "readme.txt").write_text("Dear reader, these are buses.\nHere, you find stops.\n")
    (tmp_path / "words.txt").write_text("apple\npear\n")
    (tmp_path / "ragged.txt").write_text("a,b\n1\n")
    build_index([tmp_path], tmp_path / "index")
    with Index(tmp_path / "index") as kb:
        assert [klass.label for klass in kb.schema.classes] == ["stops"]
        assert kb.labels(kb.members(0).ids) == ["Cedar Road", "Palm Cove"]


def test_an_ontology_in_owl_xml_is_told_from_rdf_xml(tmp_path: Path) -> None:
    ontology = tmp_path / "dogs.owl"
    ontology.write_text(
        '<?xml version="1.0"?><Ontology xmlns="http://www.w3.org/2002/07/owl#" ontologyIRI="http://dogs.example/">'
        '<Declaration><Class IRI="#Dog"/></Declaration></Ontology>'
    )
    with pytest.raises(InputError, match=r"may be OWL/XML.*save the ontology as Turtle"):
        build_index([ontology], tmp_path / "kb")


def test_a_context_on_the_web_is_not_fetched(tmp_path: Path) -> None:
    (tmp_path / "g.jsonld").write_text('{"@context": "https://a.example/", "@id": "http://a/", "name": "x"}')
    with pytest.raises(InputError, match="Nothing is fetched from the web"):
        build_index([tmp_path / "g.jsonld"], tmp_path / "index")


@pytest.mark.parametrize(
    "context",
    [
        '"https://schema.org"',
        '"http://schema.org/"',
        '["https://w3id.org/ro/crate/1.1/context", {"width": "http://a/width"}]',
        '"https://doi.org/10.5063/schema/codemeta-2.0"',
    ],
)
def test_the_words_of_schema_org_need_no_web(tmp_path: Path, context: str) -> None:
    (tmp_path / "g.jsonld").write_text(f'{{"@context" : {context}, "@id": "http://a/", "legalName": "Ada"}}')
    build_index([tmp_path / "g.jsonld"], tmp_path / "index")
    with Index(tmp_path / "index") as kb:
        assert [relation.iri for relation in kb.schema.relations] == ["http://schema.org/legalName"]


def test_a_context_may_stand_anywhere_in_a_file(tmp_path: Path) -> None:
    page = '{"@context": "https://schema.org", "@id": "http://a/%d", "legalName": "%s"}'
    pages = ",\n".join(page % (number, "x" * 701) for number in range(300))
    (tmp_path / "g.jsonld").write_text(f"[{pages}]")
    assert build_index([tmp_path / "g.jsonld"], tmp_path / "index").facts == 300


N3_RULES = """
@prefix : <http://x.org/> .
:socrates :teaches :plato .
{ ?x :teaches ?y } => { ?y :learnsFrom ?x } .
{ :a :b :c } => { :d :e :f } .
:plato :teaches :aristotle .
"""


def test_rules_of_n3_are_told_and_facts_behind_them_read(tmp_path: Path) -> None:
    (tmp_path / "facts.n3").write_text(N3_RULES)
    report = build_index([tmp_path / "facts.n3"], tmp_path / "index")
    assert (report.facts, report.relations) == (2, 1)
    assert report.diagnosis.rules == 6
    assert any("rules" in sentence for sentence in report.diagnosis.oddities())
    (tmp_path / "rules.n3").write_text("{ ?x <a:b> ?y } => { ?y <a:b> ?x } ." * 1000)
    with pytest.raises(InputError, match="rules and no facts"):
        build_index([tmp_path / "rules.n3"], tmp_path / "other")


@pytest.mark.parametrize("suffix", [".nt", ".ttl", ".n3", ".jsonld", ".rdf"])
@pytest.mark.parametrize("packed", ["", ".gz"])
def test_a_byte_order_mark_is_accepted(tmp_path: Path, suffix: str, packed: str) -> None:
    text = {
        ".jsonld": f'{{"@id": "{EX}a", "{EX}p": {{"@id": "{EX}b"}}}}',
        ".rdf": '<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns:e="http://example.org/">'
        f'<rdf:Description rdf:about="{EX}a"><e:p rdf:resource="{EX}b"/></rdf:Description></rdf:RDF>',
    }.get(suffix, f"<{EX}a> <{EX}p> <{EX}b> .\n")
    source = tmp_path / f"g{suffix}{packed}"
    packer = gzip.compress if packed else bytes
    source.write_bytes(packer(text.encode("utf-8-sig")))
    with patch.object(batches, "_BLOCK", 10):
        assert build_index([source], tmp_path / "index").facts == 1
    source.write_bytes(packer(text.encode("utf-16")))
    with pytest.raises(InputError, match="UTF-16"):
        build_index([source], tmp_path / "index")


OLD = """<?xml version='1.0' encoding='{}'?>
<!DOCTYPE rdf:RDF [ <!ENTITY e 'http://example.org/'> ]>
<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns:e="&e;">
<rdf:Description rdf:about="&e;a"><e:p>{}</e:p></rdf:Description></rdf:RDF>
"""


@pytest.mark.parametrize("lenient", [False, True])
@pytest.mark.parametrize(
    ("encoding", "word"), [("ISO-8859-1", "café"), ("Shift_JIS", "日本"), ("UTF-8", "日本")]
)
def test_old_xml_is_read_in_the_encoding_that_it_declares(
    tmp_path: Path, lenient: bool, encoding: str, word: str
) -> None:
    text = word * 20_001  # in several pieces, of which one ends within a character
    (tmp_path / "g.rdf").write_bytes(OLD.format(encoding, text).encode(encoding))
    assert build_index([tmp_path / "g.rdf"], tmp_path / "index", lenient=lenient).facts == 1
    with Index(tmp_path / "index") as kb:
        assert kb.node(Literal(text)) is not None


@pytest.mark.parametrize(
    ("declared", "said"),
    [("klingon", "an encoding that nobody knows: klingon"), ("shift_jis", "not in the encoding")],
)
def test_an_encoding_that_is_not_so_is_a_sentence(tmp_path: Path, declared: str, said: str) -> None:
    (tmp_path / "g.rdf").write_bytes(OLD.format(declared, "café").encode("latin-1") + b"\x81")
    with pytest.raises(InputError, match=said):
        build_index([tmp_path / "g.rdf"], tmp_path / "index")
