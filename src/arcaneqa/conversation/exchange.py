"""The last question once more, with another entity or value in it: "and in France?", "and after 1950?"."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from arcaneqa.answered import Answer
from arcaneqa.conversation.asking import Asking
from arcaneqa.conversation.carrying import in_place_of
from arcaneqa.conversation.turns import Turn
from arcaneqa.kb.interface import KnowledgeBase
from arcaneqa.kb.terms import Literal
from arcaneqa.kb.values import kind_of
from arcaneqa.links import EntityCandidate, Links
from arcaneqa.program.expression import Entity, mentioned
from arcaneqa.program.phrase import paraphrase

MOST_TRIED = 4
"""Exchanges that are run, those of most similar kind first, until one has an answer."""


@dataclass(frozen=True, slots=True)
class Exchange:
    """`alike`: members of the narrowest class that both are in; the fewer, the more alike they are."""

    old: Entity
    new: Entity
    candidate: EntityCandidate
    alike: int
    chance: float


def other_entity(links: Links, last: Turn, asking: Asking) -> tuple[Answer, float] | None:
    """The last program with a new entity in place of one of the same kind; None where there is none."""
    program = last.answer.expression
    assert program is not None
    found = list(_exchanges(links, mentioned(program), last.kb))
    if not found:
        return None
    found.sort(key=lambda one: (one.alike, -one.candidate.score))
    for one in found[:MOST_TRIED]:
        text, carried = _said(one, last, asking)
        answer = asking.qa.run(in_place_of(program, one.old, one.new), text, asking.seconds)
        if answer.reason is None:
            return replace(answer, confidence=one.chance, carried=carried), last.certainty
    text, carried = _said(found[0], last, asking)
    said = paraphrase(in_place_of(program, found[0].old, found[0].new), last.kb)
    return Answer(text, carried=carried, reason=f"Nothing is known here of {said}."), 1.0


def other_value(links: Links, last: Turn, asking: Asking) -> tuple[Answer, float] | None:
    """The last question with a new number or date, and the words before it, in place of one of its kind."""
    before = last.answer.links
    for new in links.literals:
        for old in before.literals if before is not None else ():
            if not {*map(kind_of, new.readings)} & {*map(kind_of, old.readings)}:
                continue
            question, words = last.answer.question, len(links.question[: new.start].split())
            kept = question[: old.start].rstrip()
            for _ in range(words):
                kept = kept.rpartition(" ")[0]
            said = links.question[: new.end].strip()
            text = f"{kept} {said}{question[old.end :]}"
            carried = f"{said} in place of {question[len(kept) : old.end].strip()}"
            return replace(asking.whole(text), carried=carried), 1.0
    return None


def _exchanges(links: Links, named: list[Entity], kb: KnowledgeBase) -> Iterator[Exchange]:
    for mention in links.mentions:
        nodes = np.array([candidate.node for candidate in mention.candidates], np.int64)
        alike = []
        for candidate, term in zip(mention.candidates, kb.terms(nodes), strict=True):
            for old in named if not isinstance(term, Literal) else ():
                size = _alike(kb, candidate.node, old)
                if size is not None and not isinstance(term, Literal) and Entity(term) != old:
                    alike.append((old, Entity(term), candidate, size))
        # Of what has the name, only what is of the right kind can be meant.
        total = sum({one[2].node: math.exp(one[2].score) for one in alike}.values())
        for old, new, candidate, size in alike:
            yield Exchange(old, new, candidate, size, math.exp(candidate.score) / total)


def _alike(kb: KnowledgeBase, node: int, old: Entity) -> int | None:
    other = kb.node(old.term)
    if other is None:
        return None
    own, others = (kb.classes(kb.nodes(np.array([one], np.int64))) for one in (node, other))
    shared = [kb.schema.classes[klass] for klass in np.intersect1d(own, others).tolist()]
    return min((klass.members for klass in shared if not klass.hidden), default=None)


def _said(one: Exchange, last: Turn, asking: Asking) -> tuple[str, str]:
    """The whole question in words, and what was put in place of what."""
    answer, label = last.answer, one.candidate.label
    id = asking.qa.names.write(one.old.term)
    mention = next((m for m in answer.entities if m.id == id and m.start is not None), None)
    node = last.kb.node(one.old.term)
    called = last.label(node) if node is not None else id
    if mention is None or mention.start is None or mention.end is None or mention.start >= mention.end:
        return f"{answer.question} ({label})", f"{label} in place of {called}"
    text = f"{answer.question[: mention.start]}{label}{answer.question[mention.end :]}"
    return text, f"{label} in place of {called}"
