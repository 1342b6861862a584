"""Graphs to fit confidence on, none of which the bundled model has seen.

    python recipes/calibration_graphs.py DATA --out DIR

DATA holds spider/, wikisql/, wikitablequestions/, grailqa/ and freebase-fragment/. Leaves a folder for each
graph in DIR, for `recipes/calibrate.py MODEL DIR/* demo/questions.jsonl= …`: Spider's databases that training
keeps out (a quarter of whose questions lose what they need, `recipes/holes.py`), the last groups of WikiSQL's
tables, tables of WikiTableQuestions that training never came to, each a file of its own as somebody would
bring it, and GrailQA's dev part. What is there already is not made again.
"""

from __future__ import annotations

import argparse
import shutil
from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import holes
import wikisql
import wikitablequestions
from refused import save, whole
from training_data import is_held

from arcaneqa.kb.build import build_index
from arcaneqa.kb.open import open_kb
from arcaneqa.kb.short_names import Names
from arcaneqa.lab.datasets import spider
from arcaneqa.lab.datasets.convert import Converter, read_drafts
from arcaneqa.record import Question
from arcaneqa.support.errors import ArcaneError
from arcaneqa.support.files import read_lines

TABLES = slice(40, 54)
"""Groups of WikiTableQuestions: behind those that training came to, before those of `recipes/away.py`."""
EACH = 3
"""Of a table's questions."""


def from_spider(data: Path, out: Path) -> None:
    for name, database in spider.databases(data).items():
        folder = out / f"spider-{name}"
        if database.split != "dev" and is_held(name) and not (folder / "questions.jsonl").exists():
            graph = data / "kb" / f"{name}.nt.gz"
            with whole(graph, folder) as kb:
                save(folder, Converter(Names(kb.profile), kb).records(spider.read(data, name, kb)))
            print(holes.make(graph, folder / "records.jsonl", folder), flush=True)


def from_wikisql(data: Path, out: Path, most: int) -> None:
    questions: dict[str, list[Any]] = defaultdict(list)
    for _, item in read_lines(data / "questions.jsonl.gz"):
        questions[item["table_id"]].append(item)
    tables = [table for _, table in read_lines(data / "tables.jsonl.gz")]
    for group in list(wikisql.groups(tables, questions))[-most:]:
        folder = out / group.name
        if not (folder / "questions.jsonl").exists():
            shutil.rmtree(folder, ignore_errors=True)
            wikisql.make(group, questions, folder / "index", folder / "questions.jsonl")
            print(folder, flush=True)


def from_wikitablequestions(data: Path, out: Path) -> None:
    """A folder of tables for each group; records have the names of answers, for nobody gave more."""
    questions = wikitablequestions.by_table(data)
    for group, tables in list(wikitablequestions.groups(data))[TABLES]:
        for table in tables:
            folder = out / group / table["table_id"]
            if not (folder / "questions.jsonl").exists():
                shutil.rmtree(folder, ignore_errors=True)
                folder.mkdir(parents=True)
                try:
                    build_index([wikitablequestions.written(table, folder)], folder / "index")
                except ArcaneError as error:
                    print(f"{folder} is left out: {error}", flush=True)
                    continue
                save(folder, asked_of(questions[table["table_id"]][:EACH]), "questions.jsonl")
        print(out / group, flush=True)


def asked_of(items: Iterable[Any]) -> Iterable[Question]:
    return (Question(item["id"], item["question"], answers=tuple(item["answers"])) for item in items)


def from_grailqa(data: Path, out: Path) -> None:
    folder = out / "grailqa"
    if not (folder / "questions.jsonl").exists():
        build_index([data / "grailqa" / "kb.nt.gz"], folder / "index", ontology=data / "freebase-fragment")
        with open_kb(folder / "index") as kb:
            drafts = read_drafts("grailqa", data / "grailqa" / "dev.json.gz", kb.profile, kb)
            save(folder, Converter(Names(kb.profile), kb).records(drafts), "questions.jsonl")
        print(folder, flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("data", type=Path)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--wikisql", type=int, default=6, help="how many groups of tables")
    given = parser.parse_args()
    given.out.mkdir(parents=True, exist_ok=True)
    from_spider(given.data / "spider", given.out)
    from_wikisql(given.data / "wikisql", given.out, given.wikisql)
    from_wikitablequestions(given.data / "wikitablequestions", given.out)
    from_grailqa(given.data, given.out)


if __name__ == "__main__":
    main()
