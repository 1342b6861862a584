"""Answers as people read them: labels, facts in place of a label, tables, units."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from decimal import Decimal, InvalidOperation

import numpy as np

from arcaneqa.kb.interface import Ids, KnowledgeBase
from arcaneqa.kb.names.called import in_asked_language
from arcaneqa.kb.names.name_forms import name_from_iri
from arcaneqa.kb.schema import ValueKind
from arcaneqa.kb.short_names import Names
from arcaneqa.kb.terms import Blank, Iri, Literal
from arcaneqa.kb.values import kind_of
from arcaneqa.language.expression import Aggregate, Counted, Expression, Join, Key, Relation
from arcaneqa.language.run import Cell, Result
from arcaneqa.language.tree import key_words
from arcaneqa.record import AnswerItem, Table

MOST_ITEMS = 100_000
"""Answers that are given at most."""
MOST_NAMELESS = 1_000
"""Nodes without a name that are told by their facts, which are looked up one by one; more go by their ids."""
MOST_FACTS = 4
"""That a description in brackets may hold."""
GROUPED_FROM = 10_000
"""2022 may be a year, and reads well as it is."""
EXACT = 6
"""Decimals that somebody may have written down; a number with more was computed, and is rounded."""
LONGEST = 28
"""Digits of a number that is no code; decimals are exact so far."""
SIGNIFICANT = 4
"""Digits that a rounded number has at least."""
_MONTHS = (
    *("January", "February", "March", "April", "May", "June", "July"),
    *("August", "September", "October", "November", "December"),
)
_TIME = re.compile(
    r"(-?)(\d{4,})(?:-(\d\d))?(?:-(\d\d))?(?:T(\d\d:\d\d)(?::\d\d(?:\.\d+)?)?)?(?:Z|[+-]\d\d:\d\d)?"
)
_READABLE = re.compile(r"[^\W\d_]{2,}([ ',-]+[^\W\d_]+)*")
"""Not what has a point in it: that is a file or a host."""
_ADDRESS = re.compile(r"(?:mailto|tel):(.+)")
_UNIT = re.compile(r"(?:\bin |\()([\w°²³/ ]+?)\)?$")
_UNIT_SUFFIX = re.compile(
    r"[ _](kg|km|km2|meters|metres|kilometers|kilometres|miles|feet|kelvin|celsius|usd|eur|percent)$"
)


def items_of(kb: KnowledgeBase, ids: Ids) -> tuple[AnswerItem, ...]:
    names = Names(kb.profile)
    items = []
    nameless = 0
    for node, term, label in zip(ids.tolist(), kb.terms(ids), kb.labels(ids), strict=True):
        if isinstance(term, Literal):
            items.append(_value_item(term))
            continue
        called = label or _own_name(term)
        if not called and nameless < MOST_NAMELESS:
            nameless += 1
            called = facts_of(kb, node)
        iri = term.value if isinstance(term, Iri) else None
        items.append(AnswerItem(id=names.write(term), label=called, iri=iri))
    return tuple(items)


def named_of(kb: KnowledgeBase, ids: Ids) -> Ids:
    """Things without the blank nodes among them that nothing names, such as the restrictions that an ontology
    gives beside the kinds of a thing; all where none has a name."""
    if not 1 < len(ids) <= MOST_NAMELESS or kb.are_literals(ids).any():
        return ids
    told = np.array([label is not None for label in kb.labels(ids)])
    if told.all():
        return ids
    told[~told] = [not isinstance(term, Blank) for term in kb.terms(ids[~told])]
    return ids[told] if told.any() else ids


def items_of_result(kb: KnowledgeBase, result: Result, most: int = MOST_ITEMS) -> tuple[AnswerItem, ...]:
    """What a program found, as far as it fits: a value, the first column of a table, or nodes in order."""
    if result.nothing:
        return ()
    if result.value is not None:
        return (_value_item(result.value),)
    if result.table is not None:
        firsts = list(dict.fromkeys(row[0] for row in result.table.rows if row[0] is not None))[:most]
        items = _items_of_nodes(kb, np.array([cell for cell in firsts if isinstance(cell, int)], np.int64))
        return tuple(_value_item(cell) if isinstance(cell, Literal) else items[cell] for cell in firsts)
    ids = result.nodes.ids if result.order is None else result.order
    return items_of(kb, ids[:most])


def table_of_result(kb: KnowledgeBase, result: Result, most: int | None = None) -> Table | None:
    """The table of a program that gives one, with its columns in words; its first rows, if so many are
    enough."""
    if result.table is None:
        return None
    shown = replace(result.table, rows=result.table.rows[:most])
    item = cell_items(kb, shown.nodes)
    return Table(
        tuple(heading(column, kb) for column in result.table.columns),
        tuple(tuple(map(item, row)) for row in shown.rows),
    )


def cell_items(kb: KnowledgeBase, nodes: Ids) -> Callable[[Cell | None], AnswerItem | None]:
    """What stands in a cell, with these nodes among the cells."""
    items = _items_of_nodes(kb, nodes)

    def item(cell: Cell | None) -> AnswerItem | None:
        if isinstance(cell, Literal):
            return _value_item(cell)
        return None if cell is None else items[cell]

    return item


def _items_of_nodes(kb: KnowledgeBase, ids: Ids) -> dict[int, AnswerItem]:
    return dict(zip(ids.tolist(), items_of(kb, ids), strict=True))


def _value_item(value: Literal) -> AnswerItem:
    return AnswerItem(value=value.lexical, datatype=value.datatype, label=written(value))


def written(literal: Literal) -> str:
    """The value in words; what is not understood stays as it is.

    >>> from arcaneqa.kb.terms import XSD
    >>> [written(Literal(text, XSD + "decimal")) for text in ("2022", "43250.5", "33.333333333333336")]
    ['2022', '43,250.5', '33.33']
    >>> written(Literal("1968-10-05", XSD + "date"))
    '5 October 1968'
    """
    match kind_of(literal):
        case ValueKind.NUMBER:
            return _number(literal.lexical)
        case ValueKind.TIME:
            return _time(literal.lexical)
        case ValueKind.BOOLEAN:
            return "Yes" if literal.lexical in ("true", "1") else "No"
    return literal.lexical


def _number(text: str) -> str:
    try:
        value = Decimal(text)
    except InvalidOperation:
        return text
    if not value.is_finite() or len(text) > LONGEST or ("e" in text.lower() and abs(value.adjusted()) > 15):
        return text
    exponent = value.normalize().as_tuple().exponent
    if isinstance(exponent, int) and -exponent > EXACT:
        value = round(value, max(2, SIGNIFICANT - 1 - value.adjusted()))
    value = value.normalize()
    return f"{value:,f}" if abs(value) >= GROUPED_FROM else f"{value:f}"


def _time(text: str) -> str:
    found = _TIME.fullmatch(text)
    if found is None:
        return text
    before, year, month, day, moment = found.groups()
    if month is not None and not 1 <= int(month) <= len(_MONTHS):
        return text
    named = _MONTHS[int(month) - 1] if month else ""
    era = f"{int(year)} BC" if before else f"{int(year)}"
    said = " ".join(part for part in (str(int(day)) if day else "", named, era) if part)
    return said if moment in (None, "00:00") else f"{said}, {moment}"


def heading(column: Key, kb: KnowledgeBase) -> str:
    return "count" if isinstance(column, Counted) and not column.path else key_words(column, kb)


def _own_name(term: Iri | Blank) -> str | None:
    """The words of an IRI that was made to be read; numbers and codes say nothing, an address is itself."""
    if not isinstance(term, Iri):
        return None
    if address := _ADDRESS.fullmatch(term.value):
        return address[1]
    name = name_from_iri(term.value)
    if not _READABLE.fullmatch(name):
        return None
    return name.replace("-", " ") if name.islower() else name


def facts_of(kb: KnowledgeBase, node: int) -> str | None:
    """What a node without a label is known for: a compound value is its facts."""
    nodes = kb.nodes(np.array([node], np.int64))
    facts = []
    for relation in kb.out_relations(nodes).tolist():
        known = kb.schema.relations[relation]
        if known.hidden:
            continue
        # No question is at hand that names a language: the preferred one.
        told = in_asked_language(kb, "", kb.objects(relation, nodes).ids)
        label = kb.labels(told[:1])[0]
        if label:
            facts.append(f"{known.label}: {label}")
        if len(facts) == MOST_FACTS:
            break
    return "; ".join(facts) or None


def unit_of(program: Expression, kb: KnowledgeBase) -> str | None:
    """The unit a relation's own name tells: "area in square kilometres", "height (m)", "weight kg"."""
    match program:
        case Join(Relation(iri, inverse=True), _) | Aggregate(_, _, (*_, Relation(iri, inverse=False))):
            relation = kb.schema.relation_ids.get(iri)
        case _:
            return None
    if relation is None or not kb.schema.relations[relation].comparable:
        return None
    label = kb.schema.relations[relation].label
    found = _UNIT.search(label) or _UNIT_SUFFIX.search(label)
    return found[1] if found else None
