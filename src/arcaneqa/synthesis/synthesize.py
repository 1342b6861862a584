"""Question–program pairs from a knowledge base: sample a program, put it into words, keep it if sound."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Iterator
from random import Random

from arcaneqa.errors import BudgetExceeded, InputError, ProgramError
from arcaneqa.induction.induction import Induction
from arcaneqa.induction.targets import Inadmissible, targets
from arcaneqa.induction.topics import topics_from_gold
from arcaneqa.kb.interface import KnowledgeBase
from arcaneqa.kb.short_names import Names
from arcaneqa.program import expression as ex
from arcaneqa.program.answers import answer_terms
from arcaneqa.program.canonical import canonical
from arcaneqa.program.execute import Budget, Result, execute
from arcaneqa.program.key_values import whole_number
from arcaneqa.program.text import print_program
from arcaneqa.record import Mention, Question
from arcaneqa.synthesis.form_phrases import FormSpeaker
from arcaneqa.synthesis.form_programs import FormSampler
from arcaneqa.synthesis.form_questions import ask
from arcaneqa.synthesis.keywords import keywords
from arcaneqa.synthesis.lexicon import Lexicon
from arcaneqa.synthesis.noun_phrases import UnspeakableError
from arcaneqa.synthesis.sampled_facts import Facts, Found
from arcaneqa.synthesis.sampling import Sampler
from arcaneqa.synthesis.surface import Span, finish

SHARES = {
    "one": 0.13,
    "two": 0.09,
    "three": 0.03,
    "chain": 0.07,
    "both": 0.08,
    "compare": 0.08,
    "extreme": 0.09,
    "count": 0.07,
    "cons": 0.02,
    "tc": 0.02,
    "most": 0.05,
    "many": 0.03,
    "rank": 0.03,
    "either": 0.03,
    "without": 0.03,
    "having": 0.02,
    "total": 0.04,
    "different": 0.015,
    "than": 0.025,
    "range": 0.015,
    "same": 0.015,
    "yes": 0.03,
    "like": 0.01,
    "sort": 0.015,
    "table": 0.04,
    "each": 0.02,
    "of": 0.06,
}
"""How often each kind of program is asked for."""
_BY_KEYWORDS = 0.08
"""The share of questions that are asked by keywords, where that is possible."""
_MOST_WORDINGS = 3
"""Of one program."""
_LARGEST_ANSWER = 300
"""Members of an answer; more is nothing that anybody asks for."""
_LONGEST_QUESTION = 200
"""Characters."""
_BUDGET = Budget(seconds=5)
_WINDOW, _FEWEST = 1000, 20
"""A knowledge base is exhausted when so few of the last programs gave a new question."""


def synthesize(kb: KnowledgeBase, size: int, seed: int = 0) -> Iterator[Question]:
    """`size` pairs as records, or fewer where the knowledge base has no more to ask; the same for the same
    seed."""
    return (question for question, _ in with_programs(kb, size, seed))


def with_programs(
    kb: KnowledgeBase, size: int, seed: int = 0, careful: bool = False
) -> Iterator[tuple[Question, ex.Expression]]:
    """The same, each with its program as it is before it is written into the record.

    `careful` questions are whole sentences without typing errors, and with capitals where they belong.
    """
    rng = Random(seed)
    facts = Facts(kb, Random(seed))
    induction = Induction(kb)
    sampler = Sampler(kb, facts, induction.vocabulary, rng)
    forms = FormSampler(sampler)
    writer = _Writer(induction, Lexicon(kb, facts), rng, careful)
    said: set[str] = set()
    wordings: Counter[ex.Expression] = Counter()
    made = 0
    tries: deque[bool] = deque([True] * _WINDOW, _WINDOW)
    while made < size and sum(tries) > _FEWEST:
        tries.append(False)
        (kind,) = rng.choices(list(SHARES), list(SHARES.values()))
        found = _executed(forms.kinds[kind](), kb) if kind in forms.kinds else _drawn(sampler.kinds[kind]())
        written = None if found is None else writer.write(*found, f"synth-{made}")
        if written is None:
            continue
        question, program = written
        key = question.question.lower().rstrip("?.")
        if key in said or wordings[program] == _MOST_WORDINGS:
            continue
        said.add(key)
        wordings[program] += 1
        tries[-1] = True
        made += 1
        yield question, program
    if made == 0:
        raise InputError(
            "Nothing can be asked of this knowledge base: it has no facts about entities with labels."
        )


def _drawn(found: Found | None) -> tuple[ex.Expression, Result] | None:
    if found is None:
        return None
    is_count = isinstance(found.expression, ex.Count)
    return found.expression, Result(found.nodes, value=whole_number(len(found.nodes)) if is_count else None)


def _executed(program: ex.Expression | None, kb: KnowledgeBase) -> tuple[ex.Expression, Result] | None:
    """A program with what it finds; None where it does not fit this knowledge base."""
    if program is None:
        return None
    try:
        return program, execute(program, kb, _BUDGET)
    except (ProgramError, BudgetExceeded):
        return None


class _Writer:
    """Puts programs into words, each a little differently."""

    def __init__(self, induction: Induction, lexicon: Lexicon, rng: Random, careful: bool) -> None:
        self._induction, self._lexicon, self._rng, self._careful = induction, lexicon, rng, careful
        self._kb = induction.kb
        self._names = Names(self._kb.profile)

    def write(
        self, program: ex.Expression, result: Result, name: str
    ) -> tuple[Question, ex.Expression] | None:
        """A record, unless the program is trivial, cannot be said, or cannot be built by induction; and the
        program as it is written there."""
        size = len(result.nodes)
        is_set = ex.denotes(program) is ex.Denotation.SET
        if size == 0 or (is_set and (size > _LARGEST_ANSWER or self._is_trivial(program, result))):
            return None
        speaker = FormSpeaker(self._lexicon, self._rng, self._careful)
        by_keywords = not self._careful and self._rng.random() < _BY_KEYWORDS
        try:
            draft = keywords(speaker, program) if by_keywords else ask(speaker, program, size)
        except UnspeakableError:
            return None
        surfaces = [surface for _, surface in speaker.marks]
        text, spans = finish(draft, surfaces, self._rng, self._careful)
        if len(spans) != len(surfaces) or len(text) > _LONGEST_QUESTION:
            return None
        topics = [speaker.marks[span.index][0] for span in spans]
        mentions = tuple(self._mention(topic, span) for topic, span in zip(topics, spans, strict=True))
        program = canonical(program, topics)
        gold = topics_from_gold(mentions, self._kb, text, program)
        if isinstance(targets(self._induction, text, program, gold), Inadmissible):
            return None
        question = Question(
            id=name,
            question=text,
            program=print_program(program, self._names),
            answers=answer_terms(result, self._kb),
            entities=mentions,
            function=function_of(program),
            relations=ex.count_relations(program),
        )
        return question, program

    def _mention(self, topic: ex.Entity | ex.Value, span: Span) -> Mention:
        term = topic.literal.lexical if isinstance(topic, ex.Value) else self._names.write(topic.term)
        return Mention(term, span.text, span.start, span.end)

    def _is_trivial(self, program: ex.Expression, result: Result) -> bool:
        """Whether the answer is no more than what the question names."""
        topics: set[int | None] = set()
        for node in ex.post_order(program):
            if isinstance(node, ex.Entity):
                topics.add(self._kb.node(node.term))
            elif isinstance(node, ex.Value):
                topics.update(self._kb.equal(node.literal).ids.tolist())
        return set(result.nodes.ids[: len(topics) + 1].tolist()) <= topics


def function_of(program: ex.Expression) -> str:
    """In GrailQA's words: count, argmax, argmin, a comparison sign or none; cons and tc beside them.

    The outermost of several counts.
    """
    for node in reversed(list(ex.post_order(program))):
        match node:
            case ex.Count():
                return "count"
            case ex.Extreme(direction, _, _):
                return direction.value.lower()
            case ex.Compare(comparison, _, _):
                return comparison.sign
            case ex.During():
                return "tc"
            case ex.Cons():
                return "cons"
    return "none"
