"""What answers gain or lose where the classes a question seems to ask for count as evidence."""

from __future__ import annotations

from collections.abc import Sequence

from arcaneqa.answer import ArcaneQA
from arcaneqa.bench.anonymisation import mean_f1
from arcaneqa.datasets.record import Question
from arcaneqa.kb.interface import KnowledgeBase
from arcaneqa.linking.classes import MOST_CLASSES
from arcaneqa.linking.linker import Linker
from arcaneqa.program.expression import Class, post_order
from arcaneqa.program.text import parse


def report(questions: Sequence[Question], plain: ArcaneQA) -> str:
    """How often a gold program's class is among those expected, and F1 without and with that evidence."""
    typed = ArcaneQA(
        plain.kb, plain.scorer, plain.confidence, plain.linker, answer_types=True, ranker=plain.ranker
    )
    first, among, asked = _recall(questions, plain.kb, plain.linker)
    lines = [
        f"{asked:,} of {len(questions):,} gold programs name classes: the first expected one is among them "
        f"in {100 * first:.1f}%, one of the first {MOST_CLASSES} in {100 * among:.1f}%.",
        "",
        "| answer types | questions | F1 |",
        "|---|---:|---:|",
    ]
    for name, qa in (("off", plain), ("on", typed)):
        lines.append(f"| {name} | {len(questions):,} | {mean_f1(questions, qa):.1f} |")
    return "\n".join(lines)


def _recall(questions: Sequence[Question], kb: KnowledgeBase, linker: Linker) -> tuple[float, float, int]:
    first = among = asked = 0
    for question in questions:
        gold = _classes(question, linker, kb)
        if gold:
            asked += 1
            expected = [link.klass for link in linker.link(question.question).classes]
            first += bool(gold & set(expected[:1]))
            among += bool(gold & set(expected))
    return first / max(1, asked), among / max(1, asked), asked


def _classes(question: Question, linker: Linker, kb: KnowledgeBase) -> set[int]:
    if question.program is None:
        return set()
    program = parse(question.program, linker.identifiers, kb.schema)
    known = kb.schema.class_ids
    return {known[part.iri] for part in post_order(program) if isinstance(part, Class) and part.iri in known}
