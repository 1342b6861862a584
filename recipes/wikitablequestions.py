"""WikiTableQuestions, whose questions have answers and no programs: programs are searched for, and kept where
they give the recorded answer and say what the question says.

    python recipes/wikitablequestions.py DATA --work FOLDER [--model MODEL] [--share 0/2]
    python recipes/wikitablequestions.py DATA --work FOLDER --join

DATA holds tables.jsonl.gz and questions.jsonl.gz. Every table is a knowledge base of its own, as if somebody
had brought it as a file. Leaves FOLDER/records/wtq/NAME.jsonl and FOLDER/prepared/wtq-WAY/NAME for each group
of tables; groups that are there already are not made again. Two processes take half of them each with
`--share 0/2` and `--share 1/2`. With `--join` whatever is there becomes FOLDER/sets/wtq-steps (decisions) and
FOLDER/sets/wtq-readings (whole programs).
"""

from __future__ import annotations

import argparse
import csv
import json
import re
import sys
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Any
from zlib import crc32

from evened import even
from reads_well import Judge, neighbours
from training_data import join_parts

from arcaneqa.answer.arcaneqa import ArcaneQA
from arcaneqa.answer.describe import items_of_result
from arcaneqa.induction.found import NONE, Found, Readings, SearchOutcome, distinct
from arcaneqa.induction.learned import Learned
from arcaneqa.induction.scorer import WordRanker
from arcaneqa.induction.targets import Inadmissible, targets
from arcaneqa.induction.topics import Topics
from arcaneqa.kb.build import build_index
from arcaneqa.kb.interface import KnowledgeBase
from arcaneqa.kb.open import open_kb
from arcaneqa.lab.datasets.convert import Converter
from arcaneqa.lab.datasets.draft import DraftQuestion
from arcaneqa.lab.training.prepare import GOLD, LINKED, Plan, Preparer, PrepareReport
from arcaneqa.lab.training.prepared import Builder, Decided, Example, write
from arcaneqa.lab.training.readings import Choices
from arcaneqa.language.expression import Entity
from arcaneqa.language.run import Result
from arcaneqa.links import Links
from arcaneqa.record import Mention, Question
from arcaneqa.support.errors import InputError
from arcaneqa.support.files import read_lines, replacing
from arcaneqa.support.harmless import json_text
from arcaneqa.verdict.decision import ranked
from arcaneqa.verdict.evidence import evidence

TABLES_IN_A_GROUP = 20
BEAM = 8
HOLES = 0.5
"""The share of questions whose whole programs come with a hole, too."""
MOST_ANSWERS = 200
"""A longer list is nobody's recorded answer."""
_TOTAL = re.compile(r"((grand|team|sub|career|overall)[ -]?)?(totals?|averages?):?", re.IGNORECASE)


@dataclass(slots=True)
class Made:
    """What becomes of some tables."""

    records: list[Question] = field(default_factory=list)
    steps: Builder = field(default_factory=Builder)
    readings: Builder = field(default_factory=Builder)
    counts: Counter[str] = field(default_factory=Counter)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("data", type=Path, help="folder with tables.jsonl.gz and questions.jsonl.gz")
    parser.add_argument("--work", type=Path, required=True, help="where records and prepared sets go")
    parser.add_argument("--model", type=Path, help="the one that searches; the bundled one if left out")
    parser.add_argument("--share", default="0/1", help="0/2 and 1/2: the groups of the first and second half")
    parser.add_argument("--groups", type=int, help="stop after so many, for a rehearsal")
    parser.add_argument("--join", action="store_true", help="make one set of whatever is prepared")
    options = parser.parse_args()
    if options.join:
        join(options.work)
        return
    share, shares = map(int, options.share.split("/"))
    run(options.data, options.work, options.model, share, shares, options.groups)


def run(data: Path, work: Path, model: Path | None, share: int, shares: int, most: int | None) -> None:
    questions = by_table(data)
    searcher: Searcher | None = None
    for number, (name, tables) in enumerate(islice(groups(data), most)):
        records = work / "records" / "wtq" / f"{name}.jsonl"
        if number % shares != share or records.exists():
            continue
        searcher = searcher or Searcher(model)
        made = Made()
        for table in tables:
            searcher.search(table, questions[table["table_id"]], made)
        save(made, name, records)
        print(name, dict(made.counts.most_common()), flush=True)


