"""One door to every knowledge base: an index folder, a SPARQL endpoint, or the bundled demo."""

from __future__ import annotations

import hashlib
import os
import shutil
import tempfile
from importlib.resources import as_file, files
from pathlib import Path

from platformdirs import user_cache_path

from arcaneqa import __version__
from arcaneqa.errors import IndexFormatError
from arcaneqa.kb.index import Index
from arcaneqa.kb.index.store import VERSION
from arcaneqa.kb.interface import KnowledgeBase

_DEMO = "demo.ttl.zst"


def open_kb(location: str | Path | None = None) -> KnowledgeBase:
    if location is None:
        return _open_demo()
    if str(location).startswith(("http://", "https://")):
        from arcaneqa.kb.endpoint import open_endpoint
        from arcaneqa.kb.harvest import with_names

        return with_names(open_endpoint(str(location)))
    return Index(location)


def _open_demo() -> Index:
    """The bundled facts are indexed on first use and kept in the user's cache."""
    packed = files("arcaneqa.data") / _DEMO
    content = hashlib.sha256(f"{__version__} {VERSION} ".encode() + packed.read_bytes()).hexdigest()[:16]
    folder = user_cache_path("arcaneqa") / f"demo-{content}"
    try:
        return Index(folder)
    except IndexFormatError:
        pass
    from arcaneqa.kb.build import build_index

    # Processes may come here at the same time: each builds its own, and the first in place is kept.
    folder.parent.mkdir(parents=True, exist_ok=True)
    own = Path(tempfile.mkdtemp(prefix="demo-", dir=folder.parent))
    try:
        with as_file(packed) as source:
            build_index([source], own / "index")
        try:
            os.rename(own / "index", folder)  # noqa: PTH104
        except OSError:
            if not _opens(folder):  # damaged since it was built
                shutil.rmtree(folder)
                (own / "index").rename(folder)
    finally:
        shutil.rmtree(own, ignore_errors=True)
    return Index(folder)


def _opens(folder: Path) -> bool:
    try:
        Index(folder)
    except IndexFormatError:
        return False
    return True
