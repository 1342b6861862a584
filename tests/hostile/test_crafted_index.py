"""An index that somebody made to harm: its checksums are right, what they seal is not."""

from __future__ import annotations

import itertools
import json
import os
import random
import shutil
import sqlite3
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from arcaneqa.kb.build import build_index
from arcaneqa.kb.index import Index, sets
from arcaneqa.kb.index.store import MANIFEST, _seal, file_digest
from arcaneqa.kb.interface import Comparison, Step
from arcaneqa.kb.names.name_forms import key
from arcaneqa.kb.terms import XSD, Iri, Literal
from arcaneqa.support.errors import IndexFormatError
from tests.hostile.limited import limit

EX = "http://example.org/"
ROUNDS = 3
"""Random changes of each array."""


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("crafted")
    label = "<http://www.w3.org/2000/01/rdf-schema#label>"
    alias = "<http://www.w3.org/2004/02/skos/core#altLabel>"
    lines = []
    for n in range(60):
        lines += [
            f'<{EX}a{n}> {label} "Anna {n}"@en .',
            f'<{EX}a{n}> {alias} "The {n}th" .',
            f"<{EX}a{n}> <http://www.w3.org/1999/02/22-rdf-syntax-ns#type> <{EX}C{n % 3}> .",
            f"<{EX}a{n}> <{EX}knows> <{EX}a{n * 7 % 60}> .",
            f"<{EX}a{n}> <{EX}knows> <{EX}a{n * 11 % 60}> .",
            f'<{EX}a{n}> <{EX}age> "{n % 17}"^^<{XSD}integer> .',
            f'<{EX}a{n}> <{EX}born> "{1900 + n}-01-01"^^<{XSD}date> .',
            f'<{EX}a{n}> <{EX}alive> "{str(n % 2 == 0).lower()}"^^<{XSD}boolean> .',
        ]
    (folder / "facts.nt").write_text("\n".join(lines) + "\n")
    build_index([folder / "facts.nt"], folder / "kb")
    ask_everything(folder / "kb")  # loads the loops, which every process below then has
    return folder / "kb"


@pytest.fixture
def copy(made: Path, tmp_path: Path) -> Path:
    shutil.copytree(made, tmp_path / "kb")
    return tmp_path / "kb"


def reseal(folder: Path, change: Callable[[dict[str, Any]], None] = lambda _: None) -> None:
    manifest = json.loads((folder / MANIFEST).read_text())
    for name in manifest["files"]:
        path = folder / name
        manifest["files"][name] = {"bytes": path.stat().st_size, "sha256": file_digest(path)}
    change(manifest)
    manifest["seal"] = _seal(manifest)
    (folder / MANIFEST).write_text(json.dumps(manifest))


def ask_everything(folder: Path) -> None:
    """Every way into the arrays, through the compiled loops too."""
    with Index(folder) as kb:
        everything = kb.nodes(np.arange(sum(v for k, v in kb.counts.items() if k != "facts")))
        kb.labels(everything.ids), kb.aliases(kb.entities()), kb.terms(everything.ids)
        kb.foreign_names(kb.entities()), kb.degrees(everything.ids), kb.texts(), kb.datatypes()
        for large in (2, sets.LARGE):
            sets.LARGE = large
            some = kb.nodes(everything.ids[::3])
            kb.out_relations(everything), kb.in_relations(everything), kb.classes(everything)
            kb.steps_to_values(everything), kb.comparable_relations(everything), kb.neighbours(some)
            for klass in range(len(kb.schema.classes)):
                kb.intersection(kb.members(klass), some)
            for relation in range(len(kb.schema.relations)):
                kb.example(relation), kb.containing(relation, "a")
                for inverse in (False, True):
                    step = Step(relation, inverse)
                    kb.having(step), kb.tally(some, [step]), kb.walks(some, [step])
                    asked = np.arange(len(kb.schema.relations))
                    kb.relations_telling_apart(some, asked, inverse)
                    kb.relations_into(some, asked, everything, inverse)
                kb.objects(relation, everything), kb.subjects(relation, everything)
                kb.extreme(some, [Step(relation, False)], True)
                for literal in (Literal("5", f"{XSD}integer"), Literal("1930-01-01", f"{XSD}date")):
                    kb.equal(literal), kb.compare(Comparison.LT, relation, literal)
                    kb.compare(Comparison.GE, relation, literal)
        kb.node(Iri(f"{EX}a1"))
        names = kb.surfaces()
        assert names is not None
        names.find([key(["anna", str(n)]) for n in range(60)], 5)
        names.containing([["anna"]], 50), names.similar("annas", 5), names.frequencies(["anna"])


