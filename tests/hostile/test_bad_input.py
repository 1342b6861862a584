"""Bad input of every kind ends in one sentence, never in a traceback or in waiting for ever."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from arcaneqa.answer.answer import refusal
from arcaneqa.apps.cli.main import app
from arcaneqa.kb.build import build_index
from arcaneqa.kb.index import Index
from arcaneqa.kb.open import open_kb
from arcaneqa.kb.profiles import load_profile
from arcaneqa.model.stored import manifest_of
from arcaneqa.support.errors import ArcaneError, IndexFormatError, InputError, ModelError
from tests.hostile.limited import ARCANEQA, environment, run

EX = "http://example.org/"
DEEP = '{"a":' * 100_000
HALF = b"what is the \xff capital of France?"  # becomes a lone surrogate on the command line


@pytest.fixture
def kb(tmp_path: Path) -> Path:
    (tmp_path / "g.nt").write_text(f"<{EX}a> <{EX}p> <{EX}b> .\n")
    build_index([tmp_path / "g.nt"], tmp_path / "kb")
    return tmp_path / "kb"


@pytest.mark.slow
@pytest.mark.parametrize("verb", ["ask", "link"])
@pytest.mark.parametrize("option", [(), ("--json",)])
def test_half_a_character_on_the_command_line(verb: str, option: tuple[str, ...]) -> None:
    done = subprocess.run(
        [*ARCANEQA, verb, HALF, *option], capture_output=True, env=environment(), timeout=120, check=False
    )
    assert b"Traceback" not in done.stderr
    assert done.returncode in (1, 2)
    assert b"half a character" in done.stdout + done.stderr
    if option and verb == "ask":
        assert json.loads(done.stdout)["question"] == os.fsdecode(HALF)


@pytest.mark.slow
def test_half_a_character_in_a_file_of_questions(tmp_path: Path) -> None:
    """It is one question without an answer; the others are answered."""
    questions = [{"id": "1", "question": "the \ud800 capital"}, {"id": "2", "question": "capital of France?"}]
    (tmp_path / "q.jsonl").write_text("".join(json.dumps(each) + "\n" for each in questions))
    ended = run(
        "ask", "--input", str(tmp_path / "q.jsonl"), "--output", str(tmp_path / "p.jsonl"), memory=8 << 30
    )
    assert ended.code == 0, ended
    first, second = map(json.loads, (tmp_path / "p.jsonl").read_text().splitlines())
    assert first["question"] == "the \ud800 capital"
    assert "half a character" in first["reason"]
    assert second["answers"]


def test_half_a_character_in_python() -> None:
    refused = refusal("\ud800")
    assert refused is not None
    assert "half a character" in str(refused.reason)


@pytest.mark.parametrize("text", [DEEP, "[" * 100_000, "nul", "[]", '{"format": []}'])
def test_manifests_that_are_none(kb: Path, tmp_path: Path, text: str) -> None:
    (kb / "manifest.json").write_text(text)
    with pytest.raises(IndexFormatError):
        Index(kb)
    (tmp_path / "arcaneqa.json").write_text(text)
    with pytest.raises(ModelError):
        manifest_of(tmp_path)
    (tmp_path / "profile.json").write_text(text)
    with pytest.raises(ArcaneError):
        load_profile(tmp_path / "profile.json")


@pytest.mark.parametrize("name", [[], {}, 5, None, ["rdf"], "\ud800"])
def test_a_profile_whose_name_is_none(tmp_path: Path, name: object) -> None:
    (tmp_path / "profile.json").write_text(json.dumps({"name": name}))
    with pytest.raises(InputError, match="profile"):
        load_profile(tmp_path / "profile.json")


@pytest.mark.parametrize("verb", ["info", "index"])
def test_a_name_too_long_for_the_system_is_a_sentence(tmp_path: Path, verb: str) -> None:
    options = ("--out", str(tmp_path / "kb")) if verb == "index" else ()
    ended = run(verb, "x" * 5_000, *options)
    assert ended.is_a_sentence, ended


@pytest.mark.slow
def test_half_a_character_in_a_conversation() -> None:
    """It is one line that is refused; the next is answered."""
    done = subprocess.run(
        [*ARCANEQA, "ask"],
        input=b"what is \xff it?\nwhat is the capital of France?\n",
        capture_output=True,
        env=environment(),
        timeout=200,
        check=False,
    )
    assert b"Traceback" not in done.stderr
    assert b"half a character" in done.stdout + done.stderr
    assert b"Paris" in done.stdout


def test_a_pipe_in_place_of_a_file_is_not_waited_for(kb: Path, tmp_path: Path) -> None:
    pipe = tmp_path / "pipe.nt"
    os.mkfifo(pipe)
    with pytest.raises(InputError, match="not a plain file"):
        build_index([pipe], tmp_path / "new")
    with pytest.raises(ArcaneError):
        open_kb(pipe)
    (kb / "manifest.json").unlink()
    os.mkfifo(kb / "manifest.json")
    with pytest.raises(IndexFormatError):
        Index(kb)
    os.mkfifo(tmp_path / "arcaneqa.json")
    with pytest.raises(ModelError, match="not a plain file"):
        manifest_of(tmp_path)


def test_a_link_as_target_is_followed(kb: Path, tmp_path: Path) -> None:
    link = tmp_path / "link"
    link.symlink_to(kb, target_is_directory=True)
    (tmp_path / "g.nt").write_text(f"<{EX}new> <{EX}p> <{EX}b> .\n")
    build_index([tmp_path / "g.nt"], link)
    assert link.is_symlink()
    assert not kb.is_symlink()
    assert Index(kb).counts == Index(link).counts
    dangling = tmp_path / "dangling"
    dangling.symlink_to(tmp_path / "elsewhere")
    build_index([tmp_path / "g.nt"], dangling)
    assert Index(tmp_path / "elsewhere").counts["facts"] == 1


def test_a_cache_that_cannot_be_written_is_a_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("in the way")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file" / "cache"))
    with pytest.raises(InputError, match="XDG_CACHE_HOME"):
        open_kb()
    (tmp_path / "g.nt").write_text(f"<{EX}a> <{EX}p> <{EX}b> .\n")
    build_index([tmp_path / "g.nt"], tmp_path / "kb")
    assert Index(tmp_path / "kb").counts["facts"] == 1


def test_labels_reach_the_terminal_clean_and_json_exact(tmp_path: Path) -> None:
    label = "\x1b]0;owned\x07\x9b2J [bold]not bold[/x]"
    escaped = label.replace("\x1b", "\\u001B").replace("\x07", "\\u0007").replace("\x9b", "\\u009B")
    (tmp_path / "g.nt").write_text(
        f'<{EX}a> <{EX}p> <{EX}b> .\n<{EX}a> <http://www.w3.org/2000/01/rdf-schema#label> "{escaped}" .\n'
    )
    build_index([tmp_path / "g.nt"], tmp_path / "kb")
    program = f"(JOIN <{EX}p> <{EX}b>)"
    shown = CliRunner().invoke(app, ["run", program, "--kb", str(tmp_path / "kb")]).output
    assert "\x1b" not in shown
    assert "\x9b" not in shown
    assert "\\x1b]0;owned" in shown
    exact = CliRunner().invoke(app, ["run", program, "--kb", str(tmp_path / "kb"), "--json"]).output
    assert json.loads(exact)["answers"][0]["label"] == label
    assert "\x9b" not in exact


@pytest.mark.parametrize(("error", "word"), [("MemoryError", "memory"), ("RecursionError", "nested")])
def test_what_nobody_foresaw_is_a_sentence_too(error: str, word: str) -> None:
    script = (
        "import sys; sys.argv = ['arcaneqa', 'info']\n"
        "import arcaneqa.apps.cli.main as main, arcaneqa.kb.open as door\n"
        f"def fail(*_): raise {error}\n"
        "door.open_kb = fail\n"
        "main.main()"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, env=environment(), check=False
    )
    assert done.returncode == 2, done
    assert word in done.stderr
    assert "Traceback" not in done.stderr
