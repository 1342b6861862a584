"""What a question calls the rows of a table that has no telling name of its own.

A file called `data.csv` does not say that its rows are hurricanes, and "which hurricane had the lowest
pressure?" does. The noun that is asked for, counted or set before a name stands for the rows then, unless the
data has it: the name of a column or of a value means that column or value.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from arcaneqa.kb.names.name_forms import Word, split, stem, words
from arcaneqa.kb.schema import ROW, Schema
from arcaneqa.linking.question_words import STOP_WORDS, UNITS
from arcaneqa.links import LIKELY, LiteralLink, MentionLink

_ASKING = frozenset(
    ("which", "list", "show", "find", "give", "return", "name", "any", "per", "each", "every")
)
_BETWEEN = frozenset(("all", "the", "of", "me", "some", "those", "distinct", "different", "other", "there"))
"""What may stand between such a word and the noun."""
_BE = frozenset(("is", "are", "was", "were"))
_FINITE = _BE | {"has", "have", "had", "do", "does", "did", "can", "could", "will", "would"}
_BEFORE_NAMES = frozenset(
    (*_FINITE, *("and", "at", "by", "during", "for", "from", "in", "of", "on", "than", "the", "with"))
)
"""Behind what else a word before a name is a verb: "who beat Norway", but "in hurricane Hugo"."""
_ADJOINING = re.compile(
    "above|after|and|at|before|below|between|by|for|from|in|it|of|on|over|per|that|there|they|to|under|where|which"
    "|who|whose|with|without"
)
"""Behind a noun that is whole, beside verbs."""
_SUPERLATIVE = re.compile("[a-z]{2,}est")
_DID = re.compile(
    "[a-z]{2,}ed|won|made|wrote|led|ran|sold|built|took|went|came|gave|sang|flew|grew|held|lost|beat|met|left"
    "|began|hit"
)
_ABSTRACT = frozenset(
    ("kind", "type", "sort", "number", "amount", "time", "date", "percentage", "share", "total", "average")
)
"""What no row is, whatever the table lists."""


def of_rows(
    question: str, mentions: Sequence[MentionLink], literals: Sequence[LiteralLink], schema: Schema
) -> str | None:
    """The question with "row" or "rows" for such nouns, and spaces behind, so that every other word keeps its
    place. None where there is no such noun, or the table has a name that says what its rows are."""
    if not schema.is_of_rows:
        return None
    named = [one for one in mentions if _names_a_row(one)]
    asked = _Asked(words(question), question, named, literals, schema)
    nouns = {stem(asked.said[place].folded) for place in asked.free if asked.stands_for_rows(place)}
    read = question
    for word in (asked.said[place] for place in asked.free):
        if stem(word.folded) in nouns:
            one = f"{ROW}s" if _is_plural(word.folded) else ROW
            read = f"{read[: word.start]}{one.ljust(word.end - word.start)}{read[word.end :]}"
    return None if read == question else read


class _Asked:
    """A question by its words; `free` are those that are no name, no value, no column and no small word."""

    def __init__(
        self,
        said: Sequence[Word],
        question: str,
        names: Sequence[MentionLink],
        values: Sequence[LiteralLink],
        schema: Schema,
    ) -> None:
        self.said = said
        self._question = question
        self._names = names
        linked = [(one.start, one.end) for one in names] + [(one.start, one.end) for one in values]
        self._linked = [any(start < word.end and word.start < end for start, end in linked) for word in said]
        labels = [split(relation.label) for relation in schema.relations if not relation.hidden]
        self._columns = {stem(word) for label in labels for word in (*label, "".join(label))}
        self.free = [
            place
            for place, word in enumerate(said)
            if not self._linked[place]
            and len(word.folded) >= len(ROW)
            and word.folded.isalpha()
            and word.folded not in STOP_WORDS | UNITS | _ABSTRACT
            and not _DID.fullmatch(word.folded)
            and stem(word.folded) not in self._columns
            and self._folded(place - 1) != "to"  # "the first to coach" has no coach in it
        ]

    def stands_for_rows(self, place: int) -> bool:
        if self._is_before_name(place):
            return True
        # Where one is named, whatever else is asked for is said of it: "how many people died in Katrina?"
        return not self._names and self._is_whole(place) and self._is_asked_for(place)

    def _is_before_name(self, place: int) -> bool:
        """ "Hurricane" in "did Hurricane Andrew", "in hurricane Hugo"."""
        word, following = self.said[place], self._word(place + 1)
        starts = {one.start for one in self._names if _is_name(one)}
        return (
            following is not None
            and following.start in starts
            and self._question[word.end : following.start].isspace()
            and self._folded(place - 1) in _BEFORE_NAMES
            and not word.folded.endswith("ing")
        )

    def _is_whole(self, place: int) -> bool:
        """Whether the noun ends here: in "which storm surges were …" no storms are asked for."""
        following = self._word(place + 1)
        if following is None or not self._question[self.said[place].end : following.start].isspace():
            return True
        said = following.folded
        if said in _FINITE or _ADJOINING.fullmatch(said) or _DID.fullmatch(said):
            return True
        return _is_plural(self.said[place].folded) and stem(said) not in self._columns

    def _is_asked_for(self, place: int) -> bool:
        before, is_chosen = place - 1, False
        while before >= 0:
            said = self._folded(before)
            if self._folded(before - 1) in ("most", "least") and said not in STOP_WORDS:
                before, is_chosen = before - 2, True
            elif _SUPERLATIVE.fullmatch(said):
                before, is_chosen = before - 1, True
            elif self._linked[before]:
                before -= 1
            else:
                break
        if self._folded(before) == "many":
            return self._folded(before - 1) == "how"
        if self._folded(before) == "what":
            return self._folded(place + 1) in _FINITE
        while before >= 0 and self._folded(before) in _BETWEEN:
            before -= 1
        if before < 0 and not is_chosen:
            is_several = _is_plural(self.said[place].folded)
            return is_several and _ADJOINING.fullmatch(self._folded(place + 1)) is not None
        return before < 0 or self._folded(before) in _ASKING or (is_chosen and self._folded(before) in _BE)

    def _word(self, place: int) -> Word | None:
        return self.said[place] if 0 <= place < len(self.said) else None

    def _folded(self, place: int) -> str:
        word = self._word(place)
        return "" if word is None else word.folded


def _names_a_row(mention: MentionLink) -> bool:
    """Behind "Hurricane" the linker doubts that Andrew is all of a name, however it is written."""
    if mention.score > LIKELY:
        return len(mention.candidates) == 1 or _is_name(mention)
    return mention.text[:1].isupper() and _is_name(mention)


def _is_name(mention: MentionLink) -> bool:
    """Whether it is all of somebody's name: meals are none of the two that are called a meal kit, and Mary
    Berry is not Mary Barry."""
    return any(split(mention.text) == split(one.label) for one in mention.candidates)


def _is_plural(word: str) -> bool:
    return len(word) > len(ROW) and word.endswith("s") and not word.endswith(("ss", "us", "is"))
