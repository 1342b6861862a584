"""What the encoder adds to telling mentions from other words, on knowledge bases that a head never saw."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from arcaneqa.linking.linker import LEAST_LIKELY
from arcaneqa.model.stored import Floats
from arcaneqa.training.span_training import Spans, fit


def elsewhere(sets: Mapping[str, Sequence[tuple[str, Spans]]]) -> str:
    """For each knowledge base (its sets by name) a head trained on all the others, asked about its spans."""
    lines = [
        "| asked about | mentions | other spans | loss | kept mentions | others kept a mention "
        "| loss, encoder | kept mentions, encoder | others kept a mention, encoder |",
        "|---|---:|---:|---:|---:|---:|---:|---:|---:|",
    ]
    for location, own in sets.items():
        others = [read for other, group in sets.items() if other != location for _, read in group]
        head = fit(others)
        for name, read in own:
            corrected = head.odds(read.rows.astype(np.float32), read.known)
            right = int(read.right.sum())
            cells = " | ".join(_row(odds, read.right) for odds in (read.known, corrected))
            lines.append(f"| {name} | {right:,} | {len(read.right) - right:,} | {cells} |")
    return "\n".join(lines)


def _row(odds: Floats, right: Floats) -> str:
    """Mean logistic loss a span; the share of mentions that the linker would keep, and others beside each."""
    loss = np.logaddexp(0, np.where(right > 0, -odds, odds)).mean()
    kept = -np.logaddexp(0, -odds) > LEAST_LIKELY
    mentions = max(1.0, float(right.sum()))
    found, other = float(kept @ right) / mentions, float(kept @ (1 - right)) / mentions
    return f"{loss:.3f} | {100 * found:.1f}% | {other:.2f}"
