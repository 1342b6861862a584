"""What a question record says about its program: function, number of relations, answers."""

from __future__ import annotations

from arcaneqa.kb.interface import KnowledgeBase
from arcaneqa.kb.short_names import Names
from arcaneqa.kb.terms import Literal
from arcaneqa.program import expression as ex
from arcaneqa.program.execute import Result

_SIGNS = {"LT": "<", "LE": "<=", "GT": ">", "GE": ">=", "EQ": "="}


def function_of(program: ex.Expression) -> str:
    """In GrailQA's words: count, argmax, argmin, a comparison sign or none; cons and tc beside them.

    The outermost of several counts.
    """
    for node in reversed(list(ex.post_order(program))):
        match node:
            case ex.Count():
                return "count"
            case ex.Extreme(direction, _, _):
                return direction.value.lower()
            case ex.Compare(comparison, _, _):
                return _SIGNS[comparison.value]
            case ex.During():
                return "tc"
            case ex.Cons():
                return "cons"
    return "none"


def relations_of(program: ex.Expression) -> int:
    return sum(len(ex.relations(node)) for node in ex.post_order(program))


def answers_of(result: Result, kb: KnowledgeBase, names: Names) -> tuple[str, ...]:
    """Terms as text; a number, a time or yes and no is one of them, and of a table it is the first column."""
    if result.value is not None:
        return (result.value.lexical,)
    if result.count is not None:
        return (str(result.count),)
    terms = kb.terms(result.nodes.ids) if result.table is None else [row[0] for row in result.table.rows]
    written = (t.lexical if isinstance(t, Literal) else names.write(t) for t in terms if t is not None)
    return tuple(dict.fromkeys(written))
