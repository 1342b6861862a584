"""The English that phrases need: number, articles, parts of speech, and noun phrases."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import Enum
from functools import cache

# The little English that phrases need: number, articles, and what part of speech a relation's name
# is.


_IRREGULAR = {
    "person": "people",
    "man": "men",
    "woman": "women",
    "child": "children",
    "foot": "feet",
    "tooth": "teeth",
    "mouse": "mice",
    "criterion": "criteria",
    "datum": "data",
    "medium": "media",
}
_SINGULAR = {many: one for one, many in _IRREGULAR.items()}
_UNCHANGED = frozenset(("series", "species", "news", "sheep", "fish", "aircraft", "staff"))
_SINGULAR_IN_S = _UNCHANGED | {"status", "address", "gas", "lens", "atlas"}
_PREPOSITIONS = (
    "about|as|at|between|by|for|from|in|into|near|of|off|on|onto|over|through|to|under|with|within"
)
_ENDS_IN_PREPOSITION = re.compile(rf"(.+) ({_PREPOSITIONS})")
_PREPOSITION_INSIDE = re.compile(rf" (?:{_PREPOSITIONS}|per)\b| \(|, ")
_PARTICIPLE = re.compile(
    r"(?!.*eed$|bed$|red$|shed$|hundred$|sacred$|kindred$)\w+ed|born|bought|broken|built|caught|chosen|drawn|driven|flown"
    r"|found|given|grown|held|kept|known|led|lost|made|run|seen|sent|shown|sold|spent|spoken|sung|sworn|taken|taught"
    r"|thrown|told|torn|won|worn|written"
)
_THIRD_PERSON = re.compile(r"[a-z]{2,}[^suai]s")
_VERBS = frozenset(
    re.split(
        r"\s+",
        "accepts achieves acquires activates admires affects allows analyzes announces applies appoints "
        "assesses attends attracts becomes believes belongs borders builds buys carries catalyzes causes "
        "celebrates cites commands complicates composes comprises concerns conducts connects consists "
        "constitutes constrains consumes contains contradicts contributes converts creates decorates defeats "
        "defines degrades delivers denotes depends describes destroys detects determines develops diagnoses "
        "directs discovers discusses disrupts distributes drives eats edits elects emits employs enables "
        "encloses encodes encounters establishes evaluates excludes executes exhibits explains expresses "
        "extends feeds follows founds generates gives governs grows hates helps identifies illustrates "
        "implements implies improves includes indicates infects inhabits inherits inhibits inspires "
        "interconnects introduces invents involves joins keeps kills knows lacks learns lives loves makes "
        "manages marries meets narrates needs obtains occupies occurs operates opposes orbits organizes "
        "oversees owns participates performs plays possesses practices precedes predicts prefers prescribes "
        "prevents produces promotes protects proves provides publishes reaches receives recommends reduces "
        "refers regulates rejects relates removes replaces represents requires resembles resists restricts "
        "satisfies seeks sees sells sends serves solves speaks specifies succeeds suffers suggests "
        "supervises supports surrounds synthesizes teaches transforms transmits treats understands uses "
        "validates wants wears worships writes",
    )
)
"""Those that schemas use without a preposition after them; any other word in -s is taken for a plural."""


class SaidAs(Enum):
    """What stands before what in a sentence with a relation."""

    NOUN = "the mayor of Paris"
    STATE = "located in France"
    VERB = "plays in a league"


@dataclass(frozen=True, slots=True)
class Predicate:
    """`many` is said of several things, `one` of one; they differ for verbs alone."""

    kind: SaidAs
    many: str
    one: str


@cache
def shape(name: str) -> Predicate:
    """How a relation of this name is used in a sentence.

    >>> shape("plays in").many, shape("is part of").kind.name, shape("has maker").many
    ('play in', 'STATE', 'maker')
    """
    for prefix in ("is ", "are ", "was ", "were ", "has ", "have ", "had "):
        if name.startswith(prefix) and len(name) > len(prefix):
            inner = shape(name[len(prefix) :])
            if prefix[0] == "h" or inner.kind is not SaidAs.NOUN:
                return inner
            return Predicate(SaidAs.STATE, inner.many, inner.one)
    first, _, rest = name.partition(" ")
    if first in _VERBS or (
        _THIRD_PERSON.fullmatch(first)
        and _ENDS_IN_PREPOSITION.fullmatch(name)
        and not name.endswith((" of", " by", " as"))
    ):
        base = _base(first)
        return Predicate(SaidAs.VERB, f"{base} {rest}".strip(), name)
    if not _ENDS_IN_PREPOSITION.fullmatch(name):
        return Predicate(SaidAs.NOUN, name, name)
    if _PARTICIPLE.fullmatch(first) and name.count(" ") > 1:
        return Predicate(SaidAs.VERB, name, name)  # "gained independence from"
    return Predicate(SaidAs.STATE, name, name)


def states(found: Predicate) -> tuple[str, str]:
    """What follows "are" and "is": "located in", "parts of" and "a part of"."""
    if found.many.endswith(" of") and not is_participle(found.many):
        noun = found.many.removesuffix(" of")
        return f"{plural(noun)} of", f"{with_article(noun)} of"
    return found.many, found.one


def is_participle(name: str) -> bool:
    return _PARTICIPLE.fullmatch(name.partition(" ")[0]) is not None


def is_had(found: Predicate) -> bool:
    """Whether one can say that somebody has it: a mayor, but neither "located in" nor "born"."""
    return found.kind is SaidAs.NOUN and not is_participle(found.many)


@cache
def is_plural(noun: str) -> bool:
    """ "versions", "games with this mode", "people"; not "status", "GDP per capita"."""
    last = _split(noun)[1].lower()
    return last in _SINGULAR or (
        last not in _SINGULAR_IN_S and re.fullmatch(r".{2,}[^sui]s", last) is not None and not _is_code(last)
    )


@cache
def plural(noun: str) -> str:
    """`date of birth` → `dates of birth`; what is plural already stays."""
    before, last, after = _split(noun)
    if is_plural(noun) or not last or (not before and _PARTICIPLE.fullmatch(last)):
        return noun
    return before + _plural(last) + after


@cache
def singular(noun: str) -> str:
    before, last, after = _split(noun)
    if not is_plural(noun):
        return noun
    lowered = last.lower()
    if lowered in _SINGULAR:
        return before + _SINGULAR[lowered] + after
    if lowered.endswith("ies") and len(lowered) > 4:
        return before + last[:-3] + "y" + after
    if re.search(r"(ss|x|ch|sh|zz)es$", lowered):
        return before + last[:-2] + after
    return before + last[:-1] + after


@cache
def with_article(noun: str) -> str:
    """ "a mayor", "an area", "films": what is plural has none."""
    if is_plural(noun):
        return noun
    start = noun.lower()
    if noun[:2].isupper() and not noun.startswith(("UN", "US", "EU")):
        is_vowel = noun[0] in "AEFHILMNORSX"  # spelled out: "an IATA code", "a GDP"
    elif start[:1] == "h":
        is_vowel = start.startswith(("hour", "honest", "heir"))
    else:
        is_vowel = start[:1] in "aeiou" and re.match(r"uni[^n]|us|eu|one\b|ur[aeio]", start) is None
    return f"{'an' if is_vowel else 'a'} {noun}"


def ordinal(number: int) -> str:
    if number % 100 in (11, 12, 13):
        return f"{number}th"
    return f"{number}{ {1: 'st', 2: 'nd', 3: 'rd'}.get(number % 10, 'th') }"


def listed(parts: Sequence[str], word: str = "and") -> str:
    """ "a, b and c"."""
    return f" {word} ".join([", ".join(parts[:-1]), parts[-1]] if len(parts) > 1 else parts)


def _split(noun: str) -> tuple[str, str, str]:
    """The word that carries the number, what stands before it, and what stands after."""
    found = _PREPOSITION_INSIDE.search(noun)
    head, after = (noun, "") if found is None else (noun[: found.start()], noun[found.start() :])
    before, space, last = head.rpartition(" ")
    # "language spoken", "temperature f"
    if before and (len(last) == 1 or _PARTICIPLE.fullmatch(last)):
        start, carrier, between = _split(before)
        return start, carrier, f"{between} {last}{after}"
    return before + space, last, after


def _plural(word: str) -> str:
    lowered = word.lower()
    if lowered in _IRREGULAR:
        return _IRREGULAR[lowered] if word[0].islower() else _IRREGULAR[lowered].capitalize()
    if lowered in _UNCHANGED:
        return word
    if re.fullmatch(r".*([^aeiou]|qu)y", lowered):
        return word[:-1] + "ies"
    if lowered.endswith(("s", "x", "z", "ch", "sh")):
        return word + "es"
    return word + "s"


def _base(verb: str) -> str:
    if verb.endswith("ies"):
        return verb[:-3] + "y"
    return verb[:-2] if re.search(r"(ss|x|ch|sh|o)es$", verb) else verb[:-1]


def _is_code(word: str) -> bool:
    return any(letter.isdigit() for letter in word)


# Noun phrases: a noun with what is said of it, for one thing or several.


_UNLINKED = ("with the ", "except ", "without ")


@dataclass(frozen=True, slots=True)
class NounForms:
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

    noun: NounForms
    parts: tuple[NounForms, ...] = ()
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
        return replace(self, noun=NounForms("those", "one")).many if self.bare else self.many

    @property
    def closed(self) -> str:
        """Where other words follow."""
        is_plain = not self.parts and not self.noun.inner
        return self.many if is_plain else f"({self.many})"

    def also(self, *more: NounForms) -> Phrase:
        """What is plain first, whatever the order in a program."""
        return replace(self, parts=self.parts + tuple(sorted(more, key=lambda part: part.is_open)))

    def cut(self, part: NounForms) -> Phrase:
        """What follows is said of what is left."""
        start = self.only_those() if self.is_cut else self
        return replace(start.also(part), is_cut=True)

    def only_those(self) -> Phrase:
        return Phrase(NounForms(f"{self.many}, only those", f"one of {self.many}, only those"))

    def _text(self, is_one: bool) -> str:
        said = [
            part.text(is_one, is_last=place == len(self.parts)) for place, part in enumerate(self.parts, 1)
        ]
        linked = [
            f"and {text}" if n and not text.startswith(_UNLINKED) else text for n, text in enumerate(said)
        ]
        return " ".join((self.noun.text(is_one, is_last=not said), *linked))


THINGS = Phrase(NounForms("things", "something"), bare=True)
SOMETHING = Phrase(NounForms("something", "something"), is_name=True)


def named(name: str) -> Phrase:
    return Phrase(NounForms(name, name), is_name=True)
