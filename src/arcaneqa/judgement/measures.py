"""What "how old", "how tall" and the like measure: a number of another name does not answer them, and no year
answers "how much". And what measures nothing: the largest city is not the one farthest to the east."""

from __future__ import annotations

import re

from arcaneqa.judgement.years import has_only_years
from arcaneqa.kb.interface import KnowledgeBase
from arcaneqa.kb.names.name_forms import split, stem
from arcaneqa.kb.schema import ValueKind
from arcaneqa.program import expression as ex


def _names(words: str) -> frozenset[str]:
    return frozenset(map(stem, words.split()))


_MEASURES = {
    "old": _names("old age year birth born date founded established created built opened started begin"),
    "tall": _names("tall height high stature elevation altitude size length cm inch feet foot meter ht"),
    "heavy": _names("heavy weight mass kg kilogram gram pound lb ton tonne wt"),
    "fast": _names("fast speed velocity time pace mph kmh kph knot second minute"),
    "deep": _names("deep depth"),
    "wide": _names("wide width breadth"),
}
_AMOUNTS = _names(
    "price cost fee fare amount salary pay budget revenue value worth rent income wage charge total balance"
)
"""What "how much" may ask for though all of it lies between 1000 and 2200, as years do."""
_ASKED = re.compile(rf"\bhow ({'|'.join(_MEASURES)}|much)\b", re.IGNORECASE)


def unmeasured(question: str, program: ex.Expression, kb: KnowledgeBase) -> list[tuple[int, int]]:
    """Where the question asks for a measure, if the program gives numbers whose name says nothing of it."""
    asked = _ASKED.search(question)
    if asked is None or not isinstance(program, ex.Join) or not program.relation.inverse:
        return []
    number = kb.schema.relation_ids.get(program.relation.iri)
    relation = None if number is None else kb.schema.relations[number]
    if relation is None or relation.kinds != {ValueKind.NUMBER}:
        return []
    said = frozenset(map(stem, split(relation.label)))
    if asked[1].lower() == "much":
        is_amount = not said.isdisjoint(_AMOUNTS | set(map(stem, split(question))))
        return [] if is_amount or not has_only_years(relation.id, kb) else [asked.span(0)]
    return [asked.span(1)] if said.isdisjoint(_MEASURES[asked[1].lower()]) else []


_COORDINATES = _names("latitude longitude lat lng lon")
_TOWARDS = re.compile(
    r"\b(?:north|south|east|west|equator|pole|polar|meridian|lat\b|latitude|lon|lng|coordinate)", re.I
)


def orders_by_coordinates(question: str, program: ex.Expression, kb: KnowledgeBase) -> bool:
    """Whether a superlative goes by where things lie, though the question names no direction."""
    keys = (ex.path_of(node.key) for node in ex.post_order(program) if isinstance(node, ex.Extreme))
    numbers = (kb.schema.relation_ids.get(path[-1].iri) for path in keys if path)
    labels = (kb.schema.relations[number].label for number in numbers if number is not None)
    lie = any(not _COORDINATES.isdisjoint(map(stem, split(label))) for label in labels)
    return lie and _TOWARDS.search(question) is None