def by_table(data: Path) -> dict[str, list[Any]]:
    """The questions of each table."""
    questions: dict[str, list[Any]] = defaultdict(list)
    for _, item in read_lines(data / "questions.jsonl.gz"):
        questions[item["table_id"]].append(item)
    return questions


def groups(data: Path) -> Iterator[tuple[str, list[Any]]]:
    """All tables, some at a time, in an order that their ids decide."""
    tables = [table for _, table in read_lines(data / "tables.jsonl.gz")]
    tables.sort(key=lambda table: crc32(f"order {table['table_id']}".encode()))
    for number, start in enumerate(range(0, len(tables), TABLES_IN_A_GROUP)):
        yield f"wtq-{number:03}", tables[start : start + TABLES_IN_A_GROUP]


def save(made: Made, name: str, records: Path) -> None:
    """The records last: they say that a group is done."""
    work = records.parents[2]
    for way, builder in (("steps", made.steps), ("readings", made.readings)):
        out = work / "prepared" / f"wtq-{way}" / name
        out.parent.mkdir(parents=True, exist_ok=True)
        # Constants are of one table, whose name another's may have: only forms are worth keeping.
        about = {"sources": [name], "plan": {}, "learned": Learned().to_json(), "counts": dict(made.counts)}
        write(builder.build(), out, about)
    records.parent.mkdir(parents=True, exist_ok=True)
    with replacing(records) as file:
        for record in made.records:
            file.write(json_text(record.to_json()) + "\n")


def join(work: Path) -> None:
    total: Counter[str] = Counter()
    for folder in sorted((work / "prepared").glob("wtq-*")):
        parts = sorted(folder.iterdir())
        join_parts(parts, work / "sets" / folder.name)
        if folder.name == "wtq-steps":
            for part in parts:
                total.update(json.loads((part / "manifest.json").read_text())["report"]["counts"])
    for what, count in total.most_common():
        print(f"{count:7,} {what}")


# One table -------------------------------------------------------------------------------------------------


class Searcher:
    """Asks a model, loaded once, the questions of one table after the other."""

    def __init__(self, model: Path | None) -> None:
        self._qa = ArcaneQA.load(model=model, beam=BEAM)

    def search(self, table: Any, items: Sequence[Any], made: Made) -> None:
        made.counts["questions"] += len(items)
        with TemporaryDirectory() as folder:
            index = Path(folder) / "index"
            try:
                build_index([written(table, Path(folder))], index)
            except InputError as error:
                print(f"{table['table_id']}: {error}", file=sys.stderr)
                made.counts["not a table that can be indexed"] += len(items)
                return
            with open_kb(str(index)) as kb:
                for asked in (asker := Asker(self._qa.over(kb))).ask(items):
                    if (kept := asker.kept(asked, made.counts)) is not None:
                        asker.teach(asked, kept, made)


def written(table: Any, folder: Path) -> Path:
    """The table as a file, named after what it lists."""
    heading = (table["section"] or table["title"]).split(">")[-1]
    name = re.sub(r"\W+", " ", heading).strip()[:60] or "rows"
    path = folder / f"{name}.csv"
    with path.open("w", encoding="utf-8", newline="") as file:
        rows = csv.writer(file)
        rows.writerow(table["header"])
        for row in table["rows"]:
            cells = [" ".join((cell or "").split()) for cell in row]
            # `total_rows` of the source names all rows of a table or none, so the words decide.
            if not any(map(_TOTAL.fullmatch, cells)):
                rows.writerow(cells)
    return path


@dataclass(frozen=True, slots=True)
class Asked:
    """A question with all that was found for it, and its recorded answers."""

    id: str
    question: str
    links: Links
    topics: Topics
    outcome: SearchOutcome
    wanted: set[str]


