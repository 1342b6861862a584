"""Names of columns that say yes or no: whoever asks how many players are active wants those of whom it is
true, though no value was said, and who asks for those that are not those of whom it is false."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from weakref import WeakKeyDictionary

from arcaneqa.induction.found import Found
from arcaneqa.induction.scorer import Candidate, TokenKind
from arcaneqa.judgement.added import narrowed
from arcaneqa.judgement.small_words import SMALL, ways_to_deny, ways_to_say
from arcaneqa.kb.interface import KnowledgeBase
from arcaneqa.kb.names.name_forms import split, stem
from arcaneqa.kb.schema import Relation, ValueKind
from arcaneqa.kb.terms import XSD, Literal
from arcaneqa.program import expression as ex
from arcaneqa.program.rewrite import rewrite

_TRUE, _FALSE = (Literal(said, XSD + "boolean") for said in ("true", "false"))
_Named = tuple[frozenset[str], Relation, Literal]
_NAMED: WeakKeyDictionary[KnowledgeBase, tuple[_Named, ...]] = WeakKeyDictionary()
_DENYING = re.compile(r"\b(?:not|no|never|without|except|non)\b|n't\b", re.IGNORECASE)


def with_truths(question: str, found: Iterable[Found], kb: KnowledgeBase) -> Iterator[Found]:
    """The programs, and after each that has all of a kind the same with those of whom it is true what
    the name of such a column says; where something is denied, those of whom it is false what follows."""
    told = list(_told(question, kb))
    for one in found:
        yield one
        for relation, truth in told:
            if (fewer := _narrowed(one, relation, truth, kb)) is not None:
                yield fewer


def _told(question: str, kb: KnowledgeBase) -> Iterator[tuple[Relation, Literal]]:
    denied = _DENYING.search(question)
    said = [stem(word) for word in split(question[denied.end() :] if denied else question)]
    for name, relation, truth in _named(kb):
        if denied is None and name <= set(said):
            yield relation, truth
        elif denied is not None and name <= set([word for word in said if word not in SMALL][: len(name)]):
            yield relation, _FALSE if truth == _TRUE else _TRUE


def untrue(question: str, program: ex.Expression, kb: KnowledgeBase) -> int:
    """How often a program takes those of whom it is false what the question says and does not deny, or true
    where it says the opposite."""
    if _DENYING.search(question) is not None:
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


def _named(kb: KnowledgeBase) -> tuple[_Named, ...]:
    """Such columns with the telling words of their names, and of their opposites; read once a knowledge
    base."""
    if (known := _NAMED.get(kb)) is None:
        columns = (r for r in kb.schema.relations if r.kinds == {ValueKind.BOOLEAN} and not r.hidden)
        names = (
            (frozenset(map(stem, said)) - SMALL, relation, truth)
            for relation in columns
            for ways, truth in ((ways_to_say, _TRUE), (ways_to_deny, _FALSE))
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
