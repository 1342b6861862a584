"""What a question names and says, as the first variables of a program."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from arcaneqa.induction import scorer
from arcaneqa.induction.building import buildable
from arcaneqa.induction.learned import Learned
from arcaneqa.induction.vocabulary import class_words, literal_words
from arcaneqa.kb.interface import KnowledgeBase
from arcaneqa.kb.names.called import label_of
from arcaneqa.kb.names.name_forms import CARDINALS, ORDINALS
from arcaneqa.kb.names.words import label_from_iri
from arcaneqa.kb.short_names import Names
from arcaneqa.kb.terms import Iri, Literal
from arcaneqa.kb.values import Number, value_of
from arcaneqa.language import expression as ex
from arcaneqa.language.steps import Ranks
from arcaneqa.language.text import read_literal
from arcaneqa.links import Links
from arcaneqa.record import Mention
from arcaneqa.support.errors import ArcaneError

# What a question says besides names and values: ranks, numbers to count by, texts to look for.


MOST_RANK = 1000
"""A larger number ("the 2000th") is rather a year."""
# How often, and more than once, without a number.
_IMPLIED = {"once": 1, "twice": 2, "thrice": 3, "single": 1, "multiple": 1, "several": 1, "dozen": 12}
_COUNTS = {word: number for number, word in enumerate(CARDINALS)} | _IMPLIED
_RANKS = {word: number for number, word in enumerate(ORDINALS[2:], 2)}
_WORD = re.compile(r"(?<![\w.,])(?:(\d{1,4})(st|nd|rd|th)?|([a-z]+))(?![\w]|[.,]\d)", re.IGNORECASE)
_QUOTED = re.compile(r"(?<!\w)(?:'([^']{1,60})'|\"([^\"]{1,60})\"|“([^”]{1,60})”|‘([^’]{1,60})’)(?!\w)")
_INTRODUCED = re.compile(
    r"\b(?:contain(?:s|ing|ed)?|includ(?:es?|ing)|with|the)\s+(?:the\s+)?"
    r"(?:word|phrase|text|string|substring|letters?)\s+(\w+)"
    r"|\b(?:called|named)\s+(\w+(?:\s+[A-Z]\w*)*)",
)


@dataclass(frozen=True, slots=True)
class StatedText:
    """A text that the question gives as such, and where."""

    text: str
    start: int
    end: int


def numbers_said(question: str) -> tuple[tuple[Ranks, ...], tuple[int, ...]]:
    """Ranks ("three" may be the first three, "third" the third) and numbers that counts may compare with."""
    ranks: dict[Ranks, None] = {}
    counts: dict[int, None] = {}
    for digits, ending, word in _WORD.findall(question):
        ordinal = int(digits) if ending else _RANKS.get(word.lower())
        cardinal = int(digits) if digits and not ending else _COUNTS.get(word.lower())
        if ordinal is not None and 1 < ordinal <= MOST_RANK:
            ranks[Ranks(ordinal, ordinal)] = None
        elif cardinal is not None:
            counts[cardinal] = None
            if 1 < cardinal <= MOST_RANK:
                ranks[Ranks(1, cardinal)] = None
    return tuple(ranks), tuple(sorted(counts))


def texts_said(question: str) -> Iterator[StatedText]:
    """What stands in quotation marks or after words that introduce a text, from left to right."""
    found: list[StatedText] = []
    for pattern in (_QUOTED, _INTRODUCED):
        for match in pattern.finditer(question):
            group = next(number for number, text in enumerate(match.groups(), 1) if text)
            text = StatedText(match[group], *match.span(group))
            if not any(text.start < other.end and other.start < text.end for other in found):
                found.append(text)
    yield from sorted(found, key=lambda text: text.start)


# What a question names, as the first variables of a program: linked entities and literals.


@dataclass(frozen=True, slots=True)
class Topic:
    """`term` as it stands in programs; `prior` is added to the score of a program that uses it."""

    term: ex.Entity | ex.Value
    words: scorer.TopicWords
    prior: float = 0.0


@dataclass(frozen=True)
class Topics:
    """The topics of one starting hypothesis; variable `i` is topic `i`.

    A program may use all of the first `meant` topics, though their mentions overlap. `ranks` and `counts`
    are the numbers of the question as ranks of a superlative and as what counts compare with.
    """

    items: tuple[Topic, ...] = ()
    meant: int = 0
    ranks: tuple[Ranks, ...] = ()
    counts: tuple[int, ...] = ()

    @cached_property
    def words(self) -> tuple[scorer.TopicWords, ...]:
        return tuple(topic.words for topic in self.items)

    @cached_property
    def excluded_by(self) -> tuple[int, ...]:
        """For each topic a bit mask of those that its choice rules out: itself, the other readings of
        its mention (its own group) and whatever overlaps it in the question."""
        places = range(len(self.items))
        return tuple(sum(1 << two for two in places if self._exclude(one, two)) for one in places)

    def _exclude(self, first: int, second: int) -> bool:
        one, two = self.words[first], self.words[second]
        overlap = one.start < two.end and two.start < one.end
        return one.group == two.group or (overlap and max(first, second) >= self.meant)


def topics_given(question: str, entities: Sequence[Mention], links: Links, kb: KnowledgeBase) -> Topics:
    """Entities as a dataset lists them, with the numbers and dates that are read off the question's words."""
    named = topics_from_gold(entities, kb, question)
    if any(isinstance(topic.term, ex.Value) for topic in named.items):
        return named
    values = topics_from_links(Links(question, literals=links.literals), kb).items
    groups = len(named.items)
    shifted = (replace(v, words=replace(v.words, group=groups + v.words.group)) for v in values)
    return replace(named, items=(*named.items, *shifted))


