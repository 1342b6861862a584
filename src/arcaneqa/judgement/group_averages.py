"""The average of a group: the zip code with the lowest average pressure is not the one of the lowest pressure
ever measured, and stations with an average of over 10 bikes are not all that ever had more."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from arcaneqa.induction.found import Found
from arcaneqa.judgement.added import put_right
from arcaneqa.kb.interface import KnowledgeBase
from arcaneqa.kb.schema import ValueKind
from arcaneqa.program import expression as ex
from arcaneqa.program.rewrite import rewrite

_AVERAGE = re.compile(r"\b(?:averages?|avg)\b", re.IGNORECASE)


def of_groups(question: str, found: Found, kb: KnowledgeBase) -> Found:
    """The same program by the average of all that belong to one, where the question says so and the program
    goes by one of them; the program itself where it does not."""
    nodes = list(ex.post_order(found.program))
    if len(_AVERAGE.findall(question)) <= sum(map(_is_average, nodes)):
        return found
    changed = {node: other for node in nodes if (other := _of_group(node, kb)) is not None}
    if len(changed) != 1:
        return found
    return put_right(rewrite(found.program, lambda node: changed.get(node, node)), found, kb)


def _is_average(node: ex.Expression) -> bool:
    if isinstance(node, ex.Aggregate):
        return node.function is ex.Aggregation.AVG
    return any(isinstance(key, ex.Totalled) and key.function is ex.Aggregation.AVG for key in _keys(node))


def _keys(node: ex.Expression) -> Iterator[object]:
    match node:
        case ex.Extreme() | ex.Compare() | ex.Sort():
            if (
                len(ex.path_of(node.key)) > 1
            ):  # the average of the one number that a member has is that number
                yield node.key
        case ex.Show() | ex.Per():
            yield from node.columns


def _of_group(node: ex.Expression, kb: KnowledgeBase) -> ex.Expression | None:
    """By the group where it went by one of its members."""
    match node:
        case ex.Join(ex.Relation(_, True) as back, ex.Extreme(_, ex.Class() as members, key) as best) if (
            _is_number(key, kb)
        ):
            return replace(best, argument=ex.Join(back, members), key=_average(back, key))
        case ex.Join(ex.Relation(_, True) as back, ex.Compare(_, key) as compared) | ex.Join(
            ex.Relation(_, True) as back, ex.And(ex.Class(), ex.Compare(_, key) as compared)
        ) if _is_number(key, kb):
            return ex.And(ex.Has(back), replace(compared, key=_average(back, key)))
    return None


def _average(back: ex.Relation, key: ex.Key | ex.Relation) -> ex.Totalled:
    return ex.Totalled(ex.Aggregation.AVG, (back, *ex.path_of(key)))


def _is_number(key: ex.Key | ex.Relation, kb: KnowledgeBase) -> bool:
    if isinstance(key, ex.Counted) or len(ex.path_of(key)) != 1:
        return False
    number = kb.schema.relation_ids.get(ex.path_of(key)[-1].iri)
    return number is not None and kb.schema.relations[number].kinds == {ValueKind.NUMBER}
