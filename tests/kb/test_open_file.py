"""Asking a file: it is indexed into the cache by its content."""

from __future__ import annotations

from pathlib import Path

import pytest

from arcaneqa.kb.index import Index
from arcaneqa.kb.open import open_kb
from arcaneqa.support.errors import IndexFormatError, InputError


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return tmp_path / "cache" / "arcaneqa" / "files"


def facts(kb: object) -> int:
    assert isinstance(kb, Index)
    return kb.counts["facts"]


def test_a_file_is_indexed_once_and_again_when_it_changes(tmp_path: Path, cache: Path) -> None:
    source = tmp_path / "data.nt"
    source.write_text("<a:a> <a:p> <a:b> .\n", encoding="utf-8")
    stages: list[str] = []

    def progress(stage: str, _: int, __: int | None) -> None:
        stages.append(stage)

    assert facts(open_kb(source, progress)) == 1
    assert stages
    stages.clear()
    assert facts(open_kb(str(source), progress)) == 1
    assert not stages
    source.write_text("<a:a> <a:p> <a:b> .\n<a:a> <a:p> <a:c> .\n", encoding="utf-8")
    assert facts(open_kb(source)) == 2
    assert len(list(cache.iterdir())) == 1, "the earlier version is nobody's any more"


def test_a_folder_of_files_is_asked_as_one(tmp_path: Path, cache: Path) -> None:
    folder = tmp_path / "data"
    folder.mkdir()
    (folder / "one.nt").write_text("<a:a> <a:p> <a:b> .\n", encoding="utf-8")
    assert facts(open_kb(folder)) == 1
    (folder / "two.nt").write_text("<a:a> <a:p> <a:c> .\n", encoding="utf-8")
    assert facts(open_kb(folder)) == 2
    assert len(list(cache.iterdir())) == 1, "the earlier version is nobody's any more"
    (tmp_path / "empty").mkdir()
    with pytest.raises(IndexFormatError, match="is not an index"):
        open_kb(tmp_path / "empty")


def test_what_cannot_be_asked_is_refused_in_a_sentence(tmp_path: Path, cache: Path) -> None:
    with pytest.raises(IndexFormatError, match="There is no"):
        open_kb(tmp_path / "nothing.ttl")
    (tmp_path / "letter.docx").write_text("dear sir", encoding="utf-8")
    with pytest.raises(InputError, match=r"format of .*letter\.docx is not known"):
        open_kb(tmp_path / "letter.docx")
    assert not list(cache.iterdir())
