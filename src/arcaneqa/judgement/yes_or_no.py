"""Yes or no: "was Alien directed by Ridley Scott?" asks whether he is among its directors, and not for these;
"does it run more than 90 minutes?" whether its run time is more; and whoever asks how many players are active
wants those of whom a column of that name says yes."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence, Set
from dataclasses import replace
from weakref import WeakKeyDictionary

import numpy as np

from arcaneqa.induction.found import Found
from arcaneqa.induction.scorer import Candidate, TokenKind
from arcaneqa.judgement.added import narrowed, put_right
from arcaneqa.judgement.asked import Wanted, wanted
from arcaneqa.judgement.looked_up import nodes_of
from arcaneqa.judgement.polarity import plain_number, said_comparisons
from arcaneqa.judgement.rules import Asked, Said
from arcaneqa.judgement.small_words import SMALL, root_of, roots_of, ways_of_doing, ways_to_deny, ways_to_say
from arcaneqa.judgement.ways import conjuncts
from arcaneqa.kb.interface import KnowledgeBase
from arcaneqa.kb.names.name_forms import split, words
from arcaneqa.kb.schema import Relation, ValueKind
from arcaneqa.kb.terms import XSD, Literal
from arcaneqa.language import expression as ex
from arcaneqa.language.rewrite import rewrite
from arcaneqa.language.run import execute
from arcaneqa.links import LIKELY, Links
from arcaneqa.support.errors import BudgetExceeded

_STEM = 4
"""Letters that two words of one origin begin with at least."""


def is_among(question: str, links: Links, found: Found, kb: KnowledgeBase) -> Found | None:
    """Whether the other thing that is named is among what a program lists of one; None where yes or no is not
    asked for, the program says it already, or the words name another relation."""
    if wanted(question) is not Wanted.TRUTH or ex.denotes(found.program) is not ex.Denotation.SET:
        return None
    spans = {topic.term: (topic.words.start, topic.words.end) for topic in found.topics}
    for part in conjuncts(found.program):
        match part:
            case ex.Join(ex.Relation() as relation, ex.Entity() as entity) if entity in spans:
                pass
            case _:
                continue
        if relation.inverse and (beyond := _beyond(question, links, relation.iri, kb)) is not None:
            return put_right(ex.Meet(beyond, entity), found, kb)
        for other, place in _named_beside(spans[entity], links, kb):
            nodes = nodes_of(other, kb)
            number = kb.schema.relation_ids.get(relation.iri)
            ends = kb.in_relations(nodes) if relation.inverse else kb.out_relations(nodes)
            if number not in ends.tolist() or _says_another(question, (spans[entity], place), number, kb):
                continue
            program = ex.Meet(part, other)
            try:
                return replace(found, program=program, result=execute(program, kb))
            except BudgetExceeded:
                return None
    return None


def listed_instead(asked: Asked, found: Sequence[Found]) -> set[ex.Expression]:
    """The programs that list something where yes or no is asked for, and another one says it of all that they
    are about and of more that is named."""
    if wanted(asked.question) is not Wanted.TRUTH:
        return set()
    told = [_places(one) for one in found if ex.denotes(one.program) is ex.Denotation.TRUTH]
    return {
        one.program
        for one in found
        if ex.denotes(one.program) is ex.Denotation.SET
        and any(_places(one) < places for places in told)
        and is_among(asked.question, asked.links, one, asked.kb) is None
    }


def _places(found: Found) -> set[tuple[int, int]]:
    return {(topic.words.start, topic.words.end) for topic in found.topics}


def _beyond(question: str, links: Links, iri: str, kb: KnowledgeBase) -> ex.Compare | None:
    """What has more or less of a relation than the one number that the question compares with."""
    said, number = list(said_comparisons(question).items()), kb.schema.relation_ids.get(iri)
    if len(said) != 1 or number is None or not kb.schema.relations[number].comparable:
        return None
    ((digits, ways),) = said
    readings = (literal for stated in links.literals for literal in stated.readings)
    value = next((one for one in readings if plain_number(one.lexical) == digits), None)
    if value is None or len(ways) != 1:
        return None
    (way,) = ways
    return ex.Compare(way, ex.Relation(iri), ex.Value(value))


def _named_beside(
    taken: tuple[int, int], links: Links, kb: KnowledgeBase
) -> Iterator[tuple[ex.Entity | ex.Value, tuple[int, int]]]:
    """What else is named, with its place; things before texts."""
    start, end = taken
    for mention in links.mentions:
        if mention.score >= LIKELY and (mention.end <= start or end <= mention.start):
            for term in kb.terms(np.array([one.node for one in mention.candidates[:1]], np.int64)):
                if not isinstance(term, Literal):
                    yield ex.Entity(term), (mention.start, mention.end)
    for stated in links.literals:
        if stated.end <= start or end <= stated.start:
            yield from ((ex.Value(literal), (stated.start, stated.end)) for literal in stated.readings)


def _says_another(
    question: str, spans: tuple[tuple[int, int], ...], number: int | None, kb: KnowledgeBase
) -> bool:
    """Whether a word beside the names is that of another relation: who directs a film need not appear in
    it."""
    said = {
        root_of(word.folded)
        for word in words(question)
        if not any(start < word.end and word.start < end for start, end in spans)
    } - SMALL
    named = [one for one in kb.schema.relations if not one.hidden and _is_said(roots_of(one.label), said)]
    return bool(named) and all(one.id != number for one in named)


def _is_said(roots: Set[str], said: Set[str]) -> bool:
    """Whoever directs is the director."""
    return any(
        one == other
        or (min(len(one), len(other)) >= _STEM and (one.startswith(other) or other.startswith(one)))
        for one in roots
        for other in said
    )


_TRUE, _FALSE = (Literal(said, XSD + "boolean") for said in ("true", "false"))
_Named = tuple[frozenset[str], Relation, Literal]
_NAMED: WeakKeyDictionary[KnowledgeBase, tuple[_Named, ...]] = WeakKeyDictionary()
DENYING = re.compile(r"\b(?:not|no|never|without|except|non)\b|n't\b", re.IGNORECASE)


def truths_said(asked: Asked, _: Sequence[Found]) -> Said | None:
    """Of each reading that has all of a kind, the same with those of whom it is true what the name of such a
    column says; where something is denied, those of whom it is false what follows."""
    told = list(_told(asked.question, asked.kb))

    def further(found: Sequence[Found]) -> list[Found]:
        fewer = (_narrowed(one, column, truth, asked.kb) for one in found for column, truth in told)
        return [one for one in fewer if one is not None]

    return Said(lambda _: False, further) if told else None


def columns_said(question: str, kb: KnowledgeBase) -> list[Relation]:
    """The columns of yes and no whose names a question says; of two, the one whose name holds the other's."""
    said = {root_of(word) for word in split(question)}
    told = [(name, relation) for name, relation, truth in _columns(kb) if truth == _TRUE and name <= said]
    longest = [relation for name, relation in told if not any(name < other for other, _ in told)]
    return list({relation.id: relation for relation in longest}.values())


