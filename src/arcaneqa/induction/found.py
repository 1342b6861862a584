"""What a search ends with, and how a model weighs the programs found as wholes."""

from __future__ import annotations

import math
from collections.abc import Generator, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from arcaneqa.induction.scorer import Candidate, Decision, Scores, TokenKind, TopicWords
from arcaneqa.induction.topics import Topic
from arcaneqa.induction.vocabulary import ANYTHING, class_words, domain_words, range_words
from arcaneqa.kb.interface import KnowledgeBase, NodeSet
from arcaneqa.kb.schema import Schema, ValueKind
from arcaneqa.kb.values import kind_of
from arcaneqa.language import expression as ex
from arcaneqa.language.expression import Expression
from arcaneqa.language.phrase import paraphrase
from arcaneqa.language.run import Result, ResultTable

# What a search ends with: programs, and what was considered at each step of one, as plain data.


class Considered(NamedTuple):
    """One step: the candidates with their log-probabilities, which was taken, and to how large a set it led.

    `size` is None unless the step closed a subprogram; `context` is the program before the step; `left_out`
    is how many candidates a shortlist spared the model, `level` how well those it read fit (`Scores`).
    """

    context: str
    candidates: Sequence[Candidate]
    log_probs: NDArray[np.float32]
    choice: int
    size: int | None = None
    left_out: int = 0
    level: float = 0.0

    def to_json(self, most: int | None = None) -> dict[str, Any]:
        """The `most` likely candidates, best first, and always the one taken."""
        order = np.argsort(-self.log_probs, kind="stable").tolist()
        kept = order if most is None else order[:most]
        if self.choice not in kept:
            kept.append(self.choice)
        return {
            "context": self.context,
            "candidates": [
                {
                    "kind": self.candidates[position].kind.value,
                    "text": self.candidates[position].text,
                    "types": self.candidates[position].types,
                    "variable": self.candidates[position].variable,
                    "probability": float(np.exp(self.log_probs[position])),
                    "chosen": position == self.choice,
                }
                for position in kept
            ],
            "considered": len(self.candidates),
            "denotation": self.size,
        }


@dataclass(frozen=True, slots=True)
class Trace:
    topics: Sequence[TopicWords]
    steps: Sequence[Considered]

    def to_json(self, most: int | None = None) -> dict[str, Any]:
        return {
            "topics": [{"text": t.text, "start": t.start, "end": t.end} for t in self.topics],
            "steps": [step.to_json(most) for step in self.steps],
        }


@dataclass(frozen=True, slots=True)
class Found:
    """A program with its score, and what it denotes.

    The score is the sum of its log-probabilities and priors; `reading` is the log-probability of its answers
    where the model reads it as a whole beside the others. `origin` names the proposal that made it of another
    program, whose score it has; none where the search found it.
    """

    program: Expression
    score: float
    result: Result
    topics: tuple[Topic, ...]
    trace: Trace
    reading: float = 0.0
    origin: str = ""

    @property
    def nodes(self) -> NodeSet:
        """The members of a set or list, or what a number or table is about."""
        return self.result.nodes


@dataclass(frozen=True, slots=True)
class SearchOutcome:
    """Programs, best first. `is_complete` is False where time ran out before the beam was done.

    `none` is the probability that none of them is meant, as far as the model was asked (`readings`).
    """

    found: tuple[Found, ...]
    is_complete: bool
    none: float = 0.0


# Programs weighed as wholes: the model reads the question once more, beside all that was found.


NONE = Candidate(TokenKind.END, "none of these")


