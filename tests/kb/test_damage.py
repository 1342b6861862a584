"""Killed at any moment, out of disk or damaged on it: the old index is whole, and no half index opens."""

from __future__ import annotations

import json
import os
import resource
import signal
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from arcaneqa.errors import IndexFormatError, InputError
from arcaneqa.kb.build import build_index, target
from arcaneqa.kb.index import Index
from arcaneqa.kb.store import MANIFEST, Draft, verify
from arcaneqa.kb.terms import XSD, Iri

EX = "http://example.org/"


def source(folder: Path, word: str) -> Path:
    path = folder / f"{word}.nt"
    lines = [
        f'<{EX}{word}{n}> <{EX}p> <{EX}{word}{n % 5}> .\n<{EX}{word}{n}> <{EX}v> "{n}"^^<{XSD}int> .\n'
        for n in range(50)
    ]
    path.write_text("".join(lines))
    return path


@pytest.fixture
def old(tmp_path: Path) -> Path:
    build_index([source(tmp_path, "old")], tmp_path / "index")
    return tmp_path / "index"


def is_whole(folder: Path, word: str) -> bool:
    assert list(verify(folder))
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
    exchanged = target._exchanged

    def exchange(left: Path, right: Path) -> bool:
        if moment == "before the exchange":
            die()
        done = exchanged(left, right)
        die()
        return done

    def work() -> None:
        monkeypatch.setattr(target, "_exchanged", exchange)
        if moment == "before sealing":
            monkeypatch.setattr(Draft, "seal", lambda *_: die())
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
    with pytest.raises(IndexFormatError, match="is not an index"):
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
    with target.building(old) as folder:
        for _ in range(2):
            with pytest.raises(InputError, match="Another build"), target.building(old):
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
                list(verify(old))
            with pytest.raises(IndexFormatError):
                Index(old)
        path.write_bytes(data)
    assert is_whole(old, "old")


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
