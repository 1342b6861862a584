"""Whether questions are refused that cannot be answered, and what that costs those that can.

    python recipes/refused.py DATA --work DIR [--model MODEL] [--only grailqa|spider] [--seed 2]

DATA holds grailqa/, freebase-fragment/ and spider/. Of GrailQA's dev questions and of Spider's 12 databases
with `split` = dev a quarter loses something that it needs (`recipes/holes.py`); the folders stay in DIR, so
that another model is asked the same. Another seed takes other things out: what a graph lacks is about the
same for many of its questions, so that one draw tells little. Everything is asked once, with linked entities
and the defaults.

What refusing costs: F1 of the answers that are given, against F1 with the best reading given every time,
which is what a threshold of 0 and no "none of these" would give. F1 is over answers as records write them,
numbers to six digits. A question whose best reading finds by another way what it had before anything was
taken out can be answered after all, and is left out. Graphs of DIR are for measuring only.
"""

from __future__ import annotations

import argparse
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

import holes

from arcaneqa.answer.answer import Answer
from arcaneqa.answer.arcaneqa import ArcaneQA
from arcaneqa.kb.build import build_index
from arcaneqa.kb.interface import KnowledgeBase
from arcaneqa.kb.open import open_kb
from arcaneqa.kb.short_names import Names
from arcaneqa.lab.datasets import spider
from arcaneqa.lab.datasets.convert import Converter, read_drafts
from arcaneqa.lab.evaluation.metrics import overlap
from arcaneqa.language.run import answer_terms, execute
from arcaneqa.language.text import parse
from arcaneqa.record import Outcome, Question
from arcaneqa.support.errors import ArcaneError
from arcaneqa.support.files import read_lines, replacing
from arcaneqa.support.harmless import json_text

SURE = 0.9
BARS = "at least 75% refused, at most 3 points of F1 lost"


@dataclass(frozen=True)
class Asked:
    """`given` is the F1 of what was answered, `best` that of the best reading, shown or not. `is_filled`:
    the best reading finds what the question had before something was taken out, by another way."""

    hole: str | None
    given: float
    best: float
    confidence: float
    is_refused: bool
    is_filled: bool = False


def graphs_of_spider(data: Path, work: Path, seed: int) -> Iterator[Path]:
    source = data / "spider"
    for name, database in spider.databases(source).items():
        if database.split == "dev":
            graph, out = source / "kb" / f"{name}.nt.gz", work / "spider" / name
            if not (out / "questions.jsonl").exists():
                with whole(graph, out) as kb:
                    save(out, Converter(Names(kb.profile), kb).records(spider.read(source, name, kb)))
                print(holes.make(graph, out / "records.jsonl", out, seed=seed), flush=True)
            yield out


def graph_of_grailqa(data: Path, work: Path, seed: int) -> Iterator[Path]:
    graph, out, ontology = data / "grailqa" / "kb.nt.gz", work / "grailqa", data / "freebase-fragment"
    if not (out / "questions.jsonl").exists():
        with whole(graph, out, ontology) as kb:
            drafts = read_drafts("grailqa", data / "grailqa" / "dev.json.gz", kb.profile, kb)
            save(out, Converter(Names(kb.profile), kb).records(drafts))
        print(holes.make(graph, out / "records.jsonl", out, seed=seed, ontology=ontology), flush=True)
    yield out


def whole(graph: Path, out: Path, ontology: Path | None = None) -> KnowledgeBase:
    if not (out / "whole").is_dir():
        out.mkdir(parents=True, exist_ok=True)
        build_index([graph], out / "whole", ontology=ontology)
    return open_kb(out / "whole")


def save(out: Path, records: Iterable[Question], name: str = "records.jsonl") -> None:
    with replacing(out / name) as target:
        target.writelines(json_text(record.to_json()) + "\n" for record in records)


def asked(qa: ArcaneQA, folder: Path) -> Iterator[Asked]:
    lines = [line for _, line in read_lines(folder / "questions.jsonl")]
    with open_kb(folder / "index") as kb:
        here = qa.over(kb)
        answers = here.ask_many(Question.from_json(line) for line in lines)
        for line, answer in zip(lines, answers, strict=True):
            gold, had = (frozenset(map(number, line[key])) for key in ("answers", "had"))
            read = found(here, answer)
            best, refused = overlap(gold, read).f1, answer.outcome is not Outcome.ANSWER
            given, filled = 0.0 if refused else best, read == had and line["hole"] is not None
            yield Asked(line["hole"], given, best, answer.confidence or 0.0, refused, filled)


def found(qa: ArcaneQA, answer: Answer) -> frozenset[str]:
    """The answers of the best reading, also where it was refused."""
    try:
        program = parse(answer.program or answer.readings[0].program, qa.names, qa.kb.schema)
        return frozenset(map(number, answer_terms(execute(program, qa.kb), qa.kb)))
    except (ArcaneError, IndexError):
        return frozenset()


def number(text: str) -> str:
    """Numbers to six digits, whatever their spelling."""
    try:
        return f"{float(text):.6g}"
    except ValueError:
        return text


def told(name: str, rows: list[Asked]) -> Iterator[str]:
    kept = [row for row in rows if row.hole is None]
    given, best = (
        100 * sum(scores) / max(len(kept), 1)
        for scores in ((row.given for row in kept), (row.best for row in kept))
    )
    filled = [row for row in rows if row.is_filled]
    rows = [row for row in rows if not row.is_filled]
    lost = [row for row in rows if row.hole is not None]
    yield f"{name} ({BARS}):"
    yield f"  {len(filled)} lost something and get the same answer another way: left out"
    yield f"  {len(lost)} without an answer: {share(row.is_refused for row in lost)} refused"
    yield f"  {len(kept)} with one: F1 {given:.1f}, {best:.1f} without refusals, {best - given:.1f} lost"
    by_kind: dict[str, list[bool]] = defaultdict(list)
    for row in lost:
        by_kind[row.hole or ""].append(row.is_refused)
    for kind, refused in sorted(by_kind.items()):
        yield f"    {len(refused)} without their {kind}: {share(refused)} refused"
    sure = [row.given == 1 for row in rows if row.confidence >= SURE and not row.is_refused]
    right = sum(row.given == 1 for row in rows)
    part = sum(sure) / max(right, 1)
    yield f"  {len(sure)} answers at {SURE} and more: {share(sure)} right, {part:.0%} of all right answers"


def share(of: Iterable[bool]) -> str:
    every = list(of)
    return f"{sum(every) / max(len(every), 1):.0%}"


MAKERS = {"grailqa": graph_of_grailqa, "spider": graphs_of_spider}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("data", type=Path)
    parser.add_argument("--work", type=Path, required=True, help="folder for graphs with holes; kept")
    parser.add_argument("--model", type=Path, help="checkpoint folder; the bundled one if left out")
    parser.add_argument("--only", choices=MAKERS, help="one of the two")
    parser.add_argument("--seed", type=int, default=1, help="of what is taken out")
    given = parser.parse_args()
    qa = ArcaneQA.load(None, given.model)
    work = given.work / f"seed-{given.seed}"
    for name in [given.only] if given.only else MAKERS:
        rows = [row for folder in MAKERS[name](given.data, work, given.seed) for row in asked(qa, folder)]
        print("\n".join(told(name, rows)), flush=True)


if __name__ == "__main__":
    main()
