"""How fast training is on this machine, and where the time goes: `python -m benchmarks.train SETS…`.

Like training itself it needs torch, transformers, tokenizers, safetensors and numpy only.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import torch
from torch import nn

from arcaneqa.lab.figures import write_section
from arcaneqa.lab.training.batches import Corpus, join, mixture
from arcaneqa.lab.training.checkpoint import create
from arcaneqa.lab.training.encoder import steady_gpu
from arcaneqa.lab.training.loop import TrainingSettings, half_on, optimizer_of
from arcaneqa.lab.training.network import Sequences
from arcaneqa.lab.training.prepared import read
from arcaneqa.model.config import ModelConfig


def measure(sets: Sequence[Path], encoder: str, batch: int, call_tokens: int, updates: int) -> str:
    """A table of questions a second: all of an update, and its parts one by one."""
    steady_gpu()
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    torch.set_float32_matmul_precision("high")
    settings = TrainingSettings(tuple(sets), Path("unused"), batch=batch, call_tokens=call_tokens)
    model = create(encoder, ModelConfig())
    loaded = [read(folder) for folder in sets]
    began = time.perf_counter()
    corpus = Corpus.of(join(loaded), model.words)
    reading = time.perf_counter() - began
    order = mixture([len(one) for one in loaded], [1.0] * len(loaded), corpus.decisions > 0, 1)
    chosen = [order[i * batch : (i + 1) * batch] for i in range(min(updates, len(order) // batch))]
    began = time.perf_counter()
    batches = [corpus.batch(part, call_tokens, settings.candidates, 1) for part in chosen]
    building = (time.perf_counter() - began) / len(batches)
    real = float(np.mean([sum(len(call.ids) for call in one.inputs.calls) for one in batches]))
    padded = float(np.mean([sum(call.cells for call in one.inputs.calls) for one in batches]))
    moved = [one.to(device) for one in batches]
    network = model.network.to(device).train()
    optimizer = optimizer_of(network, settings, device)
    half = half_on(settings, device)

    def encode(one: Sequences) -> None:
        network.encoder(one.inputs.calls, half).sum().backward()

    def learn(one: Sequences) -> None:
        network(one, half).losses.mean().backward()

    def update(one: Sequences) -> None:
        optimizer.zero_grad(set_to_none=True)
        learn(one)
        nn.utils.clip_grad_norm_(network.parameters(), 1.0)
        optimizer.step()

    whole, learning, encoding = (_seconds(part, moved, device) for part in (update, learn, encode))
    rows = [
        ("whole update", whole),
        ("· encoder, forward and backward", encoding),
        ("· question LSTM, decoder, softmax", learning - encoding),
        ("· clipping and optimiser", whole - learning),
        ("building the batch (other processes, meanwhile)", building),
    ]
    name = torch.cuda.get_device_name() if device.type == "cuda" else "CPU"
    lines = [
        f"{name}, {'bf16' if half else 'fp32'}, torch {torch.__version__}. An update has {batch} questions,",
        f"{real:,.0f} encoder tokens ({padded / real:.2f} × if padded), {real / batch:,.0f} a question.",
        f"Reading and tokenising {len(corpus):,} questions took {reading:.1f} s.",
        "",
        "| part | ms an update | questions/s | M tokens/s |",
        "|---|---|---|---|",
    ]
    lines += [
        f"| {part} | {1000 * took:.1f} | {batch / took:,.0f} | {real / took / 1e6:.2f} |"
        for part, took in rows
        if took > 0
    ]
    return "\n".join(lines)


def _seconds(part: Callable[[Sequences], None], batches: Sequence[Sequences], device: torch.device) -> float:
    """The median over batches, each seen once before: new shapes take longer the first time."""
    for one in batches:
        part(one)
    times = []
    for one in batches:
        _wait(device)
        began = time.perf_counter()
        part(one)
        _wait(device)
        times.append(time.perf_counter() - began)
    return float(np.median(times))


def _wait(device: torch.device) -> None:
    if device.type == "cuda":
        torch.cuda.synchronize()


def run(
    sets: Sequence[Path], encoder: str, batch: int, call_tokens: int, updates: int, document: Path
) -> str:
    """Measure, and put the table into a document."""
    body = measure(sets, encoder, batch, call_tokens, updates)
    names = " ".join(path.name for path in sets)
    line = f"python -m benchmarks.train {names} --encoder {Path(encoder).name} --batch {batch}"
    line += f" --call-tokens {call_tokens}"
    write_section(document, "train", "Training speed", line, body)
    return body


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.train", description=__doc__)
    parser.add_argument("sets", nargs="+", type=Path, help="folders made by `arcaneqa prepare`")
    parser.add_argument("--encoder", required=True, help="as for training")
    parser.add_argument("--batch", type=int, default=128)
    parser.add_argument("--call-tokens", type=int, default=32_768)
    parser.add_argument("--updates", type=int, default=30)
    parser.add_argument("--document", type=Path, default=Path("docs/measurements/benchmarks.md"))
    given = parser.parse_args(arguments)
    print(run(given.sets, given.encoder, given.batch, given.call_tokens, given.updates, given.document))


if __name__ == "__main__":
    main()
