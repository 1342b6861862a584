"""BERT for training, over inputs laid end to end: no token is padding.

The weights stay where the library keeps them, so that a checkpoint is the library's; what is here is the
way through them. Around the attention everything is a matrix product or goes along with one, and a compiler,
where a GPU has one, makes one pass over memory of what would be many.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Sequence
from functools import cache
from importlib.util import find_spec
from typing import Any

import torch
from torch import Tensor
from torch.nn.functional import gelu, layer_norm, linear, scaled_dot_product_attention

from arcaneqa.lab.training.calls import Call, Grid, joined

Linear = tuple[Tensor, Tensor]
Norm = tuple[Tensor, Tensor, float]
Kept = tuple[Tensor, float] | None
"""Which numbers dropout spares, and what they are multiplied by to make up for the others."""
Attend = Callable[[Tensor, Tensor, Tensor, float], Tensor]
"""From queries, keys and values, `[tokens, heads, width]` each, and the rate of dropout."""
_WIDEST_HEAD = 256
"""That the kernel for any lengths takes."""


def can_read(shape: Any) -> bool:
    """Whether a configuration is that of BERT as it was published."""
    return shape.model_type == "bert" and shape.hidden_act == "gelu" and not shape.is_decoder


def read(network: Any, calls: Sequence[Call], kind: torch.dtype) -> Tensor:
    """Vectors of the tokens of all calls, computed in numbers of `kind`."""
    if kind == torch.bfloat16 and _attends_any_lengths(network.config, calls[0].ids.device):
        call = joined(calls)
        return _read(network, call, kind, _by_offsets(call))
    # A grid is filled, which calls of alike inputs keep small.
    return torch.cat([_read(network, call, kind, _in_grid(call)) for call in calls])


def _attends_any_lengths(shape: Any, device: torch.device) -> bool:
    """Whether there is a kernel for attention among half floats of inputs of any lengths: on GPUs since 2020,
    for heads of some widths."""
    if device.type != "cuda" or torch.cuda.get_device_capability(device) < (8, 0):
        return False
    width = shape.hidden_size // shape.num_attention_heads
    return torch.backends.cuda.is_flash_attention_available() and width % 8 == 0 and width <= _WIDEST_HEAD


def _read(network: Any, call: Call, kind: torch.dtype, attend: Attend) -> Tensor:
    start, finish = _parts(call.ids.device, torch.is_grad_enabled())
    first, heads = network.embeddings, network.config.num_attention_heads
    tables = (first.word_embeddings, first.position_embeddings, first.token_type_embeddings)
    weights = tuple(table.weight for table in tables)
    places = call.places(call.rows())
    kept = _kept(first.dropout, call, weights[0])
    hidden = start(call.ids, places, weights, _norm(first.LayerNorm), kept, kind)
    for layer in network.encoder.layer:
        asked, settled = layer.attention.self, layer.attention.output
        wide, narrow = layer.intermediate, layer.output
        query, key, value = _three(hidden, (asked.query, asked.key, asked.value), heads)
        hidden = finish(
            hidden,
            attend(query, key, value, _rate(asked.dropout)).flatten(1),
            _linear(settled.dense),
            _norm(settled.LayerNorm),
            _kept(settled.dropout, call, hidden),
            _linear(wide.dense),
            _linear(narrow.dense),
            _norm(narrow.LayerNorm),
            _kept(narrow.dropout, call, hidden),
        )
    return hidden


def _start(
    ids: Tensor,
    places: Tensor,
    tables: tuple[Tensor, ...],
    norm: Norm,
    kept: Kept,
    kind: torch.dtype,
) -> Tensor:
    """Words at their places. Selected rows get their gradient as a plain sum; all are of the first
    segment."""
    words, positions, segments = tables
    hidden = words.index_select(0, ids) + positions.index_select(0, places) + segments[0]
    return _dropped(_normal(hidden, norm), kept).to(kind)


def _three(hidden: Tensor, parts: tuple[Any, Any, Any], heads: int) -> tuple[Tensor, ...]:
    """Queries, keys and values from one product."""
    together = (torch.cat([part.weight for part in parts]), torch.cat([part.bias for part in parts]))
    return _product(hidden, together).view(len(hidden), 3, heads, -1).unbind(1)


def _finish(
    hidden: Tensor,
    seen: Tensor,
    mixing: Linear,
    first: Norm,
    first_kept: Kept,
    wide: Linear,
    narrow: Linear,
    second: Norm,
    second_kept: Kept,
) -> Tensor:
    """What follows attention in a layer. Sums and statistics are in full precision, whatever is kept."""
    mixed = _dropped(_product(seen, mixing), first_kept)
    hidden = _normal(hidden.float() + mixed.float(), first).to(hidden.dtype)
    narrowed = _dropped(_product(gelu(_product(hidden, wide)), narrow), second_kept)
    return _normal(hidden.float() + narrowed.float(), second).to(hidden.dtype)


def _product(values: Tensor, layer: Linear) -> Tensor:
    weight, bias = layer
    return linear(values, weight.to(values.dtype), bias.to(values.dtype))


def _normal(values: Tensor, layer: Norm) -> Tensor:
    gain, shift, least = layer
    return layer_norm(values, gain.shape, gain, shift, least)


def _dropped(values: Tensor, kept: Kept) -> Tensor:
    return values if kept is None else values * kept[0] * kept[1]


def _linear(layer: Any) -> Linear:
    return layer.weight, layer.bias


def _norm(layer: Any) -> Norm:
    return layer.weight, layer.bias, layer.eps


def _kept(dropout: Any, call: Call, like: Tensor) -> Kept:
    """Drawn beforehand: in a compiled pass the draw would take longer than all the rest, and be repeated on
    the way back."""
    rate = _rate(dropout)
    if not rate:
        return None
    spared = torch.empty(len(call.ids), like.shape[1], dtype=torch.bool, device=like.device)
    return spared.bernoulli_(1 - rate), 1 / (1 - rate)


def _rate(dropout: Any) -> float:
    return float(dropout.p) if dropout.training else 0.0


def _by_offsets(call: Call) -> Attend:
    """Attention of each input to itself. PyTorch's public ways to this kernel know no dropout, or wait for
    the GPU at every layer."""
    offsets, longest = call.offsets.int(), call.longest

    def attend(query: Tensor, key: Tensor, value: Tensor, rate: float) -> Tensor:
        seen: Tensor = torch.ops.aten._flash_attention_forward(
            query,
            key,
            value,
            offsets,
            offsets,
            longest,
            longest,
            rate,
            is_causal=False,
            return_debug_mask=False,
        )[0]
        return seen

    return attend


def _in_grid(call: Call) -> Attend:
    grid = Grid.of(call)
    mask = grid.mask[:, None, None, :]

    def attend(query: Tensor, key: Tensor, value: Tensor, rate: float) -> Tensor:
        asked, met, told = (grid.spread(one).transpose(1, 2) for one in (query, key, value))
        seen = scaled_dot_product_attention(asked, met, told, mask, rate)
        return grid.gather(seen.transpose(1, 2))

    return attend


@cache
def _parts(device: torch.device, learns: bool) -> tuple[Callable[..., Tensor], Callable[..., Tensor]]:
    """Compiled on a GPU that learns, unless there is no Triton, or no C compiler, which Triton needs. Who
    only reads would wait for the compiler longer than for all that is read."""
    compiles = find_spec("triton") is not None and any(map(shutil.which, ("cc", "gcc", "clang")))
    if device.type != "cuda" or not learns or not compiles:
        return _start, _finish
    from torch._inductor import list_options

    # One pass for sums along both sides of a matrix takes twice as long as a pass for each.
    unwanted = {"triton.mix_order_reduction"}
    options: dict[str, Any] = dict.fromkeys(unwanted.intersection(list_options()), False)
    return torch.compile(_start, options=options), torch.compile(_finish, options=options)
