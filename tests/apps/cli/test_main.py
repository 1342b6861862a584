"""What all verbs share: loudness, completion in the shell, no colours in a pipe."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from arcaneqa.apps.cli.building import how_far

COMMAND = [sys.executable, "-c", "from arcaneqa.apps.cli.main import main; main()"]
ENVIRONMENT = {**os.environ, "PYTHONPATH": os.pathsep.join(place for place in sys.path if place)}
FACTS = '<http://example.org/a> <http://example.org/knows> <http://example.org/b> .\n"no subject" .\n'


def run(*arguments: str, **settings: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*COMMAND, *arguments], env=ENVIRONMENT | settings, capture_output=True, text=True, timeout=120
    )


def test_a_shell_completes_verbs() -> None:
    done = run(_ARCANEQA_COMPLETE="complete_bash", COMP_WORDS="arcaneqa fa", COMP_CWORD="1")
    assert "facts" in done.stdout.split()


def test_quiet_and_verbose(tmp_path: Path) -> None:
    (tmp_path / "facts.nt").write_text(FACTS)
    arguments = ("index", str(tmp_path / "facts.nt"), "--out", str(tmp_path / "kb"), "--lenient")
    told = {how: run(*how, *arguments).stderr for how in ((), ("--quiet",), ("--verbose",))}
    assert "left out" in told[()]
    assert "left out" not in told["--quiet",]
    assert "reading statements: 0." in told["--verbose",]
    assert "reading statements" not in told[()]


def test_a_pipe_gets_no_colours_and_no_progress(tmp_path: Path) -> None:
    (tmp_path / "facts.nt").write_text(FACTS.partition("\n")[0])
    done = run("index", str(tmp_path / "facts.nt"), "--out", str(tmp_path / "kb"))
    assert "\x1b" not in done.stdout + done.stderr


def test_how_far_a_build_is_says_what_is_left() -> None:
    assert how_far(500, 2000, 5.0) == "500 of 2,000 · 15 s left"
    assert how_far(2000, 2000, 5.0) == "2,000"
