"""Which of two ends words mean: the oldest brewery is the one founded first, the oldest guest the one with
the largest age, faster than 10 seconds is less, and who asks for first names wants no last names."""

from __future__ import annotations

import re
from collections.abc import Mapping, Set
from dataclasses import dataclass, replace
from functools import lru_cache

from arcaneqa.induction.found import Found
from arcaneqa.judgement.added import put_right
from arcaneqa.judgement.asked import REMEMBERED
from arcaneqa.judgement.small_words import root_of
from arcaneqa.kb.interface import Comparison, KnowledgeBase
from arcaneqa.kb.names.name_forms import split, stem
from arcaneqa.kb.schema import ValueKind
from arcaneqa.language import expression as ex
from arcaneqa.language.rewrite import rewrite


@dataclass(frozen=True, slots=True)
class _Scale:
    """Words for one end and for the other, and names of measures that grow and shrink towards the first."""

    more: re.Pattern[str]
    less: re.Pattern[str]
    growing: frozenset[str]
    shrinking: frozenset[str] = frozenset()
    shrinks_with_time: bool = False


def _said(words: str) -> re.Pattern[str]:
    return re.compile(rf"\b(?:{words})\b", re.IGNORECASE)


def _named(words: str) -> frozenset[str]:
    return frozenset(map(stem, words.split()))


_SCALES = (
    _Scale(
        _said("oldest|eldest|earliest|older"),
        _said("newest|youngest|latest|most recent(?:ly)?|newer|younger"),
        _named("age"),
        _named("year founded established built opened born"),
        shrinks_with_time=True,
    ),
    _Scale(
        _said("fastest|faster|quickest|quicker"),
        _said("slowest|slower"),
        _named("speed velocity mph kph kmh"),
        _named("time duration second minute"),
    ),
    _Scale(
        _said("(?:most|more) expensive|dearest|dearer|costliest|costlier"),
        _said("cheapest|cheaper|(?:least|less) expensive"),
        _named("price cost fare fee"),
    ),
    _Scale(_said("heaviest|heavier"), _said("lightest|lighter"), _named("weight mass")),
    _Scale(_said("tallest|taller"), _said("shortest|shorter"), _named("height stature tall")),
    _Scale(
        _said("longest|longer"),
        _said("shortest|shorter"),
        _named("length duration"),
        # Who has been there longest came first.
        _named(
            "since start started starting begin began beginning hired joined joining employed founded opened"
        ),
    ),
    _Scale(_said("thickest|thicker"), _said("thinnest|thinner"), _named("thickness thick")),
    _Scale(_said("deepest|deeper"), _said("shallowest|shallower"), _named("depth deep")),
    _Scale(_said("widest|wider|broadest|broader"), _said("narrowest|narrower"), _named("width breadth wide")),
    _Scale(
        _said("northernmost|(?:furthest|farthest|most) north(?:ern|erly)?"),
        _said("southernmost|(?:furthest|farthest|most) south(?:ern|erly)?"),
        _named("latitude lat"),
    ),
    _Scale(
        _said("easternmost|(?:furthest|farthest|most) east(?:ern|erly)?"),
        _said("westernmost|(?:furthest|farthest|most) west(?:ern|erly)?"),
        _named("longitude lng lon"),
    ),
    _Scale(
        _said("brightest|brighter"),
        _said("faintest|fainter|dimmest|dimmer"),
        _named("brightness luminosity"),
        _named("magnitude"),  # the stars of the first magnitude are the brightest
    ),
)
_UPWARDS = (Comparison.GT, Comparison.GE)
_OTHER_END = {
    ex.Direction.LARGEST: ex.Direction.SMALLEST,
    ex.Direction.SMALLEST: ex.Direction.LARGEST,
}
_OTHER_SIDE = {
    Comparison.GT: Comparison.LT,
    Comparison.GE: Comparison.LE,
    Comparison.LT: Comparison.GT,
    Comparison.LE: Comparison.GE,
}


def is_reversed(question: str, program: ex.Expression, kb: KnowledgeBase) -> bool:
    """Whether a program takes the latest where the question says the earliest, or the other way round.

    Of numbers only where their name tells: the oldest have the largest age and the smallest year.
    """
    if _counts_reversed(question, program):
        return True
    measured = list(_measured(program))
    if measured and any(_is_reversed(scale, question, measured, kb) for scale in _SCALES):
        return True
    return _is_against_its_words(question, program)


_MOST = re.compile(r"\b(?:most|(?:largest|highest|greatest|biggest|maximum) number)\b", re.IGNORECASE)
_FEWEST = re.compile(
    r"\b(?:least|fewest|rarest|(?:smallest|lowest|minimum) number|(?<!no )less|fewer|not|never)\b|n't\b",
    re.IGNORECASE,
)


