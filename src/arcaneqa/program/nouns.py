"""Noun phrases: a noun with what is said of it, for one thing or several.

What is plain is said first. Whatever ends in a noun of its own, to which the next words could belong as
well, comes last or stands in brackets: so no two different phrases read the same.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

_UNLINKED = ("with the ", "except ", "without ")


@dataclass(frozen=True, slots=True)
class Part:
    """Words for several things and for one, and what they end with. `is_open`: that has a noun of its own."""

    many: str
    one: str
    inner: str = ""
    is_open: bool = False

    def text(self, is_one: bool, is_last: bool) -> str:
        inner = f"({self.inner})" if self.is_open and not is_last else self.inner
        return " ".join(filter(None, (self.one if is_one else self.many, inner)))


@dataclass(frozen=True, slots=True)
class Phrase:
    """`the` is how the noun begins where it stands alone and means one thing: "the mayor of".

    `classes` are those that its members are said to have; `bare` says that the noun is only "things";
    `is_name`, that it is the name of one thing; `is_cut`, that a superlative has had its say, so that what
    follows would mean something else before it.
    """

    noun: Part
    parts: tuple[Part, ...] = ()
    the: str | None = None
    classes: frozenset[int] = frozenset()
    bare: bool = False
    is_name: bool = False
    is_cut: bool = False

    @property
    def is_single(self) -> bool:
        return self.is_name or (self.the is not None and not self.parts)

    @property
    def many(self) -> str:
        return self._text(is_one=False)

    @property
    def one(self) -> str:
        return self.alone if self.is_single else self._text(is_one=True)

    @property
    def alone(self) -> str:
        """As an answer is called: "the mayor of Paris"."""
        if self.the is not None and not self.parts:
            return replace(self.noun, many=self.the).text(is_one=False, is_last=True)
        return self.many

    @property
    def those(self) -> str:
        """After "except": "those located in France"."""
        return replace(self, noun=Part("those", "one")).many if self.bare else self.many

    @property
    def closed(self) -> str:
        """Where other words follow."""
        is_plain = not self.parts and not self.noun.inner
        return self.many if is_plain else f"({self.many})"

    def also(self, *more: Part) -> Phrase:
        """What is plain first, whatever the order in a program."""
        return replace(self, parts=self.parts + tuple(sorted(more, key=lambda part: part.is_open)))

    def cut(self, part: Part) -> Phrase:
        """What follows is said of what is left."""
        start = self.only_those() if self.is_cut else self
        return replace(start.also(part), is_cut=True)

    def only_those(self) -> Phrase:
        return Phrase(Part(f"{self.many}, only those", f"one of {self.many}, only those"))

    def _text(self, is_one: bool) -> str:
        said = [
            part.text(is_one, is_last=place == len(self.parts)) for place, part in enumerate(self.parts, 1)
        ]
        linked = [
            f"and {text}" if n and not text.startswith(_UNLINKED) else text for n, text in enumerate(said)
        ]
        return " ".join((self.noun.text(is_one, is_last=not said), *linked))


THINGS = Phrase(Part("things", "something"), bare=True)
SOMETHING = Phrase(Part("something", "something"), is_name=True)


def named(name: str) -> Phrase:
    return Phrase(Part(name, name), is_name=True)
