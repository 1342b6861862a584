"""What the linker has learned, as one readable JSON file: feature weights, telling words, short forms."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import cache
from importlib.resources import files
from pathlib import Path

from arcaneqa.atomic import replacing
from arcaneqa.errors import ModelError
from arcaneqa.files import plain_json
from arcaneqa.sealed import seal_again

FILE = "linker.json"

# Set by hand from what the features mean, for a linker that has seen no question yet.
BY_HAND = {
    "always": -3.0,
    "plain": 3.5,
    "loose": 3.0,
    "short": 2.0,
    "known": 3.0,
    "acronym": 0.0,
    "corrected": 1.0,
    "contained": -1.0,
    "typo": -0.5,
    "alias": -0.3,
    "words": 1.2,
    "stop words": -4.0,
    "only question words": -3.0,
    "capitals": 1.0,
    "no capitals": -1.0,
    "quoted": 2.0,
    "similarity": 1.5,
    "coverage": 0.5,
    "degree": 2.0,
    "degree to best": 0.4,
    "rank": -0.3,
    "beside a whole name": -0.3,
    "inside a name": -2.0,
    "crosses a name": -0.5,
    "relation fit": 2.5,
    "class fit": 1.0,
    "schema words": -1.5,
    "rarity": 1.0,
    "at the end": 0.3,
    "a number": -2.0,
}


@dataclass(frozen=True)
class Weights:
    """`candidate` weighs the features of entities of one span against each other, `mention` those of the
    best of them for the question whether the span names anything at all.

    `inside`, `before` and `after` are log-odds of words to be in, left of and right of a mention.
    `ordinary` words were seen outside of mentions: no typing errors are suspected in them.
    `short_forms` were seen in training: words without spaces → full names.
    """

    candidate: Mapping[str, float]
    mention: Mapping[str, float]
    inside: Mapping[str, float] = field(default_factory=dict)
    before: Mapping[str, float] = field(default_factory=dict)
    after: Mapping[str, float] = field(default_factory=dict)
    ordinary: Sequence[str] = ()
    short_forms: Mapping[str, Sequence[str]] = field(default_factory=dict)

    @classmethod
    def by_hand(cls) -> Weights:
        return cls(BY_HAND, BY_HAND)

    @classmethod
    def load(cls, folder: Path) -> Weights:
        """From the folder `save` wrote to."""
        path = folder / FILE
        try:
            return cls(**plain_json(path))
        except (OSError, ValueError, TypeError) as error:
            raise ModelError(f"{path}: not a linker ({error}); train it again.") from error

    @classmethod
    def of_model(cls, folder: Path) -> Weights:
        """Those in a model's folder; the bundled ones where it brings none of its own."""
        return cls.load(folder) if (folder / FILE).exists() else bundled()

    def save(self, folder: Path) -> None:
        text = json.dumps(asdict(self), ensure_ascii=False, indent=1, sort_keys=True)
        with replacing(folder / FILE) as file:
            file.write(text + "\n")
        seal_again(folder)


@cache
def bundled() -> Weights:
    """The weights that come with the package."""
    source = files("arcaneqa.linking").joinpath(FILE)
    return (
        Weights(**json.loads(source.read_text(encoding="utf-8"))) if source.is_file() else Weights.by_hand()
    )
