"""All choices of a training run, as plain data."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from arcaneqa.errors import InputError


@dataclass(frozen=True, slots=True)
class Settings:
    """`minutes` is the whole run's budget, which the learning rate decays towards; `pause` ends this
    call early with its state saved, and the same command goes on from there.

    `batch` counts questions an update, over all processes; they are cut into parts of at most
    `part_tokens` encoder tokens (gradients add up), and those into encoder calls of `call_tokens`.
    `candidates` 0 reads whole sets, `clip` 0 lets gradients be as they are. `blanks` is the share of a
    question's word pieces that are hidden while learning, so that no question is known by heart. `steady`
    keeps the learning rates as they are from the first update to the last; `by_question` lets every question
    count alike, however many decisions it has.
    """

    sets: tuple[Path, ...]
    out: Path
    weights: tuple[float, ...] = ()
    dev: tuple[Path, ...] = ()
    epochs: float = 10.0
    minutes: float | None = None
    pause: float | None = None
    batch: int = 128
    part_tokens: int = 262_144
    call_tokens: int = 32_768
    candidates: int = 64
    blanks: float = 0.0
    rate: float = 1e-3
    encoder_rate: float = 1e-4
    warmup: float = 0.05
    decay: float = 0.01
    clip: float = 1.0
    steady: bool = False
    by_question: bool = False
    patience: int | None = None
    check_every: int | None = None
    save_every: float = 2.0
    seed: int = 1
    device: str = "auto"
    half: bool = True
    storage: str = "int8"

    def __post_init__(self) -> None:
        if not self.sets:
            raise InputError("training needs at least one prepared set")
        if self.weights and len(self.weights) != len(self.sets):
            raise InputError(
                f"{len(self.weights)} weights for {len(self.sets)} prepared sets: give one for each"
            )
        if any(weight < 0 for weight in self.weights):
            raise InputError("the weight of a prepared set cannot be negative")
        for name in ("epochs", "batch", "part_tokens", "call_tokens", "rate"):
            if getattr(self, name) <= 0:
                raise InputError(f"{name.replace('_', '-')} must be above zero")
        if not 0 <= self.blanks < 1:
            raise InputError("blanks is a share of the words: 0 for none, and below 1")
        if self.candidates not in (0, *range(2, self.candidates + 1)):
            raise InputError("candidates must be at least 2, the gold one and another, or 0 for all")
