"""One folder, many readers: threads and processes get the same answers at the same time."""

from __future__ import annotations

import gc
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

from arcaneqa.kb.build import build_index
from arcaneqa.kb.index import Index
from arcaneqa.kb.interface import Step
from arcaneqa.kb.terms import XSD, Iri

EX = "http://example.org/"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("shared")
    generator = np.random.default_rng(1)
    with (path / "g.nt").open("w") as file:
        for s, p, o in generator.integers((0, 0, 0), (6000, 9, 6000), (30_000, 3)).tolist():
            file.write(f"<{EX}e{s}> <{EX}r{p}> <{EX}e{o}> .\n")
        for s, value in generator.integers((0, 0), (6000, 999), (6000, 2)).tolist():
            file.write(f'<{EX}e{s}> <{EX}size> "{value}"^^<{XSD}integer> .\n')
    build_index([path / "g.nt"], path / "index")
    return path / "index"


def answers(kb: Index) -> list[object]:
    """Sets large enough for the compiled loops, and small ones."""
    found: list[object] = []
    for nodes in (kb.nodes(np.arange(5000)), kb.nodes(np.arange(40))):
        found.append(kb.out_relations(nodes).tolist())
        found.append(kb.in_relations(nodes).tolist())
        found.append(kb.steps_to_values(nodes))
        for relation in range(9):
            found.append(kb.objects(relation, nodes).ids.tolist())
            found.append(kb.subjects(relation, nodes).ids.tolist())
        size = kb.schema.relation_ids[f"{EX}size"]
        found.append(kb.extreme(nodes, [Step(0), Step(size)], True).ids.tolist())
    return found


def test_threads_share_an_index(folder: Path) -> None:
    with Index(folder) as kb:
        expected = answers(kb)
        with ThreadPoolExecutor(8) as threads:
            assert all(found == expected for found in threads.map(lambda _: answers(kb), range(16)))


def test_small_questions_load_no_compiler(folder: Path) -> None:
    code = (
        "import sys, numpy as np; from arcaneqa.kb.index import Index; "
        f"kb = Index({str(folder)!r}); nodes = kb.nodes(np.arange(40)); kb.out_relations(nodes); "
        "kb.objects(0, nodes); print('numba' in sys.modules, 'pyoxigraph' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert done.stdout.split() == ["False", "False"]


def open_files() -> int:
    return len(list(Path("/proc/self/fd").iterdir()))


@pytest.fixture
def uncollected() -> Iterator[None]:
    gc.collect()
    gc.disable()
    yield
    gc.enable()


@pytest.mark.usefixtures("uncollected")
def test_closing_lets_go_of_every_map(folder: Path) -> None:
    before = open_files()
    kb = Index(folder)
    nodes = kb.nodes(np.arange(5000))
    found = kb.objects(0, nodes)
    expected = found.ids.tolist()
    assert open_files() > before
    kb.close()
    kb.close()
    assert open_files() == before
    assert str(folder) not in Path("/proc/self/maps").read_text()
    assert found.ids.tolist() == expected
    assert kb.schema.relations
    with pytest.raises(ValueError, match="is closed"):
        kb.objects(0, nodes)
    with pytest.raises(ValueError, match="is closed"):
        kb.labels(nodes.ids)
    with pytest.raises(ValueError, match="is closed"):
        kb.surfaces()
    assert kb.is_closed


@pytest.mark.usefixtures("uncollected")
def test_building_leaves_no_map_behind(folder: Path, tmp_path: Path) -> None:
    before = open_files()
    build_index([folder.parent / "g.nt"], tmp_path / "index")
    assert open_files() == before
    assert str(tmp_path) not in Path("/proc/self/maps").read_text()


def test_large_sets_have_what_their_parts_have(tmp_path: Path) -> None:
    """Half of everything occurs only among the last nodes, after what a first look sees."""
    generator = np.random.default_rng(2)
    count, kinds = 6000, 40
    kind = generator.integers(np.where(np.arange(count) > count // 2, kinds, kinds // 2)).tolist()
    other = generator.integers(count, size=count).tolist()
    with (tmp_path / "g.nt").open("w") as file:
        for node in range(count):  # ids go by the order in which nodes are met
            file.write(
                f"<{EX}e{node}> <http://www.w3.org/1999/02/22-rdf-syntax-ns#type> <{EX}C{kind[node]}> .\n"
            )
        for node in range(count):
            file.write(f"<{EX}e{node}> <{EX}r{kind[node]}> <{EX}e{other[node]}> .\n")
            file.write(f'<{EX}e{node}> <{EX}v{kind[node]}> "{node}"^^<{XSD}integer> .\n')
    build_index([tmp_path / "g.nt"], tmp_path / "index")
    with Index(tmp_path / "index") as kb:
        named = [kb.node(Iri(f"{EX}e{node}")) for node in range(count)]
        everyone = kb.nodes(np.array(named))
        parts = [kb.nodes(part) for part in np.array_split(everyone.ids, 80)]
        for ask in (kb.out_relations, kb.in_relations, kb.classes, kb.comparable_relations):
            expected = set().union(*(ask(part).tolist() for part in parts))
            assert set(ask(everyone).tolist()) == expected
        assert set(kb.steps_to_values(everyone)) == set().union(*map(kb.steps_to_values, parts))
        for relation in range(len(kb.schema.relations)):
            for walk in (kb.objects, kb.subjects):
                expected = set().union(*(walk(relation, part).ids.tolist() for part in parts))
                assert walk(relation, everyone).ids.tolist() == sorted(expected)
        for klass in range(len(kb.schema.classes)):
            members = kb.members(klass)
            for left, right in ((members, everyone), (everyone, members)):
                assert kb.intersection(left, right).ids.tolist() == members.ids.tolist()
