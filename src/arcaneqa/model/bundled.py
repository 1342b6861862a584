"""The model that comes with the package."""

from __future__ import annotations

from importlib.resources import as_file, files
from pathlib import Path

from arcaneqa.errors import ModelError
from arcaneqa.model.stored import MANIFEST


def bundled_model() -> Path:
    """Its folder; a ModelError where the package was built without one."""
    with as_file(files("arcaneqa") / "data" / "model") as folder:
        if not (folder / MANIFEST).exists():
            raise ModelError(
                "this package was built without a model: train one with `arcaneqa train` and name its folder"
            )
        return folder
