"""How fast names are found among millions, and what other engines would take for the same.

Names are made of syllables, their words as unevenly common as words are; every figure is for one question of
twelve words, four of which are a name.
"""

from __future__ import annotations

import json
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from arcaneqa.kb.interface import Ids
from arcaneqa.kb.names.name_forms import key, split
from arcaneqa.kb.names.surfaces import FOLDER, Surfaces
from arcaneqa.kb.names.writing_surfaces import build_surfaces
from arcaneqa.kb.terms import Iri, Term
from arcaneqa.linking.features import bundled
from arcaneqa.linking.mentions import QuestionText, SurfaceProposer
from arcaneqa.linking.question_words import known_short_forms

CONSONANTS, VOWELS = "bdfgklmnprstvz", "aeiou"
VOCABULARY = 2_000_000
COMMONNESS = 4.0
QUESTIONS = 200
BUILT = "seconds.json"
SAMPLE = "which {} of the old film was first shown near {} in may"


class MadeUpNames:
    """`size` entities, named the same on every machine; entity 0 is the best known one."""

    def __init__(self, size: int) -> None:
        self._size = size

    def entities(self) -> Ids:
        return np.arange(self._size)

    def texts(self) -> Ids:
        return np.arange(0)

    def degrees(self, ids: Ids) -> Ids:
        return self._size - ids

    def labels(self, ids: Ids) -> list[str | None]:
        spread = np.stack([_mixed(ids * 8 + place) for place in range(6)])
        lengths = (spread[5] * 5).astype(int) + 1
        words = (VOCABULARY * spread[:5] ** COMMONNESS).astype(int).T.tolist()
        return [
            " ".join(map(_word, row[:length])) for row, length in zip(words, lengths.tolist(), strict=True)
        ]

    def aliases(self, ids: Ids) -> list[list[str]]:
        return [[]] * len(ids)

    def foreign_names(self, ids: Ids) -> list[list[str]]:
        return [[]] * len(ids)

    def terms(self, ids: Ids) -> list[Term]:
        return [Iri(f"http://example.org/{node}") for node in ids.tolist()]

    def node(self, term: Term) -> int | None:
        return int(term.value.rpartition("/")[2]) if isinstance(term, Iri) else None


def _mixed(numbers: Ids) -> Any:
    """Numbers to fractions of one without any pattern (the finaliser of SplitMix64)."""
    with np.errstate(over="ignore"):
        z = numbers.astype(np.uint64) * np.uint64(0x9E3779B97F4A7C15)
        z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return (z ^ (z >> np.uint64(31))).astype(np.float64) / 2**64


