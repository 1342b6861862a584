"""What turns word pieces into vectors: a BERT-like network, or word vectors without context.

Word vectors come from a text file, `word v1 v2 …` a line as GloVe has it, plain or .gz.
"""

from __future__ import annotations

import gzip
import json
import os
from abc import ABC, abstractmethod
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors
from torch import Tensor, nn

from arcaneqa.lab.training import packed_bert
from arcaneqa.lab.training.calls import Call, Grid
from arcaneqa.support.errors import ModelError


def steady_gpu() -> None:
    """Batches of ever new shapes: cuDNN's attention would compile a plan for each one, and the
    allocator would ask the driver for ever new blocks."""
    os.environ.setdefault("PYTORCH_ALLOC_CONF", "expandable_segments:True")
    torch.backends.cuda.enable_cudnn_sdp(False)


class Encoder(nn.Module, ABC):
    """Vectors of width `width` for every token of some calls, end to end; `half` computes them in bf16."""

    width: int

    @abstractmethod
    def forward(self, calls: Sequence[Call], half: bool = False) -> Tensor: ...

    @abstractmethod
    def description(self) -> dict[str, Any]:
        """What `encoder_from` needs to build the same module again, without weights."""


class ContextualEncoder(Encoder):
    """Any Hugging Face encoder with absolute positions; the pooling layer is left out. BERT has its own way
    to be read, without padding."""

    def __init__(self, network: Any) -> None:
        super().__init__()
        self.network = network
        self.config = network.config
        self.width = int(self.config.hidden_size)
        self._pad = int(getattr(self.config, "pad_token_id", 0) or 0)
        self._is_packed = packed_bert.can_read(self.config)

    def forward(self, calls: Sequence[Call], half: bool = False) -> Tensor:
        if self._is_packed:
            kind = torch.bfloat16 if half else torch.float32
            return packed_bert.read(self.network, calls, kind).float()
        return torch.cat([self._padded(call, half).float() for call in calls])

    def _padded(self, call: Call, half: bool) -> Tensor:
        grid = Grid.of(call)
        with torch.autocast(call.ids.device.type, torch.bfloat16, enabled=half):
            read = self.network(input_ids=grid.spread(call.ids, self._pad), attention_mask=grid.mask.long())
        return grid.gather(read.last_hidden_state)

    def description(self) -> dict[str, Any]:
        settings = json.loads(self.config.to_json_string(use_diff=False))
        return {key: value for key, value in settings.items() if not key.startswith("_")}


class StaticEncoder(Encoder):
    """Word vectors; `trainable` as in the paper's i.i.d. setting, frozen as in its others."""

    def __init__(self, words: int, width: int, trainable: bool) -> None:
        super().__init__()
        self.width = width
        self.vectors = nn.Embedding(words, width)
        self.vectors.weight.requires_grad_(trainable)

    def forward(self, calls: Sequence[Call], half: bool = False) -> Tensor:  # noqa: ARG002 - only looked up
        output: Tensor = self.vectors(torch.cat([call.ids for call in calls]))
        return output

    def description(self) -> dict[str, Any]:
        return {"model_type": "static", "words": self.vectors.num_embeddings, "width": self.width}


def encoder_from(description: dict[str, Any], train_vectors: bool) -> Encoder:
    """An encoder of this shape with weights still to be loaded."""
    from transformers import AutoConfig, AutoModel

    settings = dict(description)
    kind = settings.pop("model_type", None)
    try:
        if kind == "static":
            return StaticEncoder(int(settings["words"]), int(settings["width"]), train_vectors)
        shape = AutoConfig.for_model(kind, **settings)
        network = AutoModel.from_config(shape, **_without_pooler(kind))  # type: ignore[no-untyped-call]
    except (KeyError, TypeError, ValueError) as error:
        raise ModelError(f"the encoder of type {kind!r} cannot be built ({error})") from error
    return ContextualEncoder(network)


def _without_pooler(kind: str) -> dict[str, Any]:
    return {"add_pooling_layer": False} if kind in ("bert", "roberta", "mpnet", "xlm-roberta") else {}


def load_contextual(name: str | Path, max_tokens: int) -> tuple[Encoder, Path]:
    """An encoder from a folder or the hub, with the path of its tokenizer file.

    The position table is cut to `max_tokens`: the rest would never be read and weighs the file down.
    """
    from transformers import AutoConfig, AutoModel
    from transformers.utils import logging
    from transformers.utils.hub import cached_file

    logging.disable_progress_bar()  # type: ignore[no-untyped-call]
    # A pooling layer left out is no news.
    logging.set_verbosity_error()  # type: ignore[no-untyped-call]
    try:
        config = AutoConfig.from_pretrained(name)
        network = AutoModel.from_pretrained(
            name, dtype=torch.float32, **_without_pooler(str(config.model_type))
        )
        tokenizer = cached_file(name, "tokenizer.json")
    except (OSError, ValueError) as error:
        raise ModelError(f"the encoder {name} cannot be loaded ({str(error).splitlines()[0]})") from error
    _cut_positions(network, max_tokens)
    return ContextualEncoder(network), Path(str(tokenizer))


def _cut_positions(network: Any, max_tokens: int) -> None:
    embeddings = getattr(network, "embeddings", None)
    table = getattr(embeddings, "position_embeddings", None)
    if embeddings is None or not isinstance(table, nn.Embedding):
        raise ModelError("the encoder has no table of absolute positions; use a BERT-like one")
    # RoBERTa-like models count positions from past the padding index.
    rows = max_tokens + (0 if table.padding_idx is None else table.padding_idx + 1)
    if table.num_embeddings < rows:
        raise ModelError(f"the encoder reads {table.num_embeddings} tokens, fewer than {max_tokens}")
    short = nn.Embedding(rows, table.embedding_dim, padding_idx=table.padding_idx)
    with torch.no_grad():
        short.weight.copy_(table.weight[:rows])
    embeddings.position_embeddings = short
    for name, buffer in list(embeddings.named_buffers(recurse=False)):
        if name in ("position_ids", "token_type_ids"):
            embeddings.register_buffer(name, buffer[:, :rows].clone(), persistent=False)
    network.config.max_position_embeddings = rows


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
