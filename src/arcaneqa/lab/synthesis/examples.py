"""Questions that people who see a knowledge base for the first time might ask."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from arcaneqa.kb.interface import KnowledgeBase
from arcaneqa.kb.names.name_forms import is_code, split
from arcaneqa.kb.schema import Relation
from arcaneqa.lab.synthesis.synthesize import with_programs
from arcaneqa.language.expression import Entity, Expression, Like, post_order, relations
from arcaneqa.record import Question
from arcaneqa.support.errors import ArcaneError

_LONGEST = 70
"""Characters of an example question."""
_LONGEST_TEXT = 60
"""Characters of an answer."""
_DRAWN = 400
"""Questions made to choose from."""
_MOST_ANSWERS = 50
"""That an example question has."""
_FEWEST_FACTS = 5
"""A relation with fewer is an oddity of the file."""
_ADDRESS = re.compile(r"@|://|www\.|\.(?:com|org|net)\b")
_CODES = re.compile(r"\b(?:id|identifier|code|key)\b", re.IGNORECASE)
_NUMBERED = re.compile(r"[a-z ]+ [\d-]+")
_NUMBER = re.compile(r"[\d.,:-]+|\d.* (?:thousand|million|billion)")
_NOTHING = re.compile(
    r"\b(?:unknown|none|null|nil|n/a|unspecified|undefined|undetermined|other)s?\b", re.IGNORECASE
)
"""What people write where they know nothing."""
_CLUMSY = re.compile(
    r"\bof a (?:minimum|maximum) of\b|\b0\b|\bthings?\b|\b(\w+) \1\b|\bdo you know\b"
    r"|\b(?:many|which|the|as|has|have|whose) (?:\w+ed|made|born|known) (?:in|from|by|of|at|on|to|with)\b"
    r"|\b(?:whose|later|earlier|first|last) \w+ed\b|\b(?:broader|narrower|related)s\b"
    r"|\bis [^?]*'s [^?]*[^su]s\b|\bat least 1\b|\d\.\d|\b\d[\d,]{4,}",
    re.IGNORECASE,
)
"""Sound, but nobody would say it so, or ask it."""


@dataclass(frozen=True, slots=True)
class ExampleQuestion:
    """A question, and how well known is what it names: the facts about the least known of it."""

    question: Question
    facts: int


def example_questions(kb: KnowledgeBase, seed: int = 0) -> Iterator[ExampleQuestion]:
    """Short questions about what has a name, as they are drawn; none where there is little to ask."""
    try:
        for question, program in with_programs(kb, _DRAWN, seed, careful=True):
            if _is_readable(question) and _is_sensible(question) and _is_about_much(program, kb):
                yield ExampleQuestion(question, _facts(program, kb))
    except ArcaneError:
        return


def is_worth_showing(text: str) -> bool:
    """Whether a text is an answer that tells a visitor something: no code, no address, no page of prose."""
    return len(text) <= _LONGEST_TEXT and not _NOTHING.fullmatch(text) and not _is_code(text)


def _is_readable(question: Question) -> bool:
    """A whole question about one thing at a time, as somebody would say it."""
    is_simple = question.relations is not None and question.relations <= 2
    is_short = question.question.endswith("?") and len(question.question) <= _LONGEST
    return is_simple and is_short and not any(p.search(question.question) for p in (_CLUMSY, _NOTHING))


def _is_sensible(question: Question) -> bool:
    """Nobody asks where a telephone number is, for hundreds of answers, or how many there are of one."""
    named = [mention.mention or mention.id for mention in question.entities]
    answers = question.answers or ()
    is_few = 0 < len(answers) <= _MOST_ANSWERS and (question.function, *answers) != ("count", "1")
    return is_few and not any(_is_code(name) for name in named)


def _is_about_much(program: Expression, kb: KnowledgeBase) -> bool:
    """Whether it goes along relations that say something, of more than a few things."""
    nodes = list(post_order(program))
    used = (kb.schema.relation_ids.get(relation.iri) for node in nodes for relation in relations(node))
    tell = all(_tells(kb.schema.relations[relation]) for relation in used if relation is not None)
    return tell and not any(isinstance(node, Like) for node in nodes)


def _tells(relation: Relation) -> bool:
    is_code = relation.is_identifier or _CODES.search(relation.label)
    return relation.facts >= _FEWEST_FACTS and not is_code


def _facts(program: Expression, kb: KnowledgeBase) -> int:
    named = (kb.node(node.term) for node in post_order(program) if isinstance(node, Entity))
    ids = np.array([node for node in named if node is not None], np.int64)
    return int(kb.degrees(ids).min()) if len(ids) else 0


def _is_code(name: str) -> bool:
    """Also "flight 7": a kind of thing with a number is what something without a name is called."""
    if _NUMBERED.fullmatch(name):
        return True
    if _NUMBER.fullmatch(name) and "-" not in name:
        return False
    return _ADDRESS.search(name) is not None or is_code(split(name))