def _word(number: int) -> str:
    syllables = []
    number += 70
    while number:
        number, place = divmod(number, 70)
        syllables.append(CONSONANTS[place // 5] + VOWELS[place % 5])
    return "".join(syllables)


def questions(size: int) -> list[QuestionText]:
    """Each names one entity whole and one by a single word."""
    ids = np.linspace(0, size - 1, 2 * QUESTIONS).astype(np.int64)
    labels = [label or "" for label in MadeUpNames(size).labels(ids)]
    pairs = zip(labels[::2], labels[1::2], strict=True)
    return [QuestionText.of(SAMPLE.format(whole, part.split()[-1])) for whole, part in pairs]


def measure(size: int, folder: Path | None) -> dict[str, float]:
    """Build the names of `size` entities, then look for all spans of questions in a fresh process.

    Names that a former run left in `folder` are used again, with the time it took to build them.
    """
    with tempfile.TemporaryDirectory() as scratch:
        kept = Path(scratch) if folder is None else folder / str(size)
        if not (kept / BUILT).exists():
            shutil.rmtree(kept, ignore_errors=True)
            kept.mkdir(parents=True)
            started = time.perf_counter()
            build_surfaces(kept, MadeUpNames(size))
            (kept / BUILT).write_text(json.dumps(time.perf_counter() - started))
        disk = sum(file.stat().st_size for file in (kept / FOLDER).iterdir())
        code = "import sys; from benchmarks.names import look; look(sys.argv[1], int(sys.argv[2]))"
        done = subprocess.run(
            [sys.executable, "-c", code, str(kept), str(size)], check=True, capture_output=True, text=True
        )
        built = float(json.loads((kept / BUILT).read_text()))
    return {"build": built, "disk": disk / 2**20, **json.loads(done.stdout)}


def look(folder: str, size: int) -> None:
    """Time the proposals for questions; prints JSON for the process that asked."""
    proposer = SurfaceProposer(Surfaces(Path(folder)), known_short_forms(), bundled().ordinary)
    asked = questions(size)
    found = 0
    seconds, busy = [], []
    for text in asked:
        started, worked = time.perf_counter(), time.process_time()
        found += len(proposer.propose(text)[0])
        seconds.append(time.perf_counter() - started)
        busy.append(time.process_time() - worked)
    status = Path("/proc/self/status").read_text()
    resident = int(status.split("VmRSS:")[1].split()[0]) / 1024
    times = np.array(seconds) * 1000
    result = {
        "median": np.median(times),
        "p95": np.percentile(times, 95),
        "busy": np.median(busy) * 1000,
        "resident": resident,
    }
    print(json.dumps({name: float(value) for name, value in result.items()} | {"found": found / len(asked)}))


# Other engines ---------------------------------------------------------------------------------


def compare(size: int) -> list[tuple[str, dict[str, float]]]:
    """Whole names and single words of questions in each engine, over the same names."""
    with tempfile.TemporaryDirectory() as folder:
        return [
            ("sorted keys, memory-mapped (whole names)", _timed(_sorted_keys, size, Path(folder))),
            ("SQLite B-tree (whole names)", _timed(_sqlite, size, Path(folder))),
            ("SQLite FTS5, rows by degree (words)", _timed(_fts5, size, Path(folder))),
            ("tantivy, sorted by degree (words)", _timed(_tantivy, size, Path(folder))),
        ]


Search = Callable[[QuestionText], object]


def _timed(engine: Callable[[int, Path], Search], size: int, folder: Path) -> dict[str, float]:
    started = time.perf_counter()
    search = engine(size, folder)
    built = time.perf_counter() - started
    seconds = []
    for text in questions(size):
        started = time.perf_counter()
        search(text)
        seconds.append(time.perf_counter() - started)
    times = np.array(seconds) * 1000
    return {"build": built, "median": float(np.median(times)), "p95": float(np.percentile(times, 95))}


def _names(size: int) -> Iterator[tuple[int, str]]:
    made = MadeUpNames(size)
    for start in range(0, size, 50_000):
        ids = np.arange(start, min(start + 50_000, size))
        yield from zip(ids.tolist(), (label or "" for label in made.labels(ids)), strict=True)


def _keys(text: QuestionText) -> list[int]:
    return [key(text.folded(span)) for span in text.spans()]


def _sorted_keys(size: int, folder: Path) -> Search:
    path = folder / "keys.npy"
    np.save(path, np.sort(np.array([key(split(name)) for _, name in _names(size)], dtype=np.uint64)))
    keys = np.load(path, mmap_mode="r")
    return lambda text: np.searchsorted(keys, np.array(_keys(text), dtype=np.uint64))


def _sqlite(size: int, folder: Path) -> Search:
    database = sqlite3.connect(folder / "names.db")
    database.executescript("PRAGMA journal_mode=OFF; CREATE TABLE name(key INTEGER, node INTEGER)")
    rows = ((key(split(name)) - 2**63, node) for node, name in _names(size))
    database.executemany("INSERT INTO name VALUES (?, ?)", rows)
    database.execute("CREATE INDEX by_key ON name(key)")
    database.commit()

    def search(text: QuestionText) -> list[Any]:
        keys = [value - 2**63 for value in _keys(text)]
        marks = ",".join("?" * len(keys))
        return database.execute(f"SELECT node FROM name WHERE key IN ({marks})", keys).fetchall()

    return search


def _fts5(size: int, folder: Path) -> Search:
    database = sqlite3.connect(folder / "words.db")
    database.executescript(
        "PRAGMA journal_mode=OFF; CREATE VIRTUAL TABLE names USING fts5(name, content='', detail=none)"
    )
    database.executemany("INSERT INTO names(rowid, name) VALUES (?, ?)", _names(size))
    database.execute("INSERT INTO names(names) VALUES ('optimize')")
    database.commit()
    query = "SELECT rowid FROM names WHERE names MATCH ? ORDER BY rowid LIMIT 10"
    return lambda text: [database.execute(query, (f'"{word.folded}"',)).fetchall() for word in text.words]


def _tantivy(size: int, folder: Path) -> Search:
    import tantivy

    fields = tantivy.SchemaBuilder()
    fields.add_text_field("name", tokenizer_name="whitespace", index_option="basic")
    fields.add_unsigned_field("rank", fast=True, stored=True)
    (folder / "tantivy").mkdir()
    index = tantivy.Index(fields.build(), path=str(folder / "tantivy"))
    writer = index.writer(heap_size=200_000_000, num_threads=1)
    for node, name in _names(size):
        document = tantivy.Document()
        document.add_text("name", name)
        document.add_unsigned("rank", node)
        writer.add_document(document)
    writer.commit()
    writer.wait_merging_threads()
    index.reload()
    searcher, schema = index.searcher(), index.schema

    def search(text: QuestionText) -> list[Any]:
        found = []
        for word in text.words:
            query = tantivy.Query.term_query(schema, "name", word.folded, index_option="basic")
            found.append(
                searcher.search(query, 10, count=False, order_by_field="rank", order=tantivy.Order.Asc).hits
            )
        return found

    return search


def table(rows: Sequence[tuple[str, dict[str, float]]]) -> str:
    columns = list(rows[-1][1])
    lines = [
        "| | " + " | ".join(UNITS[column] for column in columns) + " |",
        "|---" + "|---:" * len(columns) + "|",
    ]
    for name, values in rows:
        lines.append(f"| {name} | " + " | ".join(f"{values[column]:,.2f}" for column in columns) + " |")
    return "\n".join(lines)


UNITS = {
    "build": "build (s)",
    "disk": "disk (MiB)",
    "median": "question, median (ms)",
    "p95": "question, p95 (ms)",
    "busy": "of it processor time (ms)",
    "resident": "resident (MiB)",
    "found": "proposals",
}
