"""Trains the linker's weights on one or several question sets; the bundled ones were made like this.

    python recipes/linker.py --out OUT KB=RECORDS.jsonl KB=RECORDS.jsonl …

KB is an index folder, RECORDS unified records with their entities (`arcaneqa convert`). Each set counts the
same, and of each at most `--most` questions are used. Questions whose `crc32(id) % 10` is 0 are held out. OUT
gets `linker.json`; where OUT is a model's folder, that model links with it.

The bundled weights come from ten sets: WebQSP, ComplexWebQuestions and SimpleQuestions on the Freebase
fragment, GrailQA and LC-QuAD on theirs, and synthesised questions (`arcaneqa synth`) on the demo, a film
database and three made-up worlds, so that they fit small knowledge bases as well as large ones.
"""

from __future__ import annotations

import argparse
import random
import sys
from dataclasses import replace
from pathlib import Path

from arcaneqa.bench.linking import is_held_out, misspelt
from arcaneqa.datasets.record import Question, read_questions
from arcaneqa.errors import ArcaneError
from arcaneqa.kb.interface import KnowledgeBase
from arcaneqa.kb.open import open_kb
from arcaneqa.linking.training import Example, examples, train_linker


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("sets", nargs="+", metavar="KB=RECORDS")
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--most", type=int, default=5000)
    arguments = parser.parse_args()
    opened: dict[str, KnowledgeBase] = {}
    sets: list[tuple[KnowledgeBase, list[Example]]] = []
    for pair in arguments.sets:
        location, equals, records = pair.partition("=")
        if not equals:
            parser.error(f"{pair}: write KB=RECORDS.jsonl")
        if location not in opened:
            opened[location] = open_kb(location)
        kb = opened[location]
        questions = [question for question in read_questions(Path(records)) if not is_held_out(question)]
        random.Random(0).shuffle(questions)
        sets.append((kb, examples(_in_haste(questions[: arguments.most]), kb)))
    train_linker(sets, print).save(arguments.out)


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
