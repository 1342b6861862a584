"""Train a model on prepared sets: `python -m arcaneqa.training.train DIR… --out MODEL`.

Needs torch, transformers, tokenizers, safetensors and numpy, and nothing of the rest of the package's
dependencies, so it runs on a bare machine with an accelerator. `torchrun` starts it on several.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import sys
from collections.abc import Callable, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any, TypeVar

import torch
import torch.distributed as dist

from arcaneqa.induction.learned import Learned
from arcaneqa.lab.training.batches import Corpus, join
from arcaneqa.lab.training.checkpoint import Model, create, load, parameters_of
from arcaneqa.lab.training.encoder import steady_gpu
from arcaneqa.lab.training.loop import Crew, Trainer, TrainingSettings
from arcaneqa.lab.training.prepared import manifest_of, read
from arcaneqa.lab.training.saved_run import Progress, plot
from arcaneqa.model.config import ModelConfig
from arcaneqa.support.errors import ArcaneError, InputError
from arcaneqa.support.sealed import MODEL
from arcaneqa.support.terminal import say

Config = TypeVar("Config", bound=ModelConfig)


def train(
    settings: TrainingSettings, encoder: str | None, start: Path | None, config: ModelConfig
) -> Progress:
    """Train on the encoder `encoder` with a new decoder, or go on from the model `start`."""
    if (encoder is None) == (start is None):
        raise InputError("name either an encoder to start on or a model to go on from")

    def made() -> Model:
        readings = any(_has_readings(folder) for folder in settings.sets)
        none = any(_has_holes(folder) for folder in settings.sets)
        if start is not None:
            return load(start, learns_readings=readings, learns_none=none)
        return create(str(encoder), replace(config, readings=readings, none_of_these=none))

    return fit(settings, made, start)


def fit(
    settings: TrainingSettings,
    made: Callable[[], Model],
    start: Path | None = None,
    corpus_of: type[Corpus] = Corpus,
) -> Progress:
    """Train what is `made` once the seed is set; `start` is the model whose lessons for induction stay."""
    MODEL.check(settings.out)
    steady_gpu()
    crew, device = _place(settings.device)
    torch.manual_seed(settings.seed)
    torch.set_float32_matmul_precision("high" if settings.half else "highest")
    model = made()
    if crew.rank == 0:
        say(f"{parameters_of(model.network):,} parameters learn", err=True)
    # The same dropout for every process would be the same noise on each one's share.
    torch.manual_seed(settings.seed + crew.rank)
    sets = [read(folder) for folder in settings.sets]
    corpus = corpus_of.of(join(sets), model.words)
    dev = {_name(folder): corpus_of.of(read(folder), model.words) for folder in settings.dev}
    trainer = Trainer(
        model,
        corpus,
        [len(one) for one in sets],
        dev,
        settings,
        device,
        crew,
        fingerprint(settings, model),
    )
    try:
        progress = trainer.run()
    finally:
        if dist.is_initialized():
            dist.destroy_process_group()
    if crew.rank == 0:
        if settings.out.exists():
            learned(settings.sets, start).save(settings.out)
        plot(trainer.run_folder / "history.jsonl", trainer.run_folder / "history.png")
    return progress


def learned(sets: Sequence[Path], start: Path | None) -> Learned:
    """What the programs of all sets, and those of the model it goes on from, teach induction."""
    known = Learned() if start is None else Learned.of_model(start)
    for folder in sets:
        taught = manifest_of(folder)["report"].get("learned")
        if taught is not None:
            try:
                known |= Learned.from_json(taught)
            except ValueError as error:
                raise InputError(f"{folder} cannot be read ({error}); prepare the set again") from error
    return known


def plan_of(folder: Path) -> dict[str, Any]:
    plan: dict[str, Any] = manifest_of(folder)["report"].get("plan", {})
    return plan


def _has_readings(folder: Path) -> bool:
    return "readings" in plan_of(folder).get("topics", ())


def _has_holes(folder: Path) -> bool:
    return _has_readings(folder) and plan_of(folder).get("holes", 0) > 0


def _name(folder: Path) -> str:
    return folder.resolve().name


def _place(device: str) -> tuple[Crew, torch.device]:
    """This process's share of the work and where it happens."""
    count = int(os.environ.get("WORLD_SIZE", "1"))
    rank = int(os.environ.get("RANK", "0"))
    kind = ("cuda" if torch.cuda.is_available() else "cpu") if device == "auto" else device
    if kind.startswith("cuda") and not torch.cuda.is_available():
        raise InputError("no CUDA device is available here; leave --device out, or use --device cpu")
    if count > 1:
        dist.init_process_group("nccl" if kind == "cuda" else "gloo")
        if kind == "cuda":
            kind = f"cuda:{os.environ.get('LOCAL_RANK', '0')}"
            torch.cuda.set_device(kind)
    return Crew(rank, count), torch.device(kind)


