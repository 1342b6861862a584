"""Graphs to fit confidence on: Spider's training databases with holes, and the last of WikiSQL's tables.

    python recipes/calibration_graphs.py DATA --records DIR --out DIR [--spider 60] [--wikisql 12]

DATA holds spider/ and wikisql/; `--records` the converted questions of Spider, a file for each database
(`recipes/training_data.py --stage convert` leaves them in FOLDER/records/spider). Leaves a folder for each
graph, as `recipes/holes.py` makes them, for `recipes/calibrate.py MODEL OUT/* …`. The last groups of
WikiSQL's tables are those that training never comes to; what a model was trained on flatters it.
"""

from __future__ import annotations

import argparse
import shutil
from collections import defaultdict
from pathlib import Path
from typing import Any
from zlib import crc32

import holes
import wikisql

from arcaneqa.errors import ArcaneError
from arcaneqa.files import read_lines


def from_spider(data: Path, records: Path, out: Path, most: int) -> None:
    """Small databases first: what matters is how many there are."""
    sizes = {path: (data / "kb" / f"{path.stem}.nt.gz").stat().st_size for path in records.glob("*.jsonl")}
    small = sorted(sizes, key=lambda path: sizes[path])[: 2 * most]
    for path in sorted(small, key=lambda path: crc32(path.stem.encode()))[:most]:
        if not (out / path.stem / "questions.jsonl").exists():
            try:
                print(
                    holes.make(data / "kb" / f"{path.stem}.nt.gz", path, out / path.stem, 0.25, 1), flush=True
                )
            except ArcaneError as error:
                print(f"{path.stem} is left out: {error}", flush=True)


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


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("data", type=Path)
    parser.add_argument("--records", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--spider", type=int, default=60, help="how many databases")
    parser.add_argument("--wikisql", type=int, default=12, help="how many groups of tables")
    given = parser.parse_args()
    given.out.mkdir(parents=True, exist_ok=True)
    from_spider(given.data / "spider", given.records, given.out, given.spider)
    from_wikisql(given.data / "wikisql", given.out, given.wikisql)


if __name__ == "__main__":
    main()
