"""Comparisons with a value in words: "over 3,000 metres high", "with a population of at most …"."""

from __future__ import annotations

from random import Random

from arcaneqa.kb.interface import Comparison
from arcaneqa.synthesis.attributes import generic
from arcaneqa.synthesis.inflection import third_person
from arcaneqa.synthesis.lexicon import Words
from arcaneqa.synthesis.phrases import Modifier


def compared(comparison: Comparison, words: Words, mark: str, rng: Random) -> Modifier:
    """Having more, less, at least or at most than what `mark` stands for."""
    over = comparison in (Comparison.GT, Comparison.GE)
    special, common = words.attribute, generic(words.is_time)
    if comparison in (Comparison.GE, Comparison.LE):
        return _inclusive(over, words, mark, rng)
    plain = (special.over if over else special.under) if special else ()
    having = (special.over_with if over else special.under_with) if special else ()
    if words.is_event and not plain:
        plain = (f"{words.event} after {{v}}",) if over else (f"{words.event} before {{v}}",)
    if plain and (words.is_event or rng.random() < 0.7):
        text = rng.choice(plain).format(r=words.label, v=mark)
        if text.startswith(("that ", "who ")):
            that, _, verb = text.partition(" ")
            first, _, rest = verb.partition(" ")
            return Modifier.clause(that, verb, f"{_single(first)} {rest}")
        return Modifier.adverbial(text)
    if not having or rng.random() < 0.35:
        having = common.over_with if over else common.under_with
    return Modifier.having(rng.choice(having).format(r=words.label, v=mark))


def _inclusive(over: bool, words: Words, mark: str, rng: Random) -> Modifier:
    if words.is_event:
        when = (
            ("since {v}", "in {v} or later", "from {v} on")
            if over
            else ("until {v}", "in {v} or earlier", "by {v}")
        )
        return Modifier.adverbial(f"{words.event} {rng.choice(when).format(v=mark)}")
    if words.is_time:
        texts = (
            (
                f"{words.label} on or after {mark}",
                f"{words.label} since {mark}",
                f"{words.label} no earlier than {mark}",
            )
            if over
            else (
                f"{words.label} on or before {mark}",
                f"{words.label} until {mark}",
                f"{words.label} no later than {mark}",
            )
        )
        return Modifier.having(rng.choice(texts))
    bounds = (
        (f"at least {mark}", f"no less than {mark}", f"a minimum of {mark}", f"{mark} or more")
        if over
        else (
            f"at most {mark}",
            f"no more than {mark}",
            f"up to {mark}",
            f"a maximum of {mark}",
            f"{mark} or less",
        )
    )
    bound = rng.choice(bounds)
    special = words.attribute
    having = special.over_with if special else ()
    if having and rng.random() < 0.6:
        text = rng.choice(having).format(r=words.label, v=mark)
        for phrase in ("more than ", "over ", "above "):
            if f"{phrase}{mark}" in text:
                return Modifier.having(text.replace(f"{phrase}{mark}", bound))
    return Modifier.having(
        rng.choice((f"{words.label} of {bound}", f"a {words.label} of {bound}", f"{words.label} {bound}"))
    )


def _single(verb: str) -> str:
    """ "cost" → "costs"; a past form stays."""
    return third_person(verb) if verb in ("cost", "earn") else verb
