"""Softmax of a row of scores as machine instructions: two passes over whole vectors, whatever its length.

Left to the compiler it is five passes, and what is behind the last whole vectors goes number by number.
"""

# ruff: noqa: ARG001 - numba asks an intrinsic for the names of its arguments, and hands them over elsewhere

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from llvmlite import ir
from numba.core import types

from arcaneqa.model.curves import LEAST, LN_2, LN_2_REST, LOG_2_E, ROUNDING, SERIES
from arcaneqa.model.tiles import (
    FLOAT_COLUMNS,
    INT,
    LANES,
    LONG,
    at,
    instruction,
    intrinsic,
    load,
    long,
    spread,
)

_FLOAT = ir.FloatType()
_VECTOR = ir.VectorType(_FLOAT, LANES)
_WHOLE = ir.VectorType(INT, LANES)
_PLACES = ir.Constant(_WHOLE, list(range(LANES)))
_AT_ONCE = FLOAT_COLUMNS // LANES
"""Vectors of a step: while one waits for its sum, the other is computed."""
_NOTHING = -1e30
"""Stands for a score behind the last."""


@intrinsic
def soften(_typing: Any, row: Any, count: Any) -> Any:
    """The scores at an address become their powers, of which the highest is 1; what comes back is the factor
    by which these add up to one. Behind the last, up to a multiple of `FLOAT_COLUMNS`, come zeros."""

    def generate(_context: Any, builder: ir.IRBuilder, _signature: Any, given: Any) -> Any:
        def highest(so_far: Any, is_score: Any, place: Any) -> Any:
            score = load(builder, place, _VECTOR)
            return _larger(builder, so_far, builder.select(is_score, score, _same(_NOTHING)))

        def total(so_far: Any, is_score: Any, place: Any) -> Any:
            score = load(builder, place, _VECTOR)
            power = builder.select(is_score, _exp(builder, builder.fsub(score, most)), _same(0.0))
            builder.store(power, at(builder, place, _VECTOR), align=4)
            return builder.fadd(so_far, power)

        row, count = given
        most = spread(
            builder, _folded(builder, _over(builder, row, count, _NOTHING, highest), _larger), _VECTOR
        )
        sums = _folded(builder, _over(builder, row, count, 0.0, total), ir.IRBuilder.fadd)
        return builder.fdiv(ir.Constant(_FLOAT, 1.0), sums)

    return types.float32(types.int64, types.int64), generate


def _over(
    builder: ir.IRBuilder, row: Any, count: Any, start: float, step: Callable[[Any, Any, Any], Any]
) -> list[Any]:
    """A loop over the vectors of a row, with what `step` makes of each and of what was before."""
    last = spread(builder, builder.trunc(count, INT), _WHOLE)
    before = builder.block
    loop, after = builder.append_basic_block(), builder.append_basic_block()
    builder.branch(loop)
    builder.position_at_end(loop)
    first = builder.phi(LONG)
    totals = [builder.phi(_VECTOR) for _ in range(_AT_ONCE)]
    added = []
    for part, so_far in enumerate(totals):
        here = builder.add(first, long(part * LANES))
        places = builder.add(spread(builder, builder.trunc(here, INT), _WHOLE), _PLACES)
        is_score = builder.icmp_signed("<", places, last)
        added.append(step(so_far, is_score, builder.add(row, builder.mul(here, long(4)))))
    following = builder.add(first, long(FLOAT_COLUMNS))
    starts, nexts = [long(0), *[_same(start)] * _AT_ONCE], [following, *added]
    for phi, initial, later in zip([first, *totals], starts, nexts, strict=True):
        phi.add_incoming(initial, before)
        phi.add_incoming(later, loop)
    builder.cbranch(builder.icmp_signed("<", following, count), loop, after)
    builder.position_at_end(after)
    return added


def _folded(builder: ir.IRBuilder, vectors: list[Any], join: Callable[[ir.IRBuilder, Any, Any], Any]) -> Any:
    """One number of all, halves joined with halves."""
    found = vectors[0]
    for vector in vectors[1:]:
        found = join(builder, found, vector)
    size = LANES
    while size > 1:
        size //= 2
        order = [(place + size) % LANES for place in range(LANES)]
        other = builder.shuffle_vector(found, found, ir.Constant(_WHOLE, order))
        found = join(builder, found, other)
    return builder.extract_element(found, ir.Constant(INT, 0))


def _exp(builder: ir.IRBuilder, value: Any) -> Any:
    """Of numbers that are not positive, as `curves.exp_of_negative`."""

    def into(one: Any, two: Any, three: Any) -> Any:
        return instruction(builder, f"llvm.fma.v{LANES}f32", one, two, three)

    value = _larger(builder, value, _same(LEAST))
    power = builder.fsub(into(value, _same(LOG_2_E), _same(ROUNDING)), _same(ROUNDING))
    rest = into(power, _same(LN_2_REST), into(power, _same(-LN_2), value))
    series = _same(SERIES[0])
    for factor in SERIES[1:]:
        series = into(series, rest, _same(factor))
    exponent = builder.add(builder.fptosi(power, _WHOLE), ir.Constant(_WHOLE, [127] * LANES))
    bits = builder.shl(exponent, ir.Constant(_WHOLE, [23] * LANES))
    return builder.fmul(series, builder.bitcast(bits, _VECTOR))


def _larger(builder: ir.IRBuilder, one: Any, two: Any) -> Any:
    return builder.select(builder.fcmp_ordered(">", one, two), one, two)


def _same(number: Any) -> Any:
    return ir.Constant(_VECTOR, [float(number)] * LANES)
