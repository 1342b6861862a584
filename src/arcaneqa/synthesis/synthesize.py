"""Question–program pairs from a knowledge base: sample a program, put it into words, keep it if sound."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

from arcaneqa.datasets.record import Mention, Question
from arcaneqa.errors import InputError
from arcaneqa.induction.induction import Induction
from arcaneqa.induction.targets import Inadmissible, targets
from arcaneqa.induction.topics import topics_from_gold
from arcaneqa.kb.interface import KnowledgeBase
from arcaneqa.kb.names import Names
from arcaneqa.program.execute import Result
from arcaneqa.program.expression import Count, Entity, Expression, Value, post_order
from arcaneqa.program.steps import canonical
from arcaneqa.program.text import print_program
from arcaneqa.synthesis import questions
from arcaneqa.synthesis.facts import Facts
from arcaneqa.synthesis.lexicon import Lexicon
from arcaneqa.synthesis.records import answers_of, function_of, relations_of
from arcaneqa.synthesis.sampling import Found, Sampler
from arcaneqa.synthesis.surface import Span, finish
from arcaneqa.synthesis.wording import Speaker, UnspeakableError

SHARES = {
    "one": 0.26,
    "two": 0.14,
    "three": 0.03,
    "both": 0.11,
    "compare": 0.13,
    "extreme": 0.16,
    "count": 0.10,
    "cons": 0.04,
    "tc": 0.03,
}
"""How often each kind of program is asked for."""
_LARGEST_ANSWER = 300
_LONGEST_QUESTION = 200
_MOST_FAILURES = 2000


def synthesize(kb: KnowledgeBase, size: int, seed: int = 0, prefix: str = "synth") -> Iterator[Question]:
    """`size` pairs, or fewer where the knowledge base has no more to ask; the same for the same seed."""
    rng = Random(seed)
    facts = Facts(kb, Random(seed))
    induction = Induction(kb)
    sampler = Sampler(kb, facts, induction.vocabulary, rng)
    lexicon = Lexicon(kb, facts)
    names = Names(kb.profile)
    said: set[str] = set()
    asked: dict[str, int] = {}
    made = failures = 0
    kinds, shares = list(SHARES), list(SHARES.values())
    while made < size and failures < _MOST_FAILURES:
        (kind,) = rng.choices(kinds, shares)
        found = sampler.kinds[kind]()
        question = None if found is None else _put(found, induction, lexicon, names, rng, f"{prefix}-{made}")
        key = "" if question is None else " ".join(question.question.lower().rstrip("?.").split())
        if question is None or key in said or asked.get(question.program or "", 0) >= 3:
            failures += 1
            continue
        said.add(key)
        asked[question.program or ""] = asked.get(question.program or "", 0) + 1
        made, failures = made + 1, 0
        yield question
    if made == 0:
        raise InputError(
            "Nothing could be asked: the entities of this knowledge base have no labels, or it has no facts."
        )


def _put(
    found: Found, induction: Induction, lexicon: Lexicon, names: Names, rng: Random, name: str
) -> Question | None:
    """The record of a program, unless it is trivial, cannot be said, or cannot be built by induction."""
    kb = induction.kb
    is_count = isinstance(found.expression, Count)
    if not found.nodes or (len(found.nodes) > _LARGEST_ANSWER and not is_count) or _is_trivial(found, kb):
        return None
    speaker = Speaker(lexicon, rng)
    try:
        draft = questions.ask(speaker, found.expression, len(found.nodes))
    except UnspeakableError:
        return None
    text, spans = finish(draft, [surface for _, surface in speaker.marks], rng)
    if len(spans) != len(speaker.marks) or len(text) > _LONGEST_QUESTION:
        return None
    topics = [speaker.marks[span.index][0] for span in spans]
    program = canonical(found.expression, topics)
    mentions = tuple(_mention(topic, span, names) for topic, span in zip(topics, spans, strict=True))
    if isinstance(
        targets(induction, text, program, topics_from_gold(mentions, kb, text, program)), Inadmissible
    ):
        return None
    result = Result(found.nodes, len(found.nodes) if is_count else None)
    return Question(
        id=name,
        question=text,
        program=print_program(program, names),
        answers=answers_of(result, kb, names),
        entities=mentions,
        function=function_of(program),
        relations=relations_of(program),
    )


def _mention(topic: Entity | Value, span: Span, names: Names) -> Mention:
    term = topic.literal.lexical if isinstance(topic, Value) else names.write(topic.term)
    return Mention(term, span.text, span.start, span.end)


def _is_trivial(found: Found, kb: KnowledgeBase) -> bool:
    """Whether the answer is no more than what the question names."""
    topics: list[Expression] = [n for n in post_order(found.expression) if isinstance(n, Entity)]
    nodes = {kb.node(topic.term) for topic in topics if isinstance(topic, Entity)}
    return not isinstance(found.expression, Count) and set(found.nodes.ids[:4].tolist()) <= nodes