def told_as_true(question: str, found: Found, kb: KnowledgeBase) -> Found:
    """What goes by what such a column says of anything ("whose sunday is that of some calendar"), by what the
    question says of it."""
    told = {relation.iri: truth for relation, truth in _told(question, kb)}

    def such_ones(node: ex.Expression) -> ex.Expression:
        match node:
            case ex.Join(ex.Relation(iri, False) as relation, ex.Join(ex.Relation(other, True), _)) if (
                iri == other and iri in told
            ):
                return ex.Join(relation, ex.Value(told[iri]))
        return node

    return put_right(rewrite(found.program, such_ones), found, kb) if told else found


def _told(question: str, kb: KnowledgeBase) -> Iterator[tuple[Relation, Literal]]:
    denied = DENYING.search(question)
    said = [root_of(word) for word in split(question[denied.end() :] if denied else question)]
    for name, relation, truth in _columns(kb):
        if denied is None and name <= set(said):
            yield relation, truth
        elif denied is not None and name <= set([word for word in said if word not in SMALL][: len(name)]):
            yield relation, _FALSE if truth == _TRUE else _TRUE


def untrue(question: str, program: ex.Expression, kb: KnowledgeBase) -> int:
    """How often a program takes those of whom it is false what the question says and does not deny, or true
    where it says the opposite."""
    if DENYING.search(question) is not None:
        return 0
    told = {relation.iri: truth for relation, truth in _told(question, kb)}
    found = 0
    for node in ex.post_order(program) if told else ():
        match node:
            case ex.Cons(_, ex.Relation(iri), ex.Value(literal)) | ex.Join(
                ex.Relation(iri), ex.Value(literal)
            ):
                found += iri in told and literal in (_TRUE, _FALSE) and literal != told[iri]
    return found


def _columns(kb: KnowledgeBase) -> tuple[_Named, ...]:
    """Such columns with the telling words of their names, and of their opposites; read once a knowledge
    base."""
    if (known := _NAMED.get(kb)) is None:
        columns = (r for r in kb.schema.relations if r.kinds == {ValueKind.BOOLEAN} and not r.hidden)
        names = (
            (frozenset(map(root_of, said)) - SMALL, relation, truth)
            for relation in columns
            for ways, truth in ((ways_to_say, _TRUE), (ways_of_doing, _TRUE), (ways_to_deny, _FALSE))
            for said in ways(relation.label)
        )
        known = _NAMED[kb] = tuple(one for one in names if one[0])
    return known


def _narrowed(found: Found, relation: Relation, truth: Literal, kb: KnowledgeBase) -> Found | None:
    """Those of its class of whom it is so, if the program has that class and does not use the column."""
    names = [one.iri for node in ex.post_order(found.program) for one in ex.relations(node)]
    if relation.domain is None or relation.iri in names or found.result.table is not None:
        return None
    kind = ex.Class(kb.schema.classes[relation.domain].iri)

    those = ex.Cons(kind, ex.Relation(relation.iri), ex.Value(truth))

    def such_ones(node: ex.Expression) -> ex.Expression:
        match node:
            case ex.Class() if node == kind:
                return those
            case ex.Not(argument, _) if argument == those and truth == _FALSE:
                return those  # denied once
        return node

    program = rewrite(found.program, such_ones)
    if program == found.program:
        return None
    return narrowed(program, found, [Candidate(TokenKind.CONSTANT, relation.label)], kb)
