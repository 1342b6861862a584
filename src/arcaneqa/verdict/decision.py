"""From what a search found to an answer, to readings to choose among, or to a refusal that says why."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from arcaneqa.answer.answer import Answer
from arcaneqa.answer.describe import items_of_result, named_of, table_of_result, unit_of
from arcaneqa.answer.entity_facts import asked_about
from arcaneqa.induction.found import Found
from arcaneqa.induction.found import SearchOutcome as Searched
from arcaneqa.kb.interface import KnowledgeBase
from arcaneqa.kb.names.called import in_asked_language
from arcaneqa.kb.names.name_forms import split, stem
from arcaneqa.kb.short_names import Names
from arcaneqa.language.expression import Entity, Expression, Join, Relation
from arcaneqa.language.forms import Form
from arcaneqa.language.phrase import paraphrase
from arcaneqa.language.run import Result, execute
from arcaneqa.language.sparql import to_sparql
from arcaneqa.language.text import print_program
from arcaneqa.language.tree import program_tree
from arcaneqa.links import PER_MENTION, Links
from arcaneqa.record import Mention, Outcome, Reading
from arcaneqa.support.errors import BudgetExceeded, ProgramError
from arcaneqa.verdict.evidence import Evidence, Near, Weighed, evidence
from arcaneqa.verdict.fitted import Fitted
from arcaneqa.verdict.frame import lacking
from arcaneqa.verdict.refusals import Refusals, Suggest

OFFERED = 3
"""Readings that are offered to choose among, and that an answer or a refusal carries besides."""
MEANT = 0.2
"""How likely a name must mean an entity to be told all its facts; the thresholds are about programs."""
WHAT_ONE_IS = frozenset(map(stem, ("profession", "occupation", "job", "type", "kind")))
"""Words in the name of a relation that says who or what something is."""
Chosen = tuple[Weighed, float]
"""A reading, and how likely its answers are the right ones."""


def ranked(seen: Evidence, fitted: Fitted) -> list[Chosen]:
    """One reading for all with the same answers, the likeliest first."""
    if not seen.readings:
        return []
    groups = [reading.group for reading in seen.readings]
    alone, together = fitted.chances([one.row for one in seen.readings], groups, seen.none)
    best: dict[int, tuple[float, float, Weighed]] = {}
    for own, chance, reading in zip(alone, together, seen.readings, strict=True):
        if reading.group not in best or best[reading.group][1] < own:
            best[reading.group] = (chance, own, reading)
    chosen = sorted(best.values(), key=lambda one: (-one[0], -one[1]))
    return [(reading, chance) for chance, _, reading in chosen]


def _shared_name(links: Links, found: Found) -> str | None:
    """A name of which the reading takes one bearer though all that linking considered bear it."""
    taken = {(topic.words.start, topic.words.end) for topic in found.topics if isinstance(topic.term, Entity)}
    for mention in links.mentions:
        names = {candidate.label.casefold() for candidate in mention.candidates}
        is_full = len(mention.candidates) >= PER_MENTION
        if is_full and len(names) == 1 and (mention.start, mention.end) in taken:
            return mention.candidates[0].label
    return None


class Verdict:
    """Of one model over one knowledge base; `forms` are those that the model has learned, and `near` tells
    how near words are in meaning."""

    def __init__(
        self, kb: KnowledgeBase, fitted: Fitted, forms: frozenset[Form], suggest: Suggest, near: Near
    ) -> None:
        self._kb = kb
        self._names = Names(kb.profile)
        self._fitted = fitted
        self._forms = forms
        self._near = near
        self._refusals = Refusals(kb, suggest)

    def of_search(
        self,
        question: str,
        links: Links,
        searched: Searched,
        exclude_mentioned: bool = False,
        threshold: float | None = None,
    ) -> Answer:
        """The likeliest reading's answer, or the readings to choose among, or why there is neither."""
        searched = self._with_answers(question, searched, exclude_mentioned)
        seen = evidence(links, searched, self._near, self._kb)
        limit = self._fitted.answer if threshold is None else threshold
        readings = ranked(seen, self._fitted)
        portrait = self._portrait(question, links, readings, MEANT if threshold is None else threshold)
        if not readings:
            unlearned = lacking(seen.frame.signs, self._forms)
            nothing = self._refusals.nothing_found(question, links, searched)
            why = nothing if unlearned is None else self._refusals.form(question, unlearned)
            return portrait or Answer(question, links=links, reason=why)
        best, sure = readings[0]
        if portrait is not None and not self._says_what_it_is(portrait, best.found):
            return portrait
        outcome, reason = self._decided(question, links, readings, limit)
        if portrait is not None and outcome is not Outcome.ANSWER:
            return portrait
        said = [self._reading(one.found, chance) for one, chance in readings]
        answer = Answer(
            question,
            outcome=outcome,
            confidence=sure,
            expected=self._fitted.precision(limit),
            links=links,
            trace=best.found.trace,
            not_used=best.alignment.words(question),
            reason=reason,
        )
        if outcome is Outcome.REFUSE:
            return replace(answer, readings=tuple(said[:OFFERED]))
        first = 0 if outcome is Outcome.ASK else 1
        return replace(
            self._told(answer, best.found.program, best.found.result, exclude_mentioned),
            score=best.found.score,
            entities=self._entities(question, best.found),
            readings=tuple(said[first : OFFERED + first]),
            facts=None if portrait is None else portrait.facts,
        )

    def of_program(self, question: str, program: Expression, result: Result) -> Answer:
        """What a program found, as the answer to a question that is known to mean it."""
        answer = self._told(Answer(question, outcome=Outcome.ANSWER), program, result)
        return answer if answer.items else replace(answer, reason="The program finds nothing.")

    def _decided(
        self, question: str, links: Links, ranked: Sequence[Chosen], limit: float
    ) -> tuple[Outcome, str | None]:
        best, sure = ranked[0]
        unlearned = lacking(best.alignment.unmet, self._forms)
        if unlearned is not None:
            return Outcome.REFUSE, self._refusals.form(question, unlearned)
        if (name := _shared_name(links, best.found)) is not None:
            return Outcome.ASK, f"Many things here are called {name}; say more of the one that is meant."
        if sure >= limit:
            return Outcome.ANSWER, None
        if sum(chance for _, chance in ranked[:OFFERED]) >= self._fitted.ask:
            return Outcome.ASK, self._refusals.doubt(question, links, best, ranked[1:OFFERED])
        return Outcome.REFUSE, self._refusals.missing(question, links, best)

    def _with_answers(self, question: str, searched: Searched, exclude_mentioned: bool) -> Searched:
        """The readings that find something, in the language of the question; without mentioned entities,
        where those are left out."""
        kept = []
        for found in searched.found:
            result = found.result
            if exclude_mentioned:
                try:
                    result = execute(found.program, self._kb, exclude_mentioned=True)
                except BudgetExceeded:
                    continue
            if result.order is None and result.table is None and result.value is None:
                ids = named_of(self._kb, in_asked_language(self._kb, question, result.nodes.ids))
                result = replace(result, nodes=self._kb.nodes(ids))
            if result.nodes or result.value is not None or result.table is not None:
                kept.append(replace(found, result=result))
        return replace(searched, found=tuple(kept))

    def _portrait(self, question: str, links: Links, ranked: Sequence[Chosen], limit: float) -> Answer | None:
        """The facts of an entity, where nothing else is asked: no relation says who somebody is."""
        facts, likely = asked_about(question, links, self._kb) or (None, 0.0)
        if facts is None or facts.entity.id is None or likely < limit:
            return None
        program = Entity(self._names.read(facts.entity.id))
        answer = Answer(question, outcome=Outcome.ANSWER, confidence=likely, links=links, facts=facts)
        return replace(
            self._told(answer, program, execute(program, self._kb)),
            items=(facts.entity,),
            readings=tuple(self._reading(one.found, chance) for one, chance in ranked[:OFFERED]),
        )

    def _says_what_it_is(self, portrait: Answer, found: Found) -> bool:
        """Whether a program finds what the entity is by profession or type: of all its facts, the one that
        answers."""
        match found.program:
            case Join(Relation(iri, inverse=True), Entity() as entity) if entity == portrait.expression:
                number = self._kb.schema.relation_ids.get(iri)
                label = "" if number is None else self._kb.schema.relations[number].label
                return not WHAT_ONE_IS.isdisjoint(map(stem, split(label)))
        return False

    def _told(
        self, answer: Answer, program: Expression, result: Result, exclude_mentioned: bool = False
    ) -> Answer:
        """With what a program finds, and the program in all its forms."""
        return replace(
            answer,
            items=items_of_result(self._kb, result),
            table=table_of_result(self._kb, result),
            unit=unit_of(program, self._kb),
            program=print_program(program, self._names),
            expression=program,
            tree=program_tree(program, self._kb),
            paraphrase=paraphrase(program, self._kb),
            sparql=self._sparql(program, exclude_mentioned),
            kb=self._kb,
        )

    def _sparql(self, program: Expression, exclude_mentioned: bool) -> str | None:
        """None of a program that mentions something without an IRI: SPARQL cannot name it, but the answer
        stands."""
        try:
            return to_sparql(program, self._kb.profile, self._kb.schema, exclude_mentioned)
        except ProgramError:
            return None

    def _entities(self, question: str, found: Found) -> tuple[Mention, ...]:
        return tuple(
            Mention(self._names.write(topic.term.term), question[start:end] or None, start, end)
            for topic in found.topics
            if isinstance(topic.term, Entity)
            for start, end in [(topic.words.start, topic.words.end)]
        )

    def _reading(self, found: Found, chance: float) -> Reading:
        return Reading(print_program(found.program, self._names), paraphrase(found.program, self._kb), chance)
