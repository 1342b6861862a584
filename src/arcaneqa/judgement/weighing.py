"""Readings weighed by what they leave out: a search and a model may both overlook that a word was dropped."""

from __future__ import annotations

from dataclasses import replace

from arcaneqa.induction.found import Outcome
from arcaneqa.judgement.coverage import coverage
from arcaneqa.judgement.kinds import is_unexpected
from arcaneqa.kb.interface import KnowledgeBase
from arcaneqa.links import Links

LEFT_OUT = 1.0
"""What each thing costs, in log-probability: enough to decide between readings that are about as likely, too
little to overrule a model that is sure."""


def weighed(question: str, links: Links, outcome: Outcome, kb: KnowledgeBase) -> Outcome:
    """The same programs, best first: each thing that one leaves out, a form it lacks or an answer of another
    kind than was asked for counts against it."""
    found = []
    for one in outcome.found:
        left_out = coverage(question, links, one, kb)
        count = len(left_out.unused) + len(left_out.unmet) + is_unexpected(question, one, kb)
        cost = LEFT_OUT * count
        found.append(replace(one, score=one.score - cost, reading=one.reading - cost))
    return replace(outcome, found=tuple(sorted(found, key=lambda one: -one.score)))
