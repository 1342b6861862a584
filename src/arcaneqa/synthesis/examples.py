"""Questions that people who see a knowledge base for the first time might ask."""

from __future__ import annotations

import re
from collections.abc import Iterator

from arcaneqa.errors import ArcaneError
from arcaneqa.kb.interface import KnowledgeBase
from arcaneqa.kb.names.forms import is_code, split
from arcaneqa.kb.short_names import Names
from arcaneqa.program.expression import relations
from arcaneqa.program.text import parse
from arcaneqa.record import Question
from arcaneqa.synthesis.synthesize import synthesize

_LONGEST = 70
"""Characters of an example question."""
_DRAWN = 150
"""Questions made to choose from."""
_MOST_ANSWERS = 50
"""That an example question has."""
_ADDRESS = re.compile(r"@|://|www\.|\.(?:com|org|net)\b")
_CODES = re.compile(r"\b(?:id|identifier|code|key)\b", re.IGNORECASE)
_NUMBERED = re.compile(r"[a-z ]+ [\d-]+")
_NUMBER = re.compile(r"[\d.,:-]+|\d.* (?:thousand|million|billion)")


def example_questions(kb: KnowledgeBase, seed: int = 0) -> Iterator[Question]:
    """Short questions about what has a name, as they are drawn; none where there is little to ask."""
    try:
        for question in synthesize(kb, _DRAWN, seed, careful=True):
            if _is_readable(question) and _is_sensible(question) and not _is_about_codes(question, kb):
                yield question
    except ArcaneError:
        return


def _is_readable(question: Question) -> bool:
    """A whole question about one thing at a time."""
    is_simple = question.relations is not None and question.relations <= 2
    return is_simple and question.question.endswith("?") and len(question.question) <= _LONGEST


def _is_sensible(question: Question) -> bool:
    """Nobody asks where a telephone number is, or for hundreds of answers."""
    named = [mention.mention or mention.id for mention in question.entities]
    is_few = question.answers is not None and len(question.answers) <= _MOST_ANSWERS
    return is_few and not any(_is_code(name) for name in named)


def _is_about_codes(question: Question, kb: KnowledgeBase) -> bool:
    """Whether the program goes along a relation that only tells things apart."""
    names = Names(kb.profile)
    program = parse(question.program or "", names, kb.schema)
    known = (kb.schema.relation_ids.get(relation.iri) for relation in relations(program))
    return any(
        kb.schema.relations[relation].is_identifier or _CODES.search(kb.schema.relations[relation].label)
        for relation in known
        if relation is not None
    )


def _is_code(name: str) -> bool:
    """Also "flight 7": a kind of thing with a number is what something without a name is called."""
    if _NUMBERED.fullmatch(name):
        return True
    if _NUMBER.fullmatch(name) and "-" not in name:
        return False
    return _ADDRESS.search(name) is not None or is_code(split(name))
