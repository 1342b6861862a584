"""A Virtuoso server of our own, with its shipped limits; installed from Debian where it is missing."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from urllib.parse import urlencode

from benchmarks import servers

_PACKAGE = "virtuoso-opensource-7-bin"


@dataclass(frozen=True)
class Virtuoso:
    folder: Path
    sql: int
    http: int
    graphs: Iterator[int]

    def load(self, facts: str) -> str:
        """Hold these N-Triples in a graph of their own; returns the address to query."""
        number = next(self.graphs)
        file = self.folder / f"facts{number}.nt"
        file.write_text(facts, encoding="utf-8")
        return self.load_file(file, f"http://example.org/graph/{number}")

    def load_file(self, file: Path, graph: str) -> str:
        self._run(
            f"ld_dir('{file.parent}', '{file.name}', '{graph}'); rdf_loader_run(); checkpoint; "
            "select ll_file, ll_error from DB.DBA.load_list where ll_error is not null;"
        )
        return f"http://127.0.0.1:{self.http}/sparql?{urlencode({'default-graph-uri': graph})}"

    def search_words(self) -> None:
        """Let the server search for the words of all texts, of those it has and of those that come."""
        self._run("DB.DBA.RDF_OBJ_FT_RULE_ADD(null, null, 'all'); DB.DBA.VT_INC_INDEX_DB_DBA_RDF_OBJ();")

    def _run(self, commands: str) -> None:
        address = f"127.0.0.1:{self.sql}"
        done = subprocess.run(
            ["isql-vt", address, "dba", "dba", "ERRORS=STDOUT", "VERBOSE=OFF", f"EXEC={commands}"],
            capture_output=True,
            text=True,
            check=True,
        )
        if "Error" in done.stdout:
            raise RuntimeError(done.stdout)


def install_virtuoso() -> None:
    if shutil.which("virtuoso-t") is None:
        subprocess.run(["apt-get", "update", "-qq"], check=True)
        subprocess.run(["apt-get", "install", "-y", "-qq", _PACKAGE], check=True)


@contextmanager
def running_virtuoso(folder: Path, buffers: int = 20_000) -> Iterator[Virtuoso]:
    install_virtuoso()
    server = Virtuoso(folder, servers.free_port(), servers.free_port(), count())
    with servers.running_virtuoso(
        folder, server.sql, server.http, folder, buffers=buffers, rows=10_000, is_small=True
    ):
        yield server
