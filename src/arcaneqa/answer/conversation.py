"""Conversations: a follow-up is made whole with what came before, and answered like any question."""

from __future__ import annotations

import math
import re
import time
from collections.abc import Callable, Iterable, Iterator, Set
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain, islice

import numpy as np

from arcaneqa.answer.answer import Answer, as_asked, refusal
from arcaneqa.answer.arcaneqa import SECONDS, ArcaneQA
from arcaneqa.answer.references import Reference, ReferenceKind, is_superlative, referring
from arcaneqa.answer.turns import Referent, Turn, last_word, nouns_of, remembered
from arcaneqa.induction.found import Found
from arcaneqa.kb.interface import KnowledgeBase
from arcaneqa.kb.names.name_forms import split, stem
from arcaneqa.kb.terms import Literal
from arcaneqa.kb.values import kind_of
from arcaneqa.language import expression as ex
from arcaneqa.language.english import plural
from arcaneqa.language.expression import Count, Entity, Expression, Join, mentioned
from arcaneqa.language.phrase import paraphrase
from arcaneqa.language.rewrite import rewrite
from arcaneqa.language.run import Budget, Result, execute
from arcaneqa.links import LIKELY as NAMED
from arcaneqa.links import EntityCandidate, Links, MentionLink, settled
from arcaneqa.record import Outcome, Reading
from arcaneqa.support.errors import BudgetExceeded, InputError, ProgramError

# Programs that carry over what was found before: exact algebra, whatever the model reads.


def in_place_of(program: ex.Expression, old: ex.Entity, new: ex.Expression) -> ex.Expression:
    """The program with every mention of an entity exchanged."""

    def change(node: ex.Expression) -> ex.Expression:
        if isinstance(node, ex.Cons) and node.constant == old and isinstance(new, ex.Entity):
            return replace(node, constant=new)
        return new if node == old else node

    return rewrite(program, change)


def among(program: ex.Expression, kind: str | None, members: ex.Expression) -> ex.Expression:
    """The program asked of `members` only, all of which are of the class `kind`.

    Where the program speaks of the class, they take its place; else what it finds is narrowed to them.
    """
    if kind is not None and ex.Class(kind) in set(ex.post_order(program)):
        return rewrite(program, lambda node: members if node == ex.Class(kind) else node)
    return _narrowed(program, members)


def _narrowed(program: ex.Expression, members: ex.Expression) -> ex.Expression:
    match program:
        case ex.Count() | ex.Aggregate() | ex.Extreme() | ex.Sort() | ex.Show() | ex.Per():
            return replace(program, argument=_narrowed(program.argument, members))
        case ex.Meet(left, right):
            return ex.Meet(_narrowed(left, members), right)
        case _:
            return ex.And(members, program)


# How a follow-up is asked: as a whole question, with what was found before in its program.


Change = Callable[[Expression], Expression]
Test = Callable[[Result], bool]


class Asking:
    """One question of a conversation, with its limits."""

    def __init__(self, qa: ArcaneQA, threshold: float | None, seconds: float) -> None:
        self.qa = qa
        self._threshold = threshold
        self._until = time.monotonic() + seconds

    @property
    def seconds(self) -> float:
        """That are left."""
        return max(0.1, self._until - time.monotonic())

    def whole(self, text: str) -> Answer:
        return self.qa.ask(text, threshold=self._threshold, seconds=self.seconds)

    def about(self, reference: Reference, referent: Referent) -> Answer:
        """With the referent's name in place of the words that refer to it."""
        text, start = reference.filled(referent.label)
        end = start + len(referent.label)
        named = EntityCandidate(referent.node, referent.label, 0.0)
        said = MentionLink(start, end, referent.label, 0.0, (named,))
        links = settled(self.qa.linker.link(text), [(start, end)], [said])
        one, all_of_them = referent.thing, referent.program
        return self.changed(text, links, lambda program: in_place_of(program, one, all_of_them))

    def changed(self, text: str, links: Links, change: Change, is_meant: Test = lambda _: True) -> Answer:
        """Every program that is found for the text is changed; those that then find nothing, or nothing that
        can be meant, are dropped."""
        started = time.perf_counter()
        outcome = self.qa.search.run(links.read, [self.qa.topics(text, links)], self.seconds)
        changed = [one for found in outcome.found if (one := self._changed(found, change)) is not None]
        changed = [one for one in changed if is_meant(one.result)]
        if outcome.found and not changed:
            said = paraphrase(outcome.found[0].program, self.qa.kb)
            return Answer(text, links=links, reason=f"None of those before is among {said}.")
        outcome = replace(outcome, found=tuple(changed))
        answer = self.qa.conclude(text, links, outcome, threshold=self._threshold)
        return replace(answer, seconds=time.perf_counter() - started)

    def _changed(self, found: Found, change: Change) -> Found | None:
        program = change(found.program)
        if program == found.program:
            return found
        try:
            result = execute(program, self.qa.kb, Budget(seconds=self.seconds))
        except (ProgramError, BudgetExceeded):
            return None
        return None if _is_empty(result) else replace(found, program=program, result=result)