class Readings:
    """Asks a scorer for the last decision; a reading is all found programs with the same answers.

    Only a scorer that has learned what `NONE` means is offered it.
    """

    def __init__(self, kb: KnowledgeBase, offers_none: bool = False) -> None:
        self._kb = kb
        self._offers_none = offers_none

    def weigh(
        self, question: str, outcome: SearchOutcome
    ) -> Generator[list[Decision], Sequence[Scores], SearchOutcome]:
        """The programs with what the model makes of their answers; yields the decision and is sent its
        scores."""
        readings = distinct(outcome.found, self._kb)
        candidates = [self.candidate(best.program, best.result) for best, *_ in readings]
        if candidates and self._offers_none:
            candidates.append(NONE)
        if len(candidates) < 2:
            return outcome
        (scores,) = yield [Decision(question, (), candidates)]
        chances = zip(readings, scores.log_probs.tolist(), strict=False)
        weighed = [replace(one, reading=log_prob) for same, log_prob in chances for one in same]
        none = math.exp(scores.log_probs[-1]) if self._offers_none else 0.0
        return replace(outcome, found=tuple(weighed), none=none)

    def candidate(self, program: ex.Expression, result: Result) -> Candidate:
        """ "the capital of France", which leads to "1 city"; for a scorer it is an end of the program."""
        return Candidate(TokenKind.END, paraphrase(program, self._kb), self._answers(program, result))

    def _answers(self, program: ex.Expression, result: Result) -> str:
        match ex.denotes(program):
            case ex.Denotation.NUMBER:
                is_time = result.value is not None and kind_of(result.value) is ValueKind.TIME
                return "date" if is_time else "number"
            case ex.Denotation.TRUTH:
                return "yes or no"
            case ex.Denotation.TABLE:
                assert result.table is not None
                return f"{len(result.table.rows)} rows"
            case _:
                return f"{len(result.nodes)} {_kind(program, self._kb.schema)}"


def distinct(found: Sequence[Found], kb: KnowledgeBase) -> list[list[Found]]:
    """The readings, each with its likeliest program first."""
    groups: list[list[Found]] = []
    for one in found:
        for group in groups:
            if is_same(one.result, group[0].result, kb):
                group.append(one)
                break
        else:
            groups.append([one])
    return groups


def is_same(one: Result, two: Result, kb: KnowledgeBase) -> bool:
    """Whether two answers are equal; sets of different sizes are never looked at."""
    if one.value is not None or two.value is not None:
        return one.value == two.value
    if one.table is not None or two.table is not None:
        return one.table is not None and two.table is not None and _same_rows(one.table, two.table, kb)
    if one.order is not None and two.order is not None:
        return len(one.order) == len(two.order) and bool((one.order == two.order).all())
    same_size = (one.order is None) == (two.order is None) and len(one.nodes) == len(two.nodes)
    return same_size and bool((one.nodes.ids == two.nodes.ids).all())


def _same_rows(one: ResultTable, two: ResultTable, kb: KnowledgeBase) -> bool:
    """A number may be computed in one table and stand in the facts in the other."""
    same_size = len(one.rows) == len(two.rows) and len(one.columns) == len(two.columns)
    return same_size and (one.rows == two.rows or one.terms(kb) == two.terms(kb))


def _kind(program: ex.Expression, schema: Schema) -> str:
    """What the answers are, by the schema alone."""
    match program:
        case ex.Class(iri):
            return class_words(schema.classes[schema.class_ids[iri]])
        case ex.Join(relation, _):
            known = schema.relations[schema.relation_ids[relation.iri]]
            return range_words(known, schema) if relation.inverse else domain_words(known, schema)
        case ex.Has(relation):
            known = schema.relations[schema.relation_ids[relation.iri]]
            return range_words(known, schema) if relation.inverse else domain_words(known, schema)
        case ex.Compare(_, ex.Relation() as relation, _) | ex.Like(relation, _):
            return domain_words(schema.relations[schema.relation_ids[relation.iri]], schema)
        case ex.And(left, right):
            kinds = [_kind(side, schema) for side in (left, right)]
            return kinds[0] if isinstance(left, ex.Class) or kinds[1] == ANYTHING else kinds[1]
        case ex.Or(argument, _) | ex.Not(argument, _) | ex.Sort(argument):
            return _kind(argument, schema)
        case ex.Extreme(_, argument, _) | ex.Cons(argument, _, _) | ex.During(argument, _, _):
            return _kind(argument, schema)
        case _:
            return ANYTHING
