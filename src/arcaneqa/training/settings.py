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
    candidates: int | None = 64
    rate: float = 1e-3
    encoder_rate: float = 1e-4
    warmup: float = 0.05
    decay: float = 0.01
    clip: float = 1.0
    patience: int | None = None
    check_every: int | None = None
    save_every: float = 2.0
    seed: int = 1
    device: str = "auto"
    half: bool = True
    storage: str = "int8"
    limit: int | None = None

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
        if self.candidates is not None and self.candidates < 2:
            raise InputError("candidates must be at least 2: the gold one and another")
