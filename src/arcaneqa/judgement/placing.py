"""Whose a value is: in "8 cylinders and more than 200 horsepower" the 8 is no horsepower, in "last name
Kohler or first name Marina" Kohler is no first name, 20 percent are 0.2 only where a relation gives shares of
one, and what was in 1999 is no cost of 1999, and neither before nor after it."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise

from arcaneqa.induction.found import Found
from arcaneqa.judgement.added import put_right
from arcaneqa.judgement.polarity import says_measure
from arcaneqa.judgement.small_words import root_of, roots_of
from arcaneqa.kb.interface import Comparison, KnowledgeBase
from arcaneqa.kb.names.name_forms import split, stem, words
from arcaneqa.kb.schema import Relation, ValueKind
from arcaneqa.kb.terms import XSD, Literal
from arcaneqa.kb.values import Number, kind_of, value_of
from arcaneqa.language import expression as ex
from arcaneqa.language.rewrite import rewrite
from arcaneqa.language.run import execute
from arcaneqa.links import LiteralLink
from arcaneqa.support.errors import BudgetExceeded

_YEAR = re.compile(r"[12]\d{3}")
"""A year may stand before anything: "Japan 2007 population"."""


def misplaced(question: str, program: ex.Expression, kb: KnowledgeBase) -> int:
    """How many numbers a program compares with one relation though the question names another of the same
    things right behind them, wherever it says the number, and not that one right before it."""
    told = [(iri, one.lexical) for iri, one in _numbers(program) if not _YEAR.fullmatch(one.lexical)]
    if not told:
        return 0
    said = [(question[word.start : word.end].replace(",", ""), stem(word.folded)) for word in words(question)]
    stems = [stem for _, stem in said]
    names = {
        relation.iri: ([stem(word) for word in split(relation.label)], relation.domain)
        for relation in kb.schema.relations
        if ValueKind.NUMBER in relation.kinds and not relation.hidden
    }
    found = 0
    for iri, number in told:
        places = [place for place, (text, _) in enumerate(said) if text == number]
        own, kind = names.get(iri, ([], None))
        is_before = any(own and stems[:place][-len(own) :] == own for place in places)
        behind = [_named_at(stems[place + 1 :], kind, names) for place in places]
        found += bool(places) and not is_before and all(named and iri not in named for named in behind)
    return found


def _named_at(
    said: list[str], kind: int | None, names: Mapping[str, tuple[list[str], int | None]]
) -> set[str]:
    """The relations of a kind of things, or of any, that are called what the words begin with."""
    return {
        iri
        for iri, (name, domain) in names.items()
        if name and said[: len(name)] == name and (kind is None or domain == kind)
    }


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


def compares_twice(program: ex.Expression) -> bool:
    """Whether it is longer than 3300 or longer than 100: whoever says two numbers of one side measures two
    things by them."""
    for node in ex.post_order(program):
        match node:
            case ex.And(ex.Compare(one, key, ex.Value()), ex.Compare(other, same, ex.Value())) | ex.Or(
                ex.Compare(one, key, ex.Value()), ex.Compare(other, same, ex.Value())
            ) if key == same and one.sign[0] == other.sign[0] != "=":
                return True
    return False


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


_BETWEEN = re.compile(
    "is|are|was|were|be|being|of|as|equals?|to|the|an?|exactly|named|called|not|at|least|most|than|over|above|under"
    "|below|after|before|since|more|less|fewer|(?:great|high|low|larg|small|bigg)er"
)
"""What may stand between the name and its value."""


def in_its_place(question: str, found: Found, kb: KnowledgeBase) -> Found:
    """The same program with every value taken for that which the question names right before it; the program
    itself where nothing is named so, or nothing has it."""
    nodes = list(ex.post_order(found.program))
    if not any(isinstance(node, ex.Value) for node in nodes):
        return found
    said = [(word, root_of(word)) for word in split(question)]
    places: dict[ex.Expression, ex.Expression] = {}
    for node in nodes:
        match node:
            case ex.Join(ex.Relation(_, False) as used, ex.Or(ex.Value() as one, ex.Value() as two)):
                named = [_named_before(said, used, value.literal, kb) for value in (one, two)]
                if named.count(None) == 1:
                    first, second = (used if other is None else ex.Relation(other.iri) for other in named)
                    places[node] = ex.Or(ex.Join(first, one), ex.Join(second, two))
            case ex.Compare(_, ex.Relation() as used, ex.Value(literal)) | ex.Join(
                ex.Relation(_, False) as used, ex.Value(literal)
            ):
                if (other := _named_before(said, used, literal, kb)) is not None:
                    meant = ex.Relation(other.iri)
                    places[node] = (
                        replace(node, relation=meant)
                        if isinstance(node, ex.Join)
                        else replace(node, key=meant)
                    )
    return put_right(rewrite(found.program, lambda node: places.get(node, node)), found, kb)


def _named_before(
    said: list[tuple[str, str]], used: ex.Relation, literal: Literal, kb: KnowledgeBase
) -> Relation | None:
    """The one relation of the same things that is named right before the only place where the value stands,
    if that is not a part of the used one's own name."""
    known = kb.schema.relation_ids.get(used.iri)
    if known is None:
        return None
    relation = kb.schema.relations[known]
    before = list(_words_before(said, split(literal.lexical)))
    if len(before) != 1:
        return None
    (roots,) = before
    names = {
        other.id: name
        for other in kb.schema.relations
        if other.domain == relation.domain
        and not other.hidden
        and (name := list(map(root_of, split(other.label))))
        and roots[-len(name) :] == name
    }
    longest = max(map(len, names.values()), default=0)
    named = [number for number, name in names.items() if len(name) == longest]
    if len(named) != 1 or known in names:
        return None
    (other,) = (kb.schema.relations[number] for number in named)
    own = set(map(root_of, split(relation.label)))
    if own >= set(names[other.id]):
        return None
    return other if _may_have(other, literal, kb) else None