def _is_empty(result: Result) -> bool:
    if result.table is not None:
        return not result.table.rows
    return result.nothing or not len(result.nodes)


# The last question once more, with another entity or value in it: "and in France?", "and after
# 1950?".


MOST_TRIED = 4
"""Exchanges that are run, those of most similar kind first, until one has an answer."""


@dataclass(frozen=True, slots=True)
class Exchange:
    """`alike`: members of the narrowest class that both are in; the fewer, the more alike they are."""

    old: Entity
    new: Entity
    candidate: EntityCandidate
    alike: int
    chance: float


def other_entity(links: Links, last: Turn, asking: Asking) -> tuple[Answer, float] | None:
    """The last program with a new entity in place of one of the same kind; None where there is none."""
    program = last.answer.expression
    assert program is not None
    found = list(_exchanges(links, mentioned(program), last.kb))
    if not found:
        return None
    found.sort(key=lambda one: (one.alike, -one.candidate.score))
    for one in found[:MOST_TRIED]:
        text, carried = _said(one, last, asking)
        answer = asking.qa.run(in_place_of(program, one.old, one.new), text, asking.seconds)
        if answer.reason is None:
            return replace(answer, confidence=one.chance, carried=carried), last.certainty
    text, carried = _said(found[0], last, asking)
    said = paraphrase(in_place_of(program, found[0].old, found[0].new), last.kb)
    return Answer(text, carried=carried, reason=f"Nothing is known here of {said}."), 1.0


def other_value(links: Links, last: Turn, asking: Asking) -> tuple[Answer, float] | None:
    """The last question with a new number or date, and the words before it, in place of one of its kind."""
    before = last.answer.links
    for new in links.literals:
        for old in before.literals if before is not None else ():
            if not {*map(kind_of, new.readings)} & {*map(kind_of, old.readings)}:
                continue
            question, words = last.answer.question, len(links.question[: new.start].split())
            kept = question[: old.start].rstrip()
            for _ in range(words):
                kept = kept.rpartition(" ")[0]
            said = links.question[: new.end].strip()
            text = f"{kept} {said}{question[old.end :]}"
            carried = f"{said} in place of {question[len(kept) : old.end].strip()}"
            return replace(asking.whole(text), carried=carried), 1.0
    return None


def _exchanges(links: Links, named: list[Entity], kb: KnowledgeBase) -> Iterator[Exchange]:
    for mention in links.mentions:
        nodes = np.array([candidate.node for candidate in mention.candidates], np.int64)
        alike = []
        for candidate, term in zip(mention.candidates, kb.terms(nodes), strict=True):
            for old in named if not isinstance(term, Literal) else ():
                size = _alike(kb, candidate.node, old)
                if size is not None and not isinstance(term, Literal) and Entity(term) != old:
                    alike.append((old, Entity(term), candidate, size))
        # Of what has the name, only what is of the right kind can be meant.
        total = sum({one[2].node: math.exp(one[2].score) for one in alike}.values())
        for old, new, candidate, size in alike:
            yield Exchange(old, new, candidate, size, math.exp(candidate.score) / total)


def _alike(kb: KnowledgeBase, node: int, old: Entity) -> int | None:
    other = kb.node(old.term)
    if other is None:
        return None
    own, others = (kb.classes(kb.nodes(np.array([one], np.int64))) for one in (node, other))
    shared = [kb.schema.classes[klass] for klass in np.intersect1d(own, others).tolist()]
    return min((klass.members for klass in shared if not klass.hidden), default=None)


