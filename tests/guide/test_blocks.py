"""The code on the guide's pages runs, from top to bottom, and says what the page says that it says.

Blocks of `sh` and `python` are run, in an empty folder for each page, with `arcaneqa` at hand. A block of
`text` right after one holds lines of its output, in order. `console` is for what a page cannot run: a server
that goes on, a download, hours of training. `json` must be JSON.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

HOME = Path(__file__).parents[2]
PAGES = sorted((HOME / "docs").glob("*.md"))
_BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$(?:\n```text\n(.*?)^```$)?", re.MULTILINE | re.DOTALL)
_SECONDS = 300


@dataclass(frozen=True)
class Block:
    kind: str
    code: str
    expected: tuple[str, ...]


def blocks(page: Path) -> list[Block]:
    found = _BLOCK.findall(page.read_text(encoding="utf-8"))
    return [Block(kind, code, tuple(text.splitlines())) for kind, code, text in found]


RUN = [page for page in PAGES if any(block.kind in ("sh", "python") for block in blocks(page))]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_block_says_what_it_is(page: Path) -> None:
    known = {"sh", "python", "console", "json", "text", "nginx", "ini", "toml", "sparql"}
    for block in blocks(page):
        assert block.kind in known, f"{page.name}: a block of {block.kind}"
        if block.kind == "json":
            json.loads(block.code)


@pytest.mark.guide
@pytest.mark.parametrize("page", RUN, ids=lambda page: page.name)
def test_the_code_runs(page: Path, tmp_path: Path) -> None:
    for block in blocks(page):
        if block.kind not in ("sh", "python"):
            continue
        ran = _run(block, tmp_path)
        assert ran.returncode == 0, f"{page.name}:\n{block.code}\n{ran.stdout}{ran.stderr}"
        at = 0
        for line in block.expected:
            place = ran.stdout.find(line, at)
            assert place >= 0, f"{page.name}: no “{line}” in\n{ran.stdout}"
            at = place + len(line)


def _run(block: Block, folder: Path) -> subprocess.CompletedProcess[str]:
    tools = Path(sys.executable).parent
    sees = {
        **os.environ,
        "PATH": f"{tools}:{os.environ['PATH']}",
        "PYTHONPATH": str(HOME / "src"),
        "COLUMNS": "160",
    }
    command = ["bash", "-euo", "pipefail", "-c"] if block.kind == "sh" else [sys.executable, "-c"]
    return subprocess.run(
        [*command, block.code],
        cwd=folder,
        env=sees,
        capture_output=True,
        text=True,
        timeout=_SECONDS,
        check=False,
    )
