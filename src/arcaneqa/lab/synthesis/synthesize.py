"""Question–program pairs from a knowledge base: sample a program, put it into words, keep it if sound."""

from __future__ import annotations

import itertools
from collections import Counter, deque
from collections.abc import Iterator
from random import Random

from arcaneqa.induction.induction import Induction
from arcaneqa.induction.targets import Inadmissible, targets
from arcaneqa.induction.topics import topics_from_gold
from arcaneqa.kb.interface import KnowledgeBase
from arcaneqa.kb.short_names import Names
from arcaneqa.lab.synthesis.facts import SampledFacts
from arcaneqa.lab.synthesis.forms import Forms
from arcaneqa.lab.synthesis.questions import ask, finish
from arcaneqa.lab.synthesis.speaker import QuestionSpeaker, UnspeakableError, Words
from arcaneqa.language import expression as ex
from arcaneqa.language.rewrite import canonical, rewrite
from arcaneqa.language.run import Budget, Result, answer_terms, execute
from arcaneqa.language.text import print_program
from arcaneqa.record import Mention, Question
from arcaneqa.support.errors import BudgetExceeded, InputError, ProgramError

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
    facts = SampledFacts(kb, Random(seed))
    induction = Induction(kb)
    forms = Forms(kb, facts, induction.vocabulary, rng)
    writer = _Writer(induction, facts, rng, careful)
    said: set[str] = set()
    wordings: Counter[ex.Expression] = Counter()
    made = 0
    tries: deque[bool] = deque([True] * _WINDOW, _WINDOW)
    while made < size and sum(tries) > _FEWEST:
        tries.append(False)
        program = forms.draw()
        written = None if program is None else writer.write(program, f"synth-{made}")
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


class _Writer:
    """Puts programs into words, each a little differently."""

    def __init__(self, induction: Induction, facts: SampledFacts, rng: Random, careful: bool) -> None:
        self._induction, self._facts, self._rng, self._careful = induction, facts, rng, careful
        self._kb = induction.kb
        self._names = Names(self._kb.profile)
        self._words = Words(self._kb, rng)

    def write(self, program: ex.Expression, name: str) -> tuple[Question, ex.Expression] | None:
        """A record, unless the program is trivial, cannot be said, or cannot be built by induction; and the
        program as it is written there."""
        try:
            result = execute(program, self._kb, _BUDGET)
        except (ProgramError, BudgetExceeded):
            return None
        size = len(result.nodes)
        is_set = ex.denotes(program) is ex.Denotation.SET
        if size == 0 or (is_set and (size > _LARGEST_ANSWER or self._is_trivial(program, result))):
            return None
        said = self._said(program, size)
        if said is None:
            return None
        text, topics, mentions = said
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

    def _said(
        self, program: ex.Expression, size: int
    ) -> tuple[str, list[ex.Entity | ex.Value], tuple[Mention, ...]] | None:
        """A question that names each entity and value of the program, and where it does."""
        implied = frozenset(node.constant for node in ex.post_order(program) if isinstance(node, ex.Cons))
        self._words.begin(implied)
        try:
            draft = ask(QuestionSpeaker(self._words), self._without_nameless(program), size)
        except UnspeakableError:
            return None
        text, named = finish(draft, self._words.marks, self._rng, self._careful)
        topics = [term for term, _, _ in named]
        if len(text) > _LONGEST_QUESTION or not _named(program) - implied <= set(topics):
            return None
        return text, topics, tuple(itertools.starmap(self._mention, named))

    def _without_nameless(self, program: ex.Expression) -> ex.Expression:
        """Two relations as one where they meet in a node without a name: nobody speaks of that."""

        def shorten(node: ex.Expression) -> ex.Expression:
            match node:
                case ex.Join(near, ex.During(ex.Join(far, argument), dated, when)) if self._is_nameless(far):
                    return ex.During(ex.Join(near, argument), dated, when)
                case ex.Join(near, ex.Join(far, argument)) if self._is_nameless(far):
                    return ex.Join(near, argument)
            return node

        return rewrite(program, shorten)

    def _is_nameless(self, relation: ex.Relation) -> bool:
        number = self._kb.schema.relation_ids[relation.iri]
        return self._facts.leads_to_nameless(number, relation.inverse)

    def _mention(self, topic: ex.Entity | ex.Value, text: str, start: int) -> Mention:
        term = topic.literal.lexical if isinstance(topic, ex.Value) else self._names.write(topic.term)
        return Mention(term, text, start, start + len(text))

    def _is_trivial(self, program: ex.Expression, result: Result) -> bool:
        """Whether the answer is no more than what the question names."""
        topics: set[int | None] = set()
        for node in _named(program):
            if isinstance(node, ex.Entity):
                topics.add(self._kb.node(node.term))
            else:
                topics.update(self._kb.equal(node.literal).ids.tolist())
        return set(result.nodes.ids[: len(topics) + 1].tolist()) <= topics


def _named(program: ex.Expression) -> set[ex.Entity | ex.Value]:
    return {node for node in ex.post_order(program) if isinstance(node, ex.Entity | ex.Value)}


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