def _said(one: Exchange, last: Turn, asking: Asking) -> tuple[str, str]:
    """The whole question in words, and what was put in place of what."""
    answer, label = last.answer, one.candidate.label
    id = asking.qa.names.write(one.old.term)
    mention = next((m for m in answer.entities if m.id == id and m.start is not None), None)
    node = last.kb.node(one.old.term)
    called = last.label(node) if node is not None else id
    if mention is None or mention.start is None or mention.end is None or mention.start >= mention.end:
        return f"{answer.question} ({label})", f"{label} in place of {called}"
    text = f"{answer.question[: mention.start]}{label}{answer.question[mention.end :]}"
    return text, f"{label} in place of {called}"


# A conversation: follow-ups are made whole with what came before, and answered like any question.


REMEMBERED = 20
"""Turns that can be referred to."""
"""Referents that one word is tried with."""
LIKELY = 0.5
"""Where one referent gives an answer as likely as this, the others are not tried."""
GUESS = 0.1
"""What an unanswered question means is taken up by a follow-up if it is at least as likely as this."""
Answered = tuple[Answer, float]
"""An answer, and how sure it is what it builds on."""


class Conversation:
    """One person's questions in their order; not to be shared between threads.

    >>> talk = ArcaneQA.load().conversation()
    >>> talk.ask("What is the capital of Mongolia?").items[0].label
    'Ulaanbaatar'
    >>> answer = talk.ask("and of Nepal?")
    >>> answer.items[0].label, answer.carried
    ('Kathmandu', 'Nepal in place of Mongolia')
    """

    def __init__(self, qa: ArcaneQA) -> None:
        self._qa = qa
        self._turns: list[Turn] = []
        self.last: Answer | None = None

    def ask(self, text: str, *, threshold: float | None = None, seconds: float = SECONDS) -> Answer:
        """Answer a question, whole or referring back; `carried` says what it took from before."""
        text = as_asked(text)
        if (refused := refusal(text)) is not None:
            return refused
        started = time.perf_counter()
        answer, certainty = self._answered(text, Asking(self._qa, threshold, seconds))
        answer = replace(answer, seconds=time.perf_counter() - started)
        limit = self._qa.fitted.answer if threshold is None else threshold
        answer = _no_surer(answer, certainty, limit)
        return self._kept(answer, answer.confidence or 0.0)

    @property
    def readings(self) -> tuple[Reading, ...]:
        """What the last question may mean, the answer's own program first where there is an answer."""
        last = self.last
        if last is None or last.program is None:
            return () if last is None else last.readings
        own = Reading(last.program, last.paraphrase or "", last.confidence or 0.0)
        return (own, *(one for one in last.readings if one.program != last.program))

    def choose(self, number: int) -> Answer:
        """Take another reading of the last question, counted from 1; whoever chose it is sure of it."""
        known = self.readings
        if not 0 < number <= len(known):
            has = f"has {len(known)}" if known else "has none"
            raise InputError(f"There is no reading {number}; the last question {has}.")
        return self.take(known[number - 1].program)

    def take(self, program: str) -> Answer:
        """Take a program as what the last question means."""
        known, last = self.readings, self.last
        chosen = self._qa.run(program, "" if last is None else last.question)
        carried = None if last is None else last.carried
        return self._kept(replace(chosen, carried=carried, readings=known), 1.0)

    def stands_alone(self, text: str) -> bool:
        """Whether nothing in a question refers back: it is answered the same without what came before."""
        return referring(as_asked(text), self._nouns()).kind is ReferenceKind.WHOLE

    def hear(self, answer: Answer) -> None:
        """Take in an answer that was given elsewhere to a question that stands alone."""
        self._kept(answer, answer.confidence or 0.0)

    def _kept(self, answer: Answer, certainty: float) -> Answer:
        self.last = answer
        if answer.reason is None:
            self._remember(Turn(remembered(answer), certainty, self._qa.kb))
        elif answer.carried is None and answer.readings and answer.readings[0].confidence >= GUESS:
            nearest = answer.readings[0]
            guess = self._qa.run(nearest.program, answer.question)
            self._remember(Turn(remembered(guess), nearest.confidence, self._qa.kb, is_guess=True))
        return answer

    def _remember(self, turn: Turn) -> None:
        self._turns = [*self._turns, turn][-REMEMBERED:]

    # Follow-ups ------------------------------------------------------------------------------

    def _answered(self, text: str, asking: Asking) -> Answered:
        reference = referring(text, self._nouns())
        if (
            reference.kind in (ReferenceKind.COUNT, ReferenceKind.AMONG)
            and not reference.is_weak
            and not self._sets()
        ):
            said = reference.words or reference.text
            return Answer(text, reason=f"There is nothing before this that “{said}” could be about."), 1.0
        if not self._turns:
            return self._without_a_past(reference) or asking.whole(text), 1.0
        found: Answered | None = None
        match reference.kind:
            case ReferenceKind.COUNT:
                found = self._counted(reference)
            case ReferenceKind.AMONG:
                found = self._among(reference, asking)
            case ReferenceKind.PRONOUN:
                found = self._pronoun(reference, asking)
            case ReferenceKind.FRAGMENT:
                found = self._fragment(reference, asking)
        if reference.is_weak and self._says_more(reference):
            found = self._or_whole(found, reference, asking)
        return found or (asking.whole(text), 1.0)

    def _without_a_past(self, reference: Reference) -> Answer | None:
        """Ask back what a pronoun refers to, where neither an earlier turn nor the question says it."""
        alone = replace(reference, noun=None)
        if reference.kind is not ReferenceKind.PRONOUN or reference.is_weak or self._says_more(alone):
            return None
        said = reference.words
        reason = f"What is “{said}”? Nothing was asked before this; ask again with its name."
        return Answer(reference.text, outcome=Outcome.ASK, not_used=(said,), reason=reason)

    def _or_whole(self, found: Answered | None, reference: Reference, asking: Asking) -> Answered:
        """The likelier of two: that a word refers back, or to something in the question itself."""
        whole = asking.whole(reference.text)
        if found is None or _sureness(whole) >= _sureness(found[0]) * found[1]:
            return whole, 1.0
        return found

    def _counted(self, reference: Reference) -> Answered | None:
        turn = next(iter(self._sets()), None)
        if turn is None or turn.members is None:
            return None
        answer = self._qa.run(Count(turn.members), reference.text)
        return replace(answer, confidence=1.0, carried=turn.phrase), turn.certainty

    def _among(self, reference: Reference, asking: Asking) -> Answered | None:
        """Of the last set of which something can be said."""
        found = (self._among_those_of(turn, reference, asking) for turn in self._sets())
        first = next(found, None)
        given = (one for one in chain([first] if first else [], found) if one[0].reason is None)
        return next(given, first)

    def _among_those_of(self, turn: Turn, reference: Reference, asking: Asking) -> Answered:
        assert turn.members is not None
        members, kind = turn.members, turn.kind
        noun = "thing" if kind is None else kind.label
        text = _with_noun(reference, noun, self._class_nouns)
        iri = None if kind is None else kind.iri
        links = self._qa.linker.link(text)
        is_meant = turn.holds if reference.is_choice else _anything
        answer = asking.changed(text, links, lambda program: among(program, iri, members), is_meant)
        return replace(answer, carried=f"of {turn.phrase}"), turn.certainty

    def _pronoun(self, reference: Reference, asking: Asking) -> Answered | None:
        found = self._best(self._referents(reference), reference, asking)
        return self._or_whole(found, reference, asking) if self._names(reference.before) else found

    def _fragment(self, reference: Reference, asking: Asking) -> Answered | None:
        links, last = self._qa.linker.link(reference.text), self._turns[-1]
        if (found := other_value(links, last, asking) or other_entity(links, last, asking)) is not None:
            return found
        rest = reference.text.rstrip(" ?.!")
        if links.mentions:
            return self._among(Reference(ReferenceKind.AMONG, rest, is_many=True, is_choice=True), asking)
        if is_superlative(rest):
            return self._among(Reference(ReferenceKind.AMONG, rest, is_choice=True), asking)
        text = f"what is {rest} of "
        referents = (one for turn in reversed(self._turns) for one in chain(turn.topics(), turn.answers()))
        alone = (one for one in referents if not one.is_many)
        return self._best(alone, Reference(ReferenceKind.PRONOUN, f"{text}?", len(text), len(text)), asking)

    def _best(self, referents: Iterable[Referent], reference: Reference, asking: Asking) -> Answered | None:
        """With the first referent that a likely program says something about, without a detour; else with the
        one of the likeliest program."""
        best: Answered | None = None
        for referent in islice(referents, MOST_TRIED):
            answer = asking.about(reference, referent)
            said = f"“{reference.words}” is {referent.said}" if reference.words else f"of {referent.said}"
            found = replace(answer, carried=said), referent.certainty
            if _sureness(answer) >= LIKELY and _is_direct(answer, referent):
                return found
            if best is None or _sureness(answer) > _sureness(best[0]):
                best = found
        return best

    # What there is to refer to -----------------------------------------------------------------

    def _sets(self) -> list[Turn]:
        """The last sets of several things, the latest first; where there are none, the last thing."""
        recent = [turn for turn in reversed(self._turns) if len(turn.nodes)]
        return [turn for turn in recent if len(turn.nodes) > 1][:MOST_TRIED] or recent[:1]

    def _referents(self, reference: Reference) -> Iterator[Referent]:
        """The likeliest first: the last answer, what its question named, then earlier turns. Several things
        are meant by "they" before one is."""
        seen: set[Expression] = set()
        known = chain.from_iterable(chain(turn.answers(), turn.topics()) for turn in reversed(self._turns))
        for one in sorted(known, key=lambda one: one.is_many < reference.is_many):
            fits = reference.noun is None or reference.noun in nouns_of(self._qa.kb, one.node)
            if fits and one.program not in seen and (reference.is_many or not one.is_many):
                seen.add(one.program)
                yield one

    @cached_property
    def _class_nouns(self) -> frozenset[str]:
        return frozenset(noun for klass in self._qa.kb.schema.classes for noun in last_word(klass.label))

    def _says_more(self, reference: Reference) -> bool:
        """Whether other words of the question could be what it is about: a name, or a class."""
        is_all = reference.start == reference.end
        around = f"{reference.before} {reference.after}" if is_all else reference.before
        is_noun = any(stem(word) in self._class_nouns for word in split(around))
        return reference.noun is not None or is_noun or self._names(around)

    def _names(self, text: str) -> bool:
        return any(mention.score > NAMED for mention in self._qa.linker.link(text).mentions)

    def _nouns(self) -> frozenset[str]:
        referents = chain.from_iterable(chain(turn.answers(), turn.topics()) for turn in self._turns)
        nodes = {referent.node for referent in referents}
        return frozenset(chain.from_iterable(nouns_of(self._qa.kb, node) for node in nodes))


