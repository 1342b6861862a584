"""Texts a question states that are values of facts, exactly or in another form."""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Sequence, Set
from dataclasses import replace

import numpy as np
from rapidfuzz.distance import DamerauLevenshtein

from arcaneqa.kb.interface import KnowledgeBase, Step
from arcaneqa.kb.names.name_forms import are_of_one_origin, split, stem
from arcaneqa.kb.schema import Relation, ValueKind
from arcaneqa.kb.terms import Literal
from arcaneqa.linking.mentions import NameMatch, Proposal, QuestionText, Span
from arcaneqa.linking.question_words import QUESTION_WORDS, STOP_WORDS, UNITS
from arcaneqa.links import LIKELY, LiteralLink, MentionLink

# Texts that a question says in another form: rodents where the order is Rodentia, retailers where
# the category is Retailing, carnivores where a table has "carni", tobacco where it has "Food, drink
# & tobacco".


MOST_VALUES = 300
"""Different texts of a column of categories; a longer list is of names or remarks."""
FACTS_PER_VALUE = 2
"""On average at least so many rows share a text."""
MOST_COLUMNS = 200
LONGEST_VALUE = 5
"""Words of a category."""
SHORTEST_CUT = 4
"""Letters that are left of a word that was cut short."""
LONGEST_CUT = 8
"""Letters of all words of a column that holds words cut short."""
FEW = 3
"""Texts that one word may stand for; what is in more of them tells none."""
SHORTEST_MISSPELT, LONG = 6, 10
"""Letters from which on one typing error is forgiven, and two."""


class NearTexts:
    """The categories of one knowledge base; `ordinary` words, and those of its schema, stand for none."""

    def __init__(self, kb: KnowledgeBase, ordinary: Iterable[str]) -> None:
        self._kb = kb
        self._ordinary = frozenset(ordinary)
        self._columns: list[list[tuple[int, list[str]]]] | None = None

    def proposals(
        self, text: QuestionText, meant: Sequence[Proposal], known: Iterable[str]
    ) -> Iterator[Proposal]:
        """Texts for single words that are no part of what is `meant` already; `known` are words (stems) that
        things are called by."""
        taken = {
            n for one in meant if one.match <= NameMatch.KNOWN for n in range(one.span.first, one.span.last)
        }
        names = frozenset(known)
        for place, word in enumerate(text.words):
            said = stem(word.folded)
            is_ordinary = word.folded in self._ordinary or said in self._ordinary
            if (
                place in taken
                or is_ordinary
                or said in names
                or not said.isalpha()
                or len(said) < SHORTEST_CUT
            ):
                continue
            span = Span(place, place + 1)
            nodes = self._near(said, text.is_written_as_name(span))
            if 0 < len(nodes) <= FEW:
                yield from (Proposal(span, node, NameMatch.CORRECTED) for node in nodes)

    def _near(self, said: str, is_name: bool) -> list[int]:
        """The texts that a word may stand for: other forms of it, unless it is written as a name, texts that
        hold it, else misspelt ones."""
        if self._columns is None:
            self._columns = [list(self._texts(relation)) for relation in _categories(self._kb)]
        formed, holding, misspelt = [], [], []
        for column in self._columns:
            are_cut = all(len(parts) == 1 and len(parts[0]) <= LONGEST_CUT for _, parts in column)
            for node, parts in column:
                if len(parts) == 1:
                    (own,) = parts
                    is_form = are_of_one_origin(said, own) or (are_cut and _is_cut_short(said, own))
                    if is_form and not is_name:
                        formed.append(node)
                    elif _is_misspelt(said, own):
                        misspelt.append(node)
                elif said in parts:
                    holding.append(node)
        return list(dict.fromkeys(formed or holding or misspelt))

    def _texts(self, relation: Relation) -> Iterator[tuple[int, list[str]]]:
        nodes = self._kb.having(Step(relation.id, inverse=True)).ids
        for node, term in zip(nodes.tolist(), self._kb.terms(nodes), strict=True):
            parts = list(map(stem, split(term.lexical))) if isinstance(term, Literal) else []
            if 0 < len(parts) <= LONGEST_VALUE:
                yield node, parts


def _categories(kb: KnowledgeBase) -> list[Relation]:
    return [
        relation
        for relation in kb.schema.shown_relations
        if relation.kinds == {ValueKind.TEXT}
        and 1 < relation.objects <= MOST_VALUES
        and relation.facts >= FACTS_PER_VALUE * relation.objects
    ][:MOST_COLUMNS]


def _is_cut_short(word: str, cut: str) -> bool:
    return SHORTEST_CUT <= len(cut) < len(word) - 1 and word.startswith(cut)


def _is_misspelt(one: str, other: str) -> bool:
    if min(len(one), len(other)) < SHORTEST_MISSPELT or one[0] != other[0]:
        return False
    forgiven = 1 if len(one) < LONG else 2
    return DamerauLevenshtein.distance(one, other, score_cutoff=forgiven) <= forgiven


