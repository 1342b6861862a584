"""Beam search over several starting hypotheses; searches side by side share each call of the scorer."""

from __future__ import annotations

import time
from collections.abc import Callable, Generator, Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from heapq import nlargest
from itertools import islice
from threading import local
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from arcaneqa.induction.found import Considered, Found, Readings, SearchOutcome, Trace
from arcaneqa.induction.induction import Induction, Machine
from arcaneqa.induction.learned import Learned
from arcaneqa.induction.meaning import Meaning
from arcaneqa.induction.results import Partial
from arcaneqa.induction.scorer import (
    Attentive,
    Candidate,
    Comparing,
    Counting,
    Decision,
    Heat,
    Ranker,
    Reads,
    Scorer,
    Scores,
    Shortlist,
    TokenKind,
    WordRanker,
)
from arcaneqa.induction.topics import Topics
from arcaneqa.induction.vocabulary import Options
from arcaneqa.language.steps import Symbol, Variable
from arcaneqa.support.errors import BudgetExceeded
from arcaneqa.support.loops import working_time

# Holding a search to choices somebody has made: "not that river, the other one".


NEVER = -1e6
"""What a choice that was ruled out adds to a score; programs below half of it broke the rules."""


@dataclass(frozen=True, slots=True)
class GivenChoice:
    """A candidate as somebody outside can name it."""

    kind: TokenKind
    text: str
    variable: int | None = None

    @classmethod
    def of(cls, candidate: Candidate) -> GivenChoice:
        return cls(candidate.kind, candidate.text, candidate.variable)


@dataclass(frozen=True, slots=True)
class _Guided:
    """A scorer's state and how many real decisions lie behind it."""

    inner: object
    taken: int


class Guide:
    """The first real decisions of a search are settled; the rest is the scorer's.

    It stands between a search and a scorer that others use too, so it works on what passes by:
    `before` on decisions, `after` on their scores.
    """

    def __init__(self, choices: Sequence[GivenChoice] = ()) -> None:
        self._choices = tuple(choices)

    def before(self, decisions: Sequence[Decision]) -> Sequence[Decision]:
        if not self._choices:
            return decisions
        return [
            decision._replace(state=decision.state.inner) if isinstance(decision.state, _Guided) else decision
            for decision in decisions
        ]

    def after(self, decisions: Sequence[Decision], scores: Sequence[Scores]) -> Sequence[Scores]:
        if not self._choices:
            return scores
        return [self._guided(*pair) for pair in zip(decisions, scores, strict=True)]

    def _guided(self, decision: Decision, scores: Scores) -> Scores:
        taken = decision.state.taken if isinstance(decision.state, _Guided) else 0
        if len(decision.candidates) == 1:
            return scores._replace(state=_Guided(scores.state, taken))
        if decision.is_last:
            return scores  # the choices have shaped these programs already
        log_probs = scores.log_probs
        if taken < len(self._choices):
            wanted = [GivenChoice.of(candidate) == self._choices[taken] for candidate in decision.candidates]
            log_probs = np.where(wanted, np.float32(0), np.float32(NEVER)).astype(np.float32)
        return scores._replace(log_probs=log_probs, state=_Guided(scores.state, taken + 1))


# Several searches side by side: what all of them ask next is scored in one call.


Steps = Generator[list[Decision], Sequence[Scores], SearchOutcome]
"""A search as a coroutine: yields the decisions of one step, is sent their scores."""


@dataclass(eq=False)
class Underway:
    """A search between two calls of the scorer: what it asks now, and what it was told last.

    A `guide` holds it to choices somebody has made.
    """

    steps: Steps
    guide: Guide = field(default_factory=Guide)
    asked: list[Decision] = field(default_factory=list)
    told: Sequence[Scores] | None = None

    def advance(self) -> SearchOutcome | None:
        """On to the next decisions; what was found, once there are none."""
        try:
            self.asked = next(self.steps) if self.told is None else self.steps.send(self.told)
        except StopIteration as stop:
            outcome: SearchOutcome = stop.value
            return outcome
        return None


