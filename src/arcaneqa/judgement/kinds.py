"""Whether an answer is of the kind that is asked for: "when" wants a time, "how many" a number."""

from __future__ import annotations

import re

from arcaneqa.induction.found import Found
from arcaneqa.judgement.asked import Wanted, wanted
from arcaneqa.kb.interface import KnowledgeBase
from arcaneqa.kb.schema import ValueKind
from arcaneqa.kb.terms import Literal
from arcaneqa.kb.values import kind_of

_LOOKED_AT = 5
"""Of the answers; a set is of one kind, or nearly."""
_YEAR = re.compile(r"\b[12]\d{3}\b")


def is_unexpected(question: str, found: Found, kb: KnowledgeBase) -> bool:
    """Whether no answer can be what the question word asks for, as far as it tells."""
    kind = wanted(question)
    if kind is None or found.result.table is not None:
        return False
    if (value := found.result.value) is not None:
        return not _fits(kind, value, value.lexical)
    few = found.nodes.ids[:_LOOKED_AT]
    return not any(
        _fits(kind, term, label) for term, label in zip(kb.terms(few), kb.labels(few), strict=True)
    )


def _fits(kind: Wanted, term: object, label: str | None) -> bool:
    value = kind_of(term) if isinstance(term, Literal) else ValueKind.ENTITY
    text = label or ""
    match kind:
        case Wanted.COUNT:
            return value is ValueKind.NUMBER or (value is ValueKind.TEXT and any(map(str.isdigit, text)))
        case Wanted.TIME:
            return value is ValueKind.TIME or _YEAR.search(text) is not None
        case Wanted.TRUTH:
            return value is ValueKind.BOOLEAN
        case Wanted.PERSON | Wanted.PLACE:
            return value is ValueKind.ENTITY or (value is ValueKind.TEXT and any(map(str.isalpha, text)))
