"""A folder that is written takes the place of its like only, and what is not its own stays."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from arcaneqa.lab.training.prepared import PREPARED
from arcaneqa.support.errors import InputError
from arcaneqa.support.outputs import FolderKind
from arcaneqa.support.sealed import MODEL


@pytest.mark.parametrize("kind", [PREPARED, MODEL])
def test_models_and_prepared_sets_keep_what_is_not_theirs(kind: FolderKind, tmp_path: Path) -> None:
    target = tmp_path / "out"
    manifest = {"format": 1, "questions": 1, "model": {}, "encoder": {}}
    for part in ("one", "two"):
        with kind.replacing(target) as draft:
            (draft / kind.manifest).write_text(json.dumps(manifest | {"files": {part: ""}}))
            (draft / part).touch()
        (target / "notes.txt").write_text("mine")
    assert {path.name for path in target.iterdir()} == {kind.manifest, "two", "notes.txt"}
    shutil.rmtree(target)
    target.mkdir()
    (target / "thesis.txt").write_text("mine")
    with pytest.raises(InputError, match="give --out a new folder"), kind.replacing(target):
        raise AssertionError("never comes here")
    assert (target / "thesis.txt").read_text() == "mine"
