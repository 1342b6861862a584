"""How long `arcaneqa score` takes and how much memory, on predictions made up for it."""

from __future__ import annotations

import json
import os
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any

from arcaneqa.lab.evaluation.metrics import Mode
from arcaneqa.lab.evaluation.score import markdown_table
from arcaneqa.support.errors import ArcaneError

_INTEGER = "http://www.w3.org/2001/XMLSchema#integer"


@dataclass(frozen=True, slots=True)
class Measured:
    """`processor` leaves out the time in which other programs had the processor."""

    mode: Mode
    seconds: float
    processor: float
    mebibytes: float


def measure(count: int, modes: tuple[Mode, ...] = tuple(Mode)) -> list[Measured]:
    """Score `count` predictions, 60% of them right, in a process of its own for each mode."""
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        _write(folder, count)
        return [_run(folder, mode) for mode in modes]


def table(measured: list[Measured]) -> str:
    rows = [[str(m.mode), f"{m.seconds:.1f}", f"{m.processor:.1f}", f"{m.mebibytes:.0f}"] for m in measured]
    return markdown_table(["mode", "seconds", "processor seconds", "peak MiB"], rows)


def _run(folder: Path, mode: Mode) -> Measured:
    program = "from arcaneqa.apps.cli.main import main; main()"
    command = [sys.executable, "-c", program, "score", str(folder / "data"), str(folder / "predictions")]
    command += ["--mode", str(mode), "--ontology", str(folder), "--json"]
    started = time.perf_counter()
    output = os.open(os.devnull, os.O_WRONLY)
    child = os.posix_spawn(command[0], command, os.environ, file_actions=[(os.POSIX_SPAWN_DUP2, output, 1)])
    _, status, usage = os.wait4(child, 0)
    os.close(output)
    if status != 0:
        raise ArcaneError(f"Scoring in the mode {mode} failed; see the message above.")
    passed = time.perf_counter() - started
    return Measured(mode, passed, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024)


def _write(folder: Path, count: int) -> None:
    draw = Random(0)
    roles = [
        (f"area.class{n % 40}", f"area.class{n % 40}.relation{n}", f"area.class{n * 7 % 40}")
        for n in range(400)
    ]
    (folder / "fb_roles").write_text("".join(" ".join(role) + "\n" for role in roles))
    (folder / "fb_types").write_text(
        "".join(f"area.class{n} meta.subclassOf common.topic\n" for n in range(40))
    )
    (folder / "reverse_properties").write_text(
        "".join(f"{roles[n][1]}\t{roles[n + 1][1]}\n" for n in range(0, 200, 2))
    )
    with (folder / "data").open("w") as data, (folder / "predictions").open("w") as predictions:
        for number in range(count):
            gold, answers = (
                _program(draw, roles),
                [f"m.{draw.randrange(10**6)}" for _ in range(draw.randint(1, 20))],
            )
            record = {
                "id": number,
                "question": "?",
                "program": gold,
                "answers": answers,
                "level": "zero-shot",
            }
            data.write(json.dumps(record) + "\n")
            predicted = gold if draw.random() < 0.6 else _program(draw, roles)
            items: list[dict[str, Any]] = [{"id": answer, "label": "some label"} for answer in answers[:10]]
            record = {"id": number, "question": "?", "program": predicted, "answers": items, "seconds": 0.1}
            predictions.write(json.dumps(record) + "\n")


def _program(draw: Random, roles: list[tuple[str, str, str]]) -> str:
    """Programs of the shapes and sizes that GrailQA has."""

    def relation() -> str:
        return draw.choice(roles)[1]

    program = f"(JOIN {relation()} m.{draw.randrange(10**6)})"
    if draw.random() < 0.4:
        program = f"(JOIN (R {relation()}) {program})"
    if draw.random() < 0.2:
        program = f"(AND {program} (ge {relation()} {draw.randrange(100)}^^{_INTEGER}))"
    program = f"(AND {draw.choice(roles)[0]} {program})"
    kind = draw.random()
    if kind < 0.1:
        return f"(COUNT {program})"
    return f"(ARGMAX {program} {relation()})" if kind < 0.2 else program
