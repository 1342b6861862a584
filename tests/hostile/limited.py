"""Our own commands in processes that may not take more than they are given, so that a failure here cannot
take the machine with it."""

from __future__ import annotations

import os
import resource
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

_SOURCE = Path(__file__).parents[2] / "src"
ARCANEQA = (sys.executable, "-c", "from arcaneqa.apps.cli.main import main; main()")


@dataclass(frozen=True)
class Ended:
    code: int
    out: str
    err: str

    @property
    def is_a_sentence(self) -> bool:
        """Refused as the house refuses: code 2, one line, no traceback."""
        told = self.err.strip()
        return self.code == 2 and told.startswith("arcaneqa: ") and "\n" not in told


def environment(home: Path | None = None) -> dict[str, str]:
    """Of this process, with our sources first; with a home of its own if one is given."""
    found = {**os.environ, "PYTHONPATH": str(_SOURCE), "OMP_NUM_THREADS": "1", "PYTHONUTF8": "1"}
    if home is not None:
        found = {key: value for key, value in found.items() if not key.startswith("XDG_")}
        found |= {"HOME": str(home)}
    return found


def limit(memory: int, seconds: int) -> None:
    """For this process from now on; to be called in a child before anything hostile."""
    resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 1))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def run(
    *arguments: str,
    memory: int = 3 << 30,
    seconds: int = 60,
    home: Path | None = None,
    text: str | None = None,
) -> Ended:
    """`arcaneqa ARGUMENTS`, killed by the system beyond its limits."""
    done = subprocess.run(
        [*ARCANEQA, *arguments],
        capture_output=True,
        input=None if text is None else text.encode(),
        env=environment(home),
        preexec_fn=lambda: limit(memory, seconds),
        timeout=4 * seconds,
        check=False,
    )
    return Ended(
        done.returncode, done.stdout.decode("utf-8", "replace"), done.stderr.decode("utf-8", "replace")
    )
