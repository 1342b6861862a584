"""Graphs to fit the verdict on, none of which the bundled model has seen.

    python recipes/calibration_graphs.py DATA --out DIR

DATA holds spider/, spider-syn/, wikisql/, wikitablequestions/, grailqa/, freebase-fragment/, lcquad/ and
overnight/. Leaves a folder for each graph in DIR, for `recipes/calibrate.py`: Spider's databases that
training keeps out, whole and with three draws of holes (`recipes/holes.py`), asked in the data's words and in
people's synonyms; the last groups of WikiSQL's tables; tables of WikiTableQuestions that training never came
to, each a file of its own as somebody would bring it; the dev parts of GrailQA and of LC-QuAD, this one with
holes as well; Overnight's worlds; and the demonstration's own questions, with holes as well. What is there
already is not made again.

Each folder holds indexes and `asked.jsonl`: `question`, `answers` by name (and `answer_ids`), `kb` (the index
that is asked), and `lost` where a hole took the answer, which then is what the question had.
"""

from __future__ import annotations

import argparse
import json
import shutil
from collections import defaultdict
from collections.abc import Iterable, Iterator
from importlib.resources import files
from pathlib import Path
from typing import Any
from zlib import crc32

import holes
import wikisql
import wikitablequestions
from pyoxigraph import RdfFormat, parse, serialize
from refused import save, whole
from training_data import is_held
from zstandard import ZstdDecompressor

from arcaneqa.kb.build import build_index
from arcaneqa.kb.open import open_kb
from arcaneqa.kb.short_names import Names
from arcaneqa.lab.datasets import spider
from arcaneqa.lab.datasets.convert import Converter, read_drafts
from arcaneqa.support.errors import ArcaneError
from arcaneqa.support.files import read_lines, replacing

TABLES = slice(40, 54)
"""Groups of WikiTableQuestions: behind those that training came to, before those of `recipes/away.py`."""
EACH = 3
"""Of a table's questions."""
WORLD = 80
"""Of the questions of one of Overnight's worlds."""
DRAWS = (1, 2, 3)
"""Seeds of what is taken out of a graph."""
Line = dict[str, Any]


def write(folder: Path, lines: Iterable[Line]) -> None:
    with replacing(folder / "asked.jsonl") as target:
        target.writelines(json.dumps(line, ensure_ascii=False) + "\n" for line in lines)
    print(folder, flush=True)


def line(identifier: str, question: str, answers: Iterable[str], kb: str = "index", **more: Any) -> Line:
    return {"id": identifier, "question": question, "answers": list(answers), "kb": kb} | more


def with_holes(graph: Path, records: Path, folder: Path, draws: Iterable[int]) -> Iterator[Line]:
    """Questions that lost their answer, each with what it had."""
    for draw in draws:
        out = folder / f"draw-{draw}"
        if not (out / "questions.jsonl").exists():
            out.mkdir(parents=True, exist_ok=True)
            if not (out / "whole").exists():
                (out / "whole").symlink_to(folder / "whole")
            print(holes.make(graph, records, out, seed=draw), flush=True)
        for _, one in read_lines(out / "questions.jsonl"):
            if one["hole"] is not None:
                kb = f"draw-{draw}/index"
                yield line(f"{one['id']}-lost-{draw}", one["question"], one["had"], kb, lost=one["hole"])


def from_spider(data: Path, out: Path) -> None:
    asked: dict[str, list[Line]] = defaultdict(list)
    for _, one in read_lines(data / "spider" / "questions.jsonl.gz"):
        asked[one["db"]].append(one)
    others = {
        one["id"]: one["other_words"] for _, one in read_lines(data / "spider-syn" / "questions.jsonl.gz")
    }
    for name, database in spider.databases(data / "spider").items():
        folder = out / f"spider-{name}"
        if database.split == "dev" or not is_held(name) or (folder / "asked.jsonl").exists():
            continue
        graph = data / "spider" / "kb" / f"{name}.nt.gz"
        with whole(graph, folder) as kb:
            save(folder, Converter(Names(kb.profile), kb).records(spider.read(data / "spider", name, kb)))
        lines = [
            line(one["id"], one["question"], one["answers"], "whole", answer_ids=one["answer_ids"])
            for one in asked[name]
            if not one.get("doubtful")
        ]
        lines += with_holes(graph, folder / "records.jsonl", folder, DRAWS)
        synonyms = [
            one | {"id": f"{one['id']}-synonyms", "question": others[one["id"].partition("-lost")[0]]}
            for one in lines
            if one["id"].partition("-lost")[0] in others
        ]
        write(folder, [*lines, *synonyms])


