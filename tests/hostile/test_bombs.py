"""Files made to take all memory or time are refused in a sentence, under a limit on memory."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from arcaneqa.kb.build import build_index
from arcaneqa.kb.index import Index
from arcaneqa.kb.terms import Iri
from arcaneqa.support.errors import InputError
from tests.hostile.limited import run

ROOT = '<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns:e="http://e/">'
ITEM = '<rdf:Description rdf:about="http://e/a"><e:p>{}</e:p></rdf:Description>'
MiB = 1 << 20


def laughs(levels: int, quote: str = '"') -> str:
    declared = [f"<!ENTITY a0 {quote}ha{quote}>"]
    for level in range(1, levels):
        declared.append(f"<!ENTITY a{level} {quote}{f'&a{level - 1};' * 10}{quote}>")
    return f"<!DOCTYPE r [{''.join(declared)}]>{ROOT}{ITEM.format(f'&a{levels - 1};')}</rdf:RDF>"


def quadratic() -> str:
    entity = "x" * 9_000
    return f'<!DOCTYPE r [<!ENTITY a "{entity}">]>{ROOT}{ITEM.format("&a;" * 400_000)}</rdf:RDF>'


def hidden() -> str:
    """Entities declared where a strict parser would not look for them."""
    many = laughs(12).partition("]>")[0]
    return f"{ROOT}<!-- -->{many}]>{ITEM.format('&a11;')}</rdf:RDF>"


def quoting(levels: int) -> str:
    """A statement about a statement about a statement: the parser ends the process beyond some 20,000."""
    opened = "<<( <http://e/a> <http://e/p> " * levels
    return f"<http://e/a> <http://e/p> {opened}<http://e/b>{' )>>' * levels} ."


BOMBS = {
    "laughs.rdf": lambda: laughs(12).encode(),
    "laughs.owl.gz": lambda: gzip.compress(laughs(12).encode()),
    "apart.rdf": lambda: laughs(12).replace("<!ENTITY", " " * 9_000 + "<!ENTITY").encode(),
    "late.rdf": lambda: f"<!--{'<a ' * 5_000}-->{' ' * 20_000}{laughs(12)}".encode(),
    "quadratic.rdf": lambda: quadratic().encode(),
    "hidden.rdf": lambda: hidden().encode(),
    "endless.rdf": lambda: f'<!DOCTYPE r [<!ENTITY a "{"x" * 40 * MiB}'.encode(),
    "deep.rdf": lambda: f"{ROOT}{'<e:A><e:p>' * 60_000}{'</e:p></e:A>' * 60_000}</rdf:RDF>".encode(),
    # Ends in comments are no ends.
    "deeper.rdf": lambda: f"{ROOT}{'<e:A><!--</</</</--><e:p>' * 60_000}".encode(),
    "quoting.nt": lambda: f"{quoting(30_000)}\n".encode(),
    "quoting.ttl": lambda: quoting(30_000).encode(),
    "open.ttl.gz": lambda: gzip.compress(b"<http://e/a> <http://e/p> " + b"[ <http://e/p> " * 8_000_000),
    "open.n3": lambda: b"{ " * 8_000_000,
    "one-object.jsonld.gz": lambda: gzip.compress(b'{"http://e/p":[1' + b",1" * 90_000_000),
    "deep.jsonld": lambda: b'{"http://e/p":' * 8_000 + b"1" + b"}" * 8_000,
    "long.ttl": lambda: b'<http://e/a> <http://e/p> "' + b"x" * (17 * MiB) + b'" .',
    "long.nt": lambda: b'<http://e/a> <http://e/p> "' + b"x" * (17 * MiB) + b'" .\n',
    "long.jsonld": lambda: b'{"@id": "http://e/a", "http://e/p": "' + b"x" * (17 * MiB) + b'"}',
    "long.rdf": lambda: f"{ROOT}{ITEM.format('x' * 17 * MiB)}</rdf:RDF>".encode(),
    "one-line.nt.gz": lambda: gzip.compress(b"x" * (64 * MiB)) * 40,
}


QUICK = ("laughs.rdf", "long.ttl", "deep.jsonld", "quoting.nt")


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=() if name in QUICK else pytest.mark.slow) for name in BOMBS]
)
def test_a_bomb_is_refused(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_bytes(BOMBS[name]())
    ended = run("index", str(tmp_path / name), "--out", str(tmp_path / "kb"), memory=2 << 30, seconds=30)
    assert ended.is_a_sentence, ended
    assert name in ended.err
    assert not (tmp_path / "kb").exists()


@pytest.mark.parametrize("name", ["long.ttl", "laughs.rdf"])
def test_leniency_is_no_way_around(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_bytes(BOMBS[name]())
    ended = run("index", str(tmp_path / name), "--out", str(tmp_path / "kb"), "--lenient", memory=2 << 30)
    assert ended.is_a_sentence, ended


@pytest.mark.slow
def test_a_gzip_of_comments_takes_no_memory(tmp_path: Path) -> None:
    """Two gibibytes out of a few kilobytes, none of them a statement; and somebody is told."""
    member = gzip.compress((b"#" * 65_535 + b"\n") * 1_024)
    (tmp_path / "bomb.nt.gz").write_bytes(member * 32)
    (tmp_path / "small.nt.gz").write_bytes(member * 2)
    ended = run("index", str(tmp_path / "bomb.nt.gz"), "--out", str(tmp_path / "kb"), memory=3 << 29)
    assert ended.is_a_sentence, ended
    assert "nothing to index" in ended.err
    seen: list[str] = []
    with pytest.raises(InputError, match="nothing to index"):
        build_index(
            [tmp_path / "small.nt.gz"], tmp_path / "kb", progress=lambda stage, _, __: seen.append(stage)
        )
    assert any("MiB unpacked" in stage for stage in seen), "nobody was told how much was read"


def test_entities_as_owl_files_have_them_still_work(tmp_path: Path) -> None:
    dtd = '<!DOCTYPE rdf:RDF [<!ENTITY e "http://e/"><!ENTITY both "&e;both/">]>'
    items = "".join(
        f'<rdf:Description rdf:about="&e;{n}"><e:p rdf:resource="&both;{n}"/></rdf:Description>'
        for n in range(9)
    )
    (tmp_path / "g.owl").write_text(f"{dtd}{ROOT}{items}</rdf:RDF>")
    assert build_index([tmp_path / "g.owl"], tmp_path / "kb").facts == 9
    with Index(tmp_path / "kb") as kb:
        assert kb.node(Iri("http://e/both/3")) is not None


def test_brackets_in_comments_are_no_depth(tmp_path: Path) -> None:
    """What only looks deep is looked at closely, and read."""
    comment = f"<!-- {'<br> <p ' * 5_000} -->"
    data = f"<![CDATA[{'<li>' * 5_000}]]>"
    (tmp_path / "g.rdf").write_text(f"{ROOT}{comment}{ITEM.format(data)}</rdf:RDF>")
    assert build_index([tmp_path / "g.rdf"], tmp_path / "kb").facts == 1


def test_brackets_in_strings_are_no_depth(tmp_path: Path) -> None:
    (tmp_path / "g.jsonld").write_text('{"@id": "http://e/a", "http://e/p": "' + '[{\\"[\\\\' * 2_000 + '"}')
    assert build_index([tmp_path / "g.jsonld"], tmp_path / "kb").facts == 1
