"""What a question costs: by its parts, by the size of the knowledge base, by the number of candidates, and in
a process that has just begun.
"""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice, pairwise
from pathlib import Path

import numpy as np

from arcaneqa.answer.answer import Answer
from arcaneqa.answer.arcaneqa import ArcaneQA
from arcaneqa.induction.scorer import Reads
from arcaneqa.kb.interface import KnowledgeBase
from arcaneqa.kb.names.called import names_of
from arcaneqa.kb.open import open_kb
from arcaneqa.kb.short_names import Names
from arcaneqa.kb.terms import Literal
from arcaneqa.record import Mention, Question, read_questions
from arcaneqa.support.errors import ArcaneError, InputError

DEMO = "demo"
PARTS = ("linking", "induction", "model", "answer")
WARM = 5
"""Questions asked before any is timed: the first ones map files and load compiled kernels."""

# A new process, with a clock after each thing that `arcaneqa ask` does on its way to the answer.
_START = """
import time; clock = [time.perf_counter()]; tick = lambda: clock.append(time.perf_counter())
import sys, json
import arcaneqa.apps.cli.main, arcaneqa.answer.arcaneqa, arcaneqa.answer.explain, arcaneqa.model.scorer
tick()
import arcaneqa.answer.arcaneqa as asking
kb = asking.open_kb({kb!r}); tick()
from arcaneqa.model.stored import bundled_model
scorer = arcaneqa.model.scorer.ModelScorer.load(bundled_model()); tick()
qa = asking.ArcaneQA(kb, scorer, asking.Fitted.of_model(bundled_model())); tick()
qa.ask({question!r}); tick()
print(json.dumps([after - before for before, after in zip(clock, clock[1:])]))
"""
STARTS = ("imports", "knowledge base", "model", "linker and induction", "first answer")


@dataclass(frozen=True, slots=True)
class BenchQuestions:
    """Questions of one knowledge base and how they were answered."""

    name: str
    facts: int
    answers: Sequence[Answer]
    reads: Sequence[Reads]

    def milliseconds(self, part: str | None = None) -> Sequence[float]:
        return [1000 * (a.seconds if part is None else a.timings[part]) for a in self.answers]


def source(given: str) -> tuple[str | None, Path | None]:
    """`KB` or `KB=QUESTIONS.jsonl`; `demo` is the bundled knowledge base."""
    kb, _, questions = given.partition("=")
    if not kb:
        raise InputError(f"“{given}” names no knowledge base; write KB or KB=QUESTIONS.jsonl.")
    return None if kb == DEMO else kb, Path(questions) if questions else None


def ask_all(given: str, most: int) -> BenchQuestions:
    """The first `most` questions of a file, or as many about random entities, which then are given."""
    folder, file = source(given)
    with open_kb(folder) as kb:
        qa = ArcaneQA.load(kb)
        found = about_entities(kb, most + WARM) if file is None else read_questions(file)
        answers, reads = [], [qa.scorer.reads]
        for question in islice(found, most + WARM):
            answers.append(qa.ask(question.question, entities=question.entities if file is None else None))
            reads.append(qa.scorer.reads)
        facts = sum(relation.facts for relation in kb.schema.relations)
    read = [after - before for before, after in pairwise(reads)]
    timed = [place for place, answer in enumerate(answers) if place >= WARM and answer.timings]
    if not timed:
        raise InputError(f"{given}: there are no questions to time; {WARM + 1} at least are needed.")
    name = DEMO if folder is None else Path(folder).name
    return BenchQuestions(name, facts, [answers[place] for place in timed], [read[place] for place in timed])


def about_entities(kb: KnowledgeBase, most: int, seed: int = 0) -> Iterator[Question]:
    """A relation of a random member of a random class: questions for graphs whose things have no names."""
    draw = np.random.default_rng(seed)
    names = Names(kb.profile)
    classes = [klass.id for klass in kb.schema.classes if klass.members and not klass.hidden]
    for number in range(most):
        ids = kb.members(int(draw.choice(classes))).ids
        node = ids[draw.integers(len(ids)), None]
        (term,) = kb.terms(node)
        relations = [kb.schema.relations[relation] for relation in kb.out_relations(kb.nodes(node)).tolist()]
        seen = [relation.label for relation in relations if not relation.hidden] or ["name"]
        assert not isinstance(term, Literal)
        (name,) = names_of(kb, node, nameless="something")
        start = f"what is the {draw.choice(seen)} of "
        mention = Mention(names.write(term), name, len(start), len(start) + len(name))
        yield Question(str(number), f"{start}{name}?", entities=(mention,))