# Texts a question states that are values of facts: codes, symbols, ratings, and all that has no
# entity.


MOST_TEXTS = 3
"""Values of texts that one question names."""
MOST_READINGS = 3
"""Values that one stretch may stand for."""
MOST_COMPARED = 50
"""Values of one stretch that are looked at."""
SAYS_NOTHING = STOP_WORDS | QUESTION_WORDS | UNITS
BEFORE_UNITS = frozenset(("in", "per"))


def stated_texts(
    text: QuestionText,
    proposals: Sequence[Proposal],
    entities: Sequence[Proposal],
    mentions: Sequence[MentionLink],
    kb: KnowledgeBase,
    kinds: Set[tuple[str, ...]] = frozenset(),
) -> list[LiteralLink]:
    """The longest texts stated, in question order; none where the same words, or more, likely are the whole
    name of an entity. Words that are only a part of one do not hide a text: `San Jose` is stated in `San Jose
    city` though a station is called San Jose City Hall, and `Stanley Kubrick` though a film about him has
    a subtitle. `kinds` are the stems of nouns for kinds of things: `Swiss airlines` are those of Switzerland,
    though one is called Swiss Airlines."""
    whole: dict[tuple[int, int], NameMatch] = {}
    for proposal in entities:
        if proposal.match <= NameMatch.KNOWN:
            place = text.stretch(proposal.span)
            whole[place] = min(proposal.match, whole.get(place, proposal.match))
    by_span: dict[Span, list[Proposal]] = {}
    for proposal in proposals:
        qualifies = proposal.match is NameMatch.PLAIN and _qualifies(text, proposal.span, kinds)
        is_letter = proposal.match is NameMatch.PLAIN and _is_letter_of_it(proposal, text, kb)
        says_it = qualifies or is_letter or _is_sort(proposal, text, kb) or _is_code(proposal, text, kb)
        if proposal.match is NameMatch.KNOWN or says_it or _says_something(text, proposal.span):
            by_span.setdefault(proposal.span, []).append(proposal)
    by_span = {span: by_span[span] for span in by_span if not _is_of_a_kind(text, span, by_span, kinds)}
    links: list[LiteralLink] = []
    for span in sorted(by_span, key=lambda span: span.first - span.last):
        start, end = text.words[span.first].start, text.words[span.last - 1].end
        taken = any(link.start < end and start < link.end for link in links)
        is_plain = any(proposal.match is NameMatch.PLAIN for proposal in by_span[span])
        named = any(
            m.start <= start and end <= m.end and m.score > LIKELY
            for m in mentions
            if (fit := whole.get((m.start, m.end))) is not None and not (is_plain and fit is NameMatch.SHORT)
        )
        meant_as_text = named and (_is_shared(by_span[span], kb) or _is_asked_for(by_span[span], text, kb))
        if taken or (named and not meant_as_text) or len(links) == MOST_TEXTS:
            continue
        same = [one for m in mentions if (m.start, m.end) == (start, end) for one in m.candidates]
        said = set(text.folded(span))
        meant = {one.node for one in same if said <= set(split(one.label))}
        telling = [one for one in by_span[span] if not _is_part_of_name(one.node, meant, text, kb)]
        readings = _best(telling, text.question[start:end], kb)
        if readings:
            links.append(LiteralLink(start, end, text.question[start:end], readings))
    return sorted(links, key=lambda link: link.start)


def _is_of_a_kind(
    text: QuestionText, span: Span, stated: Container[Span], kinds: Set[tuple[str, ...]]
) -> bool:
    """Whether a stretch is a value with the noun for a kind of thing behind it, not written like a name."""
    *_, noun = text.folded(span)
    is_qualified = (stem(noun),) in kinds and Span(span.first, span.last - 1) in stated
    return is_qualified and not text.is_written_as_name(span)


def _best(proposals: Sequence[Proposal], written: str, kb: KnowledgeBase) -> tuple[Literal, ...]:
    """The texts that fit best; of those that fit alike, those that are written as in the question first, and
    where its capitals tell them apart no other: KGM is not kg·m."""
    fitting = sorted(proposals, key=lambda proposal: proposal.match)
    terms = kb.terms(np.array([proposal.node for proposal in fitting[:MOST_COMPARED]], dtype=np.int64))
    pairs = [
        (proposal.match, term)
        for proposal, term in zip(fitting, terms, strict=False)
        if isinstance(term, Literal)
    ]
    exact = [term for _, term in pairs if term.lexical == written]
    if exact and written != written.lower():
        return tuple(exact[:MOST_READINGS])
    pairs.sort(key=lambda pair: (pair[0], pair[1].lexical != written))
    return tuple(term for _, term in pairs[:MOST_READINGS])


def _is_asked_for(proposals: Sequence[Proposal], text: QuestionText, kb: KnowledgeBase) -> bool:
    """Whether the question says which attribute it is: the currency code CHF."""
    return any(one.match is NameMatch.PLAIN and _is_attribute_said(one.node, text, kb) for one in proposals)


