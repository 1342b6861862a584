"""Weights small enough to travel: int8, with only the word pieces that prepared sets use.

    python recipes/travel.py encoder ENCODER --out MODEL      (an encoder with a new decoder, as a model)
    python recipes/travel.py pack MODEL --sets SET… --out FILE
    python recipes/travel.py pack MODEL --like FILE --out FILE
    python recipes/travel.py unpack FILE --tokenizer MODEL|FILE --out MODEL [--rest MODEL]

With --like the word pieces are those of another packed model. What a model of 33 MB learns from six thousand
word pieces fits in 24 MB. Where it is unpacked, the vectors of the other pieces are those of --rest, or zero:
training never reads them. Needs what training needs.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import torch
from safetensors import safe_open
from safetensors.numpy import save_file
from tokenizers import Tokenizer

from arcaneqa.int8.stored_arrays import SCALE
from arcaneqa.lab.training.batches import Corpus
from arcaneqa.lab.training.checkpoint import Model, create, save
from arcaneqa.lab.training.encoder import encoder_from
from arcaneqa.lab.training.network import Network
from arcaneqa.lab.training.prepared import read
from arcaneqa.model.config import ModelConfig
from arcaneqa.model.stored import TOKENIZER, Stored, manifest_of, read_stored
from arcaneqa.model.word_pieces import WordPieces
from arcaneqa.support.ragged import Ints

TABLE = "encoder.network.embeddings.word_embeddings.weight"
PIECES = "pieces"


def pieces_of(sets: Sequence[Path], words: WordPieces) -> Ints:
    """The word pieces that training on these sets reads, in their order."""
    used = {words.blank}
    for folder in sets:
        used.update(np.unique(Corpus.of(read(folder), words).table.ids).tolist())
    return np.array(sorted(used), np.int64)


def pack(folder: Path, sets: Sequence[Path], like: Path | None, out: Path) -> None:
    stored = read_stored(folder)
    if like is None:
        pieces = pieces_of(sets, WordPieces(stored.tokenizer, stored.config))
    else:
        with safe_open(like, "np") as opened:
            pieces = opened.get_tensor(PIECES)
    arrays = stored.arrays | {name: stored.arrays[name][pieces] for name in (TABLE, TABLE + SCALE)}
    out.parent.mkdir(parents=True, exist_ok=True)
    # Contiguous, or the file would hold the bytes of the whole array.
    whole = {name: np.ascontiguousarray(array) for name, array in arrays.items()}
    save_file(whole | {PIECES: pieces.astype(np.int32)}, out, {"manifest": json.dumps(manifest_of(folder))})
    print(f"{out}: {len(pieces):,} word pieces, {out.stat().st_size / 1e6:.1f} MB")


def unpack(file: Path, tokenizer: Path, out: Path, rest: Path | None) -> None:
    with safe_open(file, "np") as opened:
        manifest = json.loads(opened.metadata()["manifest"])
        arrays = {name: opened.get_tensor(name) for name in opened.keys()}  # noqa: SIM118 - not a dict
    pieces = arrays.pop(PIECES)
    config = ModelConfig.from_json(manifest["model"])
    words = Tokenizer.from_file(str(tokenizer / TOKENIZER if tokenizer.is_dir() else tokenizer))
    stored = Stored(file.parent, manifest["encoder"], arrays, config, words)
    floats = {name: stored.floats(name) for name in stored.names()}
    length = int(manifest["encoder"]["vocab_size"])
    table = np.zeros((length, floats[TABLE].shape[1]), np.float32)
    if rest is not None:
        table[:] = read_stored(rest).floats(TABLE)
    table[pieces] = floats[TABLE]
    network = Network(encoder_from(manifest["encoder"], config.train_vectors), config)
    network.load_state_dict({name: torch.from_numpy(one) for name, one in (floats | {TABLE: table}).items()})
    save(Model(network, WordPieces(words, config)), out, notes=manifest["notes"])


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("way", choices=("encoder", "pack", "unpack"))
    parser.add_argument("source", type=Path)
    parser.add_argument("--sets", nargs="+", type=Path, default=[])
    parser.add_argument("--like", type=Path)
    parser.add_argument("--tokenizer", type=Path)
    parser.add_argument("--rest", type=Path)
    parser.add_argument("--out", type=Path, required=True)
    given = parser.parse_args()
    match given.way:
        case "encoder":
            torch.manual_seed(0)
            both = replace(ModelConfig(), readings=True, none_of_these=True)
            save(create(str(given.source), both), given.out)
        case "pack":
            pack(given.source, given.sets, given.like, given.out)
        case _:
            unpack(given.source, given.tokenizer, given.out, given.rest)


if __name__ == "__main__":
    main()
