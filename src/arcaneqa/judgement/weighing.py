"""Readings weighed by what they leave out, by the kind of their answer ("when" wants a time, "how many" a
number) and by what words rule out: a search and a model may both overlook that a word was dropped."""

from __future__ import annotations

from dataclasses import dataclass, replace

from arcaneqa.induction.found import Found, Outcome
from arcaneqa.judgement.another import is_misnamed
from arcaneqa.judgement.answer_kinds import (
    is_impossible,
    is_sort_of_it,
    is_table_of_one,
    is_undated,
    is_unexpected,
    is_unmeasured,
    takes_coordinates,
)
from arcaneqa.judgement.asked_columns import column_said, tells_of_others
from arcaneqa.judgement.asked_kinds import finds_others, kind_said
from arcaneqa.judgement.both_named import joined_said
from arcaneqa.judgement.choices import chooses_neither
from arcaneqa.judgement.corrected import corrected
from arcaneqa.judgement.counting import commonest_said, counts_the_named, is_same_for_all
from arcaneqa.judgement.coverage import Coverage, left_out_by
from arcaneqa.judgement.denied import denies_another
from arcaneqa.judgement.directions import counts_backwards, deed_said
from arcaneqa.judgement.gaps import gap, says_none_of_it
from arcaneqa.judgement.nothing import denies_unsaid, none_said
from arcaneqa.judgement.placing import compares_twice, idle, misnumbered, misplaced, mistimed
from arcaneqa.judgement.polarity import is_reversed, says_opposite
from arcaneqa.judgement.ranked import most_of_theirs_said, most_rows_said, ranks_the_counted
from arcaneqa.judgement.rules import LEFT_OUT, Asked, Comparison, Fault, Saying
from arcaneqa.judgement.said_names import narrowed_unsaid, said_otherwise, without_stated
from arcaneqa.judgement.stated import stated_said
from arcaneqa.judgement.told import told_said
from arcaneqa.judgement.truth_of_one import truth_said
from arcaneqa.judgement.unnamed import is_unnamed
from arcaneqa.judgement.ways import comes_back
from arcaneqa.judgement.whole_rows import beside_said, row_said
from arcaneqa.judgement.yes_or_no import listed_instead, truths_said, untrue
from arcaneqa.kb.interface import KnowledgeBase
from arcaneqa.language import expression as ex
from arcaneqa.links import Links

RULED_OUT = 5.0
"""What it costs to take the latest for the oldest, a number for another one's, or all of a kind for the solar
ones: words and facts leave no doubt."""
_NEVER_SAID = frozenset(("yes", "no", "true", "false"))
"""Whoever asks for the accepted ones means those whose decision is yes."""

SAYINGS: tuple[Saying, ...] = (
    Saying("the kind that is asked for", kind_said),
    Saying("who does it to whom", deed_said),
    Saying("kinds, other names or parts of something", told_said),
    Saying("what is most common", commonest_said),
    Saying("the name of a column of yes and no", truths_said),
    Saying("the column that is asked for", column_said),
    Saying("what is stated, taken up", stated_said),
    Saying("whether a fact joins two that are named", joined_said),
    Saying("whether a column says it of the one that is named", truth_said),
    Saying("whether there is such a row", row_said),
    Saying("a column of a table beside", beside_said),
    Saying("none of a number", none_said),
    Saying("of what there is most in the rows", most_rows_said),
    Saying("of what members of a kind have most", most_of_theirs_said),
)
COMPARISONS: tuple[Comparison, ...] = (
    Comparison(
        "a relation whose name is said", lambda asked, found: said_otherwise(asked.question, found, asked.kb)
    ),
    Comparison(
        "no class that nobody said", lambda asked, found: narrowed_unsaid(asked.question, found, asked.kb)
    ),
    Comparison(
        "a stated value that another takes up",
        lambda asked, found: without_stated(asked.links, found),
        RULED_OUT,
    ),
    Comparison("what is asked for, also where somebody has none", says_none_of_it, RULED_OUT),
    Comparison("yes or no, where another says it", listed_instead, RULED_OUT),
)
_OTHER_END = "The nearest reading takes the other end than the question does."
FAULTS: tuple[Fault, ...] = (
    Fault(
        "takes the other end",
        lambda asked, one: is_reversed(asked.question, one.program, asked.kb),
        _OTHER_END,
    ),
    Fault(
        "has a name of which the opposite is said",
        lambda asked, one: says_opposite(asked.question, one.program, asked.kb),
        _OTHER_END,
    ),
    Fault(
        "comes back to what it set out from",
        lambda asked, one: comes_back(one, asked.kb),
        "The nearest reading finds nothing but what it sets out from.",
    ),
    Fault(
        "goes around a gap",
        lambda asked, one: gap(asked.question, one, asked.kb) is not None,
        "The nearest reading tells something else.",
    ),
    Fault(
        "takes a year for something else",
        lambda asked, one: mistimed(asked.question, one.program, asked.kb),
        "The nearest reading takes a year for something else.",
    ),
    Fault(
        "measures something else",
        lambda asked, one: is_unmeasured(asked.question, one.program, asked.kb),
        "The nearest reading measures something else.",
    ),
    Fault(
        "tells another date",
        lambda asked, one: is_undated(asked.question, one.program, asked.kb),
        "The nearest reading tells when something else was.",
    ),
    Fault(
        "compares with what nobody said, and all pass",
        lambda asked, one: idle(asked.question, one.program, asked.kb),
    ),
    Fault(
        "counts or tells another kind",
        lambda asked, one: finds_others(asked.question, one, asked.kb),
        "The nearest reading finds nothing of the kind that is asked for.",
    ),
    Fault(
        "tells of others than those whose it should be",
        lambda asked, one: tells_of_others(asked.question, one, asked.kb),
        "The nearest reading tells it of others.",
    ),
    Fault("says two numbers of one side", lambda _, one: compares_twice(one.program)),
    Fault(
        "takes another column's number", lambda asked, one: misplaced(asked.question, one.program, asked.kb)
    ),
    Fault(
        "takes another kind's number", lambda asked, one: misnumbered(asked.question, one.program, asked.kb)
    ),
    Fault(
        "goes by where something lies",
        lambda asked, one: takes_coordinates(asked.question, one.program, asked.kb),
    ),
    Fault(
        "counts those to whom it is done",
        lambda asked, one: counts_backwards(asked.question, one.program, asked.kb),
    ),
    Fault(
        "goes by another name than is said",
        lambda asked, one: is_misnamed(asked.question, one.program, asked.kb),
    ),
    Fault("takes away something else than is denied", lambda asked, one: _takes_away_another(asked, one)),
    Fault("takes true for false", lambda asked, one: untrue(asked.question, one.program, asked.kb)),
    Fault(
        "finds what the question word cannot mean",
        lambda asked, one: is_impossible(asked.question, one, asked.kb),
        "The nearest reading finds nothing that the question word can mean.",
    ),
    Fault("tells what sorts somebody", lambda asked, one: is_sort_of_it(asked.question, one, asked.kb)),
    Fault(
        "counts the one that is named",
        lambda asked, one: counts_the_named(asked.question, one, asked.kb),
        "The nearest reading only counts what is named.",
    ),
    Fault(
        "chooses neither of two",
        chooses_neither,
        "The nearest reading finds neither of the two that the question names.",
    ),
    Fault(
        "finds what has no name",
        lambda asked, one: is_unnamed(asked.question, one, asked.kb),
        "The nearest reading finds nothing that has a name.",
    ),
    Fault(
        "goes by a count that is the same for all",
        lambda asked, one: is_same_for_all(one, asked.kb),
        "The nearest reading goes by a number that is the same for all.",
    ),
    Fault(
        "ranks what is counted",
        lambda asked, one: ranks_the_counted(asked.question, one, asked.kb),
        "The nearest reading ranks what is to be counted.",
    ),
    Fault(
        "denies what nobody said",
        lambda asked, one: denies_unsaid(asked.question, one, asked.kb),
        "The nearest reading denies something else.",
    ),
    Fault("has a row for each", lambda asked, one: is_table_of_one(asked.question, one.program)),
)


