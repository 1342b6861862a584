"""Databases whose rows have no labels: which of the columns that hold names are found to be names.

`mapping.json.gz` says of each table's class which relations come from a column of names (`name_column`) or of
first and last names (`name_part`); `kb/DB.nt.gz` are the facts.
"""

from __future__ import annotations

import gzip
import json
import tempfile
from pathlib import Path
from typing import Any

from arcaneqa.kb.build import build_index

_STYLE = "no_entity_labels"


def report(folder: Path) -> str:
    """The shares, and under them each column that was missed or taken for a name."""
    with gzip.open(folder / "mapping.json.gz", "rt", encoding="utf-8") as file:
        mapping: dict[str, Any] = json.load(file)
    databases = [name for name, database in mapping.items() if database["style"] == _STYLE]
    names = found = others = 0
    lines = []
    for name in databases:
        wanted, taken = _wanted(mapping[name]), _taken(folder / "kb" / f"{name}.nt.gz")
        names, found, others = names + len(wanted), found + len(wanted & taken), others + len(taken - wanted)
        lines += [f"- missed: {relation}" for _, relation in sorted(wanted - taken)]
        lines += [f"- another: {relation}" for _, relation in sorted(taken - wanted)]
    shares = f"{found} found ({100 * found / names:.1f}%), {others} others ({100 * others / names:.1f}%)"
    return "\n".join([f"{len(databases)} databases, {names} columns of names: {shares}", *lines])


def _wanted(database: dict[str, Any]) -> set[tuple[str, str]]:
    return {
        (table["class"], column["relation"])
        for table in database["tables"].values()
        if table["kind"] == "class"
        for column in table["columns"].values()
        if column.get("name_column") or column.get("name_part")
    }


def _taken(facts: Path) -> set[tuple[str, str]]:
    with tempfile.TemporaryDirectory() as work:
        diagnosis = build_index([facts], Path(work) / "index").diagnosis
    return {
        (named.klass or "", relation) for named in diagnosis.by_attributes for relation in named.relations
    }