def _no_surer(answer: Answer, certainty: float, limit: float) -> Answer:
    """An answer is at most as sure as what it builds on; below the limit it is not given."""
    if answer.confidence is None or certainty == 1.0:
        return answer
    sure = answer.confidence * certainty
    if answer.reason is not None or sure >= limit or answer.program is None:
        return replace(answer, confidence=sure)
    reading = Reading(answer.program, answer.paraphrase or "", sure)
    return Answer(
        answer.question,
        confidence=sure,
        links=answer.links,
        trace=answer.trace,
        readings=(reading,),
        carried=answer.carried,
        reason=f"It builds on what is not sure either: confidence {sure:.2f}, below {limit:.2f}.",
    )


def _anything(_: Result) -> bool:
    return True


def _is_direct(answer: Answer, referent: Referent) -> bool:
    """Whether one step leads from the referent to the answer: no other thing stands between them."""
    match answer.expression:
        case Join(_, argument) | Count(Join(_, argument), ()):
            return argument == referent.program
        case _:
            return False


def _sureness(answer: Answer) -> float:
    return 0.0 if answer.reason is not None else answer.confidence or 0.0


def _with_noun(reference: Reference, noun: str, nouns: Set[str]) -> str:
    """ "Which of them use the euro?" → "Which countries use the euro?"."""
    said = plural(noun) if reference.is_many else noun
    if reference.start == reference.end == 0:
        verb = "are" if reference.is_many else "is"
        return f"which {said} {verb} {reference.text.rstrip(' ?.!')}?"
    following = re.match(r"\s+([\w-]+)", reference.after)
    if following and stem(following[1].lower()) in nouns:
        said = ""  # "which of those countries"
    text = " ".join(f"{reference.before} {said} {reference.after}".split())
    return re.sub(r" ([?.!,])", r"\1", text)
