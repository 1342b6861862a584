"""The paper's way: ask a SPARQL server about each of a few sampled entities of a set.

The authors' code samples 20 entities of a set. For JOIN it asks for the relations of each (two queries), for
AND for the types of each (one query), and what a JOIN denotes it asks for entity by entity (one query each),
so that samples come from samples. Both ways are taken along the same gold programs here: theirs does only
those look-ups; ours finds every admissible token of every step, exactly, and every denotation.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import httpx
import numpy as np

from arcaneqa.induction.building import buildable
from arcaneqa.induction.induction import Induction, Machine
from arcaneqa.induction.meaning import Meanings, Roots
from arcaneqa.induction.targets import Target, targets
from arcaneqa.kb.interface import KnowledgeBase, NodeSet, Step
from arcaneqa.kb.terms import Iri
from arcaneqa.language.expression import And, Class, Cons, Count, During, Expression, Extreme, Join, Relation
from arcaneqa.language.run import execute
from arcaneqa.support.errors import ArcaneError
from benchmarks.induction import Case

SAMPLE = 20
IN_THE_PAPER = 100
"""What the paper says; its code takes 20."""


@dataclass
class Lost:
    """How often samples do not show the gold relation or class; `large` choices are over larger sets."""

    sample: int
    questions: int = 0
    choices: int = 0
    large: int = 0
    lost: int = 0
    lost_questions: int = 0


class Walk:
    """A gold program from samples: every set is what the sampled members of the one before lead to.

    `look` hears of every sample, and of the relation or class that has to be seen there.
    """

    def __init__(
        self,
        kb: KnowledgeBase,
        sample: int,
        rng: random.Random,
        look: Callable[[NodeSet, NodeSet, Relation | Class], None],
    ) -> None:
        self._kb = kb
        self._size = sample
        self._rng = rng
        self._look = look

    def reach(self, program: Expression) -> NodeSet:
        match program:
            case Join(relation, argument):
                sample = self._sampled(self.reach(argument), relation)
                step = Step(self._kb.schema.relation_ids[relation.iri], not relation.inverse)
                return self._kb.walk(step, sample)
            case And(Class() as klass, argument) | And(argument, Class() as klass):
                members = self.reach(argument)
                self._sampled(members, klass)
                own = self._kb.members(self._kb.schema.class_ids[klass.iri])
                return self._kb.intersection(members, own)
            case And(left, right):
                return self._kb.intersection(self.reach(left), self.reach(right))
            case Cons() | During() | Extreme() | Count():
                return self.reach(program.argument)  # identity in the authors' code
            case _:
                return execute(program, self._kb).nodes

    def _sampled(self, members: NodeSet, gold: Relation | Class) -> NodeSet:
        ids = members.ids.tolist()
        chosen = sorted(self._rng.sample(ids, self._size)) if len(ids) > self._size else ids
        sample = self._kb.nodes(np.array(chosen, np.int64))
        self._look(members, sample, gold)
        return sample


def measure_loss(kb: KnowledgeBase, given: Sequence[Case], sample: int, seed: int = 1) -> Lost:
    """Every relation and class of the gold programs, looked for in samples instead of exact sets."""
    rng = random.Random(seed)
    report = Lost(sample)

    def look(members: NodeSet, seen: NodeSet, gold: Relation | Class) -> None:
        report.choices += 1
        report.large += len(members) > sample
        if isinstance(gold, Class):
            report.lost += kb.schema.class_ids[gold.iri] not in kb.classes(seen)
        else:
            relations = kb.out_relations(seen) if gold.inverse else kb.in_relations(seen)
            report.lost += kb.schema.relation_ids[gold.iri] not in relations

    for case in given:
        before = report.lost
        try:
            Walk(kb, sample, rng, look).reach(buildable(case.program, kb))
        except (ArcaneError, KeyError):
            continue
        report.questions += 1
        report.lost_questions += report.lost > before
    return report


@dataclass
class Ways:
    """Seconds by the clock for the same gold programs, both ways."""

    programs: int = 0
    queries: int = 0
    server_seconds: float = 0.0
    own_seconds: float = 0.0

    @property
    def ratio(self) -> float:
        return self.server_seconds / self.own_seconds if self.own_seconds else 0.0


def measure_ways(kb: KnowledgeBase, given: Sequence[Case], url: str) -> Ways:
    """Twice each, the first time to warm up; nothing is remembered from one program to the next."""
    induction = _Forgetful(kb)
    usable = [
        case
        for case in given
        if isinstance(targets(induction, case.question.question, case.program, case.topics), Target)
    ]
    report = Ways(programs=len(usable))
    for case in usable:
        started = time.perf_counter()
        targets(induction, case.question.question, case.program, case.topics)
        report.own_seconds += time.perf_counter() - started
    with httpx.Client(timeout=120) as client:
        for _ in range(2):
            server = _Server(kb, client, url)
            rng = random.Random(1)
            for case in usable:
                Walk(kb, SAMPLE, rng, server.look).reach(buildable(case.program, kb))
            report.queries, report.server_seconds = server.queries, server.seconds
    return report


class _Forgetful(Induction):
    """Keeps nothing of one program for the next."""

    def machine(self) -> Machine:
        return Machine(Meanings(self.vocabulary, Roots()), self.starts)


class _Server:
    """Only the time of queries counts: the samples themselves come for free."""

    def __init__(self, kb: KnowledgeBase, client: httpx.Client, url: str) -> None:
        self._kb = kb
        self._client = client
        self._url = url
        self._type = kb.profile.type[0]
        self.queries = 0
        self.seconds = 0.0

    def look(self, _members: NodeSet, sample: NodeSet, gold: Relation | Class) -> None:
        for term in self._kb.terms(sample.ids):
            if not isinstance(term, Iri):
                continue
            node = f"<{term.value}>"
            if isinstance(gold, Class):
                self._ask(f"{node} <{self._type}> ?x")
                continue
            self._ask(f"{node} ?x []")
            self._ask(f"[] ?x {node}")
            self._ask(f"{node} <{gold.iri}> ?x" if gold.inverse else f"?x <{gold.iri}> {node}")

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
