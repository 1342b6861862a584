"""Program, outcome, confidence and answers of every question set at hand, written down and compared.

    python -m benchmarks.golden DATA --out FILE.jsonl                     (make golden)
    python -m benchmarks.golden DATA --out NEW.jsonl --against OLD.jsonl

A change that should not alter behaviour leaves every line as it was; the comparison lists what did change.
DATA holds spider/, wild/, grailqa/, lcquad/, webqsp/, freebase-fragment/ and wikitablequestions/; sets that
are missing there are left out. Indexes are kept under --work. Takes some ten minutes on two cores.
"""

from __future__ import annotations

import argparse
import csv
import gzip
import json
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from zlib import crc32

from arcaneqa import ArcaneQA
from arcaneqa.record import Question

DEMO = Path(__file__).parents[1] / "demo" / "questions.jsonl"
TABLES = 24
"""Of WikiTableQuestions, each a knowledge base of its own."""


@dataclass(frozen=True)
class QuestionSet:
    name: str
    source: Path | None
    questions: tuple[Question, ...]
    profile: str | None = None


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("data", type=Path)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--against", type=Path)
    parser.add_argument("--work", type=Path, default=Path(".cache/golden"))
    parser.add_argument("--only", nargs="*", help="prefixes of set names")
    given = parser.parse_args()
    given.out.parent.mkdir(parents=True, exist_ok=True)
    with given.out.open("w", encoding="utf-8") as file:
        for one in question_sets(given.data, given.work):
            if given.only is not None and not one.name.startswith(tuple(given.only)):
                continue
            kb = None if one.source is None else index(one, given.work, given.data)
            for question, line in zip(one.questions, answers(ArcaneQA.load(kb), one), strict=True):
                file.write(json.dumps({"set": one.name, "id": question.id, **line}, sort_keys=True) + "\n")
            print(f"{one.name}: {len(one.questions)}", file=sys.stderr, flush=True)
    if given.against is not None:
        sys.exit(compare(read_lines(given.against), read_lines(given.out)))


def answers(model: ArcaneQA, one: QuestionSet) -> Iterator[dict[str, Any]]:
    for answer in model.ask_many(one.questions):
        prediction = answer.to_prediction("").to_json()
        yield {
            "program": prediction["program"],
            "outcome": prediction.get("outcome", "answer" if prediction["answers"] else "refuse"),
            "confidence": prediction["confidence"] and round(prediction["confidence"], 6),
            "answers": crc32(json.dumps(prediction["answers"], sort_keys=True).encode()),
        }


def compare(before: list[dict[str, Any]], after: list[dict[str, Any]]) -> int:
    """Print how many lines of each set differ and in what; 0 if none does."""
    old = {(line["set"], line["id"]): line for line in before}
    differing: Counter[tuple[str, str]] = Counter()
    for line in after:
        was = old.get((line["set"], line["id"]), {})
        for key in ("program", "outcome", "confidence", "answers"):
            if was.get(key) != line[key]:
                differing[line["set"], key] += 1
                print(f"{line['set']} {line['id']}: {key} {was.get(key)} -> {line[key]}")
    for (name, key), count in sorted(differing.items()):
        print(f"{name:20} {key:10} {count:5} differ")
    print(f"{len(after)} questions, {sum(differing.values())} differences")
    return 1 if differing else 0


def question_sets(data: Path, work: Path) -> Iterator[QuestionSet]:
    yield QuestionSet("demo", None, asked(read_lines(DEMO)))
    for folder in sorted((data / "wild").glob("*/")):
        (source,) = folder.glob("kb.*")
        yield QuestionSet(f"wild-{folder.name}", source, asked(read_lines(folder / "questions.jsonl")))
    if (spider := data / "spider").is_dir():
        dev = [line for line in read_lines(spider / "questions.jsonl.gz") if line["split"] == "dev"]
        for name in sorted({line["db"] for line in dev}):
            of_this = [line for line in dev if line["db"] == name]
            yield QuestionSet(f"spider-{name}", spider / "kb" / f"{name}.nt.gz", asked(of_this))
    if (lcquad := data / "lcquad").is_dir():
        yield QuestionSet("lcquad", lcquad / "kb.nt.gz", asked(read_lines(lcquad / "dev.jsonl.gz")), "rdf")
    if (grailqa := data / "grailqa").is_dir():
        with gzip.open(grailqa / "dev.json.gz", "rt", encoding="utf-8") as file:
            lines = [{"id": one["qid"], "question": one["question"]} for one in json.load(file)]
        yield QuestionSet("grailqa", grailqa / "kb.nt.gz", asked(lines), "freebase")
    if (webqsp := data / "webqsp").is_dir():
        lines = read_lines(webqsp / "executable-train.jsonl.gz")
        tenth = [line for line in lines if crc32(str(line["id"]).encode()) % 10 == 0]
        fragment = data / "freebase-fragment" / "freebase-fragment.nt.gz"
        yield QuestionSet("webqsp", fragment, asked(tenth, excluding=True), "freebase")
    if (tables := data / "wikitablequestions").is_dir():
        yield from table_sets(tables, work)


def table_sets(data: Path, work: Path) -> Iterator[QuestionSet]:
    """The tables whose hash comes first, as files that somebody brought."""
    tables = sorted(read_lines(data / "tables.jsonl.gz"), key=lambda line: crc32(line["table_id"].encode()))
    questions = read_lines(data / "questions.jsonl.gz")
    for table in tables[:TABLES]:
        source = work / "tables" / f"{table['table_id']}.csv"
        source.parent.mkdir(parents=True, exist_ok=True)
        with source.open("w", encoding="utf-8", newline="") as file:
            csv.writer(file).writerows([table["header"], *table["rows"]])
        of_this = [line for line in questions if line["table_id"] == table["table_id"]]
        yield QuestionSet(f"table-{table['table_id']}", source, asked(of_this))


def asked(lines: list[dict[str, Any]], excluding: bool = False) -> tuple[Question, ...]:
    return tuple(
        Question(id=str(line.get("id", number)), question=line["question"], exclude_mentioned=excluding)
        for number, line in enumerate(lines)
    )


def index(one: QuestionSet, work: Path, data: Path) -> Path:
    assert one.source is not None
    folder = work / "kb" / one.name
    if not folder.exists():
        folder.parent.mkdir(parents=True, exist_ok=True)
        options = [] if one.profile is None else ["--profile", one.profile]
        if one.profile == "freebase":
            options += ["--ontology", str(data / "freebase-fragment")]
        command = [str(Path(sys.executable).with_name("arcaneqa")), "index", str(one.source), *options]
        subprocess.run([*command, "--out", str(folder)], check=True, stdout=subprocess.DEVNULL)
    return folder


def read_lines(path: Path) -> list[dict[str, Any]]:
    data = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
    return [json.loads(line) for line in data.decode().splitlines() if line.strip()]


if __name__ == "__main__":
    main()
