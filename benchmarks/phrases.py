"""Whether programs are said truly: different meanings in different words, and no class that is not meant."""

from __future__ import annotations

import re
from copy import copy
from dataclasses import replace
from random import Random

from arcaneqa.kb.interface import KnowledgeBase
from arcaneqa.language.equivalence import canonical
from arcaneqa.language.expression import Class, Expression, post_order
from arcaneqa.language.phrase import paraphrase
from benchmarks.random_programs import RandomPrograms

DRAWS = 8
"""Each draw takes few names of each kind, so that its programs come close to each other."""
_SIX = 6


def report(kb: KnowledgeBase, pairs: int, seed: int = 0) -> str:
    """What was compared and everything that is wrong, a line each."""
    programs = [program for draw in range(DRAWS) for program in drawn(kb, seed + draw, pairs // DRAWS)]
    said = [paraphrase(program, kb) for program in programs]
    meant = [canonical(program) for program in programs]
    equal, different = [], 0
    pick = Random(seed)
    while different < pairs:
        one, other = pick.sample(range(len(programs)), 2)
        if meant[one] != meant[other]:
            different += 1
            if said[one] == said[other]:
                equal.append(f"- two meanings, one phrase: {said[one]}")
    every = sorted({phrase for phrase, meanings in by_phrase(said, meant).items() if len(meanings) > 1})
    classes = [
        f"- other classes in the phrase than in the program: {paraphrase(program, kb)}"
        for program in unfaithful(programs, kb)
    ]
    counts = [
        f"{different:,} random pairs of different meaning, {len(equal)} with one phrase",
        f"all pairs of {len(set(meant)):,} meanings: {len(every)} phrases said of more than one",
        f"{len(programs):,} programs, {len(classes)} with other classes in their phrase",
    ]
    return "\n".join(["; ".join(counts), *equal, *(f"- {phrase}" for phrase in every), *classes])


def drawn(kb: KnowledgeBase, seed: int, count: int) -> list[Expression]:
    source = RandomPrograms(kb, seed, names=_SIX)
    return [source.program() for _ in range(count)]


def by_phrase(said: list[str], meant: list[str]) -> dict[str, set[str]]:
    found: dict[str, set[str]] = {}
    for phrase, meaning in zip(said, meant, strict=True):
        found.setdefault(phrase, set()).add(meaning)
    return found


def unfaithful(programs: list[Expression], kb: KnowledgeBase) -> list[Expression]:
    """Programs in whose phrase other classes are heard than they name: each class is called by a word of
    its own, which nothing else has."""
    marked = copy(kb)
    classes = [replace(klass, label=f"kind{klass.id}") for klass in kb.schema.classes]
    marked.schema = replace(kb.schema, classes=classes)
    found = []
    for program in programs:
        said = {int(number) for number in re.findall(r"kind(\d+)", paraphrase(program, marked))}
        named = {kb.schema.class_ids[node.iri] for node in post_order(program) if isinstance(node, Class)}
        if said != named:
            found.append(program)
    return found
