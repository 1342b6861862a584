"""The cells of the paper's tables: level of generalisation, function, number of relations."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from arcaneqa.program.expression import Compare, Count, Expression, Extreme, post_order, relations
from arcaneqa.record import Question

NONE, COUNT, COMPARATIVE, SUPERLATIVE = "none", "count", "comparative", "superlative"
FUNCTIONS = (NONE, COUNT, COMPARATIVE, SUPERLATIVE)
LEVELS = ("i.i.d.", "compositional", "zero-shot")
_PUBLISHED = {
    "argmax": SUPERLATIVE,
    "argmin": SUPERLATIVE,
    "comparison": COMPARATIVE,
    **dict.fromkeys(("<", "<=", ">", ">=", "lt", "le", "gt", "ge"), COMPARATIVE),
}

Cells = dict[str, str]


def cells(question: Question, gold: Expression | None) -> Cells:
    """Where a question belongs in each table; what its record does not say is read off the gold program."""
    found: Cells = {}
    if question.level is not None:
        found["level"] = str(question.level)
    if question.function is not None:
        found["function"] = _PUBLISHED.get(str(question.function).lower(), str(question.function).lower())
    elif gold is not None:
        found["function"] = function_of(gold)
    if question.relations is not None:
        found["relations"] = str(question.relations)
    elif gold is not None:
        found["relations"] = str(relation_count(gold))
    return found


def function_of(program: Expression) -> str:
    """The paper's four kinds; a count of superlatives is a count, as in GrailQA's own labels."""
    nodes = list(post_order(program))
    for kind, name in ((Count, COUNT), (Extreme, SUPERLATIVE), (Compare, COMPARATIVE)):
        if any(isinstance(node, kind) for node in nodes):
            return name
    return NONE


def relation_count(program: Expression) -> int:
    return sum(len(relations(node)) for node in post_order(program))


def table(
    rows: Sequence[Cells], scores: Mapping[str, NDArray[np.float64]]
) -> dict[str, dict[str, dict[str, float]]]:
    """Mean of every score in every cell, in percent, with the number of questions."""
    result: dict[str, dict[str, dict[str, float]]] = {}
    for dimension in ("level", "function", "relations"):
        members: dict[str, list[int]] = {}
        for index, row in enumerate(rows):
            if dimension in row:
                members.setdefault(row[dimension], []).append(index)
        result[dimension] = {
            cell: {"n": len(chosen)}
            | {name: percent(float(values[chosen].mean())) for name, values in scores.items()}
            for cell, chosen in sorted(members.items(), key=lambda item: _order(item[0]))
        }
    return result


def percent(share: float) -> float:
    return round(100 * share, 4)


def _order(cell: str) -> tuple[int, int, str]:
    known = (*LEVELS, *FUNCTIONS)
    if cell in known:
        return 0, known.index(cell), cell
    return 1, int(cell) if cell.isdecimal() else 0, cell
