"""Names right before a kind of thing ("solar generators", "fire moves"): even where the linker doubts them,
they say which of the kind are meant, if a relation of that kind has them as values. And values that stand for
the kind itself: "which lanthanide melts last?"."""

from __future__ import annotations

import numpy as np

from arcaneqa.judgement.asked_kinds import ASKING
from arcaneqa.kb.interface import KnowledgeBase
from arcaneqa.kb.names.name_forms import split, stem, words
from arcaneqa.kb.schema import ValueKind
from arcaneqa.kb.values import kind_of
from arcaneqa.links import Links
from arcaneqa.program import expression as ex


def asked_for_as_value(question: str, links: Links) -> list[tuple[int, int]]:
    """Where a text of the facts is what a question asks for by name; "what 4 states" says how many there are,
    whatever else is called 4."""
    asking = ASKING.match(question)
    return [
        (one.start, one.end)
        for one in links.literals
        if asking is not None and one.start == asking.end() and not _stems(one.text)[0].isdigit()
        if any(
            kind_of(read) is ValueKind.TEXT and _stems(read.lexical) == _stems(one.text)
            for read in one.readings
        )
    ]


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
        said = _stems(mention.text)
        named = [one.node for one in mention.candidates if _stems(one.label) == said]
        relations = kb.in_relations(kb.nodes(np.array(named, np.int64))).tolist() if named else []
        if any(kb.schema.relations[relation].domain == kind for relation in relations):
            found.append((mention.start, mention.end))
    return found


def _stems(text: str) -> list[str]:
    return list(map(stem, split(text)))
