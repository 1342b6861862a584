"""What the stretches of a question stand for: shown with every alternative, settled by whoever asks."""

from __future__ import annotations

from collections.abc import Sequence
from math import exp
from typing import Any

import numpy as np

from arcaneqa.answer.arcaneqa import ArcaneQA
from arcaneqa.apps.http.contract import ChosenEntity
from arcaneqa.induction.topics import describe
from arcaneqa.kb.terms import Literal
from arcaneqa.links import EntityCandidate, Links, MentionLink
from arcaneqa.links import settled as links_settled
from arcaneqa.support.errors import InputError


def settled(qa: ArcaneQA, links: Links, chosen: Sequence[ChosenEntity]) -> Links:
    """Links in which some stretches mean what they are said to mean; what overlaps them is dropped."""
    if not chosen:
        return links
    for one in chosen:
        if not one.start < one.end <= len(links.question):
            raise InputError(f"entities: the question has no characters {one.start} to {one.end}.")
    said = [_said(qa, links.question, one) for one in chosen if one.id is not None]
    return links_settled(links, [(one.start, one.end) for one in chosen], said)


def _said(qa: ArcaneQA, question: str, one: ChosenEntity) -> MentionLink:
    assert one.id is not None
    node = qa.kb.node(qa.names.read(one.id))
    if node is None:
        raise InputError(f"entities: {one.id} is not in this knowledge base.")
    label = qa.kb.labels(np.array([node], np.int64))[0] or one.id
    candidate = EntityCandidate(node, label, 0.0)
    return MentionLink(one.start, one.end, question[one.start : one.end], 0.0, (candidate,))


def mentions_sent(qa: ArcaneQA, links: Links, chosen: Sequence[ChosenEntity]) -> dict[str, Any]:
    """Mentions with all they may name, and what was settled; literals."""
    said = {(one.start, one.end): one.id for one in chosen}
    return {
        "mentions": [
            {
                "start": mention.start,
                "end": mention.end,
                "text": mention.text,
                "settled": (mention.start, mention.end) in said,
                "chosen": said.get((mention.start, mention.end)),
                "candidates": _candidates(qa, mention),
            }
            for mention in links.mentions
        ],
        "literals": [
            {"start": literal.start, "end": literal.end, "text": literal.text} for literal in links.literals
        ],
    }


def _candidates(qa: ArcaneQA, mention: MentionLink) -> list[dict[str, Any]]:
    terms = qa.kb.terms(np.array([candidate.node for candidate in mention.candidates], np.int64))
    return [
        {
            "id": qa.names.write(term),
            "label": candidate.label,
            "description": describe(qa.kb, candidate.node, candidate.label or qa.names.write(term)),
            "probability": exp(candidate.score),
        }
        for candidate, term in zip(mention.candidates, terms, strict=True)
        if not isinstance(term, Literal)
    ]
