"""What each part of the model is worth, and what is left on a graph that training never saw.

    python recipes/ablations.py train PREPARED ENCODERS OUT [--minutes 8.3] [--only full frozen …]
    python recipes/ablations.py table OUT --set grailqa=KB=dev.jsonl --set lcquad=KB=dev.jsonl …

`train` needs a GPU and sets made by `arcaneqa prepare` under PREPARED: grailqa, webqsp, cwq-00 and so on,
simplequestions, lcquad, world0 and so on, each with NAME-readings beside it where whole programs were
prepared (`--topics readings`), and the dev sets grailqa-dev, webqsp-dev, lcquad-dev; ENCODERS holds minilm,
gte-small and glove (`recipes/encoders.py`). The models train side by side for the same time. `table` answers
every question of every set with every model that lies in OUT and prints Markdown; an interrupted run goes on
where it stopped.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

MODE = {"grailqa": "grailqa", "webqsp": "webqsp"}


@dataclass(frozen=True)
class Variant:
    says: str
    encoder: str = "minilm"
    model: str = "{}"
    lcquad: bool = True
    worlds: bool = False


VARIANTS = {
    "full": Variant("full model"),
    "notypes": Variant("without domain and range", model='{"types": false}'),
    "frozen": Variant("GloVe vectors, frozen", "glove", '{"train_vectors": false}'),
    "trainable": Variant("GloVe vectors, trained", "glove"),
    "norelevance": Variant("no score by a candidate's own encoding", model='{"relevance": false}'),
    "noattentive": Variant("candidates against h_t alone", model='{"attentive": false}'),
    "noentitytext": Variant("entities by their mentions alone", model='{"entity_text": false}'),
    "nocontext": Variant("the encoder does not read the program so far", model='{"context": false}'),
    "gte": Variant("gte-small in place of MiniLM", "gte-small"),
    "out": Variant("no LC-QuAD", lcquad=False),
    "outnotypes": Variant("no LC-QuAD, without domain and range", model='{"types": false}', lcquad=False),
    "outsynth": Variant("no LC-QuAD, with imaginary worlds", lcquad=False, worlds=True),
    "outsynthnotypes": Variant(
        "no LC-QuAD, with worlds, without domain and range",
        model='{"types": false}',
        lcquad=False,
        worlds=True,
    ),
}


def mixture(variant: Variant, prepared: Path) -> list[str]:
    """The prepared sets with their weights, as arguments of training."""
    weights = {"grailqa": 3.0, "webqsp": 2.5, "simplequestions": 0.15}
    weights |= {folder.name: 0.8 for folder in sorted(prepared.glob("cwq-[0-9][0-9]"))}
    if variant.lcquad:
        weights["lcquad"] = 2.0
    if variant.worlds:
        weights |= {folder.name: 0.8 for folder in sorted(prepared.glob("world*[0-9]"))}
    weights |= {f"{name}-readings": 2.0 for name in weights if (prepared / f"{name}-readings").exists()}
    return [*(str(prepared / name) for name in weights), "--weights", ",".join(map(str, weights.values()))]


def train(arguments: argparse.Namespace) -> None:
    running = {}
    for name in arguments.only or VARIANTS:
        variant = VARIANTS[name]
        encoder = str(arguments.encoders / variant.encoder)
        command = [sys.executable, "-m", "arcaneqa.training.train", *mixture(variant, arguments.prepared)]
        for dev in ("grailqa-dev", "webqsp-dev", "lcquad-dev"):
            command += ["--dev", str(arguments.prepared / dev)]
        command += ["--encoder", f"static:{encoder}" if variant.encoder == "glove" else encoder]
        command += ["--model", variant.model, "--out", str(arguments.out / name), "--epochs", "100"]
        command += ["--minutes", str(arguments.minutes), "--check-every", "250", "--batch", "256"]
        command += ["--call-tokens", "131072"]
        arguments.out.mkdir(parents=True, exist_ok=True)
        with (arguments.out / f"{name}.log").open("w") as log:
            running[name] = subprocess.Popen(command, stdout=log, stderr=subprocess.STDOUT)
    failed = [name for name, process in running.items() if process.wait()]
    if failed:
        raise SystemExit(f"no model from {', '.join(failed)}: their .log files under {arguments.out} say why")


def answered(out: Path, model: str, name: str, kb: str, data: str, entities: str) -> str:
    """Exact match and F1 with their intervals, asked for once."""
    report = out / "reports" / f"{model}-{name}-{entities}"
    if not (report / "report.json").exists():
        command = [str(Path(sys.executable).with_name("arcaneqa")), "evaluate", data, "--entities", entities]
        command += [
            "--model",
            str(out / model),
            "--mode",
            MODE.get(name, "semantic"),
            "--report",
            str(report),
        ]
        command += ["--kb", kb] if kb else []
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    found = json.loads((report / "report.json").read_text(encoding="utf-8"))
    low, high = found["intervals"]["f1"]
    return f"{found['em']:.1f} / {found['f1']:.1f} [{low:.1f}, {high:.1f}]"


def table(arguments: argparse.Namespace) -> None:
    sets = [one.split("=") for one in arguments.set]
    models = [name for name in arguments.only or VARIANTS if (arguments.out / name).is_dir()]
    print("| model | " + " | ".join(name for name, _, _ in sets) + " |")
    print("|---|" + "---|" * len(sets))
    for model in models:
        cells = [answered(arguments.out, model, *one, arguments.entities) for one in sets]
        print(f"| {VARIANTS[model].says} | " + " | ".join(cells) + " |", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description="Train the compared models, or tell how well they answer.")
    verbs = parser.add_subparsers(required=True)
    training = verbs.add_parser("train")
    training.add_argument("prepared", type=Path)
    training.add_argument("encoders", type=Path)
    training.add_argument("out", type=Path)
    training.add_argument("--minutes", type=float, default=8.3)
    training.add_argument("--only", nargs="+", choices=VARIANTS)
    training.set_defaults(run=train)
    answering = verbs.add_parser("table")
    answering.add_argument("out", type=Path)
    answering.add_argument("--set", action="append", required=True, metavar="NAME=KB=DATA")
    answering.add_argument("--entities", choices=("gold", "linked"), default="linked")
    answering.add_argument("--only", nargs="+", choices=VARIANTS)
    answering.set_defaults(run=table)
    arguments = parser.parse_args()
    arguments.run(arguments)


if __name__ == "__main__":
    main()
