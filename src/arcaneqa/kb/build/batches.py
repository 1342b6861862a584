"""First pass: sources → batches on disk, each with its own small dictionary."""

from __future__ import annotations

import contextlib
import dataclasses
import json
import os
import subprocess
import sys
from collections.abc import Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, field
from functools import cached_property
from itertools import islice
from pathlib import Path
from queue import SimpleQueue
from textwrap import shorten
from typing import Any

import numpy as np
from pyoxigraph import Literal, RdfFormat, parse, serialize

from arcaneqa.kb.build.sources import Skipped, Source, Statement
from arcaneqa.kb.index.lookup import term_digests, term_key
from arcaneqa.kb.index.store import Array
from arcaneqa.kb.terms import XSD, XSD_STRING
from arcaneqa.support.errors import InputError
from arcaneqa.support.terminal import Progress

# Statements in canonical N-Triples → the distinct terms among them, and the statements as their
# numbers.


_LARGE = 3 << 23
"""Bytes (24 MiB) from which on the compiled loop gains more than it takes to load."""


@dataclass(frozen=True)
class Numbered:
    """Terms and predicates in the order in which they were met, and for each statement the places of its
    subject and object among the terms, and of its predicate among the predicates."""

    subjects: Array
    predicates: Array
    objects: Array
    terms: list[bytes]
    relations: list[bytes]


def numbered(statements: bytes) -> Numbered:
    return _by_loop(statements) if len(statements) >= _LARGE else _by_line(statements)


def _by_line(statements: bytes) -> Numbered:
    terms: dict[bytes, int] = {}
    relations: dict[bytes, int] = {}
    lines = statements.split(b" .\n")
    columns = np.empty((3, len(lines) - 1), np.uint32)
    for place, line in enumerate(lines[:-1]):
        subject, predicate, object_ = line.split(b" ", 2)
        columns[0, place] = terms.setdefault(subject, len(terms))
        columns[1, place] = relations.setdefault(predicate, len(relations))
        columns[2, place] = terms.setdefault(object_, len(terms))
    return Numbered(columns[0], columns[1], columns[2], list(terms), list(relations))


def _by_loop(statements: bytes) -> Numbered:
    from arcaneqa.kb.build.sorted_facts import number, slots_for

    text, lines = np.frombuffer(statements, np.uint8), statements.count(b"\n")
    columns, terms, relations = number(text, lines, slots_for(2 * lines), slots_for(lines))
    return Numbered(
        columns[0], columns[1], columns[2], _slices(statements, terms), _slices(statements, relations)
    )


def _slices(text: bytes, spans: Array) -> list[bytes]:
    starts, ends = spans[:, 0].tolist(), spans[:, 1].tolist()
    return [text[start:end] for start, end in zip(starts, ends, strict=True)]


# First pass: statements → batches on disk, each with its own small dictionary.


ENTITY = 0xFFFFFFFF
"""In a batch's `types`: the term is not a literal."""
DIGEST = np.dtype([("first", "<u8"), ("second", "<u8")])
MENDED = tuple(
    XSD + name for name in ("integer", "decimal", "date", "dateTime", "gYearMonth", "gYear", "boolean")
)
"""Datatypes that literals of others may get."""
_IRI = ord("<")


@dataclass(frozen=True)
class BatchSummary:
    """What a batch's files do not say: its sizes, what its predicate and type numbers stand for, and how the
    source wrote language tags that have capital letters."""

    terms: int
    statements: int
    predicates: list[str]
    types: list[str]
    spellings: dict[str, str]


