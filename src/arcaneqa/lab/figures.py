"""Figures go into the docs through here, so that each table carries its command, hardware and date."""

from __future__ import annotations

import os
import platform
import re
import subprocess
from datetime import date
from pathlib import Path

from arcaneqa import __version__
from arcaneqa.support.errors import InputError
from arcaneqa.support.files import replacing

CHECKOUT = Path(__file__).resolve().parents[3]
"""The project's folder, where the package runs from one."""


def hardware() -> str:
    """The machine in one phrase: processor, cores, memory."""
    cpuinfo = Path("/proc/cpuinfo")
    model = platform.processor() or platform.machine()
    if cpuinfo.exists() and (found := re.search(r"model name\s*:\s*(.+)", cpuinfo.read_text())):
        model = found[1].strip()
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    return f"{model}, {os.cpu_count()} cores, {memory:.0f} GiB"


def version() -> str:
    """The package's version, and the commit where it runs from a checkout."""
    commit = _git(CHECKOUT, "describe", "--always", "--dirty")
    return f"arcaneqa {__version__}" + (f", commit {commit}" if commit else "")


def write_section(document: Path, name: str, title: str, command: str, body: str) -> None:
    """Put a section into a Markdown file, in place of its older self if there is one."""
    refuse_dirty_tree(document, CHECKOUT)
    text = (
        f"<!-- {name} -->\n## {title}\n`{command}` · {date.today():%Y-%m-%d} · {hardware()}\n\n"
        f"{body.strip()}\n<!-- /{name} -->\n"
    )
    old = document.read_text(encoding="utf-8") if document.exists() else "# Measurements\n"
    pattern = re.compile(rf"<!-- {re.escape(name)} -->.*?<!-- /{re.escape(name)} -->\n", re.DOTALL)
    new = pattern.sub(lambda _: text, old) if pattern.search(old) else old.rstrip("\n") + "\n\n" + text
    with replacing(document) as file:
        file.write(new)


def refuse_dirty_tree(document: Path, checkout: Path) -> None:
    """A figure in a checkout's own documents must be of a commit (its documents may be unfinished)."""
    if checkout not in document.resolve().parents:
        return
    if changed := _git(checkout, "status", "--porcelain", "--", ".", ":!docs"):
        files = ", ".join(line[3:] for line in changed.splitlines()[:3])
        raise InputError(
            f"There are changes that no commit has ({files}); commit them first, so that the figure can be "
            f"repeated, or give a document outside of {checkout.name}."
        )


def _git(checkout: Path, *arguments: str) -> str:
    """What git says of the checkout; nothing where the package was installed without one."""
    if not (checkout / ".git").exists():
        return ""
    command = ["git", "-C", str(checkout), *arguments]
    try:
        found = subprocess.run(command, capture_output=True, text=True, check=False)
    except OSError:
        return ""
    return found.stdout.rstrip() if found.returncode == 0 else ""
