"""BERT's encoder by ONNX Runtime, straight from the stored weights.

Matrices stay int8 as they are stored, and activations are cut to int8 in blocks as they come: half the time
of float32. Matrices stored at full length are multiplied at full length. Tokens of all inputs lie end to end
but inside of attention, so that a short input beside a long one costs nothing. What an input is read as does
not depend on what is read beside it, to the last bit.
"""

from __future__ import annotations

import math
import os
from collections.abc import Sequence
from typing import Any

import numpy as np
import onnxruntime
from numpy.typing import NDArray
from onnx import ModelProto, NodeProto, TensorProto, helper, numpy_helper

from arcaneqa.model.ragged import Ints, offsets_of
from arcaneqa.model.reader import Table, Words, softmax
from arcaneqa.model.stored import Floats, Stored

HEAT_LAYERS = 2
"""The last layers see what the earlier ones have aligned."""
_PREFIX = "encoder.network."
_EXTRA = "com.microsoft"
_ROWS = 8
"""Products take so many rows at a time at most. The rest would be added up in another order, and a last bit
that differs before activations are cut to int8 is no last bit after it."""


class BertReader:
    def __init__(self, stored: Stored) -> None:
        shape = stored.encoder
        self._heads = int(shape["num_attention_heads"])
        self.width = int(shape["hidden_size"])
        self.pad = int(shape.get("pad_token_id") or 0)
        self._words = Table(stored, f"{_PREFIX}embeddings.word_embeddings.weight")
        types = stored.floats(f"{_PREFIX}embeddings.token_type_embeddings.weight")
        self._positions = stored.floats(f"{_PREFIX}embeddings.position_embeddings.weight") + types[0]
        graph = _Graph(stored, int(shape["num_hidden_layers"]), self._heads, float(shape["layer_norm_eps"]))
        self._output, self._attention = graph.output, graph.attention
        options = onnxruntime.SessionOptions()
        options.log_severity_level = 3
        options.intra_op_num_threads = threads()
        # Hardly two inputs are alike in shape. It would keep a plan of memory for each, and as much memory as
        # the most demanding of them took, without being any faster.
        options.enable_mem_pattern = False
        options.enable_cpu_mem_arena = False
        model = graph.model(self.width).SerializeToString()
        self._session = onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])

    def read(self, ids: Words, lengths: Ints) -> Floats:
        (found,) = self._run([self._output], ids, lengths)
        return found

    def looks(self, ids: Words) -> Floats:
        layers = self._run(self._attention[-HEAT_LAYERS:], ids, np.array([len(ids)]))
        found = []
        for layer in layers:
            query, key, _ = layer.reshape(len(ids), 3, self._heads, -1).transpose(1, 2, 0, 3)
            scores = query @ key.transpose(0, 2, 1) / math.sqrt(query.shape[-1])
            found.append(softmax(scores).mean(0))
        mean: Floats = np.mean(found, axis=0)
        return mean

    def _run(self, outputs: Sequence[str], ids: Words, lengths: Ints) -> list[Floats]:
        starts = offsets_of(lengths)
        column = np.arange(lengths.max())
        mask = column < lengths[:, None]
        within = np.arange(len(ids)) - np.repeat(starts[:-1], lengths)
        rest = -len(ids) % _ROWS
        inputs: dict[str, NDArray[Any]] = {
            "tokens": np.pad(self._words[ids] + self._positions[within], ((0, rest), (0, 0))),
            "places": starts[:-1, None] + np.minimum(column, lengths[:, None] - 1),
            "back": np.pad(np.flatnonzero(mask), (0, rest)),
            "mask": mask.astype(np.int32),
        }
        return [rows[: len(ids)] for rows in self._session.run(list(outputs), inputs)]


def threads() -> int:
    """As many as may run at once; OMP_NUM_THREADS is heeded, as by other numerical libraries."""
    asked = os.environ.get("OMP_NUM_THREADS", "")
    if asked.isdigit() and int(asked):
        return int(asked)
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


