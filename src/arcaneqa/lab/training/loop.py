"""The training loop, plain and complete: settings, batches from a thread, updates, dev checks, saves."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel

from arcaneqa.lab.training.batches import Corpus, built_ahead, mixture
from arcaneqa.lab.training.checkpoint import Model, save
from arcaneqa.lab.training.network import Network, Sequences
from arcaneqa.lab.training.saved_run import History, Progress, load_state, save_state
from arcaneqa.support.errors import InputError
from arcaneqa.support.ragged import Ints

# All choices of a training run, as plain data.


@dataclass(frozen=True, slots=True)
class TrainingSettings:
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


# The training loop, plain and complete: plan, batches from a thread, updates, dev checks, saves.


PROCESSES = 4
"""That build batches while a GPU learns from others."""


@dataclass(frozen=True, slots=True)
class Crew:
    """Which of how many processes this is."""

    rank: int = 0
    size: int = 1


@dataclass(frozen=True, slots=True)
class Check:
    """Teacher-forced quality: the share of questions with every decision right, and of decisions."""

    exact: float
    steps: float
    loss: float
    each: tuple[bool, ...]


def evaluate(network: Network, corpus: Corpus, settings: TrainingSettings, device: torch.device) -> Check:
    """No knowledge base and no search: the gold history is given, so this bounds the real quality."""
    usable = np.flatnonzero(corpus.decisions > 0)
    training = network.training
    network.eval()
    wrong = np.zeros(len(corpus), np.int64)
    losses, decisions = 0.0, 0
    with torch.inference_mode():
        for part in parts(usable, corpus.tokens, settings.part_tokens):
            batch = corpus.batch(part, settings.call_tokens)
            owners = torch.cat([*batch.decision_rows]).numpy()
            result = network(batch.to(device), half_on(settings, device))
            losses += float(result.losses.sum())
            decisions += len(owners)
            np.add.at(wrong, part[owners], ~result.right.cpu().numpy())
    network.train(training)
    exact = float((wrong == 0).mean()) * 100 if len(corpus) else 0.0
    return Check(
        exact=exact,
        steps=100 * (1 - float(wrong.sum()) / max(1, decisions)),
        loss=losses / max(1, decisions),
        each=tuple((wrong == 0).tolist()),
    )


def half_on(settings: TrainingSettings, device: torch.device) -> bool:
    """bf16 where it is faster: on a GPU, or a processor with instructions for it."""
    if device.type == "cuda":
        return settings.half
    can = torch.cpu.get_capabilities()
    return settings.half and bool(can.get("avx512_bf16") or can.get("amx_bf16"))


def parts(questions: Ints, tokens: Ints, limit: int) -> Iterator[Ints]:
    """Cut questions, in order, into parts of at most `limit` encoder tokens."""
    start, used = 0, 0
    for place, question in enumerate(questions):
        cost = int(tokens[question])
        if used and used + cost > limit:
            yield questions[start:place]
            start, used = place, 0
        used += cost
    if start < len(questions):
        yield questions[start:]


def optimizer_of(network: nn.Module, settings: TrainingSettings, device: torch.device) -> torch.optim.AdamW:
    """Two learning rates: the encoder is only adjusted, the rest learns from nothing."""
    groups = []
    for encoder in (True, False):
        for decays in (True, False):
            members = [
                parameter
                for name, parameter in network.named_parameters()
                if parameter.requires_grad
                and name.startswith("encoder.") == encoder
                and (parameter.dim() > 1) == decays
            ]
            rate = settings.encoder_rate if encoder else settings.rate
            groups.append(
                {
                    "params": members,
                    "lr": rate,
                    "peak": rate,
                    "weight_decay": settings.decay if decays else 0.0,
                }
            )
    return torch.optim.AdamW(groups, fused=device.type == "cuda")


def decisions_beside(batch: Sequences) -> torch.Tensor:
    """For every decision how many its question has."""
    owners = torch.cat([*batch.decision_rows])
    return torch.bincount(owners, minlength=len(batch.chosen))[owners]


class Trainer:
    """One run on one device; `crew` says which share of every update is this process's."""

    def __init__(
        self,
        model: Model,
        corpus: Corpus,
        sizes: list[int],
        dev: dict[str, Corpus],
        settings: TrainingSettings,
        device: torch.device,
        crew: Crew,
        fingerprint: str,
    ) -> None:
        self.settings = settings
        self.device = device
        self.crew = crew
        self.corpus = corpus
        self.dev = dev
        self.sizes = sizes
        self.fingerprint = fingerprint
        self.model = model
        self.network = model.network.to(device)
        self.run_folder = settings.out.with_name(settings.out.name + ".run")
        self.history = History(self.run_folder / "history.jsonl", quiet=crew.rank > 0)
        self.optimizer = optimizer_of(self.network, settings, device)
        self.wrapped: nn.Module = self.network
        if crew.size > 1:
            self.wrapped = DistributedDataParallel(self.network)
        self.usable = corpus.decisions > 0
        self.per_epoch = max(1, len(self._order(0)) // settings.batch)
        self.total = max(1, round(settings.epochs * self.per_epoch))
        if len(self._order(0)) < crew.size:
            raise InputError(
                "the prepared sets hold fewer questions with a decision than there are processes"
            )

    def _order(self, epoch: int) -> Ints:
        weights = self.settings.weights or (1.0,) * len(self.sizes)
        return mixture(self.sizes, weights, self.usable, self.settings.seed + 1000 * epoch)

    def _updates(self, step: int) -> Iterator[Ints]:
        """The questions of each update from `step` on, the same in every process."""
        while True:
            epoch, place = divmod(step, self.per_epoch)
            order = self._order(epoch)
            for chunk in range(place, self.per_epoch):
                yield order[chunk * self.settings.batch : (chunk + 1) * self.settings.batch]
                step += 1

    def _batches(self, step: int) -> Iterator[tuple[list[Sequences], int, int]]:
        """An update's parts as tensors, its decisions and its questions."""
        settings, rank, size = self.settings, self.crew.rank, self.crew.size

        def build(corpus: Corpus, number: int, chosen: Ints) -> list[Sequences]:
            draw = settings.seed * 1_000_003 + number
            return [
                corpus.batch(part, settings.call_tokens, settings.candidates or None, draw, settings.blanks)
                for part in parts(chosen[rank::size], corpus.tokens, settings.part_tokens)
            ]

        processes = PROCESSES if self.device.type == "cuda" else 0
        for batches, chosen in built_ahead(
            self.corpus, build, enumerate(self._updates(step), step), processes
        ):
            yield batches, int(self.corpus.decisions[chosen].sum()), len(chosen)

    def _pace(self, step: int, seconds: float) -> float:
        """The share of the peak learning rate: a linear rise, then a linear fall to the end of the run."""
        if self.settings.steady:
            return 1.0
        done = step / self.total
        if self.settings.minutes is not None:
            done = max(done, seconds / (60 * self.settings.minutes))
        warm = self.settings.warmup
        return min(1.0, (done + 1 / self.total) / warm) * max(0.0, 1 - done) if warm else max(0.0, 1 - done)

    def _update(self, batches: list[Sequences], decisions: int, questions: int, pace: float) -> torch.Tensor:
        for group in self.optimizer.param_groups:
            group["lr"] = group["peak"] * pace
        self.optimizer.zero_grad(set_to_none=True)
        total = torch.zeros((), device=self.device)
        for number, batch in enumerate(batches):
            last = number == len(batches) - 1
            hold = (
                self.wrapped.no_sync()
                if isinstance(self.wrapped, DistributedDataParallel) and not last
                else contextlib.nullcontext()
            )
            with hold:
                result = self.wrapped(batch.to(self.device), half_on(self.settings, self.device))
                # The processes' gradients are averaged; their losses shall add up.
                if self.settings.by_question:
                    each = result.losses / decisions_beside(batch).to(self.device)
                    loss = each.sum() * (self.crew.size / questions)
                else:
                    loss = result.losses.sum() * (self.crew.size / decisions)
                loss.backward()
            total += loss.detach()
        if self.settings.clip:
            nn.utils.clip_grad_norm_(self.network.parameters(), self.settings.clip)
        self.optimizer.step()
        return total

    def run(self) -> Progress:
        settings = self.settings
        state_path = self.run_folder / "state.safetensors"
        progress = load_state(state_path, self.network, self.optimizer, self.fingerprint)
        if progress is None:
            progress = Progress()
        self.history.rewind(progress.step)
        check_every = settings.check_every or self.per_epoch
        began = time.monotonic() - progress.seconds
        entered = last_save = time.monotonic()
        losses: list[torch.Tensor] = []
        seen, mark, checked = 0, time.monotonic(), progress.step
        self.network.train()
        for batches, decisions, questions in self._batches(progress.step):
            if progress.step >= self.total or self._out_of_time(progress.seconds):
                break
            pace = self._pace(progress.step, progress.seconds)
            losses.append(self._update(batches, decisions, questions, pace))
            progress.step += 1
            seen += questions
            progress.seconds = self._agreed(time.monotonic() - began)
            now = time.monotonic()
            if now - mark > 10 or progress.step % check_every == 0 or progress.step == self.total:
                loss = float(torch.stack(losses).mean())
                if not np.isfinite(loss):
                    raise InputError("the loss is no longer a number; lower the learning rates")
                self.history.note(
                    kind="train",
                    step=progress.step,
                    epoch=round(progress.step / self.per_epoch, 3),
                    questions=progress.step * settings.batch,
                    seconds=round(progress.seconds, 1),
                    loss=loss,
                    per_second=round(seen / (time.monotonic() - mark), 1),
                    rate=self.optimizer.param_groups[-1]["lr"],
                )
                losses, seen, mark = [], 0, time.monotonic()
            if progress.step % check_every == 0:
                self._check(progress)
                mark, checked = time.monotonic(), progress.step
                if settings.patience is not None and progress.misses >= settings.patience:
                    break
            pausing = (
                settings.pause is not None and self._agreed(time.monotonic() - entered) > 60 * settings.pause
            )
            if self.crew.rank == 0 and (pausing or time.monotonic() - last_save > 60 * settings.save_every):
                save_state(state_path, self.network, self.optimizer, progress, self.fingerprint)
                last_save = time.monotonic()
            if pausing:
                return progress
        if checked != progress.step:
            self._check(progress)
        if self.crew.rank == 0:
            save_state(state_path, self.network, self.optimizer, progress, self.fingerprint)
        return progress

    def _out_of_time(self, seconds: float) -> bool:
        return self.settings.minutes is not None and seconds >= 60 * self.settings.minutes

    def _agreed(self, seconds: float) -> float:
        """The first process's clock, so that all stop at the same update."""
        if self.crew.size == 1:
            return seconds
        shared = torch.tensor([seconds], dtype=torch.float64, device=self.device)
        dist.broadcast(shared, 0)
        return float(shared)

    def _check(self, progress: Progress) -> None:
        """Measure on dev and keep the model if it is the best so far; without dev, keep the newest."""
        exact = []
        for name, corpus in self.dev.items():
            found = evaluate(self.network, corpus, self.settings, self.device)
            exact.append(found.exact)
            self.history.note(
                kind="dev",
                step=progress.step,
                questions=progress.step * self.settings.batch,
                set=name,
                exact=found.exact,
                right_decisions=found.steps,
                loss=found.loss,
            )
        mean = float(np.mean(exact)) if exact else float(progress.step)
        if mean > progress.best:
            progress.best, progress.best_step, progress.misses = mean, progress.step, 0
            if self.crew.rank == 0:
                notes = {"step": progress.step, "dev_exact": dict(zip(self.dev, exact, strict=True))}
                save(self.model, self.settings.out, self.settings.storage, notes)
        else:
            progress.misses += 1
