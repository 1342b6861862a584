"""The surface index against an obvious search through all names."""

from __future__ import annotations

import multiprocessing
import os
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arcaneqa.kb.interface import Ids
from arcaneqa.kb.names import writing_surfaces as module
from arcaneqa.kb.names.name_forms import Forgotten, key, keys_of_name, split, stem
from arcaneqa.kb.names.surfaces import Surfaces
from arcaneqa.kb.names.writing_surfaces import build_surfaces
from arcaneqa.kb.terms import Iri, Term
from arcaneqa.support.errors import IndexFormatError, InputError


class Names:
    """Entities by number; the first is the best known."""

    def __init__(self, labels: list[str | None], aliases: dict[int, list[str]] | None = None) -> None:
        self._labels, self._aliases = labels, aliases or {}

    def entities(self) -> Ids:
        return np.arange(len(self._labels))

    def texts(self) -> Ids:
        return np.arange(0)

    def degrees(self, ids: Ids) -> Ids:
        return len(self._labels) - ids

    def labels(self, ids: Ids) -> list[str | None]:
        return [self._labels[node] for node in ids.tolist()]

    def aliases(self, ids: Ids) -> list[list[str]]:
        return [self._aliases.get(node, []) for node in ids.tolist()]

    def foreign_names(self, ids: Ids) -> list[list[str]]:
        return [[] for _ in ids]

    def terms(self, ids: Ids) -> list[Term]:
        return [Iri(f"http://example.org/Iri_Name_{'abcdefghij'[node % 10]}") for node in ids.tolist()]

    def node(self, term: Term) -> int | None:
        del term
        return None


def surfaces(folder: Path, names: Names) -> Surfaces:
    build_surfaces(folder, names)
    return Surfaces(folder)


WORDS = [
    "john",
    "Kennedy",
    "paris",
    "texas",
    "The",
    "Ève",
    "of",
    "st",
    "Saint",
    "cities",
    "U.S.",
    "II",
    "C++",
]
NAMES = st.lists(st.sampled_from(WORDS), min_size=0, max_size=4).map(" ".join)


@settings(max_examples=40)
@given(st.lists(st.one_of(NAMES, st.text(max_size=12)), min_size=1, max_size=20), NAMES)
def test_finds_what_an_obvious_search_finds(names: list[str], asked: str) -> None:
    with TemporaryDirectory() as folder:
        built = surfaces(Path(folder), Names(list(names)))
        wanted = key(split(asked))
        [hits] = built.find([wanted], 100)
        labels = [name or "Iri Name " + "abcdefghij"[n % 10] for n, name in enumerate(names)]
        forms = [dict(keys_of_name(name)).get(wanted) for name in labels]
        whole = [n for n, form in enumerate(forms) if form in (Forgotten.PLAIN, Forgotten.LOOSE)]
        parts = [n for n, form in enumerate(forms) if form in (Forgotten.SHORT, Forgotten.ACRONYM)]
        assert [hit.node for hit in hits] == whole + parts
        stems = [stem(word) for word in split(asked)]
        if stems:
            contained = built.containing([[word] for word in stems], 100)
            obvious = [n for n, name in enumerate(labels) if set(stems) <= {stem(w) for w in split(name)}]
            assert contained == obvious


def test_the_best_known_come_first_and_the_rest_is_cut(tmp_path: Path) -> None:
    built = surfaces(tmp_path, Names(["Springfield"] * 50))
    assert [hit.node for hit in built.find([key(["springfield"])], 3)[0]] == [0, 1, 2]
    assert built.containing([["springfield"]], 2) == [0, 1]


def test_aliases_are_told_from_labels(tmp_path: Path) -> None:
    built = surfaces(tmp_path, Names(["Vienna"], {0: ["Wien", "Vienna"]}))
    assert [hit.alias for hit in built.find([key(["vienna"])], 5)[0]] == [False]
    assert [hit.alias for hit in built.find([key(["wien"])], 5)[0]] == [True]


def test_an_iri_is_a_name_where_there_is_no_label_and_an_alias_otherwise(tmp_path: Path) -> None:
    built = surfaces(tmp_path, Names([None, "Vienna"]))
    [unlabelled, labelled] = built.find([key(["iri", "name", "a"]), key(["iri", "name", "b"])], 5)
    assert [(hit.node, hit.alias) for hit in unlabelled] == [(0, False)]
    assert [(hit.node, hit.alias) for hit in labelled] == [(1, True)]
    assert built.containing([["iri"]], 5) == [0]


