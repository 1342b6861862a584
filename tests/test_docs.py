"""What the pages point at is there: files, headings, and the commands of this program."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from arcaneqa.apps.cli.main import VERBS

HOME = Path(__file__).parents[1]
PAGES = sorted(
    page
    for pattern in (
        "*.md",
        "docs/*.md",
        "docs/measurements/*.md",
        "docs/notes/*.md",
        "recipes/*.md",
        "src/**/README.md",
    )
    for page in HOME.glob(pattern)
)
_LINK = re.compile(r"\]\(([^)\s#]*)(?:#([^)\s]*))?\)")
_COMMAND = re.compile(r"(?<!from )(?<![\w./-])arcaneqa ([a-z]+)\b")


def headings(page: Path) -> set[str]:
    """As anchors of links are made of them."""
    lines = (line for line in page.read_text(encoding="utf-8").splitlines() if line.startswith("#"))
    return {re.sub(r"[^\w -]", "", line.lstrip("# ").lower()).replace(" ", "-") for line in lines}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(HOME)))
def test_links_lead_somewhere(page: Path) -> None:
    for target, heading in _LINK.findall(page.read_text(encoding="utf-8")):
        if target.startswith(("http://", "https://")):
            continue
        file = page.parent / target if target else page
        assert file.exists(), f"{target} is not there"
        assert not heading or heading in headings(file), f"{target} has no heading {heading}"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(HOME)))
def test_commands_are_verbs(page: Path) -> None:
    code = re.findall(r"`[^`\n]+`|```.*?```", page.read_text(encoding="utf-8"), re.DOTALL)
    named = {verb for part in code for verb in _COMMAND.findall(part)}
    assert named <= set(VERBS)