def from_wikisql(data: Path, out: Path, most: int) -> None:
    questions: dict[str, list[Any]] = defaultdict(list)
    for _, item in read_lines(data / "questions.jsonl.gz"):
        questions[item["table_id"]].append(item)
    tables = [table for _, table in read_lines(data / "tables.jsonl.gz")]
    for group in list(wikisql.groups(tables, questions))[-most:]:
        folder = out / group.name
        if not (folder / "asked.jsonl").exists():
            shutil.rmtree(folder, ignore_errors=True)
            wikisql.make(group, questions, folder / "index", folder / "questions.jsonl")
            known = (one for _, one in read_lines(folder / "questions.jsonl") if one["answers"])
            write(folder, (line(one["id"], one["question"], one["answers"]) for one in known))


def from_wikitablequestions(data: Path, out: Path) -> None:
    """A folder of tables for each group; records have the names of answers, for nobody gave more."""
    questions = wikitablequestions.by_table(data)
    for group, tables in list(wikitablequestions.groups(data))[TABLES]:
        folder, lines = out / group, []
        if (folder / "asked.jsonl").exists():
            continue
        for table in tables:
            name = table["table_id"]
            own = folder / name
            shutil.rmtree(own, ignore_errors=True)
            own.mkdir(parents=True)
            try:
                build_index([wikitablequestions.written(table, own)], own / "index")
            except ArcaneError as error:
                print(f"{own} is left out: {error}", flush=True)
                continue
            few = sorted(questions[name], key=lambda one: crc32(one["id"].encode()))[:EACH]
            lines += [line(one["id"], one["question"], one["answers"], f"{name}/index") for one in few]
        write(folder, lines)


def from_grailqa(data: Path, out: Path) -> None:
    folder = out / "grailqa"
    if not (folder / "asked.jsonl").exists():
        build_index([data / "grailqa" / "kb.nt.gz"], folder / "index", ontology=data / "freebase-fragment")
        with open_kb(folder / "index") as kb:
            drafts = read_drafts("grailqa", data / "grailqa" / "dev.json.gz", kb.profile, kb)
            save(folder, Converter(Names(kb.profile), kb).records(drafts))
        known = (one for _, one in read_lines(folder / "records.jsonl") if one["answers"])
        write(folder, (line(one["id"], one["question"], one["answers"]) for one in known))


def from_records(name: str, graph: Path, records: Path, out: Path) -> None:
    """Unified records with programs: whole, and with holes."""
    folder = out / name
    if not (folder / "asked.jsonl").exists():
        whole(graph, folder).close()
        known = [one for _, one in read_lines(records) if one["answers"]]
        lines = [line(one["id"], one["question"], one["answers"], "whole") for one in known]
        write(folder, [*lines, *with_holes(graph, records, folder, DRAWS)])


def demo_facts(out: Path) -> Path:
    """The bundled knowledge base as N-Triples."""
    facts = out / "demo.nt"
    packed = (files("arcaneqa") / "data" / "demo.ttl.zst").read_bytes()
    triples = parse(ZstdDecompressor().stream_reader(packed).read(), RdfFormat.TURTLE)
    facts.write_bytes(serialize((quad.triple for quad in triples), format=RdfFormat.N_TRIPLES) or b"")
    return facts


def from_overnight(data: Path, out: Path) -> None:
    asked: dict[str, list[Line]] = defaultdict(list)
    for _, one in read_lines(data / "questions.jsonl.gz"):
        if one["answers"]:
            asked[one["domain"]].append(one)
    for domain, own in asked.items():
        folder = out / f"overnight-{domain}"
        if not (folder / "asked.jsonl").exists():
            build_index([data / f"{domain}.nt.gz"], folder / "index")
            few = sorted(own, key=lambda one: crc32(one["id"].encode()))[:WORLD]
            ids = ({"answer_ids": one["answer_ids"]} for one in few)
            lines = zip(few, ids, strict=True)
            write(folder, (line(one["id"], one["question"], one["answers"], **more) for one, more in lines))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("data", type=Path)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--wikisql", type=int, default=6, help="how many groups of tables")
    given = parser.parse_args()
    out: Path = given.out.resolve()
    out.mkdir(parents=True, exist_ok=True)
    from_spider(given.data, out)
    from_wikisql(given.data / "wikisql", out, given.wikisql)
    from_wikitablequestions(given.data / "wikitablequestions", out)
    from_grailqa(given.data, out)
    from_records("lcquad", given.data / "lcquad" / "kb.nt.gz", given.data / "lcquad" / "dev.jsonl.gz", out)
    from_records("demo", demo_facts(out), Path("demo/questions.jsonl"), out)
    from_overnight(given.data / "overnight", out)


if __name__ == "__main__":
    main()
