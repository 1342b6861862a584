"""Killed at any moment, out of disk or damaged on it: the old index is whole, and no half index opens."""

from __future__ import annotations

import json
import os
import resource
import shutil
import signal
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from arcaneqa.kb.build import build, build_index, dictionary
from arcaneqa.kb.index import Index, store
from arcaneqa.kb.index.store import MANIFEST, IndexDraft, verify
from arcaneqa.kb.terms import XSD, Iri
from arcaneqa.support import files
from arcaneqa.support.errors import IndexFormatError, InputError

EX = "http://example.org/"


def source(folder: Path, word: str) -> Path:
    path = folder / f"{word}.nt"
    lines = [
        f'<{EX}{word}{n}> <{EX}p> <{EX}{word}{n % 5}> .\n<{EX}{word}{n}> <{EX}v> "{n}"^^<{XSD}int> .\n'
        for n in range(50)
    ]
    path.write_text("".join(lines))
    return path


@pytest.fixture(autouse=True)
def _like_a_large_graph(monkeypatch: pytest.MonkeyPatch) -> None:
    """All stages of a build, also those that small graphs do without."""
    monkeypatch.setattr(dictionary, "MANY", 0)


@pytest.fixture
def old(tmp_path: Path) -> Path:
    build_index([source(tmp_path, "old")], tmp_path / "index")
    return tmp_path / "index"


def is_whole(folder: Path, word: str) -> bool:
    assert verify(folder)
    with Index(folder) as kb:
        return kb.node(Iri(f"{EX}{word}0")) is not None


def in_child(work: Callable[[], None]) -> int:
    """Run in a process of its own; how it ended, as a shell would say."""
    child = os.fork()
    if child == 0:
        code = 1
        try:
            sys.stdout = sys.stderr = open(os.devnull, "w")  # noqa: SIM115, PTH123
            work()
            code = 0
        except InputError:
            code = 2
        finally:
            os._exit(code)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def die() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def stages(folder: Path) -> list[str]:
    seen: list[str] = []

    def watch(stage: str, done: int, total: int | None) -> None:
        del done, total
        seen.append(stage)

    build_index([source(folder, "probe")], folder / "probe", progress=watch, batch=20)
    return seen


STAGES = [
    "reading statements",
    "finding equal names",
    "merging names",
    "finding groups",
    "grouping entities",
    "dealing facts",
    "sorting facts",
    "listing relations",
    "describing the schema",
    "listing names for linking",
    "sealing",
]


def test_stages_are_these(tmp_path: Path) -> None:
    assert list(dict.fromkeys(stages(tmp_path))) == STAGES


@pytest.mark.parametrize("stage", STAGES)
def test_killed_while(old: Path, stage: str) -> None:
    new = source(old.parent, "new")

    def kill_at(now: str, done: int, total: int | None) -> None:
        del done, total
        if now == stage:
            die()

    assert in_child(lambda: void(build_index([new], old, progress=kill_at, batch=20))) == -signal.SIGKILL
    assert is_whole(old, "old")
    build_index([new], old)
    assert is_whole(old, "new")
    assert sorted(path.name for path in old.parent.iterdir()) == ["index", "new.nt", "old.nt"]


def void(_: object) -> None:
    """For a lambda that must return nothing."""


@pytest.mark.parametrize("moment", ["before sealing", "before the exchange", "after the exchange"])
def test_killed_at_the_end(old: Path, monkeypatch: pytest.MonkeyPatch, moment: str) -> None:
    exchanged = files._exchanged

    def exchange(left: Path, right: Path) -> bool:
        if moment == "before the exchange":
            die()
        done = exchanged(left, right)
        die()
        return done

    def work() -> None:
        monkeypatch.setattr(files, "_exchanged", exchange)
        if moment == "before sealing":
            monkeypatch.setattr(IndexDraft, "seal", lambda *_: die())
        build_index([source(old.parent, "new")], old)

    assert in_child(work) == -signal.SIGKILL
    assert is_whole(old, "new" if moment == "after the exchange" else "old")


def test_a_first_build_that_is_killed_leaves_nothing_that_opens(tmp_path: Path) -> None:
    facts = source(tmp_path, "new")

    def kill(stage: str, done: int, total: int | None) -> None:
        del done, total
        if stage == "sealing":
            die()

    assert in_child(lambda: void(build_index([facts], tmp_path / "index", progress=kill))) == -signal.SIGKILL
    assert not (tmp_path / "index").exists()
    with pytest.raises(IndexFormatError, match="is not an index yet"):
        Index(tmp_path / ".index.building")


@pytest.mark.parametrize("most", [100, 300, 1000, 6000])
def test_out_of_disk(old: Path, most: int) -> None:
    new = source(old.parent, "new")

    def work() -> None:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (most, most))
        build_index([new], old)

    assert in_child(work) == 2
    assert is_whole(old, "old")
    assert sorted(path.name for path in old.parent.iterdir()) == ["index", "new.nt", "old.nt"]


