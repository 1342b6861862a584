"""A published ontology beside the facts: `fb_roles`, `fb_types` and `reverse_properties`."""

from __future__ import annotations

import gzip
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from arcaneqa.errors import InputError
from arcaneqa.kb.short_names import Names

ROLES, TYPES, REVERSE = "fb_roles", "fb_types", "reverse_properties"


@dataclass
class Ontology:
    """What is declared about the schema, by IRI."""

    domains: dict[str, str] = field(default_factory=dict)
    ranges: dict[str, str] = field(default_factory=dict)
    inverses: dict[str, str] = field(default_factory=dict)
    parents: list[tuple[str, str]] = field(default_factory=list)


def read_ontology(folder: Path, names: Names) -> Ontology:
    """Where names are declared twice, the first declaration holds."""
    ontology = Ontology()
    for name, row in ontology_rows(folder, names):
        if name == ROLES:
            ontology.domains.setdefault(row[1], row[0])
            ontology.ranges.setdefault(row[1], row[2])
        elif name == TYPES:
            ontology.parents.append((row[0], row[2]))
        else:
            ontology.inverses.setdefault(row[0], row[1])
            ontology.inverses.setdefault(row[1], row[0])
    return ontology


def ontology_rows(folder: Path, names: Names) -> Iterator[tuple[str, list[str]]]:
    """Every line as IRIs, with the name of its file. Files may be plain or .gz; one of them must be there."""
    found = False
    for name, width in ((ROLES, 3), (TYPES, 3), (REVERSE, 2)):
        path = next((path for path in (folder / name, folder / f"{name}.gz") if path.is_file()), None)
        if path is not None:
            found = True
            for row in _rows(path, width, names):
                yield name, row
    if not found:
        raise InputError(f"The ontology folder {folder} has no {ROLES}, {TYPES} or {REVERSE}, plain or .gz.")


def _rows(path: Path, width: int, names: Names) -> Iterator[list[str]]:
    try:
        with (
            gzip.open(path, "rt", encoding="utf-8")
            if path.suffix == ".gz"
            else path.open(encoding="utf-8") as file
        ):
            for number, line in enumerate(file, 1):
                cells = line.split()
                if not cells:
                    continue
                if len(cells) < width:  # more is common: full stops, and lines that lost their break
                    raise InputError(f"{path}, line {number}: {width} names were expected, not {len(cells)}.")
                yield [names.expand(cell) for cell in cells[:width]]
    except (OSError, EOFError, UnicodeDecodeError) as error:
        raise InputError(f"{path} cannot be read: {error}.") from None
