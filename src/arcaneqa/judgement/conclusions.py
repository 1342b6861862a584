"""From what a search found to an answer, or to a refusal that says why there is none."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace

from arcaneqa.answer.answer import Answer
from arcaneqa.answer.describe import items_of_result, named_of, table_of_result, unit_of
from arcaneqa.answer.entity_facts import asked_about
from arcaneqa.induction.found import Found, Outcome
from arcaneqa.judgement.another import Mistaken, another_kind, another_name, half_name, parted_name
from arcaneqa.judgement.answer_kinds import is_unexpected
from arcaneqa.judgement.asked import Sign, lacking, signs, wanted
from arcaneqa.judgement.confidence import Confidence
from arcaneqa.judgement.coverage import Coverage, is_about, not_used
from arcaneqa.judgement.directions import deed
from arcaneqa.judgement.evidence import evidence, unknown_names
from arcaneqa.judgement.refusals import Refusals, Suggest
from arcaneqa.judgement.unasked import tells_unasked
from arcaneqa.judgement.ways import only_names
from arcaneqa.judgement.weighing import Weighed, still_wrong, weighed
from arcaneqa.kb.interface import KnowledgeBase
from arcaneqa.kb.names.called import in_asked_language
from arcaneqa.kb.names.name_forms import split, stem
from arcaneqa.kb.short_names import Names
from arcaneqa.language.english import listed, plural
from arcaneqa.language.expression import Entity, Expression, Join, Relation
from arcaneqa.language.forms import Form, forms_of
from arcaneqa.language.phrase import paraphrase
from arcaneqa.language.run import Result, execute
from arcaneqa.language.sparql import to_sparql
from arcaneqa.language.text import print_program
from arcaneqa.language.tree import program_tree
from arcaneqa.links import Links
from arcaneqa.record import AnswerItem, Mention, Reading, Table
from arcaneqa.support.errors import BudgetExceeded, ProgramError

MOST_READINGS = 3
"""Other readings that an answer or a refusal carries."""
MOST_NEAR = 3
"""Names that a refusal proposes for one that nobody has."""
EVEN = 0.5
"""Chance that none of the readings is meant, above which a refusal says so; confidence decides to refuse."""
MEANT = 0.2
"""How likely a name must mean an entity to be told all its facts; the threshold is about programs."""
WHAT_ONE_IS = frozenset(map(stem, ("profession", "occupation", "job", "type", "kind")))
"""Words in the name of a relation that says who or what something is."""
SURE = 0.6
"""A program that takes up no word of the question, or finds no time where "when" is asked, needs at least
this confidence: people are the population."""
DOUBTED = 0.25
"""Chance that none of the readings is meant, from which on one that is not sure must tell what a word of the
question asks for."""


ReadAgain = Callable[[str, Outcome, Found], Outcome]
"""What was found, and what a model makes of one program more."""


class Conclusions:
    """Of one model over one knowledge base; `forms` are those that the model has learned, and `read_again`
    asks it about a program that it has not read."""

    def __init__(
        self,
        kb: KnowledgeBase,
        confidence: Confidence,
        forms: frozenset[Form],
        suggest: Suggest,
        read_again: ReadAgain,
    ) -> None:
        self._read_again = read_again
        self._kb = kb
        self._names = Names(kb.profile)
        self._confidence = confidence
        self._forms = forms
        self._refusals = Refusals(kb, suggest)

    def of_search(
        self,
        question: str,
        links: Links,
        searched: Outcome,
        exclude_mentioned: bool = False,
        threshold: float | None = None,
    ) -> Answer:
        """The likeliest program's answer, unless something speaks against giving it."""
        outcome = self._weighed(links, searched)
        limit = self._confidence.limit(outcome.none) if threshold is None else threshold
        meant = MEANT if threshold is None else threshold
        portrait = self._portrait(question, links, outcome, meant)
        if portrait is not None and not self._says_what_it_is(portrait, outcome):
            return portrait
        best = self._best(question, outcome.found, exclude_mentioned)
        if best is None:
            reason = self._unlearned(question, signs(links.read))
            reason = reason or self._refusals.nothing_found(question, links, outcome)
            return Answer(question, links=links, reason=reason)
        found, items, table = best
        left_out = outcome.left_out_by(found)
        row = evidence(links.read, found, outcome, left_out, self._kb)
        certainty = self._confidence.weigh(row)
        others = [other for other in outcome.found if other is not found][:MOST_READINGS]
        runners_up = tuple(self._reading(links.read, other, outcome) for other in others)
        expected = self._confidence.precision(limit)
        reason = self._reason(question, links, found, outcome, left_out, certainty, limit)
        if reason is not None and portrait is not None:
            return portrait
        if reason is not None:
            nearest = Reading(
                print_program(found.program, self._names), paraphrase(found.program, self._kb), certainty
            )
            return Answer(
                question,
                confidence=certainty,
                evidence=tuple(row.tolist()),
                expected=expected,
                links=links,
                trace=found.trace,
                readings=(nearest, *runners_up)[:MOST_READINGS],
                not_used=tuple(dict.fromkeys((*not_used(question, left_out), *left_out.unknown))),
                reason=reason,
            )
        return replace(
            self._answer(question, found.program, items, table, exclude_mentioned),
            score=found.score,
            confidence=certainty,
            evidence=tuple(row.tolist()),
            expected=expected,
            entities=self._entities(question, found),
            links=links,
            trace=found.trace,
            readings=runners_up,
            not_used=not_used(question, left_out),
            facts=None if portrait is None else portrait.facts,
        )

    def _weighed(self, links: Links, searched: Outcome) -> Weighed:
        """Where the likeliest program is one that no search found, the model reads it, too."""
        question = links.read
        outcome = weighed(question, links, searched, self._kb)
        known = {one.program for one in searched.found}
        unread = next((one for one in outcome.found[:1] if one.program not in known), None)
        if unread is None:
            return outcome
        return weighed(question, links, self._read_again(question, searched, unread), self._kb)

    def of_program(self, question: str, program: Expression, result: Result) -> Answer:
        """What a program found, as the answer to a question that is known to mean it."""
        items = items_of_result(self._kb, result)
        answer = self._answer(question, program, items, table_of_result(self._kb, result))
        return answer if items else replace(answer, reason="The program finds nothing.")

    def _portrait(self, question: str, links: Links, outcome: Weighed, limit: float) -> Answer | None:
        """The facts of an entity, where nothing else is asked: no relation says who somebody is."""
        facts, likely = asked_about(question, links, self._kb) or (None, 0.0)
        if facts is None or facts.entity.id is None or likely < limit:
            return None
        program = Entity(self._names.read(facts.entity.id))
        return replace(
            self._answer(question, program, (facts.entity,), None),
            facts=facts,
            confidence=likely,
            links=links,
            readings=tuple(self._reading(links.read, one, outcome) for one in outcome.found[:MOST_READINGS]),
        )

    def _says_what_it_is(self, portrait: Answer, outcome: Outcome) -> bool:
        """Whether the likeliest program finds what the entity is by profession or type: of all its facts, the
        one that answers."""
        match outcome.found[0].program if outcome.found else None:
            case Join(Relation(iri, inverse=True), Entity() as entity) if entity == portrait.expression:
                number = self._kb.schema.relation_ids.get(iri)
                label = "" if number is None else self._kb.schema.relations[number].label
                return not WHAT_ONE_IS.isdisjoint(map(stem, split(label)))
        return False

    def _answer(
        self,
        question: str,
        program: Expression,
        items: tuple[AnswerItem, ...],
        table: Table | None,
        exclude_mentioned: bool = False,
    ) -> Answer:
        return Answer(
            question,
            items=items,
            table=table,
            unit=unit_of(program, self._kb),
            program=print_program(program, self._names),
            expression=program,
            tree=program_tree(program, self._kb),
            paraphrase=paraphrase(program, self._kb),
            sparql=self._sparql(program, exclude_mentioned),
        )

    def _sparql(self, program: Expression, exclude_mentioned: bool) -> str | None:
        """None of a program that mentions something without an IRI: SPARQL cannot name it, but the answer
        stands."""
        try:
            return to_sparql(program, self._kb.profile, self._kb.schema, exclude_mentioned)
        except ProgramError:
            return None

    def _reason(
        self,
        question: str,
        links: Links,
        found: Found,
        outcome: Outcome,
        left_out: Coverage,
        certainty: float,
        limit: float,
    ) -> str | None:
        """Why the best program is better not given as an answer."""
        read = links.read
        if (reason := self._unlearned(question, left_out.unmet)) is not None:
            return reason
        if certainty < limit and outcome.none > EVEN:
            why = "None of the readings that were found seems to be meant."
        elif certainty < limit:
            expected = self._confidence.precision(limit)
            known = "" if expected is None else f"; of answers from there on {expected:.0%} are right"
            best = f"the best has confidence {certainty:.2f}, below {limit:.2f}{known}"
            why = f"No reading is likely enough ({best})."
        elif (kind := another_kind(read, found, self._kb)) is not None:
            why = f"This asks for {plural(kind)}, and the nearest reading finds nothing of that kind."
        elif (name := self._mistaken(read, links, found, left_out)) is not None:
            return f"No entity is called {name.said}; near: {listed(name.near[:MOST_NEAR])}."
        elif (wrong := still_wrong(read, links, found, self._kb)) is not None:
            why = wrong
        elif left_out.dropped:
            why = f"The nearest reading leaves out {listed([f'“{word}”' for word in left_out.unused])}."
        elif only_names(read, found, self._kb):
            why = "The nearest reading finds nothing but what it sets out from."
        elif (said := deed(read, outcome.found, self._kb)) and said.is_other(found.program):
            why = self._refusals.undone(said)
        elif certainty < SURE and is_unexpected(read, found, self._kb):
            why = f"This asks for {wanted(read)}, and the nearest reading finds none."
        elif certainty < SURE and not found.topics and unknown_names(read, left_out):
            why = "The nearest reading is about nothing that the question names."
        elif certainty < SURE and not is_about(read, found, self._kb):
            why = "Nothing in the question names an entity, a class or a value of this knowledge base."
        elif self._tells_unasked(question, found, outcome, left_out, certainty):
            why = "No word of the question asks for what the nearest reading tells."
        else:
            return None
        sign = lacking(left_out.unmet, forms_of(found.program))
        missing = self._refusals.missing(read, links, found, left_out).replace(why, "").strip()
        return f"{self._refusals.heard(question, sign)}{why} {missing}".strip()

    def _tells_unasked(
        self, question: str, found: Found, outcome: Outcome, left_out: Coverage, certainty: float
    ) -> bool:
        """Whether a program tells something that no word asks for, where the model doubts it, or the question
        asks how many and the number tells how many of something else."""
        is_doubted = certainty < SURE and outcome.none > DOUBTED
        tells_another = any(sign.form is Form.NUMBER for sign in left_out.unmet)
        return (is_doubted or tells_another) and tells_unasked(question, found, self._kb)

    def _mistaken(self, question: str, links: Links, found: Found, left_out: Coverage) -> Mistaken | None:
        unknown = left_out.unknown
        return (
            another_name(question, links, found, unknown)
            or parted_name(question, links, found, self._kb)
            or half_name(question, found, unknown, self._kb)
        )

    def _unlearned(self, question: str, asked: Iterable[Sign]) -> str | None:
        """What to say of the first form that this model has not learned."""
        sign = lacking(asked, self._forms)
        return None if sign is None else self._refusals.form(question, sign)

    def _best(
        self, question: str, found: Sequence[Found], exclude_mentioned: bool
    ) -> tuple[Found, tuple[AnswerItem, ...], Table | None] | None:
        """The likeliest program; where mentioned entities are left out, the likeliest with others."""
        for candidate in found:
            result = candidate.result
            if exclude_mentioned:
                try:
                    result = execute(candidate.program, self._kb, exclude_mentioned=True)
                except BudgetExceeded:
                    continue
            if result.order is None and result.table is None and result.value is None:
                asked = named_of(self._kb, in_asked_language(self._kb, question, result.nodes.ids))
                result = replace(result, nodes=self._kb.nodes(asked))
            if items := items_of_result(self._kb, result):
                return candidate, items, table_of_result(self._kb, result)
        return None

    def _entities(self, question: str, found: Found) -> tuple[Mention, ...]:
        return tuple(
            Mention(self._names.write(topic.term.term), question[start:end] or None, start, end)
            for topic in found.topics
            if isinstance(topic.term, Entity)
            for start, end in [(topic.words.start, topic.words.end)]
        )

    def _reading(self, question: str, found: Found, outcome: Weighed) -> Reading:
        row = evidence(question, found, outcome, outcome.left_out_by(found), self._kb)
        return Reading(
            print_program(found.program, self._names),
            paraphrase(found.program, self._kb),
            self._confidence.weigh(row),
        )
