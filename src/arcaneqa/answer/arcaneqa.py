"""Where everything meets: a question is linked, a program induced and scored, and the facts answer."""

from __future__ import annotations

import time
from collections.abc import AsyncIterator, Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Self
from typing import Literal as Choice

from arcaneqa.answer.answer import Answer, as_asked, refusal
from arcaneqa.answer.entity_facts import Facts, facts_about, find_entity
from arcaneqa.induction.found import Considered, Readings, SearchOutcome
from arcaneqa.induction.induction import Induction
from arcaneqa.induction.learned import Learned
from arcaneqa.induction.scorer import Heat, Scorer
from arcaneqa.induction.search import SHORTLIST, Search, SearchSettings, SharedScorer
from arcaneqa.induction.topics import Topics, topics_from_links, topics_given
from arcaneqa.kb.interface import KnowledgeBase
from arcaneqa.kb.names.glossary import Glossary, Wording
from arcaneqa.kb.open import open_kb
from arcaneqa.kb.short_names import Names
from arcaneqa.language.expression import Expression
from arcaneqa.language.forms import PAPER
from arcaneqa.language.run import Budget, execute
from arcaneqa.language.text import parse
from arcaneqa.linking.features import LinkerWeights
from arcaneqa.linking.linker import Linker
from arcaneqa.links import Links
from arcaneqa.record import Mention, Question
from arcaneqa.support import loops
from arcaneqa.support.errors import ArgumentError
from arcaneqa.verdict.decision import Verdict
from arcaneqa.verdict.fitted import Fitted
from arcaneqa.verdict.proposals import proposed

if TYPE_CHECKING:
    from arcaneqa.answer.conversation import Conversation

