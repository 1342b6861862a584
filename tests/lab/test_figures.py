from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from arcaneqa.lab.figures import refuse_dirty_tree, write_section
from arcaneqa.support.errors import InputError


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    folder = tmp_path / "project"
    (folder / "docs").mkdir(parents=True)
    (folder / "code.py").write_text("1\n")
    (folder / "docs" / "page.md").write_text("# Page\n")
    who = ["-c", "user.name=nobody", "-c", "user.email=nobody@example.org"]
    for command in (["init", "-q"], ["add", "."], [*who, "commit", "-qm", "first"]):
        subprocess.run(["git", "-C", str(folder), *command], check=True)
    return folder


def test_figures_are_of_a_commit(checkout: Path, tmp_path: Path) -> None:
    page = checkout / "docs" / "page.md"
    refuse_dirty_tree(page, checkout)
    page.write_text("# Page\nanother section of the same run\n")
    refuse_dirty_tree(page, checkout)
    (checkout / "code.py").write_text("2\n")
    with pytest.raises(InputError, match=r"code\.py.*commit them first"):
        refuse_dirty_tree(page, checkout)
    refuse_dirty_tree(tmp_path / "elsewhere.md", checkout)


def test_a_section_takes_the_place_of_its_older_self(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    write_section(page, "one", "One", "first command", "old body")
    write_section(page, "two", "Two", "second command", "kept \\1")
    write_section(page, "one", "One", "third command", "new body")
    text = page.read_text()
    assert "old body" not in text
    assert text.index("new body") < text.index("kept \\1")
