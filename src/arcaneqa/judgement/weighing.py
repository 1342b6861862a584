"""Readings weighed by what they leave out and by the kind of their answer ("when" wants a time, "how many" a
number): a search and a model may both overlook that a word was dropped.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from arcaneqa.induction.found import Found, Outcome
from arcaneqa.judgement.added import added
from arcaneqa.judgement.answer_kinds import impossible_kind, is_table_of_one, is_unexpected
from arcaneqa.judgement.asked_columns import asked_columns, owns_column, with_columns
from arcaneqa.judgement.asked_kinds import asked_kind, asked_kind_passed, is_another_kind, led_on, passed
from arcaneqa.judgement.commonest import commonest, is_of_others
from arcaneqa.judgement.corrected import corrected
from arcaneqa.judgement.coverage import Coverage, coverage
from arcaneqa.judgement.denied import denies_another
from arcaneqa.judgement.directions import Deed, counts_backwards, deed, outright
from arcaneqa.judgement.kinds import kinds_told
from arcaneqa.judgement.measures import takes_coordinates
from arcaneqa.judgement.opposites import says_opposite
from arcaneqa.judgement.other_names import other_names
from arcaneqa.judgement.parts_of import parts_told
from arcaneqa.judgement.placing import idle, misnumbered, misplaced, misscaled, on_its_scale
from arcaneqa.judgement.pointless import is_pointless
from arcaneqa.judgement.polarity import is_reversed
from arcaneqa.judgement.said_names import narrowed_unsaid, said_otherwise
from arcaneqa.judgement.stated import is_wider, wider, with_stated
from arcaneqa.judgement.told import Told
from arcaneqa.judgement.truths import untrue, with_truths
from arcaneqa.judgement.years import mistimed
from arcaneqa.kb.interface import KnowledgeBase
from arcaneqa.kb.schema import Relation
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
_NEVER_SAID = frozenset(("yes", "no", "true", "false"))
"""Whoever asks for the accepted ones means those whose decision is yes."""


@dataclass(frozen=True, slots=True)
class Weighed(Outcome):
    """Programs, best first, and what each of them leaves out, in the same order."""

    left_out: tuple[Coverage, ...] = ()

    def left_out_by(self, found: Found) -> Coverage:
        return next(own for one, own in zip(self.found, self.left_out, strict=True) if one is found)


_FAULTS = (
    is_reversed,
    misplaced,
    says_opposite,
    idle,
    misnumbered,
    mistimed,
    counts_backwards,
    takes_coordinates,
    untrue,
)
"""How often a program does what the question's words rule out, each for a reason of its own."""


@dataclass(frozen=True, slots=True)
class _Said:
    """What a question says outright, found once for all its readings: which kind it asks for, what somebody
    does, kinds, names or parts of something, columns, and what the most common of something is."""

    kind: int | None
    deed: Deed | None
    told: Told | None
    columns: list[Relation]
    common: tuple[ex.Extreme, Relation] | None

    @classmethod
    def by(cls, question: str, links: Links, found: Sequence[Found], kb: KnowledgeBase) -> _Said:
        kind = _kind_asked_for(question, found, kb)
        told = kinds_told(question, links, kb) or other_names(question, links, kb)
        told = told or parts_told(question, links, kb)
        columns = asked_columns(question, kb) if kind is None and told is None else []
        return cls(kind, deed(question, found, kb), told, columns, commonest(question, kb))

    def ruled_out(self, one: Found, kb: KnowledgeBase) -> int:
        """How much of it a reading gets wrong."""
        program = one.program
        wrong = int(self.kind is not None and is_another_kind(self.kind, one, kb))
        wrong += self.deed is not None and self.deed.is_other(program)
        wrong += self.told is not None and self.told.is_other(program)
        wrong += owns_column(one, self.columns, kb) is not None
        return wrong + (self.common is not None and is_of_others(program, self.common[1]))


def weighed(question: str, links: Links, outcome: Outcome, kb: KnowledgeBase) -> Weighed:
    """The same programs, best first: each thing that one leaves out, a form it lacks or an answer of another
    kind than was asked for counts against it."""
    said = _Said.by(question, links, outcome.found, kb)
    ways = _with_added(question, said, outcome.found, kb)
    unlikely = said_otherwise(question, ways, kb), narrowed_unsaid(question, ways, kb)
    narrow = with_truths(question, with_stated(links, ways, kb), kb)
    read_as = []
    for read in with_columns(narrow, said.columns, kb):
        as_read = corrected(question, links, read, kb)
        read_as.append((read, as_read, on_its_scale(links.literals, as_read, kb)))
    known = wider(one for _, _, one in read_as)
    found: list[tuple[Found, Coverage]] = []
    for read, as_read, one in read_as:
        left_out = coverage(question, links, one, kb)
        count = _doubts(question, one, left_out, kb) + (one is not as_read)
        count += sum(read.program in programs for programs in unlikely)
        wrong = _faults(question, links, one, kb) + left_out.dropped + said.ruled_out(one, kb)
        wrong += is_wider(one.program, left_out.unused, links, known)
        wrong += denies_another(question, one, left_out.unused)
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


def _doubts(question: str, one: Found, left_out: Coverage, kb: KnowledgeBase) -> int:
    """How many things a reading leaves out, or says that nobody said."""
    count = len(left_out.unused) + len(left_out.unmet) + is_unexpected(question, one, kb)
    count += YES_OR_NO * any(sign.form is Form.TRUTH for sign in left_out.unmet)
    if isinstance(one.program, ex.Class):
        # All of a kind answers nothing that is said of them.
        count += len(left_out.unknown)
    return count + sum(text.lower() not in _NEVER_SAID for text in left_out.unsaid)


def _faults(question: str, links: Links, one: Found, kb: KnowledgeBase) -> int:
    """How often words and facts leave no doubt that a reading is not what was asked."""
    wrong = sum(int(rule(question, one.program, kb)) for rule in _FAULTS)
    wrong += misscaled(links.literals, one.program, kb) + is_pointless(one, kb)
    return wrong + (impossible_kind(question, one, kb) is not None) + is_table_of_one(question, one.program)


def _kind_asked_for(question: str, found: Sequence[Found], kb: KnowledgeBase) -> int | None:
    kind = asked_kind(question, kb)
    return asked_kind_passed(question, _likeliest(found), kb) if kind is None and found else kind


def _likeliest(found: Sequence[Found]) -> Found:
    return max(found, key=lambda one: one.score)


def _with_added(question: str, said: _Said, found: Sequence[Found], kb: KnowledgeBase) -> list[Found]:
    """The programs, what the likeliest leads to where it finds another kind than was asked for, and what the
    question says in so many words."""
    if not found:
        return []
    best = _likeliest(found)
    others: list[Found | None] = [] if said.told is None else [said.told.as_found(best, kb)]
    if said.kind is not None and is_another_kind(said.kind, best, kb):
        others.append(passed(said.kind, best, kb) or led_on(said.kind, best, kb))
    if said.deed is not None:
        others.append(outright(question, said.deed, found, kb))
    if said.common is not None and all(is_of_others(one.program, said.common[1]) for one in found):
        others.append(added(said.common[0], replace(best, topics=()), said.common[1], kb))
    known = {one.program for one in found}
    return [*found, *(one for one in others if one is not None and one.program not in known)]
