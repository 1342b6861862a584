"""Kinds of question the program language has no words for; better to say so than to guess."""

from __future__ import annotations

import re

_AUXILIARY = re.compile(
    r"^(is|are|was|were|am|do|does|did|can|could|has|have|had|will|would|shall|should|may|might|must)(n't)?\b"
)
_QUESTION_WORD = re.compile(
    r"\b(who|whom|whose|what|which|when|where|how (many|much|long|far|old|big|tall|high))\b"
)
_REQUEST = re.compile(
    r"^(can|could|would|will) (you|u|someone|anybody)\b|^(do|does) (you|anyone|anybody) know\b"
)
# "How did he die?" has an answer in many knowledge bases; "how do I …" in none.
_MANNER = re.compile(r"^how (to|(do|can|could|should|would) (i|you|we|one|people))\b")


def unsayable(question: str) -> str | None:
    """Why no program can answer this kind of question, or None where one may.

    >>> unsayable("Is Paris the capital of France?")
    'a yes/no question'
    >>> unsayable("Can you tell me which rivers flow through Texas?") is None
    True
    >>> unsayable("how did elvis die?") is None
    True
    """
    words = " ".join(question.lower().replace("’", "'").split())
    if words.startswith(("why ", "why?", "how come ")) or words == "why":
        return "a question for a reason (why)"
    if _MANNER.match(words):
        return "a question for a manner (how to)"
    if _AUXILIARY.match(words) and not _REQUEST.match(words) and not _QUESTION_WORD.search(words):
        return "a yes/no question"
    return None
