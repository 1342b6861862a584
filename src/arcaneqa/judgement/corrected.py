"""Readings put right before they are weighed: what is meant by a program that comes near to it. One mend
follows the other, and each leaves alone what it does not apply to."""

from __future__ import annotations

from arcaneqa.induction.found import Found
from arcaneqa.judgement.among import is_among
from arcaneqa.judgement.asked_columns import value_at_the_end
from arcaneqa.judgement.constants import with_said_constant, without_idle_constant
from arcaneqa.judgement.denied import with_denial
from arcaneqa.judgement.group_averages import of_groups
from arcaneqa.judgement.named_before import in_its_place
from arcaneqa.judgement.others import without_named
from arcaneqa.judgement.places import at_the_first_places
from arcaneqa.judgement.pointless import straightened
from arcaneqa.judgement.polarity import compared_as_said, turned
from arcaneqa.judgement.row_counts import added_up, by_own_count, counted_within, said_once
from arcaneqa.judgement.worth import worth
from arcaneqa.judgement.years import within_year
from arcaneqa.kb.interface import KnowledgeBase
from arcaneqa.links import Links


def corrected(question: str, links: Links, found: Found, kb: KnowledgeBase) -> Found:
    """What is meant by a program that comes near to it."""
    found = said_once(question, counted_within(found, kb), kb)
    found = compared_as_said(question, turned(question, found, kb), kb)
    found = with_denial(question, found, kb)
    found = by_own_count(question, found, kb)
    found = added_up(question, of_groups(question, in_its_place(question, found, kb), kb), kb)
    found = is_among(question, links, found, kb) or found
    found = without_idle_constant(question, links, with_said_constant(links, found, kb), kb)
    found = at_the_first_places(question, straightened(found, kb), kb)
    found = within_year(question, without_named(question, found, kb), kb)
    found = value_at_the_end(question, found, kb)
    return worth(found, kb) or found
