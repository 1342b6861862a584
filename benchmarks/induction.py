"""Induction measured: how many gold programs it can build, how fast, and that no search goes astray."""

from __future__ import annotations

import random
import time
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from arcaneqa.induction import scorer
from arcaneqa.induction.found import is_same
from arcaneqa.induction.induction import Induction, Machine
from arcaneqa.induction.meaning import Meanings, Roots
from arcaneqa.induction.results import Partial
from arcaneqa.induction.scorer import Decision, Ranker, Scores, Shortlist, TokenKind
from arcaneqa.induction.search import SHORTLIST, Search
from arcaneqa.induction.targets import Target, targets
from arcaneqa.induction.topics import Topic, Topics, topics_from_gold
from arcaneqa.induction.vocabulary import Options
from arcaneqa.kb.interface import KnowledgeBase
from arcaneqa.kb.short_names import Names
from arcaneqa.kb.terms import Literal
from arcaneqa.language.expression import Class, Denotation, Entity, Expression, Value, denotes, post_order
from arcaneqa.language.run import Budget, execute
from arcaneqa.language.steps import Ranks
from arcaneqa.language.text import parse
from arcaneqa.record import Question
from arcaneqa.support.errors import ProgramError

BEAM = 5
_PATIENT = Budget(seconds=3600)
_NAMED = (TokenKind.RELATION, TokenKind.CLASS, TokenKind.CONSTANT)
_LEAVES = {Entity.__name__, Value.__name__, Class.__name__}


class DrawnScorer:
    """Knows nothing and costs next to nothing: draws a distribution, about as sharp as a trained model's."""

    def __init__(self, seed: int) -> None:
        self._random = np.random.default_rng(seed)
        self.seconds = 0.0

    def score(self, decisions: Sequence[Decision]) -> list[Scores]:
        started = time.process_time()
        found = [self._score(decision) for decision in decisions]
        self.seconds += time.process_time() - started
        return found

    def _score(self, decision: Decision) -> Scores:
        candidates = len(decision.candidates)
        if candidates == 1:
            return Scores(np.zeros(1, np.float32), None)
        drawn = self._random.standard_normal(candidates) * 3.0
        return Scores((drawn - np.log(np.exp(drawn).sum())).astype(np.float32), None)


@dataclass
class Gold:
    """What became of the gold programs of one file; seconds are of this process alone."""

    questions: int = 0
    admissible: int = 0
    seconds: float = 0.0
    reasons: Counter[str] = field(default_factory=Counter)
    sizes: list[int] = field(default_factory=list)
    shortlisted: int = 0
    kept: Counter[str] = field(default_factory=Counter)

    @property
    def rate(self) -> float:
        return self.questions / self.seconds if self.seconds else 0.0


@dataclass(frozen=True, slots=True)
class Case:
    question: Question
    program: Expression
    topics: Topics


def cases(questions: Iterable[Question], kb: KnowledgeBase) -> list[Case]:
    """The questions with a program that this knowledge base's schema can express."""
    names = Names(kb.profile)
    found = []
    for question in questions:
        if question.program is not None:
            try:
                program = parse(question.program, names, kb.schema)
            except ProgramError:
                continue
            topics = topics_from_gold(question.entities, kb, question.question, program)
            found.append(Case(question, program, topics))
    return found


def measure_gold(
    induction: Induction, given: Sequence[Case], rankers: Mapping[str, Ranker] | None = None
) -> Gold:
    """Targets of every gold program, timed; then how often shortlists would keep the gold."""
    gold = Gold(questions=len(given))
    found: list[tuple[str, Target]] = []
    _warm(induction)
    started = time.process_time()
    for case in given:
        target = targets(induction, case.question.question, case.program, case.topics)
        if isinstance(target, Target):
            found.append((case.question.question, target))
        else:
            gold.reasons[target.reason.value] += 1
    gold.seconds = time.process_time() - started
    gold.admissible = len(found)
    shortlists = {name: Shortlist(ranker, SHORTLIST) for name, ranker in (rankers or {}).items()}
    for question, target in found:
        for step in target.steps:
            if len(step.candidates) > 1:
                gold.sizes.append(len(step.candidates))
            if len(step.candidates) > SHORTLIST and step.candidates[step.gold].kind in _NAMED:
                gold.shortlisted += 1
                for name, shortlist in shortlists.items():
                    gold.kept[name] += step.gold in shortlist.positions(question, step.candidates)
    return gold


def _warm(induction: Induction) -> None:
    """What a process does once: find the classes a program can start from, load compiled code."""
    len(induction.starts.keyed)
    hubs = most_connected(induction.kb, 4)
    Search(induction, DrawnScorer(0), beam=BEAM).run("warm up", [topics_of(induction.kb, hubs)])


@dataclass(frozen=True, slots=True)
class Times:
    """Milliseconds of a search without the scorer, in this process."""

    searches: int
    median: float
    p95: float
    longest: float
    steps: float


