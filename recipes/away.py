"""How well answers, and confidence in them, hold on graphs that neither training nor fitting has seen.

    python recipes/away.py DATA --work DIR [--model MODEL] [--plot PNG]

DATA holds spider/, of which the 12 databases with `split` = dev are asked about, wild/, a folder for each
file of a stranger: `kb.EXT` and `questions.jsonl`, in which a question without answers should be refused, and
wikitablequestions/, of whose tables some that training never came to are asked about as files of their own:
people wrote these questions without knowing what a program can say. Questions marked as doubtful are left
out. Everything is asked with the defaults; indexes stay in DIR.

Answers are compared by IRI, name or value, evened out (`evened.py`). An answer is right
for calibration if it is the gold set, and nearly so if its F1 is above a half.
"""

from __future__ import annotations

import argparse
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from zlib import crc32

import wikitablequestions
from evened import even

from arcaneqa.answer.arcaneqa import ArcaneQA
from arcaneqa.kb.build import build_index
from arcaneqa.kb.open import open_kb
from arcaneqa.lab.evaluation.metrics import expected_calibration_error, reliability
from arcaneqa.record import AnswerItem, Question
from arcaneqa.support.errors import InputError
from arcaneqa.support.files import read_lines

SURE = 0.9
GROUPS, EACH = slice(60, 70), 4
"""Of the tables of WikiTableQuestions, and questions of each; training came to the first groups."""


@dataclass(frozen=True)
class Source:
    """A graph of one of the collections, and its questions as they are published."""

    collection: str
    name: str
    facts: Path
    questions: Sequence[dict[str, Any]]


@dataclass(frozen=True)
class Asked:
    """`f1` is 1 where a question without an answer was refused."""

    f1: float
    has_answer: bool
    is_given: bool
    confidence: float


def sources(data: Path, work: Path) -> Iterator[Source]:
    for path in sorted((data / "wild").glob("*/questions.jsonl")):
        (facts,) = path.parent.glob("kb.*")
        yield Source("wild", path.parent.name, facts, [line for _, line in read_lines(path)])
    by_database: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for _, line in read_lines(data / "spider" / "questions.jsonl.gz"):
        if line["split"] == "dev" and not line.get("doubtful"):
            by_database[line["db"]].append(line)
    for name, questions in sorted(by_database.items()):
        yield Source("spider", name, data / "spider" / "kb" / f"{name}.nt.gz", questions)
    yield from tables(data / "wikitablequestions", work)


def tables(data: Path, work: Path) -> Iterator[Source]:
    if not data.is_dir():
        return
    questions = wikitablequestions.by_table(data)
    for _, group in list(wikitablequestions.groups(data))[GROUPS]:
        for table in group:
            name = table["table_id"]
            few = sorted(questions[name], key=lambda question: crc32(question["id"].encode()))[:EACH]
            folder = work / "files" / name
            folder.mkdir(parents=True, exist_ok=True)
            yield Source("tables", name, wikitablequestions.written(table, folder), few)


def asked(qa: ArcaneQA, source: Source, work: Path) -> Iterator[Asked]:
    index = work / source.collection / source.name
    if not index.is_dir():
        index.parent.mkdir(parents=True, exist_ok=True)
        build_index([source.facts], index)
    with open_kb(index) as kb:
        questions = [Question(line["id"], line["question"]) for line in source.questions]
        for line, answer in zip(source.questions, qa.over(kb).ask_many(questions), strict=True):
            gold, given = bool(line["answers"]), bool(answer.items)
            f1 = overlap(wanted(line), [spelled(item) for item in answer.items]) if gold else float(not given)
            yield Asked(f1, gold, given, answer.confidence or 0.0)


def wanted(line: dict[str, Any]) -> list[set[str]]:
    """Each gold answer with all that it may be called. Things of one name are several ids to one answer: then
    nobody can tell which is whose, and the names alone are compared."""
    names, ids = line["answers"], line.get("answer_ids") or []
    pairs = zip(names, ids, strict=True) if len(names) == len(ids) else ((name,) for name in names)
    return [spellings(pair) for pair in pairs]


def spelled(item: AnswerItem) -> set[str]:
    return spellings(text for text in (item.label, item.value, item.iri, item.id) if text is not None)


def spellings(texts: Iterable[str]) -> set[str]:
    return {even(text.strip("<>")) for text in texts}


def overlap(gold: Sequence[set[str]], found: Sequence[set[str]]) -> float:
    wants, gets = (set[str]().union(*of) for of in (gold, found))
    precision = sum(bool(one & wants) for one in found) / max(len(found), 1)
    recall = sum(bool(one & gets) for one in gold) / len(gold)
    return 2 * precision * recall / (precision + recall) if precision + recall else 0.0


def told(name: str, rows: Sequence[Asked]) -> Iterator[str]:
    given = [row for row in rows if row.is_given]
    right = [row.has_answer and row.f1 == 1 for row in given]
    sure = [row for row in given if row.confidence >= SURE]
    exactly = sum(row.has_answer and row.f1 == 1 for row in sure)
    nearly = sum(row.has_answer and row.f1 > 0.5 for row in sure)
    refused = [not row.is_given for row in rows if not row.has_answer]
    confidence = [row.confidence for row in given]
    yield f"{name}: {len(rows)} questions, F1 {100 * sum(row.f1 for row in rows) / len(rows):.1f}"
    if refused:
        yield f"  {sum(refused)} of {len(refused)} without an answer refused"
    yield (
        f"  {len(sure)} answers at {SURE} and more: {exactly / max(len(sure), 1):.1%} right, "
        f"{nearly / max(len(sure), 1):.1%} nearly; {exactly / max(sum(right), 1):.0%} of all right answers"
    )
    error = expected_calibration_error(confidence, right)
    yield f"  expected calibration error {error:.3f} over {len(given)} answers"
    for low, high, size, mean, accuracy in reliability(confidence, right):
        yield f"    {low:.1f} to {high:.1f}: {size:4} answers, {mean:.0%} sure, {accuracy:.0%} right"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("data", type=Path)
    parser.add_argument("--work", type=Path, required=True, help="folder for indexes; kept")
    parser.add_argument("--model", type=Path, help="checkpoint folder; the bundled one if left out")
    parser.add_argument("--plot", type=Path, help="draw confidence against accuracy of all into this file")
    given = parser.parse_args()
    qa = ArcaneQA.load(None, given.model)
    rows: dict[str, list[Asked]] = defaultdict(list)
    for source in sources(given.data, given.work):
        rows[source.collection] += asked(qa, source, given.work)
    if not rows:
        raise InputError(f"{given.data} has neither wild/, spider/ nor wikitablequestions/ in it.")
    for name, own in rows.items():
        print("\n".join(told(name, own)), flush=True)
    if given.plot is not None:
        from arcaneqa.lab.evaluation.report import draw_calibration

        answers = [row for own in rows.values() for row in own if row.is_given]
        right = [row.has_answer and row.f1 == 1 for row in answers]
        draw_calibration(given.plot, [row.confidence for row in answers], right)


if __name__ == "__main__":
    main()
