"""WikiSQL's questions as records over graphs: tables become facts in three habits, some 150 to an index.

    python recipes/wikisql.py DATA --work FOLDER [--questions 16000]

DATA holds tables.jsonl.gz and questions.jsonl.gz. Leaves FOLDER/kb/NAME (an index) and
FOLDER/records/wikisql/NAME.jsonl for each group of tables; groups that are there already are not made again.
A question is kept only where its program finds the recorded answer and it names every value of its query.
"""

from __future__ import annotations

import argparse
import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime
from pathlib import Path
from typing import Any
from zlib import crc32

import pyoxigraph as ox
import sqlglot
from sqlglot import exp

from arcaneqa.kb.build import build_index
from arcaneqa.kb.open import open_kb
from arcaneqa.kb.short_names import Names
from arcaneqa.lab.datasets.convert import Converter
from arcaneqa.lab.datasets.draft import DraftQuestion
from arcaneqa.lab.datasets.sql.mapping import Cell, Grapher, RawColumn, RawTable, Style
from arcaneqa.lab.datasets.sql.table_facts import TableFacts
from arcaneqa.lab.datasets.sql.translate import Recorded, mentions, program_of
from arcaneqa.lab.datasets.sql.variables import Unsayable
from arcaneqa.language.expression import Count, Entity
from arcaneqa.support.files import read_lines, replacing
from arcaneqa.support.harmless import json_text

TABLES_IN_AN_INDEX = 150
BASE = "http://example.org/wikisql/"
_DATES = ("%B %d , %Y", "%d %B %Y", "%B %d %Y")
_WORDY = re.compile(r"[a-z]{2,}")
_NO_NAME = re.compile(
    r"date|score|record|time|result|attendance|points|rank|year|season|high|note|aired|loss"
)
_STIFF = re.compile(r"\b(has|have|with|had) an? [\w /().#-]+ (of|that is)\b")
# The query calculates, and the question does not ask for it: WikiSQL's known noise.
_ASKED_BY = {
    exp.Count: r"how many|number of|count|total|amount",
    exp.Sum: r"total|sum|combined|how many|how much|altogether|amount",
    exp.Avg: r"average|mean",
    exp.Max: r"max|highest|most|largest|latest|greatest|biggest|longest|top|last|best|newest|high|more",
    exp.Min: r"min|lowest|fewest|smallest|earliest|least|shortest|first|oldest|low|youngest",
}


@dataclass(frozen=True, slots=True)
class Group:
    """Tables of one habit that share an index."""

    name: str
    style: Style
    tables: list[Any] = field(default_factory=list)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("data", type=Path, help="folder with tables.jsonl.gz and questions.jsonl.gz")
    parser.add_argument("--work", type=Path, required=True, help="where indexes and records go")
    parser.add_argument("--questions", type=int, default=16_000, help="stop after about so many")
    options = parser.parse_args()
    run(options.data, options.work, options.questions)


def run(data: Path, work: Path, most: int) -> None:
    """Make groups until there are about so many questions."""
    questions: dict[str, list[Any]] = defaultdict(list)
    for _, item in read_lines(data / "questions.jsonl.gz"):
        questions[item["table_id"]].append(item)
    kept = 0
    for group in groups([table for _, table in read_lines(data / "tables.jsonl.gz")], questions):
        if kept >= most:
            break
        records = work / "records" / "wikisql" / f"{group.name}.jsonl"
        if not records.exists():
            made = make(group, questions, work / "kb" / group.name, records)
            print(group.name, dict(made.most_common()), flush=True)
        kept += sum(1 for _ in read_lines(records))
    print(f"{kept:,} questions")


def groups(tables: Sequence[Any], questions: dict[str, list[Any]]) -> Iterator[Group]:
    """Tables with telling headers and several questions, by habit and in an order that the id decides."""
    good = [table for table in tables if is_telling(table) and len(questions[table["table_id"]]) > 1]
    good.sort(key=lambda table: crc32(f"order {table['table_id']}".encode()))
    by_style: dict[Style, list[Any]] = {style: [] for style in Style}
    for table in good:
        by_style[style_of(table["table_id"])].append(table)
    number = 0
    while any(by_style.values()):
        for style, waiting in by_style.items():
            if waiting:
                chosen = waiting[:TABLES_IN_AN_INDEX]
                by_style[style] = waiting[TABLES_IN_AN_INDEX:]
                yield Group(f"wikisql-{number:02}", style, chosen)
                number += 1


def style_of(table: str) -> Style:
    return list(Style)[crc32(table.encode()) % len(Style)]


def is_telling(table: Any) -> bool:
    header = [name.strip().lower() for name in table["header"]]
    return len(set(header)) == len(header) and all(_WORDY.search(name) and len(name) <= 40 for name in header)


# One group -------------------------------------------------------------------------------------------------


