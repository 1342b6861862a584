"""The word pieces of a text, put together from those of its words.

A tokenizer like BERT's cuts a text at spaces before all else, so what a word is cut into does not depend on
those beside it. Programs and schemas say the same words again and again: each is looked at once.
"""

from __future__ import annotations

from tokenizers import Tokenizer
from tokenizers.models import WordPiece
from tokenizers.normalizers import BertNormalizer
from tokenizers.pre_tokenizers import BertPreTokenizer

Ids = list[int]

_MOST = 50_000
"""Words kept; when there are more it begins anew."""


class PiecesOfWords:
    """Threads may share it: at worst a word is looked at twice."""

    def __init__(self, tokenizer: Tokenizer) -> None:
        self._tokenizer = tokenizer
        normalizer = tokenizer.normalizer
        self._is_like_bert = (
            isinstance(normalizer, BertNormalizer)
            and isinstance(tokenizer.pre_tokenizer, BertPreTokenizer)
            and isinstance(tokenizer.model, WordPiece)
        )
        self._lowers = self._is_like_bert and normalizer.lowercase
        self._known: dict[str, Ids] = {}

    def of(self, text: str) -> Ids:
        if not self._is_like_bert:
            return self._look(text)
        if len(self._known) > _MOST:
            self._known = {}
        known, found = self._known, []
        for word in text.split(" "):
            if (own := known.get(word)) is None:
                own = known[word] = self._of_word(word)
            found += own
        return found

    def _of_word(self, word: str) -> Ids:
        # A word is cut where its longest known beginning ends: one that is known is its only piece.
        if word.isascii() and word.isalpha():
            number: int | None = self._tokenizer.token_to_id(word.lower() if self._lowers else word)
            if number is not None:
                return [number]
        return self._look(word)

    def _look(self, text: str) -> Ids:
        # Not in a batch: that would wake threads of the tokenizer's own.
        ids: Ids = self._tokenizer.encode(text, add_special_tokens=False).ids
        return ids
