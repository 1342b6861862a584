"""What is compiled is kept in our own folder, or nowhere."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numba
import pytest

from arcaneqa.kb.build import build_index
from arcaneqa.support import compiled as room
from arcaneqa.support import loops
from tests.hostile.limited import environment


def double(number: int) -> int:
    return 2 * number


@pytest.fixture
def nothing_known(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(numba.config, "CACHE_DIR", "")
    monkeypatch.delenv("NUMBA_CACHE_DIR", raising=False)
    loops.folder.cache_clear()


@pytest.mark.usefixtures("nothing_known")
def test_kept_in_our_own_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    try:
        assert room.compiled(double)(4) == 8
    finally:
        loops.folder.cache_clear()
    assert list((tmp_path / "arcaneqa" / "compiled").rglob("*.nbc"))
    assert not list(Path(__file__).parent.rglob("*double*.nbc"))
    assert not room._settings.CACHE_DIR, "what others compile is theirs to place"


@pytest.mark.usefixtures("nothing_known")
def test_without_a_folder_nothing_is_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file"))
    try:
        assert room.compiled(double)(4) == 8
    finally:
        loops.folder.cache_clear()
    assert not list(Path(__file__).parent.rglob("*double*.nbc"))


def test_what_is_kept_is_loaded_without_the_compiler(tmp_path: Path) -> None:
    (tmp_path / "loops.py").write_text(
        "import numpy as np\n"
        "from arcaneqa.support.compiled import compiled\n"
        "@compiled\n"
        "def doubled(values):\n"
        "    found = np.empty(len(values), np.int64)\n"
        "    for place in range(len(values)):\n"
        "        found[place] = 2 * values[place]\n"
        "    return found\n"
        "@compiled\n"
        "def quadrupled(values):\n"
        "    return doubled(doubled(values))\n"
    )
    variables = environment() | {"XDG_CACHE_HOME": str(tmp_path), "PYTHONPATH": os.pathsep.join(sys.path)}
    run = "import sys, loops, numpy as np; assert loops.{0}(np.arange(3)).tolist() == {1}; "
    ready = "assert ('numba.typed.typeddict' in sys.modules) == {2}"
    # Compiled, loaded, and loaded on the way to something that is compiled.
    for name, expected, compiles in (
        ("doubled", [0, 2, 4], True),
        ("doubled", [0, 2, 4], False),
        ("quadrupled", [0, 4, 8], True),
        ("quadrupled", [0, 4, 8], False),
    ):
        program = (run + ready).format(name, expected, compiles)
        subprocess.run([sys.executable, "-c", program], env=variables, check=True, cwd=tmp_path)


@pytest.mark.parametrize("fault", ["another version", "cut off"])
def test_what_cannot_be_read_is_compiled_again(tmp_path: Path, fault: str) -> None:
    (tmp_path / "loops.py").write_text(
        "from arcaneqa.support.compiled import compiled\n@compiled\ndef first(pair):\n    return pair.one\n"
    )
    (tmp_path / "old.py").write_text("from typing import NamedTuple\nclass Pair(NamedTuple):\n    one: int\n")
    variables = environment() | {"XDG_CACHE_HOME": str(tmp_path), "PYTHONPATH": os.pathsep.join(sys.path)}
    run = "import loops, {0}; assert loops.first({0}.Pair(3)) == 3; assert loops.first.stats.{1}"

    def asked(module: str, expected: str) -> None:
        program = run.format(module, expected)
        subprocess.run([sys.executable, "-c", program], env=variables, check=True, cwd=tmp_path)

    asked("old", "cache_misses")
    asked("old", "cache_hits")
    module = "old"
    if fault == "another version":
        (tmp_path / "old.py").rename(tmp_path / "new.py")
        module = "new"
    else:
        for kept in (tmp_path / "arcaneqa").rglob("*.nb?"):
            kept.write_bytes(kept.read_bytes()[:-20])
    asked(module, "cache_misses")
    asked(module, "cache_hits")


@pytest.mark.slow
def test_compiled_ahead_the_first_question_need_not_wait(tmp_path: Path) -> None:
    variables = environment() | {"XDG_CACHE_HOME": str(tmp_path)}
    facts = tmp_path / "facts.ttl"
    facts.write_text("@prefix : <http://example.org/> . :oslo :country :norway ; :people 700000 .")
    build_index([facts], tmp_path / "index")
    ahead = (
        "from pathlib import Path; from arcaneqa.apps.compiling import compile_ahead; "
        f"compile_ahead(print, Path({str(tmp_path / 'index')!r}))"
    )
    asked = ahead + (
        "; from arcaneqa.int8.kernels import encode; from arcaneqa.kb.index.steps import leading\n"
        "from arcaneqa.int8 import product_loops\n"
        "for stats in (encode.stats, leading.stats, product_loops.multiply.stats, "
        "product_loops.read_words.stats):\n"
        "    assert sum(stats.cache_hits.values()) == 1 and not stats.cache_misses, stats"
    )
    for program in (ahead, asked):
        subprocess.run([sys.executable, "-c", program], env=variables, check=True)


def test_the_clock_of_a_search_stands_still_while_loops_are_compiled() -> None:
    def inner(number: int) -> int:
        return number + 1

    compile_now: Any = numba.njit
    called = compile_now(inner)

    def outer(number: int) -> int:
        return int(called(number) * 2)

    fresh = compile_now(outer)
    before, began = loops.working_time(), time.monotonic()
    assert fresh(4) == 10
    passed, worked = time.monotonic() - began, loops.working_time() - before
    assert 0 <= worked < passed, "what it calls is compiled inside of it and counts once"
    before = loops._account.compiling
    assert fresh(5) == 12
    assert loops._account.compiling == before, "nothing was compiled"
