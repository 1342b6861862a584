"""Curves as polynomials against the same by the library of mathematics."""

from __future__ import annotations

import math

import numpy as np

from arcaneqa.model.curves import exp_of_negative, gelu, tanh


def test_gelu_is_good_to_five_digits_after_the_point() -> None:
    """Also where its polynomial ends, and far behind."""
    for value in np.concatenate([np.linspace(-9, 9, 4_001), [-1e30, -60, 4.4999, 4.5001, 1e30]]):
        exact = float(value) * 0.5 * math.erfc(-float(value) / math.sqrt(2))
        assert math.isclose(float(gelu(np.float32(value))), exact, rel_tol=1e-6, abs_tol=1.5e-5)


def test_powers_and_hyperbolic_tangents_are_good_to_six() -> None:
    for value in np.linspace(-90, 0, 4_001):
        assert math.isclose(
            float(exp_of_negative(np.float32(value))), math.exp(value), rel_tol=2e-5, abs_tol=1e-30
        )
    for value in np.linspace(-12, 12, 4_001):
        assert math.isclose(float(tanh(np.float32(value))), math.tanh(value), abs_tol=2e-6)