def fingerprint(settings: TrainingSettings, model: Model) -> str:
    """What must be equal for a saved state to be this run's: data, model and the settings that steer it."""
    free = {"out", "pause", "save_every", "storage", "device", "part_tokens", "call_tokens"}
    choices: dict[str, Any] = {name: value for name, value in asdict(settings).items() if name not in free}
    choices["sets"] = [manifest_of(folder)["files"] for folder in settings.sets]
    choices["dev"] = [manifest_of(folder)["files"] for folder in settings.dev]
    choices["model"] = model.config.to_json()
    choices["encoder"] = model.network.encoder.description()
    return hashlib.sha256(json.dumps(choices, sort_keys=True).encode()).hexdigest()


def parser(program: str = "python -m arcaneqa.lab.training.train") -> argparse.ArgumentParser:
    options = argparse.ArgumentParser(
        prog=program,
        description="Train a model on prepared sets; a stopped run goes on with the same command.",
    )
    options.add_argument("sets", nargs="+", type=Path, help="folders made by `arcaneqa prepare`")
    options.add_argument("--out", type=Path, required=True, help="folder of the model")
    options.add_argument("--dev", type=Path, action="append", default=[], help="prepared set to choose by")
    options.add_argument("--encoder", help="Hugging Face folder or name, a model, or static:VECTORS")
    options.add_argument("--from", dest="start", type=Path, help="go on from this model")
    options.add_argument("--weights", help="how often each set is seen in an epoch, e.g. 4,1,0.5")
    defaults = {name: field.default for name, field in TrainingSettings.__dataclass_fields__.items()}
    for name, kind in (
        ("epochs", float),
        ("minutes", float),
        ("pause", float),
        ("batch", int),
        ("part_tokens", int),
        ("call_tokens", int),
        ("candidates", int),
        ("blanks", float),
        ("rate", float),
        ("encoder_rate", float),
        ("patience", int),
        ("check_every", int),
        ("save_every", float),
        ("seed", int),
        ("device", str),
        ("storage", str),
    ):
        options.add_argument(f"--{name.replace('_', '-')}", type=kind, default=defaults[name])
    options.add_argument(
        "--no-half", dest="half", action="store_false", help="fp32 where bf16 would be faster"
    )
    options.add_argument("--model", default="{}", help='choices of the model as JSON, e.g. {"types": false}')
    return options


def main(arguments: Sequence[str] | None = None) -> None:
    given = vars(parser().parse_args(arguments))
    encoder, start = given.pop("encoder"), given.pop("start")
    try:
        config = model_config(given.pop("model"), encoder, start)
        settings = settings_of(given)
        progress = train(settings, encoder, start, config)
    except ArcaneError as error:
        say(f"arcaneqa: {error}", err=True)
        sys.exit(2)
    best = f"best {progress.best:.2f} at {progress.best_step}"
    say(f"{progress.step} updates in {progress.seconds:.0f} s; {best}")


def numbers(text: str | None) -> tuple[float, ...]:
    if text is None:
        return ()
    try:
        return tuple(float(part) for part in text.split(","))
    except ValueError as error:
        raise InputError(f"--weights takes numbers with commas between them, not {text!r}") from error


def settings_of(given: dict[str, Any]) -> TrainingSettings:
    """From a command line's arguments."""
    lists = {"sets": tuple(given["sets"]), "dev": tuple(given["dev"]), "weights": numbers(given["weights"])}
    return TrainingSettings(**given | lists)


def model_config(choices: str, encoder: str | None, start: Path | None) -> ModelConfig:
    if start is not None and choices != "{}":
        raise InputError(
            "--from goes on with a model as it is, so --model says nothing there; leave it out, "
            f"or begin a new decoder on its encoder: --encoder {start}"
        )
    return chosen(choices, encoder, ModelConfig())


def chosen(choices: str, encoder: str | None, base: Config) -> Config:
    """A configuration with the choices of a JSON object in place of its own."""
    try:
        given = json.loads(choices)
    except ValueError as error:
        raise InputError(f"--model takes a JSON object, and this is none: {choices}") from error
    if not isinstance(given, dict):
        raise InputError(f"--model takes a JSON object, and this is none: {choices}")
    if encoder is not None and encoder.startswith("static:"):
        base = replace(base, encoder="static")
    return type(base).from_json(base.to_json() | given)


if __name__ == "__main__":
    main()
