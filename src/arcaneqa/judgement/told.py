"""What a question says of one thing that it names, and nothing else: which kinds of ascocarp there are, which
are right below it, whether Lisbon is a city, what else something is called, and what is "part of" a flower,
which are its parts."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from arcaneqa.induction.found import Found
from arcaneqa.induction.scorer import TopicWords
from arcaneqa.induction.topics import Topic
from arcaneqa.judgement.added import added
from arcaneqa.judgement.asked_kinds import classes_called
from arcaneqa.judgement.looked_up import nodes_of
from arcaneqa.judgement.rules import Asked, Said, likeliest
from arcaneqa.judgement.small_words import root_of, roots_in_order
from arcaneqa.judgement.ways import relations_by_name
from arcaneqa.kb.interface import KnowledgeBase, NodeSet
from arcaneqa.kb.profile import SKOS
from arcaneqa.kb.schema import Class, Relation
from arcaneqa.kb.terms import Literal
from arcaneqa.language import expression as ex
from arcaneqa.language.run import execute
from arcaneqa.links import Links, MentionLink
from arcaneqa.support.errors import BudgetExceeded


@dataclass(frozen=True, slots=True)
class Told:
    """A program for what the question says, by a relation or class. Unless `is_certain` it may mean more: a
    port that is no capital by its kind may be one by what is told of it."""

    program: ex.Expression
    topics: tuple[Topic, ...]
    by: Relation | Class
    is_certain: bool = True

    def is_other(self, program: ex.Expression) -> bool:
        return self.is_certain and program != self.program


def told_said(asked: Asked, _: Sequence[Found]) -> Said | None:
    """What a question says of one thing that it names, and nothing else."""
    ways = (kinds_told, other_names, parts_told)
    found_so = (way(asked.question, asked.links, asked.kb) for way in ways)
    told = next((one for one in found_so if one is not None), None)
    if told is None:
        return None

    def further(found: Sequence[Found]) -> list[Found]:
        near = replace(likeliest(found), topics=told.topics)
        one = added(told.program, near, told.by, asked.kb)
        return [] if one is None else [one]

    return Said(lambda one: told.is_other(one.program), further)


def named(links: Links, kb: KnowledgeBase) -> Iterator[Topic]:
    """What each mention most likely names, and all that are called so."""
    for mention in links.mentions:
        for place, candidate in enumerate(mention.candidates):
            if place == 0 or candidate.label.casefold() == mention.text.casefold():
                yield _topic(mention, place, kb)


def _topic(mention: MentionLink, place: int, kb: KnowledgeBase) -> Topic:
    candidate = mention.candidates[place]
    (term,) = kb.terms(np.array([candidate.node], np.int64))
    assert not isinstance(term, Literal)
    words = TopicWords(candidate.label, mention.start, mention.end, 0)
    return Topic(ex.Entity(term), words, mention.score + candidate.score)


def in_small(question: str) -> str | None:
    """The question in small letters, unless these are longer and places would not fit."""
    text = question.lower().rstrip(" ?.!")
    return text if len(text) <= len(question) else None


_ARTICLE = r"(?:(?:the|an?)\s+)?"
_KINDS_OF = r"(?:kind|type|sort|variety|varietie|form|subclasse?|subtype|example|instance)s?\s+of\s+"
_KINDS = re.compile(
    r"(?:(?P<many>how\s+many)\s+|(?:what|which|(?:list|show|name|give)(?:\s+me)?)\s+)?"
    rf"(?:are\s+)?(?:all\s+)?(?:the\s+)?(?:different\s+)?{_KINDS_OF}{_ARTICLE}"
    rf"|(?:what|(?:which|what)(?:\s+\w+){{1,2}})\s+(?:is|are)\s+(?:narrower|more\s+specific)\s+than\s+{_ARTICLE}"
)
_THERE_ARE = re.compile(r"(?:\s+(?:are\s+there|there\s+are|exist|do\s+you\s+know))?")
_IS = re.compile(rf"(?:is|are|was|were)\s+{_ARTICLE}")
_ONE = re.compile(
    rf"\s+(?:an?\s+(?:{_KINDS_OF}{_ARTICLE})?|{_KINDS_OF}{_ARTICLE}|one\s+of\s+the\s+)(?P<kind>\w.*)"
)
_DEEPEST = 8
"""Steps that are followed from a kind to the kinds below it."""


def kinds_told(question: str, links: Links, kb: KnowledgeBase) -> Told | None:
    if (text := in_small(question)) is None:
        return None
    for topic in named(links, kb):
        before, behind = text[: topic.words.start], text[topic.words.end :]
        if (asked := _KINDS.fullmatch(before)) is not None and _THERE_ARE.fullmatch(behind):
            for down, relation in _ways_down(kb):
                below = ex.Join(down, topic.term)
                if _nodes(below, kb):
                    return Told(ex.Count(below) if asked["many"] else below, (topic,), relation)
        elif _IS.fullmatch(before) and (one := _ONE.fullmatch(behind)) is not None:
            start = topic.words.end + one.start("kind")
            if (found := _is_one(topic, start, one["kind"], links, kb)) is not None:
                return found
    return None


def _is_one(topic: Topic, start: int, kind: str, links: Links, kb: KnowledgeBase) -> Told | None:
    """Whether what is named is of a class of that name, or below something of that name."""
    own = nodes_of(topic.term, kb)
    has = [kb.schema.classes[number] for number in kb.classes(own).tolist()]
    noun = roots_in_order(kind)
    # A big city is a city.
    of = [klass for klass in has if roots_in_order(klass.label)[-len(noun) :] == noun]
    called = [kb.schema.classes[number] for number in classes_called(kind, kb)] if has else []
    if of or len(called) == 1:
        klass = (of or called)[0]
        return Told(ex.Meet(topic.term, ex.Class(klass.iri)), (topic,), klass, is_certain=bool(of))
    for above in named(links, kb):
        if (above.words.start, above.words.end) != (start, start + len(kind)):
            continue
        for down, relation in _ways_down(kb):
            below: ex.Expression = above.term
            for _ in range(_DEEPEST):
                below = ex.Join(down, below)
                nodes = _nodes(below, kb)
                if kb.intersects(nodes, own):
                    return Told(ex.Meet(topic.term, below), (topic,), relation)
                if not nodes:
                    break
            if _nodes(right_below := ex.Join(down, above.term), kb):
                return Told(ex.Meet(topic.term, right_below), (topic,), relation, is_certain=False)
    return None


def _nodes(program: ex.Expression, kb: KnowledgeBase) -> NodeSet:
    """What a program finds; nothing where that takes too long."""
    try:
        return execute(program, kb).nodes
    except BudgetExceeded:
        return kb.nodes(np.empty(0, np.int64))


def _ways_down(kb: KnowledgeBase) -> Iterator[tuple[ex.Relation, Relation]]:
    """Relations from what is above to what is right below it."""
    for relation in kb.schema.relations:
        if relation.hidden:
            continue
        if relation.iri in (*kb.profile.subclass, SKOS + "broader") or relation.label == "subclass of":
            yield ex.Relation(relation.iri), relation
        elif relation.iri == SKOS + "narrower":
            yield ex.Relation(relation.iri, inverse=True), relation


_A_NAME = r"(?:names?|labels?|terms?|words?|titles?)"
_OTHER = rf"(?:(?:another|other|alternative|alternate|different)\s+{_A_NAME}|synonyms?|alias(?:es)?)"
_OTHER_NAME_OF = re.compile(
    rf"(?:(?:what|which)\s+(?:is|are)\s+|what's\s+)?(?:an?\s+|the\s+|all\s+)*{_OTHER}\s+(?:of|for)\s+(?:the\s+|an?\s+)?"
)
_CALLED = r"(?:called|named|known\s+as)"
_BEHIND = re.compile(rf"(?:\s+(?:also|otherwise))?\s+{_CALLED}(?:\s+(?:also|otherwise))?")
_WHAT = re.compile(r"what\s+(?P<else>else\s+)?(?:is|are)\s+(?:the\s+|an?\s+)?")
_HAS_OTHER = re.compile(rf"(?:what|which)\s+{_OTHER}\s+(?:does|do)\s+(?:the\s+|an?\s+)?")


def other_names(question: str, links: Links, kb: KnowledgeBase) -> Told | None:
    if (text := in_small(question)) is None:
        return None
    for topic in named(links, kb):
        before, behind = text[: topic.words.start], text[topic.words.end :]
        if not _asks_for_names(before, behind) or not isinstance(topic.term, ex.Entity):
            continue
        own = kb.out_relations(nodes_of(topic.term, kb))
        for relation in (kb.schema.relations[number] for number in own.tolist()):
            if relation.iri in kb.profile.alias and not relation.hidden:
                program = ex.Join(ex.Relation(relation.iri, inverse=True), topic.term)
                return Told(program, (topic,), relation)
    return None


def _asks_for_names(before: str, behind: str) -> bool:
    if _OTHER_NAME_OF.fullmatch(before):
        return not behind
    if _HAS_OTHER.fullmatch(before):
        return behind.strip() in ("have", "has")
    what = _WHAT.fullmatch(before)
    is_called = _BEHIND.fullmatch(behind) is not None
    # Who asks what it is called asks for its name.
    return what is not None and is_called and bool(what["else"] or re.search("also|otherwise", behind))


_ASKING = r"(?:(?P<many>how\s+many)|what|which|(?:list|show|name|give)(?:\s+me)?)"
_ARTICLE = r"(?:(?:the|an?)\s+)?"
_HAS_PARTS = re.compile(rf"{_ASKING}\s+(?P<what>\w+(?:\s+\w+){{0,2}}?)\s+(?:does|do|did)\s+{_ARTICLE}")
_PARTS_OF = re.compile(
    rf"(?:{_ASKING}\s+)?(?:(?:are|is)\s+)?(?:all\s+)?(?:the\s+)?(?P<what>\w+(?:\s+\w+){{0,2}}?)\s+of\s+{_ARTICLE}"
)
_PARTS_THERE = re.compile(rf"{_ASKING}\s+(?P<what>\w+(?:\s+\w+){{0,2}}?)\s+(?:are\s+there|there\s+are|exist)")


def parts_told(question: str, links: Links, kb: KnowledgeBase) -> Told | None:
    if (text := in_small(question)) is None:
        return None
    if (asked := _PARTS_THERE.fullmatch(text)) is not None:
        relation = _called(asked["what"], kb)
        if relation is None or classes_called(asked["what"], kb):
            return None
        return Told(_counted(asked, ex.Has(ex.Relation(relation.iri))), (), relation)
    for topic in named(links, kb):
        before, behind = text[: topic.words.start], text[topic.words.end :].strip()
        asked = (
            _HAS_PARTS.fullmatch(before)
            if behind == "have"
            else None
            if behind
            else _PARTS_OF.fullmatch(before)
        )
        relation = None if asked is None else _called(asked["what"], kb)
        if asked is None or relation is None or not isinstance(topic.term, ex.Entity):
            continue
        into = kb.in_relations(nodes_of(topic.term, kb))
        if relation.id in into.tolist():
            program = ex.Join(ex.Relation(relation.iri), topic.term)
            return Told(_counted(asked, program), (topic,), relation)
    return None


def _counted(asked: re.Match[str], program: ex.Expression) -> ex.Expression:
    return ex.Count(program) if asked["many"] else program


def _called(what: str, kb: KnowledgeBase) -> Relation | None:
    """The one relation of that name and "of", unless another says the same the other way."""
    noun, known = tuple(roots_in_order(what)), relations_by_name(kb)
    said = () if noun in known else known.get((*noun, root_of("of")), ())
    return said[0] if len(said) == 1 else None
