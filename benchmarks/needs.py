"""What right answers need of a knowledge base, and how much of it linking finds or induction is offered.

A line of the file names, for one question, the entities, texts, classes and relations that a program which
answers it has: `{"question", "entities": [IRI or @LABEL], "texts": […], "classes": […], "relations": […]}`.
"""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from arcaneqa.kb.index import Index
from arcaneqa.kb.interface import KnowledgeBase
from arcaneqa.kb.terms import Iri
from arcaneqa.linking.linker import Linker
from arcaneqa.links import Links

_WORD = re.compile(r"[^\W\d_]{3,}")


def report(needs: Path, kb: Index) -> str:
    """A table of what was found, and under it what was not."""
    linker = Linker(kb)
    found: dict[str, list[bool]] = defaultdict(list)
    missed = []
    with needs.open(encoding="utf-8") as lines:
        for need in map(json.loads, lines):
            links = linker.link(need["question"])
            for kind, name, is_found in _judged(need, links, kb):
                found[kind].append(is_found)
                if not is_found:
                    missed.append(f"- {need['question']} {kind} {name}")
    everything = [one for each in found.values() for one in each]
    rows = [(kind, sum(each), len(each)) for kind, each in (*found.items(), ("all", everything))]
    table = ["| needed | found | of | share |", "|---|---|---|---|"]
    table += [f"| {kind} | {count} | {size} | {100 * count / size:.1f}% |" for kind, count, size in rows]
    return "\n".join([*table, "", *missed])


def _judged(need: dict[str, Any], links: Links, kb: Index) -> Iterator[tuple[str, str, bool]]:
    linked = {candidate.node for mention in links.mentions for candidate in mention.candidates}
    for name in need.get("entities", ()):
        yield "entities", name, bool(linked & _nodes(name, kb))
    stated = {plain(reading.lexical) for literal in links.literals for reading in literal.readings}
    for text in need.get("texts", ()):
        yield "texts", text, plain(text) in stated
    schema = kb.schema
    for iri in need.get("classes", ()):
        klass = schema.class_ids.get(iri)
        item = None if klass is None else schema.classes[klass]
        yield "classes", iri, bool(item and item.members and not item.hidden and _WORD.search(item.label))
    for iri in need.get("relations", ()):
        relation = schema.relation_ids.get(iri)
        offered = None if relation is None else schema.relations[relation]
        yield "relations", iri, bool(offered and not offered.hidden and _WORD.search(offered.label))


def plain(text: str) -> str:
    """Numbers by value, texts without case."""
    try:
        return f"{float(text):g}"
    except ValueError:
        return text.lower()


def _nodes(name: str, kb: KnowledgeBase) -> set[int]:
    if not name.startswith("@"):
        node = kb.node(Iri(name))
        return set() if node is None else {node}
    wanted = name.lstrip("@").lower()
    assert isinstance(kb, Index)
    ids = kb.entities()
    return {
        node
        for node, label in zip(ids.tolist(), kb.labels(ids), strict=True)
        if (label or "").lower() == wanted
    }
