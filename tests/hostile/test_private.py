"""Nobody else sees what is kept of private files, and nothing that others could have put there is trusted."""

from __future__ import annotations

import os
import random
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from arcaneqa.kb.build import build_index
from arcaneqa.kb.index import Index, index
from arcaneqa.kb.open import open_kb
from arcaneqa.support import files, loops
from arcaneqa.support.errors import InputError
from tests.hostile.limited import environment, run

FACTS = "<http://x/a> <http://x/p> <http://x/b> .\n"


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return tmp_path / "cache" / "arcaneqa"


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


@pytest.fixture
def facts(tmp_path: Path) -> Path:
    path = tmp_path / "facts.nt"
    path.write_text(FACTS)
    path.chmod(0o600)
    return path


def test_the_cache_is_for_nobody_else(cache: Path, facts: Path) -> None:
    cache.mkdir(parents=True, mode=0o755)
    open_kb(facts)
    assert mode(cache) == 0o700


def test_earlier_versions_and_builds_that_did_not_end_are_swept(cache: Path, facts: Path) -> None:
    other = facts.with_name("other.nt")
    other.write_text(FACTS)
    open_kb(other)
    open_kb(facts)
    killed = cache / "files" / f"{'a' * 16}-{'b' * 16}-killed"
    killed.mkdir()
    os.utime(killed, (0, 0))
    (cache / "files" / ("c" * 16)).mkdir()  # as earlier versions of this package named them
    facts.write_text(FACTS.replace("/b>", "/c>"))
    assert open_kb(facts).counts["facts"] == 1  # type: ignore[attr-defined]
    assert len(list((cache / "files").iterdir())) == 2
    open_kb(other)
    assert len(list((cache / "files").iterdir())) == 2


@pytest.mark.parametrize(("source", "expected"), [(0o600, 0o700), (0o640, 0o750), (0o644, 0o755)])
def test_an_index_is_as_private_as_its_sources(
    tmp_path: Path, facts: Path, source: int, expected: int
) -> None:
    facts.chmod(source)
    public = tmp_path / "public.nt"
    public.write_text(FACTS)
    public.chmod(0o644)
    before = os.umask(0o022)
    try:
        build_index([public, facts], tmp_path / "kb")
        assert mode(tmp_path / "kb") == expected
        (tmp_path / "kb").chmod(0o711)
        build_index([facts], tmp_path / "kb")
        assert mode(tmp_path / "kb") == 0o711, "who opened it to others meant to"
    finally:
        os.umask(before)


def test_a_note_that_others_may_write_is_not_trusted(
    cache: Path, facts: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    build_index([facts], tmp_path / "kb")
    (cache / "whole").mkdir(parents=True, exist_ok=True)
    (cache / "whole").chmod(0o777)
    looks: list[Path] = []
    monkeypatch.setattr(index, "check_contents", lambda folder, _: looks.append(folder))
    for _ in range(2):
        Index(tmp_path / "kb").close()
    assert len(looks) == 2


@pytest.mark.parametrize("rights", [0o777, 0o775])
def test_loops_in_a_folder_that_others_may_write_to_are_not_loaded(
    cache: Path, monkeypatch: pytest.MonkeyPatch, rights: int
) -> None:
    monkeypatch.delenv("NUMBA_CACHE_DIR", raising=False)
    loops.folder.cache_clear()
    try:
        assert loops.folder() == cache / "compiled"
        loops.folder.cache_clear()
        (cache / "compiled").chmod(rights)
        assert loops.folder() is None
        loops.folder.cache_clear()
        monkeypatch.setenv("NUMBA_CACHE_DIR", str(cache / "compiled"))
        assert loops.folder() is None
    finally:
        loops.folder.cache_clear()


def test_loops_that_were_changed_on_disk_are_compiled_again(tmp_path: Path) -> None:
    """A flipped bit in machine code, or in the pickle around it, is not run."""
    (tmp_path / "loops.py").write_text(
        "from arcaneqa.support.compiled import compiled\n"
        "@compiled\ndef triple(number):\n    return 3 * number\n"
        "print(triple(14))\n"
    )
    given = environment() | {"XDG_CACHE_HOME": str(tmp_path / "cache"), "NUMBA_CACHE_DIR": ""}

    def loaded() -> str:
        command = [sys.executable, str(tmp_path / "loops.py")]
        done = subprocess.run(command, env=given, capture_output=True, text=True, check=False)
        return done.stdout or f"{done.returncode}: {done.stderr}"

    assert loaded() == "42\n"
    kept = [path for path in (tmp_path / "cache").rglob("*.nb[ci]") if "triple" in path.name]
    assert len(kept) == 2
    draw = random.Random(17)
    for path in kept:
        whole = path.read_bytes()
        for _ in range(2):
            changed = bytearray(whole)
            changed[draw.randrange(len(changed))] ^= 1 << draw.randrange(8)
            path.write_bytes(changed)
            assert loaded() == "42\n"
        path.write_bytes(b"cos\nsystem\n(S'echo owned'\ntR.")
        assert loaded() == "42\n"
        path.write_bytes(whole)


def test_without_a_home_nothing_is_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As in a container for a user that the system has no entry of."""

    def none(_: str) -> Path:
        raise RuntimeError("could not determine the home directory")

    monkeypatch.setattr(files, "user_cache_path", none)
    with pytest.raises(OSError, match="no home folder"):
        files.cache_folder("whole")
    (tmp_path / "f.nt").write_text(FACTS)
    build_index([tmp_path], tmp_path / "kb")
    Index(tmp_path / "kb").close()
    with pytest.raises(InputError, match="XDG_CACHE_HOME"):
        open_kb(tmp_path / "f.nt")


def test_a_cache_in_the_way_is_a_sentence(tmp_path: Path) -> None:
    (tmp_path / ".cache").write_text("")
    assert run("info", home=tmp_path).is_a_sentence
