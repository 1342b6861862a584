"""What a program found, as the terms and items that records hold."""

from __future__ import annotations

from collections.abc import Iterable

from arcaneqa.kb.interface import KnowledgeBase
from arcaneqa.kb.short_names import Names
from arcaneqa.kb.terms import XSD, Iri, Literal
from arcaneqa.program.execute import Result
from arcaneqa.record import AnswerItem


def answer_terms(result: Result, kb: KnowledgeBase) -> tuple[str, ...]:
    """Short forms of entities and lexical forms of literals, in order; a count is its number."""
    if result.count is not None:
        return (str(result.count),)
    names = Names(kb.profile)
    terms = (t.lexical if isinstance(t, Literal) else names.write(t) for t in kb.terms(result.nodes.ids))
    return tuple(sorted(set(terms)))


def answer_items(result: Result, kb: KnowledgeBase) -> tuple[AnswerItem, ...]:
    """The same with labels, by label."""
    if result.count is not None:
        number = str(result.count)
        return (AnswerItem(value=number, datatype=XSD + "integer", label=number),)
    names, ids = Names(kb.profile), result.nodes.ids
    items = []
    for term, label in zip(kb.terms(ids), kb.labels(ids), strict=True):
        if isinstance(term, Literal):
            items.append(AnswerItem(value=term.lexical, datatype=term.datatype, label=label))
        else:
            iri = term.value if isinstance(term, Iri) else None
            items.append(AnswerItem(id=names.write(term), label=label, iri=iri))
    return tuple(sorted(items, key=lambda item: (item.label is None, item.label or "", item.id or "")))


def same_answers(found: Iterable[str], published: Iterable[str], names: Names) -> bool:
    """Whether two sets of terms are equal, however their entities are written."""

    def normal(term: str) -> str:
        return names.short(term[1:-1]) if term.startswith("<") and term.endswith(">") else term

    return {normal(term) for term in found} == {normal(term) for term in published}