def topics_from_links(links: Links, kb: KnowledgeBase) -> Topics:
    """Every candidate of every mention and every reading of every literal, in the order of the question."""
    found: list[Topic] = []
    group = 0
    for mention in links.mentions:
        for candidate in mention.candidates:
            (term,) = kb.terms(np.array([candidate.node], np.int64))
            if not isinstance(term, Literal):
                text = describe(kb, candidate.node, candidate.label)
                words = scorer.TopicWords(text, mention.start, mention.end, group)
                found.append(Topic(ex.Entity(term), words, mention.score + candidate.score))
        group += 1
    for literal in links.literals:
        for reading in _distinct(literal.readings):
            words = scorer.TopicWords(literal_words(reading), literal.start, literal.end, group)
            found.append(Topic(ex.Value(reading), words))
        group += 1
    known = {(topic.term, topic.words.start) for topic in found}
    for said in texts_said(links.question):
        text_term = ex.Value(Literal(said.text))
        if (text_term, said.start) not in known:
            words = scorer.TopicWords(literal_words(text_term.literal), said.start, said.end, group)
            found.append(Topic(text_term, words))
            group += 1
    ranks, counts = numbers_said(links.question)
    ordered = sorted(found, key=lambda topic: topic.words.start)
    return Topics(tuple(ordered), ranks=ranks, counts=counts)


def _distinct(readings: Iterable[Literal]) -> Iterable[Literal]:
    """The best reading of each value: a knowledge base compares 5 and 5.0 by value anyway."""
    best: dict[object, Literal] = {}
    for reading in readings:
        best.setdefault(value_of(reading) or reading, reading)
    return best.values()


def topics_from_gold(
    entities: Sequence[Mention],
    kb: KnowledgeBase,
    question: str,
    program: ex.Expression | None = None,
    learned: Learned | None = None,
) -> Topics:
    """The topics of a gold program, or of a record's entities where there is none, in question order.

    Mentions say where in the question a topic stands. One without a mention is looked for by its
    label; where that does not occur its span stays empty.
    """
    if program is None:
        read = (_term(mention.id, Names(kb.profile)) for mention in entities)
        terms = [term for term in read if term is not None]
    else:
        terms = terms_of(buildable(program, kb, learned))
    lowered = question.lower()
    spans: dict[str, tuple[int, int]] = {}
    for mention in entities:
        if (span := _span(mention, lowered, list(spans.values()))) is not None:
            spans.setdefault(mention.id, span)
    taken = list(spans.values())
    found = []
    for term in dict.fromkeys(terms):
        names, text = _names(term, kb)
        known = next((spans[name] for name in names if name in spans), None)
        start, end = known if known is not None else _find(text, lowered, taken)
        taken.append((start, end))
        if isinstance(term, ex.Entity) and (node := kb.node(term.term)) is not None:
            text = describe(kb, node, text)
        elif isinstance(term, ex.Value):
            text = literal_words(term.literal)
        found.append((term, text, start, end))
    found.sort(key=lambda place: place[2] if place[3] else len(question))
    topics = [
        Topic(term, scorer.TopicWords(text, start, end, group))
        for group, (term, text, start, end) in enumerate(found)
    ]
    ranks, counts = numbers_said(question)
    if program is not None:
        ranks, counts = (*ranks, *ranks_of(program)), (*counts, *counts_of(program))
    return Topics(tuple(topics), len(topics), tuple(dict.fromkeys(ranks)), tuple(sorted(set(counts))))