class Asker:
    """Asks, judges and prepares over one table."""

    def __init__(self, qa: ArcaneQA) -> None:
        self._qa, self._kb = qa, qa.kb
        self._judge = Judge(qa.kb, qa.fitted, qa.scorer.nearness)
        self._converter = Converter(qa.names, qa.kb)
        self._preparer = Preparer(qa.kb, Plan((GOLD, LINKED)), Learned())
        ranker = qa.settings.ranker or WordRanker()
        self._choices = Choices(qa.kb, qa.induction, ranker, True, qa.scorer)

    def ask(self, items: Sequence[Any]) -> Iterator[Asked]:
        links = [self._qa.linker.link(item["question"]) for item in items]
        topics = [self._qa.topics(item["question"], one) for item, one in zip(items, links, strict=True)]
        searched = [(item["question"], [one]) for item, one in zip(items, topics, strict=True)]
        outcomes = self._qa.search.run_many(searched, together=len(items))
        for item, linked, named, outcome in zip(items, links, topics, outcomes, strict=True):
            question, wanted = item["question"], set(map(even, item["answers"]))
            seen = evidence(linked, outcome, self._qa.scorer.nearness, self._kb)
            outcome = replace(outcome, found=tuple(one.found for one, _ in ranked(seen, self._qa.fitted)))
            yield Asked(item["id"], question, linked, named, outcome, wanted)

    def kept(self, asked: Asked, counts: Counter[str]) -> Found | None:
        """The likeliest program that gives the recorded answer and reads well. Where no program gives it,
        those beside the found ones are tried."""
        question, links, outcome = asked.question, asked.links, asked.outcome
        right = [found for found in outcome.found if self._is_right(found, asked)]
        counts["found"] += bool(right)
        counts["found first"] += bool(right) and right[0] is outcome.found[0]
        if right:
            well = (found for found in right if self._judge.reads_well(question, links, found, outcome))
        else:
            beside = neighbours(question, outcome.found, self._kb)
            right = [found for found in beside if self._is_right(found, asked)]
            counts["found beside"] += bool(right)
            well = (found for found in right if self._judge.is_said(question, links, found))
        kept = next(well, None)
        counts["kept"] += kept is not None
        return kept

    def teach(self, asked: Asked, kept: Found, made: Made) -> None:
        draft = DraftQuestion(
            asked.id, asked.question, (kept.program,), mentions=tuple(self._mentions(asked, kept))
        )
        for record in self._converter.records([draft]):
            made.records.append(record)
            for example in self._preparer.examples(record, PrepareReport()):
                made.steps.add(example)
        for step in self._whole_programs(asked, kept):
            made.readings.add(Example(asked.id, asked.question, (), (step,)))

    def _mentions(self, asked: Asked, kept: Found) -> Iterator[Mention]:
        for topic in kept.topics:
            start, end = topic.words.start, topic.words.end
            if isinstance(topic.term, Entity):
                name = self._qa.names.write(topic.term.term)
            else:
                name = f"{topic.term.literal.lexical}^^{topic.term.literal.datatype}"
            yield Mention(name, asked.question[start:end] or None, start, end)

    def _whole_programs(self, asked: Asked, kept: Found) -> Iterator[Decided]:
        """The kept program among all that were found, and what is found where it lacks something. Where none
        was right nobody knows whether one could have been: that does not teach "none of these"."""
        draw, readings = Random(crc32(asked.id.encode())), Readings(self._kb)
        if kept in asked.outcome.found:
            gold = readings.candidate(kept.program, kept.result)
            others = [best for best, *_ in distinct(asked.outcome.found, self._kb)]
            wrong = [one for one in others if not self._is_right(one, asked)]
            found = [gold, *(readings.candidate(one.program, one.result) for one in wrong), NONE]
            candidates = list(dict.fromkeys(found))
            draw.shuffle(candidates)
            yield Decided(tuple(candidates), candidates.index(gold), "")
        if draw.random() < HOLES:
            target = targets(self._qa.induction, asked.question, kept.program, asked.topics)
            if not isinstance(target, Inadmissible) and (
                hole := self._choices.hole(kept.program, target, draw)
            ):
                yield hole

    def _is_right(self, found: Found, asked: Asked) -> bool:
        return answers(self._kb, found.result) == asked.wanted


# Answers ---------------------------------------------------------------------------------------------------


def answers(kb: KnowledgeBase, result: Result) -> set[str]:
    items = items_of_result(kb, result, MOST_ANSWERS)
    return {even(item.value if item.value is not None else item.label or "") for item in items}


if __name__ == "__main__":
    main()
