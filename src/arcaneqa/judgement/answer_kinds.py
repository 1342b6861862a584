"""What kind of thing comes, held against the question word: "when" wants a time, "how many" a number, nobody
is called 1999, and the largest city is not the one farthest to the east."""

from __future__ import annotations

import re
from collections.abc import Sequence

from arcaneqa.induction.found import Found
from arcaneqa.judgement.asked import Wanted, wanted
from arcaneqa.judgement.small_words import roots_of
from arcaneqa.kb.interface import KnowledgeBase
from arcaneqa.kb.names.name_forms import split, stem
from arcaneqa.kb.schema import ValueKind
from arcaneqa.kb.terms import Literal, Term
from arcaneqa.kb.values import kind_of
from arcaneqa.program import expression as ex

_NEVER = {
    Wanted.PERSON: {ValueKind.NUMBER, ValueKind.TIME, ValueKind.BOOLEAN},
    Wanted.PLACE: {ValueKind.NUMBER, ValueKind.TIME, ValueKind.BOOLEAN},
    Wanted.TIME: {ValueKind.BOOLEAN},
    Wanted.AMOUNT: {ValueKind.ENTITY, ValueKind.BOOLEAN},
}
"""Kinds of values that no question word of a kind can mean."""
_LOOKED_AT = 5
"""Of the answers; a set is of one kind, or nearly."""
_TELLS_TIME = re.compile(
    r"\d(?!\d*(?:st|nd|rd|th)\b)|\b(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec|mon|tue|wed|thu|fri|sat|sun|spring|summer|autumn"
    r"|winter|fall|day|week|month|year|morning|noon|afternoon|evening|night|centur|now|present|today|term)",
    re.IGNORECASE,
)
_YEAR = re.compile(r"\b[12]\d{3}\b")


def is_unexpected(question: str, found: Found, kb: KnowledgeBase) -> bool:
    """Whether no answer can be what the question word asks for, as far as it tells."""
    kind = wanted(question)
    if kind is None or found.result.table is not None:
        return False
    if (value := found.result.value) is not None:
        return not _fits(kind, value, value.lexical)
    few = found.nodes.ids[:_LOOKED_AT]
    return not any(
        _fits(kind, term, label) for term, label in zip(kb.terms(few), kb.labels(few), strict=True)
    )


def impossible_kind(question: str, found: Found, kb: KnowledgeBase) -> Wanted | None:
    """What is asked for, where nothing that comes can be that: somebody or a place, and all are numbers and
    times; a time, and it is yes or no, or a text that tells none; how much something costs, and it is a
    licence."""
    kind = wanted(question)
    if kind not in _NEVER or found.result.table is not None:
        return None
    if kind is Wanted.PERSON and _is_named(question, found.program, kb):
        return None
    terms: Sequence[Term] = [found.result.value] if found.result.value else ()
    terms = terms or kb.terms(found.nodes.ids[:_LOOKED_AT])
    kinds = {kind_of(term) if isinstance(term, Literal) else ValueKind.ENTITY for term in terms}
    if kind is Wanted.TIME and kinds == {ValueKind.TEXT}:
        return (
            None
            if any(_TELLS_TIME.search(term.lexical) for term in terms if isinstance(term, Literal))
            else kind
        )
    return kind if kinds <= _NEVER[kind] else None


_GROUPED = re.compile(
    r"\b(?:each|every|per|different|distinct|by|and|grouped|respective\w*|all|various|any|one)\b", re.I
)
"""Words that may ask for a row for each of several, and many that do not: only where there is none of them
one number is surely meant."""


def is_table_of_one(question: str, program: ex.Expression) -> bool:
    """Whether one number is asked for, and a row for each of several comes."""
    return (
        isinstance(program, ex.Per)
        and question.lower().startswith("how many ")
        and _GROUPED.search(question) is None
    )


def _is_named(question: str, program: ex.Expression, kb: KnowledgeBase) -> bool:
    """Whether the answers are what the question names: who the advisors are is told by their numbers, where
    nothing else is known of them."""
    if not isinstance(program, ex.Join) or not program.relation.inverse:
        return False
    number = kb.schema.relation_ids.get(program.relation.iri)
    return number is not None and roots_of(kb.schema.relations[number].label) <= roots_of(question)


def _fits(kind: Wanted, term: object, label: str | None) -> bool:
    value = kind_of(term) if isinstance(term, Literal) else ValueKind.ENTITY
    text = label or ""
    match kind:
        case Wanted.COUNT | Wanted.AMOUNT:
            return value is ValueKind.NUMBER or (value is ValueKind.TEXT and any(map(str.isdigit, text)))
        case Wanted.TIME:
            return value is ValueKind.TIME or _YEAR.search(text) is not None
        case Wanted.TRUTH:
            return value is ValueKind.BOOLEAN
        case Wanted.PERSON | Wanted.PLACE:
            return value is ValueKind.ENTITY or (value is ValueKind.TEXT and any(map(str.isalpha, text)))


def _names(words: str) -> frozenset[str]:
    return frozenset(map(stem, words.split()))


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
