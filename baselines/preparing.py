"""Training sets of the comparisons: the same questions, entities and format as ours, other decisions.

    python -m baselines.preparing METHOD train.jsonl --kb KB --out prepared/METHOD

`typed` and `whole` learn a program token by token among what their constraint offers, `suggested` also with
programs to start from beside the question; `ranking` learns to find the gold program among enumerated ones,
`staged` to grow it by one action at a time. A question whose gold a method cannot express is left out, and
counted by reason in the manifest.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict
from functools import lru_cache
from pathlib import Path
from random import Random

from arcaneqa.induction.induction import Induction, Machine
from arcaneqa.induction.results import Partial
from arcaneqa.induction.scorer import Candidate, TokenKind, WordRanker
from arcaneqa.induction.targets import Target, TargetStep
from arcaneqa.induction.topics import Topics
from arcaneqa.induction.vocabulary import Options
from arcaneqa.kb.interface import KnowledgeBase
from arcaneqa.kb.open import open_kb
from arcaneqa.lab.paper.spelling import Spelling
from arcaneqa.lab.training.prepare import Plan, Preparer, PrepareReport, learn
from arcaneqa.lab.training.prepared import Builder, Decided, Example, write
from arcaneqa.language.expression import Class, Expression, Relation
from arcaneqa.language.steps import Symbol
from arcaneqa.record import read_questions
from baselines.decoding import Constraint
from baselines.enumerated import Enumerator, Programs
from baselines.ranking import as_candidate
from baselines.staged import as_stage, grown
from baselines.typed import Typed
from baselines.vocabulary import WholeVocabulary

METHODS = ("typed", "whole", "suggested", "ranking", "staged")
SUGGESTED = 5
_SHOWN = 0.8
"""How often the gold program is among those suggested in training: a ranker finds it about as often."""
PLAN = Plan(most=64)
_ENUMERATED = 200
"""Programs that a gold one is told apart from; 64 of them are kept, half by words, half at random."""


_Enumerated = Callable[[str, Topics], tuple[Machine, Programs]]


@lru_cache(1)
def _enumerated(kb: KnowledgeBase) -> _Enumerated:
    """Programs around a question's topics and the machine they belong to: methods that learn from them ask
    for the same ones, one after the other."""
    induction = Induction(kb, has_forms=False)
    enumerator = Enumerator(induction, most=_ENUMERATED, seconds=3.0)

    @lru_cache(4)
    def found(question: str, topics: Topics) -> tuple[Machine, Programs]:
        machine = induction.machine()
        return machine, enumerator.programs(question, topics, machine)

    return found


class Comparison(Preparer):
    """Prepares questions for one method; what differs from ours is what a program's decisions are."""

    def __init__(self, kb: KnowledgeBase, method: str, plan: Plan = PLAN) -> None:
        super().__init__(kb, plan)
        self._induction = Induction(kb, has_forms=False)
        self._method = method
        self._enumerated = _enumerated(kb)
        self._spelling = Spelling(kb.schema)
        whole = WholeVocabulary(self._induction)
        # Sets are cut later, around the gold.
        typed = Typed(self._induction, most=sys.maxsize)
        self._constraint: Constraint = typed if method == "typed" else whole

    def _steps(
        self,
        name: str,
        question: str,
        program: Expression,
        topics: Topics,
        draw: Random,
        report: PrepareReport,
    ) -> Iterator[Example]:
        if (target := self._target(question, program, topics, report)) is None:
            return
        made = {"ranking": self._ranking, "staged": self._staged}.get(self._method, self._decoding)
        for example in made(name, target, draw, report):
            report.examples += 1
            yield example

    # Token by token --------------------------------------------------------------------------

    def _decoding(self, name: str, target: Target, draw: Random, report: PrepareReport) -> Iterator[Example]:
        context = self._suggestions(target, draw) if self._method == "suggested" else ""
        steps = []
        for place, token in enumerate(target.tokens):
            options = self._constraint.options(target.question, target.topics, target.tokens[:place])
            if (
                token not in options.tokens
                and self._method != "typed"
                and isinstance(token, Relation | Class)
            ):
                # A vocabulary that was cut by words still holds what is to be learned.
                kind = TokenKind.CLASS if isinstance(token, Class) else TokenKind.RELATION
                options = options + self._spelling.options(Options([token], [Candidate(kind, "")]))
            if token not in options.tokens:
                report.left_out[f"{self._method} does not offer {type(token).__name__}"] += 1
                return
            step = TargetStep(options.candidates, options.tokens.index(token), context)
            steps.append(self._step(target.question, step, draw, report))
        yield Example(name, target.question, target.topics.words, tuple(steps))

    def _suggestions(self, target: Target, draw: Random) -> str:
        gold, others = self._programs(target)
        texts = [as_candidate(state).text for state in others]
        best = [texts[i] for i in WordRanker().rank(target.question, texts, SUGGESTED)]
        if draw.random() < _SHOWN:
            best = [*best[: SUGGESTED - 1], as_candidate(gold).text]
            draw.shuffle(best)
        return " ; ".join(best)

    # Whole programs --------------------------------------------------------------------------

    def _programs(self, target: Target) -> tuple[Partial, list[Partial]]:
        """The gold program, and what else is enumerated."""
        machine, found = self._enumerated(target.question, target.topics)
        gold = gold_states(machine, target)[-1]
        assert gold.top is not None
        return gold, [state for meaning, state in found.items() if meaning != gold.top.meaning]

    def _ranking(self, name: str, target: Target, draw: Random, report: PrepareReport) -> Iterator[Example]:
        gold, others = self._programs(target)
        candidates = tuple(dict.fromkeys(as_candidate(state) for state in (gold, *others)))
        if len(candidates) > 1:
            yield Example(name, target.question, (), (self._among(candidates, 0, target, draw, report),))

    def _staged(self, name: str, target: Target, draw: Random, report: PrepareReport) -> Iterator[Example]:
        machine = self._induction.machine()
        states = gold_states(machine, target)
        before = machine.start(target.topics)
        for number, after in enumerate([*states, states[-1]]):
            pool = grown(machine, before, self._kb.schema)
            candidates = tuple(
                dict.fromkeys(as_stage(machine, state) for state in (after, before, *pool) if state.top)
            )
            if len(candidates) > 1:
                step = self._among(candidates, 0, target, draw, report)
                yield Example(f"{name}-{number}", target.question, (), (step,))
            before = after

    def _among(
        self, candidates: Sequence[Candidate], gold: int, target: Target, draw: Random, report: PrepareReport
    ) -> Decided:
        return self._step(target.question, TargetStep(candidates, gold, ""), draw, report)


