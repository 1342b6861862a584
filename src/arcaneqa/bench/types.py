"""What answers gain or lose where the classes a question seems to ask for count as evidence."""

from __future__ import annotations

from collections.abc import Sequence

from arcaneqa.answer import ArcaneQA
from arcaneqa.bench.anonymisation import mean_f1
from arcaneqa.linking.classes import MOST_CLASSES
from arcaneqa.program.expression import Class, post_order
from arcaneqa.program.text import parse
from arcaneqa.record import Question


def report(questions: Sequence[Question], plain: ArcaneQA, typed: ArcaneQA) -> str:
    """How often a gold program's class is among those expected, and F1 without and with that evidence."""
    first, among, asked = _recall(questions, typed)
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


def _recall(questions: Sequence[Question], qa: ArcaneQA) -> tuple[float, float, int]:
    assert qa.answer_types is not None
    first = among = asked = 0
    for question in questions:
        gold = _classes(question, qa)
        if gold:
            asked += 1
            expected = [link.klass for link in qa.answer_types.rank(question.question)]
            first += bool(gold & set(expected[:1]))
            among += bool(gold & set(expected))
    return first / max(1, asked), among / max(1, asked), asked


def _classes(question: Question, qa: ArcaneQA) -> set[int]:
    if question.program is None:
        return set()
    program = parse(question.program, qa.names, qa.kb.schema)
    known = qa.kb.schema.class_ids
    return {known[part.iri] for part in post_order(program) if isinstance(part, Class) and part.iri in known}