def score_together(scorer: Scorer, searches: Sequence[Underway]) -> None:
    """Tell every search the scores of what it asks, by one call of the scorer."""
    asked = [search.guide.before(search.asked) for search in searches]
    scores = scorer.score([decision for decisions in asked for decision in decisions])
    first = 0
    for search in searches:
        last = first + len(search.asked)
        search.told = search.guide.after(search.asked, scores[first:last])
        first = last


def run_together(scorer: Scorer, searches: Sequence[Steps]) -> list[SearchOutcome]:
    """What each search finds, in their order."""
    outcomes: dict[int, SearchOutcome] = {}
    live = [(place, Underway(steps)) for place, steps in enumerate(searches)]
    while live:
        going = []
        for place, search in live:
            if (outcome := search.advance()) is None:
                going.append((place, search))
            else:
                outcomes[place] = outcome
        if going:
            score_together(scorer, [search for _, search in going])
        live = going
    return [outcomes[place] for place in range(len(searches))]


class SharedScorer:
    """Keeps each thread's time in a scorer. Threads do not wait for each other here."""

    def __init__(self, scorer: Scorer) -> None:
        self._scorer = scorer
        self._spent = local()

    @property
    def seconds(self) -> float:
        """Spent here by this thread so far."""
        return getattr(self._spent, "seconds", 0.0)

    @property
    def reads(self) -> Reads:
        """What the model has read so far, for all threads; nothing where it cannot tell."""
        return self._scorer.reads if isinstance(self._scorer, Counting) else Reads()

    def score(self, decisions: Sequence[Decision]) -> list[Scores]:
        started = time.perf_counter()
        scores = self._scorer.score(decisions)
        self._spent.seconds = self.seconds + time.perf_counter() - started
        return scores

    def heat(self, question: str, step: Considered) -> Heat | None:
        if not isinstance(self._scorer, Attentive):
            return None
        return self._scorer.heat(question, step.context, step.candidates)

    def nearness(
        self, question: str, spans: Sequence[tuple[int, int]], texts: Sequence[str]
    ) -> NDArray[np.float32] | None:
        """None where the scorer cannot tell."""
        if not isinstance(self._scorer, Comparing):
            return None
        return self._scorer.nearness(question, spans, texts)


# Beam search over several starting hypotheses.


@dataclass(frozen=True, slots=True)
class SearchSettings:
    """`beam` is how many hypotheses live at a time at most, and `enough` how probable they are to be together
    among all, so that few live where the model is sure. `exact` lets the scorer read every set of candidates
    as a whole, however large, where otherwise `ranker` shortlists it. With `readings` the programs found are
    weighed once more as wholes, and with `none_of_these` none of them may be the best choice.
    """

    beam: int = 5
    exact: bool = False
    ranker: Ranker | None = None
    learned: Learned | None = None
    readings: bool = False
    none_of_these: bool = False
    enough: float = 1.0


Propose = Callable[[str, Sequence[Found]], Sequence[Found]]
"""For a question and what was found, the same and other programs that the question may mean."""
LEAST = 4
"""Hypotheses that live however sure the model is."""
SHORTLIST = 64
"""Candidates that the scorer gets to see at most, unless it is to read all of them (`exact`)."""


class _Taken(NamedTuple):
    """A step of a hypothesis, linked to the one before."""

    step: Considered
    before: _Taken | None


class _Hypothesis(NamedTuple):
    state: Partial
    log_prob: float
    scorer_state: object | None = None
    choice: int | None = None
    taken: _Taken | None = None

    @property
    def score(self) -> float:
        return self.log_prob + self.state.prior


