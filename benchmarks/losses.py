"""What answers lose because entities have to be found, and where on the way they lose it."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping
from enum import StrEnum
from pathlib import Path

import numpy as np

from arcaneqa.errors import InputError
from arcaneqa.evaluation.judge import Judge, Verdict
from arcaneqa.evaluation.metrics import Mode
from arcaneqa.evaluation.prediction_files import Problems, QuestionFile
from arcaneqa.evaluation.score import verdicts
from arcaneqa.kb.interface import KnowledgeBase
from arcaneqa.kb.names.name_forms import is_code, name_from_iri, split
from arcaneqa.kb.terms import Iri
from arcaneqa.linking.linker import Linker
from arcaneqa.linking.mentions import Text
from arcaneqa.program.expression import Entity, Expression, post_order
from arcaneqa.program.ontology import Ontology
from arcaneqa.record import Prediction, Question
from benchmarks.linking import gold_nodes


class Loss(StrEnum):
    """The first thing that went wrong."""

    NAMELESS = "the knowledge base has no name for the entity"
    ABSENT = "mention not found: no name of the entity is in the question"
    CUT = "entity found, but not among the best of its mention"
    DECLINED = "all entities found, but no answer was given"
    ANOTHER = "search chose another entity"
    SUPERFLUOUS = "search used a superfluous entity"
    LEFT_OUT = "search left an entity out"
    PROGRAM = "right entities, another program"


def report(data: Path, gold: Path, linked: Path, kb: KnowledgeBase, linker: Linker) -> str:
    """`gold` and `linked` are predictions for the same questions with given and with found entities."""
    questions = QuestionFile(data)
    judge = Judge(Mode.SEMANTIC, Ontology.of(kb), kb.profile)
    given, found = _judged(questions, gold, judge), _judged(questions, linked, judge)
    if given.keys() != found.keys():
        raise InputError(f"{gold} and {linked} do not answer the same questions; predict both again.")
    points: dict[str, float] = defaultdict(float)
    counts: Counter[str] = Counter()
    for position, (_, best) in given.items():
        prediction, verdict = found[position]
        lost = best.answers.f1 - verdict.answers.f1
        if lost > 0:
            used = _used(judge.read(prediction.program), kb)
            cause: str = _cause(questions.get(position), used, kb, linker)
        elif lost < 0:
            cause = "gained: better with found entities than with given ones"
        else:
            continue
        counts[cause] += 1
        points[cause] += lost
    total = len(given)
    lines = [
        f"F1 {_f1(given):.1f} with given entities, {_f1(found):.1f} with found ones, {total:,} questions.",
        *_where_all_have_names(given, found, questions, kb, linker),
        "",
        "| where | questions | F1 points lost |",
        "|---|---:|---:|",
    ]
    for cause, lost in sorted(points.items(), key=lambda item: -item[1]):
        lines.append(f"| {cause} | {counts[cause]:,} | {100 * lost / total:.1f} |")
    return "\n".join(lines)


Judged = Mapping[int, tuple[Prediction, Verdict]]


def _judged(questions: QuestionFile, predictions: Path, judge: Judge) -> Judged:
    rows = verdicts(questions, predictions, judge, Problems())
    return {position: (prediction, verdict) for position, _, prediction, verdict in rows}


def _f1(judged: Judged) -> float:
    return 100 * sum(verdict.answers.f1 for _, verdict in judged.values()) / max(1, len(judged))


def _used(program: Expression | None, kb: KnowledgeBase) -> set[int | None] | None:
    """The entities of a program; None where there is none."""
    if program is None:
        return None
    return {kb.node(part.term) for part in post_order(program) if isinstance(part, Entity)}


def _where_all_have_names(
    given: Judged, found: Judged, questions: QuestionFile, kb: KnowledgeBase, linker: Linker
) -> list[str]:
    """The same figures without the questions that nobody could link; nothing where there are none."""
    named = [
        position
        for position in given
        if not any(is_nameless(n, kb) for n in gold_nodes(questions.get(position), linker.identifiers, kb))
    ]
    if len(named) == len(given):
        return []
    one, other = ({position: judged[position] for position in named} for judged in (given, found))
    return [f"Where all entities have names: {_f1(one):.1f} and {_f1(other):.1f}, {len(named):,} questions."]


def is_nameless(node: int | None, kb: KnowledgeBase) -> bool:
    """Whether a gold entity has neither label nor alias here, nor an IRI that reads as a name."""
    if node is None:
        return True
    ids = np.array([node], np.int64)
    if any(kb.labels(ids)) or any(kb.aliases(ids)):
        return False
    [term] = kb.terms(ids)
    return not isinstance(term, Iri) or is_code(split(name_from_iri(term.value)))


def _cause(question: Question, used: set[int | None] | None, kb: KnowledgeBase, linker: Linker) -> Loss:
    wanted = set(gold_nodes(question, linker.identifiers, kb))
    links = linker.link(question.question)
    offered = {candidate.node for mention in links.mentions for candidate in mention.candidates}
    if any(is_nameless(node, kb) for node in wanted - offered):
        return Loss.NAMELESS
    if wanted - offered:
        proposals = linker.consider(Text.of(question.question)).proposals
        missing = (wanted - offered) - {proposal.node for proposal in proposals}
        return Loss.ABSENT if missing else Loss.CUT
    if used is None:
        return Loss.DECLINED
    if used == wanted:
        return Loss.PROGRAM
    if used > wanted:
        return Loss.SUPERFLUOUS
    return Loss.LEFT_OUT if used < wanted else Loss.ANOTHER
