"""What compact storage costs: a model as it was trained against the same one as int8.

    python recipes/storage.py MODEL DATA.jsonl=KB … [--most 300]

MODEL was trained with `--storage float32` or `mixed`. Both answer the same questions; prints exact match and
F1 of each, and what compact storage loses.
"""

from __future__ import annotations

import argparse
import json
import shutil
import subprocess
import sys
import tempfile
from itertools import islice
from pathlib import Path

from arcaneqa.model.checkpoint import load, save


def answered(model: Path, data: Path, kb: str) -> dict[str, float]:
    command = [str(Path(sys.executable).with_name("arcaneqa")), "evaluate", str(data), "--model", str(model)]
    command += [*(["--kb", kb] if kb else []), "--entities", "gold", "--json"]
    found: dict[str, float] = json.loads(subprocess.run(command, check=True, capture_output=True).stdout)
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("model", type=Path)
    parser.add_argument("data", nargs="+", help="DATA.jsonl=KB; an empty KB is the bundled one")
    parser.add_argument("--most", type=int, default=300, help="questions of each file")
    arguments = parser.parse_args()
    print("| questions | as trained, EM / F1 | int8, EM / F1 | EM lost |\n|---|---|---|---|")
    with tempfile.TemporaryDirectory() as folder:
        compact = Path(folder) / "int8"
        save(load(arguments.model), compact, "int8")
        for extra in ("constants.json", "linker.json"):
            if (arguments.model / extra).exists():
                shutil.copy(arguments.model / extra, compact)
        for pair in arguments.data:
            path, _, kb = pair.partition("=")
            some = Path(folder) / Path(path).name
            with Path(path).open(encoding="utf-8") as lines:
                some.write_text("".join(islice(lines, arguments.most)), encoding="utf-8")
            one, two = (answered(model, some, kb) for model in (arguments.model, compact))
            cells = [f"{found['em']:.1f} / {found['f1']:.1f}" for found in (one, two)]
            lost = one["em"] - two["em"]
            print(f"| {some.stem}, {one['n']} | {cells[0]} | {cells[1]} | {lost:.1f} |", flush=True)


if __name__ == "__main__":
    main()