def measure_searches(induction: Induction, asked: Sequence[tuple[str, Topics]], seed: int = 1) -> Times:
    drawn = DrawnScorer(seed)
    search = Search(induction, drawn, beam=BEAM)
    _warm(induction)
    search.run("warm up", [Topics()])
    drawn.seconds = 0.0
    own, steps = [], []
    for question, topics in asked:
        before = drawn.seconds
        started = time.process_time()
        outcome = search.run(question, [topics])
        own.append(1000 * (time.process_time() - started - (drawn.seconds - before)))
        steps.append(max((len(found.trace.steps) for found in outcome.found), default=0))
    times = np.array(own)
    return Times(
        len(own),
        float(np.median(times)),
        float(np.percentile(times, 95)),
        float(times.max()),
        float(np.mean(steps)),
    )


def most_connected(kb: KnowledgeBase, count: int) -> list[int]:
    """The entities that most facts mention."""
    nodes = _entities(kb)
    degrees = kb.degrees(nodes)
    return [int(node) for node in nodes[np.argsort(-degrees, kind="stable")[:count]]]


def _entities(kb: KnowledgeBase) -> np.ndarray[tuple[int, ...], np.dtype[np.int64]]:
    """Members of all classes: every entity a question could name."""
    found = [kb.members(klass.id).ids for klass in kb.schema.classes if klass.members and not klass.hidden]
    return np.unique(np.concatenate(found)) if found else np.empty(0, np.int64)


def topics_of(kb: KnowledgeBase, nodes: Sequence[int]) -> Topics:
    """Entities as topics of their own mentions."""
    ids = np.array(nodes, np.int64)
    items = []
    for group, (term, label) in enumerate(zip(kb.terms(ids), kb.labels(ids), strict=True)):
        words = scorer.TopicWords(label or "something", 0, 0, group)
        items.append(Topic(Value(term) if isinstance(term, Literal) else Entity(term), words))
    return Topics(tuple(items))


class _Watched(Induction):
    """Induction whose machines count the states that offer nothing."""

    def __init__(self, kb: KnowledgeBase) -> None:
        super().__init__(kb)
        self.dead_ends = 0
        self._shared = Roots()

    def machine(self) -> Machine:
        return _WatchedMachine(self, Meanings(self.vocabulary, self._shared))


class _WatchedMachine(Machine):
    def __init__(self, owner: _Watched, meanings: Meanings) -> None:
        super().__init__(meanings, owner.starts)
        self._owner = owner

    def options(self, state: Partial) -> Options:
        found = super().options(state)
        is_start = state.closed == 0 and not state.is_open
        if not len(found) and not is_start and not state.is_complete:
            self._owner.dead_ends += 1
        return found


@dataclass
class Soundness:
    """`wrong` are programs that did not execute to what the search said, or to nothing."""

    searches: int = 0
    programs: int = 0
    dead_ends: int = 0
    wrong: int = 0
    functions: Counter[str] = field(default_factory=Counter)


def search_at_random(kb: KnowledgeBase, searches: int, seed: int = 1) -> Soundness:
    """Searches with drawn scores from drawn entities, values, names, ranks and numbers to count by; every
    program found is executed."""
    rng = random.Random(seed)
    induction = _Watched(kb)
    search = Search(induction, DrawnScorer(seed), beam=BEAM)
    everyone = _entities(kb)
    hubs = most_connected(kb, 500)
    values = _values(kb, everyone, seed)
    report = Soundness(searches=searches)
    for _ in range(searches):
        drawn = [rng.choice(hubs) for _ in range(rng.randint(0, 2))]
        drawn += [int(everyone[rng.randrange(len(everyone))]) for _ in range(rng.randint(0, 2))]
        drawn += [rng.choice(values) for _ in range(rng.randint(0, 1)) if values]
        for found in search.run("which?", [_with_words(topics_of(kb, drawn), kb, everyone, rng)]).found:
            report.programs += 1
            report.functions.update({type(node).__name__ for node in post_order(found.program)} - _LEAVES)
            result = execute(found.program, kb, _PATIENT)
            is_empty = denotes(found.program) is Denotation.SET and not len(result.nodes)
            report.wrong += is_empty or not is_same(result, found.result, kb)
    report.dead_ends = induction.dead_ends
    return report


def _with_words(
    topics: Topics,
    kb: KnowledgeBase,
    everyone: np.ndarray[tuple[int, ...], np.dtype[np.int64]],
    rng: random.Random,
) -> Topics:
    """The same as if the question also said some numbers, and now and then a name or a part of one."""
    items = topics.items
    (label,) = kb.labels(everyone[[rng.randrange(len(everyone))]])
    if label and rng.random() < 0.3:
        text = rng.choice([label, label.split()[0]])
        items += (Topic(Value(Literal(text)), scorer.TopicWords(text, 0, 0, len(items))),)
    return Topics(items, ranks=(Ranks(1, 3), Ranks(2, 2)), counts=(1, 2, 3))


def _values(
    kb: KnowledgeBase, everyone: np.ndarray[tuple[int, ...], np.dtype[np.int64]], seed: int
) -> list[int]:
    """Some numbers and times of the facts."""
    rng = np.random.default_rng(seed)
    some = kb.nodes(rng.choice(everyone, min(5000, len(everyone)), replace=False))
    found: list[int] = []
    for relation in kb.comparable_relations(some).tolist():
        objects = kb.objects(relation, some).ids
        literals = objects[kb.are_literals(objects)]
        found += literals[:20].tolist()
    return found