class Search:
    """Sets of candidates are cut to `limit`, or further if the ranker knows better; None scores whole sets.

    Hypotheses more than `margin` (in log-probability) behind the best are given up, and so are those behind
    others that have `enough` of the probability of all, but for the first `LEAST`. With `readings` the
    programs found, and those that `propose` adds, are read once more as wholes.
    """

    def __init__(
        self,
        induction: Induction,
        scorer: Scorer,
        beam: int = 5,
        limit: int | None = SHORTLIST,
        ranker: Ranker | None = None,
        margin: float = 8.0,
        readings: Readings | None = None,
        propose: Propose | None = None,
        enough: float = 1.0,
    ) -> None:
        self._enough = enough
        self._induction = induction
        self.scorer = scorer
        self._beam = beam
        self._margin = margin
        self._readings = readings
        self._propose = propose
        self._shortlist = None if limit is None else Shortlist(ranker or WordRanker(), limit)

    def run(self, question: str, hypotheses: Sequence[Topics], seconds: float | None = None) -> SearchOutcome:
        """The best programs, at most as many as the beam is wide; the best so far when time runs out."""
        return next(self.run_many([(question, hypotheses)], seconds=seconds))

    def read(self, question: str, outcome: SearchOutcome) -> Steps:
        """What was found, with what is proposed beside it, each read as a whole; for somebody else to
        drive."""
        if self._propose is not None:
            outcome = replace(outcome, found=tuple(self._propose(question, outcome.found)))
        return outcome if self._readings is None else (yield from self._readings.weigh(question, outcome))

    def run_many(
        self,
        questions: Iterable[tuple[str, Sequence[Topics]]],
        together: int = 32,
        seconds: float | None = None,
    ) -> Iterator[SearchOutcome]:
        """Search for many questions in their order, some `together`; `seconds` is for each group."""
        waiting = iter(questions)
        while group := list(islice(waiting, together)):
            searches = [self.steps(question, hypotheses, seconds) for question, hypotheses in group]
            yield from run_together(self.scorer, searches)

    def steps(self, question: str, hypotheses: Sequence[Topics], seconds: float | None = None) -> Steps:
        """The search for somebody else to drive."""
        deadline = None if seconds is None else working_time() + seconds
        machine = self._induction.machine()
        shortlists: dict[int, tuple[Options, Options]] = {}
        live = [_Hypothesis(machine.start(topics), 0.0) for topics in hypotheses]
        done: dict[Meaning, _Hypothesis] = {}
        while live:
            asked: list[tuple[_Hypothesis, Options, Decision]] = []
            for hypothesis in live:
                if deadline is not None and working_time() > deadline:
                    return self._outcome(done, is_complete=False)
                options = machine.options(hypothesis.state)
                if not len(options):
                    continue
                options = self._shortlisted(question, options, shortlists)
                context = machine.context(hypothesis.state)
                asked.append((hypothesis, options, _decision(question, hypothesis, options, context)))
            if not asked:
                break
            scores = yield [decision for _, _, decision in asked]
            live = self._extended(machine, asked, scores, done)
        return (yield from self.read(question, self._outcome(done, is_complete=True)))

    def _extended(
        self,
        machine: Machine,
        asked: Sequence[tuple[_Hypothesis, Options, Decision]],
        scores: Sequence[Scores],
        done: dict[Meaning, _Hypothesis],
    ) -> list[_Hypothesis]:
        """The best hypotheses one token on. Complete ones take a place in the beam and move to `done`."""
        ranked: list[tuple[float, int, int]] = []
        for number, ((hypothesis, options, _), scored) in enumerate(zip(asked, scores, strict=True)):
            score = hypothesis.score
            for position, chance in _best(scored.log_probs, 2 * self._beam):
                prior = _prior(hypothesis.state, options, position)
                ranked.append((score + chance + prior, number, position))
        ranked.sort(key=lambda item: -item[0])
        rivals = sorted((hypothesis.score for hypothesis in done.values()), reverse=True)
        # Scores only fall, so what lies far behind will not win: not worth a place in the scorer's batch.
        floor = max([ranked[0][0], *rivals[:1]]) - self._margin
        width = self._width([total for total, *_ in ranked] + rivals)
        live: list[_Hypothesis] = []
        seen: set[Hashable] = set()
        for total, number, position in ranked:
            better = [rival for rival in rivals if rival >= total]
            if len(live) + len(better) >= width or total < floor:
                break
            extended = _extend(machine, asked[number], scores[number], position)
            if extended.state.is_complete:
                assert extended.state.top is not None
                meaning = extended.state.top.meaning
                if meaning not in done:
                    rivals.append(extended.score)
                if meaning not in done or extended.score > done[meaning].score:
                    done[meaning] = extended
            elif (key := _key(extended.state)) not in seen:
                seen.add(key)
                live.append(extended)
        return live

    def _width(self, totals: list[float]) -> int:
        """How many hypotheses to keep: the fewest that have enough of the probability of all."""
        if self._enough >= 1 or self._beam <= LEAST:
            return self._beam
        chances = np.sort(np.array(totals))[::-1]
        shares = np.exp(chances - np.logaddexp.reduce(chances))
        needed = int(np.searchsorted(np.cumsum(shares), self._enough)) + 1
        return min(self._beam, max(LEAST, needed))

    def _shortlisted(
        self, question: str, options: Options, known: dict[int, tuple[Options, Options]]
    ) -> Options:
        if self._shortlist is None or len(options) <= self._shortlist.beyond:
            return options
        # Options of one meaning are one object; keeping it beside its shortlist keeps its id its own.
        if (found := known.get(id(options))) is not None:
            return found[1]
        kept = self._shortlist.positions(question, options.candidates)
        result = Options(
            [options.tokens[i] for i in kept],
            [options.candidates[i] for i in kept],
            left_out=len(options) - len(kept),
        )
        known[id(options)] = (options, result)
        return result

    def _outcome(self, done: dict[Meaning, _Hypothesis], is_complete: bool) -> SearchOutcome:
        best = nlargest(self._beam, done.values(), key=lambda hypothesis: hypothesis.score)
        found = (_found(hypothesis) for hypothesis in best)
        return SearchOutcome(tuple(one for one in found if one is not None), is_complete)


