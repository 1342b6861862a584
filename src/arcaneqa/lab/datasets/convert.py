"""From drafts to records: programs as text, mentions with spans, and answers where there is a KB."""

from __future__ import annotations

import statistics
import time
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from arcaneqa.kb.interface import KnowledgeBase
from arcaneqa.kb.names.words import label_from_iri
from arcaneqa.kb.profile import Profile
from arcaneqa.kb.short_names import Names
from arcaneqa.kb.terms import Iri
from arcaneqa.lab.datasets import cwq, grailqa, simplequestions, unified, webqsp
from arcaneqa.lab.datasets.draft import DraftQuestion, function_of
from arcaneqa.lab.datasets.mention_places import locate
from arcaneqa.lab.datasets.published_queries import Publication
from arcaneqa.language.expression import Entity, Expression, count_relations, post_order
from arcaneqa.language.run import Budget, answer_terms, execute, same_answers
from arcaneqa.language.text import print_program
from arcaneqa.record import Mention, Question
from arcaneqa.support.errors import BudgetExceeded, ProgramError

FORMATS = ("grailqa", "graphq", "webqsp", "cwq", "simplequestions", "spider", "records")
_BUDGET = Budget(seconds=20)
_LEAVES_OUT = "the query leaves out more than a program can say"


@dataclass
class ConversionSummary:
    """What became of a dataset; `equal`, `different` and `empty` count executed programs."""

    questions: int = 0
    converted: int = 0
    reasons: Counter[str] = field(default_factory=Counter)
    executed: int = 0
    empty: int = 0
    compared: int = 0
    equal: int = 0
    entities: int = 0
    located: int = 0
    seconds: list[float] = field(default_factory=list)

    @property
    def median_ms(self) -> float | None:
        return 1000 * statistics.median(self.seconds) if self.seconds else None

    def to_json(self) -> dict[str, Any]:
        data: dict[str, Any] = {
            "questions": self.questions,
            "converted": self.converted,
            "not_converted": dict(self.reasons.most_common()),
            "entities": self.entities,
            "entities_located": self.located,
        }
        if self.seconds:
            data |= {"executed": self.executed, "empty": self.empty, "compared": self.compared}
            data |= {"equal_to_published": self.equal, "median_ms": round(self.median_ms or 0, 3)}
        return data

    def table(self) -> str:
        """The summary for people, a line a figure."""
        lines = [f"{self.questions:,} questions, {_share(self.converted, self.questions)} converted"]
        lines += [f"  {count:,} not: {reason}" for reason, count in self.reasons.most_common()]
        located = _share(self.located, self.entities)
        lines.append(f"{self.entities:,} entities named, {located} found in the text")
        if self.seconds:
            lines.append(
                f"{self.executed:,} executed, {self.empty:,} of them without answers, "
                f"median {self.median_ms:.2f} ms"
            )
        if self.compared:
            equal = _share(self.equal, self.compared)
            lines.append(f"{equal} of {self.compared:,} find the published answers")
        return "\n".join(lines)


def _share(part: int, whole: int) -> str:
    return f"{part:,} ({100 * part / whole:.1f}%)" if whole else "none"


def default_profile(format: str) -> str:
    """All published formats are about Freebase; unified records may be about anything."""
    return "rdf" if format == "records" else "freebase"


def read_drafts(
    format: str, path: Path, profile: Profile, kb: KnowledgeBase | None
) -> Iterator[DraftQuestion]:
    """The questions of a published file; a knowledge base helps to tell what a question names."""
    names = Names(profile)
    publication = Publication(profile, Lexicon(names, kb), kb.schema if kb else None)
    match format:
        case "grailqa" | "graphq":
            return grailqa.read(path, names)
        case "webqsp":
            return webqsp.read(path, publication)
        case "cwq":
            return cwq.read(path, publication)
        case "simplequestions":
            return simplequestions.read(path, names)
        case _:
            return unified.read(path, names)


class Lexicon:
    """Names of entities from a knowledge base: label first, then aliases; nothing without one."""

    def __init__(self, names: Names, kb: KnowledgeBase | None) -> None:
        self._names = names
        self._kb = kb

    def __call__(self, entity: str) -> list[str]:
        if self._kb is None:
            return []
        node = self._kb.node(self._names.read(entity))
        if node is None:
            return []
        ids = np.array([node], dtype=np.int64)
        (label,) = self._kb.labels(ids)
        return [*([label] if label else []), *self._kb.aliases(ids)[0]]


