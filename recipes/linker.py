"""Trains the linker on one or several question sets; what is bundled was made like this.

    python -m recipes.linker --out OUT KB=RECORDS.jsonl KB=RECORDS.jsonl …      (its weights)
    python -m recipes.linker --head MODEL KB=RECORDS.jsonl …                    (the span head of a model)
    python -m recipes.linker --head MODEL --check KB=RECORDS.jsonl …            (is it right elsewhere?)

KB is an index folder (`demo` the bundled one), RECORDS unified records with their entities (`arcaneqa
convert`). Each set counts the same, and of each at most `--most` questions are used. Questions whose
`crc32(id) % 10` is 0 are held out. OUT gets `linker.json`; where OUT is a model's folder, that model links
with it.

The head needs no weights of its own but the linker's, and is trained anew for every encoder: MODEL gets
`spans.safetensors`. With `--check` nothing is saved: for each knowledge base a head is trained without all of
its sets and asked about them, and the table goes to docs/measurements/results.md.

The bundled weights come from ten sets: WebQSP, ComplexWebQuestions and SimpleQuestions on the Freebase
fragment, GrailQA and LC-QuAD on theirs, and synthesised questions (`arcaneqa synth`) on the demo, a film
database and three made-up worlds, so that they fit small knowledge bases as well as large ones; the bundled
head from the same with one of the worlds.
"""

from __future__ import annotations

import argparse
import random
import sys
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path

from arcaneqa.errors import ArcaneError, InputError
from arcaneqa.figures import write_section
from arcaneqa.kb.interface import KnowledgeBase
from arcaneqa.kb.open import open_kb
from arcaneqa.linking.linker import Linker
from arcaneqa.linking.weights import Weights
from arcaneqa.model.scorer import ModelScorer
from arcaneqa.record import Question, read_questions
from arcaneqa.training.linker import Example, examples, train_linker
from arcaneqa.training.span_training import Spans, fit, read_spans
from benchmarks.linking import is_held_out, misspelt
from benchmarks.spans import elsewhere

RESULTS = Path(__file__).resolve().parents[1] / "docs" / "measurements" / "results.md"
READ = 100_000
"""Of a longer file only the first so many questions are drawn from."""


@dataclass(frozen=True)
class Set:
    name: str
    location: str
    kb: KnowledgeBase
    part: list[Example]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("sets", nargs="+", metavar="KB=RECORDS")
    what = parser.add_mutually_exclusive_group(required=True)
    what.add_argument("--out", type=Path, help="where the weights go")
    what.add_argument("--head", type=Path, metavar="MODEL", help="train the span head of this model")
    parser.add_argument("--check", action="store_true", help="ask heads about sets they were trained without")
    parser.add_argument("--most", type=int, help="questions of each set; 5000, or 2000 for a head")
    options = parser.parse_args()
    if options.check and options.head is None:
        parser.error("--check is about the head of a model: name it with --head MODEL")
    sets = read_sets(options.sets, options.most or (2000 if options.head else 5000), parser)
    if options.out:
        train_linker([(one.kb, one.part) for one in sets], print).save(options.out)
        return
    reader = ModelScorer.load(options.head).questions
    weights = Weights.of_model(options.head)
    spans: dict[str, list[tuple[str, Spans]]] = {}
    for one in sets:
        print(f"{one.name}: reading {len(one.part):,} questions", flush=True)
        read = read_spans(Linker(one.kb, weights), one.part, reader)
        spans.setdefault(one.location, []).append((one.name, read))
    if options.check:
        body = elsewhere(spans)
        print(body)
        named = " ".join(f"KB={one.name}.jsonl" for one in sets)
        line = f"python -m recipes.linker --head MODEL --check {named}"
        write_section(RESULTS, "span head", "Mentions told by the encoder, on sets never seen", line, body)
    else:
        fit([read for group in spans.values() for _, read in group]).save(options.head)


def read_sets(pairs: list[str], most: int, parser: argparse.ArgumentParser) -> list[Set]:
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
        sets.append(Set(Path(records).stem, location, kb, part))
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
