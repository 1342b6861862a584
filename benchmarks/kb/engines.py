"""The stores the index is measured against; each answers a question and says what it answered."""

from __future__ import annotations

import os
import shutil
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Protocol
from urllib.parse import urlencode

import numpy as np

from arcaneqa.kb.index import Index
from arcaneqa.kb.interface import NodeSet
from benchmarks.kb.questions import Asked, Question, answer_of, sparql
from benchmarks.servers import free_port, oxigraph_command, running, running_virtuoso

_GRAPH = "http://kb.example/graph"
_SECONDS = 120.0
"""For one answer."""
_BUFFERS = 340_000
"""What Virtuoso's own settings name for 4 GB of memory."""


class Engine(Protocol):
    name: str

    def prepare(self, asked: Asked | None) -> None:
        """Take the set in hand, outside of what is timed."""

    def ask(self, question: Question, asked: Asked | None) -> Any: ...

    def answer(self, question: Question, raw: Any) -> frozenset[Any]:
        """What `ask` returned, in terms that all engines share."""


class IndexEngine:
    def __init__(self, kb: Index, name: str) -> None:
        self._kb, self.name = kb, name
        self._nothing = NodeSet(np.empty(0, np.int64))

    def prepare(self, asked: Asked | None) -> None:
        """The set is in hand as it is."""

    def ask(self, question: Question, asked: Asked | None) -> Any:
        return question.index(self._kb, self._nothing if asked is None else asked.nodes)

    def answer(self, question: Question, raw: Any) -> frozenset[Any]:
        return answer_of(self._kb, question.kind, raw)


class DuckDb:
    """Facts as tables of the index's own ids, sorted by relation: integers against integers."""

    name = "DuckDB"

    def __init__(self, kb: Index) -> None:
        import duckdb

        self._kb = kb
        self._base = duckdb.connect()
        everyone = NodeSet(np.arange(kb.counts["entities"]))
        facts: list[Any] = []
        literals: list[Any] = []
        for relation in kb.schema.relations:
            if relation.hidden:
                continue
            pairs = kb.values(relation.id, everyone)
            far = kb.are_literals(pairs.objects)
            column = np.full(len(far), relation.id)
            facts.append((pairs.subjects[~far], column[~far], pairs.objects[~far]))
            literals.append((pairs.subjects[far], column[far], pairs.objects[far]))
        s, p, o = (np.concatenate(column) for column in zip(*facts, strict=True))
        self._table("facts", s=s, p=p, o=o)
        s, p, o = (np.concatenate(column) for column in zip(*literals, strict=True))
        lexical = np.array([getattr(term, "lexical", "") for term in kb.terms(o)])
        dated = np.char.count(lexical, "-") == 2
        number = np.where(dated, "nan", lexical).astype(np.float64)
        day = np.where(dated, lexical, "NaT").astype("datetime64[D]").astype("datetime64[s]")
        self._table("literals", s=s, p=p, number=number, day=day)
        members = [kb.members(klass.id).ids for klass in kb.schema.classes]
        classes = np.repeat(np.arange(len(members)), [len(nodes) for nodes in members])
        self._table("types", s=np.concatenate(members), c=classes)

    def _table(self, name: str, **columns: Any) -> None:
        self._base.register("columns", columns)
        self._base.execute(f"CREATE OR REPLACE TABLE {name} AS SELECT * FROM columns")
        self._base.unregister("columns")

    def prepare(self, asked: Asked | None) -> None:
        if asked is not None:
            self._table("chosen", s=asked.nodes.ids)

    def ask(self, question: Question, asked: Asked | None) -> Any:
        del asked
        return self._base.execute(question.sql).fetchnumpy()

    def answer(self, question: Question, raw: Any) -> frozenset[Any]:
        columns = [np.asarray(column) for column in raw.values()]
        if question.kind == "truth":
            return frozenset([bool(columns[0][0])])
        if question.kind == "pairs":
            subjects, objects = (self._kb.terms(column) for column in columns)
            pairs = zip(subjects, objects, strict=True)
            return frozenset((getattr(s, "value", ""), getattr(o, "value", "")) for s, o in pairs)
        if question.kind == "nodes":
            return frozenset(getattr(term, "value", "") for term in self._kb.terms(columns[0]))
        if question.kind == "steps":
            ways = zip(columns[0].tolist(), columns[1].tolist(), strict=True)
            return frozenset((self._kb.schema.relations[each].iri, way) for each, way in ways)
        items = self._kb.schema.relations if question.kind == "relations" else self._kb.schema.classes
        return frozenset(items[each].iri for each in columns[0].tolist())