class Batch:
    """Collects statements, then writes them. `scope` sets the blank nodes of one file apart.

    The parser's library writes what it has read in a form that needs no parsing: so statements never become
    objects here, and what a term is gets worked out once for each, when the batch is written.
    """

    def __init__(self, scope: str) -> None:
        self._scope = scope
        self._statements = b""
        self._length = 0
        self._types: dict[str, int] = {}

    def __len__(self) -> int:
        return self._length

    def fill(self, statements: Iterator[Statement], most: int | None = None) -> bool:
        """Take statements, `most` of them if given; whether there may be more."""
        taken: Iterator[Any] = islice(statements, most)
        written = serialize(taken, format=RdfFormat.N_TRIPLES)
        assert written is not None
        self._statements, self._length = written, written.count(b"\n")
        return self._length == most

    def write(self, folder: Path, number: int, spellings: dict[str, str]) -> BatchSummary:
        found = numbered(self._statements)
        terms = found.terms
        heap = [term[1:-1] for term in terms]
        keys = heap.copy()
        kinds = np.full(len(terms), ENTITY, np.uint32)
        for place in [place for place, term in enumerate(terms) if term[0] != _IRI or term[1] == _IRI]:
            term = terms[place]
            if term.startswith(b'"'):
                heap[place], spelled = _literal(term)
                kinds[place] = self._types.setdefault(spelled, len(self._types))
                keys[place] = term_key(heap[place], spelled)
            elif term.startswith(b"_"):
                heap[place] = keys[place] = b"_:%b%b" % (self._scope.encode(), term[2:])
            else:
                quoted = shorten(term[3:-3].decode(), 200, placeholder=" …")
                raise InputError(f"The statement {quoted} is quoted by another, which cannot be indexed.")
        columns = {
            "subjects": found.subjects,
            "predicates": found.predicates,
            "objects": found.objects,
            "lengths": np.fromiter(map(len, heap), np.uint32, len(heap)),
            "types": kinds,
        }
        (folder / f"{number}.heap").write_bytes(b"".join(heap))
        (folder / f"{number}.digests").write_bytes(term_digests(keys))
        for name, column in columns.items():
            (folder / f"{number}.{name}").write_bytes(column.data)
        predicates = [iri[1:-1].decode() for iri in found.relations]
        return BatchSummary(len(terms), len(self), predicates, list(self._types), dict(spellings))


def _literal(term: bytes) -> tuple[bytes, str]:
    """Lexical form and type of a literal in N-Triples form."""
    close = term.rindex(b'"')
    lexical, suffix = term[1:close], term[close + 1 :].decode()
    if b"\\" in lexical:
        quad = next(parse(b"<a:a> <a:a> %b ." % term, format=RdfFormat.N_TRIPLES))
        assert isinstance(quad.object, Literal)
        lexical = quad.object.value.encode()
    return lexical, suffix if suffix.startswith("@") else suffix[3:-1] or XSD_STRING


@dataclass
class Batches:
    """What the first pass left in its working folder, with one numbering of predicates and types."""

    folder: Path
    summaries: list[BatchSummary]
    prefixes: dict[str, str] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.summaries)

    @cached_property
    def statements(self) -> int:
        return sum(summary.statements for summary in self.summaries)

    @cached_property
    def predicates(self) -> list[str]:
        return sorted({iri for summary in self.summaries for iri in summary.predicates})

    @cached_property
    def facts_of_predicates(self) -> dict[str, int]:
        """How many statements have each predicate, repeated ones included."""
        counts = np.zeros(len(self.predicates), np.int64)
        for batch in range(len(self)):
            counts += np.bincount(self.predicates_of(batch), minlength=len(counts))
        return dict(zip(self.predicates, counts.tolist(), strict=True))

    @cached_property
    def types(self) -> list[str]:
        return sorted({*MENDED, *(name for summary in self.summaries for name in summary.types)})

    @cached_property
    def spellings(self) -> dict[str, str]:
        """Types that are language tags with capital letters, and how they were first written."""
        written = {
            f"@{tag}": f"@{text}"
            for summary in reversed(self.summaries)
            for tag, text in summary.spellings.items()
        }
        return {name: written[name] for name in self.types if name in written}

    @cached_property
    def _predicate_numbers(self) -> dict[str, int]:
        return {iri: number for number, iri in enumerate(self.predicates)}

    @cached_property
    def _type_numbers(self) -> dict[str, int]:
        return {name: number for number, name in enumerate(self.types)}

    def load(self, batch: int, name: str, dtype: Any) -> Array:
        return np.fromfile(self.folder / f"{batch}.{name}", dtype)

    def predicates_of(self, batch: int) -> Array:
        """The relation of each statement: its predicate's place in `predicates`."""
        known = [self._predicate_numbers[iri] for iri in self.summaries[batch].predicates]
        return np.array(known, np.int64)[self.load(batch, "predicates", np.uint32)]

    def types_of(self, batch: int) -> Array:
        """The type of each term: its place in `types`, or ENTITY."""
        known = [self._type_numbers[name] for name in self.summaries[batch].types]
        types = self.load(batch, "types", np.uint32)
        literals = types != ENTITY
        types[literals] = np.array(known, np.uint32)[types[literals]]
        return types

    def heap(self, batch: int) -> bytes:
        return (self.folder / f"{batch}.heap").read_bytes()


