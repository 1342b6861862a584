"""What a question is answered with."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from arcaneqa.answer.entity_facts import Facts
from arcaneqa.induction.found import Trace
from arcaneqa.language.expression import Expression
from arcaneqa.links import Links
from arcaneqa.record import AnswerItem, Mention, Outcome, Prediction, Reading, Table
from arcaneqa.support.harmless import is_text
from arcaneqa.verdict.junk import junk

if TYPE_CHECKING:
    import pandas
    import polars

    from arcaneqa.answer.shown import Shown
    from arcaneqa.answer.support import Fact
    from arcaneqa.kb.interface import KnowledgeBase

MOST_CHARACTERS = 2_000
"""Of a question; a longer text is no question, and reading it would only take time."""
_WIDE = re.compile(r"\s{3,}")
MOST_ROWS = 1_000
"""Of a table that is shown, unless the caller says otherwise."""
MOST_NAMED = 3
"""Answers that the short form of an answer names; the others are counted."""


@dataclass(frozen=True, slots=True, repr=False)
class Answer:
    """What a question was taken to mean and what the knowledge base says to that.

    `outcome` is an answer, a refusal, whose `reason` says why, or it is asked back: then `readings` are the
    choices, and `items` those of the first, which nobody should be shown as the answer. Otherwise `readings`
    are the runners-up, or the nearest programs. `items` are the first column where there is a `table`. Where
    a question only names an entity, that is the answer, with its `facts`. `not_used` are words of the
    question that the program leaves out; `carried` says what a follow-up took from earlier turns.
    `expected` is the share of right answers among all that
    are given at this threshold, as it was on graphs left out of the fit. `timings` are seconds of each part.
    """

    question: str
    outcome: Outcome = Outcome.REFUSE
    items: tuple[AnswerItem, ...] = ()
    table: Table | None = None
    facts: Facts | None = None
    unit: str | None = None
    program: str | None = None
    expression: Expression | None = None
    tree: dict[str, Any] | None = None
    paraphrase: str | None = None
    sparql: str | None = None
    score: float | None = None
    confidence: float | None = None
    expected: float | None = None
    entities: tuple[Mention, ...] = ()
    links: Links | None = None
    trace: Trace | None = None
    readings: tuple[Reading, ...] = ()
    not_used: tuple[str, ...] = ()
    reason: str | None = None
    seconds: float = 0.0
    carried: str | None = None
    timings: dict[str, float] = field(default_factory=dict)
    kb: KnowledgeBase | None = field(default=None, compare=False)
    """What answered, for what is told on demand."""

    def shown(self, is_whole: bool = False, most: int = MOST_ROWS) -> Shown | None:
        """The answer as a table, with its telling columns or all; None where names or a value say it."""
        from arcaneqa.answer.shown import shown

        if self.kb is None or self.expression is None or self.facts is not None or self.reason is not None:
            return None
        return shown(self.kb, self.expression, self.items, self.table, is_whole, most)

    @property
    def support(self) -> tuple[Fact, ...]:
        """The facts that make the answer so; of a count, what was counted."""
        from arcaneqa.answer.support import support

        if self.kb is None or self.expression is None:
            return ()
        return support(self.kb, self.expression, self.items)

    def __repr__(self) -> str:
        """ "Answer('what is the capital of France?', 'Paris', 95% sure)"."""
        items = self.items if self.reason is None else ()
        few = [item.label or item.value or item.id or "" for item in items[:MOST_NAMED]]
        more = len(items) - len(few)
        said = ", ".join(map(repr, few)) + (f", … {more:,} more" if more else "")
        sure = "" if self.confidence is None else f", {self.confidence:.0%} sure"
        return f"Answer({self.question!r}, {said or f'reason={self.reason!r}'}{sure})"

    def _repr_html_(self) -> str:
        """For notebooks."""
        from arcaneqa.answer.notebook import answer_html

        return answer_html(self)

    def to_pandas(self) -> pandas.DataFrame:
        """The answers as a data frame: a table as it is, entities with `label` and `iri`, values."""
        from arcaneqa.answer.export import pandas_frame

        return pandas_frame(self)

    def to_polars(self) -> polars.DataFrame:
        from arcaneqa.answer.export import polars_frame

        return polars_frame(self)

    def to_prediction(self, identifier: str) -> Prediction:
        return Prediction(
            id=identifier,
            question=self.question,
            program=self.program,
            sparql=self.sparql,
            answers=self.items,
            table=self.table,
            entities=self.entities,
            paraphrase=self.paraphrase,
            score=self.score,
            confidence=self.confidence,
            seconds=self.seconds,
            reason=self.reason,
            not_used=self.not_used,
            readings=self.readings,
            outcome=self.outcome,
            extra={} if self.facts is None else {"facts": self.facts.to_json()},
        )


def as_asked(question: str) -> str:
    """The question as everything behind the entrance reads it: a long stretch of white space is one space."""
    return _WIDE.sub(" ", question) if len(question) <= MOST_CHARACTERS else question


def refusal(question: str) -> Answer | None:
    """What is refused before anything is looked up: no text, nothing, too much, or no question in English."""
    if not is_text(question):
        return Answer(question, reason="The question holds half a character, which is no text; ask again.")
    if not question.strip():
        return Answer(question, reason="The question is empty; ask something.")
    if len(question) > MOST_CHARACTERS:
        return Answer(
            question[:MOST_CHARACTERS],
            reason=f"The question has {len(question):,} characters; ask in at most {MOST_CHARACTERS:,}.",
        )
    reason = junk(question)
    return None if reason is None else Answer(question, reason=reason)
