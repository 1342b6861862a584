"""The bundled model, from prepared sets: what it was taught by, and how much of each.

    python recipes/bundled_model.py SETS --encoder ENCODER --out TRUNK --minutes 4
    python recipes/bundled_model.py SETS --encoder ENCODER --out MODEL --minutes 4 --without-fold 0
    python recipes/bundled_model.py SETS --start TRUNK --out MODEL --minutes 18 [--seed 2] [MORE…]

SETS holds what `training_data.py`, `overnight.py`, `published_sets.py` and `other_words.py` left: a folder a
source, way and fold. Runs that go on from one trunk and differ in their seed are averaged (`average.py`),
then confidence is fitted (`calibrate.py`). A run without a fold learns decisions only; it searches for
readings in that fold (`training_data.py`). `travel.py` packs weights for a machine elsewhere.
MORE are options of `python -m arcaneqa.lab.training.train`.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from arcaneqa.lab.training.train import main as train

WEIGHTS = {
    "spider-steps": 1.4,
    "spider-steps-renamed": 0.4,
    "spider-steps-synonyms": 0.5,
    "spider-steps-restyled": 0.5,
    "spider-readings": 0.4,
    "spider-readings-synonyms": 0.3,
    "spider-readings-broken": 0.1,
    "spider-found": 3.0,
    "spider-found-broken": 0.5,
    "spider-found-restyled": 1.0,
    "syn-steps": 1.4,
    "syn-steps-renamed": 0.4,
    "syn-steps-restyled": 0.3,
    "syn-readings": 0.4,
    "syn-readings-broken": 0.1,
    "syn-found": 3.0,
    "syn-found-broken": 0.5,
    "syn-found-restyled": 1.0,
    "overnight-steps": 0.7,
    "overnight-steps-synonyms": 0.2,
    "overnight-steps-restyled": 0.2,
    "overnight-readings": 0.4,
    "overnight-readings-synonyms": 0.2,
    "synth-steps": 0.2,
    "synth-steps-synonyms": 0.1,
    "synth-steps-restyled": 0.1,
    "synth-readings": 0.2,
    "synth-readings-broken": 0.1,
    "wikisql-steps": 0.2,
    "wikisql-readings": 0.4,
    "wikisql-readings-broken": 0.1,
    "grailqa-steps": 1.2,
    "grailqa-steps-renamed": 0.3,
    "grailqa-steps-synonyms": 0.4,
    "grailqa-steps-restyled": 0.2,
    "grailqa-readings": 0.8,
    "grailqa-readings-synonyms": 0.2,
    "grailqa-readings-broken": 0.2,
    "lcquad-steps": 1.1,
    "lcquad-steps-renamed": 0.3,
    "lcquad-steps-synonyms": 0.4,
    "lcquad-steps-restyled": 0.2,
    "lcquad-readings": 0.8,
    "lcquad-readings-synonyms": 0.2,
    "lcquad-readings-broken": 0.2,
    "webqsp-steps": 1.6,
    "webqsp-steps-renamed": 0.3,
    "webqsp-steps-synonyms": 0.5,
    "webqsp-steps-restyled": 0.2,
    "webqsp-readings": 0.8,
    "webqsp-readings-synonyms": 0.3,
    "webqsp-readings-broken": 0.1,
    "cwq-steps": 0.7,
    "cwq-steps-synonyms": 0.2,
    "cwq-steps-restyled": 0.1,
    "cwq-readings": 0.6,
    "cwq-readings-synonyms": 0.2,
    "cwq-readings-broken": 0.1,
    "simple-steps": 0.3,
    "simple-steps-synonyms": 0.2,
    "simple-steps-restyled": 0.1,
    "simple-readings": 0.4,
    "demo-steps": 1.2,
    "demo-steps-synonyms": 0.4,
    "demo-steps-restyled": 0.3,
    "demo-readings": 0.8,
    "demo-readings-synonyms": 0.3,
    "demo-readings-broken": 0.2,
}
"""How often each set is seen in an epoch: people's questions over many schemas most, in their own words and
in others (`other_words.py`), made-up ones least."""
CHOSEN_BY = (
    *("spider-steps-held", "syn-steps-held", "spider-readings-held", "syn-readings-held"),
    *("overnight-steps-held", "grailqa-steps-dev"),
)
"""Databases and questions that nothing else is learnt from: the best checkpoint on them is kept."""
SETTINGS = (
    *("--batch", "256", "--call-tokens", "131072", "--part-tokens", "131072"),
    *("--rate", "1e-3", "--encoder-rate", "2e-4", "--check-every", "400", "--blanks", "0.05"),
)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("sets", type=Path)
    start = parser.add_mutually_exclusive_group(required=True)
    start.add_argument("--start", type=Path, help="the model it goes on from")
    start.add_argument("--encoder", help="the encoder that it begins with, and a new decoder")
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
            *(("--from", str(given.start)) if given.start else ("--encoder", given.encoder)),
            *("--out", str(given.out)),
            *("--minutes", str(given.minutes), "--seed", str(given.seed), "--epochs", "1000"),
            *SETTINGS,
            *more,
        ]
    )


if __name__ == "__main__":
    main()
