"""Takes out of prepared sets what is measured with, by id and by text.

    python recipes/kept_out.py DATA --work FOLDER            (rewrites sets that hold some of it)
    python recipes/kept_out.py DATA --work FOLDER --check    (fails where a set holds some of it)

Measured with are the dev parts and held-out tenths that `fragment.py` left under FOLDER/records, Spider's dev
databases in both wordings, the files of `wild` and the questions of the demonstration. A question that is
asked word for word in one of these is taught nowhere, whatever it is asked of.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from other_words import examples

from arcaneqa.lab.training.prepared import Builder, Example, manifest_of, read, write
from arcaneqa.support.files import read_lines

DEMO = Path(__file__).resolve().parents[1] / "demo" / "questions.jsonl"
MEASURES = ("dev", "held")
"""How the sets end that choose a checkpoint: they may hold what is kept out."""


@dataclass(frozen=True, slots=True)
class KeptOut:
    """Ids by their source, as a set's name begins with it, and texts as `plain` writes them."""

    ids: frozenset[tuple[str, str]]
    texts: frozenset[str]

    def holds(self, source: str, example: Example) -> bool:
        return (source, example.id) in self.ids or plain(example.question) in self.texts


def plain(question: str) -> str:
    """A question without its marks, spaces and capitals."""
    return " ".join(re.findall(r"\w+", question.casefold()))


def kept_out(data: Path, work: Path) -> KeptOut:
    asked = list(_measured(data, work))
    return KeptOut(
        frozenset((source, id) for source, id, _ in asked), frozenset(plain(text) for *_, text in asked)
    )


def _measured(data: Path, work: Path) -> Iterator[tuple[str, str, str]]:
    """The source, id and text of every question that is measured with."""
    for path in sorted((work / "records").glob("*-dev.jsonl")):
        for _, item in read_lines(path):
            yield path.name.removesuffix("-dev.jsonl"), str(item["id"]), item["question"]
    for source, folder, text in (("spider", "spider", "question"), ("syn", "spider-syn", "other_words")):
        for _, item in read_lines(data / folder / "questions.jsonl.gz"):
            if item["split"] == "dev":
                yield source, item["id"], item[text]
    for path in [*sorted((data / "wild").glob("*/questions.jsonl")), DEMO]:
        for _, item in read_lines(path):
            yield "wild", item["id"], item["question"]


def without(folder: Path, known: KeptOut) -> int:
    """Rewrites a set without what is kept out; how many examples that were."""
    builder, gone = Builder(), 0
    for example in examples(read(folder)):
        if known.holds(source_of(folder), example):
            gone += 1
        else:
            builder.add(example)
    if gone:
        write(builder.build(), folder, manifest_of(folder)["report"])
    return gone


def found_in(folder: Path, known: KeptOut) -> int:
    return sum(known.holds(source_of(folder), example) for example in examples(read(folder)))


def source_of(folder: Path) -> str:
    return folder.name.split("-", 1)[0]


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("data", type=Path)
    parser.add_argument("--work", type=Path, required=True, help="with records/ and sets/")
    parser.add_argument("--check", action="store_true", help="change nothing, and fail where some is held")
    given = parser.parse_args()
    known = kept_out(given.data, given.work)
    found = 0
    for folder in sorted((given.work / "sets").iterdir()):
        if not folder.name.endswith(MEASURES) and (
            count := (found_in if given.check else without)(folder, known)
        ):
            print(f"{folder.name}: {count}")
            found += count
    if given.check and found:
        sys.exit(f"the sets hold {found} questions that are measured with")


if __name__ == "__main__":
    main()
