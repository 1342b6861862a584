"""The table of rooms in docs/architecture.md as a contract of import-linter: an arrow it does not have fails.

A row names a room (or several) and, in its last column, the rooms and modules it may import; those after the
word “not” are left out again. The row that says “all may import these” is for what everyone needs.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from grimp import ImportGraph
from importlinter import Contract, ContractCheck, fields, output

_NAME = re.compile(r"`([\w./]+)`")


@dataclass
class Rules:
    """`allowed` and `denied` are prefixes of modules for every room; `common` is open to all."""

    allowed: dict[str, list[str]] = field(default_factory=dict)
    denied: dict[str, list[str]] = field(default_factory=dict)
    common: list[str] = field(default_factory=list)

    def room_of(self, module: str) -> str | None:
        """The row that speaks of a module: the most particular one."""
        return max((room for room in self.allowed if _within(module, room)), key=len, default=None)

    def allows(self, importer: str, imported: str) -> bool:
        room = self.room_of(importer)
        if room is None or self.room_of(imported) is None:
            return False
        if any(_within(imported, name) for name in self.denied[room]):
            return False
        return any(_within(imported, name) for name in [room, *self.common, *self.allowed[room]])


def _within(module: str, name: str) -> bool:
    return name == "everything" or module == name or module.startswith(f"{name}.")


def rules_of(page: str) -> Rules:
    """The rules in the first table of a Markdown page whose last column is headed “may import”."""
    rules = Rules()
    _, _, below = page.partition("may import |\n")
    for line in below.splitlines()[1:]:
        if not line.startswith("|"):
            break
        cells = line.strip("|").split("|")
        rooms, permitted = _names(cells[0]), cells[-1]
        if "all may import these" in permitted:
            rules.common += rooms
        may, _, must_not = permitted.partition(" not ")
        everything = ["everything"] if "everything" in may else []
        for room in rooms:
            rules.allowed[room] = everything + _names(may)
            rules.denied[room] = _names(must_not)
    return rules


def _names(cell: str) -> list[str]:
    return [name.removesuffix(".py").strip("/").replace("/", ".") for name in _NAME.findall(cell)]


class RoomsContract(Contract):
    page = fields.StringField()

    def check(self, graph: ImportGraph, verbose: bool) -> ContractCheck:  # noqa: ARG002
        rules = rules_of(Path(str(self.page)).read_text(encoding="utf-8"))
        broken = sorted(
            f"{importer} imports {imported}"
            for importer in graph.modules
            for imported in graph.find_modules_directly_imported_by(importer)
            if not rules.allows(_inside(importer), _inside(imported))
        )
        return ContractCheck(kept=not broken, metadata={"broken": broken})

    def render_broken_contract(self, check: Any) -> None:
        for line in check.metadata["broken"]:
            output.print_error(f"{line}, which {self.page} does not allow")


def _inside(module: str) -> str:
    """A module's name within the package; the package itself goes by `__init__`."""
    return module.partition(".")[2] or "__init__"
