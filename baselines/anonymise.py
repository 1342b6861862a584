"""Mentions replaced by the kind of thing they name: "who is US president's wife?" for "who is Obama's wife?".

    python -m baselines.anonymise train.jsonl --kb KB --out train-kinds.jsonl

writes records whose questions name kinds, to prepare and train on (`arcaneqa prepare`, `arcaneqa train`);
`measure_anonymisation --kinds-model` then asks the model that was trained so.

Names say little to a model that has to choose relations; the kind of thing says much. A mention with words
that questions usually mean as themselves ("government", "zip code") is kept: it may not be a name at all.
"""

from __future__ import annotations

import argparse
import json
import math
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import TypeVar

import numpy as np

from arcaneqa.kb.interface import KnowledgeBase
from arcaneqa.kb.names.name_forms import words
from arcaneqa.kb.open import open_kb
from arcaneqa.kb.short_names import Names
from arcaneqa.linking.features import bundled
from arcaneqa.linking.linker import Linker
from arcaneqa.links import EntityCandidate, Links, LiteralLink, MentionLink
from arcaneqa.record import Question, read_questions

SURE = math.log(0.5)
Link = TypeVar("Link", MentionLink, LiteralLink)


def anonymise(links: Links, kb: KnowledgeBase, inside: Mapping[str, float]) -> Links:
    """The links of the question in which likely mentions are replaced; every span is moved along.

    `inside` are the log-odds of words to be part of a mention (`Weights.inside`).
    """
    replaced: list[tuple[int, int, str]] = []
    for mention in links.mentions:
        kind = _notable_kind(mention.candidates[0].node, kb)
        free = all(mention.end <= start or mention.start >= end for start, end, _ in replaced)
        named = all(inside.get(word.folded, 0.0) >= 0 for word in words(mention.text))
        if kind and free and named and mention.score > SURE:
            replaced.append((mention.start, mention.end, kind))
    replaced.sort()
    question, position = "", 0
    for start, end, kind in replaced:
        question += links.question[position:start] + kind
        position = end
    question += links.question[position:]
    return replace(
        links,
        question=question,
        mentions=tuple(_moved(mention, replaced, question) for mention in links.mentions),
        literals=tuple(_moved(literal, replaced, question) for literal in links.literals),
    )


def anonymised(
    question: Question, kb: KnowledgeBase, inside: Mapping[str, float], linked: Links | None = None
) -> Question:
    """A record whose question names kinds in place of its gold entities; their spans move along.

    An entity whose place the record does not say (WebQSP) stands where the linker found it.
    """
    names = Names(kb.profile)
    mentions: dict[int, MentionLink] = {}
    for place, entity in enumerate(question.entities):
        node = kb.node(names.read(entity.id))
        if node is None:
            continue
        span = (
            _said(node, linked) if entity.start is None or entity.end is None else (entity.start, entity.end)
        )
        if span is not None:
            text = question.question[slice(*span)]
            mentions[place] = MentionLink(*span, text, 0.0, (EntityCandidate(node, text, 0.0),))
    links = anonymise(Links(question.question, tuple(mentions.values())), kb, inside)
    entities = list(question.entities)
    for place, link in zip(mentions, links.mentions, strict=True):
        entities[place] = replace(entities[place], mention=link.text, start=link.start, end=link.end)
    return replace(question, question=links.question, entities=tuple(entities))


def _said(node: int, linked: Links | None) -> tuple[int, int] | None:
    """Where the linker heard an entity best."""
    heard = [
        (mention.score + candidate.score, mention.start, mention.end)
        for mention in (() if linked is None else linked.mentions)
        for candidate in mention.candidates
        if candidate.node == node
    ]
    return max(heard)[1:] if heard else None


def _notable_kind(node: int, kb: KnowledgeBase) -> str | None:
    """The rarest class of the entity says most about it."""
    classes = [kb.schema.classes[klass] for klass in kb.classes(kb.nodes(np.array([node], np.int64)))]
    visible = [klass for klass in classes if not klass.hidden and klass.label]
    return min(visible, key=lambda klass: (klass.members, klass.id)).label if visible else None


def _moved(link: Link, replaced: list[tuple[int, int, str]], question: str) -> Link:
    """A link at its new place; one inside a replaced mention, or across its border, takes all of it."""
    start, end = _place(link.start, replaced, first=True), _place(link.end, replaced, first=False)
    return replace(link, start=start, end=end, text=question[start:end])


def _place(position: int, replaced: list[tuple[int, int, str]], first: bool) -> int:
    shift = 0
    for start, end, kind in replaced:
        if position <= start:
            break
        if position < end:
            return start + shift + (0 if first else len(kind))
        shift += len(kind) - (end - start)
    return position + shift


def anonymise_records(data: Path, kb_place: str, out: Path) -> None:
    inside = bundled().inside
    with open_kb(kb_place) as kb, out.open("w", encoding="utf-8") as file:
        linker = Linker(kb)
        for question in read_questions(data):
            record = anonymised(question, kb, inside, linker.link(question.question))
            file.write(json.dumps(record.to_json()) + "\n")


def main() -> None:
    parser = argparse.ArgumentParser(description="Records with kinds in place of names.")
    parser.add_argument("data", type=Path)
    parser.add_argument("--kb", required=True)
    parser.add_argument("--out", type=Path, required=True)
    given = parser.parse_args()
    anonymise_records(given.data, given.kb, given.out)


if __name__ == "__main__":
    main()
