"""One tiny encoder and some prepared sets for all tests of training."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[1] / "model"))

from tiny import examples, write_encoder

from arcaneqa.training.prepared import Builder, write


def prepared_set(folder: Path, count: int, seed: int, relations: int = 5) -> Path:
    builder = Builder()
    for example in examples(count, seed, relations):
        builder.add(example)
    write(builder.build(), folder, {})
    return folder


@pytest.fixture(scope="session")
def encoder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_encoder(tmp_path_factory.mktemp("encoder"))


@pytest.fixture(scope="session")
def noisy_encoder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_encoder(tmp_path_factory.mktemp("noisy"), dropout=0.1)


@pytest.fixture(scope="session")
def twenty(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return prepared_set(tmp_path_factory.mktemp("sets") / "twenty", 20, 1)


@pytest.fixture(scope="session")
def thirty(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return prepared_set(tmp_path_factory.mktemp("sets") / "thirty", 30, 2, relations=9)