class Converter:
    """Turns drafts into records and keeps count of what happened to each."""

    def __init__(
        self, names: Names, kb: KnowledgeBase | None, summary: ConversionSummary | None = None
    ) -> None:
        self.summary = summary or ConversionSummary()
        self._names = names
        self._kb = kb
        self._lexicon = Lexicon(names, kb)
        self._reason = "no program is given"

    def records(self, drafts: Iterable[DraftQuestion]) -> Iterator[Question]:
        for draft in drafts:
            self.summary.questions += 1
            if draft.left_out:
                self.summary.reasons[draft.left_out] += 1
            else:
                yield self._record(draft)

    def _record(self, draft: DraftQuestion) -> Question:
        found = self._executed(draft)
        programs = [program for program, _ in found]
        answers = found[0][1] if found else draft.answers
        sets = self._answer_sets(draft, dict(found)) if len(draft.parses) > 1 else ()
        if not programs:
            self.summary.reasons[draft.reason or self._reason] += 1
            return Question(draft.id, draft.question, answers=answers, level=draft.level, answer_sets=sets)
        self.summary.converted += 1
        texts = tuple(dict.fromkeys(print_program(program, self._names) for program in programs))
        return Question(
            id=draft.id,
            question=draft.question,
            program=texts[0],
            answers=answers,
            entities=self._mentions(draft, programs[0]),
            exclude_mentioned=draft.exclude_mentioned,
            level=draft.level,
            function=draft.function or function_of(programs[0]),
            relations=draft.relations or count_relations(programs[0]),
            programs=texts if len(texts) > 1 else (),
            answer_sets=sets,
        )

    def _executed(self, draft: DraftQuestion) -> list[tuple[Expression, tuple[str, ...] | None]]:
        """Programs with their answers: published ones, or with a KB its own for those it can run.

        With a KB, programs that find something come first.
        """
        if self._kb is None:
            self._reason = _LEAVES_OUT if draft.must_agree else self._reason
            return [] if draft.must_agree else [(program, draft.answers) for program in draft.programs]
        found: list[tuple[Expression, tuple[str, ...] | None]] = []
        empty: set[Expression] = set()
        for program in draft.programs:
            begun = time.perf_counter()
            try:
                result = execute(program, self._kb, _BUDGET, draft.exclude_mentioned)
            except (ProgramError, BudgetExceeded) as error:
                self._reason = _kind_of(error)
                continue
            self.summary.seconds.append(time.perf_counter() - begun)
            found.append((program, answer_terms(result, self._kb)))
            if not result.nodes:
                empty.add(program)
        if draft.must_agree and draft.answers is not None:
            published = draft.answers
            found = [pair for pair in found if same_answers(pair[1] or (), published, self._names)]
            self._reason = self._reason if found else _LEAVES_OUT
        found.sort(key=lambda pair: pair[0] in empty)
        if found:
            self.summary.executed += 1
            self.summary.empty += found[0][0] in empty
            if draft.answers is not None:
                self.summary.compared += 1
                self.summary.equal += same_answers(found[0][1] or (), draft.answers, self._names)
        return found

    def _answer_sets(
        self, draft: DraftQuestion, found: dict[Expression, tuple[str, ...] | None]
    ) -> tuple[tuple[str, ...], ...]:
        """The answers of every parse; the published ones of those this KB cannot run."""
        sets = (
            found[parse.program]
            if self._kb is not None and parse.program is not None and parse.program in found
            else parse.answers
            for parse in draft.parses
        )
        return tuple(answers or () for answers in sets)

    def _mentions(self, draft: DraftQuestion, program: Expression) -> tuple[Mention, ...]:
        """Topics in the order of the question: as the dataset tells them, or the program's entities."""
        if draft.mentions is not None:
            self.summary.entities += len(draft.mentions)
            self.summary.located += sum(mention.start is not None for mention in draft.mentions)
            return draft.mentions
        found = []
        for node in dict.fromkeys(post_order(program)):
            if isinstance(node, Entity):
                id = self._names.write(node.term)
                names = [*draft.names.get(id, ()), *self._lexicon(id)]
                if not names and isinstance(node.term, Iri):
                    names = [label_from_iri(node.term.value)]
                span = locate(draft.question, names)
                self.summary.entities += 1
                self.summary.located += span is not None
                text = None if span is None else draft.question[slice(*span)]
                found.append(Mention(id, text, *(span or (None, None))))
        return tuple(sorted(found, key=lambda m: len(draft.question) if m.start is None else m.start))


def _kind_of(error: ProgramError | BudgetExceeded) -> str:
    """An error without its particulars, so that like is counted with like."""
    if isinstance(error, BudgetExceeded):
        return "takes too long on this knowledge base"
    for what in ("relation", "class"):
        if f"has no {what}" in str(error):
            return f"names a {what} this knowledge base does not have"
    return "is ill typed on this knowledge base"
