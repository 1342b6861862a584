"""Small files that would take a large machine: built in little memory, or refused in a sentence."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.hostile.limited import run

EX = "http://example.org/"
TYPE = "http://www.w3.org/1999/02/22-rdf-syntax-ns#type"
SUB = "http://www.w3.org/2000/01/rdf-schema#subClassOf"


def chain(levels: int) -> str:
    return "".join(f"<{EX}C{n}> <{SUB}> <{EX}C{n + 1}> .\n" for n in range(levels))


@pytest.mark.slow
def test_twenty_thousand_levels_of_classes(tmp_path: Path) -> None:
    """One member at the bottom belongs to all of them; the rest of the pairs nobody asks for."""
    (tmp_path / "g.nt").write_text(f"{chain(20_000)}<{EX}a> <{TYPE}> <{EX}C0> .\n")
    ended = run("index", str(tmp_path / "g.nt"), "--out", str(tmp_path / "kb"), memory=3 << 29, seconds=120)
    assert ended.code == 0, ended
    counted = run("run", f"(COUNT <{EX}C20000>)", "--kb", str(tmp_path / "kb"))
    assert counted.out.strip() == "1"


@pytest.mark.slow
def test_members_at_every_level_are_too_many(tmp_path: Path) -> None:
    members = "".join(f"<{EX}a{n}> <{TYPE}> <{EX}C{n}> .\n" for n in range(20_000))
    (tmp_path / "g.nt").write_text(chain(20_000) + members)
    ended = run("index", str(tmp_path / "g.nt"), "--out", str(tmp_path / "kb"), memory=3 << 29, seconds=120)
    assert ended.is_a_sentence, ended
    assert "closed_classes" in ended.err
    (tmp_path / "profile.json").write_text('{"closed_classes": false}')
    options = ("--profile", str(tmp_path / "profile.json"))
    ended = run("index", str(tmp_path / "g.nt"), "--out", str(tmp_path / "kb"), *options, seconds=120)
    assert ended.code == 0, ended
