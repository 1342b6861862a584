"""What the data has of that which a question names or states."""

from __future__ import annotations

import numpy as np

from arcaneqa.kb.interface import KnowledgeBase, NodeSet
from arcaneqa.kb.schema import Relation
from arcaneqa.language import expression as ex


def nodes_of(term: ex.Entity | ex.Value, kb: KnowledgeBase) -> NodeSet:
    """The thing itself, or all spellings of a value; nothing where the data has neither."""
    if isinstance(term, ex.Value):
        return kb.equal(term.literal)
    node = kb.node(term.term)
    return kb.nodes(np.array([] if node is None else [node], np.int64))


def columns_with(nodes: NodeSet, kind: int | None, kb: KnowledgeBase) -> list[Relation]:
    """The columns in which members of a kind have it."""
    relations = (kb.schema.relations[number] for number in kb.in_relations(nodes).tolist())
    return [one for one in relations if one.domain == kind is not None and not one.hidden]
