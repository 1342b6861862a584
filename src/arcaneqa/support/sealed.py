"""The seal of a model's folder: checksums of its manifest and of every part that was added to it later.

The manifest names the weights with their checksums; the seal is over the manifest itself, and over the
linker's weights, constants and fitted numbers that are made one by one and lie beside it. Whoever writes a
part seals again.
"""

from __future__ import annotations

import hashlib
import json
import sys
from pathlib import Path
from typing import Any

from arcaneqa.support.errors import ModelError
from arcaneqa.support.files import beside, plain_json
from arcaneqa.support.outputs import FolderKind

SEAL = "seal.json"
PARTS = ("arcaneqa.json", "constants.json", "linker.json", "verdict.json")
MODEL = FolderKind(
    "a model", PARTS[0], lambda found: {"format", "model", "encoder"} <= found.keys(), (*PARTS, SEAL)
)


def seal(folder: Path) -> None:
    """Seal a model as it is now."""
    files = {name: _digest(folder / name) for name in PARTS if (folder / name).exists()}
    with beside(folder / SEAL) as draft:
        draft.write_text(
            json.dumps({"files": files, "seal": _over(files)}, indent=1) + "\n", encoding="utf-8"
        )


def seal_again(folder: Path) -> None:
    """After a part was written: a folder that has a seal gets a new one."""
    if (folder / SEAL).exists():
        seal(folder)


def check_seal(folder: Path) -> None:
    """A ModelError where a part is not what was sealed. A part that was removed is done without; models
    made before there were seals have none."""
    path = folder / SEAL
    try:
        found: Any = plain_json(path)
        files = dict(found["files"])
        is_whole = found["seal"] == _over(files)
    except FileNotFoundError:
        return
    except (OSError, ValueError, LookupError, TypeError, RecursionError):
        is_whole, files = False, {}
    if not is_whole:
        raise ModelError(f"{path} is damaged; copy or train the model again.")
    for name in PARTS:
        if (folder / name).exists() and _digest(folder / name) != files.get(name):
            raise ModelError(f"{folder / name} was changed or is damaged; copy or train the model again.")


def _digest(path: Path) -> str:
    try:
        return hashlib.sha256(path.read_bytes()).hexdigest()
    except OSError as error:
        raise ModelError(f"{path} cannot be read ({error.strerror}); copy the model again.") from error


def _over(files: dict[str, str]) -> str:
    return hashlib.sha256(json.dumps(files, sort_keys=True).encode()).hexdigest()


if __name__ == "__main__":  # python -m arcaneqa.support.sealed MODEL
    seal(Path(sys.argv[1]))
