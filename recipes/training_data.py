"""Training data of people's questions over many schemas: from the public sources to compact prepared sets.

    python recipes/training_data.py DATA --work FOLDER --stage index      (Spider's graphs)
    python recipes/training_data.py DATA --work FOLDER --stage convert    (Spider's questions as records)
    python recipes/training_data.py DATA --work FOLDER --stage wikisql    (graphs and records of tables)
    python recipes/training_data.py DATA --work FOLDER --stage synth      (made-up questions)
    python recipes/training_data.py DATA --work FOLDER --stage prepare    (every decision, once)
    python recipes/training_data.py DATA --work FOLDER --stage join       (FOLDER/sets: what training reads)

DATA holds spider/, spider-syn/ (the same questions as people rewrote them with synonyms) and wikisql/.
Without --stage all of them run. Each leaves its results under FOLDER, a file or folder for each graph, and
makes only what is not there: a stopped stage goes on where it was. Of Spider only the databases of its
training part are read; `--only NAME` takes some of them, for a rehearsal. With `--model FOLDER --model
FOLDER` those two search for the readings of people's questions once more, each in one of its wordings: the
first in the databases of fold 0 and the second in those of fold 1. Trained without them, they find there what
they would find on a stranger's graph, and miss what they would miss. Every eighth database is kept out of
what is joined, in a set of its own: it chooses the checkpoint and fits confidence.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace
from functools import partial
from multiprocessing import get_context
from pathlib import Path
from typing import Any
from zlib import crc32

import wikisql

from arcaneqa.induction.learned import Learned
from arcaneqa.kb.build import build_index
from arcaneqa.kb.interface import KnowledgeBase
from arcaneqa.kb.open import open_kb
from arcaneqa.kb.short_names import Names
from arcaneqa.lab.datasets import spider
from arcaneqa.lab.datasets.convert import ConversionSummary, Converter
from arcaneqa.lab.datasets.draft import DraftQuestion
from arcaneqa.lab.datasets.sql.translate import mentions
from arcaneqa.lab.synthesis.synthesize import synthesize
from arcaneqa.lab.training.prepare import GOLD, LINKED, READINGS, Plan, prepare
from arcaneqa.lab.training.prepared import Builder, manifest_of, read, write
from arcaneqa.record import Question, read_questions
from arcaneqa.support.errors import ArcaneError
from arcaneqa.support.files import read_lines, replacing
from arcaneqa.support.harmless import json_text

PEOPLE = ("spider", "syn")
"""People's questions, and the same with synonyms."""
STAGES = ("index", "convert", "wikisql", "synth", "prepare", "join")
WAYS = {"steps": (GOLD, LINKED), "readings": (READINGS,), "found": (READINGS,)}
"""Sets of decisions and sets of whole programs are trained on apart, so they are kept apart. What a model has
found stands in "found"."""


@dataclass(frozen=True)
class Options:
    data: Path
    work: Path
    only: tuple[str, ...]
    synthetic: int
    questions: int
    workers: int
    models: tuple[Path, ...] = ()

    @property
    def databases(self) -> list[str]:
        """The training part; the others are for measuring, whatever is asked for."""
        known = spider.databases(self.data / "spider")
        names = [name for name, database in known.items() if database.split == "train"]
        return [name for name in names if not self.only or name in self.only]


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("data", type=Path, help="folder with spider/ and wikisql/")
    parser.add_argument("--work", type=Path, required=True, help="where all results go")
    parser.add_argument("--stage", choices=STAGES, action="append", help="only this one; all if left out")
    parser.add_argument("--only", metavar="NAME", action="append", default=[], help="only this database")
    parser.add_argument("--synthetic", type=int, default=150, help="made-up questions a graph")
    parser.add_argument("--questions", type=int, default=16_000, help="of WikiSQL, about")
    parser.add_argument("--workers", type=int, default=2, help="graphs at a time")
    parser.add_argument(
        "--model", type=Path, action="append", default=[], help="one that searches for readings in a fold"
    )
    parsed = parser.parse_args()
    options = Options(
        parsed.data,
        parsed.work,
        tuple(parsed.only),
        parsed.synthetic,
        parsed.questions,
        parsed.workers,
        tuple(parsed.model),
    )
    stages: dict[str, Callable[[Options], None]] = {
        "index": index,
        "convert": convert,
        "wikisql": tables,
        "synth": synth,
        "prepare": prepare_all,
        "join": join,
    }
    for stage in parsed.stage or STAGES:
        begun = time.monotonic()
        stages[stage](options)
        print(f"{stage}: {time.monotonic() - begun:.0f} s", flush=True)