class InProcess:
    """pyoxigraph in this process, on the store that the Oxigraph server serves."""

    name = "pyoxigraph"

    def __init__(self, folder: Path) -> None:
        from pyoxigraph import Store

        self._store = Store.read_only(str(folder))

    def prepare(self, asked: Asked | None) -> None:
        """The set is named in the query."""

    def ask(self, question: Question, asked: Asked | None) -> Any:
        found: Any = self._store.query(sparql(question, asked))
        width = 2 if question.kind in ("pairs", "steps") else 1
        return [tuple(row[each] for each in range(width)) for row in found]

    def answer(self, question: Question, raw: Any) -> frozenset[Any]:
        if question.kind == "truth":
            return frozenset([bool(raw)])
        return frozenset(tuple(term.value for term in row) if len(row) == 2 else row[0].value for row in raw)


class Server:
    """A SPARQL endpoint, asked over HTTP; the time ends when the last byte of the answer is here."""

    def __init__(self, name: str, url: str, parameters: dict[str, str]) -> None:
        import httpx

        self.name = name
        self.url, self.parameters = url, parameters
        self._client = httpx.Client(timeout=_SECONDS)

    def prepare(self, asked: Asked | None) -> None:
        """The set is named in the query."""

    def ask(self, question: Question, asked: Asked | None) -> Any:
        reply = self._client.post(
            self.url,
            content=urlencode({**self.parameters, "query": sparql(question, asked)}),
            headers={
                "Accept": "text/tab-separated-values",
                "Content-Type": "application/x-www-form-urlencoded",
            },
        )
        if reply.status_code != 200:
            raise RuntimeError(f"{self.name} refused “{question.name}”: {reply.text[:300]}")
        return reply.content

    def answer(self, question: Question, raw: Any) -> frozenset[Any]:
        if question.kind == "truth":
            return frozenset([raw.count(b"\n") > 1])
        rows = (line.split("\t") for line in raw.decode().splitlines()[1:])
        cells = (tuple(cell.strip('<>"') for cell in row) for row in rows)
        return frozenset(row if len(row) == 2 else row[0] for row in cells)


def missing() -> list[str]:
    """What the whole comparison needs and this machine has not."""
    from importlib.util import find_spec

    wanted = []
    if find_spec("duckdb") is None:
        wanted.append("DuckDB (`pip install duckdb`)")
    if oxigraph_command() is None:
        wanted.append("the Oxigraph server (`pip install oxigraph`)")
    if shutil.which("virtuoso-t") is None or shutil.which("isql-vt") is None:
        wanted.append("Virtuoso (`apt-get install virtuoso-opensource-7-bin`)")
    return wanted


def load_oxigraph(source: Path, folder: Path) -> float:
    """Seconds to load, as the server's own tool does it; then the store is optimised for reading."""
    command = oxigraph_command()
    assert command is not None
    os.sync()  # what was written before should not have to be waited for
    start = time.perf_counter()
    subprocess.run([command, "load", "-l", folder, "-f", source], check=True, stderr=subprocess.DEVNULL)
    seconds = time.perf_counter() - start
    subprocess.run([command, "optimize", "-l", folder], check=True, stderr=subprocess.DEVNULL)
    return seconds


@contextmanager
def oxigraph_server(folder: Path) -> Iterator[Server]:
    command, port = oxigraph_command(), free_port()
    assert command is not None
    address = f"127.0.0.1:{port}"
    with running([command, "serve-read-only", "-l", str(folder), "-b", address], [port]):
        yield Server("Oxigraph server", f"http://{address}/query", {})


@contextmanager
def virtuoso(source: Path, folder: Path, most_rows: int = 1_000_000) -> Iterator[Server]:
    """A Virtuoso of its own with the facts loaded; it remembers by itself what it has loaded. It hands out so
    many rows at most; as shipped, 10,000."""
    sql, http = free_port(), free_port()
    with running_virtuoso(folder, sql, http, source.parent, buffers=_BUFFERS, rows=most_rows):
        commands = f"ld_dir('{source.parent}', '{source.name}', '{_GRAPH}'); rdf_loader_run(); checkpoint;"
        isql = ["isql-vt", f"127.0.0.1:{sql}", "dba", "dba", "VERBOSE=OFF", f"EXEC={commands}"]
        subprocess.run(isql, check=True, stdout=subprocess.DEVNULL)
        # Without the graph's name Virtuoso answers from its system graphs too.
        parameters = {"default-graph-uri": _GRAPH}
        yield Server("Virtuoso", f"http://127.0.0.1:{http}/sparql", parameters)
