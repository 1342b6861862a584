"""Questions that walk along three relations, in wordings written by hand before the model was trained.

`chains.toml` has the wordings, each with a hole for what it asks about. The knowledge bases fill the holes:
with the entities that a wording names or, as other people's data is not in the repository, with some that
are drawn from the graph, the same ones every time.
"""

from __future__ import annotations

import re
import tomllib
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from random import Random

from arcaneqa.answer.answer import Answer
from arcaneqa.answer.arcaneqa import ArcaneQA
from arcaneqa.kb.build import build_index
from arcaneqa.kb.interface import KnowledgeBase, Step
from arcaneqa.kb.open import open_kb
from arcaneqa.kb.short_names import Names
from arcaneqa.kb.terms import Iri, Literal, Term
from arcaneqa.lab.evaluation.judge import Judge
from arcaneqa.lab.evaluation.metrics import Mode
from arcaneqa.language.expression import Entity, Expression, Join, Value, post_order
from arcaneqa.language.phrase import paraphrase
from arcaneqa.language.rewrite import rewrite
from arcaneqa.language.run import answer_terms, execute
from arcaneqa.language.text import parse, print_program
from arcaneqa.record import Question
from arcaneqa.support.errors import InputError

FILE = Path(__file__).with_name("chains.toml")
DEMO = "demo"
HOLE = "{x}"
MOST_DRAWN = 4
MOST_ANSWERS = 100
"""What is drawn has no more answers than somebody would read."""

_EMPTY = Entity(Iri("hole:x"))

_NAME = re.compile(r"\{x\}|[A-Za-z][\w.]*")
_FUNCTIONS = frozenset({"JOIN", "AND"})


@dataclass(frozen=True)
class Chain:
    graph: str
    style: str
    program: str
    question: str
    entities: tuple[str, ...] = ()


@dataclass(frozen=True)
class Asked:
    chain: Chain
    question: Question
    meant: str
    """The gold program in English."""


@dataclass(frozen=True)
class Scored:
    asked: Asked
    answer: Answer
    f1: float


def chains() -> list[Chain]:
    table = tomllib.loads(FILE.read_text(encoding="utf-8"))
    return [Chain(**{**row, "entities": tuple(row.get("entities", ()))}) for row in table["chain"]]


def template(chain: Chain, kb: KnowledgeBase) -> Expression:
    """The program before its hole is filled."""
    iris = [*kb.schema.class_ids, *kb.schema.relation_ids]
    known = {re.split("[/#]", iri)[-1]: iri for iri in iris}

    def whole(name: re.Match[str]) -> str:
        word = name.group()
        if word == HOLE:
            return "<hole:x>"
        if word in _FUNCTIONS:
            return word
        local = word.removesuffix("_inv")
        if local not in known:
            raise InputError(f"{chain.graph} has no relation or class “{local}”: {chain.program}")
        return f"<{known[local]}>{word.removeprefix(local)}"

    return parse(_NAME.sub(whole, chain.program), Names(kb.profile), kb.schema)


def filled(program: Expression, term: Term) -> Expression:
    leaf = Value(term) if isinstance(term, Literal) else Entity(term)
    return rewrite(program, lambda node: leaf if node == _EMPTY else node)


def candidates(program: Expression, kb: KnowledgeBase) -> dict[str, list[Term]]:
    """All that the hole's own relation could be asked about, by name."""
    inner = next(node for node in post_order(program) if isinstance(node, Join) and node.argument == _EMPTY)
    step = Step(kb.schema.relation_ids[inner.relation.iri], inverse=not inner.relation.inverse)
    ids = kb.having(step).ids
    found = defaultdict(list)
    for label, term in zip(kb.labels(ids), kb.terms(ids), strict=True):
        if label is not None:
            found[label].append(term)
    return found


def questions(chain: Chain, kb: KnowledgeBase) -> Iterator[Asked]:
    """The chain asked about each of its entities that have an answer; a name must stand for one of them."""
    program, names = template(chain, kb), Names(kb.profile)
    named = candidates(program, kb)
    labels = chain.entities or Random(chain.question).sample(sorted(named), len(named))
    count = 0
    for label in labels:
        possible = [filled(program, term) for term in named.get(label, ())]
        having = [(whole, found) for whole in possible if (found := answer_terms(execute(whole, kb), kb))]
        if len(having) != 1 or (not chain.entities and len(having[0][1]) > MOST_ANSWERS):
            continue
        whole, answers = having[0]
        text = chain.question.replace(HOLE, label)
        record = Question(text, text, print_program(whole, names), tuple(answers))
        yield Asked(chain, record, paraphrase(whole, kb))
        count += 1
        if not chain.entities and count == MOST_DRAWN:
            return


def run(data: Path, model: Path | None, work: Path) -> Iterator[Scored]:
    """Ask everything as a user would: entities are linked, settings are the defaults."""
    demo = ArcaneQA.load(None, model)
    for graph, wordings in by_graph().items():
        if graph == DEMO:
            yield from asked_of(demo, wordings)
            continue
        index = work / graph
        if not index.is_dir():
            build_index([data / "spider" / "kb" / f"{graph}.nt.gz"], index)
        with open_kb(index) as kb:
            yield from asked_of(demo.over(kb), wordings)


def asked_of(qa: ArcaneQA, wordings: Iterable[Chain]) -> Iterator[Scored]:
    every = [asked for chain in wordings for asked in questions(chain, qa.kb)]
    for asked, answer in zip(every, qa.ask_many(asked.question for asked in every), strict=True):
        yield scored(asked, answer, qa.kb)


def scored(asked: Asked, answer: Answer, kb: KnowledgeBase) -> Scored:
    judge = Judge(Mode.SEMANTIC, profile=kb.profile)
    verdict = judge.verdict(asked.question, answer.to_prediction(asked.question.id))
    return Scored(asked, answer, verdict.answers.f1)


def by_graph() -> dict[str, list[Chain]]:
    found: dict[str, list[Chain]] = defaultdict(list)
    for chain in chains():
        found[chain.graph].append(chain)
    return found


def report(rows: list[Scored]) -> str:
    groups: dict[str, list[float]] = defaultdict(list)
    for row in rows:
        chain = row.asked.chain
        side = DEMO if chain.graph == DEMO else "spider"
        for group in (f"graph: {chain.graph}", f"style: {chain.style}", f"all of {side}", "all"):
            groups[group].append(row.f1)
    last = ["all of demo", "all of spider", "all"]
    order = [*sorted(group for group in groups if group not in last), *(g for g in last if g in groups)]
    lines = ["| | questions | F1 |", "|---|---|---|"]
    for group in order:
        scores = groups[group]
        lines.append(f"| {group} | {len(scores)} | {100 * sum(scores) / len(scores):.1f} |")
    return "\n".join(lines)


def misses(rows: list[Scored]) -> str:
    return "\n".join(
        f"{row.asked.chain.graph}: {row.asked.question.question}\n"
        f"    meant: {row.asked.meant}\n"
        f"    read as ({row.answer.confidence or 0:.2f}): {row.answer.paraphrase or row.answer.reason}"
        for row in rows
        if row.f1 < 1
    )
