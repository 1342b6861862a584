"""What "how old", "how tall" and the like measure: no number or text of another name answers them, nor a year
"how much", nor a number that nobody named "which", nor the year of a discovery when somebody died. And what
measures nothing: the largest city is not the one farthest to the east."""

from __future__ import annotations

import re

from arcaneqa.judgement.small_words import roots_of
from arcaneqa.judgement.years import has_only_years
from arcaneqa.kb.interface import KnowledgeBase
from arcaneqa.kb.names.name_forms import split, stem
from arcaneqa.kb.schema import ValueKind
from arcaneqa.program import expression as ex


def _names(words: str) -> frozenset[str]:
    return frozenset(map(stem, words.split()))


_HEIGHT = _names("tall height high stature elevation altitude size length cm inch feet foot meter ht")
_MEASURES = {
    "old": _names(
        "old age year birth birthday born date founded established created built opened started begin"
    ),
    "tall": _HEIGHT,
    "high": _HEIGHT,
    "heavy": _names("heavy weight mass kg kilogram gram pound lb ton tonne wt"),
    "fast": _names("fast speed velocity time pace mph kmh kph knot second minute"),
    "deep": _names("deep depth"),
    "wide": _names("wide width breadth"),
}
_AMOUNTS = _names(
    "price cost fee fare amount salary pay budget revenue value worth rent income wage charge total balance"
)
"""What "how much" may ask for though all of it lies between 1000 and 2200, as years do."""
_ASKED = re.compile(rf"\bhow ({'|'.join(_MEASURES)}|much)\b|^(?:in |on |at )?(which) \w+", re.IGNORECASE)


def unmeasured(question: str, program: ex.Expression, kb: KnowledgeBase) -> list[tuple[int, int]]:
    """Where the question asks for a measure, if the program gives numbers or texts whose name says nothing of
    it."""
    asked = _ASKED.search(question)
    what = "" if asked is None else asked[asked.lastindex or 0].lower()
    if asked is not None and what in _MEASURES and isinstance(program, ex.Count):
        return [asked.span(1)]  # how deep it goes is no number of things
    if asked is None or not isinstance(program, ex.Join) or not program.relation.inverse:
        return []
    number = kb.schema.relation_ids.get(program.relation.iri)
    relation = None if number is None else kb.schema.relations[number]
    if relation is None or not relation.kinds <= {ValueKind.NUMBER, ValueKind.TEXT}:
        return []
    said = roots_of(relation.label)
    if what in _MEASURES:
        return [asked.span(1)] if said.isdisjoint(_MEASURES[what]) else []
    known = _AMOUNTS if what == "much" else frozenset()
    if relation.kinds != {ValueKind.NUMBER} or not said.isdisjoint(known | roots_of(question)):
        return []
    # A season may be a year, and a price is none though it lies between 1000 and 2200.
    return [asked.span(0)] if has_only_years(relation.id, kb) is (what == "much") else []


_DEATH = _names("die died dead death deceased dod killed lifespan lifetime end ended until to")
_BIRTH = _names("born birth birthday birthdate dob bday lifespan lifetime start begin from age")
_DATES = _names("dates")
_EVENTS = {"die": _DEATH, "died": _DEATH, "born": _BIRTH}
_HAPPENED = re.compile(rf"\b(?:when|year|date|day)\b.*\b({'|'.join(_EVENTS)})\b", re.IGNORECASE)


def undated(question: str, program: ex.Expression, kb: KnowledgeBase) -> list[tuple[int, int]]:
    """Where the question says of somebody that they were born or died, if it asks when and the program has
    nothing of that name."""
    asked = _HAPPENED.search(question)
    if asked is None:
        return []
    walked = (relation.iri for node in ex.post_order(program) for relation in ex.relations(node))
    numbers = (kb.schema.relation_ids.get(iri) for iri in walked)
    said = (roots_of(kb.schema.relations[number].label) for number in numbers if number is not None)
    happened = _EVENTS[asked[1].lower()]
    # Dates alone, as of a life, may be those of both.
    is_told = any(roots == _DATES or not roots.isdisjoint(happened) for roots in said)
    return [] if is_told else [asked.span(1)]


_COORDINATES = _names("latitude longitude lat lng lon")
_TOWARDS = re.compile(
    r"\b(?:north|south|east|west|equator|pole|polar|meridian|lat\b|latitude|lon|lng|coordinate)", re.I
)
_PLACED = re.compile(r"\b(?:where|locat|position|place|point|map|gps|geo|find)", re.I)


def takes_coordinates(question: str, program: ex.Expression, kb: KnowledgeBase) -> bool:
    """Whether a superlative goes by where things lie, though the question names no direction, or the answer
    is where something lies, though it asks for no place either: the population of Brazil is not -10."""
    if _TOWARDS.search(question) is not None:
        return False
    keys = (ex.path_of(node.key) for node in ex.post_order(program) if isinstance(node, ex.Extreme))
    if any(_is_coordinate(path[-1], kb) for path in keys if path):
        return True
    match program:
        case ex.Join(ex.Relation(inverse=True) as relation, _) if _is_coordinate(relation, kb):
            return _PLACED.search(question) is None
    return False


def _is_coordinate(relation: ex.Relation, kb: KnowledgeBase) -> bool:
    number = kb.schema.relation_ids.get(relation.iri)
    label = "" if number is None else kb.schema.relations[number].label
    return not _COORDINATES.isdisjoint(map(stem, split(label)))
