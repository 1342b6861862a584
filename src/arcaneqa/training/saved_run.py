"""A run that was stopped goes on exactly where it was: weights, optimiser and random numbers."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import torch
from safetensors import SafetensorError, safe_open
from safetensors.torch import save_file
from torch import Tensor

from arcaneqa.atomic import beside
from arcaneqa.errors import InputError
from arcaneqa.model.network import Network


@dataclass(slots=True)
class Progress:
    """`misses` counts dev checks since the best one; `seconds` is time spent training."""

    step: int = 0
    seconds: float = 0.0
    best: float = -1.0
    best_step: int = 0
    misses: int = 0


def save_state(
    path: Path, network: Network, optimizer: torch.optim.Optimizer, progress: Progress, fingerprint: str
) -> None:
    """The file is complete before it takes its name, so a kill leaves the older one."""
    tensors: dict[str, Tensor] = {f"weight.{name}": value for name, value in network.state_dict().items()}
    for number, values in optimizer.state_dict()["state"].items():
        for name, value in values.items():
            tensors[f"optimizer.{number}.{name}"] = value
    tensors["random.cpu"] = torch.get_rng_state()
    if torch.cuda.is_available():
        tensors["random.cuda"] = torch.cuda.get_rng_state()
    whole = {name: value.detach().cpu().contiguous().clone() for name, value in tensors.items()}
    with beside(path) as draft:
        save_file(whole, draft, {"progress": json.dumps(asdict(progress)), "run": fingerprint})


def load_state(
    path: Path, network: Network, optimizer: torch.optim.Optimizer, fingerprint: str
) -> Progress | None:
    """None where nothing was saved; an InputError where that was another run's."""
    if not path.exists():
        return None
    try:
        with safe_open(path, "pt") as file:
            notes = file.metadata() or {}
            tensors = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118 - not a dict
    except (OSError, SafetensorError) as error:
        raise InputError(f"{path} cannot be read ({error}); delete it to start the run anew") from error
    if notes.get("run") != fingerprint:
        raise InputError(
            f"{path} is from a run with other data or settings; choose another --out or delete it"
        )
    weights = {name.removeprefix("weight."): t for name, t in tensors.items() if name.startswith("weight.")}
    network.load_state_dict(weights)
    state: dict[int, dict[str, Any]] = {}
    for name, value in tensors.items():
        if name.startswith("optimizer."):
            _, number, key = name.split(".", 2)
            state.setdefault(int(number), {})[key] = value
    groups = optimizer.state_dict()["param_groups"]
    optimizer.load_state_dict({"state": state, "param_groups": groups})
    torch.set_rng_state(tensors["random.cpu"])
    if torch.cuda.is_available() and "random.cuda" in tensors:
        torch.cuda.set_rng_state(tensors["random.cuda"])
    return Progress(**json.loads(notes["progress"]))
