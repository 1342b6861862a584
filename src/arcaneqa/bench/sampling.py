"""The paper's way: ask a SPARQL server about each of a few sampled entities of a set.

The authors' code looks up the relations of the first 20 entities of a set (two queries each) and their types
(one query each). Here the same gold programs are walked both ways. Only those look-ups are timed; the sets
themselves come for free.
"""

from __future__ import annotations

import random
import time
from collections.abc import Sequence
from dataclasses import dataclass

import httpx
import numpy as np

from arcaneqa.bench.induction import Case
from arcaneqa.induction.induction import Induction
from arcaneqa.induction.rewriting import buildable
from arcaneqa.induction.targets import Inadmissible, plan, targets
from arcaneqa.kb.interface import KnowledgeBase, NodeSet
from arcaneqa.kb.terms import Iri
from arcaneqa.program.execute import execute
from arcaneqa.program.expression import And, Class, Expression, Join, Relation, post_order
from arcaneqa.program.steps import from_steps

SAMPLE = 20


@dataclass
class Sampled:
    """Seconds and queries of both ways, and how often the sample did not show the gold relation or class."""

    questions: int = 0
    queries: int = 0
    server_seconds: float = 0.0
    own_seconds: float = 0.0
    steps: int = 0
    large_steps: int = 0
    lost_steps: int = 0
    lost_questions: int = 0

    @property
    def ratio(self) -> float:
        return self.server_seconds / self.own_seconds if self.own_seconds else 0.0


def measure_sampling(induction: Induction, given: Sequence[Case], url: str, seed: int = 1) -> Sampled:
    kb = induction.kb
    report = Sampled()
    rng = random.Random(seed)
    with httpx.Client(timeout=120) as client:
        server = _Server(client, url, kb.profile.type[0])
        for case in given:
            planned = plan(buildable(case.program, kb), case.topics)
            if isinstance(planned, Inadmissible):
                continue
            started = time.perf_counter()
            targets(induction, case.question.question, case.program, case.topics)
            report.own_seconds += time.perf_counter() - started
            report.questions += 1
            lost = _walk(from_steps(planned), kb, server, rng, report)
            report.lost_questions += lost
    report.queries, report.server_seconds = server.queries, server.seconds
    return report


def _walk(
    program: Expression, kb: KnowledgeBase, server: _Server, rng: random.Random, report: Sampled
) -> bool:
    lost = False
    for node in post_order(program):
        source, gold = _decision(node)
        if source is None or gold is None:
            continue
        members = execute(source, kb).nodes
        sample = _sample(members, kb, rng)
        if not sample:
            continue
        seen = {name for entity in sample for name in server.look_up(entity, gold)}
        report.steps += 1
        report.large_steps += len(members) > SAMPLE
        if gold not in seen:
            report.lost_steps += 1
            lost = True
    return lost


def _decision(node: Expression) -> tuple[Expression | None, Relation | Class | None]:
    """The set of a JOIN or of an AND with a class, and the name to be chosen for it."""
    match node:
        case Join(relation, argument):
            return argument, relation
        case And(Class() as klass, argument) | And(argument, Class() as klass):
            return argument, klass
        case _:
            return None, None


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

    def look_up(self, entity: str, gold: Relation | Class) -> set[Relation | Class]:
        """All relations of an entity, both ways, or all its types."""
        if isinstance(gold, Class):
            return {Class(iri) for iri in self._ask(f"<{entity}> <{self._type}> ?x")}
        found: set[Relation | Class] = {Relation(iri, True) for iri in self._ask(f"<{entity}> ?x []")}
        found.update(Relation(iri) for iri in self._ask(f"[] ?x <{entity}>"))
        return found

    def _ask(self, pattern: str) -> list[str]:
        started = time.perf_counter()
        reply = self._client.post(
            self._url,
            data={"query": f"SELECT DISTINCT ?x WHERE {{ {pattern} }}"},
            headers={"Accept": "application/sparql-results+json"},
        )
        reply.raise_for_status()
        rows = reply.json()["results"]["bindings"]
        self.seconds += time.perf_counter() - started
        self.queries += 1
        return [row["x"]["value"] for row in rows]
