"""Answers as people read them: labels, facts in place of a label, units."""

from __future__ import annotations

import re

import numpy as np

from arcaneqa.kb.interface import Ids, KnowledgeBase
from arcaneqa.kb.names.words import label_from_iri, tail
from arcaneqa.kb.short_names import Names
from arcaneqa.kb.terms import XSD, Blank, Iri, Literal, Term
from arcaneqa.program.execute import Result
from arcaneqa.program.expression import Expression, Join
from arcaneqa.record import AnswerItem

MOST_FACTS = 4
"""That a description in brackets may hold."""
_READABLE = re.compile(r"[^\W\d_]{2,}([ '.,-]+[^\W\d_]+)*")
_UNIT = re.compile(r"(?:\bin |\()([\w°²³/ ]+?)\)?$")
_UNIT_SUFFIX = re.compile(
    r"[ _](kg|km|km2|meters|metres|kilometers|kilometres|miles|feet|kelvin|celsius|usd|eur|percent)$"
)


def items_of(kb: KnowledgeBase, ids: Ids) -> tuple[AnswerItem, ...]:
    names = Names(kb.profile)
    items = []
    for node, term, label in zip(ids.tolist(), kb.terms(ids), kb.labels(ids), strict=True):
        if isinstance(term, Literal):
            items.append(AnswerItem(value=term.lexical, datatype=term.datatype, label=term.lexical))
        else:
            called = label or _own_name(term) or facts_of(kb, node)
            iri = term.value if isinstance(term, Iri) else None
            items.append(AnswerItem(id=names.write(term), label=called, iri=iri))
    return tuple(items)


def items_of_result(kb: KnowledgeBase, result: Result, most: int) -> tuple[AnswerItem, ...]:
    """What a program found, as far as it fits: a value, the first column of a table, or nodes in order."""
    if result.value is not None:
        return (_value_item(result.value),)
    if result.table is not None:
        firsts = dict.fromkeys(row[0] for row in result.table.rows if row[0] is not None)
        return tuple(_term_item(kb, term) for term in list(firsts)[:most])
    ids = result.nodes.ids if result.order is None else result.order
    return items_of(kb, ids[:most])


def _term_item(kb: KnowledgeBase, term: Term) -> AnswerItem:
    if isinstance(term, Literal):
        return _value_item(term)
    node = kb.node(term)
    assert node is not None, "tables hold terms of the facts"
    return items_of(kb, np.array([node], np.int64))[0]


def _value_item(value: Literal) -> AnswerItem:
    is_whole = value.datatype == XSD + "integer"
    label = f"{int(value.lexical):,}" if is_whole else value.lexical
    return AnswerItem(value=value.lexical, datatype=value.datatype, label=label)


def _own_name(term: Iri | Blank) -> str | None:
    """The words of an IRI that was made to be read; numbers and codes say nothing."""
    if not isinstance(term, Iri):
        return None
    name = label_from_iri(term.value)
    if not _READABLE.fullmatch(name):
        return None
    return name.title() if tail(term.value)[:1].isupper() else name


def facts_of(kb: KnowledgeBase, node: int) -> str | None:
    """What a node without a label is known for: a compound value is its facts."""
    nodes = kb.nodes(np.array([node], np.int64))
    facts = []
    for relation in kb.out_relations(nodes).tolist():
        known = kb.schema.relations[relation]
        if known.hidden:
            continue
        label = kb.labels(kb.objects(relation, nodes).ids[:1])[0]
        if label:
            facts.append(f"{known.label}: {label}")
        if len(facts) == MOST_FACTS:
            break
    return "; ".join(facts) or None


def unit_of(program: Expression, kb: KnowledgeBase) -> str | None:
    """The unit a relation's own name tells: "area in square kilometres", "height (m)", "weight kg"."""
    if not (isinstance(program, Join) and program.relation.inverse):
        return None
    relation = kb.schema.relation_ids.get(program.relation.iri)
    if relation is None or not kb.schema.relations[relation].comparable:
        return None
    label = kb.schema.relations[relation].label
    found = _UNIT.search(label) or _UNIT_SUFFIX.search(label)
    return found[1] if found else None
