"""Where everything meets: a question is linked, a program induced and scored, and the facts answer."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING
from typing import Literal as Choice

from arcaneqa.answered import Answer, refusal
from arcaneqa.confidence import Confidence
from arcaneqa.describe import items_of_result, table_of_result, unit_of
from arcaneqa.entity_facts import Facts, asked_about, facts_about, find_entity
from arcaneqa.errors import BudgetExceeded
from arcaneqa.induction.found import Considered, Found, Outcome
from arcaneqa.induction.induction import Induction
from arcaneqa.induction.learned import Learned
from arcaneqa.induction.readings import Readings
from arcaneqa.induction.scorer import Heat, Scorer
from arcaneqa.induction.search import SHORTLIST, Search, SearchSettings
from arcaneqa.induction.together import SharedScorer
from arcaneqa.induction.topics import Topics, topics_from_links, topics_given
from arcaneqa.judgement.asked import Sign, lacking, signs
from arcaneqa.judgement.coverage import Coverage, coverage, is_about, not_used
from arcaneqa.judgement.evidence import evidence
from arcaneqa.judgement.refusals import Refusals
from arcaneqa.judgement.weighing import weighed
from arcaneqa.kb.interface import KnowledgeBase
from arcaneqa.kb.names.languages import in_asked_language
from arcaneqa.kb.open import open_kb
from arcaneqa.kb.short_names import Names
from arcaneqa.linking.linker import Linker
from arcaneqa.linking.weights import Weights
from arcaneqa.links import Links
from arcaneqa.program.execute import Budget, execute
from arcaneqa.program.expression import Entity, Expression
from arcaneqa.program.forms import PAPER, forms_of
from arcaneqa.program.phrase import paraphrase
from arcaneqa.program.sparql import to_sparql
from arcaneqa.program.text import parse, print_program
from arcaneqa.program.tree import program_tree
from arcaneqa.record import AnswerItem, Mention, Question, Reading, Table

if TYPE_CHECKING:
    from arcaneqa.conversation.conversation import Conversation

MOST_READINGS = 3
"""Other readings that an answer or a refusal carries."""
EVEN = 0.5
"""Chance that none of the readings is meant, above which a refusal says so; confidence decides to refuse."""
SURE = 0.6
"""A program that takes up no word of the question needs at least this confidence."""
SECONDS = 30.0
"""For one question or program, unless the caller says otherwise."""

Entities = Choice["linked", "gold"]


class ArcaneQA:
    """Answers questions over one knowledge base; safe to share between threads.

    >>> qa = ArcaneQA.load()
    >>> answer = qa.ask("what is the capital of France?")
    >>> answer.items[0].label, answer.program
    ('Paris', '(JOIN demo:capital_inv demo:France)')
    >>> print(qa.ask("why is the sky blue?").reason)
    This asks for a reason (“why”); the facts only say what is so.
    """

    def __init__(
        self,
        kb: KnowledgeBase,
        scorer: Scorer,
        confidence: Confidence,
        linker: Linker | None = None,
        settings: SearchSettings = SearchSettings(),  # noqa: B008 - it is frozen
    ) -> None:
        self.kb = kb
        self.names = Names(kb.profile)
        self.confidence = confidence
        self.linker = linker or Linker(kb)
        self.scorer = scorer if isinstance(scorer, SharedScorer) else SharedScorer(scorer)
        self.settings = settings
        self.forms = (settings.learned or Learned()).forms
        self.induction = Induction(kb, settings.learned, self.forms != PAPER, settings.published)
        self.refusals = Refusals(kb, self._suggested)
        limit = None if settings.exact or settings.published else SHORTLIST
        weighed = Readings(kb, offers_none=settings.none_of_these) if settings.readings else None
        self.search = Search(
            self.induction, self.scorer, settings.beam, limit, settings.ranker, readings=weighed
        )

    def __repr__(self) -> str:
        return f"ArcaneQA({self.kb!r})"

    @classmethod
    def load(
        cls,
        kb: str | Path | KnowledgeBase | None = None,
        model: str | Path | None = None,
        beam: int | None = None,
        exact: bool = False,
        device: str = "cpu",
    ) -> ArcaneQA:
        """Open a knowledge base (an index, a file, or an endpoint's address) and a model; without a name, the
        bundled ones.

        `beam` is how many programs grow side by side, the model's own number if left out. `exact` lets the
        model read every set of candidates as a whole, however large. `device` is where the encoder runs; any
        but the processor ("cuda") needs torch.
        """
        from arcaneqa.model.scorer import ModelScorer
        from arcaneqa.model.stored import bundled_model

        folder = bundled_model() if model is None else Path(model)
        opened = kb if isinstance(kb, KnowledgeBase) else open_kb(kb)
        scorer = ModelScorer.load(folder, device)
        linker = Linker(opened, Weights.of_model(folder), spans=scorer.spans())
        settings = SearchSettings(
            beam or scorer.config.beam,
            exact,
            scorer.ranker(),
            Learned.of_model(folder),
            readings=scorer.config.readings,
            none_of_these=scorer.config.none_of_these,
            published=scorer.config.published,
        )
        return cls(opened, scorer, Confidence.of_model(folder), linker, settings)

    def over(self, kb: KnowledgeBase) -> ArcaneQA:
        """The same model, loaded once, over another knowledge base."""
        return ArcaneQA(kb, self.scorer, self.confidence, self.linker.over(kb), self.settings)

    def ask(
        self,
        question: str,
        *,
        entities: Sequence[Mention] | None = None,
        exclude_mentioned: bool = False,
        threshold: float | None = None,
        seconds: float | None = SECONDS,
    ) -> Answer:
        """Answer one question; `entities` replace the linker's, `threshold` the model's own.

        The answer's `expected` says what share of the answers at that threshold is right.
        """
        started = time.perf_counter()
        if (refused := refusal(question)) is not None:
            return replace(refused, seconds=time.perf_counter() - started)
        links = self.linker.link(question)
        linked, scored = time.perf_counter(), self.scorer.seconds
        outcome = self.search.run(question, [self.topics(question, links, entities)], seconds)
        searched, model = time.perf_counter(), self.scorer.seconds - scored
        answer = self.conclude(question, links, outcome, exclude_mentioned, threshold)
        ended = time.perf_counter()
        timings = {
            "linking": linked - started,
            "induction": searched - linked - model,
            "model": model,
            "answer": ended - searched,
        }
        return replace(answer, seconds=ended - started, timings=timings)

    def conversation(self) -> Conversation:
        """Questions that may refer back to the ones before."""
        from arcaneqa.conversation.conversation import Conversation

        return Conversation(self)

    def ask_many(
        self,
        questions: Iterable[Question],
        entities: Entities = "linked",
        together: int = 16,
        threshold: float | None = None,
    ) -> Iterator[Answer]:
        """Answer many questions in their order; some are searched together, which is faster."""
        waiting = iter(questions)
        while group := list(islice(waiting, together)):
            yield from self._ask_group(group, entities, threshold)

    def _ask_group(
        self, group: Sequence[Question], entities: Entities, threshold: float | None
    ) -> Iterator[Answer]:
        started = time.perf_counter()
        refused = [refusal(question.question) for question in group]
        links = [
            Links(question.question) if declined else self.linker.link(question.question)
            for question, declined in zip(group, refused, strict=True)
        ]
        asked = [
            (
                question.question,
                [self.topics(question.question, found, question.entities if entities == "gold" else None)],
            )
            for question, found, declined in zip(group, links, refused, strict=True)
            if declined is None
        ]
        outcomes = self.search.run_many(asked, together=len(group), seconds=SECONDS * len(group))
        for question, found, declined in zip(group, links, refused, strict=True):
            answer = declined or self.conclude(
                question.question, found, next(outcomes), question.exclude_mentioned, threshold
            )
            yield replace(answer, seconds=(time.perf_counter() - started) / len(group))

    def heat(self, question: str, step: Considered) -> Heat | None:
        """Which words of the question each candidate of a step looks at, where the model can tell."""
        return self.scorer.heat(question, step)

    def conclude(
        self,
        question: str,
        links: Links,
        outcome: Outcome,
        exclude_mentioned: bool = False,
        threshold: float | None = None,
    ) -> Answer:
        """Turn the programs a search found into an answer, or a reasoned refusal."""
        outcome = weighed(question, links, outcome, self.kb)
        limit = self.confidence.threshold if threshold is None else threshold
        if (portrait := self._portrait(question, links, outcome, limit)) is not None:
            return portrait
        best = self._best(question, outcome.found, exclude_mentioned)
        if best is None:
            reason = self._unlearned(question, signs(question))
            reason = reason or self.refusals.nothing_found(question, links, outcome)
            return Answer(question, links=links, reason=reason)
        found, items, table = best
        left_out = coverage(question, links, found, self.kb)
        row = evidence(question, found, outcome, left_out, self.kb)
        certainty = self.confidence.weigh(row)
        others = (other for other in outcome.found if other is not found)
        runners_up = tuple(self._reading(question, links, other, outcome) for other in others)
        expected = self.confidence.precision(limit)
        reason = self._reason(question, links, found, outcome, left_out, certainty, limit)
        if reason is not None:
            nearest = Reading(
                print_program(found.program, self.names), paraphrase(found.program, self.kb), certainty
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
            readings=runners_up[:MOST_READINGS],
            not_used=not_used(question, left_out),
        )

    def run(self, program: str | Expression, question: str = "", seconds: float = SECONDS) -> Answer:
        """What a program finds, as the answer to a question that is known to mean it."""
        expression = parse(program, self.names, self.kb.schema) if isinstance(program, str) else program
        result = execute(expression, self.kb, Budget(seconds=seconds))
        items = items_of_result(self.kb, result)
        answer = self._answer(question, expression, items, table_of_result(self.kb, result))
        return answer if items else replace(answer, reason="The program finds nothing.")

    def facts(self, entity: str, page: int = 0) -> Facts:
        """What is known of an entity, by its name, short name or IRI; a page holds ten values a relation.

        >>> ArcaneQA.load().facts("Marie Curie").entity.id
        'demo:Marie_Curie'
        """
        node, namesakes = find_entity(self.kb, self.linker, entity)
        return facts_about(self.kb, node, page, namesakes)

    def _portrait(self, question: str, links: Links, outcome: Outcome, limit: float) -> Answer | None:
        """The facts of an entity, where nothing else is asked: no relation says who somebody is."""
        facts, likely = asked_about(question, links, self.kb) or (None, 0.0)
        if facts is None or facts.entity.id is None or likely < limit:
            return None
        program = Entity(self.names.read(facts.entity.id))
        return replace(
            self._answer(question, program, (facts.entity,), None),
            facts=facts,
            confidence=likely,
            links=links,
            readings=tuple(
                self._reading(question, links, one, outcome) for one in outcome.found[:MOST_READINGS]
            ),
        )

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
            unit=unit_of(program, self.kb),
            program=print_program(program, self.names),
            expression=program,
            tree=program_tree(program, self.kb),
            paraphrase=paraphrase(program, self.kb),
            sparql=to_sparql(program, self.kb.profile, self.kb.schema, exclude_mentioned),
        )

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
        if (reason := self._unlearned(question, left_out.unmet)) is not None:
            return reason
        if certainty < limit and outcome.none > EVEN:
            why = "None of the readings that were found seems to be meant."
        elif certainty < limit:
            expected = self.confidence.precision(limit)
            known = "" if expected is None else f"; of answers from there on {expected:.0%} are right"
            best = f"the best has confidence {certainty:.2f}, below {limit:.2f}{known}"
            why = f"No reading is likely enough ({best})."
        elif certainty < SURE and not is_about(question, found):
            why = "Nothing in the question names an entity, a class or a value of this knowledge base."
        else:
            return None
        sign = lacking(left_out.unmet, forms_of(found.program))
        heard, missing = self.refusals.heard(question, sign), self.refusals.missing
        return f"{heard}{why} {missing(question, links, found, left_out)}".strip()

    def _unlearned(self, question: str, asked: Iterable[Sign]) -> str | None:
        """What to say of the first form that this model has not learned."""
        sign = lacking(asked, self.forms)
        return None if sign is None else self.refusals.form(question, sign)

    def _best(
        self, question: str, found: Sequence[Found], exclude_mentioned: bool
    ) -> tuple[Found, tuple[AnswerItem, ...], Table | None] | None:
        """The likeliest program; where mentioned entities are left out, the likeliest with others."""
        for candidate in found:
            result = candidate.result
            if exclude_mentioned:
                try:
                    result = execute(candidate.program, self.kb, exclude_mentioned=True)
                except BudgetExceeded:
                    continue
            if result.order is None and result.table is None and result.value is None:
                asked = in_asked_language(self.kb, question, result.nodes.ids)
                result = replace(result, nodes=self.kb.nodes(asked))
            if items := items_of_result(self.kb, result):
                return candidate, items, table_of_result(self.kb, result)
        return None

    def topics(self, question: str, links: Links, entities: Sequence[Mention] | None = None) -> Topics:
        """What induction starts from: all that was linked, or the given entities."""
        if entities is None:
            return topics_from_links(links, self.kb)
        return topics_given(question, entities, links, self.kb)

    def _entities(self, question: str, found: Found) -> tuple[Mention, ...]:
        return tuple(
            Mention(self.names.write(topic.term.term), question[start:end] or None, start, end)
            for topic in found.topics
            if isinstance(topic.term, Entity)
            for start, end in [(topic.words.start, topic.words.end)]
        )

    def _reading(self, question: str, links: Links, found: Found, outcome: Outcome) -> Reading:
        row = evidence(question, found, outcome, coverage(question, links, found, self.kb), self.kb)
        return Reading(
            print_program(found.program, self.names),
            paraphrase(found.program, self.kb),
            self.confidence.weigh(row),
        )

    def _suggested(self, typed: str, limit: int) -> list[str]:
        return [candidate.label for candidate in self.linker.suggest(typed, limit)]