def _decision(question: str, hypothesis: _Hypothesis, options: Options, context: str) -> Decision:
    return Decision(
        question,
        hypothesis.state.topics.words,
        options.candidates,
        context,
        hypothesis.scorer_state,
        hypothesis.choice,
    )


def _best(log_probs: NDArray[np.float32], most: int) -> list[tuple[int, float]]:
    """The highest with their positions, best first, the earlier one first among equals."""
    chances: list[float] = log_probs.tolist()
    order = sorted(range(len(chances)), key=chances.__getitem__, reverse=True)
    return [(position, chances[position]) for position in order[:most]]


def _prior(state: Partial, options: Options, position: int) -> float:
    """What the state's prior gains if a topic is chosen here."""
    token = options.tokens[position]
    if isinstance(token, Variable) and token.index < len(state.topics.items):
        return state.topics.items[token.index].prior
    return 0.0


def _extend(
    machine: Machine, asked: tuple[_Hypothesis, Options, Decision], scores: Scores, position: int
) -> _Hypothesis:
    hypothesis, options, decision = asked
    token = options.tokens[position]
    state = machine.advance(hypothesis.state, token)
    size = len(state.top.meaning) if token is Symbol.CLOSE and state.top is not None else None
    step = Considered(
        decision.context,
        options.candidates,
        scores.log_probs,
        position,
        size,
        options.left_out,
        scores.level,
    )
    log_prob = hypothesis.log_prob + float(scores.log_probs[position])
    return _Hypothesis(state, log_prob, scores.state, position, _Taken(step, hypothesis.taken))


def _key(state: Partial) -> Hashable:
    """Equal for states that differ only in the order in which they came about."""
    return (
        id(state.topics),
        state.excluded,
        state.top and state.top.meaning,
        state.waiting and state.waiting.meaning,
        state.is_open,
        state.function,
        state.source and state.source.meaning,
        state.argument and state.argument.meaning,
        state.rest,
        state.outer and _key(state.outer),
    )


def _found(hypothesis: _Hypothesis) -> Found | None:
    """A program with its answers; None where they are a table too large to make."""
    state = hypothesis.state
    assert state.top is not None
    try:
        result = state.top.meaning.result
    except BudgetExceeded:
        return None
    steps: list[Considered] = []
    taken = hypothesis.taken
    while taken is not None:
        steps.append(taken.step)
        taken = taken.before
    topics = state.topics
    used = {
        step.candidates[step.choice].variable
        for step in steps
        if step.candidates[step.choice].kind is TokenKind.VARIABLE
    }
    return Found(
        program=state.top.expression,
        score=hypothesis.score,
        result=result,
        topics=tuple(topic for index, topic in enumerate(topics.items) if index in used),
        trace=Trace(topics.words, steps[::-1]),
    )
