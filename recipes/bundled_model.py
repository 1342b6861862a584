"""The bundled model, from prepared sets: what it was taught by, and how much of each.

    python recipes/bundled_model.py SETS --start MODEL --out MODEL --minutes 8 [--seed 2] [MORE…]
    python recipes/bundled_model.py SETS --start MODEL --out MODEL --minutes 4 --without-fold 0

SETS holds what `training_data.py`, `published_sets.py` and `other_words.py` left: a folder a source, way and
fold. Runs that differ in their seed are averaged (`average.py`), then confidence is fitted (`calibrate.py`).
A run without a fold learns decisions only; it searches for readings in that fold (`training_data.py`).
MORE are options of `python -m arcaneqa.lab.training.train`.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from arcaneqa.lab.training.train import main as train

WEIGHTS = {
    "spider-steps": 1.0,
    "spider-steps-renamed": 0.4,
    "spider-steps-synonyms": 0.7,
    "spider-steps-restyled": 0.6,
    "spider-readings": 0.5,
    "spider-readings-renamed": 0.05,
    "spider-readings-broken": 0.15,
    "spider-found": 1.0,
    "spider-found-renamed": 0.15,
    "spider-found-broken": 0.2,
    "spider-found-restyled": 0.3,
    "synth-steps": 0.3,
    "synth-steps-restyled": 0.15,
    "synth-readings": 0.25,
    "synth-readings-broken": 0.06,
    "wikisql-steps": 0.2,
    "wikisql-readings": 0.4,
    "wikisql-readings-broken": 0.12,
    "wtq-steps": 1.0,
    "wtq-readings": 0.5,
    "grailqa-steps": 2.0,
    "grailqa-steps-renamed": 0.5,
    "grailqa-readings": 1.0,
    "grailqa-readings-broken": 0.3,
    "webqsp-steps": 2.0,
    "webqsp-steps-renamed": 0.5,
    "webqsp-readings": 1.0,
    "lcquad-steps": 2.0,
    "lcquad-steps-renamed": 0.5,
    "lcquad-readings": 1.0,
    "lcquad-readings-broken": 0.2,
    "cwq-steps": 0.8,
    "cwq-steps-renamed": 0.3,
    "simple-steps": 0.4,
    "demo-steps": 2.0,
    "demo-readings": 1.0,
    "demo-readings-broken": 0.2,
}
"""How often each set is seen in an epoch: people's questions over many schemas most, in their own words and
in others (`other_words.py`), made-up ones least."""
CHOSEN_BY = ("spider-steps-held", "spider-found-held", "grailqa-steps-dev")
"""Databases and questions that nothing else is learnt from: the best checkpoint on them is kept."""
SETTINGS = (
    *("--batch", "256", "--call-tokens", "131072", "--part-tokens", "131072"),
    *("--rate", "1e-3", "--encoder-rate", "1e-4", "--check-every", "500", "--blanks", "0.05"),
)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("sets", type=Path)
    parser.add_argument("--start", type=Path, required=True, help="the model it goes on from")
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--minutes", type=float, required=True, help="the learning rate falls towards it")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument(
        "--without", action="append", default=[], help="leave a source or a way out, to see its worth"
    )
    parser.add_argument("--without-fold", type=int, help="leave the databases of a fold out, and readings")
    given, more = parser.parse_known_args()
    left = {name: weight for name, weight in WEIGHTS.items() if not {*name.split("-")} & {*given.without}}
    if given.without_fold is not None:
        left = {name: weight for name, weight in left.items() if "steps" in name.split("-")}
    folds = [str(number) for number in (0, 1) if number != given.without_fold]
    here = {
        folder: weight
        for name, weight in left.items()
        for folder in (name, *(f"{name}-{number}" for number in folds))
        if (given.sets / folder).is_dir()
    }
    if missing := [name for name in left if not any(folder.startswith(name) for folder in here)]:
        print(f"not there, so left out: {', '.join(missing)}", file=sys.stderr)
    chosen_by = [given.sets / name for name in CHOSEN_BY if (given.sets / name).is_dir()]
    train(
        [
            *(str(given.sets / name) for name in here),
            *("--weights", ",".join(map(str, here.values()))),
            *(part for folder in chosen_by for part in ("--dev", str(folder))),
            *("--from", str(given.start), "--out", str(given.out)),
            *("--minutes", str(given.minutes), "--seed", str(given.seed), "--epochs", "1000"),
            *SETTINGS,
            *more,
        ]
    )


if __name__ == "__main__":
    main()
