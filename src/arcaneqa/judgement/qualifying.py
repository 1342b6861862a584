"""Names right before a kind of thing ("solar generators", "fire moves"): even where the linker doubts them,
they say which of the kind are meant, if a relation of that kind has them as values."""

from __future__ import annotations

import numpy as np

from arcaneqa.kb.interface import KnowledgeBase
from arcaneqa.kb.names.name_forms import split, stem, words
from arcaneqa.links import Links
from arcaneqa.program import expression as ex


def qualifying(
    question: str, links: Links, program: ex.Expression, kb: KnowledgeBase
) -> list[tuple[int, int]]:
    """Where such names stand before a class of the program."""
    kinds = {
        stem(said[-1]): number
        for node in ex.post_order(program)
        if isinstance(node, ex.Class) and (number := kb.schema.class_ids.get(node.iri)) is not None
        if (said := split(kb.schema.classes[number].label))
    }
    following = {word.start: stem(word.folded) for word in words(question)} if kinds else {}
    found = []
    for mention in links.mentions:
        behind = question[mention.end :]
        kind = kinds.get(following.get(mention.end + len(behind) - len(behind.lstrip()), ""))
        if kind is None:
            continue
        said = list(map(stem, split(mention.text)))
        named = [one.node for one in mention.candidates if list(map(stem, split(one.label))) == said]
        relations = kb.in_relations(kb.nodes(np.array(named, np.int64))).tolist() if named else []
        if any(kb.schema.relations[relation].domain == kind for relation in relations):
            found.append((mention.start, mention.end))
    return found
