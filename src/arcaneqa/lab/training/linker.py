"""Learning to link from questions whose entities are known: what names are made of, what to trust."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from arcaneqa.kb.interface import KnowledgeBase
from arcaneqa.kb.names.name_forms import split
from arcaneqa.kb.short_names import Names
from arcaneqa.language.expression import Entity, post_order
from arcaneqa.language.text import parse
from arcaneqa.linking.features import EDGE, NAMES, OF_MENTIONS, LinkerWeights
from arcaneqa.linking.linker import Linker, Proposals
from arcaneqa.linking.mentions import Proposal, QuestionText, Span
from arcaneqa.record import Question
from arcaneqa.support.errors import ArcaneError, InputError
from arcaneqa.support.ragged import offsets_of

FEWEST_SIGHTINGS = 15
"""A word seen less often says nothing reliable."""
FEWEST_ORDINARY = 4
"""Times that a word is seen outside of names before it counts as ordinary."""
SMOOTHING = 5.0
"""Sightings that every word is thought to have had beside its own."""
LARGEST_ODDS = 3.0
"""Of a word, in log-odds: no word alone decides."""
FEWEST_SHORT_FORMS = 2
"""Times that a short form must stand for a name."""
RIDGE = 1e-4
"""Weight of the squared weights beside what the examples say."""
ROUNDS = 30
"""Of Newton's method at most."""
PRECISION = 1e-5
"""It stops where no weight moves further than this."""


@dataclass(frozen=True, slots=True)
class LinkingExample:
    """A question, the nodes it names, and texts known to name one of them (text, node)."""

    question: str
    nodes: frozenset[int]
    mentions: tuple[tuple[str, int], ...] = ()


def examples(questions: Iterable[Question], kb: KnowledgeBase) -> list[LinkingExample]:
    """Records that name entities of this knowledge base, in their program or beside it."""
    names = Names(kb.profile)
    found: list[LinkingExample] = []
    for question in questions:
        nodes: set[int] = set()
        mentions: list[tuple[str, int]] = []
        for entity in question.entities:
            node = _node(entity.id, names, kb)
            if node is not None:
                nodes.add(node)
                if entity.mention and entity.start is not None:
                    mentions.append((entity.mention, node))
        nodes.update(_nodes_of_program(question.program, names, kb))
        if nodes:
            found.append(LinkingExample(question.question, frozenset(nodes), tuple(mentions)))
    return found


def _node(name: str, names: Names, kb: KnowledgeBase) -> int | None:
    try:
        return kb.node(names.read(name))
    except InputError:
        return None  # a literal, or a name of another knowledge base


def _nodes_of_program(text: str | None, names: Names, kb: KnowledgeBase) -> Iterator[int]:
    try:
        program = parse(text, names, kb.schema) if text else None
    except ArcaneError:
        return
    for part in post_order(program) if program else ():
        if isinstance(part, Entity) and (node := kb.node(part.term)) is not None:
            yield node


def train_linker(
    sets: Sequence[tuple[KnowledgeBase, Sequence[LinkingExample]]],
    progress: Callable[[str], None] = lambda _: None,
) -> LinkerWeights:
    """Weights learned from one or several knowledge bases with their questions; each set counts the same."""
    weights = LinkerWeights.by_hand()
    linkers = [Linker(kb, weights) for kb, _ in sets]
    progress("reading which words names are made of")
    odds, ordinary = _word_odds(linkers, [part for _, part in sets])
    weights = replace(weights, inside=odds["inside"], before=odds["before"], after=odds["after"])
    weights = replace(weights, ordinary=ordinary)
    weights = replace(weights, short_forms=_short_forms(sets))
    known = _Known()
    for kb, part in sets:
        progress(f"reading {len(part):,} questions")
        linker = Linker(kb, weights)
        for example in part:
            known.add(linker.consider(QuestionText.of(example.question)), example.nodes, 1 / len(part))
    progress("fitting")
    candidate = _fit_choice(known)
    mention = _fit_chance(known, candidate)
    return replace(weights, candidate=_named(candidate), mention=_named(mention))


def _named(vector: NDArray[np.float64]) -> dict[str, float]:
    return dict(zip(NAMES, (round(float(weight), 4) for weight in vector), strict=True))


class _Known:
    """Spans one after the other, each with its proposals: features, which are right, how much they count."""

    def __init__(self) -> None:
        self._rows: list[NDArray[np.float32]] = []
        self._right: list[NDArray[np.bool_]] = []
        self._importance: list[float] = []

    def add(self, considered: Proposals, nodes: frozenset[int], importance: float) -> None:
        for members in considered.spans.values():
            self._rows.append(considered.rows[members].astype(np.float32))
            self._right.append(np.array([considered.proposals[n].node in nodes for n in members], bool))
            self._importance.append(importance)

    def arrays(
        self, only_right: bool
    ) -> tuple[NDArray[np.float32], NDArray[np.bool_], NDArray[np.float64], NDArray[np.int64]]:
        """Rows, which are right, importance of each span, and where each span begins."""
        chosen = [n for n, right in enumerate(self._right) if not only_right or right.any()]
        lengths = [len(self._right[n]) for n in chosen]
        starts = offsets_of(np.array(lengths, np.int64))[:-1]
        importance = np.array([self._importance[n] for n in chosen])
        rows = np.concatenate([self._rows[n] for n in chosen])
        return rows, np.concatenate([self._right[n] for n in chosen]), importance / importance.sum(), starts