class _Graph:
    """The network as nodes and constants; `attention` names each layer's joined queries, keys and values."""

    def __init__(self, stored: Stored, layers: int, heads: int, epsilon: float) -> None:
        self._stored = stored
        self._epsilon = epsilon
        self._nodes: list[NodeProto] = []
        self._constants: list[TensorProto] = []
        self.attention: list[str] = []
        self._constant("flat", np.array([-1, int(stored.encoder["hidden_size"])]))
        here = self._norm("embeddings", ["tokens"], f"{_PREFIX}embeddings.LayerNorm")
        for number in range(layers):
            here = self._layer(f"layer{number}", here, f"{_PREFIX}encoder.layer.{number}.", heads)
        self.output = here

    def model(self, width: int) -> ModelProto:
        tokens = helper.make_tensor_value_info("tokens", TensorProto.FLOAT, ["tokens", width])
        places = helper.make_tensor_value_info("places", TensorProto.INT64, ["inputs", "longest"])
        back = helper.make_tensor_value_info("back", TensorProto.INT64, ["tokens"])
        mask = helper.make_tensor_value_info("mask", TensorProto.INT32, ["inputs", "longest"])
        found = [
            helper.make_tensor_value_info(name, TensorProto.FLOAT, None)
            for name in [self.output, *self.attention]
        ]
        graph = helper.make_graph(
            self._nodes, "encoder", [tokens, places, back, mask], found, self._constants
        )
        versions = [helper.make_opsetid("", 20), helper.make_opsetid(_EXTRA, 1)]
        return helper.make_model(graph, opset_imports=versions, ir_version=10)

    def _layer(self, name: str, before: str, weights: str, heads: int) -> str:
        own = f"{weights}attention.self."
        joined = self._linear(
            f"{name}.joined", before, [f"{own}{part}" for part in ("query", "key", "value")]
        )
        self.attention.append(joined)
        padded = self._node("Gather", [joined, "places"], f"{name}.padded")
        three = [f"{name}.{part}" for part in ("query", "key", "value")]
        self._nodes.append(helper.make_node("Split", [padded], three, axis=-1, num_outputs=3))
        seen = self._node("MultiHeadAttention", [*three, "", "mask"], f"{name}.seen", _EXTRA, num_heads=heads)
        flat = self._node("Reshape", [seen, "flat"], f"{name}.flat")
        kept = self._node("Gather", [flat, "back"], f"{name}.kept")
        mixed = self._linear(f"{name}.mixed", kept, [f"{weights}attention.output.dense"])
        middle = self._norm(f"{name}.middle", [mixed, before], f"{weights}attention.output.LayerNorm")
        wide = self._linear(f"{name}.wide", middle, [f"{weights}intermediate.dense"])
        bent = self._node("Gelu", [wide], f"{name}.bent", _EXTRA)
        narrow = self._linear(f"{name}.narrow", bent, [f"{weights}output.dense"])
        return self._norm(f"{name}.after", [narrow, middle], f"{weights}output.LayerNorm")

    def _linear(self, name: str, source: str, weights: Sequence[str]) -> str:
        """One product for the rows of several matrices."""
        bias = self._constant(f"{name}.bias", np.concatenate([self._floats(f"{w}.bias") for w in weights]))
        compact = [self._stored.compact(f"{weight}.weight") for weight in weights]
        rows = [matrix for matrix in compact if matrix is not None]
        block = _block(rows[0][0].shape[1]) if len(rows) == len(weights) else None
        if block is None:
            matrix = np.concatenate([self._floats(f"{weight}.weight") for weight in weights])
            product = self._node(
                "MatMul", [source, self._constant(f"{name}.matrix", matrix.T)], f"{name}.product"
            )
            return self._node("Add", [product, bias], name)
        matrix = np.concatenate([row for row, _ in rows])
        scales = np.concatenate([scale for _, scale in rows])
        high, wide = matrix.shape
        blocks = wide // block
        bytes_ = (matrix.view(np.uint8) ^ np.uint8(0x80)).reshape(high, blocks, block)
        inputs = [
            source,
            self._constant(f"{name}.matrix", bytes_),
            self._constant(f"{name}.scales", np.repeat(scales, blocks).reshape(high, blocks)),
            "",
            "",
            bias,
        ]
        # Level 4: activations as int8, with a scale for every block of every row.
        sizes = {"K": wide, "N": high, "bits": 8, "block_size": block, "accuracy_level": 4}
        return self._node("MatMulNBits", inputs, name, _EXTRA, **sizes)

    def _norm(self, name: str, sources: Sequence[str], weights: str) -> str:
        """Of one source, or of the sum of two."""
        gain = self._constant(f"{name}.gain", self._floats(f"{weights}.weight"))
        bias = self._constant(f"{name}.bias", self._floats(f"{weights}.bias"))
        if len(sources) == 1:
            return self._node("LayerNormalization", [*sources, gain, bias], name, epsilon=self._epsilon)
        return self._node(
            "SkipLayerNormalization", [*sources, gain, bias], name, _EXTRA, epsilon=self._epsilon
        )

    def _floats(self, name: str) -> Floats:
        return self._stored.floats(name)

    def _node(self, kind: str, inputs: Sequence[str], output: str, domain: str = "", **settings: Any) -> str:
        self._nodes.append(helper.make_node(kind, inputs, [output], domain=domain, **settings))
        return output

    def _constant(self, name: str, array: NDArray[Any]) -> str:
        self._constants.append(numpy_helper.from_array(np.ascontiguousarray(array), name))
        return name


def _block(wide: int) -> int | None:
    """The largest block of activations that divides a row; None where there is none."""
    return next((block for block in (128, 64, 32, 16) if wide % block == 0), None)
