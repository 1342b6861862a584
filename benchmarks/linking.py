"""How many of the entities that questions name the linker finds, and how much else it brings along."""

from __future__ import annotations

import random
import re
import time
import zlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from arcaneqa.kb.interface import KnowledgeBase
from arcaneqa.kb.short_names import Names
from arcaneqa.kb.terms import Literal
from arcaneqa.lab.training.linker import examples, train_linker
from arcaneqa.language.expression import Value, post_order
from arcaneqa.language.text import parse
from arcaneqa.linking.features import LinkerWeights, bundled
from arcaneqa.linking.linker import Linker
from arcaneqa.links import Links
from arcaneqa.record import Question
from arcaneqa.support.errors import InputError

CUTS = (1, 5, 10)
HELD_OUT = 10


@dataclass(frozen=True)
class Recall:
    """Shares of gold entities and literals found, and what a question gets on average."""

    entities: int
    at: dict[int, float]
    literals: int
    literals_typed: float
    mentions: float
    candidates: float
    milliseconds: float


def recall(questions: Sequence[Question], kb: KnowledgeBase, weights: LinkerWeights) -> Recall:
    """An entity is found at k if it is among the k best of some mention; candidates are counted at 5."""
    linker = Linker(kb, weights, max(CUTS))
    names = Names(kb.profile)
    ranks: list[int] = []
    typed: list[bool] = []
    mentions, candidates, seconds = [], [], []
    for question in questions:
        started = time.process_time()  # linking waits for nothing, and other work would count otherwise
        links = linker.link(question.question)
        seconds.append(time.process_time() - started)
        mentions.append(len(links.mentions))
        candidates.append(sum(min(5, len(mention.candidates)) for mention in links.mentions))
        ranks.extend(_rank(node, links) for node in gold_nodes(question, names, kb))
        typed.extend(_is_read(literal, links) for literal in _literals(question, names, kb))
    return Recall(
        len(ranks),
        {cut: float(np.mean([rank < cut for rank in ranks])) if ranks else 0.0 for cut in CUTS},
        len(typed),
        float(np.mean(typed)) if typed else 0.0,
        float(np.mean(mentions)),
        float(np.mean(candidates)),
        float(np.median(seconds)) * 1000,
    )


def gold_nodes(question: Question, names: Names, kb: KnowledgeBase) -> list[int | None]:
    """The entities a record lists; None for one that the knowledge base lacks, which counts as missed."""
    found: dict[str, int | None] = {}
    for entity in question.entities:
        try:
            found[entity.id] = kb.node(names.read(entity.id))
        except InputError:
            continue  # a literal
    return list(found.values())


def _rank(node: int | None, links: Links) -> int:
    places = [
        place
        for mention in links.mentions
        for place, candidate in enumerate(mention.candidates)
        if candidate.node == node
    ]
    return min(places, default=max(CUTS))


def _literals(question: Question, names: Names, kb: KnowledgeBase) -> list[Literal]:
    if not question.program or "^^" not in question.program:
        return []
    program = parse(question.program, names, kb.schema)
    return [part.literal for part in post_order(program) if isinstance(part, Value)]


def _is_read(literal: Literal, links: Links) -> bool:
    """Whether some reading has the same type and the same value."""
    return any(
        reading.datatype == literal.datatype and _same(reading.lexical, literal.lexical)
        for link in links.literals
        for reading in link.readings
    )


def _same(one: str, other: str) -> bool:
    try:
        return float(one) == float(other)
    except ValueError:
        return one == other


def is_held_out(question: Question) -> bool:
    """One question in ten, told by its id: the same ones whatever the order of the file."""
    return zlib.crc32(question.id.encode()) % HELD_OUT == 0


def misspelt(text: str, chance: random.Random) -> str:
    """One letter left out, doubled or swapped in one of the longer words."""
    parts = text.split()
    longer = [n for n, part in enumerate(parts) if len(part) > 5 and part.isalpha()]
    if not longer:
        return text
    place = chance.choice(longer)
    word, at = parts[place], chance.randrange(1, len(parts[place]) - 1)
    left_out, doubled = word[:at] + word[at + 1 :], word[:at] + word[at] + word[at:]
    swapped = word[:at] + word[at + 1] + word[at] + word[at + 2 :]
    parts[place] = chance.choice([left_out, doubled, swapped])
    return " ".join(parts)


def spoilt(questions: Sequence[Question]) -> list[tuple[str, list[Question]]]:
    """The same questions as hurried people write them."""
    chance = random.Random(0)
    ways: list[tuple[str, Callable[[str], str]]] = [
        ("lower case", str.lower),
        ("upper case", str.upper),
        ("no punctuation", lambda text: re.sub(r"(?<!\d)[^\w\s]|[^\w\s](?!\d)", "", text)),
        ("one typing error", lambda text: misspelt(text, chance)),
    ]
    return [(name, [replace(q, question=way(q.question)) for q in questions]) for name, way in ways]


def report(questions: Sequence[Question], kb: KnowledgeBase, learn: bool) -> str:
    """A table: without training, with the bundled weights, or trained here on nine tenths for the last."""
    rows = [("none", "all", recall(questions, kb, LinkerWeights.by_hand()))]
    if learn:
        tenth = [question for question in questions if is_held_out(question)]
        rest = [question for question in questions if not is_held_out(question)]
        rows.append(("none", "held-out tenth", recall(tenth, kb, LinkerWeights.by_hand())))
        weights = train_linker([(kb, examples(rest, kb))])
        rows.append(("the other nine tenths", "held-out tenth", recall(tenth, kb, weights)))
    else:
        rows.append(("bundled weights", "all", recall(questions, kb, bundled())))
        for spoiling, worse in spoilt(questions):
            rows.append(("bundled weights", spoiling, recall(worse, kb, bundled())))
    lines = [
        "| training | questions | entities | @1 | @5 | @10 | mentions / question | candidates / question "
        "| literals | found and typed | processor ms (median) |",
        "|---|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|",
    ]
    for trained, part, found in rows:
        cuts = " | ".join(f"{100 * found.at[cut]:.1f}" for cut in CUTS)
        literals = f"{100 * found.literals_typed:.1f}" if found.literals else "–"
        lines.append(
            f"| {trained} | {part} | {found.entities:,} | {cuts} | {found.mentions:.2f} "
            f"| {found.candidates:.2f} | {found.literals:,} | {literals} | {found.milliseconds:.1f} |"
        )
    return "\n".join(lines)