# Stages ----------------------------------------------------------------------------------------------------


def index(options: Options) -> None:
    jobs = [
        (options.data / "spider" / "kb" / f"{name}.nt.gz", options.work / "kb" / name)
        for name in options.databases
    ]
    each(options, index_one, [job for job in jobs if not job[1].exists()])


def index_one(graph: Path, folder: Path) -> None:
    folder.parent.mkdir(parents=True, exist_ok=True)
    build_index([graph], folder)


def convert(options: Options) -> None:
    jobs = [
        (options.data, source, name, options.work / "kb" / name, records(options, source, name))
        for source in PEOPLE
        for name in options.databases
    ]
    each(options, convert_one, [job for job in jobs if not job[4].exists()])
    for source in PEOPLE:
        total: Counter[str] = Counter()
        for name in options.databases:
            told = json.loads(records(options, source, name).with_suffix(".json").read_text())
            total.update({"questions": told["questions"], "converted": told["converted"]})
            total.update({f"not: {reason}": count for reason, count in told["not_converted"].items()})
        for what, count in total.most_common():
            print(f"{count:7,} {source}: {what}")


def convert_one(data: Path, source: str, name: str, kb: Path, out: Path) -> None:
    summary = ConversionSummary()
    with open_kb(str(kb)) as opened:
        converter = Converter(Names(opened.profile), opened, summary)
        drafts = spider.read(data / "spider", name, opened)
        if source == "syn":
            drafts = rewritten(drafts, other_words(data / "spider-syn"), opened)
        save(out, converter.records(drafts))
    out.with_suffix(".json").write_text(json.dumps(summary.to_json()))


def other_words(folder: Path, split: str = "train") -> dict[str, str]:
    """By the id of a question, how people said it with synonyms."""
    lines = (item for _, item in read_lines(folder / "questions.jsonl.gz"))
    return {item["id"]: item["other_words"] for item in lines if item["split"] == split}


def rewritten(
    drafts: Iterable[DraftQuestion], words: Mapping[str, str], kb: KnowledgeBase
) -> Iterator[DraftQuestion]:
    """The questions that were rewritten, with what they name where they now name it."""
    for draft in drafts:
        if (other := words.get(draft.id)) is not None and draft.programs:
            yield replace(draft, question=other, mentions=mentions(draft.programs[0], other, kb))


def tables(options: Options) -> None:
    wikisql.run(options.data / "wikisql", options.work, options.questions)


def synth(options: Options) -> None:
    jobs = [
        (options.work / "kb" / name, records(options, "synth", name), options.synthetic)
        for name in options.databases
    ]
    each(options, synth_one, [job for job in jobs if not job[1].exists()])


def synth_one(kb: Path, out: Path, size: int) -> None:
    with open_kb(str(kb)) as opened:
        try:
            save(out, synthesize(opened, size, seed=crc32(kb.name.encode())))
        except ArcaneError as error:
            print(f"{kb.name}: {error}", file=sys.stderr)
            save(out, ())


def prepare_all(options: Options) -> None:
    jobs = []
    for source, name, path in sources(options):
        for way in WAYS:
            out = options.work / "prepared" / f"{source}-{way}" / name
            if way == "found" and (not options.models or source not in PEOPLE):
                continue
            if not out.exists() and path.stat().st_size:
                kb = options.work / "kb" / name
                model = options.models[fold(name)] if way == "found" else None
                data = path if model is None else searched(options, source, path)
                if data.stat().st_size:
                    jobs.append((data, kb, out, way, model))
    each(options, prepare_one, sorted(jobs, key=lambda job: (is_held(job[1].name), job[1].name)))
    told(options)


