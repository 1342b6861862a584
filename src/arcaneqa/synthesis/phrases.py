"""Noun phrases in the making: a noun, what stands before it, and what is said of it after it."""

from __future__ import annotations

from dataclasses import dataclass, field

from arcaneqa.synthesis.inflection import is_plural, plural, singular


@dataclass(frozen=True)
class Modifier:
    """`relative` follows a noun ("in Ohio"); the others complete "which rivers …" and "which river …".

    Where `that` is given, the relative clause is made of it and what completes the question instead.
    """

    relative: str
    plural: str
    single: str
    that: str = ""

    def after(self, many: bool) -> str:
        return f"{self.that} {self.plural if many else self.single}" if self.that else self.relative

    @classmethod
    def clause(cls, that: str, plural: str, single: str) -> Modifier:
        """ "that flow through Ohio", "that flows through Ohio"."""
        return cls("", plural, single, that)

    @classmethod
    def adverbial(cls, text: str) -> Modifier:
        """ "in France", "located in France", "longer than 5 km": after a noun, or after "is"."""
        return cls(text, f"are {text}", f"is {text}")

    @classmethod
    def having(cls, text: str) -> Modifier:
        """ "with the most people", "has the most people"."""
        return cls(f"with {text}", f"have {text}", f"has {text}")


@dataclass(frozen=True)
class Phrase:
    """`name` is a proper name that takes no article; otherwise `noun` is in the singular."""

    noun: str = ""
    name: str | None = None
    before: tuple[str, ...] = ()
    owner: str | None = None
    after: tuple[Modifier, ...] = field(default=())
    many: bool = False
    unique: bool = False

    def say(self, article: str = "the") -> str:
        """As subject or object: "the capital of France", "rivers in Ohio"."""
        if self.name is not None:
            return self.name
        return f"{article} {self.bare()}" if article else self.bare()

    def bare(self) -> str:
        """Without an article."""
        return " ".join(part for part in (*self.before, self.head(), self.tail()) if part)

    @property
    def has_owner_first(self) -> bool:
        return bool(self.before) and self.before[-1].endswith("'s")

    def head(self) -> str:
        """The noun in its number."""
        return plural(self.noun) if self.many else singular(self.noun)

    def tail(self) -> str:
        relatives = [modifier.after(self.many) for modifier in self.after]
        owner = [] if self.owner is None else [f"of {self.owner}"]
        return " ".join([*owner, _joined(relatives)]).strip()

    @property
    def takes_plural_verb(self) -> bool:
        return self.name is None and (self.many or is_plural(self.head()))


def _joined(relatives: list[str]) -> str:
    """ "that border France and that border Spain" needs the word between the clauses."""
    text = ""
    for relative in relatives:
        clause = relative.startswith(("that ", "whose ", "who ", "which "))
        text += (" and " if text and clause else " " if text else "") + relative
    return text