def _words_before(said: list[tuple[str, str]], value: list[str]) -> Iterator[list[str]]:
    """The roots of the words before each place where a value stands, but for what may come between."""
    for place in range(len(said)):
        if [word for word, _ in said[place : place + len(value)]] == value:
            end = place
            while end and _BETWEEN.fullmatch(said[end - 1][0]):
                end -= 1
            yield [root for _, root in said[:end]]


def _may_have(relation: Relation, literal: Literal, kb: KnowledgeBase) -> bool:
    if kind_of(literal) is ValueKind.NUMBER:
        return relation.kinds == {ValueKind.NUMBER}
    return relation.id in kb.in_relations(kb.equal(literal)).tolist()


WHEN = re.compile(
    r"\b(?P<when>in|during|before|after|since|until|by)\s+(?:the\s+)?(?:year\s+)?(?P<year>1\d{3}|20\d{2})\b(?![-/.,]\d)",
    re.IGNORECASE,
)
_WITHIN = ("in", "during")
_A_YEAR = re.compile(r"(?<!\d)(?:1\d{3}|20\d{2})(?!\d)")
_FIRST, _LAST = Literal("1000", XSD + "integer"), Literal("2200", XSD + "integer")
"""A column with numbers before or after these is none of years."""


def mistimed(question: str, program: ex.Expression, kb: KnowledgeBase) -> int:
    """How many years a program takes for something else: "in 1999" for a cost of 1999, for a column of the
    visitors of 2010, or for all years before."""
    said = {match["year"] for match in WHEN.finditer(question)}
    within = said if all(match["when"].lower() in _WITHIN for match in WHEN.finditer(question)) else set()
    nodes = list(ex.post_order(program)) if said else []
    compared = Counter((node.key, node.value) for node in nodes if isinstance(node, ex.Compare))
    found = 0
    for node in nodes:
        found += any(_is_of_another_year(relation.iri, question, kb) for relation in ex.relations(node))
        match node:
            case ex.Join(relation, ex.Value(literal)) if not relation.inverse:
                found += literal.lexical in said and _has_other_numbers(relation.iri, kb)
            case ex.Compare(_, ex.Relation(iri) as key, ex.Value(literal) as value):
                has_others = _has_other_numbers(iri, kb)
                is_open = literal.lexical in within and compared[key, value] == 1
                is_number = kind_of(literal) is ValueKind.NUMBER
                found += (literal.lexical in said and has_others) or (is_open and is_number)
    return found


def _is_of_another_year(iri: str, question: str, kb: KnowledgeBase) -> bool:
    """Whether the name of a relation has a year, and the question only others."""
    number = kb.schema.relation_ids.get(iri)
    years = set() if number is None else set(_A_YEAR.findall(kb.schema.relations[number].label))
    return bool(years) and years.isdisjoint(_A_YEAR.findall(question))


def _has_other_numbers(iri: str, kb: KnowledgeBase) -> bool:
    number = kb.schema.relation_ids.get(iri)
    if number is None or kb.schema.relations[number].kinds != {ValueKind.NUMBER}:
        return False
    return not has_only_years(number, kb)


def has_only_years(relation: int, kb: KnowledgeBase) -> bool:
    """Whether all numbers of a relation may be years."""
    ends = ((Comparison.LT, _FIRST), (Comparison.GT, _LAST))
    return not any(relation in kb.relations_comparing(side, end) for side, end in ends)
