"""What speaks for and against each reading, as numbers that mean the same on any knowledge base.

One row for each program, and one for the case that none of them is meant. A number is there once: what the
model said of each decision and of the whole, what the alignment leaves over, and facts about the answers.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from arcaneqa.induction.found import Found, SearchOutcome, distinct
from arcaneqa.induction.scorer import TokenKind
from arcaneqa.induction.search import SHORTLIST
from arcaneqa.kb.interface import KnowledgeBase
from arcaneqa.kb.schema import Class, Relation, ValueKind
from arcaneqa.kb.terms import Blank, Literal
from arcaneqa.kb.values import kind_of
from arcaneqa.language import expression as ex
from arcaneqa.language.forms import Form
from arcaneqa.language.run import execute
from arcaneqa.links import LIKELY, Links
from arcaneqa.support.errors import BudgetExceeded
from arcaneqa.verdict.alignment import Alignment, Nearness, aligned
from arcaneqa.verdict.claims import ClaimKind, Claims, claims_of
from arcaneqa.verdict.frame import Frame, Wanted, frame_of
from arcaneqa.verdict.gaps import comes_back, gap, says_none_of_it
from arcaneqa.verdict.words import COORDINATES, roots_in_order

Near = Callable[[str, Sequence[tuple[int, int]], Sequence[str]], NDArray[np.float32] | None]
"""For a question and stretches of it, how near each is to each of some texts
(`induction.scorer.Comparing`)."""
Row = Mapping[str, float]
LIMIT = 30.0
"""Beyond this a log-probability or a lead says nothing more."""
_RARE = 1e-4
"""Chances nearer to 0 or to 1 than this count as being this far away."""
_SURE = -0.1
"""Log-probability from which on a choice had no rival."""
_LOOKED_AT = 20
"""Answers whose names are looked at; a set is of one kind, or nearly."""
_KINDS_LOOKED_AT = 5
_SCHEMA = (TokenKind.RELATION, TokenKind.CLASS)
_YEAR = re.compile(r"\b[12]\d{3}\b")
_NEVER = {
    Wanted.PERSON: {ValueKind.NUMBER, ValueKind.TIME, ValueKind.BOOLEAN},
    Wanted.PLACE: {ValueKind.NUMBER, ValueKind.TIME, ValueKind.BOOLEAN},
    Wanted.TIME: {ValueKind.BOOLEAN, ValueKind.ENTITY},
    Wanted.AMOUNT: {ValueKind.ENTITY, ValueKind.BOOLEAN, ValueKind.TIME},
    Wanted.COUNT: {ValueKind.ENTITY, ValueKind.BOOLEAN, ValueKind.TIME},
    Wanted.TRUTH: {ValueKind.ENTITY, ValueKind.NUMBER, ValueKind.TIME, ValueKind.TEXT},
}
"""Kinds of values that no question word of a kind can mean."""


@dataclass(frozen=True)
class Weighed:
    """A reading with what was seen of it; `group` numbers readings with the same answers."""

    found: Found
    group: int
    claims: Claims
    alignment: Alignment
    row: Row


@dataclass(frozen=True)
class Evidence:
    frame: Frame
    readings: tuple[Weighed, ...]
    none: Row


def evidence(links: Links, outcome: SearchOutcome, near: Near, kb: KnowledgeBase) -> Evidence:
    frame = frame_of(links.read)
    claims = [claims_of(found, kb) for found in outcome.found]
    nearness = _nearness(frame, claims, near)
    groups = {id(one): place for place, group in enumerate(distinct(outcome.found, kb)) for one in group}
    best = max((found.score for found in outcome.found), default=0.0)
    lacking = says_none_of_it(links.read, outcome.found, kb)
    readings = []
    for found, own in zip(outcome.found, claims, strict=True):
        alignment = aligned(frame, links, own, nearness, kb)
        row = (
            _of_model(found, best) | _of_alignment(alignment, own, frame) | _of_answers(found, own, frame, kb)
        )
        row |= {
            "goes around a gap": gap(links.read, found, kb) is not None,
            "what is asked for is told of others": found.program in lacking,
        }
        readings.append(Weighed(found, groups[id(found)], own, alignment, row))
    return Evidence(frame, tuple(readings), _of_none(links, outcome, readings))


def _nearness(frame: Frame, claims: Sequence[Claims], near: Near) -> Nearness:
    texts = list(dict.fromkeys(claim.words for own in claims for claim in own.said if claim.words))
    spans = [(one.word.start, one.word.end) for one in frame.telling]
    rows = near(frame.question, spans, texts) if texts and spans else None
    if rows is None:
        return Nearness(np.zeros((len(spans), 0), np.float32))
    return Nearness(rows, {text: place for place, text in enumerate(texts)})


def _of_model(found: Found, best: float) -> dict[str, float]:
    steps = found.trace.steps
    chosen = [float(step.log_probs[step.choice]) for step in steps]
    fits = [
        float(step.log_probs[step.choice]) + step.level
        for step in steps
        if len(step.candidates) + step.left_out > 1 and step.candidates[step.choice].kind in _SCHEMA
    ]
    return {
        "log-probability": sum(chosen),
        "behind the best found": max(found.score - best, -LIMIT),
        "weakest decision": min(chosen, default=0.0),
        "decisions": sum(len(step.candidates) + step.left_out > 1 for step in steps),
        "log-probability of the entities": sum(topic.prior for topic in found.topics),
        "as a reading": max(found.reading, -LIMIT),
        "fit of relations and classes": sum(fits) / len(fits) if fits else 0.0,
        "weakest fit": min(fits, default=0.0),
        "decisions among more than were read": sum(
            len(step.candidates) + step.left_out >= SHORTLIST for step in steps
        ),
        "nothing linked": not found.topics,
        "every decision sure": min(chosen, default=0.0) > _SURE,
        "sure as a reading": found.reading > _SURE,
        "proposed": bool(found.origin),
    }


def _of_alignment(alignment: Alignment, claims: Claims, frame: Frame) -> dict[str, float]:
    unsaid = [claim.kind for claim in alignment.unsaid]
    row = {
        "words not used": len(alignment.unused),
        "words used": alignment.share,
        "words far off": alignment.far,
        "things not used": len(alignment.dropped),
        "relations not said": unsaid.count(ClaimKind.RELATION),
        "classes not said": unsaid.count(ClaimKind.CLASS),
        "constants not said": unsaid.count(ClaimKind.CONSTANT),
        "unsaid and far": alignment.farther,
        "other end": alignment.wrong_ends,
        "the end that is said": alignment.right_ends,
        "otherwise compared": alignment.wrong_numbers,
        "compared as said": alignment.right_numbers,
        "opposite of a name": alignment.opposites,
        "numbers not used": sum(
            any(one.word.start < figure.end and figure.start < one.word.end for one in alignment.unused)
            for figure in frame.figures
        ),
        "relations": sum(claim.kind is ClaimKind.RELATION for claim in claims.said),
    }
    left_over = (alignment.unused, alignment.unmet, alignment.unsaid, alignment.unasked, alignment.wrong_ends)
    row["nothing left over"] = not any((*left_over, alignment.wrong_numbers, alignment.opposites))
    row["every word used"] = not alignment.unused
    for sign in alignment.unmet:
        row["forms not met"] = row.get("forms not met", 0.0) + 1
        row[f"not met: {sign.form.name}"] = 1.0
    for form in alignment.unasked:
        row["forms not asked for"] = row.get("forms not asked for", 0.0) + 1
        row[f"not asked for: {form.name}"] = 1.0
    return row


def _of_answers(found: Found, claims: Claims, frame: Frame, kb: KnowledgeBase) -> dict[str, float]:
    result = found.result
    few = found.nodes.ids[:_LOOKED_AT]
    is_set = result.value is None and result.table is None
    kinds = _kinds(found, kb)
    row = {
        "answers": math.log(max(len(found.nodes), 1)) if is_set else 0.0,
        "one answer": is_set and len(found.nodes) == 1,
        "a table": result.table is not None,
        "a number": result.value is not None,
        "one counted": result.value is not None
        and result.value.lexical == "1"
        and Form.NUMBER in claims.forms,
        "none counted": result.value is not None and result.value.lexical == "0",
        "another kind": _is_another_kind(frame.wanted, found, kinds, kb),
        "impossible kind": bool(kinds) and kinds <= _NEVER.get(frame.wanted, set())
        if frame.wanted
        else False,
        "without a name": _without_names(found, kb) if is_set else 0.0,
        "ties": 0.0 if not is_set or Form.SUPERLATIVE not in claims.forms else math.log(max(len(few), 1)),
        "same for all": _is_same_for_all(found, kb),
        "comes back": comes_back(found, kb),
        "answers with what is named": _is_named(found, kb),
        "goes by where it lies": not frame.is_placed and _takes_coordinates(claims),
    }
    row |= _of_noun(found, claims, frame, kb)
    return row


def _of_noun(found: Found, claims: Claims, frame: Frame, kb: KnowledgeBase) -> dict[str, float]:
    """What is asked for by its name, held against what tells the answers."""
    if not frame.noun:
        return {}
    last = None if claims.last is None else frozenset(roots_in_order(claims.last.label))
    named = last is not None and frame.noun[-1] in last
    classes = [
        one for one in kb.schema.shown_classes if roots_in_order(one.label)[-len(frame.noun) :] == frame.noun
    ]
    row: dict[str, float] = {
        "is called what is asked for": named,
        "is called otherwise": last is not None and not named,
    }
    if classes and found.result.table is None and found.result.value is None:
        own = found.nodes.ids[:_KINDS_LOOKED_AT]
        nodes = kb.nodes(own)
        are_of_it = any(kb.intersects(nodes, kb.members(one.id)) for one in classes)
        row |= {"of the class that is asked for": are_of_it, "of another class": not are_of_it}
        row["a column of the class"] = not are_of_it and bool(kb.are_literals(own).any())
    return row


def _of_none(links: Links, outcome: SearchOutcome, readings: Sequence[Weighed]) -> dict[str, float]:
    unused = [{one.word for one in reading.alignment.unused} for reading in readings]
    whole, part = _unknown_names(links, readings)
    return {
        "none": 1.0,
        "log-odds that none is meant": _log_odds(outcome.none),
        "readings": len({reading.group for reading in readings}),
        "words that nobody uses": len(frozenset.intersection(*map(frozenset, unused))) if unused else 0.0,
        "names that nobody has": whole,
        "names of which somebody has a part": part,
        "nothing linked at all": not any(one.score > LIKELY for one in links.mentions) and not links.literals,
    }


def _unknown_names(links: Links, readings: Sequence[Weighed]) -> tuple[int, int]:
    """Words written like names of which nothing is linked or said by a program, and of which a part is."""
    frame = frame_of(links.read)
    linked = [(one.start, one.end) for one in links.mentions]
    linked += [(one.start, one.end) for one in links.literals]
    said = frozenset[str]().union(*(claim.roots for one in readings for claim in one.claims.said))
    whole = part = 0
    for start, end in frame.names:
        words = [one for one in frame.telling if start <= one.word.start and one.word.end <= end]
        known = [
            one.root in said or any(first < one.word.end and one.word.start < last for first, last in linked)
            for one in words
        ]
        whole += bool(known) and not any(known)
        part += any(known) and not all(known)
    return whole, part


def _log_odds(chance: float) -> float:
    """Between 0.99 and 0.9999 lies as much as between a half and 0.99."""
    kept = min(max(chance, _RARE), 1 - _RARE)
    return math.log(kept / (1 - kept))


def _kinds(found: Found, kb: KnowledgeBase) -> set[ValueKind]:
    if found.result.table is not None:
        return set()
    terms = [found.result.value] if found.result.value else kb.terms(found.nodes.ids[:_KINDS_LOOKED_AT])
    return {kind_of(term) if isinstance(term, Literal) else ValueKind.ENTITY for term in terms}


def _is_another_kind(wanted: Wanted | None, found: Found, kinds: set[ValueKind], kb: KnowledgeBase) -> bool:
    """Whether no answer can be what the question word asks for, as far as it tells."""
    if wanted is None or not kinds:
        return False
    match wanted:
        case Wanted.TIME:
            if ValueKind.TIME in kinds:
                return False
            texts = [found.result.value.lexical] if found.result.value else kb.labels(found.nodes.ids[:5])
            return not any(_YEAR.search(text or "") for text in texts)
        case Wanted.COUNT | Wanted.AMOUNT:
            if ValueKind.TEXT in kinds:
                return not any(any(map(str.isdigit, text or "")) for text in kb.labels(found.nodes.ids[:5]))
            return ValueKind.NUMBER not in kinds
        case Wanted.TRUTH:
            return ValueKind.BOOLEAN not in kinds
        case _:
            return kinds.isdisjoint((ValueKind.ENTITY, ValueKind.TEXT))


def _without_names(found: Found, kb: KnowledgeBase) -> float:
    """The share of the first answers that nobody gave a name."""
    few = found.nodes.ids[:_LOOKED_AT]
    labels = kb.labels(few)
    if not labels or all(labels):
        return 0.0
    terms = kb.terms(few)
    return sum(
        not label and isinstance(term, Blank) for label, term in zip(labels, terms, strict=True)
    ) / len(labels)


def _is_same_for_all(found: Found, kb: KnowledgeBase) -> bool:
    """Whether a program goes by a count that is the same for all that it chooses among."""
    for node in ex.post_order(found.program):
        match node:
            case ex.Extreme(_, argument, ex.Counted(), 1, 1):
                try:
                    among, best = (len(execute(one, kb).nodes) for one in (argument, node))
                except BudgetExceeded:
                    continue
                if best == among > 1:
                    return True
    return False


def _is_named(found: Found, kb: KnowledgeBase) -> bool:
    """Whether an answer is called what the question names."""
    if (
        found.result.value is not None
        or found.result.table is not None
        or len(found.nodes) > _KINDS_LOOKED_AT
    ):
        return False
    labels = {label.casefold() for label in kb.labels(found.nodes.ids) if label}
    return any(topic.words.text.partition(" (")[0].casefold() in labels for topic in found.topics)


def _takes_coordinates(claims: Claims) -> bool:
    keys: list[Relation | Class | None] = [one.relation for one in claims.measured if one.comparison is None]
    return any(
        one is not None and not COORDINATES.isdisjoint(roots_in_order(one.label))
        for one in [*keys, claims.last]
    )
