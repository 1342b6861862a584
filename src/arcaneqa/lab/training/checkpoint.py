"""A model that can be trained, and its folder: `arcaneqa.json`, `tokenizer.json` and weights as safetensors.

Weights lie in files of some megabytes each. Compact storage keeps a matrix as int8 with one scale a
row: a quarter of the size. `stored.py` reads the same folder without torch.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import torch
from safetensors.torch import save as save_tensors
from tokenizers import Tokenizer
from torch import Tensor

from arcaneqa.int8.stored_arrays import SCALE
from arcaneqa.lab.training.encoder import Encoder, encoder_from, load_contextual, load_static
from arcaneqa.lab.training.network import Network
from arcaneqa.model.config import FORMAT, ModelConfig
from arcaneqa.model.stored import MANIFEST, TOKENIZER, Stored, read_stored
from arcaneqa.model.word_pieces import WordPieces
from arcaneqa.support.errors import ModelError
from arcaneqa.support.sealed import MODEL, seal

SHARD_BYTES = 15 * 2**20
"""Of one file of weights (15 MiB), which every host of repositories takes."""
STORAGES = ("float32", "mixed", "int8")


@dataclass(frozen=True, slots=True)
class Model:
    network: Network
    words: WordPieces

    @property
    def config(self) -> ModelConfig:
        return self.network.config


def create(source: str, config: ModelConfig) -> Model:
    """A model to be trained, on the encoder of a folder or hub name, of another model, or `static:PATH`."""
    encoder, tokenizer = encoder_of(source, config)
    return Model(Network(encoder, config), WordPieces(tokenizer, config))


def encoder_of(source: str, config: ModelConfig) -> tuple[Encoder, Tokenizer]:
    if source.startswith("static:"):
        return load_static(Path(source.removeprefix("static:")), config.train_vectors)
    if (Path(source) / MANIFEST).exists():
        donor = load(Path(source))
        if config.max_tokens > donor.config.max_tokens:
            raise ModelError(
                f"the encoder of {source} reads {donor.config.max_tokens} tokens, fewer than "
                f"{config.max_tokens}; set max_tokens in --model"
            )
        return donor.network.encoder, donor.words.tokenizer
    encoder, path = load_contextual(source, config.max_tokens)
    return encoder, WordPieces.read(path, config).tokenizer


def save(model: Model, folder: Path, storage: str = "int8", notes: dict[str, Any] | None = None) -> int:
    """Write beside, then rename; the older model stays whole until then. Returns the size in bytes.

    `mixed` keeps tables of words as int8 and everything else as half floats, to train on from there.
    """
    if storage not in STORAGES:
        raise ModelError(f"storage is one of {', '.join(STORAGES)}, not {storage!r}")
    with MODEL.replacing(folder) as draft:
        files: dict[str, str] = {}

        def put(name: str, data: bytes) -> None:
            (draft / name).write_bytes(data)
            files[name] = hashlib.sha256(data).hexdigest()

        put(TOKENIZER, model.words.tokenizer.to_str().encode())
        for number, shard in enumerate(_shards(_stored(model.network, storage)), 1):
            put(f"weights-{number:02}.safetensors", save_tensors(shard))
        manifest = {
            "format": FORMAT,
            "model": model.config.to_json(),
            "encoder": model.network.encoder.description(),
            "storage": storage,
            "files": files,
            "notes": notes or {},
        }
        (draft / MANIFEST).write_text(json.dumps(manifest, indent=1) + "\n", encoding="utf-8")
        seal(draft)
        return sum(path.stat().st_size for path in draft.iterdir())


def _stored(network: Network, storage: str) -> dict[str, Tensor]:
    tables = {
        f"{name}.weight" for name, part in network.named_modules() if isinstance(part, torch.nn.Embedding)
    }
    stored: dict[str, Tensor] = {}
    for name, tensor in network.state_dict().items():
        whole = tensor.detach().float().cpu()
        matrix = whole.dim() == 2 and whole.numel() >= 4096
        if matrix and (storage == "int8" or (storage == "mixed" and name in tables)):
            scale = (whole.abs().amax(1) / 127).clamp(min=2**-24).half()
            # A half float rounds; should it round down, the largest weight would leave int8.
            rows = (whole / scale.float()[:, None]).round().clamp(-127, 127).to(torch.int8)
            stored[name], stored[name + SCALE] = rows, scale
        elif storage != "float32":
            stored[name] = whole.half()
        else:
            stored[name] = whole.clone()
    return stored


def _shards(tensors: dict[str, Tensor]) -> list[dict[str, Tensor]]:
    """Parts of at most SHARD_BYTES where a single tensor allows it."""
    shards: list[dict[str, Tensor]] = [{}]
    used = 0
    for name, tensor in tensors.items():
        if used and used + tensor.nbytes > SHARD_BYTES:
            shards.append({})
            used = 0
        shards[-1][name] = tensor.contiguous()
        used += tensor.nbytes
    return shards


def load(
    folder: Path,
    device: str | torch.device = "cpu",
    learns_readings: bool = False,
    learns_none: bool = False,
) -> Model:
    """A network to train on; raises ModelError where a file does not fit the configuration."""
    stored = read_stored(folder)
    config = replace(
        stored.config,
        readings=stored.config.readings or learns_readings,
        none_of_these=stored.config.none_of_these or learns_none,
    )
    encoder = encoder_from(stored.encoder, config.train_vectors)
    network = Network(encoder, config)
    fill(network, stored)
    network.to(device).eval()
    return Model(network, WordPieces(stored.tokenizer, config))


def fill(network: Network, stored: Stored) -> None:
    """Raises ModelError where the weights are those of another network."""
    try:
        network.load_state_dict({name: torch.from_numpy(stored.floats(name)) for name in stored.names()})
    except RuntimeError as error:
        reason = str(error).splitlines()[1].strip() if "\n" in str(error) else str(error)
        raise ModelError(f"the weights in {stored.folder} do not fit its configuration: {reason}") from error


def parameters_of(network: Network) -> int:
    """How many numbers learn."""
    return sum(one.numel() for one in network.parameters() if one.requires_grad)
