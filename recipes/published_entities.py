"""Put an entity linker's published results into records, so that `evaluate --entities gold` starts from them.

    python recipes/published_entities.py RECORDS.jsonl LINKED.json OUT.jsonl

LINKED.json is `{question id: {mention: [entity or literal, …], …}, …}`, as published for GrailQA,
GraphQuestions and WebQSP. The paper's figures use such results, so this is how to compare on equal terms. A
question that the file does not mention has no entities afterwards.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import Any


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    for name in ("records", "linked", "out"):
        parser.add_argument(name, type=Path)
    options = parser.parse_args()
    try:
        linked = json.loads(options.linked.read_text(encoding="utf-8"))
        lines = options.records.read_text(encoding="utf-8").splitlines()
    except (OSError, ValueError) as error:
        sys.exit(f"cannot be read: {error}")
    found = 0
    with options.out.open("w", encoding="utf-8") as out:
        for line in lines:
            record = json.loads(line)
            mentions = linked.get(str(record["id"]))
            found += mentions is not None
            record["entities"] = entities(mentions or {}, record["question"])
            out.write(json.dumps(record, ensure_ascii=False) + "\n")
    print(f"{len(lines)} questions, {found} of them in {options.linked.name}")


def entities(mentions: dict[str, list[Any]], question: str) -> list[dict[str, Any]]:
    made = []
    for mention, names in mentions.items():
        start = question.lower().find(mention.lower())
        span = (start, start + len(mention)) if start >= 0 else (None, None)
        for name in names:
            # WebQSP's file has years as bare numbers.
            text = f"{name}^^http://www.w3.org/2001/XMLSchema#gYear" if isinstance(name, int) else str(name)
            made.append({"id": text, "mention": mention, "start": span[0], "end": span[1]})
    return made


if __name__ == "__main__":
    main()
