"""Stretches of a question that may name an entity, by name or identifier, each with the entities that fit."""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import IntEnum
from itertools import islice, pairwise, product
from typing import NamedTuple, Protocol, runtime_checkable

from arcaneqa.kb.interface import KnowledgeBase
from arcaneqa.kb.names.name_forms import (
    SPACELESS,
    Forgotten,
    Word,
    key,
    keys_of_name,
    loose,
    split,
    stem,
    words,
)
from arcaneqa.kb.names.surfaces import Surfaces
from arcaneqa.kb.short_names import Names
from arcaneqa.kb.terms import Iri
from arcaneqa.linking.literals import SCALES
from arcaneqa.linking.question_words import ENDINGS, QUESTION_WORDS, STOP_WORDS, UNITS, known_codes
from arcaneqa.support.errors import InputError

# Entities a question names by their identifiers: `<http://…>`, `http://…`, `wd:Q42`, `m.0abc`.


IDENTIFIER = re.compile(r"<[^<>\s]+>|[^\W\d][\w.-]{0,99}:[^\s<>\"',;?!]+|[^\W\d]\w{0,99}(?:\.\w+)+")
CLOSING = ").:]}"
"""What may stand behind an identifier without being part of it."""
MOST = 10
"""Identifiers of one question that are looked up."""


def identified(question: str, kb: KnowledgeBase, names: Names) -> list[tuple[int, int, int]]:
    """Places in the question (start and end) with the entity each identifies, each entity once."""
    found: dict[int, tuple[int, int, int]] = {}
    for match in islice(IDENTIFIER.finditer(question), MOST):
        said = match[0]
        node = _node(said, kb, names)
        while node is None and said[-1] in CLOSING:
            said = said[:-1]
            node = _node(said, kb, names)
        if node is not None:
            found.setdefault(node, (match.start(), match.start() + len(said), node))
    return list(found.values())


def _node(said: str, kb: KnowledgeBase, names: Names) -> int | None:
    try:
        term = names.read(said)
    except InputError:
        return None
    if not isinstance(term, Iri):
        return None
    schema = kb.schema
    if term.value in schema.relation_ids or term.value in schema.class_ids:
        return None
    return kb.node(term)


# Stretches of a question that may name an entity, each with the entities whose names fit.


DIRECTIONS = frozenset(("north", "south", "east", "west"))
TOWARDS = frozenset(("furthest", "farthest", "further", "farther", "most", "more"))
ASKING = QUESTION_WORDS | UNITS | SCALES.keys()
LONGEST_TEXT = 4000
"""Characters that are read."""
MOST_WORDS = 120
"""That are read."""
LONGEST_SPAN = 10
"""Words of a name in a question, unless it is quoted."""
LONGEST_SPACELESS_SPAN = 24
"""The same where every letter counts as a word."""
LONGEST_PART = 4
"""Words of a name looked for inside longer names."""
LONGEST_REMOTE_SPAN = 6
"""The same where each span is a query to a server."""
LONGEST_REMOTE_PART = 2
"""Words of a part of a name that a server is asked for."""
FEW_NAMES = 20
"""Names: where more of them hold a number, it is not looked for inside names."""
PER_KEY = 32
"""Entities of one spelling that are looked at, those best known first."""
PER_PART = 10
"""Entities whose names hold a part of one."""
SHORTEST_DOER = 4
"""Letters: "over" and "ever" are called after nothing."""
MOST_TYPOS = 4
"""Words of a question for which other spellings are looked for."""
MOST_WAYS = 32
"""To combine other spellings of the words of a span."""
SPELLINGS = 8
"""Of one word."""
_SPACELESS = re.compile(f"[{SPACELESS}]")
QUOTED = re.compile(r"\"([^\"]{2,120})\"|“([^”]{2,120})”|«([^»]{2,120})»|(?<!\w)['‘]([^'’]{2,120})['’](?!\w)")


