"""SPARQL servers of our own, on free ports: started, waited for, and ended."""

from __future__ import annotations

import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

_WAIT = 120.0
"""Seconds for a server to listen, and to end."""
_VIRTUOSO = """
[Database]
DatabaseFile = {folder}/virtuoso.db
ErrorLogFile = {folder}/virtuoso.log
LockFile = {folder}/virtuoso.lck
TransactionFile = {folder}/virtuoso.trx
xa_persistent_file = {folder}/virtuoso.pxa
[TempDatabase]
DatabaseFile = {folder}/temporary.db
TransactionFile = {folder}/temporary.trx
[Parameters]
ServerPort = {sql}
DirsAllowed = {data}
NumberOfBuffers = {buffers}
MaxDirtyBuffers = {dirty}
{threads}CheckpointInterval = 0
[HTTPServer]
ServerPort = {http}
{http_threads}[SPARQL]
ResultSetMaxRows = {rows}
"""


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def oxigraph_command() -> str | None:
    """The server that `pip install oxigraph` brings."""
    beside = Path(sys.executable).with_name("oxigraph")
    return str(beside) if beside.exists() else shutil.which("oxigraph")


@contextmanager
def running(command: list[str], ports: list[int], folder: Path | None = None) -> Iterator[None]:
    """A server from when it listens on all of its ports."""
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, cwd=folder)
    try:
        until = time.monotonic() + _WAIT
        while not all(map(_listens, ports)):
            if process.poll() is not None or time.monotonic() > until:
                raise RuntimeError(f"{command[0]} did not start{f'; see {folder}' if folder else ''}.")
            time.sleep(0.1)
        yield
    finally:
        process.terminate()
        process.wait(_WAIT)


@contextmanager
def running_virtuoso(
    folder: Path, sql: int, http: int, data: Path, *, buffers: int, rows: int, is_small: bool = False
) -> Iterator[None]:
    """Virtuoso with its database in `folder`, which may load files of `data`. `buffers` are pages of 8 KiB;
    `rows` is the most it hands out at once (as shipped, 10,000). A small one has few threads."""
    folder.mkdir(parents=True, exist_ok=True)
    settings = folder / "virtuoso.ini"
    text = _VIRTUOSO.format(
        folder=folder,
        data=data,
        sql=sql,
        http=http,
        buffers=buffers,
        dirty=buffers * 3 // 4,
        rows=rows,
        threads="ServerThreads = 20\n" if is_small else "",
        http_threads="ServerThreads = 12\n" if is_small else "",
    )
    settings.write_text(text)
    command = ["virtuoso-t", "+configfile", str(settings), "+foreground"]
    with running(command, [sql, http], folder):
        yield


def _listens(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0
