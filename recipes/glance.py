"""Trains the first glance at long lists, which all models that began with the bundled one's encoder share.

    python -m recipes.glance PREPARED … --held PREPARED … [--model MODEL] [--epochs N] [--out FILE]

PREPARED are sets that `arcaneqa prepare` made. Of those behind `--held` nothing is learned: it is told how
often what was meant stays in its list, and how much of the list stays. Of MODEL, the bundled one if left out,
only the table of words is looked at. The bundled glance was trained on
GrailQA, WebQSP, ComplexWebQuestions, LC-QuAD, WikiSQL, Spider's training databases and synthesised questions:
some minutes on one core.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np

from arcaneqa.lab.training.glance import LongList, lists_of, train_glance
from arcaneqa.lab.training.prepared import read
from arcaneqa.model.glance import FILE, Glance
from arcaneqa.model.stored import bundled_model, read_stored

EPOCHS = 6


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("sets", nargs="*", type=Path, metavar="PREPARED")
    parser.add_argument("--held", nargs="+", type=Path, default=[], metavar="PREPARED")
    parser.add_argument("--model", type=Path)
    parser.add_argument("--epochs", type=int, default=EPOCHS)
    parser.add_argument("--out", type=Path, default=FILE)
    given = parser.parse_args()
    stored = read_stored(given.model or bundled_model())
    held = {folder: list(lists_of(read(folder))) for folder in given.held}
    if given.sets:
        # A question that is held out in one set may be asked in another.
        unseen = {one.question for lists in held.values() for one in lists}
        lists = [one for folder in given.sets for one in lists_of(read(folder)) if one.question not in unseen]
        print(f"{len(lists):,} lists", flush=True)
        train_glance(stored, lists, given.epochs).save(given.out)
    glance = Glance.of(stored, given.out)
    assert glance is not None
    for folder, lists in held.items():
        if lists:
            print(f"{folder.name}: {_told(glance, lists)}", flush=True)


def _told(glance: Glance, lists: list[LongList]) -> str:
    kept = [glance.rank(one.question, one.texts, 64) for one in lists]
    stays = np.mean([one.gold in own for one, own in zip(lists, kept, strict=True)])
    names, left = (np.mean([len(some) for some in group]) for group in ([one.texts for one in lists], kept))
    return f"{len(lists)} lists, {100 * stays:.2f}% keep what is meant; of {names:.1f} names {left:.1f} stay"


if __name__ == "__main__":
    main()
