"""What is written takes its place whole or not at all."""

from __future__ import annotations

from pathlib import Path

import pytest

from arcaneqa import atomic
from arcaneqa.atomic import beside, replacing
from arcaneqa.errors import InputError


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_a_file_is_replaced_when_it_is_whole(tmp_path: Path) -> None:
    path = tmp_path / "file.txt"
    for text in ("first", "second"):
        with replacing(path) as file:
            file.write(text)
            assert not path.exists() or path.read_text() == "first"
        assert path.read_text() == text
    assert names(path.parent) == ["file.txt"]


def test_an_error_leaves_what_was_there(tmp_path: Path) -> None:
    path = tmp_path / "file.txt"
    path.write_text("old")
    with pytest.raises(ValueError, match="surrogates"), replacing(path) as file:
        file.write("half a character: \ud800")
    assert path.read_text() == "old"
    assert names(tmp_path) == ["file.txt"]


@pytest.mark.parametrize("can_exchange", [True, False])
def test_a_folder_is_replaced_whole(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, can_exchange: bool
) -> None:
    if not can_exchange:
        monkeypatch.setattr(atomic, "_exchanged", lambda *_: False)
    target = tmp_path / "model"
    for part in ("one", "two"):
        with beside(target) as draft:
            draft.mkdir()
            (draft / part).touch()
    assert names(target) == ["two"]
    with pytest.raises(FileNotFoundError), beside(target) as draft:
        (draft / "nowhere").touch()
    assert names(target) == ["two"]
    assert names(tmp_path) == ["model"]


def test_what_cannot_be_written_is_a_sentence(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(InputError, match="cannot be written"), replacing(tmp_path / "file" / "inside.txt"):
        raise AssertionError("never comes here")
