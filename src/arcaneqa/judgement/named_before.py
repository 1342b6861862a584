"""Whose a value is that comes right behind a name: in "last name Kohler or first name Marina" Kohler is no
first name, and in "humidity above 50 and visibility above 8" the 8 is no humidity."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from arcaneqa.induction.found import Found
from arcaneqa.judgement.added import put_right
from arcaneqa.judgement.small_words import root_of
from arcaneqa.kb.interface import KnowledgeBase
from arcaneqa.kb.names.name_forms import split
from arcaneqa.kb.schema import Relation, ValueKind
from arcaneqa.kb.terms import Literal
from arcaneqa.kb.values import kind_of
from arcaneqa.program import expression as ex
from arcaneqa.program.rewrite import rewrite

_BETWEEN = re.compile(
    "is|are|was|were|be|being|of|as|equals?|to|the|an?|exactly|named|called|not|at|least|most|than|over|above|under"
    "|below|after|before|since|more|less|fewer|(?:great|high|low|larg|small|bigg)er"
)
"""What may stand between the name and its value."""


def in_its_place(question: str, found: Found, kb: KnowledgeBase) -> Found:
    """The same program with every value taken for that which the question names right before it; the program
    itself where nothing is named so, or nothing has it."""
    nodes = list(ex.post_order(found.program))
    if not any(isinstance(node, ex.Value) for node in nodes):
        return found
    said = [(word, root_of(word)) for word in split(question)]
    places: dict[ex.Expression, ex.Expression] = {}
    for node in nodes:
        match node:
            case ex.Join(ex.Relation(_, False) as used, ex.Or(ex.Value() as one, ex.Value() as two)):
                named = [_named(said, used, value.literal, kb) for value in (one, two)]
                if named.count(None) == 1:
                    first, second = (used if other is None else ex.Relation(other.iri) for other in named)
                    places[node] = ex.Or(ex.Join(first, one), ex.Join(second, two))
            case ex.Compare(_, ex.Relation() as used, ex.Value(literal)) | ex.Join(
                ex.Relation(_, False) as used, ex.Value(literal)
            ):
                if (other := _named(said, used, literal, kb)) is not None:
                    meant = ex.Relation(other.iri)
                    places[node] = (
                        replace(node, relation=meant)
                        if isinstance(node, ex.Join)
                        else replace(node, key=meant)
                    )
    return put_right(rewrite(found.program, lambda node: places.get(node, node)), found, kb)


def _named(
    said: list[tuple[str, str]], used: ex.Relation, literal: Literal, kb: KnowledgeBase
) -> Relation | None:
    """The one relation of the same things that is named right before the only place where the value stands,
    if that is not a part of the used one's own name."""
    known = kb.schema.relation_ids.get(used.iri)
    if known is None:
        return None
    relation = kb.schema.relations[known]
    before = list(_before(said, split(literal.lexical)))
    if len(before) != 1:
        return None
    (roots,) = before
    names = {
        other.id: name
        for other in kb.schema.relations
        if other.domain == relation.domain
        and not other.hidden
        and (name := list(map(root_of, split(other.label))))
        and roots[-len(name) :] == name
    }
    longest = max(map(len, names.values()), default=0)
    named = [number for number, name in names.items() if len(name) == longest]
    if len(named) != 1 or known in names:
        return None
    (other,) = (kb.schema.relations[number] for number in named)
    own = set(map(root_of, split(relation.label)))
    if own >= set(names[other.id]):
        return None
    return other if _may_have(other, literal, kb) else None


def _before(said: list[tuple[str, str]], value: list[str]) -> Iterator[list[str]]:
    """The roots of the words before each place where a value stands, but for what may come between."""
    for place in range(len(said)):
        if [word for word, _ in said[place : place + len(value)]] == value:
            end = place
            while end and _BETWEEN.fullmatch(said[end - 1][0]):
                end -= 1
            yield [root for _, root in said[:end]]


def _may_have(relation: Relation, literal: Literal, kb: KnowledgeBase) -> bool:
    if kind_of(literal) is ValueKind.NUMBER:
        return relation.kinds == {ValueKind.NUMBER}
    return relation.id in kb.in_relations(kb.equal(literal)).tolist()
