"""The result cache: bounded, shared between processes, never the cause of a failure."""

from __future__ import annotations

import multiprocessing
import random
from pathlib import Path

import pytest

from arcaneqa.kb.endpoint.client import ResultCache

MIB = 2**20


def _body(number: int, size: int) -> bytes:
    return random.Random(number).randbytes(size)


def test_gives_back_what_was_put(tmp_path: Path) -> None:
    cache = ResultCache(tmp_path / "deep" / "results.db", MIB, 60)
    assert cache.get("q") is None
    cache.put("q", b"rows")
    assert cache.get("q") == b"rows"
    cache.close()
    again = ResultCache(tmp_path / "deep" / "results.db", MIB, 60)
    assert again.get("q") == b"rows"
    again.close()


def test_stays_below_its_size_and_keeps_what_is_used(tmp_path: Path) -> None:
    path = tmp_path / "results.db"
    cache = ResultCache(path, 2 * MIB, 60)
    cache.put("often", b"used")
    for number in range(200):
        cache.put(str(number), _body(number, 50_000))
        assert cache.get("often") == b"used"
    assert cache.get("0") is None
    assert cache.get("199") == _body(199, 50_000)
    cache.put("huge", _body(0, 3 * MIB))
    assert cache.get("huge") is None
    cache.close()
    assert path.stat().st_size < 2.5 * MIB


def test_forgets_what_is_old(tmp_path: Path) -> None:
    cache = ResultCache(tmp_path / "results.db", MIB, age=-1)
    cache.put("q", b"rows")
    assert cache.get("q") is None
    cache.close()


def test_starts_anew_when_the_file_is_damaged(tmp_path: Path) -> None:
    path = tmp_path / "results.db"
    path.write_bytes(b"this is no database" * 100)
    cache = ResultCache(path, MIB, 60)
    cache.put("q", b"rows")
    assert cache.get("q") == b"rows"
    cache.close()


@pytest.mark.parametrize("use", ["folder", "file"])
def test_holds_nothing_where_it_cannot_write(tmp_path: Path, use: str) -> None:
    (tmp_path / "blocked").mkdir() if use == "folder" else (tmp_path / "blocked").write_text("")
    path = tmp_path / "blocked" if use == "folder" else tmp_path / "blocked" / "results.db"
    cache = ResultCache(path, MIB, 60)
    cache.put("q", b"rows")
    assert cache.get("q") is None
    cache.close()


def _use(path: Path, seed: int) -> int:
    cache = ResultCache(path, MIB, 60)
    random_ = random.Random(seed)
    hits = 0
    for _ in range(150):
        number = random_.randrange(40)
        found = cache.get(str(number))
        if found is None:
            cache.put(str(number), _body(number, 20_000))
        else:
            assert found == _body(number, 20_000)
            hits += 1
    cache.close()
    return hits


def test_processes_share_it(tmp_path: Path) -> None:
    with multiprocessing.get_context("spawn").Pool(3) as pool:
        hits = pool.starmap(_use, [(tmp_path / "results.db", seed) for seed in range(3)])
    assert all(hits)
