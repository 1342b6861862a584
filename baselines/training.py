"""How the compared models are trained: the same encoder, the same questions, equally many updates.

    python -m baselines.training PREPARED OUT --encoder ENCODER [--updates 400] [--batch 64] [--together 5]

PREPARED holds a folder for every kind of set and dataset, `ours-grailqa` and so on, as
`recipes/paper_tables.py` prepares them. Needs torch, transformers, tokenizers, safetensors and numpy, nothing
else. A model that is there already is not trained again; one that was interrupted goes on.
"""

from __future__ import annotations

import argparse
import gzip
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

DATASETS = ("grailqa", "webqsp", "lcquad")
KINDS = "kinds-webqsp"
"""The set whose questions name kinds: the paper anonymises WebQSP alone."""


@dataclass(frozen=True)
class Trained:
    """`model` names whose weights are used, where that is another method's. `is_paper`: the
    paper's replica (`arcaneqa.lab.paper`); `is_anonymous`: questions of
    WebQSP name kinds in place of entities."""

    says: str
    sets: str
    choices: str = "{}"
    model: str | None = None
    is_paper: bool = False
    is_static: bool = False
    is_anonymous: bool = False


_FREE = '{"context": false, "types": false}'
METHODS = {
    "ours": Trained("ours, as bundled", "ours"),
    "paper": Trained("ours, as published", "paper", '{"max_tokens": 256}', is_paper=True),
    "paperstatic": Trained(
        "as published, without contextual encoding",
        "paper",
        '{"max_tokens": 256}',
        is_paper=True,
        is_static=True,
    ),
    "papertypes": Trained(
        "as published, with domain and range", "paper", '{"max_tokens": 256, "types": true}', is_paper=True
    ),
    "anonymous": Trained(
        "as published, WebQSP's names as kinds",
        "paper",
        '{"max_tokens": 256}',
        is_paper=True,
        is_anonymous=True,
    ),
    "static": Trained("ours without contextual encoding", "ours", is_static=True),
    "nocontext": Trained("ours without the program so far", "ours", '{"context": false}'),
    "nolast": Trained("ours without the last decision", "ours", model="ours"),
    "typed": Trained("schema-only constraints (ReTraCk)", "typed", '{"context": false}'),
    "whole": Trained("unconstrained decoding (Transduction)", "whole", _FREE),
    "ranking": Trained("enumerate and rank", "ranking"),
    "suggested": Trained(
        "rank and generate (RnG)",
        "suggested",
        '{"types": false, "max_context": 80, "max_text": 32, "max_types": 8}',
    ),
    "staged": Trained("staged query graphs (QGG)", "staged"),
}


def done_of(out: Path, name: str) -> Path:
    """Says that a model was trained to the end, and how."""
    return out / f"{name}.done"


def sets_of(method: Trained, prepared: Path) -> list[Path]:
    names = [f"{method.sets}-{name}" for name in DATASETS]
    if method.is_anonymous:
        names = [KINDS if name == f"{method.sets}-webqsp" else name for name in names]
    found = [folder for name in names if (folder := prepared / name).exists()]
    # Without its own set it would only be the published model once more.
    return found if not method.is_anonymous or (prepared / KINDS) in found else []


def vectors(encoder: str, out: Path) -> Path:
    """The encoder's own table of words as vectors without context; whole words only."""
    from arcaneqa.lab.training.checkpoint import create
    from arcaneqa.model.config import ModelConfig

    model = create(encoder, ModelConfig())
    table = model.network.encoder.state_dict()["network.embeddings.word_embeddings.weight"]
    words = model.words.tokenizer.get_vocab()
    out.parent.mkdir(parents=True, exist_ok=True)
    with gzip.open(out, "wt", encoding="utf-8", compresslevel=1) as file:
        for word, row in sorted(words.items(), key=lambda item: item[1]):
            if word.isalnum():
                file.write(f"{word} {' '.join(f'{number:.4f}' for number in table[row].tolist())}\n")
    return out


def command(name: str, options: argparse.Namespace) -> list[str] | None:
    """How one model is trained; None where it is there, or is another's, or its sets are not."""
    method = METHODS[name]
    out = options.out / name
    sets = sets_of(method, options.prepared)
    if method.model is not None or not sets or done_of(options.out, name).exists():
        return None
    encoder = options.encoder
    if method.is_static:
        path = options.out / "vectors.txt.gz"
        encoder = f"static:{path if path.exists() else vectors(options.encoder, path)}"
    questions = sum(_size(folder) for folder in sets)
    epochs = options.updates / max(1, questions // options.batch)
    module = ["arcaneqa.lab.paper", "train"] if method.is_paper else ["arcaneqa.lab.training.train"]
    words = [sys.executable, "-m", *module, *map(str, sets), "--out", str(out)]
    words += ["--encoder", encoder, "--model", method.choices]
    words += [
        "--batch",
        str(options.batch),
        "--epochs",
        f"{epochs:.6f}",
        "--check-every",
        str(options.updates),
    ]
    words += ["--storage", "int8", "--device", options.device, "--call-tokens", str(options.call_tokens)]
    # Several of them share one accelerator's memory.
    words += ["--part-tokens", str(options.call_tokens)]
    return words


def _size(folder: Path) -> int:
    from arcaneqa.lab.training.prepared import manifest_of

    return int(manifest_of(folder)["questions"])


def main() -> None:
    parser = argparse.ArgumentParser(description="Train the compared models side by side.")
    parser.add_argument("prepared", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--encoder", required=True, help="a model's folder, or a Hugging Face one")
    parser.add_argument("--updates", type=int, default=400)
    parser.add_argument("--batch", type=int, default=64)
    parser.add_argument("--together", type=int, default=5, help="models that train at a time")
    parser.add_argument("--call-tokens", type=int, default=65_536)
    parser.add_argument("--device", default="auto")
    parser.add_argument("--only", nargs="+", choices=METHODS)
    train(parser.parse_args())


def train(options: argparse.Namespace) -> None:
    options.out.mkdir(parents=True, exist_ok=True)
    waiting = [(name, words) for name in options.only or METHODS if (words := command(name, options))]
    running: dict[str, subprocess.Popen[bytes]] = {}
    failed = []
    while waiting or running:
        while waiting and len(running) < options.together:
            name, words = waiting.pop(0)
            with (options.out / f"{name}.log").open("ab") as log:
                running[name] = subprocess.Popen(words, stdout=log, stderr=log)
        time.sleep(0.5)
        for name, process in list(running.items()):
            if process.poll() is not None:
                del running[name]
                if process.returncode:
                    failed.append(name)
                else:
                    done_of(options.out, name).write_text(f"{options.updates} updates of {options.batch}\n")
                print(f"{name}: {'failed' if process.returncode else 'trained'}", file=sys.stderr, flush=True)
    if failed:
        raise SystemExit(f"no model from {', '.join(failed)}: their .log files under {options.out} say why")


if __name__ == "__main__":
    main()
