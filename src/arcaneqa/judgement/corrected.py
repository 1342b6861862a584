"""Readings put right before they are weighed: what is meant by a program that comes near to it. One mend
follows the other, and each leaves alone what it does not apply to."""

from __future__ import annotations

from arcaneqa.induction.found import Found
from arcaneqa.judgement.alive import living
from arcaneqa.judgement.counting import (
    added_up,
    by_own_count,
    counted_within,
    of_groups,
    said_once,
    value_at_the_end,
)
from arcaneqa.judgement.denied import with_denial, without_named
from arcaneqa.judgement.different import counted_not_dated, different_values
from arcaneqa.judgement.placing import in_its_place, on_its_scale
from arcaneqa.judgement.polarity import compared_as_said, turned
from arcaneqa.judgement.rules import Asked, Correction
from arcaneqa.judgement.said_names import with_said_constant, without_idle_constant
from arcaneqa.judgement.stretches import within_stretch
from arcaneqa.judgement.unnamed import beyond_unnamed
from arcaneqa.judgement.ways import at_the_first_places, straightened, worth
from arcaneqa.judgement.whole_dates import on_the_day
from arcaneqa.judgement.yes_or_no import is_among, told_as_true

CORRECTIONS: tuple[Correction, ...] = (
    Correction("counted where it was chosen", lambda asked, one: counted_within(one, asked.kb)),
    Correction(
        "different values, not rows", lambda asked, one: different_values(asked.question, one, asked.kb)
    ),
    Correction("counted, not dated", lambda asked, one: counted_not_dated(asked.question, one, asked.kb)),
    Correction("a number said once, taken once", lambda asked, one: said_once(asked.question, one, asked.kb)),
    Correction("the other end of a measure", lambda asked, one: turned(asked.question, one, asked.kb)),
    Correction(
        "a number compared as it is said",
        lambda asked, one: compared_as_said(asked.question, one, asked.kb),
    ),
    Correction("what is denied, taken away", lambda asked, one: with_denial(asked.question, one, asked.kb)),
    Correction("a number that says how many", lambda asked, one: by_own_count(asked.question, one, asked.kb)),
    Correction(
        "the column named before a value",
        lambda asked, one: in_its_place(asked.question, one, asked.kb),
    ),
    Correction("the average of a group", lambda asked, one: of_groups(asked.question, one, asked.kb)),
    Correction(
        "rows that say how many, added up", lambda asked, one: added_up(asked.question, one, asked.kb)
    ),
    Correction(
        "whether one is among those listed",
        lambda asked, one: is_among(asked.question, asked.links, one, asked.kb) or one,
    ),
    Correction(
        "a name left, for a constant",
        lambda asked, one: with_said_constant(asked.links, one, asked.kb),
    ),
    Correction(
        "a constant that nobody said, left out",
        lambda asked, one: without_idle_constant(asked.question, asked.links, one, asked.kb),
    ),
    Correction("true or false as it is said", lambda asked, one: told_as_true(asked.question, one, asked.kb)),
    Correction("no way there and back", lambda asked, one: straightened(one, asked.kb)),
    Correction(
        "where: the first places", lambda asked, one: at_the_first_places(asked.question, one, asked.kb)
    ),
    Correction(
        "others are not the one named", lambda asked, one: without_named(asked.question, one, asked.kb)
    ),
    Correction("all of a year or a month", lambda asked, one: within_stretch(asked.question, one, asked.kb)),
    Correction(
        "the number where nothing else is asked for",
        lambda asked, one: value_at_the_end(asked.question, one, asked.kb),
    ),
    Correction("the number of a value with a unit", lambda asked, one: worth(one, asked.kb) or one),
    Correction(
        "who, where or when beyond what has no name",
        lambda asked, one: beyond_unnamed(asked.question, one, asked.kb),
    ),
    Correction("the day, not its year", lambda asked, one: on_the_day(asked.question, one, asked.kb)),
    Correction("who is alive", lambda asked, one: living(asked.question, one, asked.kb)),
    Correction(
        "a number on the scale of the facts",
        lambda asked, one: on_its_scale(asked.links.literals, one, asked.kb),
        costs=1,
    ),
)


def corrected(asked: Asked, found: Found) -> tuple[Found, int]:
    """What is meant by a program that comes near to it, and what that costs."""
    costs = 0
    for rule in CORRECTIONS:
        mended = rule.mended(asked, found)
        costs += 0 if mended is found else rule.costs
        found = mended
    return found, costs