def ends_well(folder: Path) -> str:
    """How a process of its own ends that asks such an index: `whole`, `refused`, or what went wrong."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        told = "whole"
        try:
            limit(8 << 30, 20)
            os.environ["XDG_CACHE_HOME"] = str(folder.parent / "cache")
            ask_everything(folder)
        except IndexFormatError:
            told = "refused"
        except BaseException:
            told = traceback.format_exc()[-1500:]
        finally:
            os.write(writing, told.encode())
            os._exit(0)
    os.close(writing)
    with os.fdopen(reading) as pipe:
        told = pipe.read()
    code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    return told if code == 0 else f"killed by signal {-code}"


def test_random_changes_of_every_array_are_harmless(made: Path, copy: Path) -> None:
    assert ends_well(copy) == "whole"
    draw = random.Random(43)
    arrays = json.loads((made / MANIFEST).read_text())["arrays"]
    outcomes: dict[str, str] = {}
    for name, facts in arrays.items():
        original = (made / f"{name}.bin").read_bytes()
        for turn in range(ROUNDS if facts["length"] else 0):
            found = np.frombuffer(original, facts["dtype"]).copy()
            place = draw.choice((0, len(found) - 1, draw.randrange(len(found))))
            if turn == 0 and found.dtype.kind == "f":
                found[place] = np.nan
            elif turn == 0:
                found[place] = np.iinfo(found.dtype).max - draw.randrange(3)
            elif turn == 1:
                draw.shuffle(view := found.tolist())
                found = np.array(view, found.dtype)
            else:
                found[place] = draw.randrange(200)
            (copy / f"{name}.bin").write_bytes(found.tobytes())
            reseal(copy)
            told = ends_well(copy)
            if told not in ("whole", "refused"):
                outcomes[f"{name} {turn}"] = told
        (copy / f"{name}.bin").write_bytes(original)
    assert not outcomes, "\n\n".join(f"{name}: {told}" for name, told in outcomes.items())


def test_an_array_as_something_else_is_refused(made: Path, copy: Path) -> None:
    changes: tuple[dict[str, Any], ...] = (
        {"dtype": "|O"},
        {"dtype": ">u4"},
        {"length": -1},
        {"length": 10**15},
        {"dtype": []},
    )
    arrays = json.loads((made / MANIFEST).read_text())["arrays"]
    for name, facts in zip(arrays, itertools.cycle(changes)):

        def change(manifest: dict[str, Any], name: str = name, facts: dict[str, Any] = facts) -> None:
            manifest["arrays"][name].update(facts)

        shutil.copy(made / MANIFEST, copy / MANIFEST)
        reseal(copy, change)
        assert ends_well(copy) == "refused", (name, facts)


def _with(*path: str, value: object) -> Callable[[dict[str, Any]], None]:
    def change(manifest: dict[str, Any]) -> None:
        part = manifest
        for name in path[:-1]:
            part = part[name]
        part[path[-1]] = value

    return change


@pytest.mark.parametrize(
    "change",
    [
        _with("files", "/dev/zero", value={"bytes": 0, "sha256": ""}),
        _with("files", "../facts.nt", value={"bytes": 1, "sha256": ""}),
        _with("files", value=[]),
        _with("files", value={"out.keys.bin": 5}),
        _with("files", value={}),
        _with("arrays", value={"../../x": {}}),
        _with("counts", "text", value=-5),
        _with("counts", value={}),
        _with("types", value=[1, 2]),
        _with("spellings", value=[[]]),
        _with("profile", value=7),
        _with("diagnosis", value={"by_attributes": 3}),
    ],
)
def test_a_manifest_that_names_what_it_should_not(copy: Path, change: Callable[[Any], None]) -> None:
    reseal(copy, change)
    assert ends_well(copy) == "refused"


def test_a_pipe_or_device_in_place_of_an_array_is_not_opened(copy: Path) -> None:
    (copy / "boolean.minor.bin").unlink()
    os.mkfifo(copy / "boolean.minor.bin")
    manifest = json.loads((copy / MANIFEST).read_text())
    manifest["files"]["boolean.minor.bin"]["bytes"] = 0
    manifest["seal"] = _seal(manifest)
    (copy / MANIFEST).write_text(json.dumps(manifest))
    assert ends_well(copy) == "refused"
    (copy / "boolean.minor.bin").unlink()
    (copy / "boolean.minor.bin").symlink_to("/dev/zero")
    assert ends_well(copy) == "refused"


@pytest.mark.parametrize(
    ("part", "place", "value"),
    [
        ("relations", 0, 5),
        ("relations", 1, [1]),
        ("relations", 5, 10**9),
        ("relations", 7, -2),
        ("classes", 0, None),
        ("classes", 2, "many"),
        ("time_pairs", None, [[99, 98]]),
    ],
)
def test_a_schema_that_points_elsewhere(copy: Path, part: str, place: int | None, value: object) -> None:
    schema = json.loads((copy / "schema.json").read_text())
    if place is None:
        schema[part] = value
    else:
        schema[part][0][place] = value
    (copy / "schema.json").write_text(json.dumps(schema))
    reseal(copy)
    assert ends_well(copy) == "refused"


@pytest.mark.parametrize("name", ["keys", "nodes", "forms", "rows"])
def test_names_that_lead_nowhere(copy: Path, name: str) -> None:
    path = copy / "surfaces" / f"{name}.npy"
    found = np.load(path)
    bent = found.copy()
    bent[len(bent) // 2] = np.iinfo(bent.dtype).max
    if name == "keys":
        bent = found[::-1]
    for changed in (bent, found[:1], found.reshape(1, -1), found.astype(np.float32), found.astype("U9")):
        np.save(path, changed)
        reseal(copy)
        assert ends_well(copy) == "refused", changed.dtype
    np.save(path, np.array([{}]), allow_pickle=True)
    reseal(copy)
    assert ends_well(copy) == "refused"


@pytest.mark.parametrize(
    "change",
    [
        "DROP TABLE word; CREATE VIEW word AS WITH RECURSIVE"
        " n(text) AS (SELECT 'a' UNION ALL SELECT text FROM n) SELECT text, 1 AS names FROM n",
        "UPDATE word SET names = 'many'",
        "DROP TABLE names",
        "DROP TABLE word",
    ],
)
def test_a_database_of_words_that_does_more(copy: Path, change: str) -> None:
    with sqlite3.connect(copy / "surfaces" / "words.db") as database:
        database.executescript(change)
    database.close()
    reseal(copy)
    assert ends_well(copy) == "refused"


def test_a_sound_index_is_looked_at_once(copy: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    from arcaneqa.kb.index import index

    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    looks: list[Path] = []
    monkeypatch.setattr(index, "check_contents", lambda folder, _: looks.append(folder))
    for _ in range(3):
        Index(copy).close()
    assert looks == [copy]