SURE = 0.9
"""Confidence from which on rounding changes no answer."""
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
        fitted: Fitted,
        linker: Linker | None = None,
        settings: SearchSettings = SearchSettings(),  # noqa: B008 - it is frozen
    ) -> None:
        self.kb = kb
        self.names = Names(kb.profile)
        self.fitted = fitted
        self.wording = Wording(kb, kb.glossary())
        self.linker = linker or Linker(kb)
        self.scorer = scorer if isinstance(scorer, SharedScorer) else SharedScorer(scorer)
        self.settings = settings
        forms = (settings.learned or Learned()).forms
        self.induction = self._opened()
        limit = None if settings.exact else SHORTLIST
        weighed = Readings(kb, offers_none=settings.none_of_these) if settings.readings else None
        self.search = Search(
            self.induction,
            self.scorer,
            settings.beam,
            limit,
            settings.ranker,
            readings=weighed,
            propose=lambda question, found: proposed(question, found, kb),
            enough=settings.enough,
        )
        self._verdict = Verdict(kb, fitted, forms, self._suggested, self.scorer.nearness)

    def _opened(self) -> Induction:
        learned = self.settings.learned or Learned()
        return Induction(self.kb, learned, learned.forms != PAPER)

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
        glossary: str | Path | None = None,
    ) -> ArcaneQA:
        """Open a knowledge base (an index, a file, or an endpoint's address) and a model; without a name, the
        bundled ones.

        `beam` is how many programs grow side by side, the model's own number if left out. `exact` lets the
        model read every set of candidates as a whole, however large. `device` is where the encoder runs; any
        but the processor ("cuda") needs torch. `glossary` is a TOML file with other words for what is here.
        """
        from arcaneqa.model.scorer import ModelScorer
        from arcaneqa.model.stored import bundled_model

        folder = bundled_model() if model is None else Path(model)
        if beam is not None and beam < 1:
            raise ArgumentError(f"`beam` is how many programs grow side by side, at least 1, not {beam}.")
        opened = kb if isinstance(kb, KnowledgeBase) else open_kb(kb)
        scorer = ModelScorer.load(folder, device)
        linker = Linker(opened, LinkerWeights.of_model(folder))
        settings = SearchSettings(
            beam or scorer.config.beam,
            exact,
            scorer.ranker(),
            Learned.of_model(folder),
            readings=scorer.config.readings,
            none_of_these=scorer.config.none_of_these,
        )
        qa = cls(opened, scorer, Fitted.of_model(folder), linker, settings)
        if glossary is not None:
            qa.wording = Wording(opened, Glossary.read(Path(glossary)))
        return qa

    def over(self, kb: KnowledgeBase) -> ArcaneQA:
        """The same model, loaded once, over another knowledge base."""
        return type(self)(kb, self.scorer, self.fitted, self.linker.over(kb), self.settings)

    def close(self) -> None:
        """Close the knowledge base; others that share the model go on."""
        self.kb.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

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
        _check(question, threshold, seconds)
        answer = self._ask(question, entities, exclude_mentioned, threshold, seconds)
        if answer.links is None or (answer.confidence or 0) >= SURE or loops.are_used():
            return answer
        # Read in numpy, and another way of rounding might decide otherwise: what is said counts by the loops.
        if not loops.are_worth(loops.LOADING):
            return answer
        return self._ask(question, entities, exclude_mentioned, threshold, seconds)

    def _ask(
        self,
        question: str,
        entities: Sequence[Mention] | None,
        exclude_mentioned: bool,
        threshold: float | None,
        seconds: float | None,
    ) -> Answer:
        started = time.perf_counter()
        question = as_asked(question)
        if (refused := refusal(question)) is not None:
            return replace(refused, seconds=time.perf_counter() - started)
        if (program := self.wording.program(question)) is not None:
            return self.run(program, question)
        question = question if entities else self.wording.said(question)
        links = self.linker.link(question)
        linked, scored = time.perf_counter(), self.scorer.seconds
        outcome = self.search.run(links.read, [self.topics(question, links, entities)], seconds)
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

    async def aask(
        self, question: str, *, threshold: float | None = None, seconds: float = SECONDS
    ) -> Answer:
        """`ask` on a thread of its own, for callers with an event loop."""
        from asyncio import to_thread

        return await to_thread(self.ask, question, threshold=threshold, seconds=seconds)

    async def aask_many(
        self, questions: Iterable[str | Question], *, threshold: float | None = None
    ) -> AsyncIterator[Answer]:
        """`ask_many` on other threads."""
        from asyncio import to_thread

        answers = self.ask_many(questions, threshold=threshold)
        while (answer := await to_thread(next, answers, None)) is not None:
            yield answer

    def link(self, question: str) -> Links:
        """What the words of a question may mean in this knowledge base."""
        _check(question, None, None)
        return self.linker.link(question)

    def conversation(self) -> Conversation:
        """Questions that may refer back to the ones before."""
        from arcaneqa.answer.conversation import Conversation

        return Conversation(self)

    def ask_many(
        self,
        questions: Iterable[str | Question],
        entities: Entities = "linked",
        together: int = 16,
        threshold: float | None = None,
    ) -> Iterator[Answer]:
        """Answer many questions in their order; some are searched together, which is faster."""
        _check("", threshold, None)
        if isinstance(questions, str):
            raise ArgumentError("`ask_many` takes several questions; put one into a list, or `ask` it.")
        if together < 1:
            raise ArgumentError(f"`together` is how many questions are searched at once, not {together}.")
        return self._asked_in_groups((_record(one) for one in questions), entities, together, threshold)

    def _asked_in_groups(
        self, waiting: Iterator[Question], entities: Entities, together: int, threshold: float | None
    ) -> Iterator[Answer]:
        loops.are_worth(loops.LOADING)
        while group := list(islice(waiting, together)):
            yield from self._ask_group(group, entities, threshold)

    def _ask_group(
        self, group: Sequence[Question], entities: Entities, threshold: float | None
    ) -> Iterator[Answer]:
        started = time.perf_counter()
        group = [replace(question, question=as_asked(question.question)) for question in group]
        refused = [refusal(question.question) for question in group]
        if entities == "linked":
            group = [replace(each, question=self.wording.said(each.question)) for each in group]
        links = [
            Links(question.question) if declined else self.linker.link(question.question)
            for question, declined in zip(group, refused, strict=True)
        ]
        asked = [
            (
                found.read,
                [self.topics(question.question, found, question.entities if entities == "gold" else None)],
            )
            for question, found, declined in zip(group, links, refused, strict=True)
            if declined is None
        ]
        outcomes = iter(list(self.search.run_many(asked, len(group), SECONDS * len(group))))
        shared = (time.perf_counter() - started) / len(group)
        for question, found, declined in zip(group, links, refused, strict=True):
            began = time.perf_counter()
            answer = declined or self.conclude(
                question.question, found, next(outcomes), question.exclude_mentioned, threshold
            )
            yield replace(answer, seconds=shared + time.perf_counter() - began)

    def heat(self, question: str, step: Considered) -> Heat | None:
        """Which words of the question each candidate of a step looks at, where the model can tell."""
        return self.scorer.heat(question, step)

    def conclude(
        self,
        question: str,
        links: Links,
        outcome: SearchOutcome,
        exclude_mentioned: bool = False,
        threshold: float | None = None,
    ) -> Answer:
        """Turn the programs a search found into an answer, or a reasoned refusal."""
        return self._verdict.of_search(question, links, outcome, exclude_mentioned, threshold)

    def run(self, program: str | Expression, question: str = "", seconds: float = SECONDS) -> Answer:
        """What a program finds, as the answer to a question that is known to mean it."""
        expression = parse(program, self.names, self.kb.schema) if isinstance(program, str) else program
        result = execute(expression, self.kb, Budget(seconds=seconds))
        return self._verdict.of_program(question, expression, result)

    def facts(self, entity: str, page: int = 0) -> Facts:
        """What is known of an entity, by its name, short name or IRI; a page holds ten values a relation.

        >>> ArcaneQA.load().facts("Marie Curie").entity.id
        'demo:Marie_Curie'
        """
        node, namesakes = find_entity(self.kb, self.linker, entity)
        return facts_about(self.kb, node, page, namesakes)

    def topics(self, question: str, links: Links, entities: Sequence[Mention] | None = None) -> Topics:
        """What induction starts from: all that was linked, or the given entities."""
        if entities is None:
            return topics_from_links(links, self.kb)
        return topics_given(question, entities, links, self.kb)

    def _suggested(self, typed: str, limit: int) -> list[str]:
        return [candidate.label for candidate in self.linker.suggest(typed, limit)]


def _check(question: object, threshold: float | None, seconds: float | None) -> None:
    if not isinstance(question, str):
        raise ArgumentError(f"A question is a text, not {type(question).__name__}.")
    if threshold is not None and not 0 <= threshold <= 1:
        raise ArgumentError(f"`threshold` is a probability between 0 and 1, not {threshold}.")
    if seconds is not None and not seconds >= 0:
        raise ArgumentError(f"`seconds` is at least 0, not {seconds}.")


def _record(question: object) -> Question:
    if isinstance(question, Question):
        return question
    if not isinstance(question, str):
        raise ArgumentError(f"A question is a text or a `Question`, not {type(question).__name__}.")
    return Question("", question)
