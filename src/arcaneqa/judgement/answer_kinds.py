"""What kind of thing comes, held against the question: "when" wants a time, "how many" a number, nobody is
called 1999; no number of another name says how old something is, nor the year of a discovery when somebody
died; and the largest city is not the one farthest to the east."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from arcaneqa.induction.found import Found
from arcaneqa.judgement.asked import Wanted, wanted
from arcaneqa.judgement.placing import WHEN, has_only_years
from arcaneqa.judgement.small_words import SMALL, roots_of
from arcaneqa.kb.interface import KnowledgeBase
from arcaneqa.kb.names.name_forms import are_of_one_origin, split, stem
from arcaneqa.kb.schema import Relation, ValueKind
from arcaneqa.kb.terms import Iri, Literal, Term
from arcaneqa.kb.values import kind_of
from arcaneqa.language import expression as ex
from arcaneqa.language.run import execute
from arcaneqa.support.errors import BudgetExceeded, ProgramError

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
    r"\d(?!\d{0,9}(?:st|nd|rd|th)\b)|\b(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec|mon|tue|wed|thu|fri|sat|sun|spring|summer|autumn"
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


_OF_WHAT = re.compile(
    r"what\b(?!.*\b(?:year|date|day|time|month|century|decade|age|number|percent\w*)\b).*"
    r"\b(?:of|from|with|about)\s*[?.!]*",
    re.IGNORECASE,
)
"""What something is made of or somebody died of is no year."""
_ADDRESS = re.compile(r"(?:(?:https?|ftp)://|www\.)\S+", re.IGNORECASE)
_HOST = re.compile(r"https?://[^/?#]+/?|https?://\S+\.(?:html?|php|aspx?)", re.IGNORECASE)
"""A site or a page of one; the IRIs of most things look like addresses, too."""
_ONLINE = re.compile(
    r"\b(?:online|internet|web\w*|sites?|pages?|urls?|links?|find|found|get|read|see|look|watch|access|download|buy)\b",
    re.IGNORECASE,
)
_NO_TIME = re.compile(r"\bhow (?!old\b|long ago\b|much time\b)", re.IGNORECASE)


def is_impossible(question: str, found: Found, kb: KnowledgeBase) -> bool:
    """Whether nothing that comes can be what is asked for: somebody or a place, and all are numbers and
    times; a time, and it is yes or no, or a text that tells none; how much something costs, and it is a
    licence; how long, or what somebody died of, and it is a date."""
    kind = wanted(question)
    never = set(_NEVER.get(kind, ())) if kind else set()
    if kind is Wanted.AMOUNT and _NO_TIME.search(question):
        never.add(ValueKind.TIME)
    if _OF_WHAT.fullmatch(question):
        never |= {ValueKind.TIME, ValueKind.NUMBER}
    if not never or found.result.table is not None:
        return False
    if kind is Wanted.PERSON and _is_named(question, found.program, kb):
        return False
    terms: Sequence[Term] = [found.result.value] if found.result.value else ()
    terms = terms or kb.terms(found.nodes.ids[:_LOOKED_AT])
    kinds = {kind_of(term) if isinstance(term, Literal) else ValueKind.ENTITY for term in terms}
    if kind in (Wanted.PERSON, Wanted.PLACE) and all(map(_is_address, terms)):
        return _ONLINE.search(question) is None and not _is_named(question, found.program, kb)
    if kind is Wanted.TIME and kinds == {ValueKind.TEXT}:
        return not any(_TELLS_TIME.search(term.lexical) for term in terms if isinstance(term, Literal))
    return kinds <= never


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


_FEW_SORTS = 12
_OF_A_SORT = 10
"""Values of a column that sorts rows, at most, and rows of each, on average, at least."""


def is_sort_of_it(question: str, found: Found, kb: KnowledgeBase) -> bool:
    """Whether somebody is asked for, and what comes only sorts those who have names of their own: the oldest
    winner is not "Best actress". Not where the name of the column is said, or the names are what is said."""
    match found.program:
        case ex.Join(ex.Relation(iri, True), argument) if wanted(question) is Wanted.PERSON:
            number = kb.schema.relation_ids.get(iri)
            relation = None if number is None else kb.schema.relations[number]
        case _:
            return False
    if relation is None or relation.kinds != {ValueKind.TEXT} or relation.objects > _FEW_SORTS:
        return False
    if relation.facts < _OF_A_SORT * relation.objects:
        return False
    said, named = (roots_of(text) - SMALL for text in (question, relation.label))
    if any(one == other or are_of_one_origin(one, other) for one in said for other in named):
        return False
    try:
        rows = execute(argument, kb).nodes
    except (BudgetExceeded, ProgramError):
        return False
    labels = kb.labels(rows.ids[:_LOOKED_AT])
    return all(label is not None and said.isdisjoint(roots_of(label)) for label in labels)


def _is_address(term: Term) -> bool:
    """Nobody is a website, nor is a firm based at one."""
    if isinstance(term, Literal):
        return _ADDRESS.fullmatch(term.lexical.strip()) is not None
    return isinstance(term, Iri) and _HOST.fullmatch(term.value) is not None


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


def is_unmeasured(question: str, program: ex.Expression, kb: KnowledgeBase) -> bool:
    """Whether the question asks for a measure, and the program gives numbers or texts whose name says nothing
    of it; or for which of something, and it gives numbers that nobody named."""
    asked = _ASKED.search(question)
    what = "" if asked is None else asked[asked.lastindex or 0].lower()
    if asked is not None and what in _MEASURES and isinstance(program, ex.Count):
        return True  # how deep it goes is no number of things
    if asked is None or not isinstance(program, ex.Join) or not program.relation.inverse:
        return False
    number = kb.schema.relation_ids.get(program.relation.iri)
    relation = None if number is None else kb.schema.relations[number]
    if relation is None or not relation.kinds <= {ValueKind.NUMBER, ValueKind.TEXT}:
        return False
    said = roots_of(relation.label)
    if what in _MEASURES:
        return said.isdisjoint(_MEASURES[what])
    known = _AMOUNTS if what == "much" else frozenset()
    if relation.kinds != {ValueKind.NUMBER} or not said.isdisjoint(known | roots_of(question)):
        return False
    # A season may be a year, and a price is none though it lies between 1000 and 2200.
    return has_only_years(relation.id, kb) is (what == "much")


_DEATH = _names("die died dead death deceased dod killed lifespan lifetime end ended until to")
_BIRTH = _names("born birth birthday birthdate dob bday lifespan lifetime start begin from age")
_DATES = _names("dates")
_EVENTS = {"die": _DEATH, "died": _DEATH, "born": _BIRTH}
_HAPPENED = re.compile(rf"\b(?:when|year|date|day)\b.*\b({'|'.join(_EVENTS)})\b", re.IGNORECASE)


def is_undated(question: str, program: ex.Expression, kb: KnowledgeBase) -> bool:
    """Whether the question asks when somebody was born or died, and the program has nothing of that name."""
    asked = _HAPPENED.search(question)
    if asked is None:
        return False
    walked = (relation.iri for node in ex.post_order(program) for relation in ex.relations(node))
    numbers = (kb.schema.relation_ids.get(iri) for iri in walked)
    said = (roots_of(kb.schema.relations[number].label) for number in numbers if number is not None)
    happened = _EVENTS[asked[1].lower()]
    # Dates alone, as of a life, may be those of both.
    return not any(roots == _DATES or not roots.isdisjoint(happened) for roots in said)


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


def said_years(question: str, program: ex.Expression, kb: KnowledgeBase) -> list[tuple[int, int]]:
    """Where a question says in or around which year something was, if the facts tell years of what a program
    is about: who won in 2016 is not among those who won some year."""
    said = [match.span("year") for match in WHEN.finditer(question)]
    if not said:
        return []
    kinds = set(_kinds_of(program, kb))
    dated = (one for one in kb.schema.relations if one.domain in kinds and _tells_years(one, kb))
    return said if any(dated) else []


def _kinds_of(program: ex.Expression, kb: KnowledgeBase) -> Iterator[int | None]:
    """The classes that a program names and those that its relations lead from and to."""
    for node in ex.post_order(program):
        if isinstance(node, ex.Class):
            yield kb.schema.class_ids.get(node.iri)
        for relation in ex.relations(node):
            if (number := kb.schema.relation_ids.get(relation.iri)) is not None:
                yield from (kb.schema.relations[number].domain, kb.schema.relations[number].range)


def _tells_years(relation: Relation, kb: KnowledgeBase) -> bool:
    if relation.hidden or relation.kinds.isdisjoint((ValueKind.NUMBER, ValueKind.TIME)):
        return False
    return ValueKind.TIME in relation.kinds or (
        "year" in split(relation.label) and has_only_years(relation.id, kb)
    )