def terms_of(program: ex.Expression) -> list[ex.Entity | ex.Value]:
    """The entities and literals a program starts from, in order of appearance.

    Numbers that counts compare with are no topics: any number of the question may be one.
    """
    nodes = list(ex.post_order(program))
    named = {program, *(child for node in nodes if not _counts(node) for child in ex.children(node))}
    return list(dict.fromkeys(n for n in nodes if isinstance(n, ex.Entity | ex.Value) and n in named))


def ranks_of(program: ex.Expression) -> list[Ranks]:
    extremes = [node for node in ex.post_order(program) if isinstance(node, ex.Extreme)]
    return [Ranks(node.first, node.last) for node in extremes if (node.first, node.last) != (1, 1)]


def counts_of(program: ex.Expression) -> list[int]:
    compared = [
        node.value for node in ex.post_order(program) if isinstance(node, ex.Compare) and _counts(node)
    ]
    values = [value_of(value.literal) for value in compared if isinstance(value, ex.Value)]
    return [int(v.nearest) for v in values if isinstance(v, Number) and v.nearest.is_integer()]


def _counts(node: ex.Expression) -> bool:
    """Whether a node compares counts with a number."""
    return (
        isinstance(node, ex.Compare) and isinstance(node.key, ex.Counted) and isinstance(node.value, ex.Value)
    )


def is_same(one: ex.Entity | ex.Value, two: ex.Entity | ex.Value) -> bool:
    """Whether two terms mean the same in a program; literals count by value."""
    if one == two or isinstance(one, ex.Entity) or isinstance(two, ex.Entity):
        return one == two
    value = value_of(one.literal)
    return value is not None and value == value_of(two.literal)


def describe(kb: KnowledgeBase, node: int, label: str) -> str:
    """ "Paris (city)": the label and the rarest class, which says most about what the node is."""
    nodes = kb.nodes(np.array([node], np.int64))
    classes = [kb.schema.classes[klass] for klass in kb.classes(nodes)]
    visible = [klass for klass in classes if not klass.hidden]
    if not visible:
        return label
    return f"{label} ({class_words(min(visible, key=lambda klass: (klass.members, klass.id)))})"


def _term(name: str, names: Names) -> ex.Entity | ex.Value | None:
    """The entity or typed literal a record's id stands for; None if it is neither."""
    try:
        if "^^" in name or name.startswith('"'):
            return ex.Value(read_literal(name, names))
        return ex.Entity(names.read(name))
    except ArcaneError:
        return None


def _names(term: ex.Entity | ex.Value, kb: KnowledgeBase) -> tuple[list[str], str]:
    """Under which ids a record may list a term, and how a question would spell it."""
    if isinstance(term, ex.Value):
        literal = term.literal
        return [literal.lexical, f"{literal.lexical}^^{literal.datatype}"], literal.lexical
    if not isinstance(term.term, Iri):
        return [term.term.label, f"_:{term.term.label}"], term.term.label
    iri = term.term.value
    return [Names(kb.profile).short(iri), f"<{iri}>", iri], label_of(kb, term.term) or label_from_iri(iri)


Span = tuple[int, int]


def _span(mention: Mention, lowered: str, taken: Sequence[Span]) -> Span | None:
    if mention.start is not None and mention.end is not None:
        return mention.start, mention.end
    if mention.mention:
        span = _find(mention.mention, lowered, taken)
        return span if span[1] else None
    return None


def _find(text: str, lowered: str, taken: Sequence[Span]) -> Span:
    """The first place of a text in the question that nothing else has; (0, 0) where there is none."""
    start = lowered.find(text.lower()) if text else -1
    while start >= 0:
        end = start + len(text)
        if all(end <= first or last <= start for first, last in taken):
            return start, end
        start = lowered.find(text.lower(), start + 1)
    return 0, 0
