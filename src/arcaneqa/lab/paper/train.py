"""The published training: Adam (no decay), steady rates, all candidates."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from arcaneqa.lab.paper.config import PaperConfig
from arcaneqa.lab.paper.network import PaperCorpus, create, published_count
from arcaneqa.lab.training.checkpoint import Model
from arcaneqa.lab.training.saved_run import Progress
from arcaneqa.lab.training.train import chosen, fit, parser, plan_of, settings_of
from arcaneqa.support.errors import InputError
from arcaneqa.support.terminal import say


def train(arguments: Sequence[str]) -> Progress:
    """With the options of `arcaneqa.lab.training.train`; what is given overrules the paper."""
    options = parser("python -m arcaneqa.lab.paper train")
    options.set_defaults(**published(options.parse_args(arguments).encoder))
    given = vars(options.parse_args(arguments))
    encoder, start = given.pop("encoder"), given.pop("start")
    if encoder is None or start is not None:
        raise InputError("the paper's model starts on an encoder: name it with --encoder")
    config = chosen(given.pop("model"), encoder, PaperConfig())
    settings = settings_of(given)
    for folder in (*settings.sets, *settings.dev):
        if not plan_of(folder).get("paper"):
            raise InputError(f"{folder} was not prepared with `python -m arcaneqa.lab.paper prepare`")

    def made() -> Model:
        model = create(encoder, config)
        if config.encoder == "contextual":
            say(f"{published_count(model.network):,} parameters as the paper counts", err=True)
        return model

    return fit(settings, made, corpus_of=PaperCorpus)


def published(encoder: str | None) -> dict[str, Any]:
    """The published settings; of `static:` vectors, batches of 32."""
    is_static = encoder is not None and encoder.startswith("static:")
    return {
        "batch": 32 if is_static else 16,
        "rate": 1e-3,
        "encoder_rate": 1e-3 if is_static else 2e-5,
        "warmup": 0.0,
        "decay": 0.0,
        "clip": 0.0,
        "candidates": 0,
        "steady": True,
        "by_question": True,
    }
