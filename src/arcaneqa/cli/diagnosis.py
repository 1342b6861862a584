"""What was understood of the facts, in a screen people read."""

from __future__ import annotations

from arcaneqa.kb.diagnosis import Diagnosis

_MARGIN = 12


def draw_diagnosis(diagnosis: Diagnosis) -> None:
    from arcaneqa.terminal import say

    for word, text in diagnosis.lines():
        say(f"{word:<{_MARGIN}}{text}")
    for oddity in diagnosis.oddities():
        say(f"{'odd':<{_MARGIN}}{oddity}")