class NameMatch(IntEnum):
    """How a name fits a stretch of text, best first."""

    PLAIN = 0
    LOOSE = 1
    SHORT = 2
    KNOWN = 3
    ACRONYM = 4
    CORRECTED = 5
    CONTAINED = 6
    TYPO = 7


_MATCH_OF_FORM = {
    Forgotten.PLAIN: NameMatch.PLAIN,
    Forgotten.LOOSE: NameMatch.LOOSE,
    Forgotten.SHORT: NameMatch.SHORT,
    Forgotten.ACRONYM: NameMatch.ACRONYM,
}


class Span(NamedTuple):
    """Words `first` to `last` (exclusive) of a question. A tuple: there are dozens, in sets and as keys."""

    first: int
    last: int


class Proposal(NamedTuple):
    span: Span
    node: int
    match: NameMatch
    alias: bool = False


@dataclass(frozen=True, slots=True)
class QuestionText:
    """A question as words, with the spans that stand in quotation marks."""

    question: str
    words: tuple[Word, ...]
    quoted: frozenset[Span]
    mixed_case: bool

    @classmethod
    def of(cls, question: str) -> QuestionText:
        head = question[:LONGEST_TEXT]
        found = tuple(words(head)[:MOST_WORDS])
        quoted = set()
        for match in QUOTED.finditer(head):
            start, end = next(match.span(group) for group in range(1, 5) if match[group] is not None)
            inside = [n for n, word in enumerate(found) if word.start >= start and word.end <= end]
            if inside:
                quoted.add(Span(inside[0], inside[-1] + 1))
        capitals = [head[word.start].isupper() for word in found[1:]]
        return cls(question, found, frozenset(quoted), any(capitals) and not all(capitals))

    def folded(self, span: Span) -> list[str]:
        return [word.folded for word in self.words[span.first : span.last]]

    def stretch(self, span: Span) -> tuple[int, int]:
        """Its characters: from the first to behind the last."""
        return self.words[span.first].start, self.words[span.last - 1].end

    def surface(self, span: Span) -> str:
        start, end = self.stretch(span)
        return self.question[start:end]

    def content(self, span: Span) -> list[str]:
        """The words that say what is meant: all but stop words, unless these are written as a name."""
        folded = self.folded(span)
        said = [word for word in folded if word not in STOP_WORDS]
        return said or (folded if self.is_written_as_name(span) else [])

    def is_written_as_name(self, span: Span) -> bool:
        """Quoted, joined without a space (`AT&T`), or with capitals where others have none."""
        inside = self.words[span.first : span.last]
        joined = len(inside) > 1 and all(one.end == two.start for one, two in pairwise(inside))
        capitals = all(self.question[word.start].isupper() and word.folded != "i" for word in inside)
        return span in self.quoted or joined or (capitals and self.mixed_case and span.first > 0)

    def may_name(self, span: Span) -> bool:
        """Whether the span is worth looking up: a stop word alone is a name only if it is written like one,
        or if it ends the question where a name would stand (`who directed up?`). What is furthest north is in
        no place called North."""
        if span.last - span.first > 1:
            return True
        if self.words[span.first].folded not in STOP_WORDS:
            is_direction = self.words[span.first].folded in DIRECTIONS and span.first > 0
            return not (is_direction and self.words[span.first - 1].folded in TOWARDS)
        at_end = span.last == len(self.words) and span.first > 1
        asked = self.words[span.first - 1].folded not in STOP_WORDS
        return self.is_written_as_name(span) or (
            at_end and asked and self.words[span.first].folded not in ENDINGS
        )

    def spans(self) -> Iterator[Span]:
        for first, word in enumerate(self.words):
            longest = LONGEST_SPACELESS_SPAN if _SPACELESS.match(word.folded) else LONGEST_SPAN
            for last in range(first + 1, min(first + longest, len(self.words)) + 1):
                yield Span(first, last)
        yield from (span for span in self.quoted if span.last - span.first > LONGEST_SPAN)


