"""The same gold programs induced over an index and over SPARQL endpoints: alike, and at what price."""

from __future__ import annotations

import gzip
import shutil
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from urllib.parse import urlencode

import numpy as np

from arcaneqa.induction.building import buildable
from arcaneqa.induction.induction import Induction
from arcaneqa.induction.targets import Inadmissible, plan
from arcaneqa.kb.build import build_index
from arcaneqa.kb.endpoint import open_endpoint
from arcaneqa.kb.endpoint.opening import EndpointSettings
from arcaneqa.kb.index import Index
from arcaneqa.kb.interface import KnowledgeBase
from arcaneqa.kb.profile import Profile
from arcaneqa.kb.terms import Literal, Term
from arcaneqa.kb.values import value_of
from arcaneqa.record import Question, read_questions
from arcaneqa.support.errors import InputError
from benchmarks.induction import Case, cases
from benchmarks.kb import engines

# What the reference implementation asks of Virtuoso for two hops and a class, by its own code.
REFERENCE_QUERIES = 70


@dataclass
class Measured:
    """What inducing the programs over one knowledge base took, question by question."""

    name: str
    opening: float = 0.0
    opening_queries: int = 0
    warming: float = 0.0
    warming_queries: int = 0
    seconds: list[float] = field(default_factory=list)
    queries: list[int] = field(default_factory=list)
    walks: list[Walk] = field(default_factory=list)


@dataclass(frozen=True)
class Walk:
    """The admissible tokens at every step of a gold program, and what it denotes, by name."""

    offered: tuple[tuple[str, ...], ...]
    answers: tuple[str, ...]


def run(facts: Path, data: Path, profile: Profile, size: int, say: Callable[[str], None]) -> str:
    """Index the facts, serve them with Oxigraph and with Virtuoso, and induce over all three."""
    lacking = [what for what in engines.missing() if "DuckDB" not in what]
    if lacking:
        raise InputError(f"This benchmark needs {' and '.join(lacking)}.")
    questions = [question for question in read_questions(data) if question.program is not None]
    questions = questions[:: max(1, len(questions) // size)][:size]
    with TemporaryDirectory() as folder:
        return table(_compared(_unpacked(facts, Path(folder)), questions, profile, say))


def _unpacked(facts: Path, folder: Path) -> Path:
    source = folder / "facts.nt"
    reader = gzip.open if facts.suffix == ".gz" else Path.open
    with reader(facts, "rb") as packed, source.open("wb") as plain:
        shutil.copyfileobj(packed, plain)
    return source


def _compared(
    source: Path, questions: Sequence[Question], profile: Profile, say: Callable[[str], None]
) -> list[Measured]:
    work = source.parent
    build_index([source], work / "index", profile=profile)
    measured = [measure("index", lambda: Index(work / "index"), questions)]
    say(table(measured))
    engines.load_oxigraph(source, work / "oxigraph")
    with engines.oxigraph_server(work / "oxigraph") as server:
        measured.append(_over("Oxigraph", server, profile, work, questions))
        say(table(measured))
    with engines.virtuoso(source, work / "virtuoso") as server:
        measured.append(_over("Virtuoso", server, profile, work, questions))
    for other in measured[1:]:
        for number, what in differences(measured[0], other):
            say(f"{other.name} differs in {what}: {questions[number].id} {questions[number].program}")
    return measured


def _over(
    name: str, server: engines.Server, profile: Profile, work: Path, questions: Sequence[Question]
) -> Measured:
    address = f"{server.url}?{urlencode(server.parameters)}" if server.parameters else server.url
    settings = EndpointSettings(folder=work / "memory")
    return measure(name, lambda: open_endpoint(address, profile, settings), questions)


def measure(name: str, opened: Callable[[], KnowledgeBase], questions: Sequence[Question]) -> Measured:
    measured = Measured(name)
    started = time.perf_counter()
    with opened() as kb:
        measured.opening, measured.opening_queries = time.perf_counter() - started, _sent(kb)
        started = time.perf_counter()
        induction = Induction(kb)
        len(induction.starts.keyed)
        measured.warming = time.perf_counter() - started
        measured.warming_queries = _sent(kb) - measured.opening_queries
        for question in questions:
            started, before = time.perf_counter(), _sent(kb)
            for case in cases([question], kb):
                measured.walks.append(_walked(induction, case))
            measured.seconds.append(time.perf_counter() - started)
            measured.queries.append(_sent(kb) - before)
    return measured


def _sent(kb: KnowledgeBase) -> int:
    """Queries over the wire so far; an index sends none."""
    client = getattr(kb, "client", None)
    return 0 if client is None else int(client.sent)


def _walked(induction: Induction, case: Case) -> Walk:
    kb = induction.kb
    planned = plan(buildable(case.program, kb), case.topics)
    if isinstance(planned, Inadmissible):
        return Walk((), (planned.reason.value,))
    machine = induction.machine()
    state = machine.start(case.topics)
    offered: list[tuple[str, ...]] = []
    for token in planned:
        options = machine.options(state)
        offered.append(tuple(sorted(map(repr, options.tokens))))
        if token not in options.tokens:
            return Walk(tuple(offered), ("not admissible",))
        state = machine.advance(state, token)
    assert state.top is not None
    meaning = state.top.meaning
    if (value := meaning.result.value) is not None:
        return Walk(tuple(offered), (value.lexical,))
    return Walk(tuple(offered), tuple(sorted(map(_meant, kb.terms(meaning.nodes.ids)))))


def _meant(term: Term) -> str:
    """A literal by its value: servers write 23 as 23.0 and the like."""
    value = value_of(term) if isinstance(term, Literal) else None
    return repr(term if value is None else value)


def differences(one: Measured, other: Measured) -> Iterator[tuple[int, str]]:
    """Questions on which two knowledge bases differ, and in what."""
    for number, (first, second) in enumerate(zip(one.walks, other.walks, strict=True)):
        if first.offered != second.offered:
            yield number, "admissible tokens"
        elif first.answers != second.answers:
            yield number, "answers"


def table(measured: Sequence[Measured]) -> str:
    first = measured[0]
    lines = [
        "| knowledge base | opening s (queries) | once s (queries) | s a question: median / p95 / mean "
        "| queries a question: median / p95 / mean | same tokens and answers as the index |",
        "|---|---|---|---|---|---|",
    ]
    for one in measured:
        same = len(one.walks) - len(list(differences(first, one)))
        lines.append(
            f"| {one.name} | {one.opening:.1f} ({one.opening_queries}) | {one.warming:.1f} "
            f"({one.warming_queries}) | {_spread(one.seconds, '.3f')} | {_spread(one.queries, '.0f')} "
            f"| {same} of {len(one.walks)} |"
        )
    steps = [len(walk.offered) for walk in first.walks]
    tokens = [len(step) for walk in first.walks for step in walk.offered]
    lines.append(
        f"\n{len(first.walks)} gold programs: {sum(steps)} steps, {sum(tokens)} admissible tokens in all. "
        f"“Once” is what a process does at its first question: which classes a superlative may start from. "
        f"The reference implementation sends about {REFERENCE_QUERIES} queries a question, and samples."
    )
    return "\n".join(lines)


def _spread(values: Sequence[float], form: str) -> str:
    numbers = np.array(values)
    return " / ".join(
        format(float(value), form)
        for value in (np.median(numbers), np.percentile(numbers, 95), np.mean(numbers))
    )
