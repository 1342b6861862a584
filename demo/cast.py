"""A conversation as a recording of the terminal (asciinema's format, version 2): `python demo/cast.py`.

Play it with `asciinema play docs/images/ask.cast`. Pauses are ours: nobody has to wait for this machine.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import sys
from pathlib import Path

import pexpect

LINES = (
    "which countries border France?",
    "which of them is the largest?",
    "what is its capital?",
    "and of Italy?",
    "facts Rome",
    "quit",
)
WIDTH, HEIGHT = 100, 30
KEY, PAUSE = 0.06, 1.5
"""Seconds between two keys, and before the next line."""
PROMPT = r"\x1b\[\?2004h(?s:.)*arcaneqa>"
COMMAND = "from arcaneqa.apps.cli.main import main; main()"


def record(out: Path) -> None:
    settings = {"TERM": "xterm-256color", "PROMPT_TOOLKIT_NO_CPR": "1"}
    child = pexpect.spawn(
        sys.executable,
        ["-c", COMMAND, "ask"],
        env=os.environ | settings,
        encoding="utf-8",
        timeout=120,
        dimensions=(HEIGHT, WIDTH),
    )
    now, events = 0.0, [(0.0, "$ arcaneqa ask\r\n")]

    def hear(end: object) -> None:
        """What is shown until this is; a prompt begins with what lets a terminal paste."""
        child.expect(end)
        events.append((now, child.before + (child.after if isinstance(child.after, str) else "")))

    hear(PROMPT)
    for line in LINES:
        now += PAUSE
        for key in line:
            child.send(key)
            now += KEY
            hear(re.escape(key) if key != " " else r" |\x1b\[C")
        child.send("\r")
        now += KEY
        hear(PROMPT if line != "quit" else pexpect.EOF)
    head = {"version": 2, "width": WIDTH, "height": HEIGHT, "title": "arcaneqa ask"}
    rows = [json.dumps([round(when, 3), "o", text], ensure_ascii=False) for when, text in events]
    out.write_text("\n".join([json.dumps(head), *rows]) + "\n", encoding="utf-8")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, default=Path("docs/images/ask.cast"))
    record(parser.parse_args().out)
