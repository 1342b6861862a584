"""`arcaneqa cache`: what is kept on this machine, and how to be rid of it."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from arcaneqa.apps.cli import Json

# The folders under the cache that other rooms write, by the beginning of their names.
_MEANINGS = {
    "compiled": "loops compiled for this processor",
    "demo-": "the bundled knowledge base, indexed",
    "endpoints": "what was learnt of SPARQL endpoints",
    "history": "what was typed at the prompt",
    "files": "files that were asked directly, indexed",
    "whole": "notes that files matched their checksums",
}


def command(
    clear: Annotated[
        bool, typer.Option("--clear", help="Delete all of it; it is made again when needed.")
    ] = False,
    as_json: Json = False,
) -> None:
    """Show what is kept in the cache folder, or clear it. Knowledge bases that you made are not there.

    Example: arcaneqa cache --clear
    """
    import shutil

    from arcaneqa.support.errors import InputError
    from arcaneqa.support.files import cache_place
    from arcaneqa.support.terminal import say, say_json

    try:
        folder = cache_place()
    except OSError as error:
        raise InputError(f"Nothing is kept: {error.strerror}. Set XDG_CACHE_HOME.") from None
    kept = sorted(folder.iterdir()) if folder.is_dir() else []
    sizes = {path.name: _size(path) for path in kept}
    if clear:
        try:
            for path in kept:
                shutil.rmtree(path) if path.is_dir() and not path.is_symlink() else path.unlink()
        except OSError as error:
            raise InputError(f"{error.filename} cannot be deleted: {error.strerror}.") from None
    if as_json:
        say_json({"folder": str(folder), "bytes": sizes, "cleared": clear})
        return
    say(str(folder))
    for name, size in sizes.items():
        meaning = next((says for start, says in _MEANINGS.items() if name.startswith(start)), "")
        say(f"  {size / 1e6:8.1f} MB  {name}  {meaning}".rstrip())
    total = sum(sizes.values()) / 1e6
    say(f"{total:.1f} MB {'deleted' if clear else 'in all'}")


def _size(path: Path) -> int:
    files = path.rglob("*") if path.is_dir() else [path]
    return sum(file.lstat().st_size for file in files if file.is_file())
