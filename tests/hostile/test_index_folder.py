"""An index takes the place of an index only: whatever else is in its folder or beside it stays."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from arcaneqa.kb.build import build_index
from arcaneqa.kb.index import Index
from arcaneqa.support.errors import InputError

FACTS = '<http://x/a> <http://x/p> <http://x/b> .\n<http://x/a> <http://x/name> "Anna" .\n'
SECRET = "what somebody worked on for years"


@pytest.fixture
def index(tmp_path: Path) -> Path:
    (tmp_path / "facts.nt").write_text(FACTS)
    build_index([tmp_path / "facts.nt"], tmp_path / "kb")
    return tmp_path / "kb"


def test_a_new_index_keeps_what_is_not_of_the_old_one(index: Path) -> None:
    """Judgements that a running service writes there, notes, the source itself."""
    facts = index / "facts.nt"
    facts.write_text(FACTS + '<http://x/c> <http://x/name> "Carl" .\n')
    (index / "notes" / "deep").mkdir(parents=True)
    (index / "notes" / "deep" / "thesis.txt").write_text(SECRET)
    (index / "link").symlink_to("notes")
    feedback = index / "feedback.jsonl"
    feedback.write_text("one\n")
    with feedback.open("a") as writing:
        build_index([facts], index)
        writing.write("two\n")
    assert feedback.read_text() == "one\ntwo\n"
    assert (index / "link" / "deep" / "thesis.txt").read_text() == SECRET
    assert len(facts.read_text().splitlines()) == 3
    with Index(index) as kb:
        assert kb.profile is not None
    build_index([facts], index)
    assert (index / "notes" / "deep" / "thesis.txt").read_text() == SECRET


def test_a_file_that_a_new_index_needs_the_name_of_stops_it(index: Path) -> None:
    manifest = json.loads((index / "manifest.json").read_text())
    del manifest["files"]["out.keys.bin"]  # as if the old one had had none
    (index / "manifest.json").write_text(json.dumps(manifest))
    (index / "out.keys.bin").write_text(SECRET)
    with pytest.raises(InputError, match=r"out\.keys\.bin is in the way"):
        build_index([index.parent / "facts.nt"], index)
    assert (index / "out.keys.bin").read_text() == SECRET


@pytest.mark.parametrize("name", [".kb.building", ".kb.lock"])
def test_a_name_beside_the_index_may_be_taken(name: str, index: Path) -> None:
    place = index.parent / name
    if name.endswith("lock"):
        place.write_text(SECRET)
    else:
        place.mkdir()
        (place / "thesis.txt").write_text(SECRET)
    with pytest.raises(InputError, match="is in the way"):
        build_index([index.parent / "facts.nt"], index)
    file = place if place.is_file() else place / "thesis.txt"
    assert file.read_text() == SECRET
    # A build that was killed leaves one that is ours.
    shutil.rmtree(place) if place.is_dir() else place.unlink()
    if name.endswith("building"):
        shutil.copytree(index, place)
    build_index([index.parent / "facts.nt"], index)