# Sources → batches: large files of lines by several processes, everything else in this one.


_BLOCK = 1 << 25
"""Bytes (32 MiB) that one process parses at a time."""
_HELPERS = 4
"""Processes that parse side by side, at most."""


@dataclass(frozen=True)
class _Task:
    number: int
    path: str
    scope: str
    first: int
    start: int | None
    """Where the lines begin in the file; None where it is packed, and they are sent along."""
    folder: str
    lenient: bool


def read_batches(
    sources: Sequence[Source], folder: Path, size: int, skipped: Skipped | None, progress: Progress
) -> Batches:
    """`size` is the most statements a batch may have where this process does the reading."""
    summaries: dict[int, BatchSummary] = {}
    prefixes: dict[str, str] = {}
    number = 0
    for place, source in enumerate(sources):
        told = _Telling(source, summaries, progress)
        left_out = 0 if skipped is None else skipped.count
        # A blank node's label holds within its file only.
        scope = f"s{place}_" if len(sources) > 1 else ""
        if source.has_lines and source.path.stat().st_size > _BLOCK and (os.cpu_count() or 1) > 1:
            tasks = _tasks(source, number, scope, folder, skipped is not None)
            number = _with_helpers(tasks, number, skipped, source, told.done)
        else:
            statements, more = source.statements(), True
            while more:
                batch = Batch(scope)
                more = batch.fill(statements, size)
                if len(batch):
                    told.done(number, batch.write(folder, number, source.spellings))
                    number += 1
        for prefix, namespace in source.prefixes.items():
            prefixes.setdefault(prefix, namespace)
        _check_yield(source, told.statements, skipped, left_out)
    return Batches(folder, [summaries[each] for each in sorted(summaries)], prefixes)


class _Telling:
    """Says how far one source is: statements, and of a packed one how much came out of it."""

    def __init__(self, source: Source, summaries: dict[int, BatchSummary], progress: Progress) -> None:
        self._summaries, self._progress = summaries, progress
        self._before = sum(each.statements for each in summaries.values())
        self._packed = source.is_packed
        self._source = source
        self._told = 0
        self.statements = 0
        source.watcher = self.bytes

    def done(self, number: int, summary: BatchSummary) -> None:
        self._summaries[number] = summary
        self.statements += summary.statements
        done = self._before + self.statements
        self._progress("reading statements", done, None if self._packed else self._expected())

    def _expected(self) -> int:
        """Statements in all, if the rest of the file has as many to the byte as what was read of it."""
        whole = self._source.path.stat().st_size
        return self._before + round(self.statements * max(1.0, whole / max(1, self._source.bytes)))

    def bytes(self, count: int) -> None:
        if self._packed and count - self._told > _BLOCK:
            self._told = count
            stage = f"reading statements ({count >> 20:,} MiB unpacked)"
            self._progress(stage, self._before + self.statements, None)


def _check_yield(source: Source, statements: int, skipped: Skipped | None, before: int) -> None:
    """A file that gave nothing is an error, one that gave less than was left out of it an outcry."""
    left_out = 0 if skipped is None else skipped.count - before
    if not statements:
        reason = "it has rules and no facts" if source.rules else "it has no statements"
        reason = "none of its statements could be read" if left_out else reason
        first = f" ({skipped.first[0]})" if skipped is not None and skipped.first else ""
        raise InputError(f"There is nothing to index in {source.path}: {reason}{first}.")
    if skipped is not None and left_out > statements:
        skipped.outcries.append(
            f"Of {source.path} more was left out ({left_out:,} statements) than was read ({statements:,})."
        )


def _tasks(
    source: Source, number: int, scope: str, folder: Path, lenient: bool
) -> Iterator[tuple[_Task, bytes]]:
    for place, (block, first, start) in enumerate(source.blocks(_BLOCK)):
        at = None if source.is_packed else start
        yield _Task(number + place, str(source.path), scope, first, at, str(folder), lenient), block


