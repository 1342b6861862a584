"""Building: every format, several files, lenient reading, and refusals in one sentence."""

from __future__ import annotations

import bz2
import gzip
import io
from collections.abc import Callable
from pathlib import Path
from unittest.mock import patch

import numpy as np
import pytest
import zstandard
from pyoxigraph import RdfFormat, parse, serialize
from typer.testing import CliRunner

from arcaneqa.apps.cli.main import app
from arcaneqa.kb.build import batches, build_index, sources
from arcaneqa.kb.index import Index
from arcaneqa.kb.index.store import read_manifest
from arcaneqa.kb.open import open_kb
from arcaneqa.kb.profile import FREEBASE_PROFILE
from arcaneqa.kb.profiles import load_profile
from arcaneqa.kb.short_names import Names
from arcaneqa.kb.terms import RDF_LANG_STRING, XSD, Blank, Iri, Literal
from arcaneqa.support.errors import InputError

EX = "http://example.org/"
TURTLE = """
@prefix ex: <http://example.org/> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
ex:a a ex:Thing ; rdfs:label "A"@en ; ex:likes ex:b , _:c ; ex:age 5 ; ex:note "line\\nbreak \\"q\\" \\\\" .
_:c ex:likes ex:a .
"""
PACKERS: dict[str, Callable[[bytes], bytes]] = {
    "": lambda data: data,
    ".gz": gzip.compress,
    ".bz2": bz2.compress,
    ".zst": zstandard.ZstdCompressor().compress,
}
FORMATS = {
    ".nt": RdfFormat.N_TRIPLES,
    ".nq": RdfFormat.N_QUADS,
    ".ttl": RdfFormat.TURTLE,
    ".trig": RdfFormat.TRIG,
    ".n3": RdfFormat.N3,
    ".rdf": RdfFormat.RDF_XML,
    ".jsonld": RdfFormat.JSON_LD,
}


def written(folder: Path, suffix: str, packed: str, text: str = TURTLE) -> Path:
    triples = [quad.triple for quad in parse(text, format=RdfFormat.TURTLE)]
    data = serialize(triples, format=FORMATS[suffix])
    assert data is not None
    path = folder / f"graph{suffix}{packed}"
    path.write_bytes(PACKERS[packed](data))
    return path


@pytest.mark.parametrize("packed", PACKERS)
@pytest.mark.parametrize("suffix", FORMATS)
def test_every_format(tmp_path: Path, suffix: str, packed: str) -> None:
    report = build_index([written(tmp_path, suffix, packed)], tmp_path / "index")
    assert (report.facts, report.relations, report.classes) == (7, 5, 1)
    with Index(tmp_path / "index") as kb:
        node = kb.node(Iri(EX + "a"))
        assert node is not None
        assert kb.labels(np.array([node])) == ["A"]
        note = kb.objects(kb.schema.relation_ids[EX + "note"], kb.nodes(np.array([node])))
        assert kb.terms(note.ids) == [Literal('line\nbreak "q" \\')]


def test_prefixes_of_the_source_name_things(tmp_path: Path) -> None:
    (tmp_path / "g.ttl").write_text(TURTLE)
    build_index([tmp_path / "g.ttl"], tmp_path / "index")
    with Index(tmp_path / "index") as kb:
        assert Names(kb.profile).short(EX + "a") == "ex:a"


def test_blank_nodes_of_two_files_are_two(tmp_path: Path) -> None:
    for name in ("one", "two"):
        (tmp_path / f"{name}.nt").write_text(f"_:x <{EX}p> _:y .\n_:x <{EX}p> <{EX}{name}> .\n")
    report = build_index([tmp_path / "one.nt", tmp_path / "two.nt"], tmp_path / "index")
    assert (report.facts, report.entities) == (4, 6)


def test_blank_nodes_keep_their_labels(tmp_path: Path) -> None:
    (tmp_path / "g.nt").write_text(f"_:x <{EX}p> _:y .\n")
    build_index([tmp_path / "g.nt"], tmp_path / "index")
    with Index(tmp_path / "index") as kb:
        assert kb.node(Blank("x")) is not None
        assert set(kb.terms(np.arange(2))) == {Blank("x"), Blank("y")}


def test_repeated_statements_count_once(tmp_path: Path) -> None:
    (tmp_path / "g.nq").write_text(
        f"<{EX}s> <{EX}p> <{EX}o> <{EX}g1> .\n<{EX}s> <{EX}p> <{EX}o> <{EX}g2> .\n"
    )
    assert build_index([tmp_path / "g.nq"], tmp_path / "index", batch=1).facts == 1


@pytest.mark.parametrize("text", ["", "# nothing\n", "\n\n"])
def test_an_empty_source_is_an_error(tmp_path: Path, text: str) -> None:
    (tmp_path / "g.nt").write_text(text)
    with pytest.raises(InputError, match=r"nothing to index in .*g\.nt"):
        build_index([tmp_path / "g.nt"], tmp_path / "index")
    assert not (tmp_path / "index").exists()


