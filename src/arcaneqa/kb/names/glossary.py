"""Other words for what a knowledge base holds: its own second labels, a glossary of the user's, and slips.

A question is read as if it used the words of the schema: "turnover" as "revenue" where the data, or a file of
the user's, says that they are one.
"""

from __future__ import annotations

import json
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from difflib import get_close_matches
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from arcaneqa.kb.interface import KnowledgeBase
from arcaneqa.kb.names.name_forms import are_of_one_origin, key, split, stem, words
from arcaneqa.kb.schema import Class, Relation
from arcaneqa.kb.short_names import Names
from arcaneqa.kb.terms import Iri
from arcaneqa.support.errors import InputError

_LONGEST = 6
"""Words of what stands for another."""
_LONG_WORD = 8
"""Letters from which on a letter that is missing or wrong is mended; in shorter words it is two in the wrong
order, or one written twice."""
_SHORTEST = 5
_BEFORE_NOUNS = frozenset(
    (
        *("a", "all", "an", "average", "each", "every", "highest", "largest", "least", "longest", "lowest"),
        *("many", "most", "much", "smallest", "the", "total", "what", "which", "whose"),
    )
)


@dataclass(frozen=True)
class Glossary:
    """`words` maps names to other words for them, `examples` questions to programs."""

    words: dict[str, tuple[str, ...]]
    examples: dict[str, str]

    @classmethod
    def read(cls, path: Path) -> Glossary:
        try:
            return cls.of_text(path.read_text(encoding="utf-8"), str(path))
        except (OSError, UnicodeDecodeError) as error:
            raise InputError(f"The glossary {path} cannot be read: {error}.") from None

    @classmethod
    def of_text(cls, text: str, source: str) -> Glossary:
        try:
            data = tomllib.loads(text)
        except (tomllib.TOMLDecodeError, RecursionError) as error:
            raise InputError(f"The glossary {source} is not TOML: {error}.") from None
        if unknown := sorted(data.keys() - {"words", "examples"}):
            raise InputError(f"{source}: a glossary has [words] and [[examples]], not “{unknown[0]}”.")
        return cls(_words(data.get("words", {}), source), _examples(data.get("examples", []), source))

    def written(self) -> str:
        """As JSON strings, which TOML reads as well."""
        lines = ["[words]"]
        lines += [f"{json.dumps(name)} = {json.dumps(list(said))}" for name, said in self.words.items()]
        for question, program in self.examples.items():
            lines += [
                "[[examples]]",
                f"question = {json.dumps(question)}",
                f"program = {json.dumps(program)}",
            ]
        return "\n".join(lines) + "\n"


def _words(data: Any, source: str) -> dict[str, tuple[str, ...]]:
    if not isinstance(data, dict):
        raise InputError(f'{source}: [words] is a table such as revenue = ["turnover", "sales"].')
    found = {}
    for name, said in data.items():
        listed = [said] if isinstance(said, str) else said
        if not isinstance(listed, list) or not all(isinstance(each, str) and split(each) for each in listed):
            raise InputError(f"{source}: “{name}” needs a list of other words for it.")
        found[name] = tuple(listed)
    return found


def _examples(data: Any, source: str) -> dict[str, str]:
    if not isinstance(data, list):
        raise InputError(f"{source}: examples are written as [[examples]], each with question and program.")
    for each in data:
        if not (isinstance(each, dict) and each.keys() == {"question", "program"}) or not all(
            isinstance(text, str) for text in each.values()
        ):
            raise InputError(f"{source}: each of [[examples]] has a question and a program, both texts.")
    return {each["question"]: each["program"] for each in data}


