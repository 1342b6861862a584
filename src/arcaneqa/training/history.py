"""What a run did, line by line as JSON, and as plots."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

from arcaneqa.atomic import replacing
from arcaneqa.outputs import FileKind
from arcaneqa.terminal import say

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
