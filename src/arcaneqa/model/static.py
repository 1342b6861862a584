"""Word vectors from a text file (`word v1 v2 …` a line, as GloVe has it; plain or .gz) as an encoder."""

from __future__ import annotations

import gzip
from pathlib import Path

import numpy as np
import torch
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors

from arcaneqa.errors import ModelError
from arcaneqa.model.encoder import StaticEncoder

_MARKS = ("[PAD]", "[UNK]", "[CLS]", "[SEP]")


def load_static(path: Path, trainable: bool) -> tuple[StaticEncoder, Tokenizer]:
    words, vectors = _read(path)
    encoder = StaticEncoder(len(_MARKS) + len(words), vectors.shape[1], trainable)
    with torch.no_grad():
        encoder.vectors.weight[: len(_MARKS)] = 0
        # An unknown word is the average one.
        encoder.vectors.weight[1] = torch.from_numpy(vectors.mean(0))
        encoder.vectors.weight[len(_MARKS) :] = torch.from_numpy(vectors)
    return encoder, word_tokenizer(words)


def word_tokenizer(words: list[str]) -> Tokenizer:
    """Lower-case words and punctuation marks, each one token, between `[CLS]` and `[SEP]`."""
    vocabulary = {word: number for number, word in enumerate([*_MARKS, *words])}
    tokenizer = Tokenizer(models.WordLevel(vocabulary, unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.BertNormalizer(lowercase=True)
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.post_processor = processors.BertProcessing(("[SEP]", 3), ("[CLS]", 2))
    return tokenizer


def _read(path: Path) -> tuple[list[str], np.ndarray[tuple[int, int], np.dtype[np.float32]]]:
    words: dict[str, int] = {}
    rows: list[np.ndarray[tuple[int], np.dtype[np.float32]]] = []
    opener = gzip.open if path.suffix == ".gz" else open
    try:
        with opener(path, "rt", encoding="utf-8") as lines:
            for number, line in enumerate(lines, 1):
                word, _, numbers = line.rstrip("\n").partition(" ")
                row = np.array(numbers.split(), np.float32)
                if rows and len(row) != len(rows[0]):
                    raise ModelError(f"{path}, line {number}: {len(row)} numbers instead of {len(rows[0])}")
                if word and word not in words and word not in _MARKS:
                    words[word] = len(words)
                    rows.append(row)
    except OSError as error:
        raise ModelError(f"{path} cannot be read ({error.strerror or error})") from error
    except ValueError as error:
        raise ModelError(f"{path} is not a file of word vectors ({error})") from error
    if not rows or not len(rows[0]):
        raise ModelError(f"{path} holds no word vectors")
    return list(words), np.stack(rows)
