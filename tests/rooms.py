"""The table of packages in docs/architecture.md as a contract of import-linter: other imports fail.

A row names a package or module and, in its last column, what it may import. A package stands for its modules
without the packages in it that have rows of their own. “all may import these” is for what everyone needs.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from grimp import ImportGraph
from importlinter import Contract, ContractCheck, fields, output

EVERYTHING = "everything"
_NAME = re.compile(r"`([\w./]+)`")


@dataclass
class Rules:
    """`allowed` has what the package of each row may import; `common` is open to all."""

    allowed: dict[str, list[str]] = field(default_factory=dict)
    common: list[str] = field(default_factory=list)

    def room_of(self, module: str) -> str | None:
        """The row that speaks of a module: the most particular one."""
        return max((room for room in self.allowed if _within(module, room)), key=len, default=None)

    def allows(self, importer: str, imported: str) -> bool:
        room, there = self.room_of(importer), self.room_of(imported)
        if room is None or there is None:
            return False
        names = [room, *self.common, *self.allowed[room]]
        return EVERYTHING in names or any(
            _within(imported, name) and self.room_of(name) == there for name in names
        )


def _within(module: str, name: str) -> bool:
    return module == name or module.startswith(f"{name}.")


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
        if "`" in permitted or " not " in permitted:
            raise ValueError(f"{cells[0]}: the last column lists what may be imported, by plain names")
        for room in rooms:
            rules.allowed[room] = [name.strip() for name in re.split("[,;]", permitted)]
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