def make(group: Group, questions: dict[str, list[Any]], kb: Path, records: Path) -> Counter[str]:
    sources = [Source(table, group.style) for table in group.tables]
    kb.parent.mkdir(parents=True, exist_ok=True)
    records.parent.mkdir(parents=True, exist_ok=True)
    graph = kb.with_suffix(".nt")
    facts = (fact for source in sources for fact in source.grapher.facts())
    ox.serialize(facts, str(graph), format=ox.RdfFormat.N_TRIPLES)
    build_index([graph], kb)
    graph.unlink()
    found: Counter[str] = Counter()
    with open_kb(str(kb)) as opened, replacing(records) as file:
        converter = Converter(Names(opened.profile), opened)
        for source in sources:
            known = TableFacts(source.grapher.database(), opened)
            told = (draft_of(item, source, known, found) for item in questions[source.id])
            for record in converter.records(draft for draft in told if draft is not None):
                file.write(json_text(record.to_json()) + "\n")
    return found


class Source:
    """One table as a graph."""

    def __init__(self, table: Any, style: Style) -> None:
        self.id: str = table["table_id"]
        header = [" ".join(name.split()) for name in table["header"]]
        columns = list(zip(*table["rows"], strict=True))
        self._dated = {name for name, cells in zip(header, columns, strict=True) if is_dates(cells)}
        rows = [
            [tidy(cell, name in self._dated) for name, cell in zip(header, row, strict=True)]
            for row in table["rows"]
        ]
        label = name_column(header, columns, self._dated)
        title = table["title"] if crc32(f"title {self.id}".encode()) % 2 else None
        called = tidy_text(title or label or "row")
        raw = RawTable(
            "t", called, [RawColumn(name, called=tidy_text(name)) for name in header], rows, label=label
        )
        nodes = style is Style.LABELLED or crc32(f"nodes {self.id}".encode()) % 2 == 0
        self.grapher = Grapher(self.id, [raw], style, f"{BASE}{self.id}/", nodes)

    def written(self, column: str, text: str) -> str:
        """What the query writes for a cell, as the graph has it."""
        return str(tidy(text, " ".join(column.split()) in self._dated))


def name_column(header: Sequence[str], columns: Sequence[Sequence[Cell]], dated: set[str]) -> str | None:
    """The first text that is different in every row, filled everywhere and short enough to be a name."""
    for name, cells in zip(header, columns, strict=True):
        texts = {cell for cell in cells if isinstance(cell, str) and _WORDY.search(cell) and len(cell) <= 60}
        if name not in dated and len(texts) == len(cells) and not _NO_NAME.search(name):
            return name
    return None


def is_dates(cells: Sequence[Cell]) -> bool:
    filled = [cell for cell in cells if cell is not None]
    return bool(filled) and all(isinstance(cell, str) and day(cell) for cell in filled)


def day(text: str) -> date | None:
    for form in _DATES:
        try:
            return datetime.strptime(" ".join(text.split()), form).date()
        except ValueError:
            continue
    return None


def tidy(cell: Cell, is_date: bool) -> Cell:
    if isinstance(cell, str):
        return (day(cell) if is_date else None) or tidy_text(cell)
    return int(cell) if isinstance(cell, float) and cell.is_integer() else cell


def tidy_text(text: str) -> str:
    """Without the blanks that a tokeniser put around marks."""
    joined = re.sub(r"\s+([,.;:!?)\]%'])", r"\1", " ".join(text.split()))
    joined = re.sub(r"([(\[$#])\s+", r"\1", joined)
    return re.sub(r"(?<=\w)\s+([-/])\s+(?=\w)", r"\1", joined)


def draft_of(item: Any, source: Source, facts: TableFacts, found: Counter[str]) -> DraftQuestion | None:
    """A question that is worth learning from; anything else is counted under its reason."""
    query = sqlglot.parse_one(item["sql"], read="sqlite")
    for kind, words in _ASKED_BY.items():
        if query.find(kind) and not re.search(words, item["question"].lower()):
            found["calculates what the question does not ask for"] += 1
            return None
    if _STIFF.search(item["question"]) and crc32(item["id"].encode()) % 4:
        found["reads stiffly, like three quarters of its kind"] += 1
        return None
    for literal in query.find_all(exp.Literal):
        column = literal.parent.this if isinstance(literal.parent, exp.Binary) else None
        if literal.is_string and isinstance(column, exp.Column):
            literal.set("this", source.written(column.name, str(literal.this)))
    shown = query.find(exp.Column)
    answers = [source.written(shown.name if shown else "", str(answer)) for answer in item["answers"]]
    try:
        program = program_of(query.sql("sqlite"), Recorded(answers, answers), facts)
    except Unsayable as reason:
        found[str(reason)] += 1
        return None
    located = mentions(program, item["question"], facts.kb)
    if any(mention.start is None for mention in located):
        found["does not name a value of its query"] += 1
        return None
    if isinstance(program, Count) and isinstance(program.argument, Entity):
        found["counts a single thing"] += 1
        return None
    found["kept"] += 1
    return DraftQuestion(item["id"], item["question"], (program,), mentions=located)


if __name__ == "__main__":
    main()
