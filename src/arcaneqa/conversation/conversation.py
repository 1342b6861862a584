"""A conversation: follow-ups are made whole with what came before, and answered like any question.

A follow-up is read as a whole question, in words that the model knows: "which of them use the euro?" as
"which countries use the euro?", "how high is it?" as "how high is Kilimanjaro?". What was found before then
takes its place in the program itself, exactly.
"""

from __future__ import annotations

import re
import time
from collections.abc import Iterable, Iterator, Set
from dataclasses import replace
from functools import cached_property
from itertools import chain, islice

from arcaneqa.answer import SECONDS, ArcaneQA
from arcaneqa.answered import Answer, as_asked, refusal
from arcaneqa.conversation.asking import Asking
from arcaneqa.conversation.carrying import among
from arcaneqa.conversation.exchange import other_entity, other_value
from arcaneqa.conversation.references import Kind, Reference, is_superlative, referring
from arcaneqa.conversation.turns import Referent, Turn, last_word, nouns_of
from arcaneqa.errors import InputError
from arcaneqa.kb.names.name_forms import split, stem
from arcaneqa.links import LIKELY as NAMED
from arcaneqa.program.english import plural
from arcaneqa.program.execute import Result
from arcaneqa.program.expression import Count, Expression, Join
from arcaneqa.record import Reading

REMEMBERED = 20
"""Turns that can be referred to."""
MOST_TRIED = 4
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
        limit = self._qa.confidence.threshold if threshold is None else threshold
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
        assert self.last is not None
        chosen = self._qa.run(known[number - 1].program, self.last.question)
        return self._kept(replace(chosen, carried=self.last.carried, readings=known), 1.0)

    def _kept(self, answer: Answer, certainty: float) -> Answer:
        self.last = answer
        if answer.reason is None:
            self._remember(Turn(answer, certainty, self._qa.kb))
        elif answer.carried is None and answer.readings and answer.readings[0].confidence >= GUESS:
            nearest = answer.readings[0]
            guess = self._qa.run(nearest.program, answer.question)
            self._remember(Turn(guess, nearest.confidence, self._qa.kb, is_guess=True))
        return answer

    def _remember(self, turn: Turn) -> None:
        self._turns = [*self._turns, turn][-REMEMBERED:]

    # Follow-ups ------------------------------------------------------------------------------

    def _answered(self, text: str, asking: Asking) -> Answered:
        reference = referring(text, self._nouns())
        if reference.kind in (Kind.COUNT, Kind.AMONG) and not reference.is_weak and not self._sets():
            said = reference.words or reference.text
            return Answer(text, reason=f"There is nothing before this that “{said}” could be about."), 1.0
        if not self._turns:
            return asking.whole(text), 1.0
        found: Answered | None = None
        match reference.kind:
            case Kind.COUNT:
                found = self._counted(reference)
            case Kind.AMONG:
                found = self._among(reference, asking)
            case Kind.PRONOUN:
                found = self._pronoun(reference, asking)
            case Kind.FRAGMENT:
                found = self._fragment(reference, asking)
        if reference.is_weak and self._says_more(reference):
            found = self._or_whole(found, reference, asking)
        return found or (asking.whole(text), 1.0)

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
            return self._among(Reference(Kind.AMONG, rest, is_many=True, is_choice=True), asking)
        if is_superlative(rest):
            return self._among(Reference(Kind.AMONG, rest, is_choice=True), asking)
        text = f"what is {rest} of "
        referents = (one for turn in reversed(self._turns) for one in chain(turn.topics(), turn.answers()))
        alone = (one for one in referents if not one.is_many)
        return self._best(alone, Reference(Kind.PRONOUN, f"{text}?", len(text), len(text)), asking)

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