def _with_helpers(
    tasks: Iterator[tuple[_Task, bytes]], number: int, skipped: Skipped | None, source: Source, done: Any
) -> int:
    """Deal the tasks out in order, as many at a time as there are helpers; returns the next free number."""
    count = min(os.cpu_count() or 1, _HELPERS)
    helpers = [_Helper() for _ in range(count)]
    idle: SimpleQueue[_Helper] = SimpleQueue()
    for helper in helpers:
        idle.put(helper)

    def work(task: _Task, block: bytes) -> dict[str, Any]:
        helper = idle.get()
        try:
            return helper.work(task, block)
        finally:
            idle.put(helper)

    def collect(finished: Sequence[Future[dict[str, Any]]]) -> None:
        replies = sorted((future.result() for future in finished), key=lambda reply: int(reply["number"]))
        for reply in replies:
            if "error" in reply:
                raise InputError(reply["error"])
            if skipped is not None:
                skipped.add(reply["skipped"], reply["first"])
            source.odd.merge(**reply["odd"])
            if reply["summary"]["statements"]:
                done(reply["number"], BatchSummary(**reply["summary"]))

    try:
        with ThreadPoolExecutor(count) as threads:
            try:
                pending: set[Future[dict[str, Any]]] = set()
                for task, block in tasks:
                    pending.add(threads.submit(work, task, block))
                    number = task.number + 1
                    if len(pending) > count:
                        finished, pending = wait(pending, return_when=FIRST_COMPLETED)
                        collect(list(finished))
                collect(list(pending))
            except BaseException:  # nobody waits for what the others still read
                for helper in helpers:
                    helper.close()
                raise
    finally:
        for helper in helpers:
            helper.close()
    return number


class _Helper:
    def __init__(self) -> None:
        # It finds modules where this process does, and nowhere else (-P: not in the working directory).
        places = os.pathsep.join(place for place in sys.path if place)
        self._process = subprocess.Popen(
            [sys.executable, "-P", "-c", "from arcaneqa.kb.build.batches import serve; serve()"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env={**os.environ, "PYTHONPATH": places},
            process_group=0,  # Ctrl-C is for the build, which then ends its helpers
        )

    def work(self, task: _Task, block: bytes) -> dict[str, Any]:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        try:
            head = json.dumps({**dataclasses.asdict(task), "bytes": len(block)})
            self._process.stdin.write(head.encode() + b"\n")
            if task.start is None:
                self._process.stdin.write(block)
            self._process.stdin.flush()
            reply: dict[str, Any] = json.loads(self._process.stdout.readline())
        except (OSError, ValueError):
            raise InputError(
                f"A process that was reading {task.path} ended; is there enough memory?"
            ) from None
        return reply

    def close(self) -> None:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.kill()
        self._process.wait()
        with contextlib.suppress(OSError):  # what it was not told any more
            self._process.stdin.close()
        self._process.stdout.close()


def serve() -> None:
    """The whole life of a helper."""
    tasks, replies = sys.stdin.buffer, sys.stdout.buffer
    while head := tasks.readline():
        facts = json.loads(head)
        size = facts.pop("bytes")
        task = _Task(**facts)
        block = tasks.read(size) if task.start is None else _stretch(task.path, task.start, size)
        replies.write(json.dumps(_reply(task, block)).encode() + b"\n")
        replies.flush()


def _stretch(path: str, start: int, size: int) -> bytes:
    with Path(path).open("rb") as file:
        file.seek(start)
        return file.read(size)


def _reply(task: _Task, block: bytes) -> dict[str, Any]:
    skipped = Skipped() if task.lenient else None
    source, batch = Source(Path(task.path), skipped), Batch(task.scope)
    try:
        batch.fill(source.statements_of(block, task.first))
        summary = batch.write(Path(task.folder), task.number, source.spellings)
    except InputError as error:
        return {"number": task.number, "error": str(error)}
    except OSError as error:
        return {"number": task.number, "error": f"The index could not be written: {error.strerror}."}
    left_out = skipped or Skipped()
    return {
        "number": task.number,
        "summary": dataclasses.asdict(summary),
        "skipped": left_out.count,
        "first": left_out.first,
        "odd": dataclasses.asdict(source.odd),
    }
