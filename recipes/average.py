"""Average the weights of models that went on from the same one.

    python recipes/average.py MODEL MODEL … --out MODEL

Each has moved its own way; what they have in common is what generalises.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import torch

from arcaneqa.induction.learned import Learned
from arcaneqa.lab.training.checkpoint import load, save


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("models", nargs="+", type=Path)
    parser.add_argument("--out", type=Path, required=True)
    arguments = parser.parse_args()
    models = [load(folder) for folder in arguments.models]
    states = [model.network.state_dict() for model in models]
    mean = {name: torch.stack([state[name] for state in states]).mean(0) for name in states[0]}
    models[0].network.load_state_dict(mean)
    save(models[0], arguments.out, notes={"averaged": len(models)})
    learned = Learned()
    for folder in arguments.models:
        learned |= Learned.of_model(folder)
    learned.save(arguments.out)


if __name__ == "__main__":
    main()
