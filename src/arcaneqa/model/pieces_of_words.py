"""The word pieces of a text, put together from those of its words.

A tokenizer like BERT's cuts a text at spaces before all else, so what a word is cut into does not depend on
those beside it. Programs and schemas say the same words again and again: each is looked at once.
"""

from __future__ import annotations

from tokenizers import Tokenizer
from tokenizers.normalizers import BertNormalizer
from tokenizers.pre_tokenizers import BertPreTokenizer

Ids = list[int]

_MOST = 50_000
"""Words kept; when there are more it begins anew."""


class PiecesOfWords:
    """Threads may share it: at worst a word is looked at twice."""

    def __init__(self, tokenizer: Tokenizer) -> None:
        self._tokenizer = tokenizer
        self._cuts_at_spaces = isinstance(tokenizer.normalizer, BertNormalizer) and isinstance(
            tokenizer.pre_tokenizer, BertPreTokenizer
        )
        self._known: dict[str, Ids] = {}

    def of(self, text: str) -> Ids:
        if not self._cuts_at_spaces:
            return self._look(text)
        if len(self._known) > _MOST:
            self._known = {}
        known, found = self._known, []
        for word in text.split(" "):
            if (own := known.get(word)) is None:
                own = known[word] = self._look(word)
            found += own
        return found

    def _look(self, text: str) -> Ids:
        # Not in a batch: that would wake threads of the tokenizer's own.
        ids: Ids = self._tokenizer.encode(text, add_special_tokens=False).ids
        return ids