@pytest.mark.parametrize(
    ("said", "meant"),
    [("kubrik", "kubrick"), ("shakespear", "shakespeare"), ("hsakespeare", "shakespeare"), ("kubr", None)],
)
def test_typing_errors(tmp_path: Path, said: str, meant: str | None) -> None:
    built = surfaces(tmp_path, Names(["Stanley Kubrick", "William Shakespeare"]))
    assert built.similar(said, 3) == ([meant] if meant else [])


def test_frequencies(tmp_path: Path) -> None:
    built = surfaces(tmp_path, Names(["New York", "New Delhi"]))
    assert built.frequencies(["new", "york", "nowhere"]) == {"new": 2, "york": 1}


def test_no_entities_at_all(tmp_path: Path) -> None:
    built = surfaces(tmp_path, Names([]))
    assert built.find([1, 2], 5) == [[], []]
    assert built.containing([["x"]], 5) == []


def test_a_damaged_folder_is_explained(tmp_path: Path) -> None:
    surfaces(tmp_path, Names(["Vienna"]))
    (tmp_path / "surfaces" / "keys.npy").write_bytes(b"nonsense")
    with pytest.raises(IndexFormatError, match="build it again"):
        Surfaces(tmp_path)


def test_threads_share_one_surface_index(tmp_path: Path) -> None:
    built = surfaces(tmp_path, Names(["Stanley Kubrick"] * 5))
    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(lambda _: built.containing([["kubrick"]], 9), range(40)))
    assert found == [[0, 1, 2, 3, 4]] * 40


def test_helpers_find_the_same_names(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    names = Names([f"{WORDS[n % len(WORDS)]} {n}" if n % 7 else None for n in range(100)], {3: ["an alias"]})
    build_surfaces(tmp_path / "alone", names)
    monkeypatch.setattr(module, "CHUNK", 9)
    monkeypatch.setattr("os.cpu_count", lambda: 3)
    build_surfaces(tmp_path / "helped", names)
    for name in ("keys", "nodes", "forms", "rows"):
        alone, helped = (np.load(tmp_path / way / "surfaces" / f"{name}.npy") for way in ("alone", "helped"))
        assert alone.tolist() == helped.tolist()


def test_a_helper_that_dies_is_an_error_and_leaves_nobody(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Dying(Names):
        def labels(self, ids: Ids) -> list[str | None]:
            if 50 in ids.tolist():
                os._exit(1)
            return super().labels(ids)

    monkeypatch.setattr(module, "CHUNK", 9)
    monkeypatch.setattr(module, "FEW_CHUNKS", 1)
    monkeypatch.setattr("os.cpu_count", lambda: 2)
    with pytest.raises(InputError, match="enough memory"):
        build_surfaces(tmp_path, Dying(["name"] * 100))
    assert not multiprocessing.active_children()


def test_helpers_end_with_the_build(tmp_path: Path) -> None:
    """Killed at once, a build leaves no process behind."""
    code = (
        "import os, signal, sys, numpy as np; sys.path.insert(0, sys.argv[2])\n"
        "import arcaneqa.kb.names.writing_surfaces as module\n"
        "from tests.kb.names.test_surfaces import Names\n"
        "module.CHUNK = 2; os.cpu_count = lambda: 3\n"
        "chunks = list(module._chunks(np.arange(100_000)))\n"
        "names = Names(['some name'] * 100_000)\n"
        "found = module.in_processes(lambda chunk: module._Names.of(names, chunk), chunks)\n"
        "next(found); import multiprocessing\n"
        "print(*(child.pid for child in multiprocessing.active_children()), flush=True)\n"
        "os.kill(os.getpid(), signal.SIGKILL)"
    )
    command = [sys.executable, "-c", code, str(tmp_path), str(Path(__file__).parents[3])]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)
    helpers = [Path(f"/proc/{pid}") for pid in done.stdout.split()]
    assert len(helpers) == 3
    until = time.monotonic() + 20
    while any(map(_is_alive, helpers)) and time.monotonic() < until:
        time.sleep(0.05)
    assert not any(map(_is_alive, helpers))


def _is_alive(process: Path) -> bool:
    try:
        return "State:\tZ" not in (process / "status").read_text()
    except OSError:
        return False
