"""One of two that a question offers: "which is longer, the Nile or the Amazon?" is answered with one of them,
or with nothing."""

from __future__ import annotations

import re

from arcaneqa.induction.found import Found
from arcaneqa.judgement.asked import Wanted, wanted
from arcaneqa.judgement.rules import Asked
from arcaneqa.judgement.small_words import SMALL, roots_of

_OR = re.compile(r"[\"'”’]*,?\s+or\s+(?:the\s+|an?\s+)?[\"'“‘]*", re.IGNORECASE)
_CHOOSING = re.compile(
    r"(?:^|\b)(?:who|which|what|where)\b.*(?:[,:?]|\b(?:more|less|fewer|most|least|first|last|[a-z]{2,}er|[a-z]{2,}est)\b)",
    re.IGNORECASE,
)
_END = re.compile(r"[\"'”’\s?.!]*")
_LOOKED_AT = 5
"""Of the answers: who chooses among two gets one, or both."""


def offered(asked: Asked) -> tuple[str, str] | None:
    """The two between which the question lets choose, as it writes them: at its end, and behind words that
    compare.

    Two kinds of suppliers ("French or German ones") are no choice.
    """
    spans = [(one.start, one.end) for one in asked.links.mentions]
    spans += [(one.start, one.end) for one in asked.links.literals]
    if wanted(asked.question) is Wanted.TRUTH:
        return None
    for start, end in spans:
        for first, last in spans:
            between = asked.question[end:first] if end <= first else ""
            if (
                _OR.fullmatch(between)
                and _END.fullmatch(asked.question, last)
                and _CHOOSING.search(asked.question[:start])
            ):
                return asked.question[start:end], asked.question[first:last]
    return None


def chooses_neither(asked: Asked, one: Found) -> bool:
    """Whether the question offers two, and a reading finds something that is called like neither."""
    two = offered(asked)
    if two is None or one.result.table is not None:
        return False
    if one.result.value is not None:
        return True
    labels = asked.kb.labels(one.nodes.ids[:_LOOKED_AT])
    named = [roots_of(label or "") for label in labels]
    return not any((roots_of(text) - SMALL) & roots for text in two for roots in named)
