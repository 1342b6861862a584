"""Small things that nobody does on purpose: odd terminals, packed questions, headers of several lines."""

from __future__ import annotations

import gzip
import subprocess
from pathlib import Path

import pyoxigraph
import pytest

from arcaneqa.kb.build import build_index
from arcaneqa.kb.index import Index
from tests.hostile.limited import ARCANEQA, environment, run

LABEL = "http://www.w3.org/2000/01/rdf-schema#label"
PROGRAM = "(JOIN <http://x/p> <http://x/b>)"


@pytest.fixture
def kb(tmp_path: Path) -> Path:
    facts = f'<http://x/a> <{LABEL}> "Z\\u00FCrich \\u6771" .\n<http://x/a> <http://x/p> <http://x/b> .\n'
    (tmp_path / "f.nt").write_text(facts + '<http://x/a> <http://x/v> "a\\u0001\\u0008\\u007F\\u0085" .\n')
    build_index([tmp_path / "f.nt"], tmp_path / "kb")
    return tmp_path / "kb"


@pytest.mark.parametrize("encoding", ["ascii", "latin-1"])
@pytest.mark.parametrize("verb", [("run", PROGRAM), ("facts", "<http://x/a>"), ("info",), ("run", "(JOIN")])
def test_a_terminal_without_all_letters(kb: Path, encoding: str, verb: tuple[str, ...]) -> None:
    place = (str(kb),) if verb == ("info",) else ("--kb", str(kb))
    done = subprocess.run(
        [*ARCANEQA, *verb, *place],
        capture_output=True,
        env=environment() | {"PYTHONIOENCODING": encoding, "PYTHONUTF8": "0"},
        check=False,
    )
    assert b"Traceback" not in done.stderr, done
    if verb[0] == "run" and done.returncode == 0:
        assert b"\\u6771" in done.stdout


def test_control_characters_in_turtle_are_read_again(kb: Path) -> None:
    ended = run("run", "(JOIN <http://x/v>_inv <http://x/a>)", "--kb", str(kb), "--format", "ttl")
    assert ended.code == 0, ended
    assert not set(ended.out) & set("\x01\x08\x7f\x85")
    list(pyoxigraph.parse(ended.out, format=pyoxigraph.RdfFormat.TURTLE))


@pytest.mark.parametrize(
    "text", [b" " * (1 << 29), b'[{"id": "' + b"x" * (1 << 29), b'{"id": "' + b"x" * (1 << 29)]
)
def test_packed_questions_take_no_memory(kb: Path, tmp_path: Path, text: bytes) -> None:
    (tmp_path / "q.jsonl.gz").write_bytes(gzip.compress(text, 1))
    options = ("--input", str(tmp_path / "q.jsonl.gz"), "--output", str(tmp_path / "p.jsonl"))
    ended = run("ask", *options, "--kb", str(kb), memory=3 << 30)
    assert ended.is_a_sentence, ended


def test_a_header_of_several_lines(tmp_path: Path) -> None:
    (tmp_path / "x.csv").write_text('id,"name\nof it"\n1,Ann\n2,Bob\n')
    build_index([tmp_path / "x.csv"], tmp_path / "kb")
    with Index(tmp_path / "kb") as found:
        assert "name of it" in {relation.label for relation in found.schema.relations}
        assert sum(klass.members for klass in found.schema.classes) == 2