def _counts_reversed(question: str, program: ex.Expression) -> bool:
    """Whether a program takes those of which there are fewest where the question says the most, or the other
    way round."""
    is_most, is_fewest = (words.search(question) is not None for words in (_MOST, _FEWEST))
    if is_most == is_fewest:
        return False
    other = ex.Direction.SMALLEST if is_most else ex.Direction.LARGEST
    return any(
        isinstance(node, ex.Extreme) and isinstance(node.key, ex.Counted) and node.direction is other
        for node in ex.post_order(program)
    )


def turned(question: str, found: Found, kb: KnowledgeBase) -> Found:
    """The same program from the other end, where the one superlative or comparison that it has takes the
    wrong one: faster than 10 seconds is less. The program itself where it does not."""
    ends = [node for node in ex.post_order(found.program) if isinstance(node, ex.Extreme | ex.Compare)]
    if len(ends) != 1:
        return found
    measured = _measured(ends[0])[-1:]
    is_reversed = any(_is_reversed(scale, question, measured, kb) for scale in _SCALES)
    if not (is_reversed or _counts_reversed(question, found.program)):
        return found
    (end,) = ends
    other: ex.Extreme | ex.Compare
    if isinstance(end, ex.Extreme):
        other = replace(end, direction=_OTHER_END[end.direction])
    else:
        other = replace(end, comparison=_OTHER_SIDE.get(end.comparison, end.comparison))
    return put_right(rewrite(found.program, lambda node: other if node == end else node), found, kb)


def says_measure(question: str, program: ex.Expression, kb: KnowledgeBase) -> bool:
    """Whether the question says by such a word what a program orders or compares by: the most expensive book
    is the one with a price."""
    said = [scale for scale in _SCALES if scale.more.search(question) or scale.less.search(question)]
    measured = _measured(program) if said else []
    return any(_grows(scale, iri, kb) is not None for scale in said for iri, _ in measured)


_THAN = "(?: [a-z]+){0,3}? than"
_MORE = f"(?:more|greater|higher|larger|bigger|heavier|longer|taller|deeper|wider){_THAN}"
_LESS = f"(?:less|fewer|lower|smaller|lighter|shorter){_THAN}"
_YEAR = r"(?=(?:the )?(?:year )?[12]\d{3}\b(?![-/.,]\d))"
_BEFORE_A_NUMBER = re.compile(
    r"\b(?P<no>no |not )?"
    rf"(?:(?P<up>(?P<from>at least|since {_YEAR})|{_MORE}|over|above|after {_YEAR})"
    rf"|(?P<down>(?P<to>at most|up to|until {_YEAR})|{_LESS}|under|below|before {_YEAR}))"
    r" *(?:the )?(?:year )?\W?(?P<number>\d[\d,.]*)",
    re.IGNORECASE,
)
_DENYING = re.compile(r"\b(?:not|never|without|except|no(?! (?:more|less|fewer)))\b|n't\b", re.IGNORECASE)


@lru_cache(REMEMBERED)
def said_comparisons(question: str) -> Mapping[str, Set[Comparison]]:
    """How the question compares with each number that it says, the numbers in plain digits: "at least 1,000"
    are 1000 and more, "no more than 5" are 5 and less."""
    said: dict[str, set[Comparison]] = {}
    for match in _BEFORE_A_NUMBER.finditer(question):
        goes_up = (match["up"] is not None) != (match["no"] is not None)
        is_included = (match["from"] is None and match["to"] is None) == (match["no"] is not None)
        upwards, downwards = (Comparison.GE, Comparison.LE) if is_included else (Comparison.GT, Comparison.LT)
        said.setdefault(plain_number(match["number"]), set()).add(upwards if goes_up else downwards)
    return said


def compared_as_said(question: str, found: Found, kb: KnowledgeBase) -> Found:
    """The same program with what the question says of a number, where it takes just that number: before 1937
    is not in 1937."""
    said = {} if _DENYING.search(question) else said_comparisons(question)
    if not said:
        return found
    compared = {
        plain_number(node.value.literal.lexical)
        for node in ex.post_order(found.program)
        if isinstance(node, ex.Compare) and isinstance(node.value, ex.Value)
    }

    def change(node: ex.Expression) -> ex.Expression:
        match node:
            case ex.Join(ex.Relation(iri, inverse=False) as relation, ex.Value(literal) as value):
                ways, known = said.get(plain_number(literal.lexical), set()), kb.schema.relation_ids.get(iri)
                is_just_that = len(ways) == 1 and plain_number(literal.lexical) not in compared
                if is_just_that and known is not None and kb.schema.relations[known].comparable:
                    (way,) = ways
                    return ex.Compare(way, relation, value)
        return node

    return put_right(rewrite(found.program, change), found, kb)