def _is_attribute_said(node: int, text: QuestionText, kb: KnowledgeBase) -> bool:
    asked = {stem(word.folded) for word in text.words}
    relations = kb.in_relations(kb.nodes(np.array([node], np.int64))).tolist()
    labels = (kb.schema.relations[relation].label for relation in relations)
    return any(asked.issuperset(map(stem, split(label))) for label in labels)


def _is_shared(proposals: Sequence[Proposal], kb: KnowledgeBase) -> bool:
    """Whether a text is said of several: who won twice has two rows, and all of them may be meant; westerns
    are films of that genre, though one is called Western."""
    whole = [one.node for one in proposals if one.match <= NameMatch.LOOSE]
    return any(len(kb.neighbours(kb.nodes(np.array([node], np.int64)))) > 1 for node in whole)


def _is_part_of_name(node: int, meant: Set[int], text: QuestionText, kb: KnowledgeBase) -> bool:
    """Whether a text says nothing but what somebody is called who is meant by the same words, as a first name
    does; unless the question says that it is one."""
    nodes = kb.nodes(np.array([node], np.int64))
    bearers = kb.neighbours(nodes).ids.tolist()
    if len(bearers) != 1 or bearers[0] not in meant:
        return False
    return not _is_attribute_said(node, text, kb)


def _says_something(text: QuestionText, span: Span) -> bool:
    if span in text.quoted:
        return True
    return any(word not in SAYS_NOTHING for word in text.folded(span)) or _is_no_unit(text, span)


def _is_letter_of_it(proposal: Proposal, text: QuestionText, kb: KnowledgeBase) -> bool:
    """Whether a small word is written as a letter, and the question says of what: painters of school A."""
    is_letter = proposal.span.last - proposal.span.first == 1 and len(text.surface(proposal.span)) == 1
    return (
        is_letter and text.is_written_as_name(proposal.span) and _is_attribute_said(proposal.node, text, kb)
    )


def _is_code(proposal: Proposal, text: QuestionText, kb: KnowledgeBase) -> bool:
    """Whether a small word is written in capitals as the data writes it: those in ME are in Maine."""
    written = text.surface(proposal.span)
    is_code = len(written) > 1 and written.isupper() and written.lower() not in UNITS
    if not is_code or not text.is_written_as_name(proposal.span):
        return False
    (term,) = kb.terms(np.array([proposal.node], np.int64))
    return isinstance(term, Literal) and term.lexical == written


def _is_sort(proposal: Proposal, text: QuestionText, kb: KnowledgeBase) -> bool:
    """Whether a word that often only asks is, in the plural, what a column says of several: cities in a table
    of places where some are a city. Not where cities are a kind of thing or a column of their own."""
    if proposal.span.last - proposal.span.first > 1 or proposal.match > NameMatch.LOOSE:
        return False
    (word,) = text.folded(proposal.span)
    named = (one.label for many in (kb.schema.classes, kb.schema.relations) for one in many)
    is_plural = word in QUESTION_WORDS and stem(word) != word
    if not is_plural or any(stem(word) in map(stem, split(label)) for label in named):
        return False
    return len(kb.neighbours(kb.nodes(np.array([proposal.node], np.int64)))) > 1


def _is_no_unit(text: QuestionText, span: Span) -> bool:
    """Whether the code of a unit stands alone: countries that use USD, not 30 USD or the price in USD."""
    is_code = span.last - span.first == 1 and text.folded(span)[0] in UNITS and text.surface(span).isupper()
    before = text.words[span.first - 1].folded if span.first else ""
    return is_code and before not in BEFORE_UNITS and not before[-1:].isdigit()


def _qualifies(text: QuestionText, span: Span, kinds: Set[tuple[str, ...]]) -> bool:
    """Whether a word that often only asks stands right before a kind of thing: large species, male cats."""
    if any(word not in QUESTION_WORDS for word in text.folded(span)) or span.last >= len(text.words):
        return False
    return stem(text.words[span.last].folded) in {kind[-1] for kind in kinds if kind}


def with_texts(values: Sequence[LiteralLink], texts: Sequence[LiteralLink]) -> list[LiteralLink]:
    """Numbers and times, and texts elsewhere; a text that is written like a number is one of its
    readings, and a number within a longer text is a part of it: 13 in "PG-13"."""
    joined = list(values)
    for text in texts:
        across = [n for n, value in enumerate(joined) if value.start < text.end and text.start < value.end]
        same = [n for n in across if (joined[n].start, joined[n].end) == (text.start, text.end)]
        if same:
            value = joined[same[0]]
            joined[same[0]] = replace(value, readings=(*value.readings, *text.readings))
        elif all(text.start <= joined[n].start and joined[n].end <= text.end for n in across):
            joined = [value for n, value in enumerate(joined) if n not in across] + [text]
    return sorted(joined, key=lambda link: link.start)