def searched(options: Options, source: str, path: Path) -> Path:
    """Half of the questions, each in one of its wordings: to search takes time."""
    out = records(options, f"{source}-searched", path.stem)
    place = PEOPLE.index(source)
    chosen = (one for one in read_questions(path) if crc32(one.id.encode()) % (2 * len(PEOPLE)) == place)
    save(out, chosen)
    return out


def prepare_one(data: Path, kb: Path, out: Path, way: str, model: Path | None) -> None:
    out.parent.mkdir(parents=True, exist_ok=True)
    prepare([data], str(kb), out, Plan(WAYS[way], model=None if model is None else str(model)), workers=1)


def told(options: Options) -> None:
    """How many programs can be built, and why the others cannot."""
    for folder in sorted((options.work / "prepared").iterdir()):
        total: Counter[str] = Counter()
        left: Counter[str] = Counter()
        for part in folder.iterdir():
            report = manifest_of(part)["report"]
            total.update({key: report[key] for key in ("questions", "examples", "without_program")})
            left.update(report["left_out"])
        print(f"{folder.name}: {dict(total)}")
        for reason, count in left.most_common(12):
            print(f"{count:7,} {reason}")


def join(options: Options) -> None:
    """A set for each source and fold: what graphs share is stored once."""
    for folder in sorted((options.work / "prepared").iterdir()):
        kept: dict[str, list[Path]] = {}
        for part in sorted(folder.iterdir()):
            kept.setdefault("held" if is_held(part.name) else str(fold(part.name)), []).append(part)
        for which, parts in kept.items():
            join_parts(parts, options.work / "sets" / f"{folder.name}-{which}")


def is_held(database: str) -> bool:
    return crc32(database.encode()) % 8 == 3


def fold(database: str) -> int:
    return crc32(database.encode()) // 8 % 2


def join_parts(parts: Sequence[Path], out: Path) -> None:
    """Sets of one plan as one, which knows what all their programs taught."""
    builder, learned, plans = Builder(), Learned(), []
    for part in parts:
        builder.absorb(read(part))
        report = manifest_of(part)["report"]
        learned |= Learned.from_json(report["learned"])
        plans.append(report["plan"])
    out.parent.mkdir(parents=True, exist_ok=True)
    about = {"sources": [part.name for part in parts], "plan": plans[0]}
    write(builder.build(), out, about | {"learned": learned.to_json()})
    size = sum(file.stat().st_size for file in out.iterdir())
    print(f"{out}: {len(parts)} graphs, {size / 1e6:.1f} MB")


# Small things -------------------------------------------------------------------------------------------


def each(options: Options, work: Callable[..., None], jobs: Iterable[tuple[Any, ...]]) -> None:
    """Every job in one of the processes; the first that fails stops the stage."""
    with ProcessPoolExecutor(options.workers, get_context("spawn")) as pool:
        for _ in pool.map(partial(_star, work), jobs):
            pass


def _star(work: Callable[..., None], job: tuple[Any, ...]) -> None:
    work(*job)


def records(options: Options, source: str, name: str) -> Path:
    folder = options.work / "records" / source
    folder.mkdir(parents=True, exist_ok=True)
    return folder / f"{name}.jsonl"


def sources(options: Options) -> Iterator[tuple[str, str, Path]]:
    """Source, name of the graph and file of every set of records."""
    for source in (*PEOPLE, "synth"):
        for name in options.databases:
            if (path := records(options, source, name)).exists():
                yield source, name, path
    for path in sorted((options.work / "records" / "wikisql").glob("*.jsonl")):
        yield "wikisql", path.stem, path


def save(out: Path, found: Iterable[Question]) -> None:
    with replacing(out) as file:
        for record in found:
            file.write(json_text(record.to_json()) + "\n")


if __name__ == "__main__":
    main()
