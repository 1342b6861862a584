"""From questions with programs to prepared sets: the knowledge base is asked once, here.

A question is prepared with the gold entities alone, and again with everything the linker found, the
gold among it: the model then also learns which of the alternatives of a mention is meant, and to leave
out what is named in passing or linked by mistake. Asked for, whole programs are prepared as well, for the
last decision of a search (`readings`): a share of the questions once more with a hole in the knowledge base,
where none of what is found is right, and so are all `strange` ones, meant for another knowledge base. A
program whose gold is not admissible is left out, and counted by reason.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from contextlib import suppress
from dataclasses import asdict, dataclass, field, replace
from multiprocessing import get_context
from pathlib import Path
from random import Random
from typing import Any

from arcaneqa.induction.building import buildable, with_constants
from arcaneqa.induction.found import NONE
from arcaneqa.induction.induction import Induction
from arcaneqa.induction.learned import Learned
from arcaneqa.induction.scorer import Candidate, Scorer, WordRanker
from arcaneqa.induction.targets import Inadmissible, Target, TargetStep, targets
from arcaneqa.induction.topics import Topics, is_same, topics_from_gold, topics_from_links
from arcaneqa.kb.interface import KnowledgeBase
from arcaneqa.kb.open import open_kb
from arcaneqa.kb.short_names import Names
from arcaneqa.lab.training.prepared import PREPARED, Builder, Decided, Example, Prepared, write
from arcaneqa.lab.training.readings import Choices
from arcaneqa.language.expression import Expression
from arcaneqa.language.text import parse
from arcaneqa.linking.linker import Linker
from arcaneqa.record import Question, read_questions
from arcaneqa.support.errors import ArcaneError, InputError, ProgramError

GOLD, LINKED, READINGS = "gold", "linked", "readings"
CHUNK = 200
"""Questions that a process takes at a time."""


@dataclass(frozen=True, slots=True)
class Plan:
    """`topics`: prepare with the gold entities, with linked ones, and the choice among readings. `most`: a
    larger candidate set is cut to the gold, the words' best and random others, half and half. `holes`: the
    share of questions whose readings come with a hole, too; without any, none is no choice. `model`: the
    folder of a model that searches for the readings as if it was asked, and where the right one is missing
    once more for those beside it; without one a noisy scorer searches."""

    topics: tuple[str, ...] = (GOLD, LINKED)
    most: int | None = 128
    seed: int = 1
    holes: float = 0.5
    model: str | None = None


@dataclass(slots=True)
class PrepareReport:
    questions: int = 0
    examples: int = 0
    without_program: int = 0
    cut_sets: int = 0
    left_out: Counter[str] = field(default_factory=Counter)

    def add(self, other: PrepareReport) -> None:
        self.questions += other.questions
        self.examples += other.examples
        self.without_program += other.without_program
        self.cut_sets += other.cut_sets
        self.left_out += other.left_out

    def to_json(self) -> dict[str, Any]:
        return asdict(self) | {"left_out": dict(self.left_out.most_common())}


class Preparer:
    """Prepares questions one by one against an opened knowledge base."""

    def __init__(self, kb: KnowledgeBase, plan: Plan, learned: Learned | None = None) -> None:
        self._kb = kb
        self._plan = plan
        self._names = Names(kb.profile)
        self._learned = learned
        self._induction = self._opened()
        self._linker = None if plan.topics == (GOLD,) else Linker(kb)
        self._ranker = WordRanker()
        model = None if plan.model is None else _scorer(plan.model)
        self._choices = Choices(kb, self._induction, self._ranker, plan.holes > 0, model)

    def _opened(self) -> Induction:
        return Induction(self._kb, self._learned)

    def examples(self, question: Question, report: PrepareReport) -> Iterator[Example]:
        report.questions += 1
        if question.program is None:
            report.without_program += 1
            return
        try:
            program = parse(question.program, self._names, self._kb.schema)
        except ProgramError as error:
            report.left_out[f"program: {error}"[:80]] += 1
            return
        gold = topics_from_gold(question.entities, self._kb, question.question, program, self._learned)
        draw = self._draw(question)
        for way in self._plan.topics:
            if way == GOLD:
                meant, topics = program, gold
            else:
                meant, topics = self._linked(question, program, gold, draw)
            if way == LINKED and self._plan.topics[0] != LINKED and topics == gold:
                continue
            make = self._readings if way == READINGS else self._steps
            yield from make(question.id, question.question, meant, topics, draw, report)

    def strange(self, question: Question, report: PrepareReport) -> Iterator[Example]:
        """A question that this knowledge base cannot answer: only the last decision is worth learning."""
        report.questions += 1
        assert self._linker is not None
        topics = topics_from_links(self._linker.link(question.question), self._kb)
        step = self._choices.strange(question.question, topics, self._draw(question))
        yield from _counted(question.id, question.question, step, report)

    def _draw(self, question: Question) -> Random:
        return Random(hashlib.sha256(f"{self._plan.seed} {question.id}".encode()).digest())

    def _linked(
        self, question: Question, program: Expression, gold: Topics, draw: Random
    ) -> tuple[Expression, Topics]:
        """What the linker found, some of it, with the gold topics that it missed: those that the program can
        have as constants are not added, since whoever asks gets them in no other way."""
        assert self._linker is not None
        links = self._linker.link(question.question)
        found = {topic.term for topic in topics_from_links(links, self._kb).items}
        unnamed = {topic.term for topic in gold.items if not any(is_same(topic.term, one) for one in found)}
        if unnamed:
            program = with_constants(
                buildable(program, self._kb, self._learned), unnamed, self._kb, self._learned
            )
            gold = topics_from_gold(question.entities, self._kb, question.question, program, self._learned)
        kept = draw.randint(1, 5)
        mentions = tuple(replace(m, candidates=m.candidates[:kept]) for m in links.mentions)
        linked = topics_from_links(replace(links, mentions=mentions), self._kb).items
        meant = {topic.term for topic in gold.items}
        # Readings of a number that look alike cannot be told apart, so only the gold one is kept.
        looks = {topic.words for topic in linked if topic.term in meant}
        shown = [topic for topic in linked if topic.term in meant or topic.words not in looks]
        known = {topic.term for topic in shown}
        missed = [topic for topic in gold.items if topic.term not in known]
        group = 1 + max((topic.words.group for topic in shown), default=-1)
        added = [
            replace(topic, words=replace(topic.words, group=group + number))
            for number, topic in enumerate(missed)
        ]
        items = tuple(sorted((*shown, *added), key=lambda topic: topic.words.start))
        return program, Topics(items, ranks=gold.ranks, counts=gold.counts)

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
        report.examples += 1
        steps = tuple(self._step(question, step, draw, report) for step in target.steps)
        yield Example(name, question, topics.words, steps)

    def _target(
        self, question: str, program: Expression, topics: Topics, report: PrepareReport
    ) -> Target | None:
        """The decisions of a program; None, and its reason counted, where induction cannot build it."""
        try:
            target = targets(self._induction, question, program, topics)
        except ArcaneError as error:
            report.left_out[f"{type(error).__name__}: {error}"[:80]] += 1
            return None
        if isinstance(target, Inadmissible):
            report.left_out[f"not admissible: {target.reason.value}"] += 1
            return None
        return target

    def _readings(
        self,
        name: str,
        question: str,
        program: Expression,
        topics: Topics,
        draw: Random,
        report: PrepareReport,
    ) -> Iterator[Example]:
        try:
            target = targets(self._induction, question, program, topics)
            if isinstance(target, Inadmissible):
                return
            as_found = None
            if self._choices.model is not None and self._choices.offers_none:
                assert self._linker is not None
                linked = topics_from_links(self._linker.link(question), self._kb)
                as_found = self._choices.as_found(question, program, linked, draw)
                yield from _counted(name, question, as_found, report)
            if as_found is None or as_found.candidates[as_found.gold] == NONE:
                yield from _counted(name, question, self._choices.right(program, target, draw), report)
            if draw.random() < self._plan.holes:
                yield from _counted(name, question, self._choices.hole(program, target, draw), report)
        except ArcaneError as error:
            report.left_out[f"{type(error).__name__}: {error}"[:80]] += 1

    def _step(self, question: str, step: TargetStep, draw: Random, report: PrepareReport) -> Decided:
        candidates = tuple(step.candidates)
        most = self._plan.most
        if most is None or len(candidates) <= most:
            return Decided(candidates, step.gold, step.context)
        report.cut_sets += 1
        texts = [candidate.said for candidate in candidates]
        kept = {step.gold, *self._ranker.rank(question, texts, most // 2)}
        others = [place for place in range(len(candidates)) if place not in kept]
        kept |= set(draw.sample(others, most - len(kept)))
        places = sorted(kept)
        chosen: Sequence[Candidate] = [candidates[place] for place in places]
        return Decided(tuple(chosen), places.index(step.gold), step.context)


def _scorer(folder: str) -> Scorer:
    # Only who asks for a model pays for loading what runs it.
    from arcaneqa.model.scorer import ModelScorer

    return ModelScorer.load(Path(folder), "cpu")


def _counted(name: str, question: str, step: Decided | None, report: PrepareReport) -> Iterator[Example]:
    if step is None:
        report.left_out["only one reading was found"] += 1
        return
    report.examples += 1
    yield Example(name, question, (), (step,))


@dataclass(frozen=True, slots=True)
class _Chunk:
    questions: Sequence[Question]
    are_strange: bool


def prepare(
    data: Sequence[Path],
    kb: str | None,
    out: Path,
    plan: Plan,
    workers: int = 1,
    limit: int | None = None,
    tell: Callable[[int, int], None] = lambda _done, _all: None,
    strange: Sequence[Path] = (),
    preparer: type[Preparer] = Preparer,
) -> PrepareReport:
    """Prepare all questions of some files; `tell` hears how many are done, and of how many.

    Questions of the files `strange` were meant for other knowledge bases.
    """
    PREPARED.check(out)
    questions = [question for path in data for question in read_questions(path)][:limit]
    if not questions:
        raise InputError(f"{', '.join(map(str, data))}: there are no questions to prepare")
    if strange and (READINGS not in plan.topics or not plan.holes):
        raise InputError("questions for another knowledge base teach only readings with holes: prepare those")
    others = [question for path in strange for question in read_questions(path)][:limit]
    chunks = [
        _Chunk(some[start : start + CHUNK], are_strange)
        for some, are_strange in ((questions, False), (others, True))
        for start in range(0, len(some), CHUNK)
    ]
    builder, report = Builder(), PrepareReport()
    learned = learn(questions, kb)
    for part, found in _run(chunks, (kb, plan, learned, preparer), workers):
        builder.absorb(part)
        report.add(found)
        tell(report.questions, len(questions) + len(others))
    about = {"sources": [path.name for path in [*data, *strange]], "plan": asdict(plan)} | report.to_json()
    write(builder.build(), out, about | {"learned": learned.to_json()})
    return report


def learn(questions: Sequence[Question], kb: str | None) -> Learned:
    """What all programs together teach about constants and dates."""
    with open_kb(kb) as opened:
        names, schema = Names(opened.profile), opened.schema
        programs = []
        for question in questions:
            if question.program is not None:
                with suppress(ProgramError):
                    programs.append(parse(question.program, names, schema))
    return Learned.of(programs)


def _run(
    chunks: Sequence[_Chunk], opening: tuple[str | None, Plan, Learned, type[Preparer]], workers: int
) -> Iterator[tuple[Prepared, PrepareReport]]:
    """The chunks in their order, a few of them under way at a time."""
    if workers <= 1:
        _start(*opening)
        yield from map(_work, chunks)
        return
    with ProcessPoolExecutor(workers, get_context("spawn"), _start, opening) as pool:
        waiting: list[Future[tuple[Prepared, PrepareReport]]] = []
        for chunk in chunks:
            waiting.append(pool.submit(_work, chunk))
            if len(waiting) > 2 * workers:
                yield waiting.pop(0).result()
        for future in waiting:
            yield future.result()


_preparer: Preparer | None = None
"""One per process: opening a knowledge base takes longer than preparing a question."""


def _start(kb: str | None, plan: Plan, learned: Learned, preparer: type[Preparer]) -> None:
    global _preparer
    _preparer = preparer(open_kb(kb), plan, learned)


def _work(chunk: _Chunk) -> tuple[Prepared, PrepareReport]:
    assert _preparer is not None
    builder, report = Builder(), PrepareReport()
    make = _preparer.strange if chunk.are_strange else _preparer.examples
    for question in chunk.questions:
        for example in make(question, report):
            builder.add(example)
    return builder.build(), report
