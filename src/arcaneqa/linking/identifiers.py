"""Entities a question names by their identifiers: `<http://…>`, `http://…`, `wd:Q42`, `m.0abc`."""

from __future__ import annotations

import re
from itertools import islice

from arcaneqa.errors import InputError
from arcaneqa.kb.interface import KnowledgeBase
from arcaneqa.kb.short_names import Names
from arcaneqa.kb.terms import Iri

IDENTIFIER = re.compile(r"<[^<>\s]+>|[^\W\d][\w.-]{0,99}:[^\s<>\"',;?!]+|[^\W\d]\w{0,99}(?:\.\w+)+")
CLOSING = ").:]}"
"""What may stand behind an identifier without being part of it."""
MOST = 10
"""Identifiers of one question that are looked up."""


def identified(question: str, kb: KnowledgeBase, names: Names) -> list[tuple[int, int, int]]:
    """Places in the question (start and end) with the entity each identifies, each entity once."""
    found: dict[int, tuple[int, int, int]] = {}
    for match in islice(IDENTIFIER.finditer(question), MOST):
        said = match[0]
        node = _node(said, kb, names)
        while node is None and said[-1] in CLOSING:
            said = said[:-1]
            node = _node(said, kb, names)
        if node is not None:
            found.setdefault(node, (match.start(), match.start() + len(said), node))
    return list(found.values())


def _node(said: str, kb: KnowledgeBase, names: Names) -> int | None:
    try:
        term = names.read(said)
    except InputError:
        return None
    if not isinstance(term, Iri):
        return None
    schema = kb.schema
    if term.value in schema.relation_ids or term.value in schema.class_ids:
        return None
    return kb.node(term)
