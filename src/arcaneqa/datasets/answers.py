"""What a program found, as the terms and items that records hold."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from arcaneqa.kb.interface import KnowledgeBase
from arcaneqa.kb.names.called import labels_of
from arcaneqa.kb.short_names import Names
from arcaneqa.kb.terms import Iri, Literal, Term
from arcaneqa.program.execute import Result
from arcaneqa.program.expression import Aggregation, Counted, Key, Path, Totalled
from arcaneqa.record import AnswerItem, Table


def answer_terms(result: Result, kb: KnowledgeBase) -> tuple[str, ...]:
    """Short forms of entities and lexical forms of literals, each once: a set in alphabetical order, a list
    in its own, of a table the first column."""
    names = Names(kb.profile)
    found = dict.fromkeys(_written(term, names) for term in _terms(result, kb))
    return tuple(found if result.order is not None or result.table is not None else sorted(found))


def answer_items(result: Result, kb: KnowledgeBase) -> tuple[AnswerItem, ...]:
    """The same with labels; a set by label."""
    items = list(_items(list(dict.fromkeys(_terms(result, kb))), kb).values())
    if result.order is not None or result.table is not None:
        return tuple(items)
    return tuple(sorted(items, key=lambda item: (item.label is None, item.label or "", item.id or "")))


def answer_table(result: Result, kb: KnowledgeBase) -> Table | None:
    """The table of a program that gives one, with its columns in words."""
    if result.table is None:
        return None
    names = Names(kb.profile)
    items = _items(list({cell: None for row in result.table.rows for cell in row if cell is not None}), kb)
    return Table(
        tuple(_heading(column, kb, names) for column in result.table.columns),
        tuple(tuple(None if cell is None else items[cell] for cell in row) for row in result.table.rows),
    )


def _items(terms: Sequence[Term], kb: KnowledgeBase) -> dict[Term, AnswerItem]:
    names = Names(kb.profile)
    items: dict[Term, AnswerItem] = {}
    for term, label in zip(terms, _labels(terms, kb), strict=True):
        if isinstance(term, Literal):
            items[term] = AnswerItem(value=term.lexical, datatype=term.datatype, label=label)
        else:
            iri = term.value if isinstance(term, Iri) else None
            items[term] = AnswerItem(id=names.write(term), label=label, iri=iri)
    return items


def _terms(result: Result, kb: KnowledgeBase) -> list[Term]:
    if result.value is not None:
        return [result.value]
    if result.table is not None:
        return [row[0] for row in result.table.rows if row[0] is not None]
    if result.nothing:
        return []
    return kb.terms(result.nodes.ids if result.order is None else result.order)


def _written(term: Term, names: Names) -> str:
    return term.lexical if isinstance(term, Literal) else names.write(term)


def _labels(terms: Sequence[Term], kb: KnowledgeBase) -> list[str | None]:
    """Labels of entities; a literal that was computed is in no knowledge base and is its own."""
    labels = labels_of(kb, (term for term in terms if not isinstance(term, Literal)))
    return [term.lexical if isinstance(term, Literal) else labels.get(term) for term in terms]


_WORDS = {
    Aggregation.SUM: "total",
    Aggregation.AVG: "average",
    Aggregation.MAX: "largest",
    Aggregation.MIN: "smallest",
}


def _heading(column: Key, kb: KnowledgeBase, names: Names) -> str:
    def spoken(path: Path) -> str:
        ids = kb.schema.relation_ids
        known = (ids.get(relation.iri) for relation in path)
        words = [
            names.short(relation.iri) if number is None else kb.schema.relations[number].label
            for relation, number in zip(path, known, strict=True)
        ]
        return " → ".join(words) or "name"

    match column:
        case Counted(path, _):
            return f"number of {spoken(path)}" if path else "count"
        case Totalled(function, path):
            return f"{_WORDS[function]} {spoken(path)}"
        case _:
            return spoken(column)


def same_answers(found: Iterable[str], published: Iterable[str], names: Names) -> bool:
    """Whether two sets of terms are equal, however their entities are written."""

    def normal(term: str) -> str:
        return names.short(term[1:-1]) if term.startswith("<") and term.endswith(">") else term

    return {normal(term) for term in found} == {normal(term) for term in published}
