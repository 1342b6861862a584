"""What a model is made of, as plain data that travels with its weights."""

from __future__ import annotations

from dataclasses import asdict, dataclass, fields
from typing import Any, Self

from arcaneqa.induction.scorer import TokenKind
from arcaneqa.support.errors import ModelError

FORMAT = 1
"""Of a model's folder; another one is refused."""
KIND_INDEX = {kind: index for index, kind in enumerate(TokenKind)}
"""The number of a kind of token, in weights and in prepared sets."""
RETIRED = dict.fromkeys(
    ("relevance", "attentive", "entity_text", "projected", "made_text", "kinds"), True
) | dict.fromkeys(
    ("segments", "reads_forced", "question_start", "late_spans", "late_dropout", "published"), False
)
"""Keys of older models with the only value that is still read."""


@dataclass(frozen=True, slots=True)
class ModelConfig:
    """`encoder` is "contextual" (a BERT-like network reads question and candidates together) or "static"
    (word vectors). `context`: the encoder also reads the program so far. `types`: candidates name the
    classes they lead from and to. `readings`: it learned to weigh whole programs, too; `none_of_these`: and
    to say that none of them is meant. `train_vectors`: word vectors learn. `beam` is how wide a search is
    unless somebody says.
    """

    encoder: str = "contextual"
    hidden: int = 128
    max_tokens: int = 256
    max_question: int = 64
    max_context: int = 48
    max_text: int = 40
    max_types: int = 16
    context: bool = True
    types: bool = True
    readings: bool = False
    none_of_these: bool = False
    train_vectors: bool = True
    dropout: float = 0.2
    beam: int = 5

    def __post_init__(self) -> None:
        if self.encoder not in ("contextual", "static"):
            raise ModelError(f"the encoder must be 'contextual' or 'static', not {self.encoder!r}")
        if self.hidden < 1 or not 0 <= self.dropout < 1:
            raise ModelError("the hidden size must be positive and the dropout rate in [0, 1)")
        if self.beam < 1:
            raise ModelError("a search needs a beam of at least 1")
        if self.max_tokens < self.max_question + self.max_context + 2 * self.longest_candidate + 6:
            raise ModelError(
                f"{self.max_tokens} tokens an input cannot hold a question of {self.max_question}, a context "
                f"of {self.max_context} and two candidates of {self.longest_candidate}; raise max_tokens"
            )

    @property
    def longest_candidate(self) -> int:
        """Word pieces of text and types, with the colon between and the semicolon after them."""
        return self.max_text + self.max_types + 2

    def to_json(self) -> dict[str, Any]:
        return asdict(self)

    @classmethod
    def from_json(cls, data: Any) -> Self:
        if not isinstance(data, dict):
            raise ModelError("the model's configuration must be a JSON object")
        known = {field.name: field.type for field in fields(cls)}
        data = {name: value for name, value in data.items() if RETIRED.get(name) is not value}
        unknown = sorted(set(data) - set(known))
        if unknown:
            raise ModelError(
                f"the model's configuration has the unknown key {unknown[0]!r}: it is from another version"
            )
        kinds: dict[Any, tuple[type, ...]] = {
            "str": (str,),
            "int": (int,),
            "bool": (bool,),
            "float": (float, int),
        }
        for name, value in data.items():
            if not isinstance(value, kinds[known[name]]):
                raise ModelError(f"the model's configuration gives {name!r} a value of the wrong type")
        return cls(**data)
