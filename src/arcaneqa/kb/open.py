"""One door to every knowledge base: an index folder, an endpoint, a file of facts, or the bundled demo."""

from __future__ import annotations

import hashlib
import os
import shutil
import tempfile
import time
from contextlib import suppress
from importlib.resources import as_file, files
from pathlib import Path

from arcaneqa import __version__
from arcaneqa.kb.index import Index
from arcaneqa.kb.index.store import MANIFEST, VERSION
from arcaneqa.kb.interface import KnowledgeBase
from arcaneqa.support.errors import IndexFormatError, InputError
from arcaneqa.support.files import cache_folder
from arcaneqa.support.terminal import Progress

_DEMO = "demo.ttl.zst"
_LETTERS = 16
"""Of each part of a folder's name: which file, and what was in it."""
_DAY = 86400.0
"""Seconds."""
_PIECE = 1 << 20
"""Bytes (1 MiB) read at a time."""


def open_kb(location: str | Path | None = None, progress: Progress | None = None) -> KnowledgeBase:
    """A file of facts, or a folder of them, is indexed into the user's cache, and again when it has changed;
    `progress` is told."""
    if location is None:
        return _open_demo()
    if str(location).startswith(("http://", "https://")):
        from arcaneqa.kb.endpoint import open_endpoint
        from arcaneqa.kb.harvest import with_names

        return with_names(open_endpoint(str(location)))
    path = Path(location)
    if not path.exists():
        raise IndexFormatError(
            f"There is no {path}: give an index folder, a file of facts, or the address of an endpoint."
        )
    return _open_files(path, progress) if is_source(path) else Index(path)


def is_source(path: Path) -> bool:
    """Whether there are facts to index: a file, or a folder with some that is no index."""
    if path.is_dir() and not (path / MANIFEST).exists():
        from arcaneqa.kb.build.formats import holds_sources

        return holds_sources(path)
    return path.is_file()


def _open_demo() -> Index:
    """The bundled facts are indexed on first use and kept in the user's cache."""
    packed = files("arcaneqa.data") / _DEMO
    content = hashlib.sha256(_made_by().encode() + packed.read_bytes()).hexdigest()[:16]
    with as_file(packed) as source:
        return _kept(source, Path(), f"demo-{content}", None)


def _open_files(path: Path, progress: Progress | None) -> Index:
    from arcaneqa.kb.build.formats import source_files

    # By content, and by name, which says what format a file has and is the name of a table.
    content = hashlib.sha256(_made_by().encode())
    for file in source_files([path]):
        content.update(f"{file.name} ".encode())
        try:
            with file.open("rb") as opened:
                while piece := opened.read(_PIECE):
                    content.update(piece)
        except OSError as error:
            raise InputError(f"{file} cannot be read: {error.strerror}.") from None
    place = hashlib.sha256(os.fsencode(path.resolve())).hexdigest()[:_LETTERS]
    return _kept(path, Path("files"), f"{place}-{content.hexdigest()[:_LETTERS]}", progress)


def _made_by() -> str:
    return f"{__version__} {VERSION} "


def _kept(source: Path, place: Path, name: str, progress: Progress | None) -> Index:
    """The index of these facts in this place of the cache, built if it is not there; then earlier versions of
    the same file go."""
    try:
        folder = cache_folder(*place.parts) / name
        with suppress(IndexFormatError):
            return Index(folder)
        own = Path(tempfile.mkdtemp(prefix=f"{name}-", dir=folder.parent))
    except OSError as error:
        raise InputError(
            f"The cache {error.filename} cannot be written ({error.strerror}): set XDG_CACHE_HOME to another "
            "folder, or make an index with `arcaneqa index`."
        ) from None
    from arcaneqa.kb.build import build_index

    # Processes may come here at the same time: each builds its own, and the first in place is kept.
    try:
        if progress is None:
            build_index([source], own / "index")
        else:
            build_index([source], own / "index", progress=progress)
        try:
            os.rename(own / "index", folder)  # noqa: PTH104
        except OSError:
            if not _opens(folder):  # damaged since it was built
                shutil.rmtree(folder)
                (own / "index").rename(folder)
    finally:
        shutil.rmtree(own, ignore_errors=True)
    _sweep(folder)
    return Index(folder)


def _sweep(folder: Path) -> None:
    """Earlier versions of a file are nobody's any more, nor are builds that did not end."""
    for other in folder.parent.iterdir():
        first, _, rest = other.name.partition("-")
        is_earlier = len(first) == _LETTERS and (
            not rest
            or (len(rest) == _LETTERS and other.name != folder.name and folder.name.startswith(first))
        )
        is_stale = "-" in rest and time.time() - other.stat().st_mtime > _DAY
        if is_earlier or is_stale:
            shutil.rmtree(other, ignore_errors=True)


def _opens(folder: Path) -> bool:
    try:
        Index(folder)
    except IndexFormatError:
        return False
    return True
