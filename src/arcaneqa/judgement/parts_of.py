"""Relations that say what something is of another, asked from the other side: what is "part of" a flower are
its parts, and whatever is "top concept of" something is a top concept."""

from __future__ import annotations

import re

import numpy as np

from arcaneqa.judgement.asked_kinds import classes_called
from arcaneqa.judgement.small_words import root_of
from arcaneqa.judgement.told import Told, in_small, named
from arcaneqa.kb.interface import KnowledgeBase
from arcaneqa.kb.names.name_forms import split
from arcaneqa.kb.schema import Relation
from arcaneqa.links import Links
from arcaneqa.program import expression as ex

_ASKING = r"(?:(?P<many>how\s+many)|what|which|(?:list|show|name|give)(?:\s+me)?)"
_ARTICLE = r"(?:(?:the|an?)\s+)?"
_HAS = re.compile(rf"{_ASKING}\s+(?P<what>\w+(?:\s+\w+){{0,2}}?)\s+(?:does|do|did)\s+{_ARTICLE}")
_OF = re.compile(
    rf"(?:{_ASKING}\s+)?(?:(?:are|is)\s+)?(?:all\s+)?(?:the\s+)?(?P<what>\w+(?:\s+\w+){{0,2}}?)\s+of\s+{_ARTICLE}"
)
_THERE = re.compile(rf"{_ASKING}\s+(?P<what>\w+(?:\s+\w+){{0,2}}?)\s+(?:are\s+there|there\s+are|exist)")


def parts_told(question: str, links: Links, kb: KnowledgeBase) -> Told | None:
    if (text := in_small(question)) is None:
        return None
    if (asked := _THERE.fullmatch(text)) is not None:
        relation = _called(asked["what"], kb)
        if relation is None or classes_called(asked["what"], kb):
            return None
        return Told(_counted(asked, ex.Has(ex.Relation(relation.iri))), (), relation)
    for topic in named(links, kb):
        before, behind = text[: topic.words.start], text[topic.words.end :].strip()
        asked = _HAS.fullmatch(before) if behind == "have" else None if behind else _OF.fullmatch(before)
        relation = None if asked is None else _called(asked["what"], kb)
        if asked is None or relation is None or not isinstance(topic.term, ex.Entity):
            continue
        node = kb.node(topic.term.term)
        into = kb.in_relations(kb.nodes(np.array([] if node is None else [node], np.int64)))
        if relation.id in into.tolist():
            program = ex.Join(ex.Relation(relation.iri), topic.term)
            return Told(_counted(asked, program), (topic,), relation)
    return None


def _counted(asked: re.Match[str], program: ex.Expression) -> ex.Expression:
    return ex.Count(program) if asked["many"] else program


def _called(what: str, kb: KnowledgeBase) -> Relation | None:
    """The one relation of that name and "of", unless another says the same the other way."""
    noun = [root_of(word) for word in split(what)]
    shown = [relation for relation in kb.schema.relations if not relation.hidden]
    labels = [[root_of(word) for word in split(relation.label)] for relation in shown]
    if noun in labels:
        return None
    said = [
        relation for relation, label in zip(shown, labels, strict=True) if label == [*noun, root_of("of")]
    ]
    return said[0] if len(said) == 1 else None
