"""How many times as quick as another checkout: both are asked the same in turn, in one run on one machine.

Each asks with its own bundled model, or both with the other's, which shows what the code alone has gained.
The other has its own packages where it has a `.venv`.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from itertools import cycle, islice
from pathlib import Path

import numpy as np

from arcaneqa.lab.bench.serve import drive, resident, server
from arcaneqa.lab.figures import CHECKOUT
from arcaneqa.record import read_questions
from arcaneqa.support.errors import ArcaneError, InputError

DEMO = "demo"
WARM = 5
"""Questions before any is timed: the first ones map files and load compiled loops."""
_EITHER = """
try:
    from arcaneqa.apps.cli.main import main
except ImportError:  # versions before that package
    from arcaneqa.cli.main import main
main()
"""
PAUSE = 0.15
"""Seconds between two questions: threads of a runtime may go on waiting at full speed for a while after an
answer (ONNX Runtime's do for 60 ms), and would take a processor from the other checkout."""
CLIENTS = 64
ROUNDS = 3
"""Turns of the two services under load, and of new processes."""

# Answers a line of its input with the seconds that took (on the clock, of the processor), the word pieces
# that the encoder read and its seconds. Both versions have the reader that is counted here.
_ASK = """
import sys, time
from arcaneqa import ArcaneQA
try:
    from arcaneqa.int8.bert import BertReader
except ImportError:  # versions before that package
    from arcaneqa.model.bert import BertReader
read, pieces, seconds = BertReader.read, 0, 0.0
def counted(self, ids, *more):
    global pieces, seconds
    started = time.perf_counter()
    found = read(self, ids, *more)
    pieces, seconds = pieces + len(ids), seconds + time.perf_counter() - started
    return found
BertReader.read = counted
qa = ArcaneQA.load({kb!r}, {model!r})
print("ready", flush=True)
for question in sys.stdin:
    pieces, seconds = 0, 0.0
    clock, spent = time.perf_counter(), time.process_time()
    qa.ask(question.rstrip("\\n"))
    print(time.perf_counter() - clock, time.process_time() - spent, pieces, seconds, flush=True)
"""
_FITTED = "verdict.json"
"""Weighs the evidence of its own version; another does without."""


@dataclass(frozen=True, slots=True)
class Checkout:
    source: Path
    python: str

    @classmethod
    def of(cls, source: Path) -> Checkout:
        own = source.parent / ".venv" / "bin" / "python"
        return cls(source.resolve(), str(own) if own.exists() else sys.executable)


Both = tuple[Checkout, Checkout]


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
        """More is better only of what is done in a time."""
        old, new = both
        times = new / old if unit.startswith("/") else old / new
        self.rows.append(f"| {figure} | {old:.{digits}f} {unit} | {new:.{digits}f} {unit} | {times:.2f}× |")


def report(other: Path, given: Sequence[str], most: int, seconds: float, same_model: bool) -> str:
    """`other` is the source folder of the checkout to compare with."""
    both = (Checkout.of(other), Checkout(CHECKOUT / "src", sys.executable))
    asked = [Asked.read(one, most) for one in given]
    table = Table()
    with ExitStack() as stack:
        stack.enter_context(_byte_code_kept())
        model = stack.enter_context(_model_of(other)) if same_model else None
        for one in asked:
            _ask(both, one, model, table)
        if seconds:
            demo = [question for one in asked if one.name == DEMO for question in one.questions]
            _serve(both, demo, seconds, model, table)
        _start(both, model, table)
    models = "both ask with its bundled model" if same_model else "each asks with its own bundled model"
    note = f"“Before” is commit {_commit(other)}; {models}. They are asked in turn and rest in between."
    return "\n".join(["| | before | now | |", "|---|--:|--:|--:|", *table.rows, "", note])


def _commit(source: Path) -> str:
    command = ["git", "-C", str(source), "rev-parse", "--short", "HEAD"]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()


@contextmanager
def _model_of(source: Path) -> Iterator[str]:
    """A checkout's bundled model, as either of the two can load it."""
    with tempfile.TemporaryDirectory() as work:
        folder = Path(work) / "model"
        shutil.copytree(
            source / "arcaneqa" / "data" / "model", folder, ignore=shutil.ignore_patterns(_FITTED)
        )
        yield str(folder)


def _ask(both: Both, asked: Asked, model: str | None, table: Table) -> None:
    with ExitStack() as stack:
        processes = []
        for checkout, kb in zip(both, asked.kbs, strict=True):
            process = _process(checkout, _ASK.format(kb=kb, model=model))
            stack.callback(_end, process)
            processes.append(process)
        for process in processes:
            if _line(process) != "ready":
                raise ArcaneError("A process could not be made ready to answer.")
        taken = np.array([[_told(process, one) for process in processes] for one in asked.questions])[WARM:]
    clock, spent, pieces, reading = (taken[:, :, part] for part in range(4))
    count = f"{len(taken)} questions of {asked.name}"
    table.add(f"one question, median ({count})", (1000 * np.median(clock, 0)).tolist(), "ms")
    table.add("· 95 of 100 are quicker than", (1000 * np.percentile(clock, 95, axis=0)).tolist(), "ms")
    table.add("· mean", (1000 * clock.mean(0)).tolist(), "ms")
    table.add("· processor time, median", (1000 * np.median(spent, 0)).tolist(), "ms")
    table.add("· processor time, mean", (1000 * spent.mean(0)).tolist(), "ms")
    table.add("· word pieces read, median", np.median(pieces, 0).tolist(), "pieces")
    table.add("· word pieces read, mean", pieces.mean(0).tolist(), "pieces")
    table.add("· word pieces read", (pieces.sum(0) / reading.sum(0) / 1000).tolist(), "/ms", 1)


def _serve(both: Both, questions: Sequence[str], seconds: float, model: str | None, table: Table) -> None:
    with ExitStack() as stack:
        services = []
        options = ["--waiting", str(CLIENTS), *_named(model)]
        for checkout in both:
            with _path(checkout):
                url, pid = stack.enter_context(server(options, checkout.python))
            services.append((url, pid, cycle(questions)))
        answered, passed, spent = np.zeros(2), np.zeros(2), np.zeros(2)
        for turn in range(ROUNDS + 1):
            for place, (url, pid, following) in enumerate(services):
                before = _processor_seconds(pid)
                load = drive(url, following, CLIENTS, seconds if turn else 3.0, {})
                if turn:
                    answered[place] += len(load.answered)
                    passed[place] += load.seconds
                    spent[place] += _processor_seconds(pid) - before
        held = [resident(pid) for _, pid, _ in services]
    table.add(f"answers a second, {CLIENTS} clients (demo)", (answered / passed).tolist(), "/s", 1)
    table.add("· processor time an answer", (1000 * spent / answered).tolist(), "ms")
    table.add("· memory of the service afterwards", held, "MB")


def _start(both: Both, model: str | None, table: Table) -> None:
    taken, spent = np.zeros((ROUNDS + 1, 2)), np.zeros((ROUNDS + 1, 2))
    command = ["-c", _EITHER, "ask", "what is the capital of France?", *_named(model)]
    for turn in range(len(taken)):
        for place, checkout in enumerate(both):
            with _path(checkout):
                started, before = time.perf_counter(), _children_seconds()
                subprocess.run([checkout.python, *command], capture_output=True, check=True)
                taken[turn, place] = time.perf_counter() - started
                spent[turn, place] = _children_seconds() - before
    table.add(
        "a new process to its first answer, median (demo)", (1000 * np.median(taken[1:], 0)).tolist(), "ms"
    )
    table.add("· processor time, median", (1000 * np.median(spent[1:], 0)).tolist(), "ms")


def _named(model: str | None) -> list[str]:
    return [] if model is None else ["--model", model]


def _processor_seconds(pid: int) -> float:
    """Spent so far by a process."""
    user, system = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[11:13]
    return (int(user) + int(system)) / os.sysconf("SC_CLK_TCK")


def _children_seconds() -> float:
    """Spent by all processes started here that have ended."""
    spent = os.times()
    return spent.children_user + spent.children_system


@contextmanager
def _path(checkout: Checkout) -> Iterator[None]:
    """Processes that are started inside import the package from a checkout."""
    with _environment(PYTHONPATH=str(checkout.source)):
        yield


@contextmanager
def _byte_code_kept() -> Iterator[None]:
    """As that of an installed package is: modules are not translated again in every new process."""
    with (
        tempfile.TemporaryDirectory() as work,
        _environment(PYTHONPYCACHEPREFIX=work, PYTHONDONTWRITEBYTECODE=""),
    ):
        yield


@contextmanager
def _environment(**variables: str) -> Iterator[None]:
    before = {name: os.environ.get(name) for name in variables}
    os.environ |= variables
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value


def _process(checkout: Checkout, program: str) -> subprocess.Popen[str]:
    with _path(checkout):
        return subprocess.Popen(
            [checkout.python, "-c", program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )


def _told(process: subprocess.Popen[str], question: str) -> list[float]:
    assert process.stdin is not None
    time.sleep(PAUSE)
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
