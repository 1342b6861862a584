"""Real training runs of a tiny model: it learns, stops and goes on exactly, and says what is wrong."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch

from arcaneqa.induction.learned import Learned
from arcaneqa.lab.training.batches import Corpus
from arcaneqa.lab.training.checkpoint import create, load, save
from arcaneqa.lab.training.loop import TrainingSettings, decisions_beside, evaluate
from arcaneqa.lab.training.prepared import read
from arcaneqa.lab.training.saved_run import read_history
from arcaneqa.lab.training.train import main, train
from arcaneqa.model.config import ModelConfig
from arcaneqa.support.errors import InputError
from tests.tiny import prepared_set, write_encoder

SMALL = ModelConfig(hidden=32, dropout=0.0)
NOISY = ModelConfig(hidden=32, dropout=0.2)


@pytest.fixture(scope="module")
def encoder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_encoder(tmp_path_factory.mktemp("encoder"))


@pytest.fixture(scope="module")
def noisy_encoder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_encoder(tmp_path_factory.mktemp("noisy"), dropout=0.1)


@pytest.fixture(scope="module")
def twenty(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return prepared_set(tmp_path_factory.mktemp("sets") / "twenty", 20, 1)


@pytest.fixture(scope="module")
def thirty(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return prepared_set(tmp_path_factory.mktemp("sets") / "thirty", 30, 2, relations=9)


def settings(out: Path, *sets: Path, **choices: object) -> TrainingSettings:
    base = TrainingSettings(
        sets,
        out,
        epochs=4,
        batch=8,
        rate=1e-2,
        encoder_rate=1e-3,
        device="cpu",
        storage="float32",
        half=False,
    )
    return replace(base, **choices)  # type: ignore[arg-type]


def weights(folder: Path) -> dict[str, torch.Tensor]:
    return dict(load(folder).network.state_dict())


def test_twenty_questions_are_learnt_by_heart(tmp_path: Path, encoder: Path, twenty: Path) -> None:
    run = settings(
        tmp_path / "model", twenty, dev=(twenty,), epochs=200, batch=20, patience=2, check_every=25
    )
    progress = train(run, str(encoder), None, SMALL)
    assert progress.best == 100
    again = load(tmp_path / "model")
    corpus = Corpus.of(read(twenty), again.words)
    assert evaluate(again.network, corpus, run, torch.device("cpu")).exact == 100
    save(again, tmp_path / "compact", "int8")
    compact = load(tmp_path / "compact").network
    assert evaluate(compact, corpus, run, torch.device("cpu")).exact >= 95
    lines = read_history(tmp_path / "model.run" / "history.jsonl")
    assert {line["kind"] for line in lines} == {"train", "dev"}
    assert (tmp_path / "model.run" / "history.png").stat().st_size > 1000


def test_a_stopped_run_ends_like_one_never_stopped(
    tmp_path: Path, noisy_encoder: Path, twenty: Path, thirty: Path
) -> None:
    """Bit for bit, with dropout, a mixture and parts of updates; stopped after every update."""
    choices = {"weights": (2.0, 0.5), "part_tokens": 900, "check_every": 3, "dev": (twenty,), "epochs": 1.5}
    whole = settings(tmp_path / "whole", twenty, thirty, **choices)
    train(whole, str(noisy_encoder), None, NOISY)
    stopped = settings(tmp_path / "stopped", twenty, thirty, **choices, pause=0.0)
    steps = [train(stopped, str(noisy_encoder), None, NOISY).step for _ in range(11)]
    assert steps[:3] == [1, 2, 3]
    assert steps[-1] == read_history(tmp_path / "whole.run" / "history.jsonl")[-1]["step"]
    first, second = weights(tmp_path / "whole"), weights(tmp_path / "stopped")
    assert all(torch.equal(first[name], second[name]) for name in first)


def test_a_killed_run_goes_on(tmp_path: Path, noisy_encoder: Path, twenty: Path) -> None:
    choices = {"epochs": 12, "dev": (twenty,), "check_every": 4}
    train(settings(tmp_path / "whole", twenty, **choices), str(noisy_encoder), None, NOISY)
    killed = settings(tmp_path / "killed", twenty, **choices, save_every=0.0)
    command = (
        "import os, sys\n"
        "from arcaneqa.lab.training import loop, saved_run\n"
        "saved = []\n"
        "def save_and_die(path, network, optimizer, progress, fingerprint):\n"
        "    saved_run.save_state(path, network, optimizer, progress, fingerprint)\n"
        "    saved.append(1)\n"
        "    if len(saved) == 7: os._exit(9)\n"
        "loop.save_state = save_and_die\n"
        "from arcaneqa.lab.training.train import main\n"
        "main(sys.argv[1:])\n"
    )
    arguments = [
        *[str(twenty), "--out", str(killed.out), "--encoder", str(noisy_encoder), "--dev", str(twenty)],
        *["--epochs", "12", "--batch", "8", "--rate", "1e-2", "--encoder-rate", "1e-3", "--device", "cpu"],
        *["--check-every", "4", "--save-every", "0", "--storage", "float32", "--no-half"],
        *["--model", json.dumps({"hidden": 32})],
    ]
    died = subprocess.run([sys.executable, "-c", command, *arguments], capture_output=True, check=False)
    assert died.returncode == 9, died.stderr.decode()
    main(arguments)
    first, second = weights(tmp_path / "whole"), weights(killed.out)
    assert all(torch.equal(first[name], second[name]) for name in first)


def test_two_processes_train_like_one(tmp_path: Path, encoder: Path, twenty: Path) -> None:
    alone = settings(tmp_path / "alone", twenty, batch=10, epochs=3)
    train(alone, str(encoder), None, SMALL)
    arguments = [
        *["-m", "arcaneqa.lab.training.train", str(twenty), "--out", str(tmp_path / "pair"), "--epochs", "3"],
        *["--encoder", str(encoder), "--batch", "10", "--rate", "1e-2", "--encoder-rate", "1e-3"],
        *[
            "--device",
            "cpu",
            "--no-half",
            "--storage",
            "float32",
            "--model",
            json.dumps({"hidden": 32, "dropout": 0.0}),
        ],
    ]
    launcher = ["-m", "torch.distributed.run", "--standalone", "--nproc-per-node", "2"]
    environment = os.environ | {"OMP_NUM_THREADS": "1"}
    done = subprocess.run(
        [sys.executable, *launcher, *arguments], capture_output=True, check=False, env=environment
    )
    assert done.returncode == 0, done.stderr.decode()[-2000:]
    first, second = weights(tmp_path / "alone"), weights(tmp_path / "pair")
    for name in first:
        assert torch.allclose(first[name], second[name], atol=2e-4), name


def test_time_ends_a_run_with_a_model(tmp_path: Path, encoder: Path, twenty: Path) -> None:
    run = settings(tmp_path / "model", twenty, dev=(twenty,), epochs=1e6, minutes=0.02)
    progress = train(run, str(encoder), None, SMALL)
    assert 0 < progress.step < 1000
    load(tmp_path / "model")


def test_training_goes_on_from_a_model(tmp_path: Path, encoder: Path, twenty: Path, thirty: Path) -> None:
    train(settings(tmp_path / "first", twenty, epochs=10), str(encoder), None, SMALL)
    taught = Learned(times=frozenset({"http://example.org/since"}))
    taught.save(tmp_path / "first")
    train(settings(tmp_path / "second", thirty, epochs=1), None, tmp_path / "first", SMALL)
    assert load(tmp_path / "second").config == SMALL
    assert Learned.of_model(tmp_path / "second") == taught


def test_another_run_in_the_same_place_is_refused(
    tmp_path: Path, encoder: Path, twenty: Path, thirty: Path
) -> None:
    train(settings(tmp_path / "model", twenty, epochs=1), str(encoder), None, SMALL)
    with pytest.raises(InputError, match="other data or settings"):
        train(settings(tmp_path / "model", thirty, epochs=1), str(encoder), None, SMALL)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["nowhere", "--out", "m", "--encoder", "{encoder}"], "not a prepared set"),
        (["{twenty}", "--out", "m", "--encoder", "{encoder}", "--weights", "1,2"], "2 weights for 1"),
        (["{twenty}", "--out", "m", "--encoder", "{encoder}", "--weights", "x"], "takes numbers"),
        (["{twenty}", "--out", "m", "--encoder", "{encoder}", "--model", "{{"], "JSON object"),
        (["{twenty}", "--out", "m", "--encoder", "{encoder}", "--model", '{{"a": 1}}'], "unknown key"),
        (["{twenty}", "--out", "m"], "either an encoder"),
        (["{twenty}", "--out", "m", "--encoder", "{twenty}"], "cannot be loaded"),
        (["{twenty}", "--out", "m", "--from", "{twenty}"], "not a model"),
        (["{twenty}", "--out", "m", "--encoder", "{encoder}", "--device", "cuda"], "CUDA"),
    ],
)
def test_mistakes_are_one_sentence(
    arguments: list[str],
    message: str,
    encoder: Path,
    twenty: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    filled = [part.format(encoder=encoder, twenty=twenty) for part in arguments]
    with pytest.raises(SystemExit) as stop:
        main(filled)
    assert stop.value.code == 2
    assert message in capsys.readouterr().err


def test_nothing_but_the_training_libraries_is_imported() -> None:
    forbidden = "numba pyoxigraph tantivy typer rich httpx rapidfuzz matplotlib zstandard"
    command = (
        "import sys, arcaneqa.lab.training.train\n"
        f"print([name for name in '{forbidden}'.split() if name in sys.modules])"
    )
    found = subprocess.run([sys.executable, "-c", command], capture_output=True, check=True)
    assert found.stdout.decode().strip() == "[]"


def test_a_model_that_goes_on_has_its_choices_already(
    tmp_path: Path, twenty: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    choice = ["--model", '{"types": false}']
    with pytest.raises(SystemExit):
        main([str(twenty), "--from", "somewhere", "--out", str(tmp_path / "model"), *choice])
    assert "--encoder somewhere" in capsys.readouterr().err


def test_questions_count_alike_whatever_their_length(encoder: Path, thirty: Path) -> None:
    """A question's share of an update's loss is one, and the mean is over questions."""
    model = create(str(encoder), replace(SMALL, dropout=0.0))
    corpus = Corpus.of(read(thirty), model.words)
    network = model.network.eval()
    alone = [float(network(corpus.batch(np.array([n]), 4096)).losses.detach().mean()) for n in range(30)]
    batch = corpus.batch(np.arange(30), 4096)
    together = network(batch).losses.detach() / decisions_beside(batch)
    assert float(together.sum()) / 30 == pytest.approx(np.mean(alone), abs=1e-4)