def _is_against_its_words(question: str, program: ex.Expression) -> bool:
    """Whether a program takes less than a number where the question says more than that one, or just that
    one, or the other way round. Where something is denied, either may be meant."""
    said = said_comparisons(question)
    nodes = list(ex.post_order(program)) if said and not _DENYING.search(question) else []
    if any(isinstance(node, ex.Not) for node in nodes):
        return False
    compared, equal = set(), set()
    for node in nodes:
        match node:
            case ex.Compare(comparison, _, ex.Value(literal)):
                compared.add(plain_number(literal.lexical))
                directions = {way in _UPWARDS for way in said.get(plain_number(literal.lexical), ())}
                if len(directions) == 1 and (comparison in _UPWARDS) not in directions:
                    return True
            case ex.Join(_, ex.Value(literal)):
                equal.add(plain_number(literal.lexical))
    return not (equal - compared).isdisjoint(said)


def plain_number(number: str) -> str:
    """The same however it is written: 1,000.0 is 1000."""
    digits = number.replace(",", "").rstrip(".")
    return digits.rstrip("0").rstrip(".") if "." in digits else digits


def _measured(program: ex.Expression) -> list[tuple[str, bool]]:
    """Relations of superlatives and comparisons, and whether much of them is meant."""
    found = []
    for node in ex.post_order(program):
        match node:
            case ex.Extreme(direction, _, (*_, last)):
                found.append((last.iri, direction is ex.Direction.LARGEST))
            case ex.Compare(comparison, key, ex.Value()) if path := ex.path_of(key):
                found.append((path[-1].iri, comparison in _UPWARDS))
    return found


def _is_reversed(scale: _Scale, question: str, measured: list[tuple[str, bool]], kb: KnowledgeBase) -> bool:
    is_more, is_less = (words.search(question) is not None for words in (scale.more, scale.less))
    if is_more == is_less:
        return False
    told = [(much, grows) for iri, much in measured if (grows := _grows(scale, iri, kb)) is not None]
    return bool(told) and not any(much == (is_more == grows) for much, grows in told)


def _grows(scale: _Scale, iri: str, kb: KnowledgeBase) -> bool | None:
    """Whether much of a relation is the first end of a scale; None where its name does not tell."""
    number = kb.schema.relation_ids.get(iri)
    if number is None:
        return None
    relation = kb.schema.relations[number]
    said = frozenset(map(stem, split(relation.label)))
    grows, shrinks = not said.isdisjoint(scale.growing), not said.isdisjoint(scale.shrinking)
    if relation.kinds == frozenset({ValueKind.TIME}):
        return False if scale.shrinks_with_time or shrinks else None
    return grows if relation.kinds == frozenset({ValueKind.NUMBER}) and grows != shrinks else None


_PAIRS = (
    ("first", "last"),
    ("start", "end"),
    ("begin", "end"),
    ("open", "close"),
    ("opening", "closing"),
    ("arrival", "departure"),
    ("arrive", "depart"),
    ("birth", "death"),
    ("home", "away"),
    ("minimum", "maximum"),
    ("min", "max"),
    ("low", "high"),
    ("lowest", "highest"),
    ("upper", "lower"),
    ("gross", "net"),
    ("source", "target"),
    ("origin", "destination"),
    ("winning", "losing"),
    ("north", "south"),
    ("east", "west"),
    ("left", "right"),
    ("male", "female"),
    ("domestic", "international"),
)
"""Words before a noun of which only one can be meant."""
_OPPOSITES: dict[str, set[str]] = {}
for _one, _other in _PAIRS:
    _OPPOSITES.setdefault(root_of(_one), set()).add(root_of(_other))
    _OPPOSITES.setdefault(root_of(_other), set()).add(root_of(_one))


def says_opposite(question: str, program: ex.Expression, kb: KnowledgeBase) -> bool:
    """Whether a relation of the program is what the question says but for one word, and for that word the
    question has the opposite, which the program has not; what the question says both of ("first and last
    names") may be either."""
    said = _roots(question)
    if _OPPOSITES.keys().isdisjoint(said):
        return False
    iris = {relation.iri for node in ex.post_order(program) for relation in ex.relations(node)}
    known = [
        kb.schema.relations[kb.schema.relation_ids[iri]] for iri in iris if iri in kb.schema.relation_ids
    ]
    names = {_roots(relation.label) for relation in known}
    return any(_is_turned_round(name, said, names) for name in names)


def _is_turned_round(name: tuple[str, ...], said: tuple[str, ...], names: set[tuple[str, ...]]) -> bool:
    for place, word in enumerate(name):
        if len(name) > 1 and word not in said:
            for other in _OPPOSITES.get(word, ()):
                turned = (*name[:place], other, *name[place + 1 :])
                if turned not in names and any(
                    said[start : start + len(turned)] == turned for start in range(len(said))
                ):
                    return True
    return False


@lru_cache(REMEMBERED)
def _roots(text: str) -> tuple[str, ...]:
    return tuple(root_of(word) for word in split(text))
