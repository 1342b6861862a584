"""What a structured value is worth: a budget may be a node that says 200 million beside a currency, and who
asks for the budget asks for that number."""

from __future__ import annotations

from arcaneqa.induction.found import Found
from arcaneqa.judgement.added import added
from arcaneqa.kb.interface import KnowledgeBase
from arcaneqa.kb.names.name_forms import split
from arcaneqa.kb.schema import ValueKind
from arcaneqa.kb.terms import Blank
from arcaneqa.program import expression as ex

_WORTH = frozenset(("value", "amount"))
_LOOKED_AT = 5
"""Of the answers; all are of one form, or nearly."""


def worth(found: Found, kb: KnowledgeBase) -> Found | None:
    """The numbers or times of what was found, where those are blank nodes that nothing names and have just
    one value each."""
    if found.result.value is not None or found.result.table is not None or found.result.order is not None:
        return None
    few = kb.nodes(found.nodes.ids[:_LOOKED_AT])
    if not few or any(label is not None for label in kb.labels(few.ids)):
        return None
    if not all(isinstance(term, Blank) for term in kb.terms(few.ids)):
        return None
    relations = [kb.schema.relations[number] for number in kb.out_relations(few).tolist()]
    values = [
        relation
        for relation in relations
        if relation.comparable and ValueKind.ENTITY not in relation.kinds and not relation.hidden
        if not _WORTH.isdisjoint(split(relation.label)[-1:])
    ]
    if len(values) != 1:
        return None
    program = ex.Join(ex.Relation(values[0].iri, inverse=True), found.program)
    return added(program, found, values[0], kb, found.trace.steps)
