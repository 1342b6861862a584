"""What is written takes its place whole or not at all."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Barrier

import pytest

from arcaneqa.support import files
from arcaneqa.support.errors import InputError
from arcaneqa.support.files import beside, replacing


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
        monkeypatch.setattr(files, "_exchanged", lambda *_: False)
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


def test_threads_that_write_the_same_file_do_not_write_into_each_other(tmp_path: Path) -> None:
    path, both = tmp_path / "note", Barrier(2)

    def write(letter: str) -> None:
        with beside(path) as draft, draft.open("w") as file:
            for _ in range(100):
                both.wait()
                file.write(letter)

    with ThreadPoolExecutor(2) as threads:
        list(threads.map(write, "ab"))
    assert path.read_text() in ("a" * 100, "b" * 100)
    assert names(tmp_path) == ["note"]
