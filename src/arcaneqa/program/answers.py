"""What a program found, as the terms that records hold."""

from __future__ import annotations

from collections.abc import Iterable

from arcaneqa.kb.interface import KnowledgeBase
from arcaneqa.kb.short_names import Names
from arcaneqa.kb.terms import Literal, Term
from arcaneqa.program.execute import Result


def answer_terms(result: Result, kb: KnowledgeBase) -> tuple[str, ...]:
    """Short forms of entities and lexical forms of literals, each once: a set in alphabetical order, a list
    in its own, of a table the first column."""
    names = Names(kb.profile)
    found = dict.fromkeys(
        term.lexical if isinstance(term, Literal) else names.write(term) for term in _terms(result, kb)
    )
    return tuple(found if result.order is not None or result.table is not None else sorted(found))


def _terms(result: Result, kb: KnowledgeBase) -> list[Term]:
    if result.value is not None:
        return [result.value]
    if result.table is not None:
        return [row[0] for row in result.table.terms(kb) if row[0] is not None]
    if result.nothing:
        return []
    return kb.terms(result.nodes.ids if result.order is None else result.order)


def same_answers(found: Iterable[str], published: Iterable[str], names: Names) -> bool:
    """Whether two sets of terms are equal, however their entities are written."""

    def normal(term: str) -> str:
        return names.short(term[1:-1]) if term.startswith("<") and term.endswith(">") else term

    return {normal(term) for term in found} == {normal(term) for term in published}
