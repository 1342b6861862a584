"""Whose a number is: in "8 cylinders and more than 200 horsepower" the 8 is no horsepower, 20 percent are 0.2
only where a relation gives shares of one, and "more than 100 members" are no years of which all are more."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise

from arcaneqa.errors import BudgetExceeded
from arcaneqa.induction.found import Found
from arcaneqa.judgement.polarity import says_measure
from arcaneqa.judgement.small_words import roots_of
from arcaneqa.kb.interface import Comparison, KnowledgeBase
from arcaneqa.kb.names.name_forms import split, stem, words
from arcaneqa.kb.schema import ValueKind
from arcaneqa.kb.terms import Literal
from arcaneqa.kb.values import Number, value_of
from arcaneqa.links import LiteralLink
from arcaneqa.program import expression as ex
from arcaneqa.program.execute import execute
from arcaneqa.program.rewrite import rewrite

_YEAR = re.compile(r"[12]\d{3}")
"""A year may stand before anything: "Japan 2007 population"."""


def misplaced(question: str, program: ex.Expression, kb: KnowledgeBase) -> int:
    """How many numbers a program compares with one relation though the question names another right behind
    them."""
    told = [(iri, one.lexical) for iri, one in _numbers(program) if not _YEAR.fullmatch(one.lexical)]
    if not told:
        return 0
    said = [(question[word.start : word.end].replace(",", ""), stem(word.folded)) for word in words(question)]
    behind: dict[str, list[list[str]]] = {}
    for place, (text, _) in enumerate(said):
        behind.setdefault(text, []).append([stem for _, stem in said[place + 1 :]])
    names = {
        relation.iri: [stem(word) for word in split(relation.label)]
        for relation in kb.schema.relations
        if ValueKind.NUMBER in relation.kinds and not relation.hidden
    }
    found = 0
    for iri, number in told:
        for following in behind.get(number, ()):
            named = {other for other, name in names.items() if name and following[: len(name)] == name}
            found += bool(named) and iri not in named
    return found


def misnumbered(question: str, program: ex.Expression, kb: KnowledgeBase) -> int:
    """How many identifiers are of another kind than the one named right before them: customer 10 lives not at
    the address that has the number 10."""
    told = list(_numbers(program))
    if not told:
        return 0
    said = [(question[word.start : word.end], stem(word.folded)) for word in words(question)]
    before = {(number, kind) for (_, kind), (number, _) in pairwise(said)}
    found = 0
    for iri, one in told:
        number = kb.schema.relation_ids.get(iri)
        relation = None if number is None else kb.schema.relations[number]
        if relation is None or not relation.is_identifier or relation.domain is None:
            continue
        kinds = ((klass.id, split(klass.label)) for klass in kb.schema.classes if not klass.hidden)
        named = {kind for kind, name in kinds if len(name) == 1 and (one.lexical, stem(name[0])) in before}
        found += bool(named) and relation.domain not in named
    return found


def misscaled(literals: Sequence[LiteralLink], program: ex.Expression, kb: KnowledgeBase) -> int:
    """How many numbers a program reads on another scale than the facts have: "20 percent" as 0.2 where rates
    go up to 80, "2 million" as 2 where people are counted one by one, "6 kg" as 6 in a column of grams.

    The largest reading that lies between the values of a relation is meant there.
    """
    scales = [sizes for link in literals if len(sizes := _sizes(link)) > 1]
    found = 0
    for iri, number in _numbers(program) if scales else ():
        said = value_of(number)
        relation = kb.schema.relation_ids.get(iri)
        if relation is None:
            continue
        for sizes in scales:
            within = (size for size, literal in sizes.items() if _is_within(literal, relation, kb))
            found += said in sizes and next(within, said) != said
    return found


def idle(question: str, program: ex.Expression, kb: KnowledgeBase) -> int:
    """How many comparisons leave nothing out, with a relation that the question does not say: who asks for
    more than 100 members has no years in mind, of which all are more."""
    found = 0
    for node in ex.post_order(program):
        match node:
            case ex.Compare(comparison, ex.Relation(iri) as relation, ex.Value(literal)):
                number = kb.schema.relation_ids.get(iri)
                other = _OTHERWISE.get(comparison)
                if number is None or other is None or relation.inverse or says_measure(question, node, kb):
                    continue
                is_said = _begins_alike(question, kb.schema.relations[number].label)
                found += not is_said and number not in kb.relations_comparing(other, literal)
    return found


_BEGINNING = 5
"""Letters: who was "registered" has a "register year"."""


def _begins_alike(question: str, name: str) -> bool:
    said, own = ({root[:_BEGINNING] for root in roots_of(text)} for text in (question, name))
    return not said.isdisjoint(own)


_OTHERWISE = {
    Comparison.GT: Comparison.LE,
    Comparison.GE: Comparison.LT,
    Comparison.LT: Comparison.GE,
    Comparison.LE: Comparison.GT,
}


def on_its_scale(literals: Sequence[LiteralLink], found: Found, kb: KnowledgeBase) -> Found:
    """The same program with numbers on the scale that the facts have, where it finds something: "35 thousand"
    as 35 where prices go up to 60."""
    scales = [sizes for link in literals if len(sizes := _sizes(link)) > 1]
    if not scales or not misscaled(literals, found.program, kb):
        return found

    def meant(iri: str, literal: Literal) -> ex.Value:
        relation, said = kb.schema.relation_ids.get(iri), value_of(literal)
        sizes = next((sizes for sizes in scales if said in sizes), {})
        if relation is None:
            return ex.Value(literal)
        return ex.Value(next((one for one in sizes.values() if _is_within(one, relation, kb)), literal))

    def change(node: ex.Expression) -> ex.Expression:
        match node:
            case ex.Compare(comparison, key, ex.Value(literal)) if path := ex.path_of(key):
                return ex.Compare(comparison, key, meant(path[-1].iri, literal))
            case ex.Join(relation, ex.Value(literal)):
                return ex.Join(relation, meant(relation.iri, literal))
        return node

    program = rewrite(found.program, change)
    try:
        result = execute(program, kb)
    except BudgetExceeded:
        return found
    is_something = result.nodes if result.value is None else result.value.lexical != "0"
    return replace(found, program=program, result=result) if is_something else found


def _sizes(link: LiteralLink) -> dict[Number, Literal]:
    """The different numbers that a stated one may mean, the largest first."""
    read = {value: one for one in link.readings if isinstance(value := value_of(one), Number)}
    return dict(sorted(read.items(), key=lambda pair: pair[0], reverse=True))


def _is_within(literal: Literal, relation: int, kb: KnowledgeBase) -> bool:
    sides = (Comparison.LE, Comparison.GE)
    return all(relation in kb.relations_comparing(side, literal) for side in sides)


def _numbers(program: ex.Expression) -> Iterator[tuple[str, Literal]]:
    """The last relation of every condition on a number, and the number; of how many there are, none."""
    for node in ex.post_order(program):
        match node:
            case ex.Compare(_, ex.Counted(), ex.Value(literal)):
                yield "", literal
            case ex.Compare(_, key, ex.Value(literal)) if path := ex.path_of(key):
                yield path[-1].iri, literal
            case ex.Join(relation, ex.Value(literal)):
                yield relation.iri, literal
