"""The weights of an encoder, as `kernels.py` reads them."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from arcaneqa.model.stored_arrays import Floats


class Matrix(NamedTuple):
    """One matrix of every layer: `weights` as tiles want them, `scales` of their rows, `bias`."""

    weights: NDArray[np.uint8]
    scales: Floats
    bias: Floats


class Norm(NamedTuple):
    gain: Floats
    bias: Floats


class Layers(NamedTuple):
    joined: Matrix
    mixed: Matrix
    wide: Matrix
    narrow: Matrix
    middle: Norm
    after: Norm


class Weights(NamedTuple):
    """All of an encoder but its tables of words and positions."""

    first: Norm
    layers: Layers
    epsilon: float