def gold_states(machine: Machine, target: Target) -> list[Partial]:
    """The states of a gold program after each of its subprograms."""
    state = machine.start(target.topics)
    found = []
    for token in target.tokens:
        state = machine.advance(state, token)
        if token is Symbol.CLOSE:
            found.append(state)
    return found


def prepare(
    methods: Sequence[str], data: Sequence[Path], kb: str, outs: Sequence[Path]
) -> list[PrepareReport]:
    """Sets of some methods, side by side."""
    builders, reports = [Builder() for _ in methods], [PrepareReport() for _ in methods]
    questions = [question for path in data for question in read_questions(path)]
    with open_kb(kb) as opened:
        preparers = [Comparison(opened, method) for method in methods]
        for number, question in enumerate(questions, 1):
            for preparer, builder, report in zip(preparers, builders, reports, strict=True):
                for example in preparer.examples(question, report):
                    builder.add(example)
            if number % 100 == 0:
                names = ", ".join(out.name for out in outs)
                print(f"{names}: {number} of {len(questions)}", file=sys.stderr, flush=True)
    learned = {"learned": learn(questions, kb).to_json()}
    for method, out, builder, report in zip(methods, outs, builders, reports, strict=True):
        about = {"sources": [path.name for path in data], "plan": asdict(PLAN), "method": method}
        write(builder.build(), out, about | report.to_json() | learned)
    return reports


def main() -> None:
    parser = argparse.ArgumentParser(description="Prepare a comparison's training set.")
    parser.add_argument("method", choices=METHODS)
    parser.add_argument("data", type=Path, nargs="+")
    parser.add_argument("--kb", required=True)
    parser.add_argument("--out", type=Path, required=True)
    given = parser.parse_args()
    (report,) = prepare([given.method], given.data, given.kb, [given.out])
    print(f"{report.examples:,} examples from {report.questions:,} questions in {given.out}")
    for reason, count in report.left_out.most_common():
        print(f"left out, {reason}: {count:,}")


if __name__ == "__main__":
    main()
