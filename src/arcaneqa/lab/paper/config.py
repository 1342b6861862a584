"""The published model's choices."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

from arcaneqa.model.config import ModelConfig
from arcaneqa.support.errors import ModelError


@dataclass(frozen=True, slots=True)
class PaperConfig(ModelConfig):
    """`hidden` is the encoder's width; of static word vectors, which are narrower, it is a width of its own.

    `paper` marks the configuration in a model's folder: no other program reads it.
    """

    hidden: int = 768
    max_tokens: int = 512
    context: bool = False
    types: bool = False
    train_vectors: bool = False
    dropout: float = 0.5
    beam: int = 3
    paper: bool = True

    @classmethod
    def from_json(cls, data: Any) -> Self:
        if not isinstance(data, dict) or data.get("paper") is not True:
            raise ModelError("this is no replica of the paper's model: `arcaneqa` itself reads it")
        # Named: a class with slots is made twice, and `super()` finds only the first one.
        return super(PaperConfig, cls).from_json(data)
