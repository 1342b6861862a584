"""How many times as quick as another checkout: both are asked the same in turn, in one run on one machine."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from itertools import cycle, islice
from pathlib import Path

import numpy as np

from arcaneqa.bench.serve import START, drive, resident, server
from arcaneqa.errors import ArcaneError, InputError
from arcaneqa.figures import CHECKOUT
from arcaneqa.record import read_questions

DEMO = "demo"
WARM = 5
"""Questions before any is timed: the first ones map files and load compiled loops."""
CLIENTS = 64
ROUNDS = 3
"""Turns of the two services under load, and of new processes."""

# Answers a line of its input with the seconds that took: on the clock, and of the processor.
_ASK = """
import sys, time
from arcaneqa.answer import ArcaneQA
qa = ArcaneQA.load({kb!r})
print("ready", flush=True)
for question in sys.stdin:
    clock, spent = time.perf_counter(), time.process_time()
    qa.ask(question.rstrip("\\n"))
    print(time.perf_counter() - clock, time.process_time() - spent, flush=True)
"""


@dataclass(frozen=True, slots=True)
class Asked:
    """Questions, and the index that each of the two checkouts has of their knowledge base."""

    kbs: tuple[str | None, str | None]
    questions: Sequence[str]

    @classmethod
    def read(cls, given: str, most: int) -> Asked:
        """`KB=QUESTIONS.jsonl`, or `THEIRS,OURS=QUESTIONS.jsonl` where they have their own index."""
        kbs, _, file = given.partition("=")
        if not kbs or not file:
            raise InputError(f"“{given}” should be KB=QUESTIONS.jsonl or THEIRS,OURS=QUESTIONS.jsonl.")
        theirs, _, ours = kbs.partition(",")
        old, new = (None if kb == DEMO else kb for kb in (theirs, ours or theirs))
        questions = [one.question for one in islice(read_questions(Path(file)), most + WARM)]
        return cls((old, new), questions)

    @property
    def name(self) -> str:
        return DEMO if self.kbs[1] is None else Path(self.kbs[1]).name


@dataclass(slots=True)
class Table:
    rows: list[str] = field(default_factory=list)

    def add(self, figure: str, both: Sequence[float], unit: str, digits: int = 0) -> None:
        """More is better only of answers a second."""
        old, new = both
        times = new / old if unit == "/s" else old / new
        self.rows.append(f"| {figure} | {old:.{digits}f} {unit} | {new:.{digits}f} {unit} | {times:.2f}× |")


def report(other: Path, given: Sequence[str], most: int, seconds: float) -> str:
    """`other` is the source folder of the checkout to compare with."""
    sources = (other.resolve(), CHECKOUT / "src")
    asked = [Asked.read(one, most) for one in given]
    table = Table()
    for one in asked:
        _ask(sources, one, table)
    if seconds:
        _serve(
            sources,
            [question for one in asked if one.name == DEMO for question in one.questions],
            seconds,
            table,
        )
    _start(sources, table)
    return "\n".join(["| | before | now | |", "|---|--:|--:|--:|", *table.rows])


def _ask(sources: tuple[Path, Path], asked: Asked, table: Table) -> None:
    with ExitStack() as stack:
        processes = []
        for source, kb in zip(sources, asked.kbs, strict=True):
            process = _process(source, _ASK.format(kb=kb))
            stack.callback(_end, process)
            processes.append(process)
        for process in processes:
            if _line(process) != "ready":
                raise ArcaneError("A process could not be made ready to answer.")
        taken = np.array([[_told(process, one) for process in processes] for one in asked.questions])[WARM:]
    clock, spent = 1000 * taken[:, :, 0], 1000 * taken[:, :, 1]
    count = f"{len(taken)} questions of {asked.name}"
    table.add(f"one question, median ({count})", np.median(clock, 0).tolist(), "ms")
    table.add("· 95 of 100 are quicker than", np.percentile(clock, 95, axis=0).tolist(), "ms")
    table.add("· mean", clock.mean(0).tolist(), "ms")
    table.add("· processor time, mean", spent.mean(0).tolist(), "ms")


def _serve(sources: tuple[Path, Path], questions: Sequence[str], seconds: float, table: Table) -> None:
    with ExitStack() as stack:
        services = []
        for source in sources:
            with _path(source):
                url, pid = stack.enter_context(server(["--waiting", str(CLIENTS)]))
            services.append((url, pid, cycle(questions)))
        answered, passed = np.zeros(2), np.zeros(2)
        for turn in range(ROUNDS + 1):
            for place, (url, _, following) in enumerate(services):
                load = drive(url, following, CLIENTS, seconds if turn else 3.0, {})
                if turn:
                    answered[place] += len(load.answered)
                    passed[place] += load.seconds
        held = [resident(pid) for _, pid, _ in services]
    table.add(f"answers a second, {CLIENTS} clients (demo)", (answered / passed).tolist(), "/s", 1)
    table.add("· memory of the service afterwards", held, "MB")


def _start(sources: tuple[Path, Path], table: Table) -> None:
    taken = np.zeros((ROUNDS + 1, 2))
    for turn in range(len(taken)):
        for place, source in enumerate(sources):
            with _path(source):
                started = time.perf_counter()
                command = [sys.executable, "-c", START, "ask", "what is the capital of France?"]
                subprocess.run(command, capture_output=True, check=True)
                taken[turn, place] = time.perf_counter() - started
    table.add(
        "a new process to its first answer, median (demo)", (1000 * np.median(taken[1:], 0)).tolist(), "ms"
    )


@contextmanager
def _path(source: Path) -> Iterator[None]:
    """Processes that are started inside import the package from a checkout."""
    before = os.environ.get("PYTHONPATH")
    os.environ["PYTHONPATH"] = str(source)
    try:
        yield
    finally:
        if before is None:
            del os.environ["PYTHONPATH"]
        else:
            os.environ["PYTHONPATH"] = before


def _process(source: Path, program: str) -> subprocess.Popen[str]:
    with _path(source):
        return subprocess.Popen(
            [sys.executable, "-c", program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )


def _told(process: subprocess.Popen[str], question: str) -> list[float]:
    assert process.stdin is not None
    process.stdin.write(" ".join(question.split()) + "\n")
    process.stdin.flush()
    return [float(number) for number in _line(process).split()]


def _line(process: subprocess.Popen[str]) -> str:
    assert process.stdout is not None
    return process.stdout.readline().strip()


def _end(process: subprocess.Popen[str]) -> None:
    process.terminate()
    process.wait(60)
    for pipe in (process.stdin, process.stdout):
        if pipe is not None:
            pipe.close()
