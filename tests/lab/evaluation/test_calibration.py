from __future__ import annotations

import pytest

from arcaneqa.lab.evaluation.metrics import expected_calibration_error, reliability


def test_the_error_of_a_worked_case() -> None:
    confidence, correct = [0.95, 0.95, 0.15, 1.0], [True, False, False, True]
    expected = (3 * abs(2.9 / 3 - 2 / 3) + 0.15) / 4
    assert expected_calibration_error(confidence, correct) == pytest.approx(expected)
    assert [(b.low, b.size) for b in reliability(confidence, correct)] == [(0.1, 1), (0.9, 3)]


def test_without_answers_there_is_no_error() -> None:
    assert expected_calibration_error([], []) == 0.0
    assert reliability([], []) == []
