"""Readings weighed by what they leave out and by the kind of their answer ("when" wants a time, "how many" a
number): a search and a model may both overlook that a word was dropped.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from arcaneqa.induction.found import Found, Outcome
from arcaneqa.judgement.added import added
from arcaneqa.judgement.among import is_among
from arcaneqa.judgement.asked import Wanted, wanted
from arcaneqa.judgement.asked_columns import asked_columns, owns_column, with_columns
from arcaneqa.judgement.asked_kinds import asked_kind, asked_kind_passed, is_another_kind, led_on, passed
from arcaneqa.judgement.commonest import commonest, is_of_others
from arcaneqa.judgement.constants import with_said_constant, without_idle_constant
from arcaneqa.judgement.coverage import Coverage, coverage
from arcaneqa.judgement.denied import with_denial
from arcaneqa.judgement.directions import Deed, counts_backwards, deed, outright
from arcaneqa.judgement.group_averages import of_groups
from arcaneqa.judgement.kinds import kinds_told
from arcaneqa.judgement.measures import takes_coordinates
from arcaneqa.judgement.named_before import in_its_place
from arcaneqa.judgement.opposites import says_opposite
from arcaneqa.judgement.other_names import other_names
from arcaneqa.judgement.others import without_named
from arcaneqa.judgement.parts_of import parts_told
from arcaneqa.judgement.places import at_the_first_places
from arcaneqa.judgement.placing import idle, misnumbered, misplaced, misscaled, on_its_scale
from arcaneqa.judgement.pointless import is_pointless, straightened
from arcaneqa.judgement.polarity import is_reversed, turned
from arcaneqa.judgement.row_counts import added_up, by_own_count, counted_within, said_once
from arcaneqa.judgement.said_names import narrowed_unsaid, said_otherwise
from arcaneqa.judgement.small_words import roots_of
from arcaneqa.judgement.stated import with_stated
from arcaneqa.judgement.told import Told
from arcaneqa.judgement.truths import untrue, with_truths
from arcaneqa.judgement.worth import worth
from arcaneqa.judgement.years import mistimed, within_year
from arcaneqa.kb.interface import KnowledgeBase
from arcaneqa.kb.schema import Relation, ValueKind
from arcaneqa.kb.terms import Literal, Term
from arcaneqa.kb.values import kind_of
from arcaneqa.links import Links
from arcaneqa.program import expression as ex
from arcaneqa.program.forms import Form

LEFT_OUT = 1.0
"""What each thing costs, in log-probability: enough to decide between readings that are about as likely, too
little to overrule a model that is sure."""
YES_OR_NO = 2
"""Things more that a list leaves out where yes or no was asked for."""
REVERSED = 5.0
"""What it costs to take the latest for the oldest, a number for another one's or on another scale, or all of
a kind for the solar ones: words and facts leave no doubt."""
_NEVER = {
    Wanted.PERSON: {ValueKind.NUMBER, ValueKind.TIME, ValueKind.BOOLEAN},
    Wanted.PLACE: {ValueKind.NUMBER, ValueKind.TIME, ValueKind.BOOLEAN},
    Wanted.TIME: {ValueKind.BOOLEAN},
    Wanted.AMOUNT: {ValueKind.ENTITY, ValueKind.BOOLEAN},
}
"""Kinds of values that no question word of a kind can mean."""
_NEVER_SAID = frozenset(("yes", "no", "true", "false"))
"""Whoever asks for the accepted ones means those whose decision is yes."""
_LOOKED_AT = 5
"""Of the answers; a set is of one kind, or nearly."""
_TELLS_TIME = re.compile(
    r"\d(?!\d*(?:st|nd|rd|th)\b)|\b(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec|mon|tue|wed|thu|fri|sat|sun|spring|summer|autumn"
    r"|winter|fall|day|week|month|year|morning|noon|afternoon|evening|night|centur|now|present|today|term)",
    re.IGNORECASE,
)
_YEAR = re.compile(r"\b[12]\d{3}\b")


@dataclass(frozen=True, slots=True)
class Weighed(Outcome):
    """Programs, best first, and what each of them leaves out, in the same order."""

    left_out: tuple[Coverage, ...] = ()

    def left_out_by(self, found: Found) -> Coverage:
        return next(own for one, own in zip(self.found, self.left_out, strict=True) if one is found)


def weighed(question: str, links: Links, outcome: Outcome, kb: KnowledgeBase) -> Weighed:
    """The same programs, best first: each thing that one leaves out, a form it lacks or an answer of another
    kind than was asked for counts against it."""
    found: list[tuple[Found, Coverage]] = []
    kind, said = _kind_asked_for(question, outcome.found, kb), deed(question, outcome.found, kb)
    told = kinds_told(question, links, kb) or other_names(question, links, kb)
    told = told or parts_told(question, links, kb)
    columns = asked_columns(question, kb) if kind is None and told is None else []
    common = commonest(question, kb)
    ways = _with_added(question, kind, told, said, common, outcome.found, kb)
    otherwise = said_otherwise(question, ways, kb)
    narrowed = narrowed_unsaid(question, ways, kb)
    narrow = with_truths(question, with_stated(links, ways, kb), kb)
    for read in with_columns(narrow, columns, kb):
        as_read = _put_right(question, links, read, kb)
        one = on_its_scale(links.literals, as_read, kb)
        left_out = coverage(question, links, one, kb)
        count = len(left_out.unused) + len(left_out.unmet) + is_unexpected(question, one, kb)
        count += YES_OR_NO * any(sign.form is Form.TRUTH for sign in left_out.unmet)
        if isinstance(one.program, ex.Class):
            # All of a kind answers nothing that is said of them.
            count += len(left_out.unknown)
        count += sum(text.lower() not in _NEVER_SAID for text in left_out.unsaid)
        count += (read.program in otherwise) + (read.program in narrowed) + (one is not as_read)
        wrong = is_reversed(question, one.program, kb) + misplaced(question, one.program, kb)
        wrong += says_opposite(question, one.program, kb) + idle(question, one.program, kb)
        wrong += misnumbered(question, one.program, kb)
        wrong += is_table_of_one(question, one.program)
        wrong += mistimed(question, one.program, kb) + misscaled(links.literals, one.program, kb)
        wrong += impossible_kind(question, one, kb) is not None
        wrong += said is not None and said.is_other(one.program)
        wrong += told is not None and told.is_other(one.program)
        wrong += counts_backwards(question, one.program, kb)
        wrong += common is not None and is_of_others(one.program, common[1])
        wrong += is_pointless(one, kb) + left_out.dropped + takes_coordinates(question, one.program, kb)
        wrong += kind is not None and is_another_kind(kind, one, kb)
        wrong += owns_column(one, columns, kb) is not None
        wrong += untrue(question, one.program, kb)
        cost = LEFT_OUT * count + REVERSED * wrong
        found.append((replace(one, score=one.score - cost, reading=one.reading - cost), left_out))
    best: dict[ex.Expression, tuple[Found, Coverage]] = {}
    for one, left_out in sorted(found, key=lambda pair: (-pair[0].score, len(pair[1].unused))):
        best.setdefault(one.program, (one, left_out))  # two that were put right may have become one
    return Weighed(
        tuple(one for one, _ in best.values()),
        outcome.is_complete,
        outcome.none,
        tuple(left_out for _, left_out in best.values()),
    )


def _put_right(question: str, links: Links, found: Found, kb: KnowledgeBase) -> Found:
    """What is meant by a program that comes near to it."""
    found = said_once(question, counted_within(found, kb), kb)
    found = with_denial(question, turned(question, found, kb), kb)
    found = by_own_count(question, found, kb)
    found = added_up(question, of_groups(question, in_its_place(question, found, kb), kb), kb)
    found = is_among(question, links, found, kb) or found
    found = without_idle_constant(question, links, with_said_constant(links, found, kb), kb)
    found = at_the_first_places(question, straightened(found, kb), kb)
    found = within_year(question, without_named(question, found, kb), kb)
    return worth(found, kb) or found


def _kind_asked_for(question: str, found: Sequence[Found], kb: KnowledgeBase) -> int | None:
    kind = asked_kind(question, kb)
    return asked_kind_passed(question, _likeliest(found), kb) if kind is None and found else kind


def _likeliest(found: Sequence[Found]) -> Found:
    return max(found, key=lambda one: one.score)


def _with_added(
    question: str,
    kind: int | None,
    told: Told | None,
    said: Deed | None,
    common: tuple[ex.Extreme, Relation] | None,
    found: Sequence[Found],
    kb: KnowledgeBase,
) -> list[Found]:
    """The programs, what the likeliest leads to where it finds another kind than was asked for, and what the
    question says in so many words."""
    if not found:
        return []
    best = _likeliest(found)
    others: list[Found | None] = [] if told is None else [told.as_found(best, kb)]
    if kind is not None and is_another_kind(kind, best, kb):
        others.append(passed(kind, best, kb) or led_on(kind, best, kb))
    if said is not None:
        others.append(outright(question, said, found, kb))
    if common is not None and all(is_of_others(one.program, common[1]) for one in found):
        others.append(added(common[0], replace(best, topics=()), common[1], kb))
    known = {one.program for one in found}
    return [*found, *(one for one in others if one is not None and one.program not in known)]


def is_unexpected(question: str, found: Found, kb: KnowledgeBase) -> bool:
    """Whether no answer can be what the question word asks for, as far as it tells."""
    kind = wanted(question)
    if kind is None or found.result.table is not None:
        return False
    if (value := found.result.value) is not None:
        return not _fits(kind, value, value.lexical)
    few = found.nodes.ids[:_LOOKED_AT]
    return not any(
        _fits(kind, term, label) for term, label in zip(kb.terms(few), kb.labels(few), strict=True)
    )


def impossible_kind(question: str, found: Found, kb: KnowledgeBase) -> Wanted | None:
    """What is asked for, where nothing that comes can be that: somebody or a place, and all are numbers and
    times; a time, and it is yes or no, or a text that tells none; how much something costs, and it is a
    licence."""
    kind = wanted(question)
    if kind not in _NEVER or found.result.table is not None:
        return None
    if kind is Wanted.PERSON and _is_named(question, found.program, kb):
        return None
    terms: Sequence[Term] = [found.result.value] if found.result.value else ()
    terms = terms or kb.terms(found.nodes.ids[:_LOOKED_AT])
    kinds = {kind_of(term) if isinstance(term, Literal) else ValueKind.ENTITY for term in terms}
    if kind is Wanted.TIME and kinds == {ValueKind.TEXT}:
        return (
            None
            if any(_TELLS_TIME.search(term.lexical) for term in terms if isinstance(term, Literal))
            else kind
        )
    return kind if kinds <= _NEVER[kind] else None


_GROUPED = re.compile(
    r"\b(?:each|every|per|different|distinct|by|and|grouped|respective\w*|all|various|any|one)\b", re.I
)
"""Words that may ask for a row for each of several, and many that do not: only where there is none of them
one number is surely meant."""


def is_table_of_one(question: str, program: ex.Expression) -> bool:
    """Whether one number is asked for, and a row for each of several comes."""
    return (
        isinstance(program, ex.Per)
        and question.lower().startswith("how many ")
        and _GROUPED.search(question) is None
    )


def _is_named(question: str, program: ex.Expression, kb: KnowledgeBase) -> bool:
    """Whether the answers are what the question names: who the advisors are is told by their numbers, where
    nothing else is known of them."""
    if not isinstance(program, ex.Join) or not program.relation.inverse:
        return False
    number = kb.schema.relation_ids.get(program.relation.iri)
    return number is not None and roots_of(kb.schema.relations[number].label) <= roots_of(question)


def _fits(kind: Wanted, term: object, label: str | None) -> bool:
    value = kind_of(term) if isinstance(term, Literal) else ValueKind.ENTITY
    text = label or ""
    match kind:
        case Wanted.COUNT | Wanted.AMOUNT:
            return value is ValueKind.NUMBER or (value is ValueKind.TEXT and any(map(str.isdigit, text)))
        case Wanted.TIME:
            return value is ValueKind.TIME or _YEAR.search(text) is not None
        case Wanted.TRUTH:
            return value is ValueKind.BOOLEAN
        case Wanted.PERSON | Wanted.PLACE:
            return value is ValueKind.ENTITY or (value is ValueKind.TEXT and any(map(str.isalpha, text)))
