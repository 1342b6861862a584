"""How often the gold program is among those that are enumerated: what enumerate and rank can reach at all.

python -m baselines.coverage dev.jsonl --kb KB [--most 100] [--document docs/measurements/paper.md]
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from arcaneqa.induction.induction import Induction
from arcaneqa.induction.targets import Inadmissible, targets
from arcaneqa.induction.topics import topics_from_gold
from arcaneqa.kb.interface import KnowledgeBase
from arcaneqa.kb.open import open_kb
from arcaneqa.kb.short_names import Names
from arcaneqa.lab.evaluation.metrics import FUNCTIONS, function_of
from arcaneqa.lab.figures import write_section
from arcaneqa.language.text import parse
from arcaneqa.record import Question, read_questions
from baselines.enumerated import Enumerator
from baselines.preparing import gold_states


def report(questions: Sequence[Question], kb: KnowledgeBase) -> str:
    """The share of gold programs that are enumerated from gold entities, how many programs, how long."""
    induction = Induction(kb, has_forms=False)
    enumerator = Enumerator(induction)
    found: dict[str, list[bool]] = {name: [] for name in FUNCTIONS}
    sizes, seconds = [], []
    for question in questions:
        if question.program is None:
            continue
        program = parse(question.program, Names(kb.profile), kb.schema)
        topics = topics_from_gold(question.entities, kb, question.question, program)
        target = targets(induction, question.question, program, topics)
        is_there = False
        if not isinstance(target, Inadmissible):
            machine = induction.machine()
            started = time.perf_counter()
            programs = enumerator.programs(question.question, topics, machine)
            seconds.append(time.perf_counter() - started)
            sizes.append(len(programs))
            gold = gold_states(machine, target)[-1].top
            is_there = gold is not None and gold.meaning in programs
        found[function_of(program)].append(is_there)
    whole = [one for part in found.values() for one in part]
    cells = [f"{100 * np.mean(part):.1f} ({len(part)})" if part else "–" for part in (whole, *found.values())]
    cells += [f"{np.median(sizes):,.0f}", f"{max(sizes):,}"]
    cells += [f"{np.median(seconds):.3f}", f"{np.quantile(seconds, 0.95):.3f}"]
    head = ["all, %", *(f"{name}, %" for name in FUNCTIONS), "programs, median", "most", "s, median", "p95"]
    return f"| {' | '.join(head)} |\n|{'---|' * len(head)}\n| {' | '.join(cells)} |"


def main() -> None:
    parser = argparse.ArgumentParser(description="How often the gold program is enumerated.")
    parser.add_argument("data", type=Path)
    parser.add_argument("--kb", required=True)
    parser.add_argument("--most", type=int, help="use so many questions, spread over the file")
    parser.add_argument("--document", type=Path)
    given = parser.parse_args()
    questions = list(read_questions(given.data))
    if given.most is not None:
        questions = questions[:: max(1, len(questions) // given.most)][: given.most]
    with open_kb(given.kb) as kb:
        body = report(questions, kb)
    if given.document is not None:
        line = f"python -m baselines.coverage {given.data.name} --kb KB"
        line += "" if given.most is None else f" --most {given.most}"
        name = given.data.stem
        write_section(given.document, f"coverage {name}", f"Gold among the enumerated: {name}", line, body)
    print(body)


if __name__ == "__main__":
    main()
