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


@pytest.mark.parametrize("part", ["aA", "a_", "a.", "a/", "%41", "1"])
def test_a_long_iri_takes_no_longer_than_its_letters(tmp_path: Path, part: str) -> None:
    name = part * (60_000 // len(part))
    facts = f"<http://x/{name}> <http://x/p> <http://x/b> .\n<http://x/a> <http://x/{name}> <http://x/b> .\n"
    (tmp_path / "f.nt").write_text(facts)
    ended = run("index", str(tmp_path / "f.nt"), "--out", str(tmp_path / "kb"), seconds=20)
    assert ended.code == 0, ended


def test_many_columns_take_no_longer_than_their_number(tmp_path: Path) -> None:
    columns = range(700)
    rows = (",".join(f"col{number}" for number in columns), ",".join(map(str, columns)))
    (tmp_path / "x.csv").write_text("\n".join(rows) + "\n")
    ended = run("index", str(tmp_path / "x.csv"), "--out", str(tmp_path / "kb"), memory=4 << 30)
    assert ended.code == 0, ended
    assert "703 relations" in ended.out, ended
