"""What speaks for and against an answer, as numbers that mean the same on any knowledge base."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from arcaneqa.induction.found import Considered, Found, Outcome, is_same
from arcaneqa.induction.scorer import TokenKind
from arcaneqa.induction.search import SHORTLIST
from arcaneqa.judgement.answer_kinds import is_unexpected
from arcaneqa.judgement.coverage import Coverage
from arcaneqa.kb.interface import KnowledgeBase
from arcaneqa.language.expression import Extreme, post_order

FEATURES = (
    "log-probability",
    "log-odds among the found",
    "decisions",
    "log-probability of the entities",
    "what the whole program gained as a reading",
    "log-odds that none is meant",
    "other programs with the same answers",
    "words taken up",
    "linked things not used",
    "forms not met",
    "answer of another kind",
    "answers without a name",
    "decisions among more than were read",
    "nothing linked",
    "names that nobody has",
    "constants that nobody said",
    "fit of relations and classes",
    "ties of a superlative",
)
LIMIT = 30.0
"""Beyond this a log-probability or a lead says nothing more."""
_LOOKED_AT = 20
"""Answers whose labels are compared with the question; a set is of one kind, or nearly."""
_SCHEMA = (TokenKind.RELATION, TokenKind.CLASS)
_RARE = 1e-4
"""Chances nearer to 0 or to 1 than this count as being this far away."""

Row = NDArray[np.float64]


def evidence(question: str, found: Found, outcome: Outcome, left_out: Coverage, kb: KnowledgeBase) -> Row:
    """What is known of a program among all that were found, in the order of FEATURES."""
    steps = found.trace.steps
    chosen = [float(step.log_probs[step.choice]) for step in steps]
    decisions = sum(len(step.candidates) > 1 for step in steps)
    total = sum(chosen)
    others = [rival for rival in outcome.found if rival is not found]
    share = 1 / (1 + sum(math.exp(min(rival.score - found.score, LIMIT)) for rival in others))
    agreeing = sum(is_same(found.result, rival.result, kb) for rival in others)
    return np.array(
        [
            total,
            _log_odds(share),
            decisions,
            sum(topic.prior for topic in found.topics),
            found.reading,
            _log_odds(outcome.none),
            agreeing,
            left_out.share,
            len(left_out.unused),
            len(left_out.unmet),
            is_unexpected(question, found, kb),
            _without_names(found, kb),
            sum(len(step.candidates) + step.left_out >= SHORTLIST for step in steps),
            not found.topics,
            unknown_names(question, left_out),
            len(left_out.unsaid),
            _fit(steps),
            _ties(found),
        ],
        np.float64,
    )


def _fit(steps: Sequence[Considered]) -> float:
    """How well the relations and classes that were chosen fit, on average, before the chances of a list are
    made to add up to one: of three relations that say nothing of a death, one is likely all the same."""
    fits = [
        float(step.log_probs[step.choice]) + step.level
        for step in steps
        if len(step.candidates) > 1 and step.candidates[step.choice].kind in _SCHEMA
    ]
    return sum(fits) / len(fits) if fits else 0.0


_DIRECTIONS = frozenset(("North", "South", "East", "West"))
_BEGINNING = re.compile(r"(?:^|[.?!:]\s+)\W*(\w+)")


def unknown_names(question: str, left_out: Coverage) -> int:
    """Words written like names that nothing in the program says; who writes all words so tells nothing, nor
    does the beginning of a sentence, or where the furthest South is."""
    _, *rest = question.split() or [""]
    if sum(word[0].isupper() for word in rest) * 2 > len(rest):
        return 0
    begun = {*_BEGINNING.findall(question), *_DIRECTIONS}
    return sum(word[0].isupper() and word not in begun for word in left_out.unknown)


def _ties(found: Found) -> float:
    """How many share the most or the least of something, as a logarithm: who asks for the city with the most
    people does not mean a dozen with one each."""
    if found.result.value is not None or not any(isinstance(n, Extreme) for n in post_order(found.program)):
        return 0.0
    return math.log(max(len(found.nodes), 1))


def _log_odds(chance: float) -> float:
    """Between 0.99 and 0.9999 lies as much as between a half and 0.99."""
    kept = min(max(chance, _RARE), 1 - _RARE)
    return math.log(kept / (1 - kept))


def _without_names(found: Found, kb: KnowledgeBase) -> float:
    """The share of the first answers that nobody gave a name."""
    if found.result.value is not None or not found.nodes:
        return 0.0
    labels = kb.labels(found.nodes.ids[:_LOOKED_AT])
    return sum(not label for label in labels) / len(labels)
