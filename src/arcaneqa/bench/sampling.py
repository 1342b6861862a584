"""The paper's way: ask a SPARQL server about each of a few sampled entities of a set.

The authors' code looks up the relations of 20 entities of a set (two queries each) when it comes to JOIN, and
their types (one query each) when it comes to AND. Here the very same searches are answered both ways; only
those look-ups are timed (by the clock; our search by processor time), each set once a search, and the sets
themselves come for free.
"""

from __future__ import annotations

import random
import time
from collections.abc import Sequence
from dataclasses import dataclass

import httpx
import numpy as np

from arcaneqa.bench.induction import BEAM, Case, DrawnScorer
from arcaneqa.errors import ArcaneError
from arcaneqa.induction.grammar import State
from arcaneqa.induction.induction import Induction, Machine
from arcaneqa.induction.meaning import Meaning, Meanings, Roots
from arcaneqa.induction.rewriting import buildable
from arcaneqa.induction.scorer import Decision, Scores
from arcaneqa.induction.search import Search
from arcaneqa.induction.topics import Topics
from arcaneqa.induction.vocabulary import Options
from arcaneqa.kb.interface import KnowledgeBase, NodeSet
from arcaneqa.kb.terms import Iri
from arcaneqa.program.execute import execute
from arcaneqa.program.expression import And, Class, Expression, Join, Relation, post_order
from arcaneqa.program.steps import Function

SAMPLE = 20
_WALKING = frozenset((Function.JOIN.value, Function.AND.value))


@dataclass
class Lost:
    """How often a sample does not show the gold relation or class."""

    questions: int = 0
    choices: int = 0
    large: int = 0
    lost: int = 0
    lost_questions: int = 0


def measure_loss(kb: KnowledgeBase, given: Sequence[Case], seed: int = 1) -> Lost:
    """Every relation and class of the gold programs, chosen from samples of 20 instead of exact sets."""
    rng = random.Random(seed)
    report = Lost(questions=len(given))
    for case in given:
        before = report.lost
        for node in post_order(buildable(case.program, kb)):
            source, gold = _choice(node)
            if source is not None and gold is not None:
                _look(kb, source, gold, rng, report)
        report.lost_questions += report.lost > before
    return report


def _choice(node: Expression) -> tuple[Expression | None, Relation | Class | None]:
    """The set of a JOIN or of an AND with a class, and the name to be chosen for it."""
    match node:
        case Join(relation, argument):
            return argument, relation
        case And(Class() as klass, argument) | And(argument, Class() as klass):
            return argument, klass
        case _:
            return None, None


def _look(
    kb: KnowledgeBase, source: Expression, gold: Relation | Class, rng: random.Random, report: Lost
) -> None:
    try:
        members = execute(source, kb).nodes
    except ArcaneError:
        return
    report.choices += 1
    if len(members) <= SAMPLE:
        return
    report.large += 1
    sample = kb.nodes(np.array(rng.sample(members.ids.tolist(), SAMPLE), np.int64))
    if isinstance(gold, Class):
        seen, wanted = kb.classes(sample), kb.schema.class_ids[gold.iri]
    else:
        seen = kb.out_relations(sample) if gold.inverse else kb.in_relations(sample)
        wanted = kb.schema.relation_ids[gold.iri]
    report.lost += wanted not in seen


@dataclass
class LookUps:
    """Seconds and queries of the same searches, both ways; `own_seconds` without the scorer."""

    searches: int = 0
    queries: int = 0
    server_seconds: float = 0.0
    own_seconds: float = 0.0

    @property
    def ratio(self) -> float:
        return self.server_seconds / self.own_seconds if self.own_seconds else 0.0


def measure_look_ups(kb: KnowledgeBase, asked: Sequence[tuple[str, Topics]], url: str) -> LookUps:
    induction = _Noting(kb)
    drawn = _WalkingScorer(1)
    search = Search(induction, drawn, beam=BEAM)
    search.run("warm up", [Topics()])
    report = LookUps(searches=len(asked))
    rng = random.Random(1)
    with httpx.Client(timeout=120) as client:
        server = _Server(client, url, kb.profile.type[0])
        for question, topics in asked:
            induction.noted.clear()
            before, started = drawn.seconds, time.process_time()
            search.run(question, [topics])
            report.own_seconds += time.process_time() - started - (drawn.seconds - before)
            for meaning, function in induction.noted:
                for entity in _sample(meaning.nodes, kb, rng):
                    server.look_up(entity, function)
    report.queries, report.server_seconds = server.queries, server.seconds
    return report


class _WalkingScorer(DrawnScorer):
    """Prefers JOIN and AND, as questions do: most of them count and order nothing."""

    def _score(self, decision: Decision) -> Scores:
        scores = super()._score(decision)
        walking = np.array([candidate.types in _WALKING for candidate in decision.candidates])
        shifted = scores.log_probs + 6.0 * walking
        return Scores((shifted - np.log(np.exp(shifted).sum())).astype(np.float32), None)


class _Noting(Induction):
    """Induction that notes for which sets JOIN and AND had to know what follows."""

    def __init__(self, kb: KnowledgeBase) -> None:
        super().__init__(kb)
        self.noted: dict[tuple[Meaning, Function], None] = {}
        self._shared = Roots()

    def machine(self) -> Machine:
        return _NotingMachine(self, Meanings(self.vocabulary, self._shared))


class _NotingMachine(Machine):
    def __init__(self, owner: _Noting, meanings: Meanings) -> None:
        super().__init__(meanings)
        self._owner = owner

    def options(self, state: State) -> Options:
        if state.function in (Function.JOIN, Function.AND) and state.source is not None and not state.rest:
            self._owner.noted[state.source.meaning, state.function] = None
        return super().options(state)


def _sample(members: NodeSet, kb: KnowledgeBase, rng: random.Random) -> list[str]:
    ids = members.ids.tolist()
    chosen = rng.sample(ids, SAMPLE) if len(ids) > SAMPLE else ids
    terms = kb.terms(np.array(sorted(chosen), np.int64))
    return [term.value for term in terms if isinstance(term, Iri)]


class _Server:
    def __init__(self, client: httpx.Client, url: str, type_iri: str) -> None:
        self._client = client
        self._url = url
        self._type = type_iri
        self.queries = 0
        self.seconds = 0.0

    def look_up(self, entity: str, function: Function) -> None:
        """All relations of an entity, both ways, or all its types."""
        if function is Function.AND:
            self._ask(f"<{entity}> <{self._type}> ?x")
        else:
            self._ask(f"<{entity}> ?x []")
            self._ask(f"[] ?x <{entity}>")

    def _ask(self, pattern: str) -> None:
        started = time.perf_counter()
        reply = self._client.post(
            self._url,
            data={"query": f"SELECT DISTINCT ?x WHERE {{ {pattern} }}"},
            headers={"Accept": "application/sparql-results+json"},
        )
        reply.raise_for_status()
        reply.json()
        self.seconds += time.perf_counter() - started
        self.queries += 1