def test_two_builds_at_once(old: Path) -> None:
    with build.building(old) as folder:
        for _ in range(2):
            with pytest.raises(InputError, match="Another build"), build.building(old):
                pass
        for path in old.iterdir():
            path.rename(folder / path.name)
    assert sorted(path.name for path in old.parent.iterdir()) == ["index", "old.nt"]


def test_an_open_index_outlives_its_replacement(old: Path) -> None:
    with Index(old) as kb:
        build_index([source(old.parent, "new")], old)
        assert kb.node(Iri(f"{EX}old0")) is not None
        assert kb.node(Iri(f"{EX}new0")) is None


def test_every_flipped_byte_is_found(old: Path) -> None:
    for path in sorted(path for path in old.rglob("*") if path.is_file()):
        data = path.read_bytes()
        for place in {0, len(data) // 2, len(data) - 1} if data else ():
            path.write_bytes(data[:place] + bytes([data[place] ^ 0x10]) + data[place + 1 :])
            with pytest.raises(IndexFormatError):
                verify(old)
            with pytest.raises(IndexFormatError):
                Index(old)
        path.write_bytes(data)
    assert is_whole(old, "old")


@pytest.fixture
def large(old: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An index all of whose files count as large, opened once before; nothing else knows it."""
    monkeypatch.setattr(store, "_SMALL", -1)
    monkeypatch.setattr(store, "_CLOCK", 0)
    monkeypatch.setattr(files, "user_cache_path", lambda _: tmp_path / "cache")
    Index(old).close()
    return old


def test_a_flipped_byte_of_a_large_file_is_found(large: Path) -> None:
    for path in sorted(path for path in large.glob("*.bin") if path.stat().st_size):
        data = path.read_bytes()
        with path.open("r+b") as file:
            file.write(bytes([data[0] ^ 0x10]))
        with pytest.raises(IndexFormatError, match="does not match its checksum"):
            Index(large)
        path.write_bytes(data)
        Index(large).close()


def test_a_flipped_byte_in_a_copy_is_found_though_its_times_are_the_same(large: Path) -> None:
    copy = large.with_name("copy")
    shutil.copytree(large, copy)
    Index(copy).close()
    path = copy / "out.values.bin"
    before = path.stat()
    with path.open("r+b") as file:
        file.write(b"\xff")
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
    with pytest.raises(IndexFormatError, match="does not match its checksum"):
        Index(copy)


def test_large_files_are_read_once(large: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def unread(path: Path) -> str:
        raise AssertionError(f"{path} was read again")

    monkeypatch.setattr(store, "file_digest", unread)
    Index(large).close()
    with pytest.raises(AssertionError, match="read again"):
        verify(large)


def test_a_change_within_a_tick_of_the_clock_is_found(large: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Files that were touched just now are not trusted: their next change might leave the same time."""
    monkeypatch.setattr(store, "_CLOCK", 60 * 10**9)
    (large / "out.values.bin").touch()
    Index(large).close()
    read: list[Path] = []
    digest = store.file_digest

    def watched(path: Path) -> str:
        read.append(path)
        return digest(path)

    monkeypatch.setattr(store, "file_digest", watched)
    Index(large).close()
    assert large / "out.values.bin" in read


def test_where_no_note_can_be_kept_files_are_read_each_time(
    large: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setattr(files, "user_cache_path", lambda _: tmp_path / "file")
    Index(large).close()
    with (large / "out.values.bin").open("r+b") as file:
        file.write(b"\xff")
    with pytest.raises(IndexFormatError, match="does not match its checksum"):
        Index(large)


def test_every_missing_or_short_file_is_found(old: Path) -> None:
    for path in sorted(path for path in old.rglob("*") if path.is_file()):
        data = path.read_bytes()
        if data:
            path.write_bytes(data[:-1])
            with pytest.raises(IndexFormatError):
                Index(old)
        path.unlink()
        with pytest.raises(IndexFormatError, match=r"is not an index|is missing"):
            Index(old)
        path.write_bytes(data)
    assert is_whole(old, "old")


@pytest.mark.parametrize(
    ("change", "complaint"),
    [({"version": 99}, "version 99"), ({"format": "other"}, "is not an index"), ({"counts": {}}, "checksum")],
)
def test_other_manifests_are_refused(old: Path, change: dict[str, object], complaint: str) -> None:
    manifest = json.loads((old / MANIFEST).read_text())
    (old / MANIFEST).write_text(json.dumps({**manifest, **change}))
    with pytest.raises(IndexFormatError, match=complaint):
        Index(old)


def test_no_folder_at_all(tmp_path: Path) -> None:
    with pytest.raises(IndexFormatError, match="is not an index"):
        Index(tmp_path / "nowhere")
