"""A model's folder as plain arrays: checked, not pickled, and read without torch.

`arcaneqa.json` describes the model and names its other files with their checksums; weights are safetensors.
Compact storage keeps a matrix as int8 with one scale a row. One such folder comes with the package.
"""

from __future__ import annotations

import errno
import hashlib
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from importlib.resources import as_file, files
from pathlib import Path
from typing import Any

from numpy.typing import NDArray
from safetensors import SafetensorError
from safetensors.numpy import load as load_arrays
from tokenizers import Tokenizer

from arcaneqa.int8.stored_arrays import StoredArrays
from arcaneqa.model.config import FORMAT, ModelConfig
from arcaneqa.support.errors import ModelError
from arcaneqa.support.files import plain_json
from arcaneqa.support.sealed import check_seal

MANIFEST = "arcaneqa.json"
TOKENIZER = "tokenizer.json"


@dataclass(frozen=True, slots=True)
class Stored(StoredArrays):
    """A whole model: the weights, its configuration and its tokenizer."""

    config: ModelConfig
    tokenizer: Tokenizer


def manifest_of(folder: Path) -> dict[str, Any]:
    check_seal(folder)
    path = folder / MANIFEST
    try:
        manifest = plain_json(path)
    except FileNotFoundError as error:
        raise ModelError(f"{folder} is not a model: it has no {MANIFEST}") from error
    except (OSError, ValueError, RecursionError) as error:
        raise ModelError(f"{path} cannot be read ({error}); copy or train the model again") from error
    if not isinstance(manifest, dict) or not {"model", "encoder", "files"} <= set(manifest):
        raise ModelError(f"{path} does not describe a model; copy or train the model again")
    if manifest.get("format") != FORMAT:
        raise ModelError(
            f"The model {folder} has format version {manifest.get('format')!r}, this program reads version "
            f"{FORMAT}; train it again with `arcaneqa train`."
        )
    return manifest


def read_stored(folder: Path, kind: type[ModelConfig] = ModelConfig) -> Stored:
    """Raises ModelError where a file is missing or damaged, or the configuration is not of this kind."""
    manifest = manifest_of(folder)
    config = kind.from_json(manifest["model"])
    contents = {name: _content(folder, name) for name in _files(folder, manifest)}
    with ThreadPoolExecutor(1) as aside:
        are_whole = aside.submit(_compare, folder, contents, manifest["files"])
        try:
            arrays, tokenizer = _parsed(folder, contents)
        finally:  # a file that is damaged is said to be so, whatever else it is
            are_whole.result()
    return Stored(folder, manifest["encoder"], arrays, config, tokenizer)


def _files(folder: Path, manifest: dict[str, Any]) -> dict[str, str]:
    files = manifest["files"]
    if not isinstance(files, dict) or not all(isinstance(each, str) for each in files.values()):
        raise ModelError(f"{folder / MANIFEST} does not name the files of a model; copy or train it again")
    return files


def _content(folder: Path, name: str) -> bytes:
    path = folder / name
    try:
        if path.parent != folder or not path.is_file():
            raise OSError(errno.EINVAL, "it is not a plain file of the folder")
        return path.read_bytes()
    except OSError as error:
        raise ModelError(f"{path} cannot be read ({error.strerror}); copy the model again") from error


def _compare(folder: Path, contents: dict[str, bytes], digests: dict[str, str]) -> None:
    for name, content in contents.items():
        if hashlib.sha256(content).hexdigest() != digests[name]:
            raise ModelError(f"{folder / name} is damaged (its checksum differs); copy the model again")


def _parsed(folder: Path, contents: dict[str, bytes]) -> tuple[dict[str, NDArray[Any]], Tokenizer]:
    if TOKENIZER not in contents:
        raise ModelError(f"{folder} has no tokenizer; copy the model again")
    arrays: dict[str, NDArray[Any]] = {}
    try:
        for name in sorted(contents):
            if name.endswith(".safetensors"):
                arrays |= load_arrays(contents[name])
        return arrays, Tokenizer.from_buffer(contents[TOKENIZER])
    except (SafetensorError, ValueError) as error:
        raise ModelError(f"{folder} holds a file that cannot be read ({error})") from error


def bundled_model() -> Path:
    """Its folder; a ModelError where the package was built without one."""
    with as_file(files("arcaneqa") / "data" / "model") as folder:
        if not (folder / MANIFEST).exists():
            raise ModelError(
                "this package was built without a model: train one with `arcaneqa train` and name its folder"
            )
        return folder
