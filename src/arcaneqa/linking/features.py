"""What speaks for and against a proposal, and what training learned of its weight."""

from __future__ import annotations

import json
import math
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import cache, lru_cache
from importlib.resources import files
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from rapidfuzz import fuzz

from arcaneqa.kb.interface import Ids, KnowledgeBase
from arcaneqa.kb.names.name_forms import split, stem
from arcaneqa.linking.mentions import NameMatch, Proposal, QuestionText, Span
from arcaneqa.linking.question_words import QUESTION_WORDS, STOP_WORDS
from arcaneqa.support.errors import ModelError
from arcaneqa.support.files import plain_json, replacing
from arcaneqa.support.sealed import seal_again

# What the linker has learned, as one readable JSON file: feature weights, telling words, short
# forms.


FILE = "linker.json"

# Set by hand from what the features mean, for a linker that has seen no question yet.
BY_HAND = {
    "always": -3.0,
    "plain": 3.5,
    "loose": 3.0,
    "short": 2.0,
    "known": 3.0,
    "acronym": 0.0,
    "corrected": 1.0,
    "contained": -1.0,
    "typo": -0.5,
    "alias": -0.3,
    "words": 1.2,
    "stop words": -4.0,
    "only question words": -3.0,
    "capitals": 1.0,
    "no capitals": -1.0,
    "quoted": 2.0,
    "similarity": 1.5,
    "coverage": 0.5,
    "degree": 2.0,
    "degree to best": 0.4,
    "rank": -0.3,
    "beside a whole name": -0.3,
    "inside a name": -2.0,
    "crosses a name": -0.5,
    "relation fit": 2.5,
    "class fit": 1.0,
    "schema words": -1.5,
    "rarity": 1.0,
    "at the end": 0.3,
    "a number": -2.0,
}


@dataclass(frozen=True)
class LinkerWeights:
    """`candidate` weighs the features of entities of one span against each other, `mention` those of the
    best of them for the question whether the span names anything at all.

    `inside`, `before` and `after` are log-odds of words to be in, left of and right of a mention.
    `ordinary` words were seen outside of mentions: no typing errors are suspected in them.
    `short_forms` were seen in training: words without spaces → full names.
    """

    candidate: Mapping[str, float]
    mention: Mapping[str, float]
    inside: Mapping[str, float] = field(default_factory=dict)
    before: Mapping[str, float] = field(default_factory=dict)
    after: Mapping[str, float] = field(default_factory=dict)
    ordinary: Sequence[str] = ()
    short_forms: Mapping[str, Sequence[str]] = field(default_factory=dict)

    @classmethod
    def by_hand(cls) -> LinkerWeights:
        return cls(BY_HAND, BY_HAND)

    @classmethod
    def load(cls, folder: Path) -> LinkerWeights:
        """From the folder `save` wrote to."""
        path = folder / FILE
        try:
            return cls(**plain_json(path))
        except (OSError, ValueError, TypeError) as error:
            raise ModelError(f"{path}: not a linker ({error}); train it again.") from error

    @classmethod
    def of_model(cls, folder: Path) -> LinkerWeights:
        """Those in a model's folder; the bundled ones where it brings none of its own."""
        return cls.load(folder) if (folder / FILE).exists() else bundled()

    def save(self, folder: Path) -> None:
        text = json.dumps(asdict(self), ensure_ascii=False, indent=1, sort_keys=True)
        with replacing(folder / FILE) as file:
            file.write(text + "\n")
        seal_again(folder)


@cache
def bundled() -> LinkerWeights:
    """The weights that come with the package."""
    source = files("arcaneqa.linking").joinpath(FILE)
    return (
        LinkerWeights(**json.loads(source.read_text(encoding="utf-8")))
        if source.is_file()
        else LinkerWeights.by_hand()
    )


# What speaks for and against a proposal: each feature a number of about unit size.