class Proposer(Protocol):
    """Finds entities that a text may name."""

    def propose(self, text: QuestionText) -> tuple[list[Proposal], dict[str, float]]:
        """And how few names hold each word (stems), 0 to 1, where that is known."""


class SurfaceProposer:
    """Finds names of a surface index.

    `short_forms` maps words without spaces to full names; `ordinary` words are spelt as they are meant.
    `kinds` are the words (stems) of classes: who asks for products does not mean Dairy Products.
    """

    def __init__(
        self,
        surfaces: Surfaces,
        short_forms: Mapping[str, Sequence[str]],
        ordinary: Sequence[str] = (),
        kinds: Collection[tuple[str, ...]] = (),
    ) -> None:
        self._surfaces = surfaces
        self._short_forms = short_forms
        self._ordinary = ASKING | frozenset(ordinary)
        self._kinds = frozenset(kinds)
        self._peoples = _peoples(short_forms)
        # Hungarians are no misspelt Bulgarians, whether or not Hungary is here.
        self._well_spelt = self._ordinary | (short_forms.keys() - self._peoples.keys())

    def propose(self, text: QuestionText) -> tuple[list[Proposal], dict[str, float]]:
        spans = [
            (span, text.folded(span))
            for span in text.spans()
            if text.may_name(span) and not self._is_kind_in_a_sentence(text, span)
        ]
        whole = self._whole_names(spans)
        whole += self._codes(spans, {proposal.span for proposal in whole})
        known = self._surfaces.frequencies(list({stem(word.folded) for word in text.words}))
        parts = self._parts_and_typos(text, _covered(text, whole), known)
        size = math.log1p(len(self._surfaces))
        rarity = {word: 1 - math.log1p(count) / size for word, count in known.items()}
        return _best_of_each([*whole, *parts]), rarity

    def _is_kind_in_a_sentence(self, text: QuestionText, span: Span) -> bool:
        """Whether a kind comes with the small word behind it: "murders in" is no row IN of the murders."""
        *noun, last = text.folded(span)
        return last in STOP_WORDS and tuple(map(stem, noun)) in self._kinds

    def _whole_names(self, spans: Sequence[tuple[Span, list[str]]]) -> list[Proposal]:
        """Names that are exactly a span, after forgetting case, accents, plurals, articles and the like."""
        queries: list[tuple[int, Span, NameMatch]] = []
        for span, parts in spans:
            plain = key(parts)
            queries.append((plain, span, NameMatch.PLAIN))
            if parts[0] not in STOP_WORDS and parts[-1] not in STOP_WORDS:
                other = loose(parts)
                if other != parts:
                    queries.append((key(other), span, NameMatch.LOOSE))
            said = "".join(parts)
            # Americans are called after their country as what is American is.
            for name in self._short_forms.get(said) or self._short_forms.get("".join(loose(parts)), ()):
                queries.append((next(keys_of_name(name))[0], span, NameMatch.KNOWN))
            if len(parts) == 1 and parts[0] not in self._ordinary:
                queries += [(key([what]), span, NameMatch.KNOWN) for what in _doing(stem(parts[0]))]
        found: list[Proposal] = []
        hits = self._surfaces.find([value for value, _, _ in queries], PER_KEY)
        for (_, span, level), names in zip(queries, hits, strict=True):
            for hit in names:
                if level is NameMatch.KNOWN and hit.form is not Forgotten.PLAIN:
                    continue
                match = max(level, _MATCH_OF_FORM[hit.form])
                if match is NameMatch.ACRONYM and (
                    span.last - span.first > 1 or level is not NameMatch.PLAIN
                ):
                    continue
                found.append(Proposal(span, hit.node, match, hit.alias))
        return found

    def _codes(self, spans: Sequence[tuple[Span, list[str]]], named: Collection[Span]) -> Iterator[Proposal]:
        """What is written as a code, where nothing is called what the question says: TX for Texas."""
        queries: list[tuple[int, Span]] = []
        for span, parts in spans:
            if span in named:
                continue
            said = "".join(parts)
            for name in (said, *("".join(split(full)) for full in self._short_forms.get(said, ()))):
                queries += [(next(keys_of_name(code))[0], span) for code in known_codes().get(name, ())]
        hits = self._surfaces.find([value for value, _ in queries], PER_KEY)
        for (_, span), names in zip(queries, hits, strict=True):
            for hit in names:
                if hit.form is Forgotten.PLAIN:
                    yield Proposal(span, hit.node, NameMatch.KNOWN, hit.alias)

    def _parts_and_typos(
        self, text: QuestionText, covered: set[int], known: Mapping[str, int]
    ) -> Iterator[Proposal]:
        """Names that hold the words of a span among others, and names a typing error away. `known` counts the
        names that hold a word."""
        content = [
            n for n, word in enumerate(text.words) if word.folded not in STOP_WORDS and len(word.folded) > 2
        ]
        stems = {n: stem(text.words[n].folded) for n in content}
        spelt = _Spellings(self._surfaces, self._well_spelt, self._peoples)
        for first in content:
            for last in range(first + 1, min(first + LONGEST_PART, len(text.words)) + 1):
                inside = [n for n in range(first, last) if n in stems]
                if last - 1 not in stems or all(n in covered for n in inside):
                    continue
                said = text.words[first].folded
                common_number = said.isdigit() and not 0 < known.get(stems[first], 0) <= FEW_NAMES
                asks_how = first > 0 and text.words[first - 1].folded == "how"
                if len(inside) == 1 and (said in ASKING or common_number or asks_how):
                    continue
                if not text.may_name(Span(first, last)):
                    continue
                is_kind = tuple(stems[n] for n in inside) in self._kinds
                if is_kind and not text.is_written_as_name(Span(first, last)):
                    continue
                nodes, match = [], NameMatch.CONTAINED
                if all(stems[n] in known for n in inside):
                    nodes = self._surfaces.containing([[stems[n]] for n in inside], PER_PART)
                if not nodes and (len(inside) > 1 or stems[first] not in known):
                    choices = [spelt.as_known(stems[n], stems[n] in known) for n in inside]
                    nodes, match = self._surfaces.containing(choices, PER_PART), NameMatch.TYPO
                    if nodes:
                        yield from self._corrected(Span(first, last), choices)
                yield from (Proposal(Span(first, last), node, match) for node in nodes)
                if not nodes:
                    break

    def _corrected(self, span: Span, choices: Sequence[Sequence[str]]) -> Iterator[Proposal]:
        """Whole names among the ways to spell a span; words in between, if any, are left out."""
        ways = list(islice(product(*choices), MOST_WAYS))
        for hits in self._surfaces.find([key(way) for way in ways], PER_KEY):
            for hit in hits:
                if hit.form in (Forgotten.PLAIN, Forgotten.LOOSE):
                    yield Proposal(span, hit.node, NameMatch.CORRECTED, hit.alias)