class Wording:
    """Questions in the words of one knowledge base."""

    def __init__(self, kb: KnowledgeBase, glossary: Glossary | None = None) -> None:
        """Names that a glossary has and the knowledge base has not are an error."""
        self._kb, self._surfaces = kb, kb.surfaces()
        self._glossary = glossary or Glossary({}, {})
        self._given = {
            tuple(map(stem, split(other))): self._called(name)
            for name, others in self._glossary.words.items()
            for other in others
        }
        self._programs = {key(split(asked)): text for asked, text in self._glossary.examples.items()}

    def program(self, question: str) -> str | None:
        """That of the example that asks just this."""
        return self._programs.get(key(split(question)))

    def said(self, question: str) -> str:
        """The question with other words replaced, the longest first."""
        found = words(question)
        parts, at, place = [], 0, 0
        while place < len(found):
            is_noun = place > 0 and found[place - 1].folded in _BEFORE_NOUNS
            size, name = self._meant([word.folded for word in found[place : place + _LONGEST]], is_noun)
            if name is not None:
                parts += [question[at : found[place].start], name]
                at = found[place + size - 1].end
            place += size
        return "".join(parts) + question[at:] if parts else question

    def _meant(self, said: list[str], is_noun: bool) -> tuple[int, str | None]:
        """How many words stand for another name, and this name. Data gives verbs as well for second labels
        ("born"), which no name can stand for in a question."""
        stems = tuple(map(stem, said))
        for size in range(len(stems), 0, -1):
            if (name := self._given.get(stems[:size])) is not None:
                return size, name
            if is_noun and (name := self._second.get(stems[:size])) and not self._is_name(said[:size]):
                return size, name
        return 1, self._mended(said[0])

    def _called(self, name: str) -> str:
        """What the knowledge base calls what a glossary names by label, short form or IRI."""
        names = Names(self._kb.profile)
        labels: dict[str, str] = {}
        for item in self._items:
            labels |= dict.fromkeys((item.iri, names.short(item.iri), item.label.lower()), item.label)
        if (label := labels.get(name) or labels.get(name.lower())) is not None:
            return label
        if self._surfaces is not None and self._is_name(split(name)):
            return name
        node = self._kb.node(Iri(names.expand(name))) if ":" in name else None
        if node is not None and (label := self._kb.labels(np.array([node]))[0]) is not None:
            return label
        near = ", ".join(get_close_matches(name.lower(), labels, 3, 0.4)) or "nothing like it"
        raise InputError(f"The glossary names “{name}”, which is not here; near: {near}.")

    @cached_property
    def _items(self) -> list[Relation | Class]:
        return [*self._kb.schema.shown_relations, *self._kb.schema.shown_classes]

    def _is_name(self, parts: list[str]) -> bool:
        return self._surfaces is not None and bool(self._surfaces.find([key(parts)], 1)[0])

    @cached_property
    def _second(self) -> dict[tuple[str, ...], str]:
        """Other labels of relations and classes that mean one of them and are no label themselves."""
        if self._surfaces is None:  # a server would be asked for each
            return {}
        items = self._items
        labels = {tuple(map(stem, split(item.label))) for item in items}
        found: dict[tuple[str, ...], str] = {}
        twice: set[tuple[str, ...]] = set()
        for item in items:
            node = self._kb.node(Iri(item.iri))
            others = [] if node is None else self._kb.aliases(np.array([node], np.int64))[0]
            for stems in {tuple(map(stem, split(other))) for other in others}:
                if found.setdefault(stems, item.label) != item.label:
                    twice.add(stems)
        return {stems: name for stems, name in found.items() if stems and stems not in labels | twice}

    @cached_property
    def _schema_words(self) -> dict[str, list[str]]:
        """Words of relations and classes by what a slip leaves of them."""
        found: dict[str, list[str]] = {}
        for word in sorted({word for item in self._items for word in split(item.label)}):
            if len(word) >= _SHORTEST and word.isalpha():
                for rest in _rests(word):
                    found.setdefault(rest, []).append(word)
        return found

    def _mended(self, word: str) -> str | None:
        """The one word of the schema that was meant, where no name has this one."""
        if len(word) < _SHORTEST or not word.isalpha() or self._surfaces is None:
            return None
        meant = {one for rest in _rests(word) for one in self._schema_words.get(rest, ())}
        # Who composed it is no slip of the composer.
        if len(meant) != 1 or any(are_of_one_origin(word, one) or stem(word) == stem(one) for one in meant):
            return None
        return None if self._surfaces.frequencies([stem(word)]) else meant.pop()


def _rests(word: str) -> Iterator[str]:
    """What words share that one slip makes of each other: letters in another order, one of two alike missing;
    in long words, any one letter missing."""
    yield "".join(sorted(word)) + word[0]
    yield "".join(letter for letter, before in zip(word, " " + word, strict=False) if letter != before)
    if len(word) >= _LONG_WORD:
        yield from (f"{word[:place]}{word[place + 1 :]}~" for place in range(1, len(word)))
        yield f"{word}~"
