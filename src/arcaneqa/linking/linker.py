"""The linker: a question goes in, mentions with ranked entities, and literals come out."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from arcaneqa.kb.interface import KnowledgeBase
from arcaneqa.kb.names.called import names_of
from arcaneqa.kb.names.name_forms import key, may_be_slip, split, stem
from arcaneqa.kb.short_names import Names
from arcaneqa.linking.features import NAMES, Featuriser, LinkerWeights, bundled
from arcaneqa.linking.literals import find_literals, used_types
from arcaneqa.linking.mentions import (
    ASKING,
    LONGEST_TEXT,
    LabelSearch,
    NameMatch,
    Proposal,
    Proposer,
    QuestionText,
    RemoteProposer,
    Span,
    SurfaceProposer,
    identified,
)
from arcaneqa.linking.question_words import STOP_WORDS, known_short_forms
from arcaneqa.linking.rows import of_rows
from arcaneqa.linking.texts import NearTexts, stated_texts, with_texts
from arcaneqa.links import LIKELY, PER_MENTION, EntityCandidate, Links, LiteralLink, MentionLink
from arcaneqa.support.errors import InputError

_YEAR = re.compile(r"1\d{3}|20\d{2}")
MOST_MENTIONS = 6
"""Of one question."""
LEAST_LIKELY = math.log(0.05)
"""Mentions less likely than this are left out, unless there is no other."""
LEAST_CANDIDATE = math.log(0.01)
SEVERAL = 3
"""Names that hold the same words say little by these: so many stadiums."""
MOST_PROPOSALS = 200
"""Of names for a question, before they are weighed."""


@dataclass(frozen=True, slots=True)
class Proposals:
    """Every proposal for a question: entities with their features, and texts that are values of facts.

    `spans` lists the entities proposed for each span.
    """

    text: QuestionText
    proposals: tuple[Proposal, ...]
    texts: tuple[Proposal, ...]
    rows: NDArray[np.float64]
    labels: dict[int, str]
    spans: dict[Span, list[int]]


class Linker:
    """Links questions to one knowledge base.

    `weights` are the bundled ones unless others were trained; `limit` is how many entities a mention keeps.
    """

    def __init__(
        self, kb: KnowledgeBase, weights: LinkerWeights | None = None, limit: int = PER_MENTION
    ) -> None:
        self._kb = kb
        self._weights = bundled() if weights is None else weights
        self._limit = limit
        short_forms = _joined(known_short_forms(), self._weights.short_forms)
        self._proposer: Proposer
        self._near_texts: NearTexts | None = None
        self._surfaces = kb.surfaces()
        kinds = [split(klass.label) for klass in kb.schema.classes if klass.members and not klass.hidden]
        # Who asks a table called cars93 says cars.
        kinds += [[word.rstrip("0123456789") or word for word in kind] for kind in kinds]
        self._kinds = {tuple(map(stem, kind)) for kind in kinds}
        if self._surfaces is not None:
            ordinary = [*self._weights.ordinary, *_schema_words(kb)]
            self._proposer = SurfaceProposer(self._surfaces, short_forms, ordinary, self._kinds)
            self._near_texts = NearTexts(kb, {*ordinary, *ASKING, *STOP_WORDS})
        elif isinstance(kb, LabelSearch):
            self._proposer = RemoteProposer(kb, short_forms)
        else:
            raise InputError(
                "This knowledge base cannot look up names: link against an index or an endpoint."
            )
        self.identifiers = Names(kb.profile)
        self._used_types = used_types(kb)
        self._column_years = frozenset(filter(_YEAR.fullmatch, _schema_words(kb)))
        self._featuriser = Featuriser(kb, self._weights)
        self._candidate = vector(self._weights.candidate)
        self._mention = vector(self._weights.mention)

    def over(self, kb: KnowledgeBase) -> Linker:
        """The same weights over another knowledge base."""
        return Linker(kb, self._weights, self._limit)

    def link(self, question: str) -> Links:
        text = QuestionText.of(question)
        considered = self.consider(text)
        mentions = self._with_identified(question, self._mentions(considered))
        literals = find_literals(question[:LONGEST_TEXT], self._kb, self._used_types)
        stated = [
            literal
            for literal in literals
            if not (_part_of_a_name(literal, mentions) or self._says_column(literal))
        ]
        texts = stated_texts(text, considered.texts, considered.proposals, mentions, self._kb, self._kinds)
        mentions = [mention for mention in mentions if not _are_rows(mention, texts)]
        stated = with_texts(stated, texts)
        read = of_rows(question, mentions, stated, self._kb.schema)
        return Links(question, tuple(mentions), tuple(stated), read)

    def _says_column(self, literal: LiteralLink) -> bool:
        """Whether a year only says which column is meant: the visitors in 2020 where there is a column of
        visitors 2020, and nothing was in that year."""
        return literal.text in self._column_years and not any(map(self._kb.equal, literal.readings))

    def named(self, name: str, limit: int = 20) -> list[int]:
        """Entities that are called exactly this, but for case and accents; the best known first."""
        if self._surfaces is not None:
            return list(dict.fromkeys(hit.node for hit in self._surfaces.find([key(split(name))], limit)[0]))
        assert isinstance(self._kb, LabelSearch)
        return self._kb.search_labels([name])[0][:limit]

    def suggest(self, typed: str, limit: int) -> list[EntityCandidate]:
        """Entities whose name begins like this, the best known first."""
        if self._surfaces is not None:
            nodes = self._surfaces.beginning(typed, limit)
        else:
            assert isinstance(self._kb, LabelSearch)
            nodes = self._kb.names_beginning(typed, limit)
        pairs = zip(nodes, self._names(nodes), strict=True)
        return [EntityCandidate(node, label, 0.0) for node, label in pairs]

    def _names(self, nodes: Sequence[int]) -> list[str]:
        return names_of(self._kb, np.array(nodes, dtype=np.int64))

    def consider(self, text: QuestionText) -> Proposals:
        proposed, rarity = self._proposer.propose(text)
        are_literals = self._kb.are_literals(np.array([p.node for p in proposed], dtype=np.int64))
        texts = [p for p, is_literal in zip(proposed, are_literals, strict=True) if is_literal]
        if self._near_texts is not None:
            texts += self._near_texts.proposals(text, proposed, rarity)
        proposals = [p for p, is_literal in zip(proposed, are_literals, strict=True) if not is_literal]
        proposals = _most_promising(proposals)
        nodes = list(dict.fromkeys(proposal.node for proposal in proposals))
        labels = dict(zip(nodes, self._names(nodes), strict=True))
        alike = Counter(p.span for p in proposals if p.match is NameMatch.CONTAINED)
        proposals = [
            p
            for p in proposals
            if p.match < NameMatch.CONTAINED
            or not (
                self._is_row(labels[p.node])
                or _goes_on_otherwise(text, p.span, labels[p.node], rarity)
                or (alike[p.span] >= SEVERAL and _begins_otherwise(text, p.span, labels[p.node], rarity))
            )
        ]
        rows = self._featuriser.features(text, proposals, labels, rarity)
        spans: dict[Span, list[int]] = {}
        for number, proposal in enumerate(proposals):
            spans.setdefault(proposal.span, []).append(number)
        return Proposals(text, tuple(proposals), tuple(texts), rows, labels, spans)

    def _is_row(self, label: str) -> bool:
        """Whether something is only called by a table and a number: guests are asked for, not the 7th one."""
        *table, number = split(label) or [""]
        return number.isdigit() and tuple(map(stem, table)) in self._kinds

    def scores(self, considered: Proposals) -> tuple[dict[Span, float], NDArray[np.float64]]:
        """Log-probability of each span to be a mention, and of each proposal among those of its span."""
        candidates = considered.rows @ self._candidate
        odds = np.empty(len(considered.spans))
        for number, members in enumerate(considered.spans.values()):
            best = members[int(candidates[members].argmax())]
            odds[number] = considered.rows[best] @ self._mention
            candidates[members] -= np.logaddexp.reduce(candidates[members])
        return dict(zip(considered.spans, (-np.logaddexp(0, -odds)).tolist(), strict=True)), candidates

    def _mentions(self, considered: Proposals) -> list[MentionLink]:
        mentions, candidates = self.scores(considered)
        proposals = considered.proposals
        joint = [mentions[proposal.span] + float(candidates[n]) for n, proposal in enumerate(proposals)]
        chosen: dict[Span, list[int]] = {}
        taken: set[int] = set()
        for number in sorted(range(len(proposals)), key=lambda n: -joint[n]):
            proposal = proposals[number]
            if proposal.node not in taken:  # an entity belongs to the span that names it best
                taken.add(proposal.node)
                chosen.setdefault(proposal.span, []).append(number)
        links = [
            _mention_link(considered, span, mentions[span], members[: self._limit], candidates)
            for span, members in chosen.items()
        ]
        links.sort(key=lambda link: -link.score)
        likely = [link for link in links if link.score > LEAST_LIKELY] or links[:1]
        return likely[:MOST_MENTIONS]

    def _with_identified(self, question: str, mentions: list[MentionLink]) -> list[MentionLink]:
        """An identifier means its entity and nothing else, whatever its letters spell."""
        found = identified(question[:LONGEST_TEXT], self._kb, self.identifiers)
        if not found:
            return mentions
        labels = self._names([node for _, _, node in found])
        certain = [
            MentionLink(start, end, question[start:end], 0.0, (EntityCandidate(node, label, 0.0),))
            for (start, end, node), label in zip(found, labels, strict=True)
        ]
        known = {node for _, _, node in found}
        apart = [
            mention
            for mention in mentions
            if all(mention.end <= one.start or one.end <= mention.start for one in certain)
            and known.isdisjoint(candidate.node for candidate in mention.candidates)
        ]
        return [*certain, *apart][:MOST_MENTIONS]


def _are_rows(mention: MentionLink, texts: Sequence[LiteralLink]) -> bool:
    """Whether a name is that of several rows, and stated as a text that all of them have: who won twice is in
    two rows, and neither of them is meant without the other."""
    called = {key(split(one.label)) for one in mention.candidates}
    return len(mention.candidates) > 1 == len(called) and any(
        (link.start, link.end) == (mention.start, mention.end)
        and called == {key(split(one.lexical)) for one in link.readings}
        for link in texts
    )


def _goes_on_otherwise(text: QuestionText, span: Span, name: str, known: Collection[str]) -> bool:
    """Whether question and name begin alike and go on differently: Mount Doom is not Mount Haddington, where
    no name has a word like Doom, as far as the words of names are known."""
    begun, called = list(map(stem, text.folded(span))), list(map(stem, split(name)))
    goes_on = called[: len(begun)] == begun and len(called) > len(begun)
    return goes_on and _is_one_name_with(text, span, span.last, known)


def _begins_otherwise(text: QuestionText, span: Span, name: str, known: Collection[str]) -> bool:
    """The same of names that end alike: Wembley Stadium is none of the other stadiums. Where few are called
    so, another word may stand before it: President Lincoln, Bill Clinton."""
    ended, called = list(map(stem, text.folded(span))), list(map(stem, split(name)))
    begins = ended[-1] in called and len(called) > len(ended)
    return begins and _is_one_name_with(text, span, span.first - 1, known) and not _is_slip(text, span, name)


def _is_slip(text: QuestionText, span: Span, name: str) -> bool:
    """Whether the word before is nearly one of the name: Rand Jackson for Randy Jackson."""
    word = text.words[span.first - 1].folded
    return any(may_be_slip(word, own) for own in split(name))


def _is_one_name_with(text: QuestionText, span: Span, place: int, known: Collection[str]) -> bool:
    """Whether a stretch and the word at a place beside it are written as one name, and nobody is called by
    that word."""
    if not known or not 0 <= place < len(text.words) or stem(text.words[place].folded) in known:
        return False
    whole = Span(min(span.first, place), max(span.last, place + 1))
    return text.is_written_as_name(whole) and "," not in text.surface(whole)


def _mention_link(
    considered: Proposals,
    span: Span,
    score: float,
    members: list[int],
    candidates: NDArray[np.float64],
) -> MentionLink:
    total = float(np.logaddexp.reduce(candidates[members]))
    found = []
    for number in members:
        if candidates[number] - total < LEAST_CANDIDATE:
            continue
        node = considered.proposals[number].node
        found.append(EntityCandidate(node, considered.labels[node], float(candidates[number]) - total))
    start, end = considered.text.stretch(span)
    return MentionLink(start, end, considered.text.question[start:end], score, tuple(found))


def _schema_words(kb: KnowledgeBase) -> set[str]:
    """Words that relations and classes are called by, and their stems: who asks for crimes where there is
    such a column has not misspelt Grimes."""
    labels = [relation.label for relation in kb.schema.shown_relations]
    labels += [klass.label for klass in kb.schema.shown_classes]
    said = {word for label in labels for word in split(label)}
    return said | set(map(stem, said))


def _joined(
    one: Mapping[str, Sequence[str]], other: Mapping[str, Sequence[str]]
) -> dict[str, tuple[str, ...]]:
    """Short forms of both, each with all its full names."""
    return {short: (*one.get(short, ()), *other.get(short, ())) for short in one.keys() | other.keys()}


def vector(weights: Mapping[str, float]) -> NDArray[np.float64]:
    """Weights in the order of the features."""
    return np.array([weights.get(name, 0.0) for name in NAMES])


def _part_of_a_name(literal: LiteralLink, mentions: list[MentionLink]) -> bool:
    """`1965` in `1965 NBA Finals`, where that is likely meant."""
    return any(
        mention.start <= literal.start
        and literal.end <= mention.end
        and len(literal.text) < len(mention.text)
        and mention.score > LIKELY
        and "".join(split(mention.text)) in "".join(split(mention.candidates[0].label))
        for mention in mentions
    )


def _most_promising(proposals: list[Proposal]) -> list[Proposal]:
    """A bound on work: whole and longer names first."""
    if len(proposals) <= MOST_PROPOSALS:
        return proposals
    proposals.sort(
        key=lambda proposal: (proposal.match > NameMatch.KNOWN, proposal.span.first - proposal.span.last)
    )
    return proposals[:MOST_PROPOSALS]
