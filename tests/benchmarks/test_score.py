from __future__ import annotations

import pytest

from arcaneqa.lab.evaluation.metrics import Mode
from benchmarks.score import measure, table


def test_the_benchmark_runs_in_every_mode() -> None:
    text = table(measure(50, (Mode.SEMANTIC, Mode.GRAILQA)))
    assert "| semantic" in text
    assert "| grailqa" in text


@pytest.mark.slow
@pytest.mark.parametrize("mode", list(Mode))
def test_sixty_thousand_predictions_in_a_minute_and_a_gibibyte(mode: Mode) -> None:
    (measured,) = measure(60_000, (mode,))
    assert measured.processor < 60
    assert measured.mebibytes < 1024
