"""What a run did, and how a stopped one goes on exactly where it was."""

from __future__ import annotations

import json
import re
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import torch
from safetensors import SafetensorError, safe_open
from safetensors.torch import save_file
from torch import Tensor

from arcaneqa.lab.training.network import Network
from arcaneqa.support.errors import InputError
from arcaneqa.support.files import beside, replacing
from arcaneqa.support.outputs import FileKind
from arcaneqa.support.terminal import say

# What a run did, line by line as JSON, and as plots.


_HISTORY = FileKind("the history of a run", re.compile(rb'\{"kind": "'))


class History:
    """Appends to `history.jsonl` and tells a reader at the terminal; `quiet` for all processes but one."""

    def __init__(self, path: Path, quiet: bool = False) -> None:
        self._path = path
        self._quiet = quiet
        if not quiet:
            _HISTORY.check(path, "--out")
            path.parent.mkdir(parents=True, exist_ok=True)

    def rewind(self, step: int) -> None:
        """Forget what came after the state a run goes on from: it will happen again."""
        if self._quiet:
            return
        kept = [line for line in read_history(self._path) if line["step"] <= step]
        with replacing(self._path) as file:
            file.writelines(json.dumps(line) + "\n" for line in kept)

    def note(self, **line: Any) -> None:
        if self._quiet:
            return
        with self._path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(line) + "\n")
        shown = " · ".join(f"{key} {_short(value)}" for key, value in line.items() if key != "kind")
        say(f"{line['kind']}: {shown}", err=True)


def _short(value: Any) -> str:
    return f"{value:.4g}" if isinstance(value, float) else str(value)


def read_history(path: Path) -> list[dict[str, Any]]:
    """The lines of a run; one cut off in the middle by a kill is left out."""
    if not path.exists():
        return []
    found = []
    for line in path.read_text(encoding="utf-8").splitlines():
        try:
            found.append(json.loads(line))
        except ValueError:
            continue
    return found


def plot(history: Path, image: Path) -> bool:
    """Loss and dev exactness over questions; False where matplotlib is not installed."""
    try:
        import matplotlib

        matplotlib.use("Agg")
        from matplotlib import pyplot
    except ImportError:
        return False
    lines = read_history(history)
    train = [line for line in lines if line["kind"] == "train"]
    dev = [line for line in lines if line["kind"] == "dev"]
    figure, (left, right) = pyplot.subplots(1, 2, figsize=(10, 3.6))
    left.plot([line["questions"] for line in train], [line["loss"] for line in train], label="train")
    left.plot([line["questions"] for line in dev], [line["loss"] for line in dev], "o-", label="dev")
    left.set(xlabel="questions seen", ylabel="loss a decision", yscale="log")
    left.legend()
    right.plot([line["questions"] for line in dev], [line["exact"] for line in dev], "o-")
    right.set(xlabel="questions seen", ylabel="dev: whole program right, %", ylim=(0, 100))
    figure.tight_layout()
    figure.savefig(image, dpi=120)
    pyplot.close(figure)
    return True


# A run that was stopped goes on exactly where it was: weights, optimiser and random numbers.


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
