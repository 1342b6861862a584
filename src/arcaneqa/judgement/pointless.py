"""Programs that answer nothing, whatever was asked: a way there and back again, a count of yes and no, and of
rows that say themselves how many there are."""

from __future__ import annotations

from collections.abc import Iterator

from arcaneqa.induction.found import Found
from arcaneqa.kb.interface import KnowledgeBase
from arcaneqa.kb.names.name_forms import split, stem
from arcaneqa.kb.schema import ValueKind
from arcaneqa.program import expression as ex


def is_pointless(found: Found, kb: KnowledgeBase) -> bool:
    return comes_back(found) or _counts_truths(found.program, kb) or _counts_counts(found.program, kb)


def comes_back(found: Found) -> bool:
    """Whether the only answer is what the program set out from: whom those rows are about that are about
    Hank Aaron."""
    if found.result.value is not None or found.result.table is not None or len(found.nodes) != 1:
        return False
    return any(
        isinstance(inner, ex.Join)
        and inner.relation.iri == outer.relation.iri
        and inner.relation.inverse is not outer.relation.inverse
        for outer in _conjuncts(found.program)
        if isinstance(outer, ex.Join)
        for inner in _conjuncts(outer.argument)
    )


def _conjuncts(program: ex.Expression) -> Iterator[ex.Expression]:
    match program:
        case ex.And(left, right):
            yield from _conjuncts(left)
            yield from _conjuncts(right)
        case ex.Cons(argument, _, _):
            yield from _conjuncts(argument)
        case _:
            yield program


def _counts_truths(program: ex.Expression, kb: KnowledgeBase) -> bool:
    """Whether it counts how many of yes and no occur."""
    match program:
        case ex.Count(_, (*_, last)):
            counted = None if last.inverse else last
        case ex.Count(ex.Join(relation, _), ()):
            counted = relation if relation.inverse else None
        case _:
            return False
    number = None if counted is None else kb.schema.relation_ids.get(counted.iri)
    return number is not None and kb.schema.relations[number].kinds == {ValueKind.BOOLEAN}


def _counts_counts(program: ex.Expression, kb: KnowledgeBase) -> bool:
    """Whether it counts members of a class that has a number of its own name: a row of degrees says how many
    degrees there were."""
    if not isinstance(program, ex.Count) or program.path:
        return False
    named = (one.iri for one in _conjuncts(program.argument) if isinstance(one, ex.Class))
    kinds = {number for iri in named if (number := kb.schema.class_ids.get(iri)) is not None}
    return any(
        relation.domain in kinds
        and relation.kinds == {ValueKind.NUMBER}
        and not (relation.hidden or relation.is_identifier)
        and _stems(relation.label) == _stems(kb.schema.classes[relation.domain].label)
        for relation in (kb.schema.relations if kinds else ())
        if relation.domain is not None
    )


def _stems(label: str) -> list[str]:
    return [stem(word) for word in split(label)]
