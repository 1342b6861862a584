"""Figures go into the docs through here, so that each table carries its command, hardware and date."""

from __future__ import annotations

import os
import platform
import re
from datetime import date
from pathlib import Path


def hardware() -> str:
    """The machine in one phrase: processor, cores, memory."""
    cpuinfo = Path("/proc/cpuinfo")
    model = platform.processor() or platform.machine()
    if cpuinfo.exists() and (found := re.search(r"model name\s*:\s*(.+)", cpuinfo.read_text())):
        model = found[1].strip()
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    return f"{model}, {os.cpu_count()} cores, {memory:.0f} GiB"


def write_section(document: Path, name: str, title: str, command: str, body: str) -> None:
    """Put a section into a Markdown file, in place of its older self if there is one."""
    text = (
        f"<!-- {name} -->\n## {title}\n`{command}` · {date.today():%Y-%m-%d} · {hardware()}\n\n"
        f"{body.strip()}\n<!-- /{name} -->\n"
    )
    old = document.read_text(encoding="utf-8") if document.exists() else "# Measurements\n"
    pattern = re.compile(rf"<!-- {re.escape(name)} -->.*?<!-- /{re.escape(name)} -->\n", re.DOTALL)
    new = pattern.sub(lambda _: text, old) if pattern.search(old) else old.rstrip("\n") + "\n\n" + text
    document.write_text(new, encoding="utf-8")
