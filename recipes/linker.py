"""Trains the linker on one or several question sets; what is bundled was made like this.

    python -m recipes.linker --out OUT KB=RECORDS.jsonl KB=RECORDS.jsonl …

KB is an index folder (`demo` the bundled one), RECORDS unified records with their entities (`arcaneqa
convert`). Each set counts the same, and of each at most `--most` questions are used. Questions whose
`crc32(id) % 10` is 0 are held out. OUT gets `linker.json`; where OUT is a model's folder, that model links
with it.

The bundled weights come from ten sets: WebQSP, ComplexWebQuestions and SimpleQuestions on the Freebase
fragment, GrailQA and LC-QuAD on theirs, and synthesised questions (`arcaneqa synth`) on the demo, a film
database and three made-up worlds, so that they fit small knowledge bases as well as large ones.
"""

from __future__ import annotations

import argparse
import random
import sys
from dataclasses import replace
from itertools import islice
from pathlib import Path

from arcaneqa.kb.interface import KnowledgeBase
from arcaneqa.kb.open import open_kb
from arcaneqa.lab.training.linker import LinkingExample, examples, train_linker
from arcaneqa.record import Question, read_questions
from arcaneqa.support.errors import ArcaneError, InputError
from benchmarks.linking import is_held_out, misspelt

READ = 100_000
"""Of a longer file only the first so many questions are drawn from."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("sets", nargs="+", metavar="KB=RECORDS")
    parser.add_argument("--out", type=Path, required=True, help="where the weights go")
    parser.add_argument("--most", type=int, default=5000, help="questions of each set")
    options = parser.parse_args()
    train_linker(read_sets(options.sets, options.most, parser), print).save(options.out)


def read_sets(
    pairs: list[str], most: int, parser: argparse.ArgumentParser
) -> list[tuple[KnowledgeBase, list[LinkingExample]]]:
    opened: dict[str, KnowledgeBase] = {}
    sets = []
    for pair in pairs:
        location, equals, records = pair.partition("=")
        if not equals:
            parser.error(f"{pair}: write KB=RECORDS.jsonl")
        if location not in opened:
            opened[location] = open_kb(None if location == "demo" else location)
        kb = opened[location]
        first = islice(read_questions(Path(records)), READ)
        questions = [question for question in first if not is_held_out(question)]
        random.Random(0).shuffle(questions)
        part = examples(_in_haste(questions[:most]), kb)
        if not part:
            raise InputError(f"{records}: no question names an entity of {location}.")
        sets.append((kb, part))
    return sets


def _in_haste(questions: list[Question]) -> list[Question]:
    """One question in six gets a typing error, because people make them and published questions have few."""
    chance = random.Random(0)
    return [
        question if number % 6 else replace(question, question=misspelt(question.question, chance))
        for number, question in enumerate(questions)
    ]


if __name__ == "__main__":
    try:
        main()
    except ArcaneError as error:
        sys.exit(f"linker: {error}")