NAMES = (
    "always",
    *(match.name.lower() for match in NameMatch),
    "alias",
    "words",
    "one word",
    "stop words",
    "only question words",
    "capitals",
    "no capitals",
    "quoted",
    "similarity",
    "coverage",
    "degree",
    "fame",
    "degree to best",
    "rank",
    "part: similarity",
    "part: one word",
    "part: degree",
    "part: rank",
    "part: coverage",
    "part: rarity",
    "part: relation fit",
    "beside a whole name",
    "namesakes",
    "inside a name",
    "crosses a name",
    "relation fit",
    "class fit",
    "schema words",
    "rarity",
    "at the end",
    "a number",
    "inside",
    "least inside",
    "before",
    "after",
)
OF_MENTIONS = ("fame",)
"""Says whether anything is named, not which."""
_MATCHES = {match: match.name.lower() for match in NameMatch}
# What a match of part of a name says is weighed apart from what a whole name says.
_PARTS = [name[6:] for name in NAMES if name.startswith("part: ")]
CACHED_NODES = 4_096
"""Neighbourhoods that are kept. A question adds about three; with room for 50,000 the memory of a service
grew for thousands of questions."""
EDGE = "^"
"""Stands for the word before the first and after the last."""


class SchemaFit:
    """How well the words of relations and classes fit a question: rare words in common weigh most."""

    def __init__(self, kb: KnowledgeBase) -> None:
        self._relations = _Words([relation.label for relation in kb.schema.relations])
        self._classes = _Words([klass.label for klass in kb.schema.classes])
        self.words = self._relations.known | self._classes.known

    def scores(self, stems: set[str]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        return self._relations.scores(stems), self._classes.scores(stems)


class _Words:
    def __init__(self, labels: Sequence[str]) -> None:
        self._size = len(labels)
        self._holders: dict[str, list[int]] = defaultdict(list)
        for number, label in enumerate(labels):
            for word in {stem(part) for part in split(label)} - STOP_WORDS:
                self._holders[word].append(number)
        self.known = set(self._holders)

    def scores(self, stems: set[str]) -> NDArray[np.float64]:
        """For each label the weight of the words it shares with the question, 0 to about 1."""
        total = np.zeros(self._size)
        for word in stems & self.known:
            holders = self._holders[word]
            total[holders] += math.log(1 + self._size / len(holders))
        return np.minimum(total / 10, 1.5)


class Featuriser:
    def __init__(self, kb: KnowledgeBase, weights: LinkerWeights) -> None:
        self._kb = kb
        self._weights = weights
        self._fit = SchemaFit(kb)
        # Fame depends on how much there is to know; which of two is better known does not.
        self._largest = math.log1p(sum(relation.facts for relation in kb.schema.relations)) or 1.0
        self._neighbourhood = lru_cache(CACHED_NODES)(self._read_neighbourhood)

    def features(
        self,
        text: QuestionText,
        proposals: Sequence[Proposal],
        labels: dict[int, str],
        rarity: dict[str, float],
    ) -> NDArray[np.float64]:
        """One row a proposal. `rarity` says for stems how few names hold them, 0 to 1."""
        if not proposals:
            return np.zeros((0, len(NAMES)))
        nodes = np.array([proposal.node for proposal in proposals], dtype=np.int64)
        degrees = np.log1p(self._kb.degrees(nodes).astype(np.float64))
        spans = {span: self._of_span(text, span, rarity) for span in {p.span for p in proposals}}
        whole = {p.span for p in proposals if p.match <= NameMatch.KNOWN}
        exact = {p.span for p in proposals if p.match <= NameMatch.LOOSE}
        stems = {span: self._stems_outside(text, span) for span in spans}
        fits = {span: self._fit.scores(stems[span]) for span in spans}
        nesting = {span: _nesting(span, whole) for span in spans}
        best, rank, namesakes = _ranks(proposals, degrees)
        # As plain numbers: to write one into an array takes several times as long.
        rows: list[list[float]] = []
        for proposal, degree, most, place, alike in zip(
            proposals, degrees.tolist(), best.tolist(), rank.tolist(), namesakes.tolist(), strict=True
        ):
            relations, classes = self._neighbourhood(proposal.node)
            of_relations, of_classes = fits[proposal.span]
            inside, crosses = nesting[proposal.span]
            values = spans[proposal.span] | self._of_match(text, proposal, labels.get(proposal.node, ""))
            values |= {
                "degree": degree / 10,
                "fame": degree / self._largest,
                "degree to best": (degree - most) / 10,
                "rank": math.log1p(place),
                "beside a whole name": float(proposal.match > NameMatch.LOOSE and proposal.span in exact),
                "namesakes": math.log(alike),
                "inside a name": inside,
                "crosses a name": crosses,
                "relation fit": float(of_relations[relations].max(initial=0)),
                "class fit": float(of_classes[classes].max(initial=0)),
            }
            if proposal.match >= NameMatch.CONTAINED:
                values |= {f"part: {name}": values[name] for name in _PARTS}
            rows.append([values.get(name, 0.0) for name in NAMES])
        return np.array(rows)

    def _of_span(self, text: QuestionText, span: Span, rarity: dict[str, float]) -> dict[str, float]:
        parts = text.folded(span)
        content = text.content(span)
        stems = [stem(part) for part in content or parts]
        # What a word usually is says nothing where it is written as a name.
        usual = {} if text.is_written_as_name(span) else self._weights.inside
        inside = [usual.get(part, 0.0) for part in parts]
        known = [word in self._fit.words for word in stems]
        values = {
            "always": 1.0,
            "words": math.log2(1 + len(content)),
            "one word": float(len(parts) == 1),
            "stop words": 1 - len(content) / len(parts),
            "only question words": float(all(part in QUESTION_WORDS for part in content)),
            "quoted": float(span in text.quoted),
            "schema words": sum(known) / len(known),
            "rarity": max(rarity.get(word, 1.0) for word in stems),
            "at the end": float(span.last == len(text.words)),
            "a number": float(all(part.isdigit() for part in parts)),
            "inside": sum(inside) / len(inside),
            "least inside": min(inside),
            "before": self._weights.before.get(_word(text, span.first - 1), 0.0),
            "after": self._weights.after.get(_word(text, span.last), 0.0),
        }
        if text.mixed_case:
            capitals = [
                text.question[word.start].isupper()
                for word in text.words[span.first : span.last]
                if word.folded in content
            ]
            values["capitals"] = float(bool(capitals) and all(capitals) and span.first > 0)
            values["no capitals"] = float(not any(capitals))
        return values

    def _of_match(self, text: QuestionText, proposal: Proposal, label: str) -> dict[str, float]:
        values = {_MATCHES[proposal.match]: 1.0, "alias": float(proposal.alias)}
        if proposal.alias and proposal.match is NameMatch.PLAIN:
            return values | {"similarity": 1.0, "coverage": 1.0}
        said, name = " ".join(text.folded(proposal.span)), " ".join(split(label))
        values["similarity"] = fuzz.token_sort_ratio(said, name) / 100
        values["coverage"] = min(1.0, len(said) / max(1, len(name)))
        return values

    def _stems_outside(self, text: QuestionText, span: Span) -> set[str]:
        return {
            stem(word.folded)
            for number, word in enumerate(text.words)
            if not span.first <= number < span.last
        } - STOP_WORDS

    def _read_neighbourhood(self, node: int) -> tuple[Ids, Ids]:
        nodes = self._kb.nodes(np.array([node], dtype=np.int64))
        relations = np.concatenate([self._kb.out_relations(nodes), self._kb.in_relations(nodes)])
        return relations, self._kb.classes(nodes)


def _word(text: QuestionText, position: int) -> str:
    return text.words[position].folded if 0 <= position < len(text.words) else EDGE


def _nesting(span: Span, whole: set[Span]) -> tuple[float, float]:
    """Whether a whole name contains the span, and whether one crosses its border."""
    inside = any(other != span and other.first <= span.first and other.last >= span.last for other in whole)
    crosses = any(
        other.first < span.first < other.last < span.last or span.first < other.first < span.last < other.last
        for other in whole
    )
    return float(inside), float(crosses)


def _ranks(
    proposals: Sequence[Proposal], degrees: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.int64], NDArray[np.int64]]:
    """For each proposal, among those of its span and match: the largest degree, its place, their number."""
    best, rank = degrees.copy(), np.zeros(len(proposals), dtype=np.int64)
    namesakes = np.ones(len(proposals), dtype=np.int64)
    groups: dict[tuple[Span, NameMatch], list[int]] = defaultdict(list)
    for number, proposal in enumerate(proposals):
        groups[proposal.span, proposal.match].append(number)
    for members in groups.values():
        order = sorted(members, key=lambda number: -degrees[number])
        best[members] = degrees[order[0]]
        rank[order] = np.arange(len(order))
        namesakes[members] = len(order)
    return best, rank, namesakes