class _Spellings:
    """What words of one question may be misspellings of; only so many are looked into. A country may stand
    for its people: a region in France is called the French region."""

    def __init__(
        self, surfaces: Surfaces, ordinary: frozenset[str], peoples: Mapping[str, Sequence[str]]
    ) -> None:
        self._surfaces = surfaces
        self._ordinary = ordinary
        self._peoples = peoples
        self._found: dict[str, list[str]] = {}

    def as_known(self, word: str, known: bool) -> list[str]:
        """The word itself if a name holds it, and words of names that it may stand for."""
        if word not in self._found and len(self._found) < MOST_TYPOS and word not in self._ordinary:
            peoples = self._peoples.get(word, ())
            similar = list(self._surfaces.frequencies(peoples)) or self._surfaces.similar(word, SPELLINGS)
            self._found[word] = [other for other in similar if other not in STOP_WORDS]
        return [*([word] if known else []), *self._found.get(word, [])]


@runtime_checkable
class LabelSearch(Protocol):
    """A knowledge base elsewhere that can look up names itself."""

    def search_labels(self, texts: Sequence[str]) -> list[list[int]]:
        """For each text the nodes that are called exactly so, in the usual variants of case."""

    def names_containing(self, texts: Sequence[str], limit: int) -> list[list[int]]:
        """For each text the nodes with a name that holds all its words, where words can be searched for."""

    def names_beginning(self, typed: str, limit: int) -> list[int]:
        """Entities one of whose names begins so, the best known first."""