def _takes_away_another(asked: Asked, one: Found) -> bool:
    if not any(isinstance(node, ex.Not) for node in ex.post_order(one.program)):
        return False
    unused = left_out_by(asked, one).unused
    return denies_another(asked.question, one, unused)


@dataclass(frozen=True, slots=True)
class Weighed(Outcome):
    """Programs, best first, and what each of them leaves out, in the same order."""

    left_out: tuple[Coverage, ...] = ()

    def left_out_by(self, found: Found) -> Coverage:
        return next(own for one, own in zip(self.found, self.left_out, strict=True) if one is found)


def weighed(question: str, links: Links, outcome: Outcome, kb: KnowledgeBase) -> Weighed:
    """The same programs, best first: each thing that one leaves out, a form it lacks or an answer of another
    kind than was asked for counts against it."""
    asked = Asked(question, links, kb)
    ways = list(outcome.found)
    said = [told for rule in SAYINGS if ways and (told := rule.said(asked, ways)) is not None]
    for told in said:
        known = {way.program for way in ways}
        ways += [way for way in told.further(ways) if way.program not in known]
    worse = [(rule.costs, rule.worse(asked, ways)) for rule in COMPARISONS]
    found: list[tuple[Found, Coverage]] = []
    for read in ways:
        one, costs = corrected(asked, read)
        left_out = left_out_by(asked, one)
        count = costs + _doubts(question, one, left_out, kb)
        wrong = left_out.dropped + sum(int(rule.count(asked, one)) for rule in FAULTS)
        wrong += sum(told.is_other(one) for told in said)
        cost = LEFT_OUT * count + RULED_OUT * wrong
        cost += sum(costs for costs, programs in worse if read.program in programs)
        found.append((replace(one, score=one.score - cost, reading=one.reading - cost), left_out))
    best: dict[ex.Expression, tuple[Found, Coverage]] = {}
    # Of two that are as likely, one as the other puts it, the one that takes up more words.
    for one, left_out in sorted(
        found, key=lambda pair: (-pair[0].score, len(pair[1].unused), -pair[1].share)
    ):
        best.setdefault(one.program, (one, left_out))  # two that were put right may have become one
    return Weighed(
        tuple(one for one, _ in best.values()),
        outcome.is_complete,
        outcome.none,
        tuple(left_out for _, left_out in best.values()),
    )


def still_wrong(question: str, links: Links, found: Found, kb: KnowledgeBase) -> str | None:
    """What to say of a reading that is the best there is and still does what words and facts rule out."""
    asked = Asked(question, links, kb)
    return next((rule.why for rule in FAULTS if rule.why is not None and rule.count(asked, found)), None)


def _doubts(question: str, one: Found, left_out: Coverage, kb: KnowledgeBase) -> int:
    """How many things a reading leaves out, or says that nobody said."""
    count = len(left_out.unused) + len(left_out.unmet) + is_unexpected(question, one, kb)
    return count + sum(text.lower() not in _NEVER_SAID for text in left_out.unsaid)
