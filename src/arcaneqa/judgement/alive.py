"""Who is alive has not died: "authors still alive" are those without a year of death, where others have one,
and not the last that died."""

from __future__ import annotations

import re

from arcaneqa.induction.found import Found
from arcaneqa.judgement.added import put_right
from arcaneqa.judgement.small_words import root_of
from arcaneqa.judgement.ways import relations_by_name
from arcaneqa.kb.interface import KnowledgeBase
from arcaneqa.kb.schema import ValueKind
from arcaneqa.language import expression as ex
from arcaneqa.language.rewrite import rewrite

ALIVE = re.compile(
    r"\b(?:alive|still\s+living|not\s+(?:yet\s+)?dead|(?:have|has)(?:\s+not|n['’]t)\s+(?:yet\s+)?died)\b",
    re.IGNORECASE,
)
_DEATH = root_of("death")


def living(question: str, found: Found, kb: KnowledgeBase) -> Found:
    """The same program with those who have none of the one relation that says when somebody died, where it
    takes the last who did, or all of their kind."""
    if ALIVE.search(question) is None:
        return found
    dated = [
        relation
        for name, relations in relations_by_name(kb).items()
        for relation in relations
        if _DEATH in name and relation.kinds & {ValueKind.TIME, ValueKind.NUMBER}
    ]
    if len(dated) != 1:
        return found
    (relation,) = dated
    died = ex.Relation(relation.iri)
    nodes = list(ex.post_order(found.program))
    if any(died in ex.relations(node) for node in nodes if not isinstance(node, ex.Extreme)):
        return found

    def alive(node: ex.Expression) -> ex.Expression:
        match node:
            case ex.Extreme(argument=argument) if died in ex.relations(node):
                return ex.Not(argument, ex.Has(died))
            case ex.Class(iri) if kb.schema.class_ids.get(iri) == relation.domain and not ordered:
                return ex.Not(node, ex.Has(died))
        return node

    ordered = any(died in ex.relations(node) for node in nodes)
    return put_right(rewrite(found.program, alive), found, kb)