class RemoteProposer:
    """Asks a knowledge base that keeps its names to itself: whole names, as they are said, and then names
    that hold what is said."""

    def __init__(self, labels: LabelSearch, short_forms: Mapping[str, Sequence[str]]) -> None:
        self._labels = labels
        self._short_forms = short_forms

    def propose(self, text: QuestionText) -> tuple[list[Proposal], dict[str, float]]:
        queries: list[tuple[str, Span, NameMatch]] = []
        for span in text.spans():
            parts = text.folded(span)
            edges = parts[0] in STOP_WORDS or parts[-1] in STOP_WORDS
            only_asking = len(parts) == 1 and parts[0] in QUESTION_WORDS
            if span not in text.quoted and (edges or only_asking or len(parts) > LONGEST_REMOTE_SPAN):
                continue
            queries.append((text.surface(span), span, NameMatch.PLAIN))
            for name in self._short_forms.get("".join(parts), ()):
                queries.append((name, span, NameMatch.KNOWN))
        found = self._labels.search_labels([said for said, _, _ in queries]) if queries else []
        whole = [
            Proposal(span, node, match)
            for (_, span, match), nodes in zip(queries, found, strict=True)
            for node in nodes[:PER_KEY]
        ]
        return _best_of_each([*whole, *self._containing(text, whole)]), {}

    def _containing(self, text: QuestionText, whole: Sequence[Proposal]) -> Iterator[Proposal]:
        """Of words outside of whole names, one by one and in pairs."""
        taken = _covered(text, whole) | {n for one in whole for n in range(one.span.first, one.span.last)}
        spans = [
            span
            for span in text.spans()
            if span.last - span.first <= LONGEST_REMOTE_PART
            and not taken.intersection(range(span.first, span.last))
            and not any(part in STOP_WORDS or part in QUESTION_WORDS for part in text.folded(span))
        ]
        found = self._labels.names_containing([text.surface(span) for span in spans], PER_KEY)
        for span, nodes in zip(spans, found, strict=True):
            yield from (Proposal(span, node, NameMatch.CONTAINED) for node in nodes)


def _doing(doer: str) -> list[str]:
    """What somebody does who is called after it: rowers row, and their sport is called rowing."""
    return [doer[:-2] + "ing"] if len(doer) > SHORTEST_DOER and doer.endswith("er") else []


def _peoples(short_forms: Mapping[str, Sequence[str]]) -> dict[str, list[str]]:
    """The other way about, where both are a word: what a country's people or things are called."""
    found: dict[str, list[str]] = {}
    for short, names in short_forms.items():
        for name in names:
            if short.isalpha() and name.isalpha():
                found.setdefault(stem(name.lower()), []).append(stem(short))
    return found


def _covered(text: QuestionText, proposals: Sequence[Proposal]) -> set[int]:
    """Words inside a whole name of at least two words that matter: nothing else is sought for them."""
    found: set[int] = set()
    for span in {proposal.span for proposal in proposals if proposal.match <= NameMatch.KNOWN}:
        inside = range(span.first, span.last)
        if sum(text.words[n].folded not in STOP_WORDS for n in inside) > 1:
            found.update(inside)
    return found


def _best_of_each(proposals: Sequence[Proposal]) -> list[Proposal]:
    best: dict[tuple[Span, int], Proposal] = {}
    for proposal in proposals:
        place = (proposal.span, proposal.node)
        if place not in best or proposal.match < best[place].match:
            best[place] = proposal
    return list(best.values())
