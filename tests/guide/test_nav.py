"""Every page is in the guide's contents, and everything that the built guide loads comes from it."""

from __future__ import annotations

import re
import runpy
from pathlib import Path

HOME = Path(__file__).parents[2]


def test_every_page_is_in_the_contents() -> None:
    listed = set(re.findall(r": ([\w/-]+\.md)$", (HOME / "mkdocs.yml").read_text(), re.MULTILINE))
    pages = [*(HOME / "docs").glob("*.md"), *(HOME / "docs" / "measurements").glob("*.md")]
    there = {str(page.relative_to(HOME / "docs")) for page in pages}
    assert listed == there, "add the page to `nav` in mkdocs.yml, or take it out"


def test_what_is_loaded_from_elsewhere_is_found(tmp_path: Path) -> None:
    outside = runpy.run_path(str(HOME / "docs" / "guide" / "outside.py"))["outside"]
    links = '<a href="https://example.org/">a link</a><link rel="canonical" href="https://example.org/">'
    (tmp_path / "good.html").write_text(f'<script src="js/own.js"></script><img src="own.png">{links}')
    assert outside(tmp_path) == []
    style = '<link rel="stylesheet" href="//fonts.example.org/b.css">'
    (tmp_path / "bad.html").write_text(f'<script src="https://cdn.example.org/a.js"></script>{style}')
    (tmp_path / "bad.css").write_text("@font-face { src: url(https://fonts.example.org/c.woff2); }")
    assert len(outside(tmp_path)) == 3