def best_spans(linker: Linker, considered: Proposals, nodes: frozenset[int]) -> set[Span]:
    """For each named node the span that fits it best."""
    mentions, candidates = linker.scores(considered)
    best: dict[int, tuple[float, Proposal]] = {}
    for proposal, among in zip(considered.proposals, candidates.tolist(), strict=True):
        score = mentions[proposal.span] + among
        if proposal.node in nodes and score > best.get(proposal.node, (-math.inf,))[0]:
            best[proposal.node] = (score, proposal)
    return {proposal.span for _, proposal in best.values()}


def _word_odds(
    linkers: Sequence[Linker], parts: Sequence[Sequence[LinkingExample]]
) -> tuple[dict[str, dict[str, float]], list[str]]:
    """Log-odds of words to be inside, before and after mentions; and words mostly seen outside of them."""
    seen: dict[str, tuple[Counter[str], Counter[str]]] = {
        place: (Counter(), Counter()) for place in ("inside", "before", "after")
    }
    for linker, part in zip(linkers, parts, strict=True):
        for example in part:
            text = QuestionText.of(example.question)
            spans = best_spans(linker, linker.consider(text), example.nodes)
            if not spans:
                continue
            inside = {n for span in spans for n in range(span.first, span.last)}
            before = {span.first - 1 for span in spans}
            after = {span.last for span in spans}
            padded = [EDGE, *(word.folded for word in text.words), EDGE]
            for n, word in enumerate(padded, -1):
                for place, chosen in (("before", before), ("after", after), ("inside", inside)):
                    if word != EDGE or place != "inside":
                        seen[place][0 if n in chosen else 1][word] += 1
    named, asked = seen["inside"]
    ordinary = sorted(
        word
        for word, count in asked.items()
        if word.isalpha() and count >= FEWEST_ORDINARY and count > named[word]
    )
    return {place: _log_odds(yes, no) for place, (yes, no) in seen.items()}, ordinary


def _log_odds(yes: Counter[str], no: Counter[str]) -> dict[str, float]:
    """How much likelier a word is there than any word is, drawn towards zero where it was seen little."""
    total_yes, total_no = sum(yes.values()), sum(no.values())
    if not total_yes or not total_no:
        return {}
    prior = total_yes / (total_yes + total_no)
    odds: dict[str, float] = {}
    for word in yes.keys() | no.keys():
        if yes[word] + no[word] >= FEWEST_SIGHTINGS:
            ratio = (yes[word] + SMOOTHING * prior) / (no[word] + SMOOTHING * (1 - prior))
            value = math.log(ratio) - math.log(prior / (1 - prior))
            odds[word] = round(max(-LARGEST_ODDS, min(LARGEST_ODDS, value)), 2)
    return odds


def _short_forms(sets: Sequence[tuple[KnowledgeBase, Sequence[LinkingExample]]]) -> dict[str, list[str]]:
    """Texts that named an entity of another name, more than once."""
    seen: dict[str, Counter[str]] = defaultdict(Counter)
    for kb, part in sets:
        for example in part:
            for said, node in set(example.mentions):
                [label] = kb.labels(np.array([node], dtype=np.int64))
                if label and "".join(split(said)) != "".join(split(label)) and split(said):
                    seen["".join(split(said))][label] += 1
    return {
        said: [label for label, count in labels.most_common(3) if count >= FEWEST_SHORT_FORMS]
        for said, labels in sorted(seen.items())
        if labels.most_common(1)[0][1] >= FEWEST_SHORT_FORMS
    }


def _fit_choice(known: _Known) -> NDArray[np.float64]:
    """Which of a span's entities is meant: a softmax over them, fitted by Newton's method."""
    rows, right, importance, starts = known.arrays(only_right=True)
    rows[:, [NAMES.index(name) for name in OF_MENTIONS]] = 0
    sizes = np.diff([*starts, len(rows)])
    share = np.repeat(importance, sizes)
    truth = right / np.repeat(np.add.reduceat(right.astype(np.float64), starts), sizes)
    weights, ridge = np.zeros(rows.shape[1]), RIDGE * np.eye(rows.shape[1])
    for _ in range(ROUNDS):
        scores = rows @ weights
        scores -= np.repeat(np.maximum.reduceat(scores, starts), sizes)
        guesses = np.exp(scores)
        guesses /= np.repeat(np.add.reduceat(guesses, starts), sizes)
        means = np.add.reduceat(rows * guesses[:, None], starts)
        gradient = rows.T @ (share * (guesses - truth)) + ridge @ weights
        curvature = (rows.T * (share * guesses)) @ rows - (means.T * importance) @ means + ridge
        step = np.linalg.solve(curvature, gradient)
        weights -= step
        if np.abs(step).max() < PRECISION:
            break
    return weights


def _fit_chance(known: _Known, candidate: NDArray[np.float64]) -> NDArray[np.float64]:
    """Whether a span names one of the entities meant: logistic regression on its best entity's features."""
    rows, right, importance, starts = known.arrays(only_right=False)
    ends = [*starts[1:].tolist(), len(rows)]
    scores = rows @ candidate
    best = [a + int(scores[a:b].argmax()) for a, b in zip(starts.tolist(), ends, strict=True)]
    truth = np.logical_or.reduceat(right, starts)
    rows = rows[best]
    weights, ridge = np.zeros(rows.shape[1]), RIDGE * np.eye(rows.shape[1])
    for _ in range(ROUNDS):
        guesses = 1 / (1 + np.exp(-np.clip(rows @ weights, -30, 30)))
        gradient = rows.T @ (importance * (guesses - truth)) + ridge @ weights
        curvature = (rows.T * (importance * guesses * (1 - guesses))) @ rows + ridge
        step = np.linalg.solve(curvature, gradient)
        weights -= step
        if np.abs(step).max() < PRECISION:
            break
    return weights