def many(count: int) -> str:
    return "".join(
        f"<{EX}e{n % 97}> <{EX}r{n % 7}> <{EX}e{n % 89}> .\n"
        f'<{EX}e{n % 97}> <{EX}v> "{n % 50}"^^<{XSD}integer> .\n'
        for n in range(count)
    )


@pytest.mark.parametrize("packed", ["", ".gz"])
def test_helpers_read_the_same(tmp_path: Path, packed: str) -> None:
    """Large files go through other processes, block by block; the index is the same array by array."""
    source = tmp_path / f"g.nt{packed}"
    source.write_bytes(PACKERS[packed]((f"_:b <{EX}likes> <{EX}e1> .\n" + many(3000)).encode()))
    build_index([source], tmp_path / "alone")
    with patch.object(batches, "_BLOCK", 2_000 if packed else 20_000):
        build_index([source], tmp_path / "helped")
    for name in read_manifest(tmp_path / "alone")["files"]:
        if name.endswith(".bin"):
            assert (tmp_path / "alone" / name).read_bytes() == (tmp_path / "helped" / name).read_bytes(), name


@pytest.mark.parametrize("lenient", [False, True])
def test_helpers_find_bad_lines(tmp_path: Path, lenient: bool) -> None:
    text = many(2000)
    (tmp_path / "g.nt").write_text(f"{text}bad one\n{text}bad two\n{text}")
    with patch.object(batches, "_BLOCK", 20_000):
        if lenient:
            report = build_index([tmp_path / "g.nt"], tmp_path / "index", lenient=True)
            assert report.skipped.count == 2
            assert "line 4001: " in report.skipped.first[0]
            assert "line 8002: " in report.skipped.first[1]
        else:
            with pytest.raises(InputError, match="line 4001: "):
                build_index([tmp_path / "g.nt"], tmp_path / "index")
            assert not (tmp_path / "index").exists()


def test_lenient_turtle_goes_on(tmp_path: Path) -> None:
    (tmp_path / "g.ttl").write_text(
        f"<{EX}a> <{EX}p> <{EX}b> .\n<{EX}a> <b b> 1 .\n<{EX}a> <{EX}p> <{EX}c> .\n"
    )
    report = build_index([tmp_path / "g.ttl"], tmp_path / "index", lenient=True)
    assert report.facts == 2
    assert report.skipped.count >= 1
    assert "line 2" in report.skipped.first[0]


@pytest.mark.parametrize(
    ("name", "data", "complaint"),
    [
        ("missing.nt", None, "does not exist"),
        ("graph.docx", b"", "format of .* is not known"),
        ("graph.nt.gz", b"not gzip", "cannot be unpacked"),
        ("graph.nt.gz", gzip.compress(b"x" * 999, mtime=0)[:-9], "cannot be unpacked"),
        ("graph.nt.zst", b"not zstd", "cannot be unpacked"),
        ("graph.nt.bz2", b"not bzip2", "cannot be"),
        ("graph.ttl", b"<http://a> <http://b> .", "line 1"),
        ("graph.rdf", b"<rdf", "graph.rdf"),
        (
            "graph.nt",
            b"<http://a> <http://b> <<( <http://a> <http://b> <http://c> )>> .",
            "cannot be indexed",
        ),
    ],
)
def test_bad_sources_are_refused(tmp_path: Path, name: str, data: bytes | None, complaint: str) -> None:
    if data is not None:
        (tmp_path / name).write_bytes(data)
    with pytest.raises(InputError, match=complaint):
        build_index([tmp_path / name], tmp_path / "index")
    assert [path.name for path in tmp_path.iterdir()] == ([name] if data is not None else [])


def test_a_folder_that_is_no_index_is_not_replaced(tmp_path: Path) -> None:
    (tmp_path / "precious").mkdir()
    (tmp_path / "precious" / "thesis.txt").write_text("years of work")
    (tmp_path / "g.nt").write_text(many(3))
    with pytest.raises(InputError, match="is not an index"):
        build_index([tmp_path / "g.nt"], tmp_path / "precious")
    assert (tmp_path / "precious" / "thesis.txt").read_text() == "years of work"


def test_ontology_files(tmp_path: Path) -> None:
    ns = FREEBASE_PROFILE.base
    (tmp_path / "g.nt").write_text(f"<{ns}m.1> <{ns}a.b.c> <{ns}m.2> .\n<{ns}m.2> <{ns}d.e.f> <{ns}m.1> .\n")
    (tmp_path / "fb_roles").write_text("a.b a.b.c d.e\n")
    with gzip.open(tmp_path / "reverse_properties.gz", "wt") as file:
        file.write("a.b.c\td.e.f\n")
    build_index([tmp_path / "g.nt"], tmp_path / "index", profile=load_profile("freebase"), ontology=tmp_path)
    with Index(tmp_path / "index") as kb:
        forward, backward = kb.schema.relations
        assert forward.inverse == backward.id
        assert backward.inverse == forward.id
        assert forward.domain is not None
        assert kb.schema.classes[forward.domain].label == "a b"
        assert backward.domain is None


