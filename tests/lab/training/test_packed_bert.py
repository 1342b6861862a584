"""Inputs laid end to end against the library's own way through the same weights, which pads them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor
from transformers import BertConfig, BertModel, RobertaConfig, RobertaModel

from arcaneqa.lab.training.calls import Call, joined
from arcaneqa.lab.training.encoder import ContextualEncoder

LENGTHS = np.array([9, 9, 7, 5, 2, 1])
SEPARATOR = 3
SMALL: dict[str, Any] = {
    "vocab_size": 50,
    "hidden_size": 16,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "intermediate_size": 24,
    "max_position_embeddings": 20,
}


@pytest.fixture
def encoder() -> ContextualEncoder:
    return bert()


def bert(**other: int) -> ContextualEncoder:
    torch.manual_seed(0)
    shape = BertConfig(**SMALL | other, type_vocab_size=2)
    network = BertModel(shape, add_pooling_layer=False)  # type: ignore[no-untyped-call]
    for parameter in network.parameters():
        torch.nn.init.normal_(parameter, std=0.3)
    return ContextualEncoder(network).eval()


def words(seed: int = 0, lengths: np.ndarray[Any, Any] = LENGTHS) -> Call:
    ids = np.random.default_rng(seed).integers(4, 50, int(lengths.sum()))
    return Call.of(ids, lengths)


def by_library(encoder: ContextualEncoder, call: Call) -> Tensor:
    """One input after the other, as the library documents it."""
    return torch.cat([encoder.network(input_ids=one[None]).last_hidden_state[0] for one in inputs(call)])


def inputs(call: Call) -> Iterable[Tensor]:
    return torch.split(call.ids, call.lengths.tolist())


def gradients(encoder: ContextualEncoder, read: Tensor) -> dict[str, Tensor]:
    encoder.zero_grad()
    weights = torch.linspace(-1, 1, read.numel()).view_as(read)
    torch.autograd.backward((read * weights).sum())
    return {name: one.grad.clone() for name, one in encoder.named_parameters() if one.grad is not None}


def test_vectors_and_gradients_are_the_librarys(encoder: ContextualEncoder) -> None:
    call = words()
    found, expected = encoder([call]), by_library(encoder, call)
    assert torch.allclose(found, expected, atol=1e-5)
    ours, theirs = gradients(encoder, found), gradients(encoder, expected)
    assert ours.keys() == theirs.keys() == dict(encoder.named_parameters()).keys()
    for name, gradient in theirs.items():
        assert torch.allclose(ours[name], gradient, atol=1e-4, rtol=1e-4), name


def test_alone_or_together_is_the_same(encoder: ContextualEncoder) -> None:
    calls = [words(seed, LENGTHS[seed:]) for seed in range(3)]
    one_by_one = torch.cat([encoder([call]) for call in calls])
    assert torch.allclose(encoder(calls), one_by_one)
    assert torch.allclose(encoder([joined(calls)]), one_by_one, atol=1e-5)
    each = [
        encoder([Call(one, torch.tensor([0, len(one)]), len(one))]) for call in calls for one in inputs(call)
    ]
    assert torch.allclose(torch.cat(each), one_by_one, atol=1e-5)


def test_other_encoders_are_padded_and_read_the_same() -> None:
    torch.manual_seed(0)
    shape = RobertaConfig(**SMALL, pad_token_id=1)
    network = RobertaModel(shape, add_pooling_layer=False)  # type: ignore[no-untyped-call]
    encoder = ContextualEncoder(network).eval()
    call = words()
    assert torch.allclose(encoder([call]), by_library(encoder, call), atol=1e-5)


def test_dropout_is_applied_while_learning_and_keeps_the_mean(encoder: ContextualEncoder) -> None:
    call = words()
    expected = encoder([call])
    encoder.train()
    assert not torch.equal(encoder([call]), encoder([call]))
    for part in encoder.modules():
        if isinstance(part, torch.nn.Dropout):
            part.p = 0.0
    assert torch.allclose(encoder([call]), expected)


@pytest.mark.parametrize("where", ["attention.self.dropout", "attention.output.dropout", "output.dropout"])
def test_every_dropout_of_a_layer_is_heeded(encoder: ContextualEncoder, where: str) -> None:
    encoder.train()
    for part in encoder.modules():
        if isinstance(part, torch.nn.Dropout):
            part.p = 0.0
    encoder.network.encoder.layer[0].get_submodule(where).p = 0.5
    assert not torch.equal(encoder([words()]), encoder([words()]))


def test_half_floats_are_near(encoder: ContextualEncoder) -> None:
    call = words()
    with torch.inference_mode():
        full, half = encoder([call]), encoder([call], half=True)
    assert half.dtype == torch.float32
    assert float((half - full).norm() / full.norm()) < 0.03


@pytest.mark.skipif(not torch.cuda.is_available(), reason="no GPU")
@pytest.mark.parametrize("heads", [2, 4])
def test_a_gpu_reads_and_learns_half_floats_of_any_lengths_as_a_processor_does(heads: int) -> None:
    """Compiled, and with attention by offsets, which takes no heads of four numbers."""
    encoder = bert(num_attention_heads=heads)
    calls = [words(seed, LENGTHS[seed:]) for seed in range(3)]
    read = encoder(calls)
    expected, whole = read.detach(), gradients(encoder, read)
    encoder.cuda()
    read = encoder([call.to(torch.device("cuda")) for call in calls], half=True)
    assert float((read.detach().cpu() - expected).norm() / expected.norm()) < 0.03
    learned = gradients(encoder, read.cpu())
    # Of all together: some are next to nothing, and those of key biases are but rounding.
    told = [name for name in whole if not name.endswith("key.bias")]
    ours, theirs = (torch.cat([one[name].cpu().flatten() for name in told]) for one in (learned, whole))
    assert float((ours - theirs).norm() / theirs.norm()) < 0.1
