"""Functions of single numbers, as sums and products that LLVM makes vectors of."""

from __future__ import annotations

from typing import Any

import numba
import numpy as np

from arcaneqa.model.tiles import float_of_bits

ROUNDING = np.float32(3 << 22)
"""Added and taken away again it leaves a small float rounded to the nearest integer."""
ROUNDING_BITS = int(ROUNDING.view(np.int32))
LEAST = np.float32(-87)
"""Powers of less are as good as none."""
LOG_2_E = np.float32(1.44269504)
LN_2, LN_2_REST = np.float32(0.693359375), np.float32(2.12194440e-4)
"""In two parts, the first of which has few digits: its multiples are exact. The second is to be added."""
SERIES = tuple(np.float32(1.0 / divisor) for divisor in (720, 120, 24, 6, 2, 1, 1))
"""Of the exponential function, the highest power first."""


def _curve(function: Any) -> Any:
    return numba.njit(nogil=True, error_model="numpy", fastmath={"contract", "nnan", "nsz"})(function)


@_curve
def exp_of_negative(value: np.float32) -> np.float32:
    """Of a number that is not positive, to six digits: a power of two times a polynomial."""
    value = max(value, LEAST)
    power = (value * LOG_2_E + ROUNDING) - ROUNDING
    rest = value - power * LN_2
    rest = rest + power * LN_2_REST
    series = SERIES[0]
    for part in SERIES[1:]:
        series = series * rest + part
    factor: np.float32 = float_of_bits((np.int32(power) + np.int32(127)) << np.int32(23))
    return series * factor


@_curve
def tanh(value: np.float32) -> np.float32:
    """To six digits after the point."""
    size = abs(value)
    shrunk = exp_of_negative(np.float32(-2) * size)
    found: np.float32 = (np.float32(1) - shrunk) / (np.float32(1) + shrunk)
    return found if value > 0 else -found
