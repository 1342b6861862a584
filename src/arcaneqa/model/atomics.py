"""Numbers that several threads read and change at once, as machine instructions for compiled loops.

All take the address of an integer of eight bytes. Whatever a thread wrote before it changed such a number is
seen by whoever reads the number afterwards.
"""

# ruff: noqa: ARG001 - numba asks an intrinsic for the names of its arguments, and hands them over elsewhere

from __future__ import annotations

import platform
from typing import Any

from llvmlite import ir
from numba.core import types

from arcaneqa.model.tiles import intrinsic

_LONG = ir.IntType(64)
_ORDER = "seq_cst"
_IS_X86 = platform.machine().lower() in ("x86_64", "amd64")


@intrinsic
def read(_typing: Any, place: Any) -> Any:
    def generate(_context: Any, builder: ir.IRBuilder, _signature: Any, given: Any) -> Any:
        return builder.load_atomic(_at(builder, given[0]), _ORDER, 8)

    return types.int64(types.int64), generate


@intrinsic
def write(_typing: Any, place: Any, value: Any) -> Any:
    def generate(context: Any, builder: ir.IRBuilder, _signature: Any, given: Any) -> Any:
        builder.store_atomic(given[1], _at(builder, given[0]), _ORDER, 8)
        return context.get_dummy_value()

    return types.void(types.int64, types.int64), generate


@intrinsic
def add_one(_typing: Any, place: Any) -> Any:
    def generate(context: Any, builder: ir.IRBuilder, _signature: Any, given: Any) -> Any:
        builder.atomic_rmw("add", _at(builder, given[0]), ir.Constant(_LONG, 1), _ORDER)
        return context.get_dummy_value()

    return types.void(types.int64), generate


@intrinsic
def change(_typing: Any, place: Any, before: Any, after: Any) -> Any:
    """Put a number in the place of another one; whether that was still there."""

    def generate(_context: Any, builder: ir.IRBuilder, _signature: Any, given: Any) -> Any:
        found = builder.cmpxchg(_at(builder, given[0]), given[1], given[2], _ORDER, _ORDER)
        return builder.extract_value(found, 1)

    return types.boolean(types.int64, types.int64, types.int64), generate


@intrinsic
def pause(_typing: Any) -> Any:
    """Tells the processor that somebody is only waiting."""

    def generate(context: Any, builder: ir.IRBuilder, _signature: Any, _given: Any) -> Any:
        if _IS_X86:
            kind = ir.FunctionType(ir.VoidType(), [])
            builder.call(builder.module.declare_intrinsic("llvm.x86.sse2.pause", (), kind), [])
        return context.get_dummy_value()

    return types.void(), generate


def _at(builder: ir.IRBuilder, address: Any) -> Any:
    return builder.inttoptr(address, _LONG.as_pointer())
