"""A question and a program matched once: what of either is left over.

A word is taken up by what shares its root or its origin with it, by what it names, or by the form that it
asks for. Beyond that the model's own vectors tell how near it is to what a program says (`Near`): nothing is
ruled out because a word is another one.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from arcaneqa.kb.interface import Comparison, KnowledgeBase
from arcaneqa.kb.names.name_forms import Word, are_of_one_origin, split
from arcaneqa.kb.schema import ROW, Relation, ValueKind
from arcaneqa.language.forms import Form
from arcaneqa.links import LIKELY, Links
from arcaneqa.verdict.claims import Claim, ClaimKind, Claims
from arcaneqa.verdict.frame import SCALES, Frame, Sign, Telling, plain_number
from arcaneqa.verdict.words import DATA, MEASURING, OPPOSITES, SMALL, root_of, roots, roots_in_order

Spans = Sequence[tuple[int, int]]
_PLAINER = {Form.BY_COUNT: Form.SUPERLATIVE, Form.COUNT_COMPARED: Form.COMPARISON}
"""Where the data has a column for what is counted, the plainer form does."""
_GROWING, _SHRINKING = (
    {name: roots(scale.get(key, "")) for name, scale in DATA["scales"].items()}
    for key in ("growing", "shrinking")
)
_COMPARING = roots("above below over under after before since until between beyond exceed")
"""Words that only say on which side of a value something is."""


@dataclass(frozen=True)
class Nearness:
    """How near each telling word of a question (a row) is to each of some texts."""

    rows: NDArray[np.float32]
    texts: Mapping[str, int] = field(default_factory=dict)

    def of_word(self, word: int, texts: Iterable[str]) -> float:
        """To the nearest of the texts."""
        places = [self.texts[text] for text in texts if text in self.texts]
        return float(self.rows[word, places].max()) if places else 0.0

    def of_text(self, text: str, words: Collection[int]) -> float:
        place = self.texts.get(text)
        return 0.0 if place is None or not words else float(self.rows[list(words), place].max())


@dataclass(frozen=True)
class Alignment:
    """What is left over. Of the question: `unused` words, `dropped` things that were linked or stated,
    `unmet` forms, each a sign. Of the program: claims that are `unsaid`, forms that are `unasked`. `far` and
    `farther` say how far the unused words are from the program and the unsaid claims from the question, all
    together."""

    unused: tuple[Telling, ...]
    dropped: tuple[tuple[int, int], ...]
    unmet: tuple[Sign, ...]
    unsaid: tuple[Claim, ...]
    unasked: frozenset[Form]
    share: float
    far: float
    farther: float
    wrong_ends: int
    right_ends: int
    wrong_numbers: int
    right_numbers: int
    opposites: int

    def words(self, question: str) -> tuple[str, ...]:
        """What the program does not take up, as the question writes it and in its order."""
        spans = [(one.word.start, one.word.end) for one in self.unused]
        spans = [span for span in spans if not _overlaps(span, self.dropped)] + list(self.dropped)
        spans += [(sign.start, sign.end) for sign in self.unmet]
        return tuple(dict.fromkeys(question[start:end] for start, end in _apart(spans)))


def aligned(frame: Frame, links: Links, claims: Claims, near: Nearness, kb: KnowledgeBase) -> Alignment:
    names = frozenset[str]().union(*(claim.roots for claim in claims.said))
    called = [frozenset(roots_in_order(claim.words)) for claim in claims.said]
    met = [sign for sign in frame.signs if _is_met(sign, frame, claims, called)]
    unmet = tuple(sign for sign in frame.signs if sign not in met)
    spans: list[tuple[int, int]] = [*claims.spans, *(span for sign in met for span in _words_of_form(sign))]
    spans += [(one.start, one.end) for one in frame.figures if one.number in _numbers(claims)]
    taken = set(names)
    if not claims.forms.isdisjoint((Form.COMPARISON, Form.SUPERLATIVE, Form.EXTREME_VALUE)):
        taken |= _COMPARING | MEASURING
        spans += [
            match.span()
            for ways in SCALES.values()
            for way in ways
            for match in way.finditer(frame.question.lower())
        ]
    if kb.schema.is_of_rows:
        taken.add(ROW)
    texts = [claim.words for claim in claims.said]
    unused, far = [], 0.0
    for place, one in enumerate(frame.telling):
        if one.root in taken or _overlaps((one.word.start, one.word.end), spans):
            continue
        if any(are_of_one_origin(one.root, name) for name in names):
            continue
        unused.append(one)
        far += 1 - near.of_word(place, texts)
    said = frame.roots | {root_of(a.folded + b.folded) for a, b in _neighbours(frame)}
    unsaid, farther = [], 0.0
    free = [place for place, one in enumerate(frame.telling) if not _overlaps(_span(one.word), claims.spans)]
    for claim in claims.said:
        own = claim.roots - SMALL or claim.roots
        if claim.kind is ClaimKind.NAMED or not own.isdisjoint(said) or _is_implied(claim, frame):
            continue
        if any(are_of_one_origin(one, other) for one in own for other in said):
            continue
        unsaid.append(claim)
        farther += 1 - near.of_text(claim.words, free)
    wrong_ends, right_ends = _ends(frame, claims)
    wrong_numbers, right_numbers = _compared(frame, claims)
    return Alignment(
        tuple(unused),
        tuple(_dropped(links, unused)),
        unmet,
        tuple(unsaid),
        frozenset(_unasked(frame, claims)),
        1 - len(unused) / len(frame.telling) if frame.telling else 0.0,
        far,
        farther,
        wrong_ends,
        right_ends,
        wrong_numbers,
        right_numbers,
        _opposites(frame, claims),
    )


def _is_met(sign: Sign, frame: Frame, claims: Claims, called: Sequence[frozenset[str]]) -> bool:
    if sign.met_by & claims.forms:
        return True
    plainer = _PLAINER.get(sign.form)
    if plainer is not None and plainer in claims.forms:
        called = [frozenset(roots_in_order(one.relation.label)) for one in claims.measured if one.relation]
    elif plainer is not None or sign.form is Form.SUPERLATIVE:
        called = []
    start, end = sign.counted or sign.about
    telling = {root_of(word) for word in split(frame.question[start:end])} - SMALL - MEASURING
    joins_two = sign.about != (sign.start, sign.end)
    return len(telling) > joins_two and any(telling <= name for name in called)


def _unasked(frame: Frame, claims: Claims) -> Iterable[Form]:
    """Forms of the program that no word asks for."""
    asked = {form for sign in frame.signs for form in sign.met_by} | {sign.form for sign in frame.signs}
    if any(figure.compared for figure in frame.figures):
        asked |= {Form.COMPARISON, Form.COUNT_COMPARED, Form.BY_COUNT}
    if frame.ends:
        asked |= {Form.COMPARISON, Form.SUPERLATIVE, Form.ORDER}
    if frame.denied is not None:
        asked |= {Form.EXCEPT}
    return claims.forms - asked


def _is_implied(claim: Claim, frame: Frame) -> bool:
    """Whether a scale that is said names what the claim measures: the oldest by year of birth."""
    own = claim.roots
    return any(not own.isdisjoint(_GROWING[name] | _SHRINKING[name]) for name in frame.ends)


def _dropped(links: Links, unused: Sequence[Telling]) -> list[tuple[int, int]]:
    linked = [(one.start, one.end) for one in links.mentions if one.score > LIKELY]
    linked += [(one.start, one.end) for one in links.literals]
    left = [span for span in linked if any(_overlaps(_span(one.word), [span]) for one in unused)]
    return _apart(left)


def _ends(frame: Frame, claims: Claims) -> tuple[int, int]:
    """How many superlatives and comparisons take the other end than the words say, and how many take that
    one."""
    told = [
        one.is_much == end
        for one in claims.measured
        if one.comparison is not Comparison.EQ and one.number is None
        if (end := scale_end(frame, one.relation)) is not None
    ]
    return told.count(False), told.count(True)


def scale_end(frame: Frame, relation: Relation | None) -> bool | None:
    """Whether the words ask for much of a relation, or of a count (None); None where they do not tell."""
    for name, is_first in frame.ends.items():
        grows = _grows(name, relation)
        if grows is not None:
            return is_first == grows
    return None


def _grows(name: str, relation: Relation | None) -> bool | None:
    """Whether much of a relation is the first end of a scale; None where its name does not tell."""
    if name == "amount":
        return True
    if relation is None:
        return None
    said = frozenset(roots_in_order(relation.label))
    grows, shrinks = not said.isdisjoint(_GROWING[name]), not said.isdisjoint(_SHRINKING[name])
    if relation.kinds == frozenset({ValueKind.TIME}):
        return False if DATA["scales"][name].get("shrinks_with_time") or shrinks else None
    return grows if grows != shrinks else None


def _compared(frame: Frame, claims: Claims) -> tuple[int, int]:
    """How many numbers are compared otherwise than the words say, and how many as they say."""
    wrong = right = 0
    said = {figure.number: figure.compared for figure in frame.figures if figure.compared}
    for one in claims.measured:
        how = said.get(plain_number(one.number or ""))
        if how is not None and one.number is not None:
            wrong += one.comparison is not how
            right += one.comparison is how
    return wrong, right


def _opposites(frame: Frame, claims: Claims) -> int:
    """Names of which the question says the opposite of a word, and not the word."""
    asked = frame.roots
    others = {other for word in asked for other in OPPOSITES.get(word, ())} - asked
    names = [set(roots_in_order(claim.words)) for claim in claims.said if claim.kind is ClaimKind.RELATION]
    return sum(not name.isdisjoint(others) and not (name - others).isdisjoint(asked) for name in names)


def _numbers(claims: Claims) -> set[str]:
    return {plain_number(number) for number in claims.numbers}


def _words_of_form(sign: Sign) -> Spans:
    """Where a sign says which form is asked for, not what is counted."""
    if sign.counted is None:
        return [(sign.start, sign.end)]
    start, end = sign.counted
    return [(sign.start, start), (end, sign.end)]


def _neighbours(frame: Frame) -> Iterable[tuple[Word, Word]]:
    return pairwise(one.word for one in frame.telling)


def _span(word: Word) -> tuple[int, int]:
    return word.start, word.end


def _overlaps(own: tuple[int, int], spans: Iterable[tuple[int, int]]) -> bool:
    return any(start < own[1] and own[0] < end for start, end in spans)


def _apart(spans: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
    """The longest of those that overlap, in the order of the question."""
    kept: list[tuple[int, int]] = []
    for start, end in sorted(spans, key=lambda span: span[0] - span[1]):
        if all(end <= first or last <= start for first, last in kept):
            kept.append((start, end))
    return sorted(kept)
