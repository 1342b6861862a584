"""Curves as polynomials against the same by the library of mathematics."""

from __future__ import annotations

import math

import numpy as np

from arcaneqa.int8.instructions import exp_of_negative, tanh


def test_powers_and_hyperbolic_tangents_are_good_to_six() -> None:
    for value in np.linspace(-90, 0, 4_001):
        assert math.isclose(
            float(exp_of_negative(np.float32(value))), math.exp(value), rel_tol=2e-5, abs_tol=1e-30
        )
    for value in np.linspace(-12, 12, 4_001):
        assert math.isclose(float(tanh(np.float32(value))), math.tanh(value), abs_tol=2e-6)
