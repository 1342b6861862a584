"""How fast questions are made, and how evenly they spread."""

from __future__ import annotations

import time
from collections import Counter

from arcaneqa.kb.interface import KnowledgeBase
from arcaneqa.lab.synthesis.synthesize import synthesize


def report(kb: KnowledgeBase, size: int, seed: int = 0) -> str:
    start = time.process_time()
    pairs = list(synthesize(kb, size, seed))
    seconds = time.process_time() - start
    functions = Counter(pair.function for pair in pairs)
    spread = ", ".join(f"{name} {count / len(pairs):.0%}" for name, count in functions.most_common())
    rows = [
        ("pairs", f"{len(pairs):,}"),
        ("different programs", f"{len({pair.program for pair in pairs}):,}"),
        ("seconds on the processor", f"{seconds:.1f}"),
        ("pairs a minute of processor time", f"{60 * len(pairs) / seconds:,.0f}"),
        ("functions", spread),
    ]
    return "\n".join(["| | |", "|---|---|", *(f"| {name} | {value} |" for name, value in rows)])