def report(given: Sequence[str], most: int, starts: int) -> str:
    asked = [ask_all(one, most) for one in given]
    lines = [
        "Milliseconds a question; the parts are means.",
        "",
        f"| knowledge base | facts | questions | median | p95 | mean | {' | '.join(PARTS)} |",
        f"|---|--:|--:|--:|--:|--:|{'--:|' * len(PARTS)}",
        *(_row(one) for one in asked),
    ]
    lines += ["", *_read(asked)]
    for one in asked:
        lines += ["", *_by_candidates(one)]
    if starts:
        lines += ["", *_starts(given[0], starts)]
    return "\n".join(lines)


def _row(asked: BenchQuestions) -> str:
    total = asked.milliseconds()
    cells = [
        f"{asked.facts:,}",
        f"{len(total)}",
        f"{np.median(total):.0f}",
        f"{np.percentile(total, 95):.0f}",
        f"{np.mean(total):.0f}",
        *(f"{np.mean(asked.milliseconds(part)):.1f}" for part in PARTS),
    ]
    return f"| {asked.name} | {' | '.join(cells)} |"


def _read(asked: Sequence[BenchQuestions]) -> list[str]:
    """What the encoder did, of which most of a question's time is made."""
    lines = [
        "What the encoder read for a question:",
        "",
        "| knowledge base | word pieces, median | p95 | calls, median | pieces a millisecond |",
        "|---|--:|--:|--:|--:|",
    ]
    for one in asked:
        pieces = [read.pieces for read in one.reads]
        calls = np.median([read.calls for read in one.reads])
        rate = sum(pieces) / max(1e-9, 1000 * sum(read.seconds for read in one.reads))
        late = np.percentile(pieces, 95)
        lines.append(f"| {one.name} | {np.median(pieces):,.0f} | {late:,.0f} | {calls:.0f} | {rate:.1f} |")
    return lines


def _by_candidates(asked: BenchQuestions) -> list[str]:
    """Quarters of the questions by how many candidates their program was chosen from."""
    counts = np.array([_candidates(answer) for answer in asked.answers])
    order = np.argsort(counts, kind="stable")
    lines = [
        f"By the number of candidates along the program ({asked.name}):",
        "",
        f"| candidates | questions | median | {' | '.join(PARTS)} |",
        f"|---|--:|--:|{'--:|' * len(PARTS)}",
    ]
    for quarter in np.array_split(order, 4):
        if len(quarter):
            some = BenchQuestions(asked.name, asked.facts, [asked.answers[place] for place in quarter], ())
            span = f"{counts[quarter[0]]}–{counts[quarter[-1]]}"
            parts = " | ".join(f"{np.mean(some.milliseconds(part)):.1f}" for part in PARTS)
            lines.append(f"| {span} | {len(quarter)} | {np.median(some.milliseconds()):.0f} | {parts} |")
    return lines


def _candidates(answer: Answer) -> int:
    steps = () if answer.trace is None else answer.trace.steps
    return sum(len(step.candidates) for step in steps if len(step.candidates) > 1)


def _starts(given: str, starts: int) -> list[str]:
    folder, file = source(given)
    question = "what is the capital of France?"
    if file is not None:
        question = next(iter(read_questions(file))).question
    runs = np.array([_start(folder, question) for _ in range(starts + 1)])[1:]
    whole = [_command(folder, question) for _ in range(starts)]
    rows = [
        f"| {name} | {1000 * value:.0f} |" for name, value in zip(STARTS, np.median(runs, 0), strict=True)
    ]
    name = Path(folder).name if folder else DEMO
    return [
        f"A new process on {name}, files in the page cache (medians of {starts}):",
        "",
        "| part | ms |",
        "|---|--:|",
        *rows,
        f"| `arcaneqa ask` as a whole, the interpreter included | {1000 * np.median(whole):.0f} |",
    ]


def _start(kb: str | None, question: str) -> list[float]:
    program = _START.format(kb=kb, question=question)
    ran = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    if ran.returncode:
        raise ArcaneError(f"A new process did not answer: {ran.stderr.strip().splitlines()[-1]}")
    seconds: list[float] = json.loads(ran.stdout)
    return seconds


def _command(kb: str | None, question: str) -> float:
    options = [] if kb is None else ["--kb", kb]
    verb = "from arcaneqa.apps.cli.main import main; main()"
    started = time.perf_counter()
    ran = subprocess.run(
        [sys.executable, "-c", verb, "ask", question, *options], capture_output=True, check=False
    )
    if ran.returncode == 2:
        raise ArcaneError(f"`arcaneqa ask` failed: {ran.stderr.decode().strip()}")
    return time.perf_counter() - started