@pytest.mark.parametrize(("name", "data"), [("fb_roles", "a b\n"), ("other", "")])
def test_bad_ontologies_are_refused(tmp_path: Path, name: str, data: str) -> None:
    (tmp_path / "g.nt").write_text(many(1))
    (tmp_path / name).write_text(data)
    with pytest.raises(InputError, match="fb_roles"):
        build_index([tmp_path / "g.nt"], tmp_path / "index", profile=FREEBASE_PROFILE, ontology=tmp_path)


def test_the_verbs(tmp_path: Path) -> None:
    run = CliRunner()
    (tmp_path / "g.nt").write_text(many(20) + "oops\n")
    source, out = str(tmp_path / "g.nt"), str(tmp_path / "index")
    assert isinstance(run.invoke(app, ["index", source, "--out", out]).exception, InputError)
    done = run.invoke(app, ["index", source, "--out", out, "--lenient"])
    assert done.exit_code == 0, done.output
    assert "1 statement was left out" in done.output
    told = run.invoke(app, ["info", out, "--verify"])
    assert told.exit_code == 0, told.output
    assert "match their checksums" in told.output
    assert run.invoke(app, ["info", out, "--json"]).output.startswith('{"profile": "rdf"')


def test_one_door(tmp_path: Path) -> None:
    (tmp_path / "g.nt").write_text(many(2))
    build_index([tmp_path / "g.nt"], tmp_path / "index")
    with open_kb(tmp_path / "index") as kb:
        assert isinstance(kb, Index)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("g.nt", f'<{EX}a> <{EX}p> "colour"@en-GB .\n<{EX}a> <{EX}p> "x"@fr .\n'),
        ("g.ttl", f"<{EX}a> <{EX}p> 'colour'@en-GB , \"x\"@fr ."),
        (
            "g.rdf",
            '<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns:e="http://example.org/">'
            f'<rdf:Description rdf:about="{EX}a"><e:p xml:lang="en-GB">colour</e:p>'
            '<e:p xml:lang="fr">x</e:p></rdf:Description></rdf:RDF>',
        ),
    ],
)
@pytest.mark.parametrize("helped", [False, True])
def test_language_tags_keep_their_spelling(tmp_path: Path, name: str, text: str, helped: bool) -> None:
    (tmp_path / name).write_text(text)
    with patch.object(batches, "_BLOCK", 10 if helped else 1 << 26):
        build_index([tmp_path / name], tmp_path / "index")
    with Index(tmp_path / "index") as kb:
        for asked in ("en-GB", "en-gb", "EN-GB"):
            node = kb.node(Literal("colour", RDF_LANG_STRING, asked))
            assert node is not None
            assert kb.terms(np.array([node])) == [Literal("colour", RDF_LANG_STRING, "en-GB")]
        other = kb.node(Literal("x", RDF_LANG_STRING, "fr"))
        assert other is not None
        assert kb.terms(np.array([other])) == [Literal("x", RDF_LANG_STRING, "fr")]


def test_a_tag_is_seen_though_a_piece_ends_within_it() -> None:
    text = b'"colour"@en-GB . "farbe"@de-AT .'
    for size in range(1, len(text)):
        seen: dict[str, str] = {}

        def see(piece: bytes, seen: dict[str, str] = seen) -> None:
            for tag in map(bytes.decode, sources._TAG.findall(piece)):
                seen[tag.lower()] = tag

        file = sources._Watched(io.BytesIO(text), see)
        while file.read(size):
            pass
        assert seen["en-gb"] == "en-GB"
        assert seen["de-at"] == "de-AT"


@pytest.mark.parametrize("lenient", [False, True])
def test_bad_xml_has_a_line(tmp_path: Path, lenient: bool) -> None:
    good = '<e:T rdf:about="http://example.org/a"/>'
    head = '<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns:e="http://example.org/">'
    (tmp_path / "g.rdf").write_text(f"{head}\n{good}\n<e:T <<\n{good}\n</rdf:RDF>")
    if lenient:
        report = build_index([tmp_path / "g.rdf"], tmp_path / "index", lenient=True)
        assert report.facts == 1
        (told,) = report.skipped.first
        assert "g.rdf, line 3: " in told
        assert "the rest of it is unread" in told
    else:
        with pytest.raises(InputError, match=r"g\.rdf, line 3: "):
            build_index([tmp_path / "g.rdf"], tmp_path / "index")
